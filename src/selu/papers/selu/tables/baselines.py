"""Tables of re-runs: both baselines beside published scores; effects of protocol, duplicates and libraries.

All scores are on Table VI's scale, where higher is better: story_points is 1 - SMAPE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from selu.names import DATA, word
from selu.papers.selu.formats import DIGITS, frame, number, published, span
from selu.papers.selu.material import Material
from selu.papers.selu.records.reruns import (
    ClaimRerun,
    Comparison,
    OnRows,
    RerunCell,
    ScoredCell,
    VerdictAnew,
    scored,
)
from selu.papers.selu.reruns.cells import equal_digits, mean, side
from selu.papers.selu.words import EMPTY
from selu.papers.table import Compared, Table, in_words, signed
from selu.stats.rounding import to_digits
from selu.vocabulary import WHOLE, Approach, CellState, CellVerdict, Evidence

DIRECTION = "All scores are Table VI's, where higher is better (story points: 1 - SMAPE)."


def rerun(paper: Material, cells: Sequence[RerunCell]) -> Table:
    """Tabulate two columns of Table VI beside their re-runs."""
    rows, compared = [], []
    for cell in baselines(paper, cells):
        if scored(cell):
            compared.append(_compared(cell, "Re-run"))
        rows.append(
            {
                "Task": task_of(cell),
                "System": cell["name"],
                "Published": published(cell["printed"]),
                "Re-run": number(cell["value"]),
                "Range": span(cell["low"], cell["high"]),
                "Verdict": word(cell["verdict"]) if cell["verdict"] else EMPTY,
                "Equal digits": _digits(cell),
                "Evidence": word(str(cell["evidence"])),
                "Validation-selected": number(cell["strict"]["value"] if cell["strict"] else None),
                "Current libraries": number(cell["current"]["value"] if cell["current"] else None),
                "State": cell["state"],
            }
        )
    caption = (
        "Both baselines re-run from raw bytes by the authors' procedure with their libraries, mean over "
        "seeds, and the range from the lowest to the highest bound of the seeds' 95 % intervals over test "
        "rows. Verdict: equal at three digits, within noise where the published number lies in this range, "
        "differs otherwise. Equal digits: the most at which both round alike, all where no digit differs. "
        "Validation-selected: picked on validation rows. As in the authors' scripts, the trees of incivility "
        "and tone bearing are grown on squared error (only so incivility meets its published score), and in "
        f"the authors' procedure story points keeps the worst SMAPE of the grid. {DIRECTION}"
    )
    return Table("baselines", caption, frame(rows), tuple(compared), "are equal at three digits")


def means(paper: Material, cells: Sequence[RerunCell]) -> Table:
    """Tabulate means over the tasks whose rows are the paper's, print and reruns over the same tasks."""
    rows = []
    for system in paper.names(approach=Approach.BASELINE):
        mine = [cell for cell in baselines(paper, cells) if cell["system"] == system]
        whole = [c for c in mine if scored(c) and c["strict"] and c["standing"] in WHOLE]
        over = [cell["task"] for cell in whole]
        left = [cell["task"] for cell in mine if cell["task"] not in over]
        columns: dict[str, list[float]] = {
            "Published": [float(cell["printed"]) for cell in whole],
            "Re-run": [cell["value"] for cell in whole],
            "Validation-selected": [cell["strict"]["value"] for cell in whole if cell["strict"]],
            "Without duplicates": [_without_duplicates(cell) for cell in whole],
        }
        rows.append(
            {
                "System": paper.system(system).name,
                "Tasks": str(len(whole)),
                **{name: number(mean(values)) if values else EMPTY for name, values in columns.items()},
                "Over": ", ".join(map(word, over)) or EMPTY,
                "Left out": ", ".join(map(word, left)) or EMPTY,
            }
        )
    caption = (
        "Means over the tasks with all of the paper's rows and every run, the same tasks in each column. "
        f"Without duplicates: the test rows that the grouped split leaves. {DIRECTION}"
    )
    return Table("baselines_means", caption, frame(rows))


def seeds(paper: Material, cells: Sequence[RerunCell]) -> Table:
    """Tabulate what each seed gives, for cells with several."""
    chosen = [cell for cell in baselines(paper, cells) if len(cell["seeds"]) > 1]
    names = list(dict.fromkeys(seed["seed"] for cell in chosen for seed in cell["seeds"]))
    rows = []
    for cell in chosen:
        values = {seed["seed"]: seed["value"] for seed in cell["seeds"]}
        known = [value for value in values.values() if value is not None]
        spread = f"{max(known) - min(known):.4f}" if len(known) == len(names) else EMPTY
        shown = {f"Seed {name}": number(values.get(name)) for name in names}
        rows.append({"Task": task_of(cell), "System": cell["name"], **shown, "Spread": spread})
    caption = (
        f"The same score under each seed, by the authors' procedure. Spread: highest minus lowest. {DIRECTION}"
    )
    return Table("baselines_seeds", caption, frame(rows))


