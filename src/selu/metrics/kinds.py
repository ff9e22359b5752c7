"""The kinds of tasks: what is asked of one, wherever rows are read, answers kept and scores computed.

The shared kinds are here; a benchmark brings others (``Benchmark.kinds``), which the registry adds by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """A kind of task that a benchmark brings.

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
    """Name the score that stands for a run on a task of this kind; say whether a lower one is better."""
    if spec := added(name):
        return spec.metric, spec.lower_is_better
    shared = {Kind.REGRESSION: "smape", Kind.ENTITIES: "f1_micro", Kind.MASKED: "accuracy"}
    return shared.get(Kind(name), "f1_macro"), name == Kind.REGRESSION


def points(
    spec: KindSpec,
    truth: Sequence[Any],
    answers: Sequence[Any],
    kept: Sequence[bool],
    labels: Sequence[str],
) -> dict[str, Any]:
    """Score all rows, and for the main score those that are ``kept``, as ``measured.points`` does.

    Raises:
        ValueError: lengths differ.
    """
    scores = spec.evaluate(truth, answers, labels)
    left = [(value, answer) for value, answer, keep in zip(truth, answers, kept, strict=True) if keep]
    part = [value for value, _ in left], [answer for _, answer in left]
    value = spec.evaluate(*part, labels)[spec.metric] if left else None
    return {
        "metric": spec.metric,
        "value": scores[spec.metric],
        "rows": len(truth),
        "scores": dict(scores),
        "grouped": {"rows": len(left), "value": value},
        "constant": len({str(answer) for answer in answers}) == 1,
    }


def intervals(
    spec: KindSpec,
    truth: Sequence[Any],
    answers: Sequence[Any],
    labels: Sequence[str],
    draws: int,
    seed: int,
    level: float,
    names: Sequence[str] = (),
) -> dict[str, dict[str, float]]:
    """Draw percentile bounds of these scores on resampled rows, by default of those that the kind shows."""
    import numpy as np

    from selu.metrics import percentiles

    wanted = tuple(names) or spec.intervals
    drawn = list(_draws(spec, truth, answers, labels, draws, seed))
    found = {}
    for name in wanted:
        values = np.array([float(scores[name]) for scores in drawn])
        found[name] = percentiles.bounds(values, level)._asdict()
    return found


def _draws(
    spec: KindSpec,
    truth: Sequence[Any],
    answers: Sequence[Any],
    labels: Sequence[str],
    draws: int,
    seed: int,
) -> Iterator[Scores]:
    import numpy as np

    random = np.random.default_rng(seed)
    for _ in range(draws):
        rows = random.integers(0, len(truth), size=len(truth)).tolist()
        yield spec.evaluate([truth[row] for row in rows], [answers[row] for row in rows], labels)
