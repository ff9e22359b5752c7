"""Tables of systems' scores here: by type, by task, effects of formats, cost, beside Table 5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from selu.papers.crosscodebench import metrics
from selu.papers.crosscodebench.answering.comparing import compare_models
from selu.papers.crosscodebench.answering.scoring import ALL, METRICS, Resampled
from selu.papers.crosscodebench.claims.splits import tasks
from selu.papers.crosscodebench.material import SHORTCUTS, Column, Material
from selu.papers.crosscodebench.records import Baselines, Comparison, ModelScores, Scores, SystemScores
from selu.papers.table import Table

_TYPES = {"BF": "Generation: Rewrite", "C2T": "Generation: Code-to-Text", "Trans": "Translation"}
_OURS = {"copy example output": SHORTCUTS[0], "copy input": SHORTCUTS[1]}
_VERSIONS = {"BLEU": ("BLEU, version a", "BLEU, version b"), "ROUGE-L": ("ROUGE-L",)}


def _main(type_: str) -> str:
    return "exact match" if type_.startswith("Classification") else "BLEU, version b"


def _scores(type_: str, scores: Scores) -> Mapping[str, str]:
    """Return all metrics, and the interval of the main metric of the type."""
    main = scores[_main(type_)]
    return {name: f"{scores[name]['value']:.2f}" for name in METRICS} | {
        "interval of": _main(type_),
        "low": f"{main['low']:.2f}",
        "high": f"{main['high']:.2f}",
    }


def _types(systems: Iterable[SystemScores], first: str) -> list[Mapping[str, str]]:
    every = list(systems)
    names = dict.fromkeys(entry["type"] for system in every for entry in system["types"])
    return [
        {
            "Type": name,
            first: system["system"],
            "Mean": entry["mean"],
            "Tasks": str(entry["tasks"]),
            "Rows": f"{entry['rows']:,}",
            **_scores(name, entry["scores"]),
        }
        for name in (*(name for name in names if name != ALL), *([ALL] if ALL in names else []))
        for system in every
        for entry in system["types"]
        if entry["type"] == name
    ]


def baselines(record: Baselines) -> Table:
    """Tabulate the scores of systems without a trained model by type, pooled and macro by task."""
    caption = (
        "Systems without a trained model on the first 500 rows of each task with rows here, in percent: pooled "
        "(each row counts alike, as published) and macro (each task counts alike). Intervals are over rows. "
        f"{metrics.empty_answer_sentence()}"
    )
    return Table("baselines", caption, pd.DataFrame(_types(record["systems"], "System")))


def baselines_by_task(record: Baselines) -> Table:
    """Tabulate the main metric of each system on each task."""
    systems = [system["system"] for system in record["systems"]]
    values = {
        (system["system"], entry["task"]): entry for system in record["systems"] for entry in system["tasks"]
    }
    rows = []
    for task in record["tasks"]:
        there = next(values[name, task["task"]] for name in systems if (name, task["task"]) in values)
        main = _main(there["type"])
        cells = {
            name: f"{values[name, task['task']]['scores'][main]['value']:.2f}"
            if (name, task["task"]) in values
            else ""
            for name in systems
        }
        rows.append(
            {"Task": task["task"], "Type": there["type"], "Metric": main}
            | {"Evaluated": str(task["evaluated"]), "To learn from": f"{task['trained']:,}"}
            | cells
        )
    caption = (
        "Systems without a trained model by task, in percent; an empty field: nothing to learn from, or no "
        "labels."
    )
    return Table("baselines_by_task", caption, pd.DataFrame(rows))


def beside_table5(paper: Material, record: Baselines) -> Table:
    """Tabulate the two shortcuts beside Table 5, on the tasks with rows here, by both versions of BLEU."""
    ours = {
        (system["system"], entry["type"]): entry
        for system in record["systems"]
        for entry in system["types"]
        if entry["mean"] == "pooled"
    }
    rows = []
    for split in paper.splits:
        type_ = _TYPES.get(split.rpartition("-")[2])
        if type_ is None or not paper.is_inter(split):  # the shortcuts score the same in both scopes
            continue
        for shortcut, row in _OURS.items():
            if (entry := ours.get((shortcut, type_))) is None:
                continue
            found = {
                "Split": split,
                "Shortcut": row,
                "Tasks here": f"{entry['tasks']} of {tasks(paper, split)[1]}",
            }
            for metric in ("BLEU", "ROUGE-L"):
                found[f"{metric}, published"] = paper.published("table5", row, Column(split, metric).name)
                for version in _VERSIONS[metric]:
                    found[f"{version}, here"] = f"{entry['scores'][version]['value']:.2f}"
            rows.append(found)
    caption = (
        "The paper's two shortcuts, on the tasks of each split whose rows are here, beside Table 5, in percent."
    )
    return Table("shortcuts", caption, pd.DataFrame(rows))


def one_word() -> Table:
    """Show what each metric gives a wrong answer of one word, and of several."""
    pairs = (("No", "Yes"), (".*dog.*", ".*cat.*"), ("mov eax, 2", "mov ebx, 1"), ("a b c d e", "v w x y z"))
    rows = []
    for given, wanted in pairs:
        found = {name: f"{metric([given], [wanted])[0]:.2f}" for name, metric in metrics.BY_ROW.items()}
        rows.append({"Answer": given, "Reference": wanted} | found)
    caption = (
        "What the metrics give to answers that are wrong, in percent: version a adds one to every count, also "
        f"where there is no run of that length. {metrics.empty_answer_sentence()}"
    )
    return Table("one_word", caption, pd.DataFrame(rows))


def by_type(record: ModelScores) -> Table:
    """Tabulate a model's scores by type and format, pooled and macro by task."""
    caption = (
        f"{record['model']}: scores in percent by type and format, on the same rows in every format. Pooled "
        "counts each row alike, macro each task. Intervals are over rows."
    )
    return Table("model_types", caption, pd.DataFrame(_types(record["formats"], "Format")))


