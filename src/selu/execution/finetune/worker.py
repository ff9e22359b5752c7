"""A process that trains, one job at a time, and reports its progress.

No library is imported before a job needs it. The outcome is written, sealed, to the file that the request
names; what a killed training needs to go on lies in the folder that it names.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import queue
import shutil
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from selu.contents import Trained
from selu.execution.grids import worker
from selu.runs import nvidia, seals
from selu.runs.workers import Answer, TrainRequest, VersionsRequest
from selu.systems.finetune.job import Job, Outcome
from selu.vocabulary import MachineError

Say = Callable[[str], None]
Fit = Callable[[Job, Path, Say], Outcome]
Versions = Callable[[Mapping[str, Sequence[str]]], Mapping[str, str | None]]


def main(fit: Fit | None = None, versions: Versions = worker.versions) -> None:
    """Serve requests until the input ends; a training in progress then stops, and its checkpoint is kept.

    Args:
        fit: what trains; by default that of ``selu.systems.finetune``.
        versions: what reports the versions of packages; by default those that are installed.
    """
    send, requests = worker.answers(), _requests()
    served = _Served(fit, versions, lambda line: send({"say": line}))
    while True:
        send(worker.answered(served.serve, requests.get()))


def _requests() -> queue.Queue[VersionsRequest | TrainRequest]:
    """Return the queue of requests, read beside the training; the process exits when standard input closes."""
    found: queue.Queue[VersionsRequest | TrainRequest] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            found.put(json.loads(line))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return found


class _Served:
    def __init__(self, fit: Fit | None, versions: Versions, say: Say) -> None:
        self._fit, self._versions, self._say = fit, versions, say
        self._source: str | None = None  # of the modules as this process has loaded them

    def serve(self, request: VersionsRequest | TrainRequest) -> Answer:
        if "versions" in request:
            return {"versions": self._versions(request["versions"]), "python": platform.python_version()}
        scratch = Path(request["scratch"])
        scratch.mkdir(parents=True, exist_ok=True)
        with (scratch.parent / f"{scratch.name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise MachineError("another process is at this training: wait until it ends.") from None
            return self._train(request, scratch)

    def _train(self, request: TrainRequest, scratch: Path) -> Answer:
        from selu.systems.finetune import sources

        fit = self._loaded(request["source"])
        if request["anew"]:
            shutil.rmtree(scratch)
            scratch.mkdir()
        found = sources.find(sources.Wanted(**request["model"]), self._say)
        job = json.loads(Path(request["job"]).read_text("utf-8"))
        job["model"] = {"folder": str(found.folder), "revision": found.revision}
        from safetensors import SafetensorError

        from selu.systems.finetune.engines.engine import lacks_memory

        try:
            outcome = fit(Job.from_json(job), scratch, self._say)
        except SafetensorError as error:  # a file cut short, or a full disk
            raise MachineError(_unreadable(found.folder, scratch, error)) from None
        except RuntimeError as error:
            if lacks_memory(error):
                raise MemoryError from error
            raise
        plain = json.dumps(outcome.to_json())  # with a score that is not a number, which becomes null
        written = json.loads(plain, parse_constant=lambda _: None)
        content: Trained = {"key": request["key"], "model": found.record(), "outcome": written}
        seals.write_unit(Path(request["unit"]), content)
        return {"unit": request["unit"]}

    def _loaded(self, source: str) -> Fit:
        """Return the function that trains, whose modules are those that the run was planned with."""
        from selu.execution.finetune.plan import training_source

        if self._source is None:
            self._source = training_source()
            if self._fit is None:
                from selu.systems.finetune.launch import fit

                _check_gpu()
                for line in nvidia.find_crowded(nvidia.read_driver()):  # this process holds nothing there yet
                    self._say(line)
                self._fit = fit
        if not source == self._source == training_source():
            raise MachineError("the sources changed since the run was planned: run it again.")
        assert self._fit is not None
        return self._fit


def _check_gpu() -> None:
    """Refuse a GPU that torch can't use, for want of a driver or of a newer one: a CPU would train for days."""
    from selu.systems.finetune.launch import sees_gpu

    if nvidia.has_gpu() and not sees_gpu():
        raise MachineError(
            "torch can't use the GPU of this machine: 'selu doctor' says why; 'export CUDA_VISIBLE_DEVICES=' "
            "trains on the CPU."
        )


def _unreadable(folder: Path, scratch: Path, error: Exception) -> str:
    """Describe which file of a model is damaged and how to fix it; if none is, the disk refused others."""
    from safetensors import SafetensorError, safe_open

    message = str(error).splitlines()[0].rstrip(".")
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, "pt"):
                pass
        except SafetensorError:
            return f"{path} is not whole ({message}): 'rm -r {folder}' and get the model again."
    return f"weights can't be written to {scratch} ({message}): make room there and run it again."


if __name__ == "__main__":
    main()
