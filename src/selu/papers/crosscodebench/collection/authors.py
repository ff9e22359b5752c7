"""The authors' own descriptions and definitions of some tasks, where a copy of them is here.

They stand in the history of the authors' script, for 20 tasks, seven of which have rows here; of two of these
the description is missing. Examples are in none, so that these are drawn. The file is under the GPL and is no
part of this project; ``PIN`` has its sha256.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from selu.papers.crosscodebench.collection.meta import Words, describe
from selu.papers.crosscodebench.collection.tasks import Entry, with_rows
from selu.papers.evidence import Evidence
from selu.papers.pinned import Pinned, is_here, obtain
from selu.vocabulary import SeluError

PIN = Pinned(
    task="words",
    system="authors",
    file="ccb/meta_from_history.json",
    sha256="ccfb5a4ee0f8ed3d604d4951b0bf0355cde146c640079499a26097d2c96f8683",
    bytes=24989,
    repository="NougatCA/CrossCodeBench",
    commit="01bdba62ff041a8f7fa79809228c2abbf472857d",
    path="src/task/add_task.py, all revisions",
)


def find_words(evidence: Evidence, pin: Pinned = PIN) -> Mapping[str, Words]:
    """Read the authors' words of the tasks that have rows; none where no folder has the file.

    Raises:
        SeluError: the file has other bytes than the pinned ones.
    """
    folders = evidence.copies()
    return read_words(obtain(pin, folders), pin.file) if is_here(pin, folders) else {}


def read_words(content: bytes, file: str) -> Mapping[str, Words]:
    """Read descriptions and definitions by task; a description that is missing is ours.

    Raises:
        SeluError: the file is no such record of tasks.
    """
    try:
        record = json.loads(content)
        return {task.id: _words(record[task.id], task) for task in with_rows() if task.id in record}
    except (ValueError, KeyError, TypeError, IndexError):
        raise SeluError(f"{file} has no task with a Definition: copy it again.") from None


def _words(task: Mapping[str, list[str]], entry: Entry) -> Words:
    description = task["Prompt"][0] if task.get("Prompt") else describe(entry).prompt
    return Words(str(description), str(task["Definition"][0]))
