"""The location of records and outputs for a notebook run by hand, from any folder of a clone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from selu.project import REPORTS, find_root
from selu.vocabulary import SeluError

BY_REPORT = "SELU_REPORT"  # set by 'selu report', which gives a notebook its places as parameters
BUILD = Path("build") / "notebooks"  # ignored by git


def places(benchmark: str) -> tuple[str, str]:
    """Find the root of the clone around this folder, and copy the benchmark's records to a folder of their own.

    Tracked reports stay as they are: tables and figures that the notebook writes go to the copy, which is made
    again each time. Who wants them in the reports calls ``selu report notebook NAME``.

    Returns:
        the root, and the copy relative to it.

    Raises:
        SeluError: this folder is in no clone, or the records are not here.
    """
    if os.environ.get(BY_REPORT):
        return ".", str(REPORTS / benchmark)
    root = find_root()
    records, copy = root / REPORTS / benchmark, root / BUILD / benchmark
    if not records.is_dir():
        raise SeluError(f"{records} is not here: 'dvc pull' brings the tracked records.")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(records, copy, ignore=shutil.ignore_patterns("notebooks"))
    print(f"Tables and figures go to {BUILD / benchmark}; {REPORTS / benchmark} stays as it is.")
    return str(root), str(BUILD / benchmark)
