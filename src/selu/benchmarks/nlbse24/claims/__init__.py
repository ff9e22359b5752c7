"""The claims of the competition's paper, one small function each, by what they are about."""

from __future__ import annotations

from selu.benchmarks.claims import declared_in
from selu.benchmarks.nlbse24.claims import (
    comment_data,
    comment_results,
    distribution,
    issue_averages,
    issue_data,
    issue_ranking,
    participation,
    score,
)
from selu.vocabulary import Claim

_PARTS = (
    *(participation, issue_data, issue_averages, issue_ranking),
    *(comment_data, distribution, comment_results, score),
)

CLAIMS: tuple[Claim, ...] = declared_in(_PARTS)