def differences(
    paper: Material, comparisons: Sequence[Comparison], what: str, name: str, caption: str
) -> Table:
    """Tabulate one kind of comparison: a difference with its interval per cell.

    Args:
        what: ``what`` of comparisons.json.
        name, caption: of the table.
    """
    rows = []
    for entry in comparisons:
        if entry["what"] != what:
            continue
        named = {"Task": task_of(entry), "System": paper.system(entry["system"]).name}
        rows.append({**named, **difference(entry), "Runs": _runs(entry)})
    return Table(name, f"{caption} {DIRECTION if rows else 'None could be computed.'}", frame(rows))


def difference(entry: Comparison) -> Mapping[str, str]:
    """Write a difference with its interval and the rows that it rests on, by column."""
    row = {
        "Difference": signed(entry["value"]),
        "95 % interval": f"{signed(entry['low'])} to {signed(entry['high'])}",
        "Error of the bounds": f"{abs(entry['error']):.4f}",
        "Seeds": str(entry["seeds"]),
        "Test rows": f"{entry['rows']:,}",
    }
    left = entry["rows_left"]
    return row if left is None else {**row, "Left": f"{left:,}"}


def decided(comparisons: Iterable[Comparison], what: str, systems: Mapping[str, str] | None = None) -> str:
    """State how many differences of a kind exclude 0, by task, and by system if named."""
    entries = [entry for entry in comparisons if entry["what"] == what]
    names = [word(e["task"]) + (f" ({systems[e['system']]})" if systems else "") for e in entries]
    above, below = (
        [name for name, e in zip(names, entries, strict=True) if side(e) == sign] for sign in (1, -1)
    )
    lie, their = ("lies", "its") if len(above) == 1 else ("lie", "their")
    text = f"Of {len(entries)} differences, {len(above) or 'none'} {lie} above 0 with {their} whole interval"
    text += f" ({', '.join(above)})" if above else ""
    return text + f" and {len(below) or 'none'} below" + (f" ({', '.join(below)})." if below else ".")


def cost(paper: Material, cells: Sequence[RerunCell]) -> Table:
    """Tabulate what a cell took: all fits of the grid, all seeds."""
    rows = []
    for cell in baselines(paper, cells):
        if cell["cost"] is None:
            continue
        spent = cell["cost"]
        rows.append(
            {
                "Task": task_of(cell),
                "System": cell["name"],
                "Fits": f"{spent['fits']:,}",
                "Seconds": f"{spent['seconds']:,.1f}",
                "CPU seconds": f"{spent['cpu_seconds']:,.1f}",
                "Joules": EMPTY if spent["joules"] is None else f"{spent['joules']:,.0f}",
            }
        )
    caption = (
        "Cost of each score by the authors' procedure: the fits' own seconds over the whole grid and all "
        "seeds. A dash: the machine's energy counter could not be read."
    )
    return Table("baselines_cost", caption, frame(rows))


def rescored(cells: Sequence[RerunCell]) -> Table:
    """Tabulate the authors' published predictions scored against labels read from the source."""
    rows, compared = [], []
    for cell in cells:
        if cell["evidence"] != Evidence.RE_SCORED or not scored(cell):
            continue
        compared.append(_compared(cell, "Re-scored"))
        rows.append(
            {
                "Task": task_of(cell),
                "System": cell["name"],
                "Published": published(cell["printed"]),
                "Re-scored": number(cell["value"]),
                "95 % interval": span(cell["low"], cell["high"]),
                "Verdict": word(cell["verdict"]),
                "Equal digits": _digits(cell),
            }
        )
    caption = (
        "Scores whose published predictions were scored again against labels from the source. Equal digits: "
        f"beside the authors' own report of that score. {DIRECTION}"
    )
    return Table("baselines_rescored", caption, frame(rows), tuple(compared), "are equal at three digits")


def absent(cells: Sequence[RerunCell]) -> Table:
    """Tabulate cells without a value of ours, by state and reason."""
    found: dict[tuple[str, str], list[RerunCell]] = {}
    for cell in cells:
        if cell["value"] is None:
            found.setdefault((cell["state"], cell["reason"] or EMPTY), []).append(cell)
    rows = [
        {
            "State": state,
            "Scores": str(len(group)),
            "Why": why,
            "Tasks": ", ".join(dict.fromkeys(in_words(task_of(cell)) for cell in group)),
            "Systems": ", ".join(dict.fromkeys(cell["name"] for cell in group)),
        }
        for (state, why), group in found.items()
    ]
    caption = "Scores that were neither re-run nor re-scored, and why; the paper's number is taken for them."
    return Table("baselines_absent", caption, frame(rows))


