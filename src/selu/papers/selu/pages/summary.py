"""The findings in Markdown: README shows the sentences, docs/RESULTS.md the tables; a test compares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from selu.papers.selu.material import Material
from selu.papers.selu.records.finetuned import FinetunedCell, ProtocolScore
from selu.papers.selu.records.reruns import RecountedCell, RerunCell
from selu.papers.selu.records.statistics import Sensitivity
from selu.papers.selu.tables import data as tables_data
from selu.papers.selu.tables import numbered as tables
from selu.papers.selu.tables.analysis import sensitivity_parts
from selu.papers.table import ROUNDING, Table, grid
from selu.report.verdicts import headline, verdicts_told
from selu.report.words import shown
from selu.vocabulary import WHOLE, CellState, CellVerdict, ClaimFound, Evidence, Verdict

PARTIAL = f"{Evidence.RE_RUN}, part of the rows"
TITLES = {
    "table1": "I, tasks",
    "table2": "II, sources and families",
    "table3": "III, models",
    "table4": "IV, ranking",
    "table5": "V, families and types",
    "table6": "VI, scores: where there is one",
    "table6_aggregates": "VI, aggregate rows",
}
_DERIVED = ("table4", "table5", "table6_aggregates")  # whose entries follow from scores of Table VI


def summary(
    paper: Material,
    claims: Sequence[ClaimFound],
    sensitivity: Sensitivity,
    records: tables_data.Records,
    reruns: Sequence[RerunCell],
    recounted: Sequence[RecountedCell],
) -> str:
    """Summarize the findings in a list of a few sentences; arguments as of ``details``."""
    found = {
        "Claims": _held(claims),
        "Published tables": _compare_tables(paper),
        "Scores": _checked(paper, reruns, recounted),
        "Ranking": _moved(sensitivity),
        "Data": _data(paper, records),
    }
    return "".join(f"- **{name}**: {sentence}.\n" for name, sentence in found.items())


def _compare_tables(paper: Material) -> str:
    """State how many entries of tables are equal to those that follow from others, and to our records."""
    compared = {name: getattr(tables, name)(paper) for name in TITLES}
    derived = [compared.pop(name) for name in _DERIVED]
    cells, equal = sum(table.cells for table in derived), sum(table.equal for table in derived)
    left = cells - equal
    rounded = sum(cell.why.startswith(ROUNDING) for table in derived for cell in table.mismatches)
    rest = f"{rounded} of the {left} others" if rounded < left else f"the other {left}"
    others = sum(table.cells for table in compared.values())
    agree = sum(table.equal for table in compared.values())
    return (
        f"of {cells:,} entries that follow from other published numbers (Tables IV and V, aggregate rows of "
        f"VI) {equal:,} are equal; {rest} are explained by rounding{_unrounded(paper, derived)}. Of {others:,} "
        f"entries on tasks, on systems and on where a score is, {agree:,} agree with our records"
    )


def _unrounded(paper: Material, compared: list[Table]) -> str:
    """State how many entries explained by rounding are equal by the scores before rounding."""
    off = [table for table in compared if any(cell.why.startswith(ROUNDING) for cell in table.mismatches)]
    if not off or paper.unrounded is None:
        return ""
    left = {(table.name, cell.row, cell.column) for table in off for cell in table.mismatches}
    for table in off:
        again = getattr(tables, table.name)(paper.unrounded)
        left -= {(table.name, cell.row, cell.column) for cell in again.compared if cell.equal}
    before = sum(len(table.mismatches) for table in off)
    return f", and {before - len(left)} of these are equal from the authors' scores before rounding"


def details(
    paper: Material,
    claims: Sequence[ClaimFound],
    sensitivity: Sensitivity,
    reruns: Sequence[RerunCell],
    outside: Sequence[FinetunedCell],
    recounted: Sequence[RecountedCell],
) -> str:
    """Return re-runs, equal entries of tables, verdicts, and what changes decisions, as tables.

    Args:
        claims: the record that ``papers.claims.claims_record`` gives.
        sensitivity: the record that ``results.sensitivity_record`` gives.
        reruns: entries of cells.json.
        outside: entries of finetuned.json, of systems that are not in the paper.
        recounted: entries of recounted.json.
    """
    parts = [
        "## Scores that were checked",
        *_reruns(reruns),
        *_side_by_side(paper, reruns, outside),
        *_recounts(paper, recounted),
        "## Published tables, computed again",
        _tables([getattr(tables, name)(paper) for name in TITLES]),
        "## Claims that fail",
        _verdicts(claims),
        "## What one change at a time does to the comparison",
        "The number of pairs whose result (better, worse, practically equal or no clear winner) differs from "
        "the paper's comparison.",
        grid(sensitivity_parts(sensitivity).frame),
    ]
    return "\n\n".join(parts) + "\n"


def _held(claims: Sequence[ClaimFound]) -> str:
    """State how many conclusions hold, and the verdicts of all claims."""
    return f"{headline(claims)} All {len(claims)} claims: {verdicts_told(claims)}"


def _checked(paper: Material, reruns: Sequence[RerunCell], recounted: Sequence[RecountedCell]) -> str:
    """State how many published scores were checked, and the results by system."""
    present = sum(cell.state is CellState.PRESENT for cell in paper.cells)
    found = [cell for cell in reruns if cell["verdict"] is not None and cell["printed"] is not None]
    results = []
    for name in dict.fromkeys(cell["name"] for cell in found if cell["evidence"] == str(Evidence.RE_RUN)):
        own = [cell for cell in found if cell["name"] == name and cell["evidence"] == str(Evidence.RE_RUN)]
        results.append(f"{name} re-run: {_results(own)}")
    scored = [cell for cell in found if cell["evidence"] == str(Evidence.RE_SCORED)]
    results += [f"the authors' predictions re-scored: {_results(scored)}"] if scored else []
    if recounted:
        equal = sum(entry["equal"] for entry in recounted)
        results.insert(0, f"recounted from the authors' result files: {equal} of {len(recounted)} equal")
    names = {(cell["task"], cell["system"]) for cell in (*found, *recounted)}
    return "; ".join([f"{len(names) or 'none'} of {present} published scores are checked", *results])


def _results(cells: Sequence[RerunCell]) -> str:
    whole = [cell for cell in cells if cell["standing"] in WHOLE]
    verdicts = Counter(cell["verdict"] for cell in whole)
    words = [
        f"{verdicts[str(verdict)]} {'differ' if verdict is CellVerdict.DEVIATES else verdict}"
        for verdict in CellVerdict
        if verdicts[str(verdict)]
    ]
    part = f" ({len(cells) - len(whole)} more on part of the data)" if len(cells) > len(whole) else ""
    return f"{', '.join(words)}{part}"


def _moved(sensitivity: Sensitivity) -> str:
    """Return whether the same system stays on top, and how many pairwise results one change flips."""
    frame = sensitivity_parts(sensitivity).frame
    whole = frame.to_dict("records")
    changes = ", ".join(
        f"{row['Part'][:1].lower()}{row['Part'][1:]} {row['Changed decisions, most']}" for row in whole
    )
    top = [row["Same system on top"].split(" of ") for row in whole]
    kept, tried = (sum(int(number[place]) for number in top) for place in (0, 1))
    pairs = next(row["Pairs that change at least once"] for row in whole).rpartition(" of ")[2]
    return (
        f"the same system is on top in {kept} of {tried} variations of the comparison. Changing one "
        f"analysis choice flips at most this many of its {pairs} pairwise results: {changes}"
    )


def _reruns(reruns: Sequence[RerunCell]) -> list[str]:
    """Tabulate the verdicts of re-run scores, by system and by availability of the paper's rows."""
    found = [cell for cell in reruns if cell["verdict"] is not None]
    rows = []
    for name in dict.fromkeys(cell["name"] for cell in found if cell["evidence"] == str(Evidence.RE_RUN)):
        own = [cell for cell in found if cell["name"] == name and cell["evidence"] == str(Evidence.RE_RUN)]
        rows += [_counted(name, [c for c in own if c["standing"] in WHOLE], "original data")]
        rows += [_counted(name, [c for c in own if c["standing"] not in WHOLE], "part of the data")]
    scored = [cell for cell in found if cell["evidence"] == str(Evidence.RE_SCORED)]
    rows += [_counted("The authors' predictions, re-scored", scored, "original data")]
    rows = [row for row in rows if row["Scores"]]
    note = (
        "Reproduced: equal at the three published digits. Within noise: the published score lies in the 95 % "
        "interval of ours. Differs: neither; `selu show TASK/SYSTEM` gives the reason."
    )
    return [grid(pd.DataFrame(rows)), note] if rows else []


