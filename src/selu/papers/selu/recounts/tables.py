"""Tables of the authors' counts: rows left out, versions, classes, pairs, FastText beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import groupby
from statistics import median

from selu.papers.selu.formats import frame
from selu.papers.selu.recounts.pairs import ALIKE, DIFFERENT, OPEN
from selu.papers.selu.recounts.view import BASELINE, LEVEL, View, cell_name, label_of
from selu.papers.selu.words import EMPTY
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits

SHIFTS = 3  # cells of a matrix that are shown of a task


def left_out(view: View) -> Table:
    """Tabulate the published scores whose file counts other rows than most files of the task."""
    rows = [
        {
            "Task": row.task,
            "System": view.material.system(row.system).name,
            "Counts": "spans" if row.spans else "rows",
            "In the file": f"{row.counted:,}",
            "In most files": f"{row.expected:,}",
            "Score": EMPTY if row.score is None else to_digits(row.score, 4),
            "Score if they are wrong": EMPTY if row.as_wrong is None else to_digits(row.as_wrong, 4),
        }
        for row in view.left_out
    ]
    caption = (
        "Published scores whose result file counts another number than most files of the task. Spans of "
        "entities depend on how a model cuts texts into tokens. The last column adds rows that are left out, "
        "at most 1 % of them, as wrong answers."
    )
    return Table("counts_left_out", caption, frame(rows))


def versions(view: View) -> Table:
    """Tabulate both trainings of those that were run again, beside the published score."""
    which = {(True, False): "first", (False, True): "second", (True, True): "both", (False, False): "neither"}
    rows = [
        {
            "Task": row.task,
            "System": view.material.system(row.system).name,
            "First": to_digits(row.first),
            "Second": to_digits(row.second),
            "Second minus first": signed(row.difference, 3),
            "Published": row.published,
            "Published is the": which[row.reads],
            "First gives one answer": "yes" if row.constant[0] else "no",
        }
        for row in view.twice
    ]
    caption = "Trainings of which the authors' package holds two versions, scored from their counts."
    return Table("counts_versions", caption, frame(rows))


def epochs(view: View) -> Table:
    """Tabulate by task after how many epochs trainings ended, and which the paper's settings don't allow."""
    rows = []
    for task, group in groupby(view.lengths, key=lambda row: row.task):
        found = list(group)
        ran = [row.epoch for row in found]
        odd = [f"{view.material.system(row.system).name} {row.epoch:.1f}" for row in found if not row.allowed]
        rows.append(
            {
                "Task": task,
                "Trainings": str(len(found)),
                "Most epochs": f"{view.limits[task].epochs:g}",
                "Earliest end": f"{min(ran):.1f}",
                "Median": f"{median(ran):.1f}",
                "To the last epoch": str(sum(row.last for row in found)),
                "Not allowed": ", ".join(odd) or "none",
            }
        )
    caption = (
        "Epoch after which the authors' trainings ended, by their result files. Not allowed: earlier than "
        "early stopping can end a training, or between two evaluations."
    )
    return Table("counts_epochs", caption, frame(rows))


def one_answer(view: View) -> Table:
    """Tabulate the published scores of systems that give all rows one answer."""
    paper = view.material
    rows = [
        {
            "Task": row.task,
            "System": paper.system(row.system).name,
            "Answer to all rows": EMPTY if row.label is None else label_of(paper, row.task, row.label),
            "Score": to_digits(row.score),
        }
        for row in view.one_answer
    ]
    caption = (
        "Published scores of systems that give all rows of a task one class, or no right label (a dash: "
        "which labels they give is not known)."
    )
    return Table("counts_one_answer", caption, frame(rows))


def dead(view: View) -> Table:
    """Tabulate the classes that systems never answer, by class."""
    paper = view.material
    scored = Counter(row.task for row in view.per_class if row.label == 0)
    counted = Counter((row.task, row.label) for row in view.dead)
    support = {(row.task, row.label): row.support for row in view.shares}
    rows = [
        {
            "Task": task,
            "Class": label_of(paper, task, label),
            "Test rows": f"{support[task, label]:,}",
            "Systems": str(count),
            "Of": str(scored[task]),
        }
        for (task, label), count in sorted(counted.items(), key=lambda pair: -pair[1])
    ]
    caption = (
        "Classes that a system never answers (labels that it never gives correctly), and how many systems. "
        "Systems that give all rows one answer are left out. Test rows of named entities are spans."
    )
    return Table("counts_dead", caption, frame(rows))


def per_class(view: View) -> Table:
    """Tabulate F1 of each class by system: a column for each, in the paper's order."""
    paper = view.material
    found = {(row.task, row.label, row.system): row.f1 for row in view.per_class}
    names = {system.id: system.name for system in paper.systems}
    rows = []
    for share in view.shares:
        row = {
            "Task": share.task,
            "Class": label_of(paper, share.task, share.label),
            "Test rows": f"{share.support:,}",
        }
        for system, name in names.items():
            f1 = found.get((share.task, share.label, system))
            row[name] = EMPTY if f1 is None else to_digits(f1)
        rows.append(row)
    caption = "F1 of each class, from the authors' counts. A dash: no score, or no counts."
    return Table("counts_per_class", caption, frame(rows))


