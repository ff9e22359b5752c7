"""A writer of runs that is killed, or whose disk refuses, at any point leaves the old run or the new one."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import record_until_killed as writing

from selu.runs import record, seals

ROUNDS, WRITERS = 67, 3  # 201 kills
KINDS = {"open", "mkdir", "write", "fsync", "rename", "unlink", "rmdir"}
MEMORY = Path("/dev/shm")
VERBS = ("run", "failed", "scores", "unit")


class Nursery:
    """Children that write, and are killed or refused."""

    def __init__(self) -> None:
        command = [sys.executable, writing.__file__]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, *orders: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(orders) + "\n")
        self.process.stdin.flush()

    def busy(self) -> bool:
        return not select.select([self.process.stdout], [], [], 0)[0]

    def end(self) -> list[tuple[int, int, list[list[str]], list[str] | None]]:
        """For each child: its exit code, the number of its operations, what they were, and its error."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def carry_out(
        self, scene: Scene, verb: str, *contents: str, after: int | None = None, **options: Any
    ) -> Any:
        self.start(scene.order(verb, *contents, after=after, **options))
        (answer,) = self.end()
        return answer


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    started = Nursery()
    yield started
    assert started.process.stdin is not None
    started.process.stdin.close()
    assert started.process.wait(30) == 0


class Scene:
    """A run's folder."""

    def __init__(self, base: Path) -> None:
        self.base = base / "results"
        self.folder = self.base / writing.TASK / writing.SYSTEM / writing.RUN
        self.pristine = base / "pristine"

    def order(self, verb: str, *contents: str, after: int | None = None, **options: Any) -> dict[str, Any]:
        return {"verb": verb, "folder": str(self.folder), "contents": contents, "after": after, **options}

    def begin(self, verb: str, *, with_old: bool = True) -> None:
        """Nothing, or an old run, or what ``verb`` writes called old (with the run that it needs)."""
        shutil.rmtree(self.base, ignore_errors=True)
        if with_old and not self.pristine.exists():
            writing.write("run", self.folder, "old")
            if verb in ("scores", "unit"):
                writing.write(verb, self.folder, "old")
            shutil.copytree(self.base, self.pristine)
        elif with_old:
            shutil.copytree(self.pristine, self.base)
        else:
            self.base.mkdir()

    def availability(self, verb: str = "run") -> str:
        """What a reader finds, every byte of it checked: old, new, ... or nothing."""
        if verb == "unit":
            path = self.folder / "unit.json"
            return seals.read_sealed(path, "a unit")["identity"] if path.exists() else "nothing"
        if verb == "scores":
            found = record.read_scores(self.folder)
            kind = found["name"][:3]
            assert found == seals.seal(writing.scores(self.folder, kind))
            return kind
        try:
            found = record.read_run(self.folder)
        except record.MissingRunError:
            return "nothing"
        kind = found["identity"]
        if found["state"] == "failed":
            assert not found["files"]
            return kind
        assert found["seconds"] == 0.1 + 0.2
        assert found["files"] == hashes(kind)  # to which reading held the files
        return kind

    def check_tidy(self, verb: str) -> None:
        """No file is there that a writer that wasn't killed leaves out."""
        there = {path.relative_to(self.folder.parent).as_posix() for path in self.folder.parent.rglob("*")}
        inside = {"run": set(writing.files("new")), "failed": set()}.get(verb)
        expected = {"run.json"} | (set(writing.files("old")) if inside is None else inside)
        if verb in ("scores", "unit"):
            expected.add({"scores": "scores.json", "unit": "unit.json"}[verb])
        assert there == {writing.RUN, *(f"{writing.RUN}/{name}" for name in expected)}

    def check_completes(self, verb: str, availability: str) -> None:
        """Tidying changes nothing that a reader sees; the next writer succeeds and leaves nothing behind."""
        record.settle(self.folder)
        assert self.availability(verb) == availability
        writing.write(verb, self.folder, "end")
        assert self.availability(verb) == "end"
        if verb == "run":
            assert {n: record.read_file(self.folder, n, "end") for n in hashes("end")} == writing.files("end")
        self.check_tidy(verb)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """In memory where there is such a place: its flushes don't wait for what else the disk does."""
    if not os.access(MEMORY, os.W_OK):
        yield Scene(tmp_path)
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as base:
        yield Scene(Path(base))


@cache
def hashes(kind: str) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in writing.files(kind).items()}


def kinds(trace: list[list[str]]) -> list[str]:
    return [kind for kind, _ in trace]


def in_order(seen: list[str], first: str) -> bool:
    """Whether the old stood at first and the new from some point on."""
    return set(seen) == {first, "new"} and seen == sorted(seen, key=lambda kind: kind == "new")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("verb", "with_old"), [*((verb, True) for verb in VERBS), ("run", False), ("failed", False)]
)
def test_killed_at_every_operation(nursery, scene, verb, with_old):
    """The child dies just before its n-th operation (or half-way through it, where it writes), for every n."""
    scene.begin(verb, with_old=with_old)
    code, operations, trace, error = nursery.carry_out(scene, verb, "new")
    assert (code, error, scene.availability(verb)) == (0, None, "new")
    scene.begin(verb, with_old=with_old)
    seen = []
    for after in range(1, operations + 1):
        scene.begin(verb, with_old=with_old)
        code, count, steps, _ = nursery.carry_out(scene, verb, "new", after=after)
        assert (code, count) == (-signal.SIGKILL, after)
        assert kinds(steps) == kinds(trace)[:after]
        seen.append(scene.availability(verb))
        scene.check_completes(verb, seen[-1])
    assert in_order(seen, "old" if with_old else "nothing")
    if verb == "run" and with_old:
        assert set(kinds(trace)) == KINDS


