"""``selu rescore --paper nlbse24``: published predictions of a baseline against labels of the test file.

What is tracked are scores, confusion matrices and hashes (``reports/nlbse24/rescored.json``); the predictions
are third-party results and stay on this machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selu.files import write_atomic
from selu.papers.evidence import Predictions, Progress, Rescored
from selu.papers.evidence import Record as Row
from selu.papers.nlbse24 import records
from selu.papers.pinned import read_pins
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    import pandas as pd

PINS = "predictions.csv"


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


def rescore(published: Predictions, _progress: Progress = lambda _: None) -> Rescored:
    """Score every pinned file of predictions and write what was found.

    The pinned files may lie in any of the folders. The result file of the authors' repository serves as well:
    its predictions, written as CSV, are the pinned bytes.

    Raises:
        SeluError: the test file or predictions are not available, damaged, or not the pinned bytes.
    """
    from selu.papers.nlbse24 import rescored
    from selu.papers.nlbse24.material import read

    if published.tasks or published.systems:
        raise SeluError("nlbse24 publishes predictions of whole runs: leave --task and --system out.")
    draws = published.evidence.draws
    material = read(published.evidence.tables())
    test = published.evidence.raw("issue")["issues_test"]
    runs: list[records.SourcedRun] = []
    for pin in read_pins(published.pins / PINS, Pinned):
        content = _obtain(pin, published.folders, test)
        scored = rescored.rescore(material, pin.run, content, test, draws, pin.file)
        runs.append({"source": asdict(pin), **scored})
    record: records.Rescored = {"finding": rescored.summary(runs), "runs": runs}
    write_atomic(published.report, json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return Rescored(record, shown(record), record["finding"], failed(record))


def shown(record: records.Rescored) -> list[Row]:
    """Return a row per repository and one over them, for a terminal."""
    rows = []
    for run in record["runs"]:
        parts: list[tuple[str, str, int, records.Overall]] = [
            *((cell["task"], cell["evidence"], cell["rows"], cell) for cell in run["cells"]),
            ("overall", "re-scored", run["rows"], run["overall"]),
        ]
        for task, evidence, count, part in parts:
            equal = {"numbers equal": f"{part['compared'] - len(part['apart'])} of {part['compared']}"}
            named = {"task": task, "system": run["run"], "evidence": evidence, "rows": count}
            rows.append({**named, **part["scores"]["average"], **equal})
    return rows


def failed(record: records.Rescored) -> bool:
    """Return whether a number differs from the result file."""
    return any(part["apart"] for run in record["runs"] for part in (*run["cells"], run["overall"]))


def _obtain(pin: Pinned, folders: Sequence[Path], test: pd.DataFrame) -> bytes:
    """Return the pinned bytes, from the first folder that has them or the result file that they come from."""
    from selu.papers.nlbse24.rescored import from_results

    results = Path(pin.path).name
    for path in (folder / name for folder in folders for name in (pin.file, results)):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if path.name == results:
            content = from_results(content, test, str(path))
        if (len(content), hashlib.sha256(content).hexdigest()) != (pin.bytes, pin.sha256):
            raise SeluError(
                f"{path} does not have the pinned predictions ({pin.bytes} bytes with sha256 {pin.sha256} as "
                "CSV): copy it again, or leave that folder out."
            )
        return content
    raise SeluError(
        f"the predictions of {pin.run} are not available here: give a folder with {pin.path} of "
        f"{pin.repository} at {pin.commit}, or with {pin.file}, in --predictions or SELU_PREDICTIONS."
    )
