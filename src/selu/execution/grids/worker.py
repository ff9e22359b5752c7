"""A process that fits baselines, one unit a line of its input; runs in the authors' environment too.

Nothing but the standard library is imported before a unit needs it. A unit is a lesson (rows, in a file) and
parameters; its answers are written, sealed, to the file that the request names.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from selu.files import explain
from selu.runs import identity, seals
from selu.systems import learners
from selu.systems.baseline.learning import Learner, Lesson
from selu.systems.finetune.cost import forget_peak, peak_memory
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    from selu.contents import Unit, UnitCost
    from selu.runs.workers import Answer, FitRequest, VersionsRequest

Asked = TypeVar("Asked")


def main() -> None:
    """Serve requests until the input ends."""
    send, served = answers(), _Served()
    for line in sys.stdin:
        send(answered(served.serve, json.loads(line)))


def answers() -> Callable[[Mapping[str, object]], None]:
    """Open the stream of messages to the parent; output of libraries must not mix with them."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: Mapping[str, object]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    return send


def answered(serve: Callable[[Asked], Answer], request: Asked) -> Answer:
    """Answer a request, or say why there is no answer."""
    try:
        return serve(request)
    except SeluError as error:
        return {"error": str(error), "machine": isinstance(error, MachineError)}
    except MemoryError:
        return {"error": "a fit needs more memory than there is: try --jobs 1.", "machine": True}
    except OSError as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        return {"error": explain(error) if error.errno else first, "machine": True}
    except Exception as error:  # a library's refusal fails the cell, not the process
        first = (str(error).strip().splitlines() or ["no message"])[0]
        return {"error": f"{type(error).__name__}: {first}"}


class _Params(dict[str, Any]):
    """Parameters of a fit; one that the learner reads and the declaration lacks is named."""

    def __missing__(self, name: str) -> NoReturn:
        raise SeluError(f"its learner reads the parameter {name!r}, which its declaration lacks: add it there.")


class _Served:
    def __init__(self) -> None:
        self._learnt: tuple[str, str] | None = None  # lesson and name of the learner
        self._learner: Learner | None = None
        self._checked: set[str] = set()  # learners whose files are those that the runs were planned with

    def serve(self, request: VersionsRequest | FitRequest) -> Answer:
        if "versions" in request:
            return {"versions": versions(request["versions"]), "python": platform.python_version()}
        started, cpu = time.perf_counter(), time.process_time()
        learner = self._open(request)
        answers = learner.answer(_Params(request["params"], **request.get("local", {})))
        cost: UnitCost = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}
        memory = peak_memory("cpu")
        seconds = getattr(learner, "seconds", [])  # per text, of each timed repeat
        notes = getattr(learner, "training_notes", {})  # what a learner says of its training
        shares = getattr(learner, "probabilities", [])  # of each label, for each text, where they are asked for
        unit: Unit = {
            "key": request["key"],
            "params": request["params"],
            "answers": answers,
            "cost": cost,
            "memory": memory,
        }
        if seconds:
            unit["inference"] = seconds
        if notes:
            unit["told"] = notes
        if shares:
            unit["probabilities"] = shares
        seals.write_unit(Path(request["unit"]), unit)
        return {"unit": request["unit"], "seconds": cost["seconds"], "cpu": cost["cpu"]}

    def _open(self, request: FitRequest) -> Learner:
        path, name = request["lesson"], request["learner"]
        if self._learner is None or self._learnt != (path, name):
            self._learner = None  # frees the memory of the last one first
            forget_peak("cpu")
            lesson = Lesson(**json.loads(Path(path).read_text("utf-8")), folder=Path(path).parent)
            if name not in self._checked and identity.source(learners.files(name)) != request["source"]:
                raise MachineError("the sources changed since the run was planned: run it again.")
            self._checked.add(name)
            self._learner, self._learnt = learners.kind(name)(lesson), (path, name)
        return self._learner


def versions(names: Mapping[str, Sequence[str]]) -> Mapping[str, str | None]:
    """Read the installed version of each package, which may go by several names of distributions."""
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str | None] = {}
    for name, distributions in names.items():
        found[name] = None
        for distribution in distributions:
            try:
                found[name] = version(distribution)
            except PackageNotFoundError:
                continue
    return found


if __name__ == "__main__":
    main()
