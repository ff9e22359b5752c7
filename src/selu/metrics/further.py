"""Scores that a kind of task has beside those of its own module.

Each is decided by its own function, and by what that calls in this folder. So a new line here leaves stored
scores up to date: a run has the new one as soon as it is scored again.
"""

from __future__ import annotations

from collections.abc import Mapping

from selu.metrics.by_rows import Metric
from selu.metrics.correlation import matthews

FURTHER: Mapping[str, Mapping[str, Metric]] = {
    "binary": {"mcc": matthews},
    "multi_class": {"mcc": matthews},
}
