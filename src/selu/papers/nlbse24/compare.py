"""Two systems that were run on the competition's rows side by side, by their paired differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from selu.files import read_json
from selu.names import nearest
from selu.papers.nlbse24.records import Difference, seen_from
from selu.vocabulary import SeluError

NAME = __name__.split(".")[-2]
MADE_BY = f"selu report comparisons --paper {NAME}"
Row = dict[str, Any]


def compare(root: Path, _material: object, a: str, b: str) -> Row:
    """Compare two systems by the tracked record of what was run.

    A name is a system's, with * where one model serves all sets; its protocol may be left out.

    Raises:
        SeluError: one of them was not run here, both are the same, or the record is missing.
    """
    kept = read_json(root / "reports" / NAME / "results.json", MADE_BY)
    tracks = {name: part for name, part in kept.items() if "differences" in part}
    ids = {entrant["id"].split()[0]: entrant["id"] for part in tracks.values() for entrant in part["entrants"]}
    for name in (a, b):
        if name.lower() not in (*ids, *ids.values()):
            raise nearest(name, ids, f"system run on {NAME}")
    first, second = (ids.get(name.lower(), name.lower()) for name in (a, b))
    if first == second:
        raise SeluError(f"{a!r} and {b!r} are the same system: name two different ones.")
    rows = [
        _difference(track, entry, first, second)
        for track, part in tracks.items()
        for entry in part["differences"]
        if {entry["first"], entry["second"]} == {first, second}
    ]
    if not rows:
        raise SeluError(f"{first} and {second} were run on no track of {NAME} together: name others.")
    sentences = [f"on {row['on']} {row['better'] or 'neither of them'} is ahead" for row in rows]
    return {
        "a": first,
        "b": second,
        "tasks": rows,
        "sentence": f"By intervals of paired differences over resampled test rows, {' and '.join(sentences)}.",
    }


def _difference(track: str, entry: Difference, first: str, second: str) -> Row:
    """Describe a pair on a track, seen from ``first``; ``better`` is None if its interval includes 0.

    A bound that is no further from 0 than its Monte-Carlo error decides nothing.
    """
    value, low, high = seen_from(entry, first)
    ahead = first if low > entry["error"] else second if high < -entry["error"] else None
    return {
        "on": track,
        "difference": round(value, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "better": ahead,
    }
