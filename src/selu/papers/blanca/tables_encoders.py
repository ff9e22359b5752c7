"""Encoders that are run here, in one table with the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from selu.papers.blanca.encoders import FORUM, HIERARCHY, RELATED, USAGE
from selu.papers.blanca.material import TASKS, Material
from selu.papers.blanca.records import EncoderRun, Gain, Rescored, RescoredRow
from selu.papers.blanca.tables import ends
from selu.papers.table import Table
from selu.stats.rounding import to_digits

NONE = ""
HERE = "run here"
APART = "Only encoders with the same pairs are ranked with one another."
CLASSES = ("direct", "indirect", "duplicate", "isolated")
_WHERE = {
    USAGE: "Class usage",
    FORUM: "Forum posts",
    RELATED: "Related questions",
    HIERARCHY: "Class hierarchy",
}
_SCORES = {"r": "r", "auc": "AUC"}
_Row = tuple[float, Mapping[str, str]]  # the score that ranks it, and what is shown


def usage(paper: Material, rescored: Rescored, runs: Sequence[EncoderRun]) -> Table:
    """Tabulate U: the encoders of Table 7 and those that are run here, by falling r."""
    theirs = {row["system"]: row for row in rescored["rows"] if row["task"] == "U"}
    rows = _correlated(paper, "U", theirs) + _correlated_here(runs, USAGE)
    caption = (
        "Class usage (U): Pearson's r of usage distance and embedding distance, of the published encoders and "
        "of those run here. Low and high bound a 95 % interval over resampled pairs; of published encoders it "
        "is that of the authors' distances, where they are published. Our pairs are theirs, except 80 with "
        "empty documentation."
    )
    return Table("encoders_usage", caption, _ranked(rows))


def hierarchy(paper: Material, runs: Sequence[EncoderRun]) -> Table:
    """Tabulate H: Table 6, and encoders that are run here on the classes of an installed package."""
    rows = _correlated(paper, "H", {}) + _correlated_here(runs, HIERARCHY)
    caption = (
        "Class hierarchy (H): Pearson's r of class distance and embedding distance. The paper's pairs are not "
        "public: encoders are run here on the classes of one installed package, as its record of data says. "
        f"{APART}"
    )
    return Table("encoders_hierarchy", caption, _ranked_apart(rows))


def forum(rescored: Rescored, runs: Sequence[EncoderRun]) -> Table:
    """Tabulate F: encoders whose distances are published and those that are run here, by falling AUC."""
    theirs = [row for row in rescored["rows"] if row["task"] == "F"]
    rows = [_separated(found, found["system"], "authors' distances") for found in theirs]
    rows += [_separated(run, run["name"], HERE) for run in runs if run["task"] == FORUM]
    caption = (
        "Forum posts and classes (F): how well distances tell related pairs from others. The pairs are not "
        "the same: the authors' distances are of an earlier test set, and ours of the pairs whose texts are "
        f"public. {APART} Low and high bound a 95 % interval over resampled pairs; t grows with their number."
    )
    return Table("encoders_forum", caption, _ranked_apart(rows))


def related(paper: Material, runs: Sequence[EncoderRun]) -> Table:
    """Tabulate related questions: mean distances by class, logged and of those that are run here."""
    rows = []
    for name in dict.fromkeys(row for row, _ in paper.tables["related"]):
        means = {kind: paper.number("related", name, kind) for kind in CLASSES}
        row = {"Encoder": name, "From": "authors' log", **_means(means)}
        row |= {"AUC": NONE, **ends("AUC", None), "Pairs": f"{paper.count('related', name, 'Pairs'):,}"}
        rows.append((means["isolated"] - means["direct"], row))
    for run in (run for run in runs if run["task"] == RELATED):
        means = {kind: run["scores"][f"mean_{kind}"] for kind in CLASSES}
        row = {"Encoder": run["name"], "From": HERE, **_means(means)}
        row |= {"AUC": to_digits(run["scores"]["auc_direct"], 4)}
        row |= {**ends("AUC", run["intervals"]["auc_direct"]), "Pairs": f"{run['pairs']:,}"}
        rows.append((means["isolated"] - means["direct"], row))
    caption = (
        "Related questions: mean cosine distance by class, and how much farther isolated pairs are than direct "
        "ones (gap). AUC is the probability that a direct pair is nearer than an isolated one, with its 95 % "
        f"interval. Our pairs are the test part of a public sample. {APART}"
    )
    return Table("encoders_related", caption, _ranked_apart(rows))


def cost(runs: Sequence[EncoderRun]) -> Table:
    """Tabulate the cost of encoders: seconds per 1,000 texts of each task, and memory."""
    rows: dict[str, dict[str, str]] = {}
    for run in runs:
        row = rows.setdefault(run["system"], {"Encoder": run["name"]} | dict.fromkeys(_WHERE.values(), NONE))
        seconds = run["seconds_per_1000_texts"]
        row[_WHERE[run["task"]]] = NONE if seconds is None else to_digits(seconds, 2)
        memory = max(run["peak_memory_bytes"] / 2**20, float(row.get("Memory, MiB", "0").replace(",", "")))
        row["Memory, MiB"] = f"{memory:,.0f}"
    caption = (
        "Seconds that encoders take for 1,000 texts of each task on the CPU of the run, and the largest memory "
        "of one."
    )
    timed = [row for row in rows.values() if any(row[name] for name in _WHERE.values())]
    return Table("encoders_cost", caption, pd.DataFrame(timed, dtype=object))


def tuned(gains: Sequence[Gain]) -> Table:
    """Tabulate the effect of tuning: a row for each training and task."""
    rows = []
    for gain in gains:
        bounds, apart = gain["interval"], gain["without_near_copies"]
        rows.append(
            {
                "Encoder": gain["name"],
                "Task": _WHERE[gain["task"]],
                "Steps": str(gain["steps"]),
                "Pairs seen": f"{gain['steps'] * gain['batch']:,}",
                "Score": _SCORES[gain["score"]],
                "Frozen": to_digits(gain["frozen"], 4),
                "Tuned": to_digits(gain["tuned"], 4),
                "Difference": to_digits(gain["difference"], 4),
                "Low": to_digits(bounds["low"], 4),
                "High": to_digits(bounds["high"], 4),
                "Test pairs": f"{gain['pairs']:,}",
                "Difference, no near copies": to_digits(apart["difference"], 4),
                "Low, no near copies": to_digits(apart["interval"]["low"], 4),
                "High, no near copies": to_digits(apart["interval"]["high"], 4),
                "Pairs, no near copies": f"{apart['pairs']:,}",
                "CPU minutes": to_digits(gain["cpu_seconds"] / 60, 1),
            }
        )
    first = gains[0]
    caption = (
        "Effect of tuning: MiniLM-L6 tuned on train pairs by the authors' losses, minus the same encoder "
        f"frozen, on the same test pairs. Training is short: batches of {first['batch']} pairs, texts cut at "
        f"{first['tokens']} tokens, learning rate {first['rate']:g}; the paper trains for ten epochs. Low and "
        "high bound a 95 % interval of the difference over resampled pairs. Pairs of class usage and class "
        "hierarchy are divided at random, as in the paper, so that test pairs share classes with train pairs; "
        "the last columns leave out test pairs with a near copy among these."
    )
    return Table("encoders_tuned", caption, pd.DataFrame(rows, dtype=object))


def _correlated(paper: Material, task: str, rescored: Mapping[str, RescoredRow]) -> list[_Row]:
    """Return the published encoders of U or H, with the interval of the authors' distances where these are."""
    table, column = TASKS[task]
    return [
        (
            r,
            _r_row(
                name, table.replace("table", "Table "), paper.published(table, name, column), rescored.get(name)
            ),
        )
        for name, r in paper.scores(task).items()
    ]


