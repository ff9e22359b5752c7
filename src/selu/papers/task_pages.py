"""The site's pages of a benchmark's tasks: data, prompt, leaders, and the evidence of each score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypedDict, cast

from selu.boards.rows import Published, by_rank
from selu.contents import RunContent, ScoresContent
from selu.names import DATA, PROTOCOLS, WORDING, word
from selu.papers.answer_pages import ANSWERS, ANSWERS_PAGE, OtherScore, RunShown, answers_file, answers_page
from selu.papers.asked import Forms
from selu.papers.evidence import Evidence
from selu.papers.page import Page
from selu.stats.intervals import caution_of
from selu.vocabulary import Task

TASK_PAGE, CROISSANT = "tasks/{}.html", "tasks/{}.croissant.json"
_FEW_LABELS = 3
_SPLITS = {"paper": "the authors' split", "strict": "the split with validation rows"}
_CASES = (("exact", "exact"), ("near", "nearly the same"), ("exact_cleaned", "exact after cleaning"))


class Link(NamedTuple):
    """A fact beside a task: its name, its text, and the address that it leads to, or an empty one."""

    name: str
    text: str
    address: str = ""


class Example(TypedDict):
    """A row written for this project, and its answer."""

    text: str
    answer: str


def task_pages(
    evidence: Evidence,
    tasks: Sequence[Task],
    published: Mapping[str, Sequence[Published]] | None = None,
    examples: Mapping[str, Sequence[Example]] | None = None,
    names: Mapping[str, str] | None = None,
    links: Mapping[str, Sequence[Link]] | None = None,
    asked: Mapping[str, Forms] | None = None,
) -> Mapping[str, Page]:
    """Render a page for each of these tasks, whose data have a record, by its address.

    Args:
        published: by task, its published scores; the page of any other task shows our runs alone.
        examples: by task, rows written for this project.
        names: of systems that were run and have no published score, by their ids.
        links: by task, what its page leads to.
        asked: by task, the forms of its prompt, where no template of ours makes it.

    Raises:
        SeluError: a record is damaged.
    """
    runs = _runs_by_task(evidence)
    pages = {}
    for task in tasks:
        shown, scores = (examples or {}).get(task.id, ()), (published or {}).get(task.id, ())
        called = {**(names or {}), **{score.system: score.name for score in scores}}
        of_task = runs.get(task.id, [])
        answers = answers_page(task, word(task.id), of_task, called)
        view = {
            "task": task,
            "data": _data(evidence, task),
            "examples": shown,
            "prompt": evidence.prompt(task, str(shown[0]["text"])) if shown else None,
            "asked": (asked or {}).get(task.id),
            "ranking": by_rank(scores),
            "title": word(task.id),
            "asks": task.question,
            "scores_of": word(task.metric),
            "lower": False,
            "computed": False,
            "links": (links or {}).get(task.id, ()),
            "systems": of_task,
            "names": called,
            "answers": ANSWERS_PAGE.format(task.id) if answers else "",
        }
        pages[TASK_PAGE.format(task.id)] = Page("task", view)
        if answers:
            pages[ANSWERS_PAGE.format(task.id)] = answers
    return pages


def task_files(evidence: Evidence, tasks: Sequence[Task], pages: Mapping[str, Page]) -> dict[str, bytes]:
    """Return the files that task pages link to: the Croissant record, if there is one, and the answers.

    Args:
        pages: as in ``task_pages``.
    """
    files = {
        ANSWERS.format(task.id): answers_file(evidence, task, page.values["runs"])
        for task in tasks
        if (page := pages.get(ANSWERS_PAGE.format(task.id)))
    }
    return files | {
        CROISSANT.format(task.id): evidence.content(f"data/{task.id}/croissant.json", f"prepare {task.id}")
        for task in tasks
        if _croissant(evidence, task) is not None
    }


def _croissant(evidence: Evidence, task: Task) -> Mapping[str, object] | None:
    found: Mapping[str, object] | None = evidence.read(
        f"data/{task.id}/croissant.json", f"prepare {task.id}", needed=False
    )
    return found


def _data(evidence: Evidence, task: Task) -> Mapping[str, object]:
    """Return what was counted of a task's rows, in the order and words of the page."""
    record: Mapping[str, Any] = evidence.data(task.id)
    described, availability = _croissant(evidence, task), DATA.get(record.get("standing", ""), "stand-in data")
    audit = record.get("audit", {})
    duplicates, overlap = audit.get("duplicates", {}), audit.get("overlap", {}).get("paper", {})
    parts = audit.get("parts", {})
    lengths = audit.get("lengths", {}).get("raw", {}).get("words", {})
    return {
        "standing": availability,
        "stand_in": availability == "stand-in data",
        "rows": record.get("rows"),
        "split": record.get("split"),
        "deviations": record.get("deviations", []),
        "parts": [(protocol, parts[name]) for name, protocol in PROTOCOLS.items() if name in parts],
        "labels": audit.get("labels", {}),
        "words": [lengths[name] for name in ("median", "p90", "max")] if lengths else None,
        "duplicates": [
            (word, duplicates[case]["rows"], overlap.get(case, {}).get("test_rows"))
            for case, word in _CASES
            if case in duplicates
        ],
        "licence": (described or {}).get("license"),
        "cite": (described or {}).get("citeAs"),
        "croissant": described is not None,
        "hashes": record.get("hashes", {}),
    }