def _side_by_side(paper: Material, reruns: Sequence[RerunCell], outside: Sequence[FinetunedCell]) -> list[str]:
    """Tabulate each re-run score beside the published one, with its interval; then other systems."""
    checked = [cell for cell in reruns if cell["evidence"] == str(Evidence.RE_RUN)]
    others = [cell for cell in outside if cell["strict"]["value"] is not None]
    names = dict.fromkeys(cell["name"] for cell in checked)
    rows = []
    for task in paper.tasks:
        own = {cell["name"]: cell for cell in checked if cell["task"] == task.id}
        beside = {cell["name"]: cell for cell in others if cell["task"] == task.id}
        if not own and not beside:
            continue
        any_cell = next(iter([*own.values(), *beside.values()]))
        partial = "" if any_cell["standing"] in WHOLE else " (part of the data)"
        row = {"Task": f"{task.id}{partial}"}
        for name in names:
            cell = own.get(name)
            row[f"{name}: published"] = cell["printed"] if cell and cell["printed"] else ""
            row[f"{name}: re-run"] = f"{_interval(cell)} {shown('verdict', cell['verdict'])}" if cell else ""
        for name in dict.fromkeys(cell["name"] for cell in others):
            row[f"{name}, not in the paper"] = _interval(beside[name]["strict"]) if name in beside else ""
        rows.append(row)
    note = (
        "The paper's systems are re-run by the authors' procedure (protocol `paper`: the best checkpoint is "
        "picked on test data), the others are validation-selected (protocol `strict`). Values are means over "
        "the seeds. In brackets is the 95 % confidence interval by bootstrap of the test rows; with several "
        "seeds it goes from the lowest to the highest bound of theirs."
    )
    return [grid(pd.DataFrame(rows)), note] if rows else []


