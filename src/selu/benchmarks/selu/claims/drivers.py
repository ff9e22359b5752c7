"""What explains the differences between scores: groups of tasks and systems, instances (V-B, VI)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from selu.benchmarks.selu.aggregates import FAMILY_ROWS, tasks_of
from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent
from selu.benchmarks.selu.claims._systems import finetuned, size_range
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Finding

ETA_MEDIUM, ETA_LARGE = 0.06, 0.14  # Cohen's cuts for a share of variance


def _eta_squared(scores: pd.DataFrame, labels: list[list[str]]) -> float:
    """Share of the variance of all cells that lies between the groups that ``labels`` name cell by cell."""
    values, names = scores.to_numpy(dtype=np.float64).ravel(), np.array(labels).ravel()
    mean = values.mean()
    between = sum(
        float(np.sum(names == name) * (values[names == name].mean() - mean) ** 2) for name in np.unique(names)
    )
    total = float(np.sum((values - mean) ** 2))
    return between / total if total > 0 else float("nan")


def _shares(m: Material) -> dict[str, float]:
    """Eta squared of every candidate driver over the fine-tuned x ranked cells."""
    scores = m.ranked[m.names(approach=Approach.FINETUNED)]
    tasks = [m.task(str(task)) for task in scores.index]
    systems = [m.system(str(system)) for system in scores.columns]
    by_task = {
        "task type": [str(t.kind) for t in tasks],
        "task family": [str(t.family) for t in tasks],
        "life-cycle activity": [str(t.activity) for t in tasks],
        "single task": [t.id for t in tasks],
    }
    by_system = {
        "architecture": [str(s.architecture) for s in systems],
        "model size": [size_range(s.parameters) for s in systems],
        "adaptation": [str(s.adaptation) for s in systems],
        "series": [str(s.series) for s in systems],
        "single model": [s.id for s in systems],
    }
    shares = {key: _eta_squared(scores, [[x] * len(systems) for x in names]) for key, names in by_task.items()}
    return shares | {key: _eta_squared(scores, [names] * len(tasks)) for key, names in by_system.items()}


@claim(
    "C087",
    "V-B, VIII",
    "Among family, type, architecture, size and adaptation, the task type alone predicts performance.",
)
def task_type_is_the_only_evident_driver(m: Material) -> Finding:
    """Predicts: the largest eta squared of the fine-tuned cells; alone: the others below .06 (medium)."""
    shares = _shares(m)
    named = ("task family", "architecture", "model size", "adaptation")
    rivals = {key: shares[key] for key in named}
    wider = {key: shares[key] for key in ("life-cycle activity", "series") if shares[key] >= ETA_MEDIUM}
    grouped = listed(f"{key} {percent(value)}" for key, value in wider.items())
    caveat = (
        f"A grouping that V-B does not try reaches a medium share, too ({grouped}); the single task explains "
        f"{percent(shares['single task'])}, much more than its type."
    )
    return finding(
        shares["task type"] > max(rivals.values()) and max(rivals.values()) < ETA_MEDIUM <= shares["task type"],
        f"The task type explains {percent(shares['task type'])} of the variance of the fine-tuned cells, "
        f"{listed(f'{key} {percent(value)}' for key, value in rivals.items())}.",
        caveat=caveat if wider else None,
        eta_squared=shares,
    )


@claim("C088", "VI first", "Mean performance does not vary strongly across the three task families.")
def families_do_not_differ_strongly(m: Material) -> Finding:
    """Strongly: significant in an F test on the tasks' means, or eta squared of the cells at .06 or more."""
    from scipy import stats

    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    groups = {row: means[tasks_of(m, row)] for row in FAMILY_ROWS}
    test = stats.f_oneway(*(group.to_numpy() for group in groups.values()))
    share = _shares(m)["task family"]
    family_means = {row: float(group.mean()) for row, group in groups.items()}
    return finding(
        float(test.pvalue) > m.knobs.alpha and share < ETA_MEDIUM,
        f"The families' means are {listed(f'{row} {mean:.3f}' for row, mean in family_means.items())}: "
        f"F = {float(test.statistic):.2f}, p = {float(test.pvalue):.2f} on the tasks' means, and the family "
        f"explains {percent(share)} of the variance of the cells.",
        means=family_means,
        f=float(test.statistic),
        p=float(test.pvalue),
        eta_squared=share,
    )


@claim("C089", "VI first", "Performance varies notably from task to task.")
def tasks_differ_notably(m: Material) -> Finding:
    """Notably: a large share of the fine-tuned cells' variance (eta squared >= .14), above the models' own."""
    shares = _shares(m)
    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    return finding(
        shares["single task"] >= ETA_LARGE and shares["single task"] > shares["single model"],
        f"The task explains {percent(shares['single task'])} of the variance of the fine-tuned cells, the "
        f"model {percent(shares['single model'])}; tasks' means run from {means.min():.3f} ({means.idxmin()}) "
        f"to {means.max():.3f} ({means.idxmax()}).",
        eta_squared={key: shares[key] for key in ("single task", "single model")},
        task_means={str(task): float(value) for task, value in means.items()},
    )


@claim("C120", "VI first", "How many instances a task has is likely a factor of its performance.")
def data_volume_is_a_factor(m: Material) -> Finding:
    """A factor: rank correlation of instances and mean fine-tuned score over the ranked tasks, p below .05."""
    from scipy import stats

    means = m.ranked[finetuned(m)].mean(axis=1)
    instances = [m.task(str(task)).instances for task in means.index]
    test = stats.spearmanr(instances, means.to_numpy())
    rho, p = float(test.statistic), float(test.pvalue)
    return finding(
        rho > 0 and p < m.knobs.alpha,
        f"Over the {len(means)} ranked tasks, instances and mean fine-tuned score have a rank correlation of "
        f"{rho:.2f} (p = {p:.2f}).",
        spearman=rho,
        p=p,
        instances=dict(zip(map(str, means.index), instances, strict=True)),
        means={str(task): float(value) for task, value in means.items()},
    )
