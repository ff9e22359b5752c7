"""One system's scores for its page on the Hugging Face hub: ``model-index`` of a card, or ``.eval_results``.

Scores are validation-selected where there are such runs, and the mean over their seeds; a score whose
checkpoint was picked on test data is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from selu import registry
from selu.files import JsonObject
from selu.names import PROTOCOLS, word
from selu.package.citation import FILL_IN, Citation
from selu.package.run_scores import RunScore, read
from selu.vocabulary import Kind, SeluError

_TASKS: dict[str, str] = {  # the hub's names of what is asked
    Kind.BINARY: "text-classification",
    Kind.MULTI_CLASS: "text-classification",
    Kind.MULTI_LABEL: "text-classification",
    Kind.ENTITIES: "token-classification",
    Kind.MASKED: "fill-mask",
}


class _Mean(NamedTuple):
    """The mean over the seeds of a task, its runs, and what distinguishes them."""

    value: float
    runs: list[RunScore]
    notes: str


def model_index(root: Path, benchmark: str, system: str, citation: Citation) -> JsonObject:
    """Build the part of a model card's head that holds its evaluation results.

    Raises:
        SeluError: as ``run_scores.read``, or each score was picked on test data.
    """

    def entry(task: str, mean: _Mean) -> JsonObject:
        first = mean.runs[0]
        seeds = [run.run["fields"]["seed"] for run in mean.runs]
        bounds = {"low": round(first.low, 6), "high": round(first.high, 6)} if len(mean.runs) == 1 else {}
        metric: JsonObject = {
            "type": "f1" if first.metric.startswith("f1") else first.metric,
            "name": word(first.metric),
            "value": round(mean.value, 6),
            "args": {"metric": first.metric, "seeds": seeds, **bounds},
        }
        return {
            "task": {"type": _TASKS.get(first.task.kind, "other"), "name": first.task.question},
            "dataset": {
                "type": task,
                "name": f"{task} ({registry.benchmark(benchmark).name})",
                "split": "test",
                "args": {"rows_sha256": first.run["fields"]["data"]["rows"], "notes": mean.notes},
            },
            "metrics": [metric],
            **_source(citation),
        }

    return {"model-index": [{"name": system, "results": _entries(root, benchmark, system, entry)}]}


def eval_results(root: Path, benchmark: str, system: str, citation: Citation) -> list[JsonObject]:
    """Build a file below ``.eval_results/`` of a model's repository; raises the errors of ``model_index``.

    The hub's data set of the tasks is only known to who has published them there.
    """

    def entry(task: str, mean: _Mean) -> JsonObject:
        return {
            "dataset": {"id": f"{FILL_IN}/{benchmark}", "task_id": task},
            "value": round(mean.value, 6),
            "date": max(str(run.run["started"]) for run in mean.runs),
            **_source(citation),
            "notes": f"{word(mean.runs[0].metric)}, {mean.notes}",
        }

    return _entries(root, benchmark, system, entry)


def _source(citation: Citation) -> JsonObject:
    """Return the source of the scores; empty before a fork has filled in its address."""
    return {"source": {"url": citation.address, "name": citation.title}} if citation.address else {}


def _entries(
    root: Path, benchmark: str, system: str, entry: Callable[[str, _Mean], JsonObject]
) -> list[JsonObject]:
    by_task: dict[str, list[RunScore]] = {}
    for score in read(root, benchmark, (system,)):
        if score.run["picked_on"] != "test":
            by_task.setdefault(score.task.id, []).append(score)
    if not by_task:
        raise SeluError(
            f"each score of {system} is of the checkpoint that does best on test data: 'selu run --system "
            f"{system} --protocol strict' makes one that a card can show."
        )
    return [entry(task, _mean(scores)) for task, scores in by_task.items()]


def _mean(scores: list[RunScore]) -> _Mean:
    """Average the validation-selected runs, or those of the authors' procedure if there are none."""
    whole = [score for score in scores if not score.sample] or scores
    chosen = [score for score in whole if score.protocol == "strict"] or whole
    variant = min(score.variant for score in chosen)  # none, where a run has none: variants are no seeds
    runs = [score for score in chosen if score.variant == variant]
    notes = [PROTOCOLS[runs[0].protocol], *(limit for limit in runs[0].limits if limit != PROTOCOLS["paper"])]
    notes.append(f"{runs[0].rows:,} test rows")
    notes += [f"mean of {len(runs)} seeds"] if len(runs) > 1 else []
    return _Mean(sum(run.value for run in runs) / len(runs), runs, ", ".join(notes))
