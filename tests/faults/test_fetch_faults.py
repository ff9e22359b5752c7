"""A fetch killed at any point leaves the old set or the new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import made
import pytest
from server import Server

from selu.sources.fetch import fetch, on_disk
from selu.sources.pins import MIRROR, Pin
from selu.sources.verify import check
from selu.vocabulary import SeluError

KILLS = 60  # in a download; with those before each operation on files (24 and 22) above a hundred


OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock", "os.truncate")


class Child:
    """A process that fetches, and kills itself before its ``after``-th operation on files in the folder."""

    def __init__(self, scene: Scene, after: int | None = None) -> None:
        self._counted = os.memfd_create("counted")
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._place, self._after, self._count = str(scene.folder.parent), after, 0
                sys.addaudithook(self._count_operation)
                scene.fetch(scene.new)
                os._exit(0)
            finally:
                os._exit(1)

    def _count_operation(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count an operation on files in the folder, which Python tells before it is done."""
        if event in OPERATIONS and (event == "fcntl.flock" or str(arguments[0]).startswith(self._place)):
            self._count += 1
            os.pwrite(self._counted, str(self._count).encode(), 0)
            if self._count == self._after:
                os.kill(os.getpid(), signal.SIGKILL)

    def end(self) -> tuple[int, int]:
        """How the child ended (minus the signal's number), and how many operations it began."""
        _, status = os.waitpid(self.pid, 0)
        count = int(os.pread(self._counted, 20, 0) or 0)
        os.close(self._counted)
        return os.waitstatus_to_exitcode(status), count


NAMES = ("a.csv", "b.csv", "c.csv")
OLD = {name: made.content(60_000, seed) for seed, name in enumerate(NAMES, 10)}
NEW = {name: made.content(70_000, seed) for seed, name in enumerate(NAMES, 20)}


def pin_of(origin: str, contents: dict[str, bytes]) -> Pin:
    files = [made.pinned(name, data, f"set/{name}") for name, data in contents.items()]
    return made.pin(made.mirrored(*files) if origin == MIRROR else made.remote(origin, *files))


class Scene:
    """A mirror or server with the new set, a folder that may hold the old one, and the pins of both."""

    def __init__(self, base: Path, origin: str, server: Server | None) -> None:
        self.base, self.origin, self.server = base, origin, server
        self.old, self.new = pin_of(origin, OLD), pin_of(origin, NEW)
        self.folder = base / "raw" / "incivility"
        self.mirror = base / "mirror" if origin == MIRROR else None
        self.url = server.url if server else None

    def publish(self, contents: dict[str, bytes]) -> None:
        for name, data in contents.items():
            if self.server:
                self.server.put(f"/owner/name/{made.COMMIT}/set/{name}", data)
            else:
                path = self.base / "mirror" / "set" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    def begin(self, *, with_old: bool) -> None:
        """An empty folder, or one with the old set; the new one is published."""
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        if with_old:
            self.publish(OLD)
            self.fetch(self.old)
        self.publish(NEW)

    def fetch(self, pin: Pin) -> None:
        network = made.network(self.url or "http://127.0.0.1:9", read=60)
        assert fetch(pin, self.folder, self.mirror, network).verified

    def check_killed(self, *, with_old: bool) -> str:
        """No torn file under a final name; the folder holds the old set or the new one, whole."""
        for name in NAMES:
            path = self.folder / self.origin / name
            assert not path.exists() or path.read_bytes() in (OLD[name], NEW[name])
        availability = [kind for kind, pin in (("old", self.old), ("new", self.new)) if self.whole(pin)]
        assert availability in ([["old"], ["new"]] if with_old else [[], ["new"]])
        return availability[0] if availability else "nothing"

    def whole(self, pin: Pin) -> bool:
        try:
            found = on_disk(pin, self.folder)
        except SeluError:
            return False
        for file in pin.origins[0].files:
            check(found.files[file.name], file, "")
        return True

    def check_completes(self) -> None:
        self.fetch(self.new)
        found = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        assert found == {"origin.json", *(f"{self.origin}/{name}" for name in NAMES)}
        for name in NAMES:
            assert (self.folder / self.origin / name).read_bytes() == NEW[name]


@pytest.mark.ci
@pytest.mark.parametrize("with_old", [True, False])
def test_killed_at_every_operation_on_files(tmp_path, with_old):
    """The child dies just before its n-th open, rename, removal, ... in the folder, for every n."""
    scene = Scene(tmp_path, MIRROR, None)
    scene.begin(with_old=with_old)
    code, operations = Child(scene).end()
    assert code == 0
    assert operations >= 20
    left = []
    for after in range(1, operations + 1):
        scene.begin(with_old=with_old)
        assert Child(scene, after).end() == (-signal.SIGKILL, after)
        left.append(scene.check_killed(with_old=with_old))
        scene.check_completes()
    assert set(left) == {"old" if with_old else "nothing", "new"}
    assert left == sorted(left, key=lambda kind: kind == "new")  # once the new set stands, it stands


@pytest.mark.slow
def test_killed_at_many_bytes_of_a_download(tmp_path):
    """The server stops after byte k of a file, the child is killed there, the next run goes on from there."""
    numbers = random.Random(23)
    with Server() as server:
        scene = Scene(tmp_path, "original", server)
        for point in range(KILLS):
            name, stop = NAMES[point % 3], numbers.randrange(70_000)
            scene.begin(with_old=True)
            path = f"/owner/name/{made.COMMIT}/set/{name}"
            server.put(path, NEW[name], "stall", stop, times=1)
            server.asked.clear()
            child = Child(scene)
            part = scene.folder / "original" / f"{name}.part"
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and not (server.gets(path) and size(part) > stop - 8_192):
                time.sleep(0.002)
            os.kill(child.pid, signal.SIGKILL)
            assert child.end()[0] == -signal.SIGKILL
            kept = size(part)
            assert stop - 8_192 < kept <= stop
            assert not kept or part.read_bytes() == NEW[name][:kept]
            assert scene.check_killed(with_old=True) == "old"
            scene.check_completes()
            assert server.ranges(path) == [None, f"bytes={kept}-" if kept else None]


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
