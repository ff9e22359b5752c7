"""The released files of NLBSE'24 as frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

FILES = {
    "issues_train": "issue_report/issues_train.csv.gz",
    "issues_test": "issue_report/issues_test.csv.gz",
    "java": "code_comment/java.csv.gz",
    "pharo": "code_comment/pharo.csv.gz",
    "python": "code_comment/python.csv.gz",
}


def frames(mirror: Path | None, names: Sequence[str] = tuple(FILES)) -> dict[str, pd.DataFrame]:
    """The named files, every field a text; issue reports have backslash as escape character.

    Args:
        mirror: folder with local copies of the data sets, read as ``nlbse24/...``.

    Raises:
        SeluError: no mirror was given, or it lacks a file.
    """
    import pandas as pd

    if mirror is None:
        raise SeluError("the data files of NLBSE'24 are not here: give --mirror FOLDER, or set SELU_MIRROR.")
    found = {}
    for name in names:
        path = mirror / "nlbse24" / FILES[name]
        if not path.is_file():
            raise SeluError(f"{path} is missing: put the file that the competition released there.")
        escape = "\\" if name.startswith("issues") else None
        found[name] = pd.read_csv(path, dtype=str, keep_default_na=False, escapechar=escape)
    return found
