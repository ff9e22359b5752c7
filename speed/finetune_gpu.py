"""A lent card used to the last minute: what the half of the project that needs one does on it, stage by stage.

    python speed/finetune_gpu.py facts kernels models host --out DIR/found.jsonl
    python speed/finetune_gpu.py speed --until 540 --out DIR/found.jsonl
    python speed/finetune_gpu.py speed --models bert-base --ways packed full
    python speed/finetune_gpu.py --tiny                  a trial of all stages on any machine

``gpu_stages`` says what each stage answers, ``gpu_ways`` how models take updates. Each result is one line of
JSON, on the screen and at the end of the file, written through before the next begins: a command that is killed
loses nothing. What fails is a line, and the next is tried. A machine needs torch and the model library; what
else ``selu`` needs comes as wheels in a folder (``--wheels``, as ``make loan`` packs them), from no network.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STAGES = ("facts", "kernels", "models", "host", "speed", "memory", "flash", "cell")
BEGAN = time.monotonic()


class Log:
    """Lines of JSON, each on the disk before the next one is found; ``always`` is in each of them."""

    def __init__(self, path: str | None, always: Mapping[str, Any]) -> None:
        self._always = dict(always)
        self._file = Path(path).open("a", encoding="utf-8") if path else None  # noqa: SIM115

    def __call__(self, stage: str, **found: Any) -> None:
        """Write a line."""
        at = round(time.monotonic() - BEGAN, 1)
        line = json.dumps({"at": at, "stage": stage, **self._always, **found}, default=str)
        print(line, flush=True)
        if self._file:
            self._file.write(line + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())


def carry(wheels: Path, folder: Path) -> None:
    """Make importable what wheels of a folder hold and the machine has not; no pip is needed for it."""
    for path in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(folder)
    sys.path.append(str(folder))  # behind what the machine has


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"{', '.join(STAGES)}; by default all")
    parser.add_argument("--models", nargs="+", help="of the stages speed and models; by default all")
    parser.add_argument("--texts", nargs="+", help="issues, comments")
    parser.add_argument("--ways", nargs="+", help="packed, dynamic, full, zero2, trainer")
    parser.add_argument("--precision", choices=("bf16", "mixed", "fp32"), default="bf16")
    parser.add_argument("--updates", type=int, help="of 64 texts, after as many to warm up (24; 1 if tiny)")
    parser.add_argument("--seconds", type=float, default=5.0, help="after which a measurement is cut short")
    parser.add_argument("--until", type=float, default=540.0, help="seconds after which nothing more is begun")
    parser.add_argument(
        "--jobs", default="jobs", help="folder with the jobs of the stage cell, and their model"
    )
    parser.add_argument("--wheels", type=Path, help="folder with wheels of what this machine lacks")
    parser.add_argument("--tiny", action="store_true", help="tiny models, to try the script")
    parser.add_argument("--out", help="file to write the lines to, at its end")
    chosen = parser.parse_args(given)
    chosen.updates = chosen.updates or (1 if chosen.tiny else 24)
    if unknown := [stage for stage in chosen.stages if stage not in STAGES]:
        parser.error(f"there is no stage {unknown[0]}: {', '.join(STAGES)}.")
    chosen.stages = chosen.stages or list(STAGES)
    if chosen.wheels and not any(chosen.wheels.glob("*.whl")):
        parser.error(f"{chosen.wheels} holds no wheels: 'make loan' packs them.")
    return chosen


def complete(chosen: argparse.Namespace, ways: Any) -> None:
    """Fill in what was not asked for, and refuse what there is not."""
    deepspeed = importlib.util.find_spec("deepspeed") is not None
    for name, known in (("models", ways.MODELS), ("texts", ways.TASKS), ("ways", ways.WAYS)):
        asked = getattr(chosen, name)
        if unknown := [choice for choice in asked or () if choice not in known]:
            sys.exit(f"--{name} takes {', '.join(known)}, not {unknown[0]}.")
        if not asked:
            setattr(chosen, name, [choice for choice in known if choice != "zero2" or deepspeed])
    if "zero2" in chosen.ways and not deepspeed:
        sys.exit("--ways zero2 takes DeepSpeed, which is not installed: 'make finetune-environment'.")


def main(given: Sequence[str] | None = None) -> None:
    """Run stages, one after another."""
    chosen = arguments(given)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read with the first product of a process
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "speed")]
    with tempfile.TemporaryDirectory() as folder:
        if chosen.wheels:
            carry(chosen.wheels, Path(folder))
        _run(chosen)


def _run(chosen: argparse.Namespace) -> None:
    import gpu_stages
    import gpu_ways as ways
    import torch

    from selu.runs import nvidia
    from selu.vocabulary import SeluError

    complete(chosen, ways)
    if not (chosen.tiny or torch.cuda.is_available()):
        sys.exit("No GPU is available: --tiny tries the script on the processor.")
    if "speed" in chosen.stages:  # before the first minute of a loan is spent
        try:
            for task in chosen.texts:
                ways.lengths_of(ROOT, ways.TASKS[task], 512)
        except SeluError as error:
            sys.exit(str(error))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    driver = nvidia.read_driver()
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    say = Log(chosen.out, {"device": name, "shared": bool(nvidia.find_crowded(driver))})
    loan = gpu_stages.Loan(say, lambda: chosen.until - (time.monotonic() - BEGAN), ROOT, device, chosen)
    for stage in chosen.stages:
        began = time.monotonic()
        try:
            gpu_stages.STAGES[stage](loan)
        except Exception as error:  # a stage that fails is a line, too
            say(stage, error=f"{type(error).__name__}: {str(error)[:300]}", where=traceback.format_exc()[-800:])
        say("end", of=stage, seconds=round(time.monotonic() - began, 1))
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
