"""The kinds of tasks: what is asked of one, wherever rows are read, answers kept and scores computed.

The shared kinds are here; a benchmark brings others (``Benchmark.kinds``), which the registry adds by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selu.names import nearest
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Scores = Mapping[str, Any]
ROW = "row"  # column in which a row of several columns is handed to learners


@dataclass(frozen=True, slots=True)
class KindSpec:
    """A kind of task that a benchmark adds.

    Attributes:
        name: as ``Task.kind`` has it.
        columns: of a row, beside id, label, group and source.
        metric: the score that stands for a run; ``lower_is_better`` says which way.
        intervals: scores, of one number each, that get a bootstrap interval.
        evaluate: truth, answers, names of the labels -> scores by name.
        arrow: how an answer is stored.
        check: refuses rows (a table with ``columns`` and ``label``) that are none of the kind by a SeluError.
        made_with: modules that decide a score, hashed into it.
    """

    name: str
    columns: tuple[str, ...]
    metric: str
    evaluate: Callable[[Sequence[Any], Sequence[Any], Sequence[str]], Scores]
    arrow: Callable[[], pa.DataType]
    intervals: tuple[str, ...]
    made_with: tuple[str, ...]
    check: Callable[[pd.DataFrame, Task], None] | None = None
    lower_is_better: bool = False


_ADDED: dict[str, KindSpec] = {}


def add(spec: KindSpec) -> None:
    """Add a kind that a benchmark brings.

    Raises:
        SeluError: another kind has its name.
    """
    with suppress(ValueError):
        raise SeluError(f"its kind {Kind(spec.name)} is a shared one: name it otherwise")
    if _ADDED.setdefault(spec.name, spec) is not spec:
        raise SeluError(f"another benchmark has a kind {spec.name}: name it otherwise")


def added(name: str) -> KindSpec | None:
    """Look up a kind that a benchmark brings; None for the shared ones.

    Raises:
        SeluError: there is no such kind.
    """
    if name in _ADDED:
        return _ADDED[name]
    if name not in set(Kind):
        raise nearest(name, [*Kind, *_ADDED], "kind of task")
    return None


def columns(name: str) -> tuple[str, ...]:
    """Name the columns that hold what a row of this kind asks."""
    if spec := added(name):
        return spec.columns
    return ("tokens",) if name in (Kind.ENTITIES, Kind.MASKED) else ("text",)


def metric(name: str) -> tuple[str, bool]:
    """Return the main score of a run on a task of this kind, and whether lower is better."""
    if spec := added(name):
        return spec.metric, spec.lower_is_better
    shared = {Kind.REGRESSION: "smape", Kind.ENTITIES: "f1_micro", Kind.MASKED: "accuracy"}
    return shared.get(Kind(name), "f1_macro"), name == Kind.REGRESSION
