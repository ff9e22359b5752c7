"""Tables of a fine-tuned system outside the paper: its scores beside published ones and re-runs.

It enters no rank and no average of the paper. All scores are on Table VI's scale, where higher is better:
story_points is 1 - SMAPE.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selu.names import PROTOCOLS, word
from selu.papers.selu.formats import count, frame, number, span
from selu.papers.selu.material import Material
from selu.papers.selu.records.finetuned import FinetunedCell, TrainedRun
from selu.papers.selu.records.reruns import PARTS, ComparisonBeside, Part, RerunCell
from selu.papers.selu.reruns.cells import NO_DATA, PRESENT, planned, side
from selu.papers.selu.tables import baselines
from selu.papers.selu.tables.baselines import DIRECTION, difference, task_of
from selu.papers.selu.words import EMPTY
from selu.papers.table import Table, in_words, signed
from selu.vocabulary import WHOLE, Approach, CellState

TREES = "tfidf-xgboost"
decided = baselines.decided
PROTOCOL, DUPLICATES, BESIDE = "paper minus strict", "duplicates across the split", "minus a baseline, strict"


def prefix(cells: Sequence[FinetunedCell]) -> str:
    """Return what the names of a system's tables begin with."""
    return str(cells[0]["system"]).partition("-")[0] if cells else "finetuned"


def run_under(cells: Sequence[FinetunedCell]) -> list[Part]:
    """List the protocols under which a system was run, validation-selected first."""
    return [part for part in PARTS if any(cell[part]["runs"] for cell in cells)]


def counted(cells: Sequence[FinetunedCell]) -> str:
    """State in a few sentences how many tasks and runs are present, and which are not."""
    real = planned(cells)
    runs = [run for cell in real for part in PARTS for run in cell[part]["runs"]]
    whole = [cell for cell in real if cell["state"] == PRESENT]
    text = f"{_there(runs)} of {len(runs)} planned runs are done; "
    text += f"{len(whole)} of {len(real)} tasks with data here have all their runs."
    incomplete = [cell["task"] for cell in real if cell["state"] != PRESENT]
    synthetic = [cell["task"] for cell in cells if cell["state"] == NO_DATA]
    absent = [cell["task"] for cell in cells if cell["state"] == CellState.ABSENT_BY_DESIGN]
    for what, names in (
        ("Runs are missing on", incomplete),
        ("Left out, since their data here are stand-in data", synthetic),
        ("Absent by design", absent),
    ):
        if names:
            text += f" {what}: {', '.join(map(word, names))}."
    return text


def scores(cells: Sequence[FinetunedCell]) -> Table:
    """Tabulate each protocol: mean over the seeds, the seeds' range, and the range of their intervals."""
    rows, parts = [], run_under(cells)
    for cell in planned(cells):
        row = {"Task": task_of(cell), "Metric": cell["metric"]}
        for part in parts:
            found, name = cell[part], PROTOCOLS[part].capitalize()
            row |= {
                name: number(found["value"]),
                f"{name}, seeds": span(found["lowest"], found["highest"], 4),
                f"{name}, 95 %": span(found["low"], found["high"]),
            }
        rows.append({**row, "Test rows": _rows(cell), "Runs": _availability_runs(cell)})
    caption = (
        "Run here from raw bytes; not in the paper. Mean over the seeds, the lowest and the highest seed, "
        "and the range from the lowest to the highest bound of the seeds' 95 % intervals over test rows. "
        "Validation-selected picks its checkpoint on validation rows"
        + (", the authors' procedure on the test rows" if "paper" in parts else "")
        + ". No mean without every seed; a run that collapsed to one answer counts in it and is named. "
        f"{DIRECTION}"
    )
    return Table(prefix(cells), caption, frame(rows))


def beside(paper: Material, cells: Sequence[FinetunedCell], baselines: Sequence[RerunCell]) -> Table:
    """Tabulate the same scores beside the baselines' reruns and what the paper prints of its own systems.

    Args:
        baselines: entries of cells.json.
    """
    known = {(cell["task"], cell["system"]): cell for cell in baselines}
    rows = []
    for cell in planned(cells):
        row = {
            "Task": task_of(cell),
            f"{cell['name']}, {PROTOCOLS['strict']}": number(cell["strict"]["value"]),
            f"{cell['name']}, {PROTOCOLS['paper']}": number(cell["paper"]["value"]),
        }
        for system in paper.names(approach=Approach.BASELINE):
            entry, name = known.get((cell["task"], system)), paper.system(system).name
            strict = entry["strict"] if entry else None
            row[f"{name}, {PROTOCOLS['strict']}"] = number(strict["value"] if strict else None)
            row[f"{name}, {PROTOCOLS['paper']}"] = number(entry["value"] if entry else None)
        rows.append(row | _published(paper, cell["task"]))
    caption = (
        "Left: run here, mean over the seeds; on part of the rows where the task says so. Right: published in "
        f"Table VI, on all rows, over the paper's own {len(paper.systems)} systems, among which the left "
        "ones take "
        "no rank; the authors picked on test rows. "
        f"{DIRECTION}"
    )
    return Table("minilm_beside", caption, frame(rows))


def _published(paper: Material, task: str) -> dict[str, str]:
    """Return the best and median published score of a task, by approach."""
    texts = {}
    for kind, approach in (("fine-tuned", Approach.FINETUNED), ("prompted", Approach.PROMPTED)):
        column = paper.scores.loc[task, paper.names(approach=approach)].dropna()
        best = EMPTY
        if len(column):
            names = [paper.system(str(name)).name for name, score in column.items() if score == column.max()]
            best = f"{column.max():.3f} ({', '.join(names)})"
        texts[f"Best {kind}"] = best
        texts[f"Median {kind}"] = f"{column.median():.3f}" if len(column) else EMPTY
    return texts


