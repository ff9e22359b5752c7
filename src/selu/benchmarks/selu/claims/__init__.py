"""The claims of the SELU paper, one small function each, by the part of the paper they stand in."""

from __future__ import annotations

from selu.benchmarks.selu.claims import discussion, drivers, protocol, ranking, scope, tiers
from selu.vocabulary import Claim

_PARTS = (scope, protocol, ranking, tiers, drivers, discussion)

CLAIMS: tuple[Claim, ...] = tuple(
    sorted(
        (value for part in _PARTS for value in vars(part).values() if isinstance(value, Claim)),
        key=lambda claim: claim.id,
    )
)
