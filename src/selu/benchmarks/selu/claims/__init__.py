"""The claims of the SELU paper, one small function each, by what they are about, in the paper's order."""

from __future__ import annotations

from selu.benchmarks.claims import declared_in
from selu.benchmarks.selu.claims import (
    adaptation,
    aggregate_rows,
    baselines,
    best_systems,
    conclusions,
    datasets,
    drivers,
    evidence,
    figure5,
    large_group,
    matched_pairs,
    metrics,
    prompting,
    prompting_gap,
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
    tuning,
    uncertainty,
)
from selu.vocabulary import Claim

_PARTS = (
    *(tasks, systems, datasets, related_work),
    *(metrics, splits, scripts, training, tuning, prompting),
    *(table4, sample, large_group, best_systems, baselines, conclusions),
    *(uncertainty, evidence, figure5, tier1, tier2, tier3, tier4),
    *(size_and_architecture, aggregate_rows, adaptation, matched_pairs, task_groups, drivers, prompting_gap),
)

CLAIMS: tuple[Claim, ...] = declared_in(_PARTS)
