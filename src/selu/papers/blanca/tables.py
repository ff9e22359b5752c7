"""Tables 3 to 8 as published, beside what the authors' distances and logs give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from selu.papers.blanca.material import MEANS, TABLE8, TASKS, Material
from selu.papers.blanca.records import Rescored, RescoredRow
from selu.papers.records import Interval
from selu.papers.table import Compared, Table, signed
from selu.stats.ranks import mean_ranks
from selu.stats.rounding import agrees, to_digits

NONE = ""
RUN = "of another run: the authors' log has our number"
AS_TABLE8 = "that Table 8 also has agree with it"
_SCORES = {"gap": "Gap", "t": "t", "effect": "Effect size", "auc": "AUC"}


def table3(paper: Material) -> Table:
    """Tabulate Table 3 as published; the rows of answer ranking are not public."""
    columns = [f"{score}{end}" for score in ("MRR", "NDCG") for end in ("", ": standard error")]
    rows = [
        {"Encoder": name} | {column: paper.published("table3", name, column) for column in columns}
        for name in paper.scores("R")
    ]
    caption = (
        "Table 3: answer ranking (R) as published. The questions and answers are in none of the public "
        "repositories that we searched, so no number is re-scored."
    )
    columns8 = {"MRR": "R: MRR", "NDCG": "R: NDCG"}
    return Table("table3", caption, pd.DataFrame(rows), tuple(_in_table8(paper, "table3", columns8)), AS_TABLE8)


def table4(paper: Material, record: Rescored) -> Table:
    """Tabulate Table 4 with re-scored means, t, effect size and AUC."""
    ours = _by_system(record, "L")
    rows, compared = [], []
    for name in paper.scores("L"):
        found = ours.get(name)
        row = {"Encoder": name}
        for column, key in zip((*MEANS["L"], "T"), ("near", "far", "t"), strict=True):
            published = paper.published("table4", name, column)
            cell = _compared(name, column, published, found["scores"][key]) if found else None
            compared += [cell] if cell else []
            row |= {f"{column} published": published, f"{column} re-scored": cell.computed if cell else NONE}
            row[f"{column} difference"] = signed(cell.difference or 0.0) if cell else NONE
        rows.append({**row, **_beside(found)})
    pairs = next(iter(ours.values()))["pairs"]
    caption = (
        f"Table 4: cosine distance of linked and unlinked posts (L), published and re-scored from the authors' "
        f"distances of {pairs:,} test pairs, as many linked as unlinked. Effect size and AUC do not grow with "
        "the number of pairs, as t does; their low and high bound a 95 % interval over resampled pairs."
    )
    return Table("table4", caption, pd.DataFrame(rows), tuple(compared), "equal the published ones")


def table5(paper: Material) -> Table:
    """Tabulate Table 5 as published, with the gap of the means beside t."""
    rows = [
        {"Encoder": name}
        | {column: paper.published("table5", name, column) for column in (*MEANS["F"], "T")}
        | {"Gap of the means": to_digits(paper.gap("F", name), 2)}
        for name in paper.scores("F")
    ]
    caption = (
        "Table 5: cosine distance of documentation and posts (F) as published. The distances that the authors "
        "publish are of an earlier test set; the next table has them."
    )
    return Table(
        "table5", caption, pd.DataFrame(rows), tuple(_in_table8(paper, "table5", {"T": "F"})), AS_TABLE8
    )


def table5_earlier(paper: Material, record: Rescored) -> Table:
    """Tabulate F by the authors' distances on their earlier test set, compared with their logs."""
    rows, compared = [], []
    ours = _by_system(record, "F")
    for name, found in ours.items():
        row = {"Encoder": name}
        for entry in found["logged"]:
            value, text = entry["value"], entry["printed"]
            off = value - float(text)
            compared.append(Compared(name, entry["column"], text, repr(value), entry["equal"], off))
        scores = found["scores"]
        row |= {"Related": to_digits(scores["near"], 4), "Unrelated": to_digits(scores["far"], 4)}
        row |= {"t": to_digits(scores["t"], 2), "t of Table 5": paper.published("table5", name, "T")}
        rows.append({**row, **_beside(found)})
    pairs = next(iter(ours.values()))
    caption = (
        f"F on the authors' earlier test set of {pairs['pairs']:,} pairs ({pairs['related']:,} related), "
        "re-scored from their distances and held to their logs; t of Table 5 is of another test set."
    )
    return Table("table5_earlier", caption, pd.DataFrame(rows), tuple(compared), "equal those of the logs")


def table6(paper: Material) -> Table:
    """Tabulate Table 6 beside the authors' logs: no distance of H is published."""
    rows, compared = [], []
    for name in paper.scores("H"):
        published, place = paper.published("table6", name, "Pearson r"), f"H/{name}"
        row = {"Encoder": name, "r published": published}
        row |= dict.fromkeys(("r of the log", "Slope", "R2", "Mean squared error", "Difference"), NONE)
        if paper.has("logs", place):
            r, why = paper.number("logs", place, "r"), "of another run: the log has another number"
            cell = _compared(name, "Pearson r", published, r, why)
            compared.append(cell)
            row |= {
                "r of the log": to_digits(r, 4),
                "Slope": to_digits(paper.number("logs", place, "Slope"), 4),
            }
            row |= {column: paper.published("logs", place, column) for column in ("R2", "Mean squared error")}
            row["Difference"] = signed(cell.difference or 0.0)
        rows.append(row)
    caption = (
        "Table 6: correlation of class distance and embedding distance in the hierarchy (H), published and in "
        "the authors' logs. Their distances are not published, so that nothing is re-scored."
    )
    return Table("table6", caption, pd.DataFrame(rows), tuple(compared), "of the logs are the published ones")