def _recounts(paper: Material, recounted: Sequence[RecountedCell]) -> list[str]:
    """State how many published scores follow from the authors' own counts, and name each difference."""
    if not recounted:
        return []
    equal = sum(entry["equal"] for entry in recounted)
    names = {system.id: system.name for system in paper.systems}
    rows = [
        {
            "Score": f"{entry['task']}, {names[entry['system']]}",
            "Published": entry["published"],
            "From the counts": f"{entry['value']:.3f}",
            "What differs": " ".join(entry["findings"]) or "The counts give a different score.",
        }
        for entry in recounted
        if entry["findings"] or not entry["equal"]
    ]
    text = (
        f"{equal} of {len(recounted)} published scores equal, at the published digits, the score computed from "
        "the counts of right and wrong answers in the authors' result files. The table names the others, and "
        "the files that differ from the test part or from themselves."
    )
    return ["## Scores that were recounted", text, grid(pd.DataFrame(rows))]


def _interval(found: RerunCell | ProtocolScore) -> str:
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"


def depth(cell: RerunCell | FinetunedCell) -> str:
    """Return the evidence of a score, marked if it is on part of the rows."""
    checked = cell.get("evidence", str(Evidence.RE_RUN))
    return PARTIAL if checked == str(Evidence.RE_RUN) and cell["standing"] not in WHOLE else str(checked)


def depths(
    paper: Material, reruns: Sequence[RerunCell], recounted: Sequence[RecountedCell]
) -> Mapping[str, Counter[str]]:
    """Return system id -> number of its cells by ``depth``, or by the state of those that are not there."""
    deeper = {(entry["task"], entry["system"]): str(Evidence.RECOUNTED) for entry in recounted} | {
        (cell["task"], cell["system"]): depth(cell)
        for cell in reruns
        if cell["printed"] is not None and cell["verdict"] is not None
    }
    found: dict[str, Counter[str]] = {system.id: Counter() for system in paper.systems}
    for cell in paper.cells:
        here = str(cell.state) if cell.state is not CellState.PRESENT else None
        found[cell.system][here or deeper.get((cell.task, cell.system), str(Evidence.PUBLISHED))] += 1
    return found


def _counted(name: str, cells: Sequence[RerunCell], rows: str) -> Mapping[str, object]:
    verdicts = Counter(cell["verdict"] for cell in cells)
    return {
        "Checked against data": name,
        "On": rows,
        "Scores": len(cells),
        "Equal to the last digit": sum(cell["exact"] for cell in cells),
        **{shown("verdict", str(verdict)).capitalize(): verdicts[str(verdict)] for verdict in CellVerdict},
    }


def _tables(compared: list[Table]) -> str:
    rows = [
        {
            "Table": TITLES[table.name],
            "Entries compared": str(table.cells),
            "Equal": str(table.equal),
            "Differ": str(len(table.mismatches)),
            "Of these, explained by rounded inputs": str(
                sum(cell.why.startswith(ROUNDING) for cell in table.mismatches)
            ),
        }
        for table in compared
    ]
    return grid(pd.DataFrame(rows))


def _verdicts(claims: Sequence[ClaimFound]) -> str:
    failing = [claim for claim in claims if claim["verdict"] == Verdict.FAILS.value]
    return "\n".join(f"- {claim['id']} ({claim['section']}): {claim['statement']}" for claim in failing)


def _data(paper: Material, records: tables_data.Records) -> str:
    """State how many tasks have their rows, whether published test counts match, and the worst leak."""
    availabilities = [records[task.id]["standing"] for task in paper.tasks]
    whole = sum(availability in WHOLE for availability in availabilities)
    ours = availabilities.count(tables_data.SYNTHETIC)
    counted = f"{len(availabilities) - whole - ours} a part of it, {ours} a small set of our own instead"
    labels = tables_data.labels(paper, records)
    real = [task.id for task in paper.tasks if records[task.id]["standing"] != tables_data.SYNTHETIC]
    near = {task: records[task]["audit"]["overlap"]["paper"]["near"] for task in real}
    worst = max(real, key=lambda task: near[task]["share"], default=None)
    sentence = f"{whole} of {len(availabilities)} tasks have the original data here, {counted}"
    if worst is None:
        return sentence
    rows = sum(entry["test_rows"] for entry in near.values())
    test = sum(records[task]["audit"]["parts"]["paper"]["test"] for task in real)
    return (
        f"{sentence}. {labels.equal} of the {labels.cells} per-label test counts in the paper match our data. "
        f"{rows:,} of {test:,} test rows ({100 * rows / test:.1f} %) have a copy or near copy in train, most "
        f"in {worst} ({100 * near[worst]['share']:.1f} %)"
    )