def by_task(record: ModelScores) -> Table:
    """Tabulate a model's score of each task in each format, with intervals."""
    rows = [
        {
            "Task": entry["task"],
            "Type": entry["type"],
            "Format": form["system"],
            "Rows": str(entry["rows"]),
            **_scores(entry["type"], entry["scores"]),
        }
        for form in record["formats"]
        for entry in form["tasks"]
    ]
    rows.sort(key=lambda row: [entry["task"] for entry in record["formats"][0]["tasks"]].index(row["Task"]))
    caption = f"{record['model']}: scores in percent by task and format."
    return Table("model_tasks", caption, pd.DataFrame(rows))


def questions(record: ModelScores) -> Table:
    """Tabulate the score differences between formats on the same rows."""
    caption = (
        "What a format scores more than another, in points, on the same rows. Intervals are over tasks and "
        "their rows; of fewer than five tasks they are over batches of rows that share their examples, and the "
        "answer is of these tasks alone. It is decided where the interval leaves out zero, of five tasks or "
        "batches at least."
    )
    return Table("model_questions", caption, _comparisons("Question", record["questions"]))


def between_models(before: ModelScores, after: ModelScores, resampled: Resampled) -> Table:
    """Tabulate what a model scores more than another in each format, on the rows that both answered."""
    caption = (
        f"What {after['model']} scores more than {before['model']} on tasks of generation, in points, on the "
        "rows that both answered. Intervals are over tasks and their rows."
    )
    frame = _comparisons("Format", compare_models(before, after, resampled))
    return Table("models", caption, frame.replace({"Answer": {"helps": "better", "hurts": "worse"}}))


def _comparisons(first: str, entries: Sequence[Comparison]) -> pd.DataFrame:
    return pd.DataFrame(
        {first: entry["asks"], "From": entry["before"], "To": entry["after"], "Tasks of": entry["group"]}
        | {"Metric": entry["metric"], "Mean": entry["mean"], "Tasks": str(entry["tasks"])}
        | {"Rows": str(entry["rows"]), "Difference": f"{entry['value']:+.2f}"}
        | {"low": f"{entry['low']:+.2f}", "high": f"{entry['high']:+.2f}", "Answer": entry["answer"]}
        for entry in entries
    )


def cost(record: ModelScores) -> Table:
    """Tabulate rows, tokens and seconds of each format."""
    rows = []
    for form in record["formats"]:
        cells = [cell for cell in record["cells"] if cell["format"] == form["system"]]
        count, seconds = sum(len(cell["rows"]) for cell in cells), sum(cell["seconds"] for cell in cells)
        asked, answered = (
            sum(cell["asked tokens"] for cell in cells),
            sum(cell["answered tokens"] for cell in cells),
        )
        shortened = sum(cell["cut"] for cell in cells)
        rows.append(
            {"Format": form["system"], "Tasks": str(len(cells)), "Rows": f"{count:,}"}
            | {
                "Tokens read": f"{asked:,.0f}",
                "Tokens written": f"{answered:,.0f}",
                "Seconds": f"{seconds:,.0f}",
            }
            | {"Seconds a row": f"{seconds / count:.2f}", "Answers cut": f"{shortened:.0f}"}
        )
    caption = (
        "Cost of prompting. Tokens read are those computed: a common beginning of a batch's rows counts "
        "once. Seconds are those of the machine used, busy or not."
    )
    return Table("model_cost", caption, pd.DataFrame(rows))