def table7(paper: Material, record: Rescored) -> Table:
    """Tabulate Table 7 with re-scored r, slope and R2."""
    ours = _by_system(record, "U")
    rows, compared = [], []
    for name in paper.scores("U"):
        found, published = ours.get(name), paper.published("table7", name, "Pearson r")
        row = {"Encoder": name, "r published": published, "r re-scored": NONE, "Difference": NONE}
        if found:
            cell = _compared(name, "Pearson r", published, found["scores"]["r"])
            compared.append(cell)
            row |= {"r re-scored": cell.computed, "Difference": signed(cell.difference or 0.0)}
        row |= ends("r", found["intervals"]["r"] if found else None)
        row |= {"Slope": to_digits(found["scores"]["slope"], 6) if found else NONE}
        rows.append(row | {"R2": to_digits(found["scores"]["r2"], 4) if found else NONE})
    pairs, usage = next(iter(ours.values()))["pairs"], record["usage"]
    caption = (
        f"Table 7: correlation of usage distance and embedding distance (U), published and re-scored from the "
        f"authors' distances of {pairs:,} of {usage['test pairs']:,} test pairs, those whose classes have "
        "documentation; low and high bound a 95 % interval over resampled pairs."
    )
    return Table("table7", caption, pd.DataFrame(rows), tuple(compared), "equal the published ones")


def table8(paper: Material) -> Table:
    """Tabulate Table 8 beside what Tables 3 to 7 have of the same encoders."""
    columns = ("R: MRR", "R: NDCG", "F", "L", "H", "U")
    rows = [
        {"Encoder": name} | {column: paper.published("table8", name, column) for column in columns}
        for name in paper.multitask(columns[0])
    ]
    places = [(*TASKS[task], column) for task, column in TABLE8.items()] + [("table3", "NDCG", columns[1])]
    compared = [cell for table, column, other in places for cell in _in_table8(paper, table, {column: other})]
    caption = "Table 8: multi-task training as published, compared with the same numbers in Tables 3 to 7."
    return Table("table8", caption, pd.DataFrame(rows), tuple(compared), "agree with those of Tables 3 to 7")


def rankings(record: Rescored) -> Table:
    """Rank the re-scored encoders of L by t, gap, effect size and AUC."""
    ours = _by_system(record, "L")
    ranks = {key: mean_ranks([-found["scores"][key] for found in ours.values()]) for key in _SCORES}
    rows = []
    for place, (name, found) in enumerate(ours.items()):
        row = {"Encoder": name}
        for key, title in _SCORES.items():
            row[title] = to_digits(found["scores"][key], 2 if key == "t" else 4)
            row[f"Rank by {title}"] = f"{ranks[key][place]:g}"
        rows.append(row)
    apart = sum(len({row[f"Rank by {title}"] for title in _SCORES.values()}) > 1 for row in rows)
    caption = (
        f"Linked posts: encoders ranked by t, as the paper does, and by gap, effect size and AUC. "
        f"{apart or 'None'} of {len(rows)} encoders have another rank by one of them."
    )
    return Table("rankings", caption, pd.DataFrame(rows))


def related(paper: Material) -> Table:
    """Tabulate the authors' logs of related questions (figure 3)."""
    kinds = ("direct", "indirect", "duplicate", "isolated")
    names = dict.fromkeys(row for row, _ in paper.tables["related"])
    rows = []
    for name in names:
        means = {kind: paper.number("related", name, kind) for kind in kinds}
        row = {"Encoder": name} | {kind.capitalize(): to_digits(mean, 4) for kind, mean in means.items()}
        rows.append(row | {"Nearest to farthest": " < ".join(sorted(kinds, key=means.__getitem__))})
    pairs = paper.count("related", next(iter(names)), "Pairs")
    caption = (
        f"Related questions (figure 3): mean cosine distance of {pairs:,} pairs by class, from the authors' "
        "logs; their distances are not published."
    )
    return Table("related", caption, pd.DataFrame(rows))


def _in_table8(paper: Material, table: str, columns: Mapping[str, str]) -> Iterator[Compared]:
    """Compare the numbers of a table with those of Table 8: column -> its column of Table 8."""
    for column, other in columns.items():
        for name in paper.multitask(other):
            if paper.has(table, name):
                published = paper.published("table8", name, other)
                yield _compared(
                    name, column, published, paper.number(table, name, column), "another number in Table 8"
                )


def _by_system(record: Rescored, task: str) -> Mapping[str, RescoredRow]:
    return {row["system"]: row for row in record["rows"] if row["task"] == task}


def _compared(row: str, column: str, published: str, value: float, why: str = RUN) -> Compared:
    digits, equal = len(published.partition(".")[2]), agrees(value, published)
    off = value - float(published)
    return Compared(row, column, published, to_digits(value, digits), equal, off, "" if equal else why)


def _beside(found: RescoredRow | None) -> Mapping[str, str]:
    """Return effect size and AUC, which stand beside t, with the ends of their intervals."""
    shown: dict[str, str] = {}
    for name in ("effect", "auc"):
        shown[_SCORES[name]] = to_digits(found["scores"][name], 4) if found else NONE
        shown |= ends(_SCORES[name], found["intervals"][name] if found else None)
    return shown


def ends(title: str, bounds: Interval | None) -> Mapping[str, str]:
    """Return the ends of an interval; empty if there is none."""
    low, high = (to_digits(bounds["low"], 4), to_digits(bounds["high"], 4)) if bounds else (NONE, NONE)
    return {f"{title} low": low, f"{title} high": high}