def _runs_by_task(evidence: Evidence) -> Mapping[str, list[tuple[str, list[RunShown]]]]:
    """Return the runs of each task that are here: (system, its scored runs) by task."""
    shown: dict[str, list[tuple[str, list[RunShown]]]] = {}
    for cell, names in groupby(evidence.stored(), key=lambda name: name.rpartition("/")[0]):
        task, _, system = cell.partition("/")
        runs = [run for name in names if (run := _run(evidence, name))]
        if runs:
            shown.setdefault(task, []).append((system, runs))
    return shown


def _run(evidence: Evidence, name: str) -> RunShown | None:
    """Return a run and its scores as the page shows them; None for one that failed or was not scored."""
    record, scores = evidence.result(name)
    if not scores:
        return None
    fields, metric, cost = record["fields"], scores["metric"], record.get("cost", {})
    protocol = fields["protocol"]
    interval = scores["intervals"].get(metric, {})
    return RunShown(
        name=name.rpartition("/")[2],
        procedure=f"prompted, {_SPLITS.get(protocol, protocol)}"
        if "prompt" in fields.get("data", {})  # a model that is asked has no weights to choose
        else PROTOCOLS.get(protocol, protocol),
        seed=fields["seed"],
        metric=metric,
        value=scores["value"],
        low=interval.get("low"),
        high=interval.get("high"),
        rows=scores["rows"],
        data=DATA.get(record["standing"], "stand-in data"),
        caution=caution_of(scores["rows"]),
        one_answer=bool(scores.get("constant")),
        invalid=scores["scores"].get("invalid", 0),
        confusion=scores["scores"].get("confusion_matrix"),
        labels=fields["labels"],
        others=_others(scores, fields["labels"]),
        parameters=_parameters(record),
        packages=fields["packages"],
        hashes={"identity": record["identity"], "predictions.parquet": scores["predictions"]},
        seconds=cost.get("unit_seconds") or cost.get("wall_seconds"),
        cpu_seconds=cost.get("cpu_seconds"),
        command=f"selu run --task {fields['task']} --system {fields['system']} --protocol "
        f"{protocol} --seed {fields['seed']} --environment {record['environment']} --only all",
    )


def _others(scores: ScoresContent, labels: Sequence[str]) -> list[OtherScore]:
    """Return the scores beside the first that are a single number, then F1 of each label if there are few.

    A paper may publish F1 of one label, as NLBSE'24 does.
    """
    found = [
        OtherScore(name, value, bounds.get("low"), bounds.get("high"))
        for name, value in scores["scores"].items()
        if isinstance(value, (int, float)) and name not in (scores["metric"], "invalid")
        for bounds in [scores["intervals"].get(name, {})]
    ]
    by_label = cast("Sequence[float]", scores["scores"].get("f1_per_class", ()))
    if len(by_label) != len(labels) or len(labels) > _FEW_LABELS:
        return found
    return found + [
        OtherScore(f"F1 of the label {label}", f1) for label, f1 in zip(labels, by_label, strict=True)
    ]


def _parameters(record: RunContent) -> list[tuple[str, str]]:
    """Return the parameters chosen for a run or given to it; of a prompted run also the wording used."""
    chosen = record.get("chosen") or record["fields"].get("params") or {}
    data = record["fields"].get("data", {})
    asked = [("prompts", WORDING[data.get("wording", "ours")])] if "prompt" in data else []
    return asked + [
        (name, value if isinstance(value, str) else json.dumps(value)) for name, value in chosen.items()
    ]
