"""What models replied to FAUN-Eval's three tasks, as tables and in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from selu.papers.faun_eval.asking import answered as answering
from selu.papers.faun_eval.asking import edited as editing
from selu.papers.faun_eval.intervals import bounded, gap, percent, verdict
from selu.papers.faun_eval.records import AskedModel, Mean
from selu.papers.faun_eval.retrieval.files import FUSED
from selu.papers.faun_eval.retrieval.questions import RANDOM
from selu.papers.faun_eval.retrieval.tables import QA
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits
from selu.vocabulary import SeluError


def answered(records: Sequence[AskedModel]) -> Table:
    """Tabulate how near models' answers to the same questions come, beside answers of other questions."""
    _check_alike([record["questions"]["sample"] for record in records])
    first = records[0]["questions"]
    sample = first["sample"]
    found = [
        (record["model"], row)
        for record in records
        for row in record["questions"]["rows"]
        if row["way"] == answering.MODEL
    ]
    names = {FUSED: "answer of the most similar other question", RANDOM: "answer of a random other question"}
    found += [(names[row["way"]], row) for row in first["rows"] if row["way"] in names]
    rows = [
        {
            "Answered by": name,
            **{title: to_digits(row[metric]["score"], 3) for metric, title in QA if metric != "mean"},
            **bounded("Mean", row["mean"]["score"], row["mean"]),
            **(
                gap("Mean above a random answer", row["change"]["score"], row["change"])
                if row["way"] != RANDOM
                else {}
            ),
        }
        for name, row in found
    ]
    cut = _counts((record["model"], record["questions"]["cut"]) for record in records)
    empty = _counts((record["model"], record["questions"]["empty"]) for record in records)
    caption = (
        f"{sample['questions']} of the {sample['of']} questions of SWE-QA about {sample['repositories']} "
        f"repositories, drawn, by the paper's four metrics and their mean. An answer has at most "
        f"{sample['answer_tokens']} tokens; the limit ended {cut}. Without text were {empty}. A model "
        "sees the question alone, neither the repository nor another answer. The most similar question is "
        "found by the fusion of BM25 and MiniLM-L6. Low and high bound a 95 % interval over resampled "
        "questions."
    )
    return Table("answered", caption, pd.DataFrame(rows).fillna(""))


def edited(records: Sequence[AskedModel]) -> Table:
    """Tabulate how often models' edits apply, and how near the edited lines come to the fix."""
    _check_alike([record["edits"]["sample"] for record in records])
    first = records[0]["edits"]
    sample = first["sample"]
    found = [
        (record["model"], row)
        for record in records
        for row in record["edits"]["rows"]
        if row["way"] == editing.MODEL
    ]
    found += [("(unedited lines)", row) for row in first["rows"] if row["way"] == editing.UNEDITED]
    rows = []
    for name, row in found:
        line = {"Edited by": name}
        if row["way"] == editing.MODEL:
            line |= bounded("Applies", row["applies"]["score"], row["applies"])
        line |= bounded("CodeBLEU", row["codebleu"]["score"], row["codebleu"])
        line |= {"Edit similarity": to_digits(row["edit"]["score"], 3)}
        if row["way"] == editing.MODEL:
            line |= bounded("Equal to the fix", row["exact"]["score"], row["exact"])
            line |= bounded("CodeBLEU above unedited", row["change"]["score"], row["change"], signed)
        rows.append(line)
    states = "; ".join(
        f"of {record['model']}, "
        + ", ".join(f"{count} hold {state}" for state, count in record["edits"]["states"].items() if count)
        for record in records
    )
    cut = _counts((record["model"], record["edits"]["cut"]) for record in records)
    caption = (
        f"{sample['tasks']} of the {sample['one place']} tasks of SWE-bench Lite whose fix changes one place "
        f"of a file, drawn. A model is shown the issue's first {sample['characters']:,} characters and this "
        "place with three lines on either side, and replies in SEARCH/REPLACE blocks. A reply that does "
        f"not apply or changes nothing scores 0. Of the replies {states}. A reply has at most "
        f"{sample['answer_tokens']} tokens; the limit ended {cut}. Shares have Wilson's 95 % interval, "
        "means one over resampled tasks (low, high)."
    )
    return Table("edited_by_models", caption, pd.DataFrame(rows).fillna(""))


