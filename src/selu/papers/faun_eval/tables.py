"""Tables 4 and 5 beside what follows from their scores, and how published answers to SWE-bench Lite score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from selu.papers.faun_eval.intervals import bounded, gap
from selu.papers.faun_eval.material import AVERAGE, MEAN, QA, Material
from selu.papers.faun_eval.records import PublishedSet, Rescored, StudyRow
from selu.papers.faun_eval.rescored import ALL, NAMES, RIGHT
from selu.papers.table import NOT_ROUNDING, ROUNDING, Compared, Table, as_published
from selu.stats.rounding import agrees, to_digits
from selu.vocabulary import Evidence

NO_READING = "agrees with no reading of what OCR found"
NONE = ""
_LOCATED = ("exact", "exact_existing", "hit_3", "hit_5")
_EDITED = ("well_formed", "edit_patch", "edit_lines", "bleu_lines", "rouge_l_lines", "rouge_1_lines")
_CODE = ("codebleu_patch", "codebleu_blocks", "codebleu_after")


def table1(paper: Material) -> Table:
    """Tabulate Table 1, the comparison of benchmarks, as published."""
    caption = "Table 1: FAUN-Eval beside other benchmarks, as published."
    return as_published(paper, "table1", "Benchmark", caption)


def table2(paper: Material) -> Table:
    """Tabulate Table 2, the fields of a record, as published."""
    caption = "Table 2: what a record of an issue or a pull request holds."
    return as_published(paper, "table2", "Field", caption)


def table3(paper: Material) -> Table:
    """Tabulate Table 3, the models, as published."""
    return as_published(paper, "table3", "Model", "Table 3: the ten models, as published.")


def table4(paper: Material) -> Table:
    """Tabulate Table 4, with its averages computed again."""
    rows, compared = [], []
    for metric in paper.row_names("table4"):
        published = {model: paper.published("table4", metric, model) for model in (*paper.models, AVERAGE)}
        cell = _mean(paper, metric, AVERAGE, [(metric, model) for model in paper.models])
        compared.append(cell)
        rows.append({"Metric": metric, **published, "Mean of the models": cell.computed})
    compared += [
        _mean(paper, MEAN, model, [(metric, model) for metric in QA]) for model in (*paper.models, AVERAGE)
    ]
    caption = (
        "Table 4: scores of ten models as published. The average of each metric, and that of the four metrics "
        "of question answering, is computed again from the published scores."
    )
    return Table(
        "table4", caption, pd.DataFrame(rows), tuple(compared), "that are averages follow from the scores"
    )


def _mean(paper: Material, row: str, column: str, parts: Sequence[tuple[str, str]]) -> Compared:
    published = paper.published("table4", row, column)
    value = sum(paper.number("table4", *place) for place in parts) / len(parts)
    why = ROUNDING if paper.can_be_mean("table4", (row, column), parts) else NOT_ROUNDING
    equal = agrees(value, published)
    return Compared(
        row, column, published, to_digits(value, 4), equal, value - float(published), "" if equal else why
    )


def table5(paper: Material) -> Table:
    """Tabulate Table 5, with each change recomputed from the scores, which restores the sign that OCR lost."""
    rows, compared = [], []
    for row in paper.row_names("table5"):
        shown = {"Metric: parts of the input": row}
        for model in (*paper.ablated, AVERAGE):
            published = paper.published("table5", row, f"{model}: change")
            shown[model] = paper.published("table5", row, model)
            change = paper.change(row, model)
            shown[f"{model}: change, %"] = NONE if published in ("0", "-") else f"{change:+.2f}"
            if published not in ("0", "-"):
                compared.append(_change(paper, row, model, published, change))
        rows.append(shown)
    caption = (
        "Table 5: scores without single parts of the input (IT and IB: title and body of the issue; PT and "
        "PB: of the pull request), with the change from the full input in percent, computed from the scores. "
        "OCR lost the direction of the published changes, so that their sizes are compared."
    )
    return Table(
        "table5", caption, pd.DataFrame(rows), tuple(compared), "that are changes have the published size"
    )


def _change(paper: Material, row: str, model: str, published: str, change: float) -> Compared:
    size, why = abs(change), ROUNDING
    if not paper.allows_change(row, model, published):
        why = f"{NO_READING}: {paper.published('ocr', row, f'{model}: change')}"
    equal = agrees(size, published)
    return Compared(
        row, model, published, to_digits(size, 2), equal, size - float(published), "" if equal else why
    )


def located(record: Rescored) -> Table:
    """Tabulate how often the file at fault is found, by all sets of answers."""
    caption = (
        "Twelve published sets of answers to the 300 tasks of SWE-bench Lite: is the changed file found? "
        "Files of a patch count in its order. An unanswered task counts as wrong. Low and high bound a 95 % "
        "interval over resampled tasks."
    )
    return Table("located", caption, pd.DataFrame(list(_sets(record["sets"], _LOCATED))))


def edited(record: Rescored) -> Table:
    """Tabulate how near patches are to those that solved the tasks, by the sets that have patches."""
    sets = [answer_set for answer_set in record["sets"] if answer_set["kind"] == "patches"]
    rows = []
    for answers, row in zip(sets, _sets(sets, _EDITED), strict=True):
        applied = NONE if answers.get("applied") is None else str(answers["applied"])
        first = str(answers.get("resolved first", NONE))
        outcomes = {
            "Applied": applied,
            "Resolved": str(answers["resolved"]),
            "Resolved, first evaluation": first,
        }
        rows.append({**row, **outcomes})
    caption = (
        "Published patches for the 300 tasks of SWE-bench Lite, beside those that solved the tasks. Applied "
        "and resolved are counts of the published evaluations. AutoCodeRover's were done twice, and the second "
        "one counts here; those of SWE-agent do not list which patches applied."
    )
    return Table("edited", caption, pd.DataFrame(rows))


def code(record: Rescored) -> Table:
    """Tabulate CodeBLEU by what it compares."""
    sets = [answer_set for answer_set in record["sets"] if answer_set["kind"] == "patches"]
    caption = (
        "CodeBLEU of the same patches by what it compares: the patch, its hunks as SEARCH/REPLACE blocks, and "
        "the code of its hunks after the change. codebleu 0.7.0, Python's grammar, four equal parts."
    )
    return Table("codebleu", caption, pd.DataFrame(list(_sets(sets, _CODE))))


def paired(record: Rescored) -> Table:
    """Tabulate the differences between every two sets on the same tasks."""
    rows = [
        {
            "Metric": _named(row["metric"]),
            "Higher": row["one"],
            "Lower": row["other"],
            **gap("Difference", row["difference"], row),
        }
        for row in record["paired"]
    ]
    caption = (
        "Differences between every two sets on the same 300 tasks. Low and high bound a 95 % interval over "
        "resampled tasks, each for its own pair; where it leaves out 0, the two differ."
    )
    return Table("paired", caption, pd.DataFrame(rows))


def paired_by_quality(record: Rescored) -> Table:
    """Tabulate the differences of the best set from the others by the quality of the issue's description."""
    rows = [
        {
            "Description": row["tasks"],
            "Tasks": str(row["number"]),
            "Metric": _named(row["metric"]),
            "Best in this stratum": row["one"],
            "Other": row["other"],
            **gap("Difference", row["difference"], row),
        }
        for row in record["paired_strata"]
    ]
    caption = "The best set of each stratum of tasks beside the others, on the tasks of the stratum."
    return Table("paired_by_quality", caption, pd.DataFrame(rows))


