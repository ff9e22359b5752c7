"""V-A's large group: the models with a published mean of .709 or more."""

from __future__ import annotations

from functools import wraps

from selu.papers.claims import Check, finding
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding

LOW = 0.709  # the lowest mean of the large group, as V-A gives it


def published_mean(paper: Material, system: str) -> float:
    """Return M as Table IV has it."""
    return paper.number("table4", paper.system(system).name, "M")


def large_group(paper: Material) -> list[str]:
    """Return fine-tuned models whose published mean is at least .709, in rank order: V-A's large group."""
    tuned = paper.names(approach=Approach.FINETUNED)
    return [name for name in paper.order if name in tuned and published_mean(paper, name) >= LOW]


def with_group(check: Check) -> Check:
    """Return a check that fails with a reason where altered printed means leave no group to look at."""

    @wraps(check)
    def guarded(paper: Material) -> Finding:
        size = len(large_group(paper))
        if size < 3:
            return finding(False, f"By the published means the large group has {size} models.", group=size)
        return check(paper)

    return guarded
