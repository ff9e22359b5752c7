"""What explains the differences between scores: groups of tasks and systems, instances (V-B, VI)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from selu.papers.claims import claim, finding, joined, listed, percent, rounding, scope
from selu.papers.selu.analysis.aggregates import FAMILY_ROWS, HALF_WIDTH, tasks_of
from selu.papers.selu.claims._questions import TASKS
from selu.papers.selu.claims._systems import finetuned, size_range
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding

if TYPE_CHECKING:
    import pandas as pd

QUESTION = TASKS

ETA_MEDIUM, ETA_LARGE = 0.06, 0.14  # Cohen's cuts for a share of variance
COHEN = "Cohen 1988"
ROUNDED = rounding("Rounding of the scores can turn a comparison.")


class Share(NamedTuple):
    """Share of variance that a grouping explains, and by how much rounding of the scores can move it."""

    value: float
    margin: float


def _eta_squared(scores: pd.DataFrame, labels: list[list[str]]) -> Share:
    """Return the share of the variance of all scores that lies between the groups in ``labels``."""
    values, names = scores.to_numpy(dtype=np.float64).ravel(), np.array(labels).ravel()
    group_means = np.zeros_like(values)
    for name in np.unique(names):
        group_means[names == name] = values[names == name].mean()
    mean = values.mean()
    total = float(np.sum((values - mean) ** 2))
    if total == 0:
        return Share(0.0, 0.0)
    eta = float(np.sum((group_means - mean) ** 2)) / total
    slope = 2 * ((group_means - mean) - eta * (values - mean)) / total  # of eta, score by score
    return Share(eta, float(np.abs(slope).sum()) * HALF_WIDTH)


def _shares(paper: Material) -> Mapping[str, Share]:
    """Return eta squared of every candidate driver over the fine-tuned x ranked scores."""
    scores = paper.ranked[paper.names(approach=Approach.FINETUNED)]
    tasks = [paper.task(str(task)) for task in scores.index]
    systems = [paper.system(str(system)) for system in scores.columns]
    by_task = {
        "task type": [str(task.kind) for task in tasks],
        "task family": [str(task.family) for task in tasks],
        "life-cycle activity": [str(task.activity) for task in tasks],
        "single task": [task.id for task in tasks],
    }
    by_system = {
        "architecture": [str(system.architecture) for system in systems],
        "model size": [size_range(system.parameters) for system in systems],
        "adaptation": [str(system.adaptation) for system in systems],
        "series": [str(system.series) for system in systems],
        "single model": [system.id for system in systems],
    }
    shares = {key: _eta_squared(scores, [[x] * len(systems) for x in names]) for key, names in by_task.items()}
    return shares | {key: _eta_squared(scores, [names] * len(tasks)) for key, names in by_system.items()}


def _close(pairs: Iterable[tuple[Share, Share]]) -> bool:
    """Return whether rounding can turn one of these comparisons."""
    return any(abs(a.value - b.value) <= a.margin + b.margin for a, b in pairs)


def _cut(value: float) -> Share:
    return Share(value, 0.0)


@claim(
    "C087",
    "V-B, VIII",
    "Among family, type, architecture, size and adaptation, the task type alone predicts performance.",
    weight="conclusion",
    if_it_fails="Another property than the type of task would predict how well a model does.",
    quote="There are no evident performance drivers other than the task type as a proxy of complexity.",
    holds="Over the fine-tuned scores, the task type explains at least 6 % of the variance (eta squared), more "
    "than family, architecture, size or adaptation, and each of these explains less than 6 %.",
    caveat="A grouping that V-B doesn't try (activity, series of models) reaches 6 %, too, or rounding of the "
    "scores can turn a comparison.",
    fails="One of the four explains 6 % or more, or more than the type, or the type explains less than 6 %.",
    thresholds={"6 %": f"{COHEN}: a medium share of variance"},
)
def task_type_is_the_only_evident_driver(paper: Material) -> Finding:
    """Compare the drivers, with size in five ranges of parameters."""
    shares, medium = _shares(paper), _cut(ETA_MEDIUM)
    kind, rivals = shares["task type"], [shares[key] for key in _RIVALS]
    wider = [key for key in ("life-cycle activity", "series") if shares[key].value >= ETA_MEDIUM]
    untried = (
        f"A grouping that V-B does not try reaches a medium share, too ({_named(shares, wider)}); the single "
        f"task explains {percent(shares['single task'].value)}, much more than its type."
    )
    near = _close([(kind, medium), *((rival, medium) for rival in rivals), *((kind, r) for r in rivals)])
    top = max(rival.value for rival in rivals)
    return finding(
        kind.value > top and top < ETA_MEDIUM <= kind.value,
        f"The task type explains {percent(kind.value)} of the variance of the fine-tuned scores, "
        f"{_named(shares, _RIVALS)}.",
        caveat=joined([text for text, applies in ((scope(untried), wider), (ROUNDED, near)) if applies]),
        eta_squared={key: share.value for key, share in shares.items()},
    )


_RIVALS = ("task family", "architecture", "model size", "adaptation")


def _named(shares: Mapping[str, Share], keys: Iterable[str]) -> str:
    return listed(f"{key} {percent(shares[key].value)}" for key in keys)


@claim(
    "C088",
    "VI first",
    "Mean performance does not vary strongly across the three task families.",
    weight="conclusion",
    if_it_fails="Results would not carry over from one family of tasks to another.",
    quote="we do not observe a strong performance variation across task families",
    holds="The three families' means do not differ significantly in an F test on the tasks' means (p above "
    "0.05), and the family explains less than 6 % of the variance of the fine-tuned scores.",
    caveat="Rounding of the scores can bring that share to 6 %.",
    fails="They differ significantly, or the family explains 6 % or more.",
    thresholds={
        "0.05": "section IV-D, the level of its intervals",
        "6 %": f"{COHEN}: a medium share of variance",
    },
)
def families_do_not_differ_strongly(paper: Material) -> Finding:
    """Compare the families' means; a task's mean is that of its fine-tuned scores."""
    from scipy import stats

    means = paper.ranked[paper.names(approach=Approach.FINETUNED)].mean(axis=1)
    groups = {row: means[tasks_of(paper, row)] for row in FAMILY_ROWS}
    test = stats.f_oneway(*(group.to_numpy() for group in groups.values()))
    share = _shares(paper)["task family"]
    family_means = {row: float(group.mean()) for row, group in groups.items()}
    return finding(
        float(test.pvalue) > paper.settings.alpha and share.value < ETA_MEDIUM,
        f"The families' means are {listed(f'{row} {mean:.3f}' for row, mean in family_means.items())}: "
        f"F = {float(test.statistic):.2f}, p = {float(test.pvalue):.2f} on the tasks' means, and the family "
        f"explains {percent(share.value)} of the variance of the scores.",
        caveat=ROUNDED if _close([(share, _cut(ETA_MEDIUM))]) else None,
        means=family_means,
        f=float(test.statistic),
        p=float(test.pvalue),
        eta_squared=share.value,
    )


@claim(
    "C089",
    "VI first",
    "Performance varies notably from task to task.",
    weight="conclusion",
    if_it_fails="A result on one task would tell what to expect on the others.",
    quote="performance is notably variable across individual tasks",
    holds="The task explains at least 14 % of the variance of the fine-tuned scores, and more than the model "
    "does.",
    caveat="Rounding of the scores can turn a comparison.",
    fails="The task explains less, or no more than the model.",
    thresholds={"14 %": f"{COHEN}: a large share of variance"},
)
def tasks_differ_notably(paper: Material) -> Finding:
    """Compare the shares of variance (eta squared)."""
    shares = _shares(paper)
    task, model = shares["single task"], shares["single model"]
    means = paper.ranked[paper.names(approach=Approach.FINETUNED)].mean(axis=1)
    return finding(
        task.value >= ETA_LARGE and task.value > model.value,
        f"The task explains {percent(task.value)} of the variance of the fine-tuned scores, the "
        f"model {percent(model.value)}; tasks' means run from {means.min():.3f} ({means.idxmin()}) "
        f"to {means.max():.3f} ({means.idxmax()}).",
        caveat=ROUNDED if _close([(task, _cut(ETA_LARGE)), (task, model)]) else None,
        eta_squared={"single task": task.value, "single model": model.value},
        task_means={str(task): float(value) for task, value in means.items()},
    )


@claim(
    "C125",
    "VI second",
    "Which model is fine-tuned matters little overall.",
    weight="conclusion",
    if_it_fails="Which model is fine-tuned would matter, and it should be chosen with care.",
    quote="the model choice seems to be a minor factor overall",
    holds="The model explains less than 14 % of the variance of the fine-tuned scores, and less than half of "
    "what the task explains.",
    caveat="With the tasks' means taken out, the model explains 14 % or more of what is left, or rounding of "
    "the scores can turn a comparison.",
    fails="The model explains 14 % or more, or half of what the task explains or more.",
    thresholds={"14 %": f"{COHEN}: a large share of variance", "half": "our choice: clearly the lesser of two"},
)
def the_model_is_a_minor_factor(paper: Material) -> Finding:
    """Compare the shares of variance (eta squared)."""
    shares = _shares(paper)
    model, task = shares["single model"], shares["single task"]
    scores = paper.ranked[finetuned(paper)]
    centred = scores.sub(scores.mean(axis=1), axis=0)
    within = _eta_squared(centred, [list(map(str, scores.columns))] * len(scores)).value
    left = f"With the tasks' means taken out, the model explains {percent(within)} of what is left."
    near = _close([(model, _cut(ETA_LARGE)), (model, Share(task.value / 2, task.margin / 2))])
    return finding(
        model.value < min(ETA_LARGE, task.value / 2),
        f"The model explains {percent(model.value)} of the variance of the fine-tuned scores, the "
        f"task {percent(task.value)}.",
        caveat=joined(
            [text for text, applies in ((scope(left), within >= ETA_LARGE), (ROUNDED, near)) if applies]
        ),
        eta_squared={"single model": model.value, "single task": task.value},
        eta_squared_within_tasks=within,
    )
