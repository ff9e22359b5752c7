"""The claims of the competition's paper, one small function each, by what they are about."""

from __future__ import annotations

from selu.benchmarks.claims import declared_in
from selu.benchmarks.nlbse24.claims import (
    categories_won,
    comment_data,
    comment_files,
    comment_results,
    distribution,
    issue_averages,
    issue_data,
    issue_models,
    issue_ranking,
    participation,
    score,
)
from selu.vocabulary import Claim

_PARTS = (
    *(participation, issue_data, issue_averages, issue_ranking, issue_models),
    *(comment_data, comment_files, distribution, comment_results, categories_won, score),
)

CLAIMS: tuple[Claim, ...] = declared_in(_PARTS)