def named_files(records: Sequence[AskedModel]) -> Table:
    """Tabulate how often models name the changed file among the same retrieved paths, beside the first path."""
    _check_alike([record["files"]["sample"] for record in records])
    first = records[0]["files"]
    sample, tasks = first["sample"], first["tasks"]
    by_way = {row["way"]: row for row in first["rows"]}
    rows = []
    for record in records:
        row = next(row for row in record["files"]["rows"] if row["way"] == "model")
        rows.append(
            {
                "Named by": f"{record['model']}, one of {sample['paths']} paths",
                "Answered": f"{record['files']['states']['named']} of {tasks}",
                **bounded("Hit at 1", row["hit_1"]["score"], row["hit_1"]),
                **bounded("Change", row["change"]["score"], row["change"], signed),
            }
        )
    for way, name in (
        ("first", "reciprocal-rank fusion, its first path"),
        ("shown", f"at best: the changed file is among the {sample['paths']}"),
    ):
        hit = by_way[way]["hit_1"]
        answered = f"{tasks} of {tasks}"
        rows.append({"Named by": name, "Answered": answered, **bounded("Hit at 1", hit["score"], hit)})
    rows.append({"Named by": "a random one of them", "Hit at 1": to_digits(first["chance"], 3)})
    unread = ", ".join(
        f"{states['other'] or 'none'} of {tasks} by {model} named another thing and "
        f"{states['empty'] or 'none'} was empty"
        for model, states in ((record["model"], record["files"]["states"]) for record in records)
    )
    caption = (
        f"{tasks} of the {sample['of']} tasks, drawn. A model is shown the issue's first "
        f"{sample['characters']:,} characters and, by name, the {sample['paths']} paths that the fusion of "
        f"BM25, word overlap and MiniLM-L6 puts first among {sample['among']}. An answer has at most "
        f"{sample['answer_tokens']} tokens; one that names none of them counts as wrong: {unread}. A hit has "
        "Wilson's 95 % interval of a share. Change is the paired difference "
        "from the first path, with a 95 % interval over resampled tasks."
    )
    return Table("named_files", caption, pd.DataFrame(rows).fillna(""))


def say_named(record: AskedModel) -> str:
    """State in a sentence what a model adds to retrieval."""
    by_way = {row["way"]: row for row in record["files"]["rows"]}
    model, change = by_way["model"]["hit_1"], by_way["model"]["change"]
    return (
        f"Among {record['files']['sample']['paths']} retrieved paths {record['model']} names the changed file "
        f"in {percent(model)} of {record['files']['tasks']} tasks, {verdict(change)} it is the first of them "
        f"({100 * by_way['first']['hit_1']['score']:.1f} %)."
    )


def say_answered(record: AskedModel) -> str:
    """State in a sentence whether a model answers questions nearer than a random answer, and a similar one."""
    by_way = {row["way"]: row for row in record["questions"]["rows"]}
    model, change = by_way[answering.MODEL]["mean"], by_way[answering.MODEL]["change"]
    than = verdict(change, "more than", "less than", "not clearly more or less than")
    return (
        f"The answers of {record['model']} to {record['questions']['sample']['questions']} questions score "
        f"{_score(model)} by the mean of the paper's four metrics, "
        f"{than} the answer of a random other question "
        f"({to_digits(by_way[RANDOM]['mean']['score'], 3)}); that of the most similar one scores "
        f"{to_digits(by_way[FUSED]['mean']['score'], 3)}."
    )


def say_edited(record: AskedModel) -> str:
    """State in a sentence how often a model's edits apply and equal the fix."""
    edits = record["edits"]
    (model,) = (row for row in edits["rows"] if row["way"] == editing.MODEL)
    tasks, applied = edits["sample"]["tasks"], edits["states"][editing.State.APPLIES]
    if not applied:
        return f"No reply of {record['model']} to {tasks} tasks is an edit that applies."
    than = verdict(model["change"], "higher than", "lower than", "not clearly higher or lower than")
    return (
        f"The edits of {record['model']} apply in {applied} of {tasks} tasks and equal the fix in "
        f"{round(model['exact']['score'] * tasks) or 'none'}; their CodeBLEU, 0 where none applies, is {than} "
        "that of the unedited lines."
    )


def _check_alike(samples: Sequence[Mapping[str, object]]) -> None:
    if any(sample != samples[0] for sample in samples):
        raise SeluError(
            "the models were asked different samples: ask them again with one data/params/faun_eval.yaml."
        )


def _counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{count or 'none'} of {model}" for model, count in counts)


def _score(found: Mean) -> str:
    return f"{to_digits(found['score'], 3)} ({to_digits(found['low'], 3)} to {to_digits(found['high'], 3)})"