def against(
    paper: Material,
    cells: Sequence[FinetunedCell],
    comparisons: Sequence[ComparisonBeside],
    system: str = TREES,
) -> Table:
    """Tabulate strict minus a baseline's strict, with paired intervals over the same resampled test rows."""
    rows, name = [], paper.system(system).name
    for entry in _entries(comparisons, BESIDE, system):
        mine = next(cell for cell in cells if cell["task"] == entry["task"])["strict"]["value"]
        rows.append(
            {
                "Task": task_of(entry),
                "Ours": number(mine),
                name: number(None if mine is None else mine - entry["value"]),
                "Difference": signed(entry["value"]),
                "95 % interval": f"{signed(entry['low'])} to {signed(entry['high'])}",
                "Reads as": _reading(entry),
            }
        )
    caption = (
        f"Ours against {name}, both validation-selected, on the same test rows: means over the seeds, with "
        f"paired intervals. {name} learns again on train and validation rows together after picking; the "
        f"network learns on the train rows alone. {DIRECTION}"
    )
    return Table(f"minilm_against_{system}", caption, frame(rows))


def won(paper: Material, comparisons: Sequence[ComparisonBeside], system: str = TREES) -> str:
    """State in a sentence on which tasks strict is above a baseline's strict."""
    entries = _entries(comparisons, BESIDE, system)
    full = [entry for entry in entries if entry["standing"] in WHOLE]
    above = [entry for entry in full if entry["value"] > 0]
    clear = [entry["task"] for entry in above if side(entry) > 0]
    below = [entry["task"] for entry in full if entry["value"] <= 0]
    by_f1 = sum(entry["metric"] == "f1_macro" for entry in above)
    text = (
        f"Validation-selected, it is above {paper.system(system).name} on {len(above)} of the {len(full)} "
        "tasks "
        f"with all of the paper's rows where both are there ({by_f1} of them by macro F1)"
    )
    text += f": {', '.join(word(entry['task']) for entry in above)}" if above else ""
    text += f"; on {len(clear) or 'none'} of them with the whole interval"
    text += f" ({', '.join(map(word, clear))})" if clear else ""
    text += f". Not above: {', '.join(map(word, below)) or 'none'}."
    part = [f"{in_words(task_of(entry))} {signed(entry['value'])}" for entry in entries if entry not in full]
    return text + (f" On part of the rows: {', '.join(part)}." if part else "")


def differences(comparisons: Iterable[ComparisonBeside], what: str, name: str, caption: str) -> Table:
    """Tabulate one kind of comparison, in the form in which the baselines' are shown.

    Args:
        what: ``what`` of comparisons_finetuned.json.
        name, caption: of the table.
    """
    rows = _differences(comparisons, what)
    return Table(name, f"{caption} {DIRECTION if rows else 'None could be computed.'}", frame(rows))


def _differences(comparisons: Iterable[ComparisonBeside], what: str) -> list[dict[str, str]]:
    return [
        {"Task": task_of(entry), **difference(entry), "Reads as": _reading(entry)}
        for entry in _entries(comparisons, what)
    ]


def protocols(cells: Sequence[FinetunedCell], comparisons: Sequence[ComparisonBeside]) -> Table:
    """Tabulate paper minus strict; token tasks, which differ in the rows scored, have no paired interval."""
    rows, paired = (
        _differences(comparisons, PROTOCOL),
        {entry["task"] for entry in _entries(comparisons, PROTOCOL)},
    )
    caption = (
        "Authors' procedure minus validation-selected on the same resampled test rows, means over the seeds; "
        "above 0, the authors' procedure gives more. Of token tasks the difference has no interval. "
        f"{DIRECTION if rows else 'None could be computed.'}"
    )
    rows += [
        dict.fromkeys(rows[0] if rows else (), EMPTY)
        | {"Task": task_of(cell), "Difference": _minus(cell["paper"]["value"], cell["strict"]["value"])}
        | {"Seeds": str(len(cell["paper"]["runs"])), "Test rows": _rows(cell)}
        for cell in planned(cells)
        if cell["state"] == PRESENT and cell["task"] not in paired
    ]
    return Table("minilm_protocols", caption, frame(rows))


def _entries(
    comparisons: Iterable[ComparisonBeside], what: str, beside: str | None = None
) -> list[ComparisonBeside]:
    return [entry for entry in comparisons if entry["what"] == what and beside in (None, entry["beside"])]


def _reading(entry: ComparisonBeside) -> str:
    return ("interval holds 0", "above 0", "below 0")[side(entry)]


def _minus(first: float | None, second: float | None) -> str:
    return EMPTY if first is None or second is None else signed(first - second)


def _rows(cell: FinetunedCell) -> str:
    found = [run["rows"] for part in PARTS for run in cell[part]["runs"] if "rows" in run]
    return count(found[0] if found else None)


def _availability_runs(cell: FinetunedCell) -> str:
    runs = {part: cell[part]["runs"] for part in run_under([cell])}
    collapsed = [run for group in runs.values() for run in group if run.get("collapsed")]
    text = "all"
    if cell["state"] != PRESENT:
        text = ", ".join(f"{PROTOCOLS[part]} {_there(group)} of {len(group)}" for part, group in runs.items())
    names = ", ".join(run["name"].rpartition("/")[2] for run in collapsed)
    return f"{text}; collapsed: {names}" if names else text


def _there(runs: Iterable[TrainedRun]) -> int:
    return sum(run["state"] == PRESENT for run in runs)
