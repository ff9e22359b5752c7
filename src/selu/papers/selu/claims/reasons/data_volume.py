"""Whether tasks with more data have higher scores (VI)."""

from __future__ import annotations

from typing import Any

import numpy as np

from selu.papers.claims import claim, finding
from selu.papers.selu.analysis.aggregates import FloatArray
from selu.papers.selu.claims._questions import TASKS
from selu.papers.selu.claims._systems import finetuned
from selu.papers.selu.material import Material
from selu.vocabulary import Finding, Verdict

QUESTION = TASKS
COHEN = "Cohen 1988"
SMALL_CORRELATION = 0.1  # Cohen's cut


def rank_interval(rho: float | FloatArray, n: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return Fisher's interval of rank correlations, with Fieller's 1.06 for the variance of ranks."""
    from scipy import stats

    half, z = stats.norm.ppf(1 - alpha / 2) * np.sqrt(1.06 / (n - 3)), np.arctanh(np.clip(rho, -0.999, 0.999))
    return np.tanh(z - half), np.tanh(z + half)


@claim(
    "C120",
    "VI first",
    "The volume of a task's data is likely a factor of its performance.",
    weight="conclusion",
    if_it_fails="More data for a task could not be expected to raise its scores.",
    quote="individual task types (and likely data quality and volume) are a factor",
    holds="Tasks with more instances have the higher mean of fine-tuned scores: the 95 % interval of the rank "
    "correlation lies above zero. It cannot be checked while the interval has both zero and 0.1 inside.",
    fails="The interval lies below 0.1, so that no correlation that counts fits the scores.",
    thresholds={
        "95 %": "section IV-D, the level of its intervals. With 20 tasks the claim fails in 0.3 % of draws at "
        "a true correlation of .3, and holds in 2.3 % at one of 0 (computed with 200,000 normal samples)",
        "0.1": f"{COHEN}: the smallest correlation that counts as small",
    },
)
def data_volume_is_a_factor(paper: Material) -> Finding:
    """Correlate the scores with the instances that Table I gives."""
    from scipy import stats

    scores = paper.ranked[finetuned(paper)]
    means, spread = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    instances = [paper.number("table1", str(task), "Instances") for task in means.index]
    rho = float(np.nan_to_num(stats.spearmanr(instances, means.to_numpy()).statistic))
    low, high = (float(end) for end in rank_interval(rho, len(means), paper.settings.alpha))
    test = stats.spearmanr(instances, spread.to_numpy())
    rho_spread, p_spread = (float(np.nan_to_num(v, nan=1.0)) for v in (test.statistic, test.pvalue))
    differ = (
        f" Models differ {'more' if rho_spread < 0 else 'less'} on small tasks: instances and standard "
        f"deviation over the {scores.shape[1]} models correlate by {rho_spread:.2f} (p = {p_spread:.2g})."
    )
    because = (
        f"Over the {len(means)} ranked tasks, instances and mean fine-tuned score have a rank correlation "
        f"of {rho:+.2f} (95 % interval {low:+.2f} to "
        f"{high:+.2f}).{differ if p_spread < paper.settings.alpha else ''} The quality of the data, which "
        "VI names "
        "beside the volume, can't be checked."
    )
    numbers: dict[str, Any] = {
        "spearman": rho,
        "interval": [low, high],
        "spearman_with_sd_over_models": rho_spread,
        "p_with_sd_over_models": p_spread,
        "instances": dict(zip(map(str, means.index), instances, strict=True)),
        "means": {str(task): float(value) for task, value in means.items()},
        "sd_over_models": {str(task): float(value) for task, value in spread.items()},
    }
    if low <= 0 and high >= SMALL_CORRELATION:
        few = f" {len(means)} tasks are too few to tell a correlation from none."
        return Finding(Verdict.NOT_CHECKABLE, f"{because}{few}", numbers)
    return finding(low > 0, because, **numbers)
