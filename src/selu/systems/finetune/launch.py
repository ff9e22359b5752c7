"""One training in several processes of this machine, started by torch's launcher, and its result.

All GPUs of a machine work together where it has more than one, under DeepSpeed's ZeRO-2, which shares the fp32
masters of weights in bf16. Variables of the environment (``settings``) say otherwise.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selu.files import write_atomic
from selu.systems.finetune.job import Job, Outcome
from selu.systems.finetune.settings import GPU_SHARE, PROCESSES, RECOMPUTE, SHARDING, TOKENS_AT_ONCE
from selu.vocabulary import MachineError, SeluError

_SAYS = "selu says: "  # marks a line of progress among the output of libraries
_SIGNALS = {9: "killed, as for want of memory", 11: "ended by a fault in a library"}

Say = Callable[[str], None]


def processes_here() -> tuple[int, str]:
    """Return processes of a training on this machine, and how they share it: none or zero2.

    Raises:
        MachineError: a variable of the environment asks for what is not there, or DeepSpeed is missing.
    """
    gpus = _gpus()
    processes = int(_asked(PROCESSES, str(max(1, gpus)), r"[1-9]\d{0,3}", "a number of processes, such as 2"))
    if gpus and processes > gpus:
        raise MachineError(f"{PROCESSES} is {processes}, but there are {gpus} GPUs here: give at most {gpus}.")
    sharding = _asked(SHARDING, "none" if processes == 1 else "zero2", "none|zero2", "zero2")
    if processes > 1 and sharding == "none":
        raise MachineError(f"{SHARDING} is none, which is one process, but {PROCESSES} is {processes}.")
    if sharding == "zero2" and find_spec("deepspeed") is None:
        raise MachineError(
            f"{SHARDING} zero2 takes DeepSpeed: 'make finetune-environment' installs it, or set {PROCESSES}=1."
        )
    return processes, sharding


def sees_gpu() -> bool:
    """Return whether torch can use a GPU."""
    return _gpus() > 0


def _gpus() -> int:
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def _gpu_memory() -> int:
    import torch

    return torch.cuda.get_device_properties(0).total_memory if _gpus() else 0


def _asked(name: str, usual: str, pattern: str, give: str) -> str:
    value = os.environ.get(name) or usual
    if not re.fullmatch(pattern, value):
        raise MachineError(f"{name} is {value!r}: give {give}.")
    return value


def fit(job: Job, scratch: Path, say: Say, pause: float = 60.0) -> Outcome:
    """Train as ``selu.systems.finetune.fit.fit`` does, in as many processes as ``processes_here`` tells."""
    return run(job, scratch, say, *processes_here(), pause)


def run(job: Job, scratch: Path, say: Say, processes: int, sharding: str, pause: float = 60.0) -> Outcome:
    """Train in this many processes, and if memory is too small for one text in twice as many, by ZeRO.

    Raises:
        SeluError, MachineError: as ``attempt``; memory is too small with all GPUs, or DeepSpeed is missing.
    """
    from selu.systems.finetune.engines.engine import MemoryShortError

    try:
        return attempt(job, scratch, say, processes, sharding, pause)
    except MemoryShortError:
        doubled = min(2 * processes, _gpus())
        if doubled <= processes or find_spec("deepspeed") is None:
            raise
    gc.collect()  # what the failed one held here
    say(f"out of memory: {doubled} GPUs from the last checkpoint on")
    return run(job, scratch, say, doubled, "zero2", pause)


def attempt(job: Job, scratch: Path, say: Say, processes: int, sharding: str, pause: float = 60.0) -> Outcome:
    """Train in this many processes; one process without sharding is this one.

    Raises:
        SeluError, MachineError: as ``selu.systems.finetune.fit.fit``, or a process died. All have ended then,
            and the checkpoint stands.
    """
    if processes == 1 and sharding == "none":
        return _alone(job, scratch, say, pause)
    scratch.mkdir(parents=True, exist_ok=True)
    request = scratch / "job.json"
    request.write_text(json.dumps({"job": job.to_json(), "pause": pause}), "utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--local-addr=127.0.0.1"]
    command += [f"--nproc-per-node={processes}", "-m", __name__, str(request), str(scratch)]
    environment = {**os.environ, SHARDING: sharding}
    try:
        while True:
            _clear(scratch)
            output = _started(command, environment, say)
            if (scratch / "outcome.json").exists():
                return Outcome(**json.loads((scratch / "outcome.json").read_text("utf-8")))
            failures = [json.loads(path.read_text("utf-8")) for path in sorted(scratch.glob("failed-*.json"))]
            environment |= _smaller(failures, output, processes, environment, say)
    finally:
        _clear(scratch)
        request.unlink(missing_ok=True)


def _alone(job: Job, scratch: Path, say: Say, pause: float) -> Outcome:
    """Train in this process, and record it where bf16 products were not the machine's own."""
    import torch

    from selu.systems.finetune import fit, upcast

    if (share := os.environ.get(GPU_SHARE)) and torch.cuda.is_available():
        torch.cuda.set_per_process_memory_fraction(float(share))
    with upcast.where_needed(job.params["precision"]) as upcasting, _short(job):
        outcome = fit.fit(job, scratch, say, pause)
    if upcasting is not None:
        outcome.used["bf16_products"] = "in fp32, rounded"
    return outcome