def shares(view: View) -> Table:
    """Tabulate what each class has to do with the differences between systems."""
    paper = view.material
    best: dict[tuple[str, int], tuple[str, float]] = {}
    for row in view.per_class:
        if row.f1 > best.get((row.task, row.label), ("", -1.0))[1]:
            best[row.task, row.label] = (paper.system(row.system).name, row.f1)
    rows = [
        {
            "Task": row.task,
            "Class": label_of(paper, row.task, row.label),
            "Test rows": f"{row.support:,}",
            "Share of rows, %": f"{100 * row.rows:.1f}",
            "Share of the differences, %": f"{100 * row.share:.1f}",
            "Lowest F1": to_digits(row.lowest),
            "Median F1": to_digits(row.median),
            "Highest F1": to_digits(row.highest),
            "Best": best[row.task, row.label][0],
        }
        for row in view.shares
    ]
    caption = (
        "Each class's part in the variance of the systems' macro F1 (its covariance with it, over the number "
        "of classes; a task's shares sum to 100 %), beside its share of rows, and the range of its F1."
    )
    return Table("counts_shares", caption, frame(rows))


def pairs(view: View) -> Table:
    """Tabulate by task how many pairs of systems McNemar's test decides, whichever rows they have right."""
    rows = []
    for task, group in groupby(view.bounds, key=lambda row: row.task):
        found = Counter(row.outcome(LEVEL) for row in group)
        rows.append(
            {
                "Task": task,
                "Pairs": f"{found.total():,}",
                "Differ": str(found[DIFFERENT]),
                "Not told apart": str(found[ALIKE]),
                "Open": str(found[OPEN]),
            }
        )
    caption = (
        f"McNemar's exact test of the share of right answers, at {LEVEL:g}, on each two systems that count the "
        "same rows. Matrices bound the rows that only one of the two has right. Open: only the rows can decide."
    )
    return Table("counts_pairs", caption, frame(rows))


def leaders(view: View) -> Table:
    """Tabulate for each task what the matrices say of the two systems with the highest published scores."""
    paper = view.material
    rows = [
        {
            "Task": row.task,
            "First": f"{paper.system(row.first).name} ({to_digits(paper.scores[row.first][row.task])})",
            "Second": f"{paper.system(row.second).name} ({to_digits(paper.scores[row.second][row.task])})",
            "Rows one alone has right": f"{row.fewest:,} to {row.most:,}",
            "p, lowest": _p(row.p_low),
            "p, highest": _p(row.p_high),
            "McNemar's test": row.outcome(LEVEL),
        }
        for row in view.leaders
    ]
    caption = "The two systems with the highest published scores, and the bounds of McNemar's test on them."
    return Table("counts_leaders", caption, frame(rows))


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else to_digits(value)


def baseline(view: View) -> Table:
    """Tabulate the cells in which FastText's matrices differ most from ours, where the scores differ."""
    rows = []
    for task, group in groupby(view.parts, key=lambda part: part.task):
        if task not in view.differ:
            continue
        largest = sorted(group, key=lambda part: -abs(part.shift))[:SHIFTS]
        rows += [
            {
                "Task": task,
                "Test rows": " and ".join(f"{number:,}" for number in dict.fromkeys(part.totals)),
                "Rows": cell_name(view.material, part),
                "Authors": f"{part.theirs:,}",
                "Ours": f"{part.ours:,}",
                "Shift, % of rows": signed(100 * part.shift, 1),
            }
            for part in largest
        ]
    caption = (
        f"{view.material.system(BASELINE).name}, the authors' counts and those of our run by their procedure: "
        f"the {SHIFTS} counts of a task that differ most as shares of the test rows, where the score differs."
    )
    columns = ("Task", "Test rows", "Rows", "Authors", "Ours", "Shift, % of rows")  # without runs of one's own
    return Table("counts_fasttext", caption, frame(rows, columns))


def widths(view: View) -> Table:
    """Tabulate how wide intervals with independent labels are beside those of resampled rows."""
    rows = []
    for task, group in groupby(sorted(view.widths, key=lambda row: row.task), key=lambda row: row.task):
        ratios = sorted(row.ratio for row in group)
        rows.append(
            {
                "Task": task,
                "Labels": str(len(view.material.task(task).labels)),
                "Runs": str(len(ratios)),
                "Narrowest": f"{ratios[0]:.2f}",
                "Median": f"{median(ratios):.2f}",
                "Widest": f"{ratios[-1]:.2f}",
            }
        )
    caption = (
        "Intervals of macro F1 of our multi-label runs: width with labels taken as independent, divided by the "
        "width from resampled rows."
    )
    columns = ("Task", "Labels", "Runs", "Narrowest", "Median", "Widest")  # without runs of one's own
    return Table("counts_widths", caption, frame(rows, columns))


SHOWN: tuple[Callable[[View], Table], ...] = (
    left_out, versions, epochs, one_answer, dead, per_class, shares, pairs, leaders, baseline, widths,
)  # fmt: skip
