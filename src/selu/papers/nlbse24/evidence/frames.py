"""The released files of NLBSE'24 as frames, from their pinned bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selu.papers.evidence import Evidence

if TYPE_CHECKING:
    import pandas as pd

SETS = ("issue", "java", "pharo", "python")


def frames(evidence: Evidence, sets: Sequence[str] = SETS) -> Mapping[str, pd.DataFrame]:
    """Return the files of these sets by name (``issues_train``, ..., ``python``), every field a text.

    Raises:
        SeluError: the bytes of a set are not available, are not the pinned ones, or are not a table.
    """
    return {name: table for set_ in sets for name, table in evidence.raw(set_).items()}