@pytest.mark.ci
def test_three_writers_at_once_killed_at_drawn_points(nursery, scene):
    """A reader beside them never finds anything but a whole run, and neither does one after their deaths."""
    numbers, points_of, seen, beside = random.Random(24), Counter(), Counter(), 0
    scene.begin("run")
    operations = nursery.carry_out(scene, "run", "new")[1]
    for turn in range(ROUNDS):
        if turn % 2:
            scene.begin("run")
        points = [numbers.randint(1, 3 * operations) for _ in range(WRITERS)]
        contents = ("new", "old") * 3
        nursery.start(*(scene.order("run", *contents[i % 2 :], after=n) for i, n in enumerate(points)))
        while nursery.busy():
            assert scene.availability() in ("old", "new", "end")
            beside += 1
        for answer, point in zip(nursery.end(), points, strict=True):
            assert answer[:2] == [-signal.SIGKILL, point]
            points_of[kinds(answer[2])[-1]] += 1
        seen[scene.availability()] += 1
        scene.check_completes("run", scene.availability())
    assert points_of.total() == ROUNDS * WRITERS > 200
    assert set(points_of) == KINDS
    assert seen["old"] > 5
    assert seen["new"] > 5
    assert beside > ROUNDS


@pytest.mark.ci
def test_killed_again_while_ending_what_a_killed_writer_began(nursery, scene):
    numbers = random.Random(25)
    scene.begin("run")
    operations = nursery.carry_out(scene, "run", "new")[1]
    for first in range(1, operations + 1):
        for _ in range(2):
            scene.begin("run")
            nursery.carry_out(scene, "run", "new", after=first)
            before = scene.availability()
            second = numbers.randint(1, operations)
            assert nursery.carry_out(scene, "run", "third", after=second)[0] == -signal.SIGKILL
            assert scene.availability() in (before, "third")
            scene.check_completes("run", scene.availability())


@pytest.mark.ci
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("fault", "lasting"), [("ENOSPC", True), ("EROFS", True), ("EIO", False)])
def test_a_disk_that_refuses_at_every_operation(nursery, scene, verb, fault, lasting):
    """A full disk, one that turns read-only, one whose n-th operation fails: an OSError that names a file."""
    scene.begin(verb)
    operations = nursery.carry_out(scene, verb, "new")[1]
    seen = []
    for after in range(1, operations + 1):
        scene.begin(verb)
        code, _, _, error = nursery.carry_out(scene, verb, "new", after=after, fault=fault, lasting=lasting)
        assert (code, error[:2]) == (0, [fault, os.strerror(getattr(errno, fault))])
        assert str(scene.folder.parent) in error[2] or "/" not in error[2]
        seen.append(scene.availability(verb))
        if fault == "ENOSPC" and seen[-1] == "old":  # what was half-written gave its room back
            assert not [path for path in scene.folder.parent.rglob(".*") if ".tmp-" in path.name]
        scene.check_completes(verb, seen[-1])
    assert in_order(seen, "old")


def test_a_file_that_grows_over_a_real_limit(nursery, scene):
    scene.begin("run")
    code, _, trace, error = nursery.carry_out(scene, "run", "new", largest=50_000)
    assert (code, error[0]) == (0, "EFBIG")
    assert Path(error[2]).name == "predictions.parquet"
    assert kinds(trace).count("write") == 2  # the first of them wrote half of the file
    assert scene.availability() == "old"
    scene.check_tidy("run")
    scene.check_completes("run", "old")


@pytest.mark.parametrize("with_old", [True, False])
def test_everything_is_on_the_disk_before_the_next_step_relies_on_it(nursery, scene, with_old):
    """What a kill can't show, but a power cut would: files and folder are flushed before the renames."""
    scene.begin("run", with_old=with_old)
    trace = [tuple(step) for step in nursery.carry_out(scene, "run", "new")[2]]
    renames = [i for i, step in enumerate(trace) if step[0] == "rename"]
    new, old = f".{writing.RUN}.new", f".{writing.RUN}.old"
    temporary = trace[renames[0]][1]
    assert temporary.startswith(f"{new}.tmp-")
    assert [trace[i][1] for i in renames[1:]] == ([writing.RUN, new] if with_old else [new])
    for name in (*writing.files("new"), "run.json"):
        flushed = trace.index(("fsync", name))
        assert max(i for i, step in enumerate(trace) if step == ("write", name)) < flushed
        assert flushed < trace.index(("fsync", temporary)) < renames[0]
    flushes = [i for i, step in enumerate(trace) if step == ("fsync", writing.SYSTEM)]
    assert any(renames[0] < i < renames[1] for i in flushes)
    assert max(flushes) > renames[-1]
    removals = [i for i, step in enumerate(trace) if step[0] in ("unlink", "rmdir")]
    assert trace[-1:] == [("rmdir", old)] if with_old else not removals
    assert all(i > max(flushes) for i in removals)
    if not with_old:  # the names of the folders above
        for name in (scene.base.name, writing.TASK):
            assert ("fsync", name) in trace
