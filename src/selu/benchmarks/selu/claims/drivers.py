"""What explains the differences between scores: groups of tasks and systems, instances (V-B, VI)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.selu.aggregates import FAMILY_ROWS, tasks_of
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


@claim("C120", "VI first", "The volume of a task's data is likely a factor of its performance.")
def data_volume_is_a_factor(m: Material) -> Finding:
    """Refuted where Fisher's 95 % interval of the rank correlation with the mean score excludes +-.3 (medium).

    A correlation whose interval excludes zero makes it hold; anything between is left open, so a caveat.
    The interval takes Fieller's 1.06 for the variance of ranks; twenty tasks are too few to refute the claim.
    """
    from scipy import stats

    medium = 0.3
    scores = m.ranked[finetuned(m)]
    means, spread = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    instances = [m.task(str(task)).instances for task in means.index]
    rho = float(stats.spearmanr(instances, means.to_numpy()).statistic)
    half = float(stats.norm.ppf(1 - m.knobs.alpha / 2)) * float(np.sqrt(1.06 / (len(means) - 3)))
    low, high = (float(np.tanh(np.arctanh(min(max(rho, -0.999), 0.999)) + end)) for end in (-half, half))
    test = stats.spearmanr(instances, spread.to_numpy())
    rho_spread, p_spread = float(test.statistic), float(test.pvalue)
    differ = (
        f", but models differ {'more' if rho_spread < 0 else 'less'} on small tasks (instances and SD over the "
        f"{scores.shape[1]} models {rho_spread:.2f}, p = {p_spread:.2g})"
    )
    shown = f"No relation with the mean score is seen{differ if p_spread < m.knobs.alpha else ''}."
    return finding(
        low <= -medium or high >= medium,
        f"Over the {len(means)} ranked tasks, instances and mean fine-tuned score have a rank correlation of "
        f"{rho:+.2f} (95 % interval by Fisher's z {low:+.2f} to {high:+.2f}); the quality of the data, which "
        "VI names beside the volume, can't be checked.",
        caveat=shown if low <= 0 <= high else None,
        spearman=rho,
        interval=[low, high],
        spearman_with_sd_over_models=rho_spread,
        p_with_sd_over_models=p_spread,
        instances=dict(zip(map(str, means.index), instances, strict=True)),
        means={str(task): float(value) for task, value in means.items()},
        sd_over_models={str(task): float(value) for task, value in spread.items()},
    )


@claim("C125", "VI second", "Which model is fine-tuned matters little overall.")
def the_model_is_a_minor_factor(m: Material) -> Finding:
    """Little: no large share of the cells' variance (eta squared < .14), and less than half of the task's."""
    shares = _shares(m)
    scores = m.ranked[finetuned(m)]
    centred = scores.sub(scores.mean(axis=1), axis=0)
    within = _eta_squared(centred, [list(map(str, scores.columns))] * len(scores))
    caveat = f"With the tasks' means taken out, the model explains {percent(within)} of what is left."
    return finding(
        shares["single model"] < min(ETA_LARGE, shares["single task"] / 2),
        f"The model explains {percent(shares['single model'])} of the variance of the fine-tuned cells, the "
        f"task {percent(shares['single task'])}.",
        caveat=caveat if within >= ETA_LARGE else None,
        eta_squared={key: shares[key] for key in ("single model", "single task")},
        eta_squared_within_tasks=within,
    )
