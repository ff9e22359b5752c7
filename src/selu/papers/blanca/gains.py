"""Two encoders on the same pairs: a tuned one minus the frozen one, and USE beside a relative of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from selu.files import to_json
from selu.metrics.percentiles import Resampling
from selu.papers.blanca import encoders, relative
from selu.papers.blanca.evaluators import correlation, resampling, separation
from selu.papers.blanca.records import Difference, Gain, Gains
from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.vocabulary import RunState, SeluError

LEARNER = "pairs-tuned"
FROZEN = "all-minilm-l6-v2"  # what the tuned ones are made from
# The score that is compared for each kind of training task, and the function that prepares it.
SCORES: Mapping[str, tuple[str, Callable[..., resampling.Score]]] = {
    "pair_correlation": ("r", correlation.correlator),
    "pair_separation": ("auc", separation.separator),
}


def collect(evidence: Evidence, _progress: Progress) -> Mapping[str, str | bytes]:
    """Compare every tuned encoder that is here with the frozen one, and USE's relative with the published USE.

    Raises:
        SeluError: there is none, or a run's rows are not here; as of ``relative.hold``.
    """
    declared = evidence.settings("systems", dict[str, dict[str, Any]])
    tuned = [name for name, system in declared.items() if system["learner"] == LEARNER]
    runs = [run for run in evidence.runs(systems=[FROZEN, *tuned]) if run.state == RunState.PRESENT]
    frozen = {run.task.id: run for run in runs if run.system == FROZEN}
    found = [
        _compare(evidence, run, frozen[run.task.id])
        for run in runs
        if run.system != FROZEN and run.task.id in frozen
    ]
    if not found:
        raise SeluError(
            "results/blanca holds no tuned encoder: run 'dvc pull', or "
            f"'selu run --paper blanca --system {tuned[0] if tuned else 'NAME'}'."
        )
    record: Gains = {"finding": finding(found), "runs": found, "relative": relative.hold(evidence)}
    return {"tuning.json": to_json(record)}


def _compare(evidence: Evidence, run: RunSeen, base: RunSeen) -> Gain:
    rows = evidence.test_rows(run)
    tuned, frozen = (np.array(list(evidence.answers(each, rows).values())) for each in (run, base))
    truth, kept = rows["label"].to_numpy(dtype=np.float64), (rows["grouped"] == "test").to_numpy()
    kind = str(run.task.kind)
    params, training = run.record["chosen"], run.record["told"]
    return {
        "task": run.task.id,
        "system": run.system,
        "name": encoders.NAMES.get(run.system, run.system),
        "seed": run.seed,
        "learnt": training["pairs"],
        "validated": training["validated"],
        "steps": params["steps"],
        "batch": params["batch"],
        "rate": params["rate"],
        "tokens": params["tokens"],
        "looks": training["looks"],
        "cpu_seconds": training["cpu"],
        **difference(kind, truth, tuned, frozen, evidence.draws),
        "without_near_copies": difference(kind, truth[kept], tuned[kept], frozen[kept], evidence.draws),
    }


def difference(
    kind: str, truth: ArrayLike, tuned: ArrayLike, frozen: ArrayLike, draws: Resampling
) -> Difference:
    """Score both on the same pairs, and resample the pairs for the interval of the difference.

    Args:
        kind: of the task, a key of ``SCORES``.
        truth: distance of the classes, or whether they are related.
        tuned, frozen: distances of the embeddings, one for each pair.
    """
    name, prepare = SCORES[kind]
    scores, pairs = [prepare(truth, near) for near in (tuned, frozen)], np.size(truth)

    def measure(counts: resampling.Array) -> Mapping[str, float]:
        of_tuned, of_frozen = (score(counts)[name] for score in scores)
        return {"tuned": of_tuned, "frozen": of_frozen, "difference": of_tuned - of_frozen}

    found = measure(np.ones(pairs))
    return {
        "pairs": pairs,
        "score": name,
        "tuned": found["tuned"],
        "frozen": found["frozen"],
        "difference": found["difference"],
        "interval": resampling.intervals(measure, pairs, draws, ("difference",))["difference"],
    }


def finding(found: Sequence[Gain]) -> str:
    """State for how many tuned encoders the interval of the difference lies above 0, and below."""
    above = [gain for gain in found if gain["interval"]["low"] > 0]
    below = [gain for gain in found if gain["interval"]["high"] < 0]
    sentence = (
        f"Tuning raises the score of MiniLM-L6 on {len(above) or 'none'} of {len(found)} tasks and trainings, "
        f"and lowers it on {len(below) or 'none'} (95 % interval of the difference, resampled pairs)."
    )
    best = max(found, key=lambda gain: gain["difference"])
    apart, task = best["without_near_copies"]["difference"], best["task"].replace("_", " ")
    return sentence + (
        f" The largest difference is {best['difference']:+.3f}, of {best['name']} on {task}; on test pairs "
        f"without a near copy among train pairs it is {apart:+.3f}."
    )