def by_length(record: Rescored) -> Table:
    """Tabulate the scores of short, medium and long issues."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in record["lengths"]:
        place = row["unit"], row["metric"], row["system"]
        line = found.setdefault(place, dict(zip(("Length in", "Metric", "Set of answers"), place, strict=True)))
        line["Metric"] = _named(row["metric"])
        line |= bounded(row["part"].capitalize(), row["score"], row)
    caption = (
        "Scores of short, medium and long issues, 100 each, by the method of Figure 3: tasks in the order of "
        "their issue's length. Low and high bound a 95 % interval over resampled tasks of the part."
    )
    return Table("by_length", caption, pd.DataFrame(list(found.values())))


def _named(metric: str) -> str:
    return {**NAMES, "resolved": "Tests pass"}[metric]


def _sets(sets: Sequence[PublishedSet], metrics: Sequence[str]) -> Iterator[Mapping[str, str]]:
    for answers in sets:
        answered = f"{answers['answered']} of {answers['tasks']}"
        row = {"Set of answers": answers["system"], "Answered": answered, "Checked": str(Evidence.RE_SCORED)}
        for name in metrics:
            row |= bounded(NAMES[name], answers["scores"][name], answers["intervals"][name])
        yield row


def validity(record: Rescored) -> Table:
    """Tabulate the areas of all sets together, and of their patches of the right file."""
    rows = [
        {
            "Patches": "all" if row["system"] == ALL else "of the right file",
            "Metric": NAMES[row["metric"]],
            "Number": f"{row['patches']:,}",
            "Resolved": f"{row['resolved']:,}",
            **bounded("AUC", row["auc"], row),
        }
        for row in record["study"]
        if row["system"] in (ALL, RIGHT)
    ]
    caption = (
        "Does a metric tell patches that pass their tests from others? Area under the ROC curve over the "
        "patches of eight sets: 0.5 is chance, 1 is perfect. Low and high bound a 95 % interval over "
        "resampled tasks, each with all its patches."
    )
    return Table("validity", caption, pd.DataFrame(rows))


def validity_by_quality(record: Rescored) -> Table:
    """Tabulate the areas of all sets together by the quality of the issue's description."""
    caption = (
        "The same over the patches of all eight sets, by the quality of the issue's description as the authors "
        "of Agentless judged it. Where few patches are resolved, the interval is narrower than it should be."
    )
    return Table("validity_by_quality", caption, pd.DataFrame(_areas("Description", record["strata"])))


def validity_by_set(record: Rescored) -> Table:
    """Tabulate the areas of each set."""
    rows = [row for row in record["study"] if row["system"] not in (ALL, RIGHT)]
    caption = "The same in each of the eight sets."
    return Table("validity_by_set", caption, pd.DataFrame(_areas("Set of answers", rows)))


def _areas(title: str, rows: Sequence[StudyRow]) -> list[Mapping[str, str]]:
    return [
        {
            title: row["system"],
            "Metric": NAMES[row["metric"]],
            "Patches": f"{row['patches']:,}",
            "Resolved": f"{row['resolved']:,}",
            **bounded("AUC", row["auc"], row),
        }
        for row in rows
    ]