def _clear(scratch: Path) -> None:
    for path in (*scratch.glob("failed-*.json"), *scratch.glob(".*.tmp"), scratch / "outcome.json"):
        path.unlink(missing_ok=True)


def _started(command: list[str], environment: Mapping[str, str], say: Say) -> str:
    """Run processes to their end; returns the last lines that they printed beside their progress."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    output: deque[str] = deque(maxlen=100)
    try:
        for line in process.stdout:
            before, mark, message = line.partition(_SAYS)
            if mark:
                say(json.loads(message))
            if before.strip():
                output.append(line)
                sys.stderr.write(line)
        process.wait()
    finally:
        process.stdin.close()  # the end of its input ends each process, even if the launcher died
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
    return "".join(output)


@contextlib.contextmanager
def _short(job: Job) -> Iterator[None]:
    """Translate a lack of memory outside of a micro-batch, where nothing can be made smaller."""
    from selu.systems.finetune.engines.engine import MemoryShortError, lacks_memory

    try:
        yield
    except RuntimeError as error:
        if not lacks_memory(error):
            raise
        raise MemoryShortError(
            f"weights and the optimizer's state need more memory than there is: {_more_gpus(job)}."
        ) from None


def _more_gpus(job: Job) -> str:
    """State how many GPUs like this one would hold by ZeRO-2 what does not fit here."""
    from selu.systems.finetune.cost import memory, shape_of

    shape = shape_of(json.loads((Path(job.model["folder"]) / "config.json").read_text("utf-8")))
    room, precision = _gpu_memory(), job.params["precision"]
    for gpus in (2, 4, 8):
        if shape and memory.training(shape, precision, 0, processes=gpus) < room:
            return f"{gpus} GPUs of {room / 2**30:.0f} GiB hold them (give it so many; DeepSpeed shares them)"
    return "take a larger device"


def _smaller(
    failures: list[dict[str, Any]], output: str, processes: int, before: Mapping[str, str], say: Say
) -> dict[str, str]:
    """Return the variables with which all processes start again after too little memory for a micro-batch.

    Args:
        before: the variables that they had.

    Raises:
        SeluError, MachineError: another failure than that; a plain one before those that it causes elsewhere.
    """
    from selu.systems.finetune.engines import engine

    if large := [failure for failure in failures if "budget" in failure]:
        if texts := [failure["text"] for failure in large if failure["text"] is not None]:
            plain = min(engine.shorter(min(texts)), int(before.get(RECOMPUTE) or min(texts)))
            say(f"out of memory: {engine.computed_twice(plain)}, from the last checkpoint on")
            return {RECOMPUTE: str(plain)}
        budget = min(failure["budget"] for failure in large)
        say(f"out of memory: {budget} tokens at once, from the last checkpoint on")
        return {TOKENS_AT_ONCE: str(budget)}
    if short := [failure for failure in failures if failure.get("short")]:
        raise engine.MemoryShortError(short[0]["error"])
    for failure in failures:
        if failure["plain"]:
            raise (MachineError if failure["machine"] else SeluError)(failure["error"])
    again = "the checkpoint stands: run it again."
    for rank, code in re.findall(r"rank\s*:\s*(\d+)[^\n]*\n\s*exitcode\s*:\s*-(\d+)", output):
        if code != "15":  # which is how the launcher ends those that are left
            how = _SIGNALS.get(int(code), f"ended by signal {code}")
            raise MachineError(f"process {int(rank) + 1} of {processes} was {how}; {again}")
    what = failures[0]["error"] if failures else (output.strip().splitlines() or ["no word"])[-1]
    raise MachineError(f"the {processes} processes of this training failed ({what}); {again}")


def main(request: Path, scratch: Path) -> None:
    """Run as one of the processes, in the environment that torch's launcher gives it."""
    import torch
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    threading.Thread(target=_end_with_caller, daemon=True).start()
    asked = json.loads(request.read_text("utf-8"))
    try:
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        say = _say if rank == 0 else lambda _: None  # the first process speaks for all
        outcome = _alone(Job.from_json(asked["job"]), scratch, say, asked["pause"])
    except Exception as error:
        failure = _failure(error)
        write_atomic(scratch / f"failed-{rank}.json", json.dumps(failure))
        if failure["plain"]:
            sys.exit(1)
        raise
    if rank == 0:
        write_atomic(scratch / "outcome.json", json.dumps(outcome.to_json()))
    dist.destroy_process_group()


def _end_with_caller() -> None:
    """Exit when the input closes: the process that started the training holds its other end."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    os._exit(1)


def _say(line: str) -> None:
    os.write(1, f"\n{_SAYS}{json.dumps(line)}\n".encode())  # in one piece, even while others print


def _failure(error: Exception) -> dict[str, Any]:
    """Describe why this process ends; ``plain`` if it is a sentence for the user."""
    from selu.systems.finetune.engines.engine import MemoryShortError
    from selu.systems.finetune.engines.zero import TooLargeError

    if not isinstance(error, SeluError):
        first = (str(error).strip().splitlines() or ["no message"])[0]
        return {"plain": False, "machine": True, "error": f"{type(error).__name__}: {first}"}
    large = {"budget": error.budget, "text": error.text} if isinstance(error, TooLargeError) else {}
    machine, short = isinstance(error, MachineError), isinstance(error, MemoryShortError)
    return {**large, "plain": True, "machine": machine, "error": str(error), "short": short}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
