"""Random evidence inside its possible range, and evidence as a reader alters it: as tables in a folder.

A draw takes a paper's material and a generator and returns the material with other printed numbers. Draws vary
what they redraw over its whole possible range; none of them chooses between two made-up cases.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import UserDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from selu.papers.published import ABSENT, PublishedTables
from selu.vocabulary import Claim, Published, SeluError, Verdict, plain_number

M = TypeVar("M", bound=PublishedTables)
Draw: TypeAlias = Callable[[Any, np.random.Generator], Any]
Place: TypeAlias = tuple[str, str, str]
ROOT = Path(__file__).parents[2]
_NAMES = re.compile(
    r"(Table|[Ee]quation|eq\.|Figure|section|Llama|Claude) [\d.]+"
)  # their digits are no thresholds
_NUMBER = re.compile(r"(?<![\w.-])\.?\d[\d.,]*(?<![.,])(?![\w-])")
LETTERS = {Verdict.HOLDS: "h", Verdict.CAVEAT: "c", Verdict.FAILS: "f", Verdict.NOT_CHECKABLE: "n"}
DRAWS = 300  # more than any claim takes to reach its verdicts


def at_places(table: str, *cells: str) -> list[tuple[str, str, str, str]]:
    """Places of one table with other texts: row, column and text of each."""
    return [(table, *cells[at : at + 3]) for at in range(0, len(cells), 3)]  # type: ignore[list-item]


def changed(paper: M, change: Any) -> M:
    """A paper with other texts at these places, which may follow from it; or as a function alters it."""
    given = change(paper) if callable(change) else change
    if isinstance(given, PublishedTables):
        return given
    return paper.with_places({(table, row, column): text for table, row, column, text in given})


def together(*draws: Draw) -> Draw:
    """All of them, one after the other."""

    def draw(paper: M, rng: np.random.Generator) -> M:
        for each in draws:
            paper = each(paper, rng)
        return paper

    return draw


def sometimes(draw: Draw, share: float = 0.5) -> Draw:
    """The draw in this share of cases, else the evidence as it is."""
    return lambda paper, rng: draw(paper, rng) if rng.random() < share else paper


def number(place: Place, low: float, high: float, digits: int = 3) -> Draw:
    """A number of one place, uniform over its range; whole for no digits."""
    return lambda paper, rng: paper.with_published(*place, f"{rng.uniform(low, high):.{digits}f}")


def numbers(places: Iterable[Place], low: float, high: float, digits: int = 3) -> Draw:
    """Numbers of a random share of the places, each uniform over the range."""
    places = list(places)

    def draw(paper: M, rng: np.random.Generator) -> M:
        share = rng.random()
        chosen = [place for place in places if rng.random() < share]
        return paper.with_places({place: f"{rng.uniform(low, high):.{digits}f}" for place in chosen})

    return draw


def nearby(places: Iterable[Place], by: float, low: float, high: float, digits: int = 3) -> Draw:
    """Numbers of a random share of the places, moved by up to ``by`` and kept inside the range."""
    places = list(places)

    def draw(paper: M, rng: np.random.Generator) -> M:
        share, width = rng.random(), by * rng.random()
        chosen = [place for place in places if rng.random() < share]
        moved = {place: paper.number(*place) + rng.uniform(-width, width) for place in chosen}
        return paper.with_places({p: f"{min(max(v, low), high):.{digits}f}" for p, v in moved.items()})

    return draw


def words(places: Iterable[Place], choices: Sequence[str]) -> Draw:
    """Words of a random share of the places, from what can stand there."""
    places = list(places)

    def draw(paper: M, rng: np.random.Generator) -> M:
        share = rng.random()
        chosen = [place for place in places if rng.random() < share]
        return paper.with_places({place: str(rng.choice(choices)) for place in chosen})

    return draw


class _Watched(UserDict[Any, Published]):
    """A table that notes which of its places are read."""

    def __init__(self, name: str, table: Mapping[Any, Published], read: set[Place]) -> None:
        super().__init__(table)
        self.name, self.read = name, read

    def __getitem__(self, place: Any) -> Published:
        found = self.data[place]
        self.read.add((self.name, *place))
        return found

    def __iter__(self) -> Iterator[Any]:
        self.read.update((self.name, *place) for place in self.data)
        return iter(self.data)


def places_read(paper: PublishedTables, claim: Claim) -> set[Place]:
    """The places of its tables that a claim reads of this material."""
    read: set[Place] = set()
    claim.check(
        replace(paper, tables={name: _Watched(name, table, read) for name, table in paper.tables.items()})
    )
    return read


def elsewhere(original: M, claim: Claim, altered: Iterable[M]) -> Draw:
    """Other numbers and words at all places that a claim reads, in the paper or as somebody altered it.

    Column by column, a random share of the places takes a text that the place is known with or one of another
    row, or its number moves: each by its own distance, or all by the same. Places that only an altered paper
    has are there in half of the draws.
    """
    materials = [original, *altered]
    places = sorted({place for material in materials for place in places_read(material, claim)})
    known = {place: texts for place in places if (texts := _texts(materials, place))}
    added = {place: texts[0] for place, texts in known.items() if not _texts([original], place)}
    columns = {now: _by_column(known, () if now else added) for now in (True, False)}

    def draw(paper: M, rng: np.random.Generator) -> M:
        with_added = bool(rng.random() < 0.5)
        found = dict(added) if with_added else {}
        for column in columns[with_added]:
            way = rng.choice(["stays", "known", "of another row", "moved", "moved alike"])
            share, width = rng.choice([1.0, some_share(rng, 1e-3)]), some_share(rng, 1e-4)
            common, texts = rng.uniform(-width, width), [text for place in column for text in known[place]]
            for place in column:
                if way == "stays" or rng.random() >= share:
                    continue
                if way.startswith("moved"):
                    by = common if way == "moved alike" else rng.uniform(-width, width)
                    found[place] = _moved(known[place][0], by, rng)
                else:
                    found[place] = str(rng.choice(known[place] if way == "known" else texts))
        return paper.with_places(found)

    return draw


def _texts(materials: Iterable[PublishedTables], place: Place) -> list[str]:
    """What stands at a place in these materials, each text once; none where it is a dash or is not there."""
    name, *at = place
    cells = (material.tables.get(name, {}).get((at[0], at[1])) for material in materials)
    return list(dict.fromkeys(cell.published for cell in cells if cell and cell.published != ABSENT))


def _by_column(places: Iterable[Place], without: Container[Place]) -> list[list[Place]]:
    found: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        if place not in without:
            found.setdefault((place[0], place[2]), []).append(place)
    return list(found.values())


def some_share(rng: np.random.Generator, least: float = 1e-5) -> float:
    """A share of any order of magnitude, from almost none to all."""
    return float(10 ** rng.uniform(np.log10(least), 0))


def _moved(text: str, by: float, rng: np.random.Generator) -> str:
    """A printed number moved by so much of its range, with its digits and mark; other texts stay."""
    bare = text.rstrip(" *")
    try:
        value = plain_number(bare.replace(",", ""))
    except ValueError:
        return text
    digits = len(bare.partition(".")[2])
    if digits and 0 <= value <= 1:
        moved = min(max(value + by, 0.001), 0.999)
    else:
        moved = value * (1 + by) if digits else max(round(value * (1 + by)) + rng.integers(-2, 3), 0)
    return f"{moved:.{digits}f}{text[len(bare) :]}"


def verdicts(claim: Claim, materials: Iterable[PublishedTables], least: int) -> list[str]:
    """A letter for each verdict over these and a trace of what it says: at least so many, with holds and fails.

    It may refuse what can't be read, such as a word in place of a number: r.
    """
    found: list[str] = []
    for material in materials:
        try:
            letter, sentence = LETTERS[(finding := claim.check(material)).verdict], finding.because
        except SeluError as error:
            letter, sentence = "r", str(error)
        found.append(letter + hashlib.sha256(sentence.encode()).hexdigest()[:4])
        if len(found) >= least and {"h", "f"} <= {each[0] for each in found}:
            break
    return found


def drawn(paper: M, claim: Claim, draw: Draw) -> Iterable[M]:
    """Random evidence for a claim, the same in every run."""
    rng = np.random.default_rng([int(claim.id[1:]), 2026])
    for _ in range(DRAWS):
        yield draw(paper, rng)


def unsaid(claim: Claim) -> list[str]:
    """What a claim's rule leaves out: a part, or a number that neither the claim states nor has a source."""
    rule = claim.rule
    parts = {"holds": rule.holds, "fails": rule.fails}
    lost = [f"what makes it: {name}" for name, text in parts.items() if not text.strip()]
    lost += [f"the source of {number}" for number, source in rule.thresholds.items() if not source.strip()]
    lost += [f"a reason: {change.date}" for change in rule.changes if not (change.why and change.was)]
    known = " ".join([claim.statement, *rule.thresholds])
    text = _NAMES.sub("", " ".join([rule.holds, rule.fails, rule.caveat]))
    return [*lost, *(number for number in _NUMBER.findall(text) if number not in known)]


def write_tables(paper: PublishedTables, before: PublishedTables, folder: Path) -> None:
    """The tables as a reader alters them: a copy of ``data/paper``, with whatever else is not as it was."""
    folder.mkdir()
    for path in (ROOT / "data" / "paper" / paper.benchmark).glob("*.csv"):
        (folder / path.name).write_bytes(path.read_bytes())
    for name, places in paper.tables.items():
        if places != before.tables.get(name):
            text = io.StringIO()
            lines = csv.writer(text, lineterminator="\n")
            lines.writerow(("table", "row", "column", "printed"))
            title = next(iter(places.values())).table
            lines.writerows((title, cell.row, cell.column, cell.published) for cell in places.values())
            (folder / f"{name}.csv").write_text(text.getvalue(), encoding="utf-8")
