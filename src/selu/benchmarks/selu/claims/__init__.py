"""The claims of the SELU paper, one small function each, by what they are about, in the paper's order."""

from __future__ import annotations

from selu.benchmarks.claims import declared_in
from selu.benchmarks.selu.claims import (
    adaptation,
    adaptation_effects,
    aggregate_rows,
    baselines,
    best_systems,
    drivers,
    figure5,
    large_group,
    larger_models,
    low_ranks,
    matched_pairs,
    metrics,
    prompting,
    related_work,
    sample,
    scripts,
    size_and_architecture,
    splits,
    systems,
    table4,
    task_groups,
    tasks,
    tier1,
    tier2,
    tier3,
    tier4,
    training,
    uncertainty,
)
from selu.vocabulary import Claim

_PARTS = (
    *(tasks, systems, related_work),
    *(metrics, splits, scripts, training, prompting),
    *(table4, sample, large_group, best_systems, baselines),
    *(uncertainty, figure5, tier1, tier2, tier3, tier4, low_ranks),
    *(
        size_and_architecture,
        larger_models,
        aggregate_rows,
        adaptation,
        adaptation_effects,
        matched_pairs,
        task_groups,
        drivers,
    ),
)

CLAIMS: tuple[Claim, ...] = declared_in(_PARTS)
