"""The released files of NLBSE'24 as frames, from their pinned bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

SETS = ("issue", "java", "pharo", "python")


def frames(
    root: Path, mirror: Path | None, progress: Callable[[str], None], sets: Sequence[str] = SETS
) -> dict[str, pd.DataFrame]:
    """The files of these sets by name (``issues_train``, ..., ``python``), every field a text.

    Args:
        mirror: folder with local copies of the data sets, tried first.

    Raises:
        SeluError: the bytes of a set can't be had, are not the pinned ones, or are no table.
    """
    from selu.commands.preparing_sets import pin_of, raw_of
    from selu.sources import tables
    from selu.sources.fetch import fetch
    from selu.sources.pins import read_pin

    found: dict[str, Any] = {}
    for name in sets:
        pin = read_pin(root / pin_of(name))
        fetched = fetch(pin, root / raw_of(pin), mirror, progress=progress)
        for file in pin.origin(fetched.origin).files:
            found[file.name.partition(".")[0]] = tables.read(fetched.files[file.name], file.form)
    return cast("dict[str, pd.DataFrame]", found)
