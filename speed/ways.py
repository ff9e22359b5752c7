"""What REPRODUCE.md's first two ways take, measured in a fresh clone with an empty HOME.

    python speed/ways.py            # both ways; the second without its hour of runs
    SELU_MIRROR=DIR python speed/ways.py --beside ", while other work ran"

Writes docs/measurements/ways.json, which `selu report ways` reads. Time is the clock's, disk is what the
clone takes in the end, memory the most that all processes together held (sampled every half second; shared
pages count once a process).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from selu.runs import resources

ROOT = Path(__file__).parents[1]


class Memory:
    """The most resident memory of a process and all below it, bytes."""

    def __init__(self, pid: int) -> None:
        self.most, self._process, self._end = 0, psutil.Process(pid), threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.5):
            with suppress(psutil.NoSuchProcess):
                every = [self._process, *self._process.children(recursive=True)]
                self.most = max(self.most, sum(_resident(process) for process in every))


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:  # it ended meanwhile
        return 0


def disk(folder: Path) -> int:
    """Bytes of a folder on the disk, hard links once."""
    return 1024 * int(subprocess.run(["du", "-sk", folder], capture_output=True, check=True).stdout.split()[0])


def timed(clone: Path, home: Path, *targets: str) -> tuple[float, int]:
    """Seconds and bytes of memory of `make TARGETS` in the clone."""
    kept = ("PATH", "SELU_MIRROR", "PIP_CONFIG_FILE", "TORCH_WHEELS")
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {"HOME": str(home)}
    began = time.monotonic()
    process = subprocess.Popen(["make", "--no-print-directory", *targets], cwd=clone, env=environment)
    with Memory(process.pid) as memory:
        code = process.wait()
    if code:
        raise SystemExit(f"make {' '.join(targets)} ended with {code}")
    return time.monotonic() - began, memory.most


def main() -> None:
    """Measure both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", default="", help="what else ran on the machine, as the end of a sentence")
    beside = parser.parse_args().beside
    with tempfile.TemporaryDirectory() as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        install, _ = timed(clone, home, ".venv/verify.stamp")
        first, memory = timed(clone, home, "reproduce")
        minutes = {
            "seconds": round(install + first),
            "install_seconds": round(install),
            "disk_bytes": disk(clone),
            "memory_bytes": memory,
        }
        prepared, _ = timed(clone, home, "data", "environments", "finetune-environment")
        hour = {"prepare_seconds": round(prepared), "disk_bytes": disk(clone)}
    machine = resources.machine()
    words = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB"
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    found = {"machine": words, "date": today, "beside": beside, "minutes": minutes, "hour": hour}
    (ROOT / "docs" / "measurements" / "ways.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
