"""What REPRODUCE.md's first two doors take, measured in a fresh clone with an empty HOME.

    python benchmarks/doors.py            # both doors; the second without its hour of runs
    SELU_MIRROR=DIR python benchmarks/doors.py --beside ", while other work ran"

Writes docs/measurements/doors.json, which `selu report doors` reads. Time is the clock's, disk is what the
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
from pathlib import Path

from selu.runs import resources

ROOT = Path(__file__).parents[1]
PAGE = os.sysconf("SC_PAGE_SIZE")


class Memory:
    """The most resident memory of a session's processes, bytes."""

    def __init__(self, session: int) -> None:
        self.most, self._session, self._end = 0, session, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.5):
            self.most = max(self.most, sum(_resident(pid) for pid in _descendants(self._session)))


def _descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, added = {pid}, True
    while added:
        more = {child for child, parent in parents.items() if parent in found} - found
        added = bool(more)
        found |= more
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
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
    """Measure both doors."""
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
        prepared, memory = timed(clone, home, "data", "environments", "finetune-environment")
        hour = {"prepare_seconds": round(prepared), "disk_bytes": disk(clone), "memory_bytes": memory}
    machine = resources.machine()
    words = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB"
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    found = {"machine": words, "date": today, "beside": beside, "minutes": minutes, "hour": hour}
    (ROOT / "docs" / "measurements" / "doors.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
