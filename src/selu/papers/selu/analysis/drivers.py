"""Groups of fine-tuned systems and of tasks that the paper names as possible drivers (section V-B)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from selu.papers.selu.records.statistics import Statistics, SystemEntry
from selu.papers.selu.words import FAMILIES, TYPES
from selu.stats.intervals import t_interval
from selu.vocabulary import Approach, Kind

LEVEL = 0.05  # one interval at a time: groups are described, not compared
ARCHITECTURES = ("encoder-only", "decoder-only", "encoder-decoder")
ADAPTATIONS = ("generalist", "domain-adapted")
ARCHITECTURE, FAMILY, TYPE = "architecture", "family", "type"


@dataclass(frozen=True)
class Group:
    """Values of one group (means per system, or per task) with their mean and Student interval."""

    driver: str
    label: str
    part: str | None  # adaptation, where a group of tasks is split by it
    unit: str  # the unit of a value: systems or tasks
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(np.mean(self.values))

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of the mean at level ``LEVEL``; None for a single value."""
        if len(self.values) < 2:
            return None
        lower, upper = t_interval(np.array(self.values)[:, None], LEVEL)
        return float(lower[0]), float(upper[0])


def finetuned(statistics: Statistics) -> list[SystemEntry]:
    """Return the fine-tuned systems, in rank order."""
    return [s for s in statistics["systems"] if s["approach"] == Approach.FINETUNED.value]


def scores(statistics: Statistics) -> pd.DataFrame:
    """Return printed scores of the ranked tasks, tasks x systems."""
    ranked = [task["id"] for task in statistics["tasks"] if task["ranked"]]
    cells = pd.DataFrame(statistics["cells"])
    table = cells.assign(score=pd.to_numeric(cells["printed"])).pivot(
        index="task", columns="system", values="score"
    )
    return table.loc[ranked]


def groups(statistics: Statistics) -> list[Group]:
    """Return groups by architecture (over systems), then by family and by type x adaptation (over tasks)."""
    return [
        *_by_architecture(statistics),
        *_by_tasks(statistics, FAMILY, {family.value: name for family, name in FAMILIES.items()}),
        *_by_tasks(statistics, TYPE, TYPES),
    ]


def _by_architecture(statistics: Statistics) -> Iterator[Group]:
    for architecture in ARCHITECTURES:
        means = [s["M"] for s in finetuned(statistics) if s["architecture"] == architecture]
        yield Group(ARCHITECTURE, architecture, None, "systems", tuple(means))


def _by_tasks(statistics: Statistics, driver: str, labels: Mapping[str, str]) -> Iterator[Group]:
    table = scores(statistics)
    key: Literal["family", "kind"] = "family" if driver == FAMILY else "kind"
    for value, label in labels.items():
        if value in (Kind.ENTITIES.value, Kind.MASKED.value):
            continue  # not every architecture answers these
        tasks = [task["id"] for task in statistics["tasks"] if task["ranked"] and task[key] == value]
        for adaptation in ADAPTATIONS:
            members = [s["id"] for s in finetuned(statistics) if s["adaptation"] == adaptation]
            per_task = table.loc[tasks, members].mean(axis=1)
            yield Group(driver, f"{label}, {adaptation}", adaptation, "tasks", tuple(per_task))
