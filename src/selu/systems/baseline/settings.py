"""Parameters of the baselines (``params.yaml``, shared.baselines)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt, MinLen

from selu.project import Settings

Seed = Annotated[int, Ge(1), Lt(2**31)]
Count = Annotated[int, Ge(1)]


def refuse_repeats(*lists: tuple[float | str, ...]) -> None:
    """Raise ValueError where one of these lists holds a value twice."""
    for values in lists:
        if len(set(values)) < len(values):
            raise ValueError(f"{list(values)} holds a value twice")


@dataclass(frozen=True)
class XgboostSettings(Settings):
    """The grid of TF-IDF+XGBoost; ``seed`` is handed on, though nothing in the default trees is random.

    ``squared_error`` names binary tasks whose trees are grown on squared error, as in the authors' older run.
    """

    max_depth: Annotated[tuple[Count, ...], MinLen(1)]
    min_child_weight: Annotated[tuple[Annotated[int | float, Ge(0)], ...], MinLen(1)]
    seed: Seed
    squared_error: tuple[str, ...]

    def __post_init__(self) -> None:
        refuse_repeats(self.max_depth, self.min_child_weight, self.squared_error)


@dataclass(frozen=True)
class FastTextSettings(Settings):
    """The grid of FastText, its decision threshold for several labels, and the vectors of its regression.

    ``quoted`` and ``threads`` are of the authors' script; both protocols keep them, so that they differ in the
    picking alone.
    """

    lr: Annotated[tuple[Annotated[float, Gt(0)], ...], MinLen(1)]
    epoch: Annotated[tuple[Count, ...], MinLen(1)]
    threshold: Annotated[float, Gt(0), Lt(1)]
    quoted: bool
    threads: Count
    vector_dim: Count
    vector_epoch: Count
    vectors: str | None
    seeds: Annotated[tuple[Seed, ...], MinLen(1)]

    def __post_init__(self) -> None:
        refuse_repeats(self.lr, self.epoch, self.seeds)


@dataclass(frozen=True)
class BaselineSettings(Settings):
    """Grids of both baselines."""

    tfidf_xgboost: XgboostSettings
    fasttext: FastTextSettings


@dataclass(frozen=True)
class BootstrapSettings(Settings):
    """Intervals of scores over test rows: resamples, their seed, and the level of the interval."""

    draws: Annotated[int, Ge(100), Le(1_000_000)]
    seed: Annotated[int, Ge(0), Lt(2**32)]
    level: Annotated[float, Gt(0), Lt(1)]
