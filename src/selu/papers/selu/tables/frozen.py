"""Frozen sentence encoders under a linear head beside the same fine-tuned here, the baselines and Table VI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from selu.papers.selu.formats import frame, number, published, span
from selu.papers.selu.material import Material
from selu.papers.selu.records.finetuned import FinetunedCell, FrozenCell, ProtocolScore
from selu.papers.selu.records.reruns import Bounds, RerunCell
from selu.papers.selu.tables.baselines import DIRECTION, task_of
from selu.papers.selu.tables.finetune import TREES
from selu.papers.selu.words import EMPTY
from selu.papers.table import Table
from selu.vocabulary import Approach

Scores = Mapping[str, Bounds | None]  # by system


def beside(
    paper: Material,
    frozen: Sequence[FrozenCell],
    tuned: Sequence[FinetunedCell],
    baselines: Sequence[RerunCell],
) -> Table:
    """Tabulate validation-selected scores with their intervals, and Table VI's scores of the task.

    Args:
        frozen: entries of frozen.json.
        tuned: entries of finetuned.json.
        baselines: entries of cells.json.
    """
    rows, shown = [], {entry["task"]: task_of(entry) for entry in frozen}
    for task, scores in collect_scores(paper, frozen, tuned, baselines).items():
        row = {"Task": shown[task]}
        for name, found in scores.items():
            value, low, high = (found["value"], found["low"], found["high"]) if found else (None, None, None)
            row |= {name: number(value), f"{name}, 95 %": span(low, high)}
        rows.append(row | _published(paper, task))
    caption = (
        "Ours are validation-selected. C of a frozen encoder's head and the baselines' parameters are picked "
        "on validation rows; the best is fitted again on train and validation rows. The fine-tuned network "
        "learns from the train rows alone. Of several seeds the mean and the outermost bounds are shown. The "
        "last two columns are published in Table VI, whose authors picked on test rows. Ours take no rank "
        f"there. {DIRECTION}"
    )
    return Table("frozen", caption, frame(rows))


def best(
    paper: Material,
    frozen: Sequence[FrozenCell],
    tuned: Sequence[FinetunedCell],
    baselines: Sequence[RerunCell],
) -> str:
    """State how many tasks each system is best on, of the complete ones, and compare both frozen ones."""
    found = collect_scores(paper, frozen, tuned, baselines)
    whole = [scored for scores in found.values() if len(scored := _scored(scores)) == len(scores)]
    firsts = Counter(max(scores, key=lambda name: scores[name]["value"]) for scores in whole)
    places = ", ".join(f"{name} on {number}" for name, number in firsts.most_common())
    text = f"On {_tasks(len(whole))} every system of this table has a score of ours. Highest is {places}."
    small, large = dict.fromkeys(entry["name"] for entry in frozen)
    pairs = [scores for scores in map(_scored, found.values()) if small in scores and large in scores]
    above = [scores for scores in pairs if scores[large]["value"] > scores[small]["value"]]
    clear = sum(scores[large]["low"] > scores[small]["high"] for scores in above)
    return (
        f"{text} {large} is above {small} on {len(above)} of {_tasks(len(pairs))}, on {clear or 'none'} of "
        "them with an interval that lies above the other."
    )


def gain(
    paper: Material,
    frozen: Sequence[FrozenCell],
    tuned: Sequence[FinetunedCell],
    baselines: Sequence[RerunCell],
) -> str:
    """State on how many tasks each encoder scores higher when trained, and how much on average."""
    found, gains = list(map(_scored, collect_scores(paper, frozen, tuned, baselines).values())), []
    for kept in dict.fromkeys(entry["name"] for entry in frozen):
        name = kept.partition(" (")[0]
        pairs = [
            (trained["value"], scores[kept]["value"])
            for scores in found
            if kept in scores and (trained := scores.get(f"{name} (fine-tuned)"))
        ]
        if pairs:
            mean = sum(tuned_score - frozen_score for tuned_score, frozen_score in pairs) / len(pairs)
            higher = sum(tuned_score > frozen_score for tuned_score, frozen_score in pairs)
            gains.append(
                f"{name} on {higher} of {_tasks(len(pairs))}, "
                f"on average {abs(mean):.3f} {'higher' if mean >= 0 else 'lower'}"
            )
    if not gains:
        return "No task has both scores of an encoder, fine-tuned and frozen"
    return f"Fine-tuned above frozen: {'; '.join(gains)}"


def absent(frozen: Sequence[FrozenCell]) -> Table:
    """List the tasks without a score of a frozen encoder, with the reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in frozen:
        if entry["value"] is None:
            reasons.setdefault((entry["task"], entry["reason"] or EMPTY), []).append(entry["name"])
    every = len({entry["system"] for entry in frozen})
    rows = [
        {"Task": task, "System": "both" if len(names) == every else names[0], "Why": why}
        for (task, why), names in reasons.items()
    ]
    caption = "Tasks without a score of a frozen encoder." + ("" if rows else " There is none.")
    return Table("frozen_absent", caption, frame(rows))


def collect_scores(
    paper: Material,
    frozen: Sequence[FrozenCell],
    tuned: Sequence[FinetunedCell],
    baselines: Sequence[RerunCell],
) -> Mapping[str, Scores]:
    """Collect value, low and high by task and by system; None if there are none."""
    classical = {(entry["task"], entry["system"]): entry for entry in baselines}
    found: dict[str, dict[str, Bounds | None]] = {}
    for entry in frozen:
        task = entry["task"]
        if not (scores := found.setdefault(task, {})):
            scores |= {each["name"]: _known(each) for each in frozen if each["task"] == task}
            for other in tuned:
                if other["task"] == task:
                    scores[f"{other['name']} (fine-tuned)"] = _known(other["strict"])
            for system in paper.names(approach=Approach.BASELINE):
                cell = classical.get((task, system))
                scores[paper.system(system).name] = cell["strict"] if cell else None
    names = [entry["name"] for entry in frozen]
    return {task: scores for task, scores in found.items() if any(scores[name] for name in names)}


def _scored(scores: Scores) -> Mapping[str, Bounds]:
    return {name: score for name, score in scores.items() if score}


def _known(entry: FrozenCell | ProtocolScore) -> Bounds | None:
    return cast(Bounds, entry) if entry["value"] is not None else None


def _published(paper: Material, task: str) -> dict[str, str]:
    """Return the published scores of trees and of the best of the paper's fine-tuned systems."""
    texts = {cell.system: cell.published for cell in paper.cells if cell.task == task and cell.published}
    tuned = {name: texts[name] for name in paper.names(approach=Approach.FINETUNED) if name in texts}
    top = max(tuned, key=lambda name: float(str(tuned[name])), default=None)
    return {
        f"{paper.system(TREES).name}, published": published(texts.get(TREES)),
        "Best fine-tuned, published": f"{published(tuned[top])} ({paper.system(top).name})" if top else EMPTY,
    }


def _tasks(number: int) -> str:
    return f"{number} {'task' if number == 1 else 'tasks'}"
