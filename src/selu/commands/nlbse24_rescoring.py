"""``selu rescore --benchmark nlbse24``: published predictions of a baseline against labels of the test file.

What is tracked are scores, confusion matrices and hashes (``reports/nlbse24/rescored.json``); the predictions
are third-party results and stay on this machine.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.commands.nlbse24_frames import frames
from selu.project import read_knobs, read_tables, write_atomic
from selu.sources.verify import is_file
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

PINS = Path("data") / "pins" / "nlbse24" / "predictions.csv"
REPORT = Path("reports") / "nlbse24" / "rescored.json"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A file of published predictions, and the file in the authors' repository that it was read from."""

    run: str
    file: str
    sha256: str
    bytes: int
    repository: str
    commit: str
    path: str


def rescore(
    root: Path,
    predictions_dir: Path | None = None,
    mirror: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Score every pinned file of predictions; writes reports/nlbse24/rescored.json.

    Args:
        predictions_dir: folder with the pinned files, or with a folder ``nlbse24`` of them; without it, the
            one that SELU_PREDICTIONS names, if any. The result file of the authors' repository serves as well:
            its predictions, written as CSV, are the pinned bytes.
        mirror: mirror of the data sets, tried first for the test file; may also hold ``nlbse24/predictions``.

    Raises:
        SeluError: the test file or predictions are not at hand, damaged, or not the pinned bytes.
    """
    from selu.benchmarks.nlbse24 import rescored
    from selu.benchmarks.nlbse24.material import read
    from selu.systems.baseline.knobs import BootstrapKnobs

    knobs = read_knobs(root, "selu", "bootstrap", BootstrapKnobs)
    draws = rescored.Draws(knobs.draws, knobs.seed, knobs.level)
    material = read(read_tables(root, "nlbse24"))
    folders = _folders(predictions_dir, mirror)
    test = frames(root, mirror, progress, ["issue"])["issues_test"]
    runs = []
    for pin in read_pins(root / PINS):
        content = _obtain(pin, folders, test)
        scored = rescored.rescore(material, pin.run, content, test, draws, pin.file)
        runs.append({"source": asdict(pin), **scored})
    record: dict[str, Any] = {"finding": rescored.summary(runs), "runs": runs}
    progress(record["finding"])
    write_atomic(root / REPORT, json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return record


def shown(record: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per repository and one over them, for a terminal."""
    rows = []
    for run in record["runs"]:
        overall = {**run["overall"], "task": "overall", "rows": run["rows"], "evidence": "re-scored"}
        for cell in (*run["cells"], overall):
            average = cell["scores"]["average"]
            held = {"numbers equal": f"{cell['compared'] - len(cell['apart'])} of {cell['compared']}"}
            named = {"task": cell["task"], "system": run["run"], "evidence": cell["evidence"]}
            rows.append(named | {"rows": cell["rows"], **average, **held})
    return rows


def failed(record: dict[str, Any]) -> bool:
    """Whether a number differs from the result file."""
    return any(part["apart"] for run in record["runs"] for part in (*run["cells"], run["overall"]))


def read_pins(path: Path) -> list[Pinned]:
    """The pinned files of predictions.

    Raises:
        SeluError: the file is missing or damaged.
    """
    try:
        header, *lines = list(csv.reader(path.read_text("utf-8").splitlines(), strict=True))
        if header != [field.name for field in fields(Pinned)] or not lines:
            raise ValueError
        return [Pinned(run, file, sha, int(size), *source) for run, file, sha, size, *source in lines]
    except (OSError, ValueError, TypeError, csv.Error):
        raise SeluError(f"{path} is damaged: restore it with 'git checkout -- {path}'.") from None


def _folders(predictions_dir: Path | None, mirror: Path | None) -> list[Path]:
    named = os.environ.get("SELU_PREDICTIONS")
    first = predictions_dir or (Path(named) if named else None)
    if first is not None and not first.is_dir():
        raise SeluError(f"{first} is not a folder: give the one with the published predictions, or none.")
    found = [first / "nlbse24", first] if first else []
    return [*found, mirror / "nlbse24" / "predictions"] if mirror else found


def _obtain(pin: Pinned, folders: Sequence[Path], test: pd.DataFrame) -> bytes:
    """The pinned bytes, from the first folder that has them or the result file that they were read from."""
    from selu.benchmarks.nlbse24.rescored import from_results

    results = Path(pin.path).name
    for path in (folder / name for folder in folders for name in (pin.file, results)):
        if not is_file(path):
            continue
        content = path.read_bytes()
        if path.name == results:
            content = from_results(content, test, str(path))
        if (len(content), hashlib.sha256(content).hexdigest()) != (pin.bytes, pin.sha256):
            raise SeluError(
                f"{path} does not have the pinned predictions ({pin.bytes} bytes with sha256 {pin.sha256} as "
                "CSV): copy it anew, or leave that folder out."
            )
        return content
    raise SeluError(
        f"the predictions of {pin.run} are not at hand: give a folder with {pin.path} of {pin.repository} at "
        f"{pin.commit}, or with {pin.file}, in --predictions or SELU_PREDICTIONS."
    )
