"""How near a relative of the paper's USE comes to the authors' distances of the same pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from selu.metrics.percentiles import Resampling
from selu.papers.blanca.encoders import NAMES, USAGE
from selu.papers.blanca.evaluators import correlation, resampling
from selu.papers.blanca.records import Measured, Relative
from selu.papers.evidence import Evidence
from selu.vocabulary import RunState, SeluError

if TYPE_CHECKING:
    import pandas as pd

SYSTEM, PUBLISHED = "use-multilingual-v3", "USE"
FILE = "test"  # of the pinned files of class usage: the authors' distances of USE


def hold(evidence: Evidence) -> Relative:
    """Compare the run with the authors' distances on the test pairs of class usage.

    Of no other task are texts and published distances of the same pairs here.

    Raises:
        SeluError: the run is missing or out of date, or a pair of it has no published distance.
    """
    run = next(iter(evidence.runs(tasks=[USAGE], systems=[SYSTEM])), None)
    if run is None or run.state != RunState.PRESENT:
        raise SeluError(
            f"results/blanca/{USAGE} holds no run of {SYSTEM} that is up to date: run 'dvc pull', or "
            f"'selu run --paper blanca --system {SYSTEM}'."
        )
    rows = evidence.test_rows(run)
    sources = evidence.rows(USAGE).set_index("id")["source"].loc[rows["id"]]
    published = match(sources, evidence.raw(USAGE)[FILE])
    here = np.array(list(evidence.answers(run, rows).values()))
    return compare(rows["label"], here, published, evidence.draws)


def match(sources: pd.Series[str], distances: pd.DataFrame) -> list[float]:
    """Find the published distance of each row by the two classes that its source names.

    Raises:
        SeluError: a row has none; names it.
    """
    columns = (distances[name] for name in ("class1", "class2", "embedding_cosine_distance"))
    known = {frozenset((column, two)): float(distance) for column, two, distance in zip(*columns, strict=True)}
    pairs = [source.partition(":")[2].split(" ") for source in sources]
    if missing := [pair for pair in pairs if frozenset(pair) not in known]:
        raise SeluError(
            f"the authors' file has no distance of {' and '.join(missing[0])}: fetch class_usage again."
        )
    return [known[frozenset(pair)] for pair in pairs]


def compare(usage: ArrayLike, here: ArrayLike, published: ArrayLike, draws: Resampling) -> Relative:
    """Correlate both distances with one another and with usage, and resample the pairs for intervals.

    Args:
        usage: distance of the usage of two classes, shape (pairs,).
        here, published: distances of the embeddings, one for each pair.
    """
    ours, theirs = (np.asarray(distances, dtype=np.float64) for distances in (here, published))
    between = correlation.correlator(theirs, ours)
    with_usage = [correlation.correlator(usage, distances) for distances in (ours, theirs)]

    def score(counts: resampling.Array) -> Mapping[str, float]:
        of_ours, of_theirs = (correlate(counts)["r"] for correlate in with_usage)
        return {
            "between": between(counts)["r"],
            "here": of_ours,
            "published": of_theirs,
            "change": of_ours - of_theirs,
        }

    values = score(np.ones(ours.size))
    bounds = resampling.intervals(score, ours.size, draws, tuple(values))
    measured: dict[str, Measured] = {name: {"score": values[name], **bounds[name]} for name in values}
    record: Relative = {
        "finding": "",
        "system": SYSTEM,
        "pairs": ours.size,
        "between": measured["between"],
        "r": {"here": measured["here"], "published": measured["published"]},
        "change": measured["change"],
        "means": {"here": float(ours.mean()), "published": float(theirs.mean())},
        "apart": float(np.abs(ours - theirs).mean()),
    }
    return {**record, "finding": say(record)}


def say(record: Relative) -> str:
    """Say how far the relative's distances are the published ones, and which follow usage more closely."""
    between, change = record["between"], record["change"]
    ours, theirs = record["r"]["here"]["score"], record["r"]["published"]["score"]
    verdict = (
        "more closely than"
        if change["low"] > 0
        else "less closely than"
        if change["high"] < 0
        else "about as closely as"
    )
    return (
        f"{NAMES[SYSTEM]} is not the paper's encoder: on the same {record['pairs']:,} pairs of class usage its "
        f"distances correlate with the published ones of {PUBLISHED} with r {between['score']:.3f} "
        f"({between['low']:.3f} to {between['high']:.3f}), and differ from them by {record['apart']:.3f} on "
        f"average. They follow usage {verdict} these: r is {ours:.3f} against {theirs:.3f}, a difference of "
        f"{change['score']:+.3f} ({change['low']:+.3f} to {change['high']:+.3f})."
    )