def claims(entries: Sequence[ClaimRerun]) -> Table:
    """Tabulate claims that read the baselines' scores, by re-run numbers."""
    rows = [
        {
            "Claim": entry["id"],
            "Verdict": word(entry["verdict"]),
            "With re-run values": _with(entry, entry["with_rerun"]),
            "With validation-selected values": _with(entry, entry["with_strict"]),
            "Baselines' scores it reads": ", ".join(
                f"{n} {_depth(depth)}" for depth, n in entry["evidence"].items()
            ),
        }
        for entry in entries
    ]
    caption = (
        "Claims whose finding follows the baselines' scores, checked again with re-run values (three digits, "
        "scores with all of the paper's rows) in place of the published ones. Published numbers alone: it "
        "compares numbers with each other."
    )
    return Table("baselines_claims", caption, frame(rows))


def counted(paper: Material, cells: Sequence[RerunCell]) -> str:
    """Summarize the re-runs of the ranked tasks in a sentence."""
    mine = baselines(paper, cells)
    there = [cell for cell in mine if cell["value"] is not None]
    whole = [cell for cell in there if cell["standing"] in WHOLE]
    shares = ", ".join(
        f"{sum(cell['verdict'] == each for cell in whole)} {_of_several(each)}" for each in CellVerdict
    )
    exact, partial = sum(cell["exact"] for cell in whole), len(there) - len(whole)
    constant = [f"{word(cell['task'])} ({cell['name']})" for cell in there if cell["constant"]]
    text = f"Of {len(mine)} scores {len(there)} are re-run, {partial} of them on part of the paper's rows. Of "
    text += f"the {len(whole)} others: {shares}; {exact} equal the authors' number to its last digit."
    return text + (f" The same answer to every row: {', '.join(constant)}." if constant else "")


def baselines(paper: Material, cells: Sequence[RerunCell]) -> list[RerunCell]:
    """Return the cells of the two baselines that the paper has, system by system in the order of the tasks."""
    systems = paper.names(approach=Approach.BASELINE)
    design = CellState.ABSENT_BY_DESIGN
    return [c for s in systems for c in cells if c["system"] == s and c["state"] != design]


def _depth(name: str) -> str:
    """Write how scores were checked; a name may say more behind the fixed word."""
    fixed, space, rest = name.partition(" ")
    return f"{word(fixed)}{space}{rest}"


def _of_several(verdict: CellVerdict) -> str:
    return "differ" if verdict is CellVerdict.DEVIATES else word(verdict)


def _compared(cell: ScoredCell, column: str) -> Compared:
    """Compare a score of ours with the published one, and give the reason where they differ."""
    equal, name = cell["verdict"] == CellVerdict.REPRODUCED, f"{cell['task']}: {cell['name']}"
    why = f"{word(cell['verdict'])}: {cell['reason']}" if cell["reason"] else word(cell["verdict"])
    text, difference = to_digits(cell["value"], DIGITS), cell["value"] - float(cell["printed"])
    return Compared(name, column, cell["printed"], text, equal, difference, "" if equal else why)


def _with(entry: ClaimRerun, found: VerdictAnew | None) -> str:
    if entry["of_print"]:
        return "published numbers alone"
    if found is None:
        return EMPTY
    if found["verdict"] != entry["verdict"]:
        return word(found["verdict"])
    return "same verdict" if found["changes"] else "same numbers"


def task_of(entry: OnRows) -> str:
    """Name the task, marked where its rows are not the paper's own set."""
    availability = entry["standing"]
    return entry["task"] if availability in (None, *WHOLE) else f"{entry['task']} ({DATA[availability]})"


def _runs(entry: Comparison) -> str:
    first, second = (
        " ... ".join(dict.fromkeys((runs[0], runs[-1]))) for runs in (entry["first"], entry["second"])
    )
    return first if first == second else f"{first} - {second}"


def _without_duplicates(cell: ScoredCell) -> float:
    grouped = cell["grouped"]
    value = grouped["value"] if grouped else None
    assert value is not None  # of a task with all of the paper's rows
    return value


def _digits(cell: RerunCell | ScoredCell) -> str:
    """Return to how many decimals ours equals the published number at full digits."""
    if cell["value"] is None or cell["published"] is None:
        return EMPTY
    digits = equal_digits(cell["value"], cell["published"])
    return "all" if digits is None else str(digits)