def _correlated_here(runs: Sequence[EncoderRun], task: str) -> list[_Row]:
    return [
        (run["scores"]["r"], _r_row(run["name"], HERE, to_digits(run["scores"]["r"], 4), run))
        for run in runs
        if run["task"] == task
    ]


def _r_row(name: str, source: str, r: str, found: RescoredRow | EncoderRun | None) -> Mapping[str, str]:
    bounds, pairs = (found["intervals"]["r"], f"{found['pairs']:,}") if found else (None, NONE)
    return {"Encoder": name, "From": source, "r": r, **ends("r", bounds), "Pairs": pairs}


def _separated(found: RescoredRow | EncoderRun, name: str, source: str) -> _Row:
    row = {"Encoder": name, "From": source}
    for score, title in (("auc", "AUC"), ("effect", "Effect size")):
        row |= {title: to_digits(found["scores"][score], 4), **ends(title, found["intervals"][score])}
    scores = found["scores"]
    return scores["auc"], {**row, "t": to_digits(scores["t"], 2), "Pairs": f"{found['pairs']:,}"}


def _means(means: Mapping[str, float]) -> Mapping[str, str]:
    shown = {kind.capitalize(): to_digits(mean, 4) for kind, mean in means.items()}
    return shown | {"Gap": to_digits(means["isolated"] - means["direct"], 4)}


def _ranked_apart(rows: Sequence[_Row]) -> pd.DataFrame:
    """Rank the rows of each source by themselves, and put one source below the other."""
    sources = dict.fromkeys(row["From"] for _, row in rows)
    return pd.concat([_ranked([row for row in rows if row[1]["From"] == source]) for source in sources])


def _ranked(rows: Sequence[_Row]) -> pd.DataFrame:
    """Order rows by falling score, and number them."""
    ordered = sorted(rows, key=lambda row: -row[0])
    return pd.DataFrame([{"Rank": str(rank), **row} for rank, (_, row) in enumerate(ordered, start=1)])
