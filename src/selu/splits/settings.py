"""Parameters of splits, shots and audit (``params.yaml``, selu.data)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Gt, Le, Lt

_STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}  # how settings are checked

Quantile = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class DataSettings:
    """How rows are split, shots drawn and duplicates found.

    ``shot_lengths`` are the quantiles of train length between which shots are drawn. ``near_duplicate`` is
    the Jaccard similarity of word shingles from which two texts count as one, ``shingle`` their length in
    words, ``permutations`` the length of a MinHash. ``diff_sample`` is the number of rows in the side-by-side
    report of the cleaning, ``synthetic`` the tasks that stand on our own rows.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    seed: Annotated[int, Ge(0), Lt(2**32)]
    test_share: Annotated[float, Gt(0), Lt(1)]
    shots: Annotated[int, Ge(1), Le(10)]
    shot_lengths: tuple[Quantile, Quantile]
    near_duplicate: Annotated[float, Gt(0), Le(1)]
    shingle: Annotated[int, Ge(1), Le(10)]
    permutations: Annotated[int, Ge(16), Le(1024)]
    synthetic: tuple[str, ...]
    diff_sample: Annotated[int, Ge(1), Le(10_000)]

    def __post_init__(self) -> None:
        low, high = self.shot_lengths
        if low >= high:
            raise ValueError(f"shot_lengths must rise, found {low} and {high}")
