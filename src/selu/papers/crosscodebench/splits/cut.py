"""A split of the published archive, cut out of its files: JSON lines of training and of evaluation.

The authors' scripts pass over a task whose files are missing; here that is refused. Rows are read and written
one at a time; of the evaluation rows, at most 500 of a task, eight bytes of each text are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from selu.papers.crosscodebench.collection import archive
from selu.papers.crosscodebench.collection.instances import Instance, joined
from selu.papers.crosscodebench.collection.tasks import entries
from selu.papers.crosscodebench.splits.configurations import EVALUATION_CAP, TRAINING_CAP
from selu.vocabulary import SeluError

FOLDER, FILES = "split", {"tune": "train.jsonl", "eval": "eval.jsonl"}


@dataclass(frozen=True, slots=True)
class Cut:
    """The output of a cut, and what it left out to keep training and evaluation apart.

    Attributes:
        training, evaluation: rows written.
        left_out_tasks: training tasks of a data set that is evaluated, too.
        leaked: training rows whose input an evaluation row has as its input or output; left out if asked for.
    """

    training: int
    evaluation: int
    left_out_tasks: tuple[str, ...]
    leaked: int


def cut(folder: Path, split: str, out: Path, apart: bool = False) -> Cut:
    """Write the rows of a split, the first 10,000 of a training and the first 500 of an evaluation task.

    Args:
        folder: with the task files, and the split's in its folder ``split``.
        out: a new folder, or an empty one.
        apart: leave out what the paper promises not to be there: training tasks that share a data set with an
            evaluation task, and rows that are equal but for case and blanks to one that is evaluated.

    Raises:
        SeluError: ``out`` has files, or a file is damaged or missing; nothing is left half written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SeluError(f"{out} is there and not empty: name a new folder.")
    files = {task.name: task for task in archive.find_tasks(folder)}
    sides = archive.read_split(folder / FOLDER / f"{split}.json", files)
    evaluated = {_data_set(files[name]) for name in sides.eval}
    shared = tuple(name for name in sides.tune if _data_set(files[name]) in evaluated)
    left_out = shared if apart else ()
    marks = set[int]()
    counts, leaked = dict.fromkeys(FILES, 0), 0
    with _new_files(out) as streams:
        for name in sides.eval:
            for instance in islice(archive.read_instances(files[name]), EVALUATION_CAP):
                marks |= {_mark(joined(instance.input)), _mark(joined(instance.output))}
                counts["eval"] += _write(streams["eval"], name, instance)
        for name in sides.tune:
            if name in left_out:
                continue
            for instance in islice(archive.read_instances(files[name]), TRAINING_CAP):
                known = _mark(joined(instance.input)) in marks
                leaked += known
                if not (known and apart):
                    counts["tune"] += _write(streams["tune"], name, instance)
    return Cut(counts["tune"], counts["eval"], left_out, leaked)


def cut_apart(folder: Path, split: str, out: Path) -> dict[str, int | str]:
    """Write a split without what the paper promises not to be there; returns what was left, as ``tell``."""
    return tell(cut(folder, split, out, apart=True))


def tell(done: Cut) -> dict[str, int | str]:
    """Return what a cut kept and what it left out."""
    return {
        "training rows": done.training,
        "evaluation rows": done.evaluation,
        "training tasks left out, of a data set that is evaluated": ", ".join(done.left_out_tasks) or "none",
        "training rows left out, equal to one that is evaluated": done.leaked,
    }


def _data_set(task: archive.TaskFiles) -> str:
    """Name the data set of a task; of one that is not among the 216, the task itself."""
    return {entry.id: entry.source for entry in entries()}.get(task.source, task.source)


def _mark(text: str) -> int:
    plain = " ".join(text.casefold().split()).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(plain, digest_size=8).digest(), "little")


def _write(stream: IO[bytes], task: str, instance: Instance) -> int:
    line = json.dumps({"task": task, **asdict(instance)}, ensure_ascii=False)
    stream.write(f"{line}\n".encode("utf-8", "surrogatepass"))
    return 1


@contextmanager
def _new_files(out: Path) -> Iterator[Mapping[str, IO[bytes]]]:
    """Open the files of a cut under other names, which they lose when all is written."""
    out.mkdir(parents=True, exist_ok=True)
    parts = {side: out / f"{file}.tmp" for side, file in FILES.items()}
    streams: dict[str, IO[bytes]] = {}
    try:
        for side, path in parts.items():
            streams[side] = path.open("wb")
        yield streams
        for side, path in parts.items():
            streams[side].close()
            path.rename(out / FILES[side])
    finally:
        for stream in streams.values():
            stream.close()
        for path in parts.values():
            path.unlink(missing_ok=True)
