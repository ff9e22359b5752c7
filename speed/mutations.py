"""Small changes of the program that its tests should notice: what share they do, and which changes survive.

Each change alters one operator, constant or condition in a copy of the checkout; then those tests of its room
run that execute the changed statement. A change is caught if a test fails or runs for ever; what no test runs
survives. Left alone are annotations, decorators, texts, what is only in an error, ``strict=`` (a guard of what
cannot happen) and sums of texts or lists. First, each test file runs once, to see which statements its tests
execute; tests that fail as soon as any word of the program differs (hashes of sources) are named and left out,
as are tests marked slow. Killed at any moment, it leaves the checkout as it was; started again, it goes on.

    python speed/mutations.py                200 changes, hours on a busy machine
    python speed/mutations.py --room stats   only those of one room; may be repeated
    python speed/mutations.py --again        only those that survived, after tests were written
    python speed/mutations.py --self-check   every possible change alters one node and compiles
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scipy import stats
from small_changes import MARKING, MARKS, changed, differences, marked, sites

from selu.project import find_root

# Source files of a room, and the tests that are to catch a change of them; a room without any file is refused.
ROOMS = {
    "metrics": ("src/selu/metrics", "tests/metrics"),
    "stats": ("src/selu/stats", "tests/stats"),
    "splits": ("src/selu/splits", "tests/splits"),
    "sources": ("src/selu/sources", "tests/sources tests/faults/test_fetch_*.py"),
    "execution": ("src/selu/execution", "tests/execution tests/faults/test_run_*.py"),
    "claims": (
        "src/selu/papers/*/claims src/selu/papers/claims.py",
        "tests/papers/*/claims tests/papers/*/test_claims*.py tests/papers/test_claims_turn.py "
        "tests/report/test_rules.py",
    ),
}
MEMORY, FILE = 8 << 30, 2 << 30  # bytes that a changed program may take
SECONDS = 1800  # that one test file of the program as it is may take


class Change(NamedTuple):
    """One change of one file, whose text it becomes; ``statement`` as in ``Site``."""

    room: str
    file: str
    line: int
    column: int
    statement: int
    before: str
    after: str
    text: str

    @property
    def name(self) -> str:
        """What the change is known by in the file of results."""
        return f"{self.file}:{self.line}:{self.column}: {self.after}"


def files_of(root: Path, places: str, pattern: str) -> dict[str, Path]:
    """Find a room's files below these places; one may end in names within braces, as in a shell."""
    found: set[Path] = set()
    for place in places.split():
        head, _, tail = place.partition("{")
        names, _, end = tail.partition("}")
        for path in (path for name in names.split(",") for path in root.glob(head + name + end)):
            found.update(path.rglob(pattern) if path.is_dir() else [path])
    return {path.relative_to(root).as_posix(): path for path in sorted(found)}


def plan(root: Path, seed: int, wanted: int, rooms: Collection[str]) -> Iterator[Change]:
    """Draw equally many changes in each of these rooms, the same ones whatever others are asked for."""
    for index, (room, (places, _)) in enumerate(ROOMS.items()):
        if room not in rooms:
            continue
        rng = random.Random(f"{seed} {room}")
        sources = {file: path.read_text("utf-8") for file, path in files_of(root, places, "*.py").items()}
        every = [(file, site) for file, text in sources.items() for site in sites(ast.parse(text))]
        if not every:
            raise SystemExit(f"Room {room} has nothing to change: fix its places in {Path(__file__).name}.")
        rng.shuffle(every)
        for file, (node, possible, statement) in every[index : wanted : len(ROOMS)]:
            new = rng.choice(possible)
            text, line = changed(sources[file], node, new), node.lineno
            before, after = (each.splitlines()[line - 1].strip() for each in (sources[file], text))
            if node.end_lineno != line:
                before, after = ast.unparse(node), ast.unparse(new)
            yield Change(room, file, line, node.col_offset, statement, before, after, text)


class Copy:
    """A copy of the checkout: what a changed program does when it runs never meets the checkout itself."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.clean, self.here, self.scratch = folder / "clean", folder / "selu", folder / "scratch"
        self.marks, self.cache = folder / "marks.txt", folder / "cache"
        away = shutil.ignore_patterns(
            ".git", "build", "raw", "__pycache__", ".venv*", ".*_cache", ".reproduce*"
        )
        shutil.copytree(root, self.clean, symlinks=True, ignore=away)
        if (root.parent / "shared").is_dir():  # real data, without which some tests are skipped
            (folder / "shared").symlink_to(root.parent.resolve() / "shared")
        self.restore()
        self.state = self.look()

    def look(self) -> dict[str, tuple[int, int]]:
        """Size and time of every file."""
        every = [path for path in self.here.rglob("*") if "__pycache__" not in path.parts and path.is_file()]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in every}

    def restore(self, *files: str) -> None:
        """Give files their first text, and copy everything again if tests left something else."""
        for file in files:
            shutil.copy2(self.clean / file, self.here / file)
        (self.here / MARKS).unlink(missing_ok=True)
        if not files or self.look() != self.state:
            shutil.rmtree(self.here, ignore_errors=True)
            shutil.copytree(self.clean, self.here, symlinks=True)

    def write(self, file: str, text: str, time: int) -> None:
        """Write another text of a source file, of a time by which no compiled file passes for another's."""
        (self.here / file).write_text(text, "utf-8")
        os.utime(self.here / file, (time, time))

    def test(self, names: Sequence[str], limit: float, *how: str) -> list[str]:
        """Run tests; returns the names of those that failed, or how the run ended otherwise."""
        for path in (self.scratch, self.cache):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        settings = ["-p", "pytest_timeout", "-m", "not slow", "-o", f"cache_dir={self.cache}", *how]
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *settings, *names],
            cwd=self.here,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("SELU_")},
                "PYTHONPATH": str(self.here / "src"),
                "TMPDIR": str(self.scratch),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # loading all takes longer than most tests
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=limited,
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return [f"longer than {limit:.0f} s"]
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        failed = self.cache / "v" / "cache" / "lastfailed"
        found = list(json.loads(failed.read_text("utf-8"))) if failed.exists() else []
        return [] if code in (0, 5) else found or [f"pytest ended with {code}"]


def limited() -> None:
    """Keep a changed program from taking the machine's memory or disk."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))


def sha256(*texts: bytes) -> str:
    """Hash several texts as one."""
    return hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()


def read_marks(lines: Iterable[str]) -> dict[str, Any]:
    """Read what tests executed: each test with its seconds, and for each statement their indexes, or "all"."""
    tests: list[list[Any]] = []
    by: dict[str, Any] = {}
    of_all = True
    for line in lines:
        if line.startswith("> "):
            tests.append([line[2:], 0.0])
        elif line.startswith("< ") and tests and not of_all:
            tests[-1][1] = float(line[2:])
        elif of_all and line != "*":
            by[line] = "all"
        elif line != "*" and by.setdefault(line, []) != "all" and len(tests) - 1 not in by[line]:
            by[line].append(len(tests) - 1)
        of_all = line == "*" or (of_all and not line.startswith("> "))
    return {"tests": tests, "by": by}


def map_of(copy: Copy, room: str, known: dict[str, Any], save: Path) -> dict[str, dict[str, Any]]:
    """Find for each test file of a room what its tests execute, and which are to be left out."""
    places, tests = ROOMS[room]
    sources = {file: path.read_text("utf-8") for file, path in files_of(copy.clean, places, "*.py").items()}
    helpers = files_of(copy.clean, "src/selu tests", "*.py").values()
    shared = [path.read_bytes() for path in helpers if not path.name.startswith("test_")]
    found = {}
    for name, path in files_of(copy.clean, tests, "test_*.py").items():
        key = sha256(room.encode(), path.read_bytes(), *shared)
        if key not in known:
            copy.write(MARKS, MARKING.format(path=str(copy.marks)), 1)
            for file, text in sources.items():
                copy.write(file, marked(text, file), 1)
            copy.marks.write_text("")
            started = time.monotonic()
            failed = copy.test([name], SECONDS, "-p", "selu._marks")
            known[key] = read_marks(copy.marks.read_text("utf-8").splitlines())
            seconds = time.monotonic() - started
            for file, text in sources.items() if failed else ():
                copy.write(file, f"{text}\n_another_word = 0\n", 2)
            known[key]["left_out"] = copy.test(failed, SECONDS) if failed else []
            copy.restore(*sources)
            save.write_text(json.dumps(known), "utf-8")
            print(f"{name} seen in {seconds:.0f} s, left out: {known[key]['left_out']}", flush=True)
        found[name] = known[key]
    return found


def check(copy: Copy, change: Change, count: int, found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Run a change's tests, first those of the module's name and the quick ones; return its result."""
    own, started = f"/test_{Path(change.file).stem.strip('_')}.py", time.monotonic()
    chosen = []
    for name, each in found.items():
        which = each["by"].get(f"{change.file}:{change.statement}", [])
        tests = [test for i, test in enumerate(each["tests"]) if which == "all" or i in which]
        tests = sorted((test for test in tests if test[0] not in each["left_out"]), key=lambda test: test[1])
        chosen.append(
            (not name.endswith(own), sum(seconds for _, seconds in tests), [test for test, _ in tests])
        )
    chosen.sort()
    names = [test for _, _, tests in chosen for test in tests]
    failed = []
    if names:
        copy.write(change.file, change.text, 10 + count)
        failed = copy.test(names, 180 + 5 * sum(seconds for _, seconds, _ in chosen), "-x")
        copy.restore(change.file)
    record = {name: value for name, value in change._asdict().items() if name != "text"} | {"name": change.name}
    seconds = round(time.monotonic() - started, 1)
    return record | {"caught": bool(failed), "by": failed[:1], "tests": len(names), "seconds": seconds}


def measure(root: Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Check the changes that this program has not checked yet, and return the results of all."""
    out, changes = arguments.out, list(plan(root, arguments.seed, arguments.changes, arguments.room or ROOMS))
    sources = sha256(*(path.read_bytes() for path in files_of(root, "src/selu", "*.py").values()))
    header = {"seed": arguments.seed, "sources": sources}
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.exists() else [header]
    if lines[0] != header:
        raise SystemExit(
            f"{out} is of another seed or other sources: move it away, or name another one by --out."
        )
    if not out.exists():
        out.write_text(json.dumps(header) + "\n", "utf-8")
    done = {line["name"]: line for line in lines[1:]}
    kept = {name for name, each in done.items() if each["caught"] or not arguments.again}
    todo = [each for each in changes if each.name not in kept]
    save = out.with_suffix(".map.json")
    known = json.loads(save.read_text("utf-8")) if save.exists() else {}
    with (
        tempfile.TemporaryDirectory(prefix="selu-mutations-") as folder,
        out.open("a", encoding="utf-8") as file,
    ):
        copy = Copy(root, Path(folder))
        maps: dict[str, dict[str, Any]] = {}
        started = time.monotonic()
        for count, change in enumerate(todo, 1):
            if change.room not in maps:
                maps[change.room] = map_of(copy, change.room, known, save)
            result = done[change.name] = check(copy, change, count, maps[change.room])
            print(json.dumps(result, ensure_ascii=False), file=file, flush=True)
            left = (time.monotonic() - started) / count * (len(todo) - count) / 60
            verdict = "caught by" if result["caught"] else f"survived {result['tests']} tests"
            print(
                f"[{count} of {len(todo)}, {left:.0f} min left]",
                change.name,
                verdict,
                *result["by"],
                flush=True,
            )
    return [done[each.name] for each in changes]


def report(results: Sequence[Mapping[str, Any]]) -> None:
    """Print what share each room's tests caught, and the changes that survived."""
    print(f"\n{'room':<12}{'changes':>8}{'caught':>8}{'share':>8}{'low':>8}{'high':>8}{'seconds':>9}")
    for room in [*ROOMS, "all"]:
        if not (of_room := [each for each in results if room in (each["room"], "all")]):
            continue
        caught, seconds = (sum(each[name] for each in of_room) for name in ("caught", "seconds"))
        bounds = stats.binomtest(caught, len(of_room)).proportion_ci(0.95, method="wilson")
        shares = "".join(f"{share:>8.3f}" for share in (caught / len(of_room), bounds.low, bounds.high))
        print(f"{room:<12}{len(of_room):>8}{caught:>8}{shares}{seconds:>9.0f}")
    print("\nShares have their 95 % interval (Wilson). What survived, and how many tests execute it:")
    for each in results:
        if not each["caught"]:
            print(f"{each['file']}:{each['line']}: {each['before']} -> {each['after']}  ({each['tests']})")


def check_self(root: Path) -> None:
    """Check that every change that can be drawn alters one node of a copy that still compiles."""
    count = 0
    for file in {file: None for places, _ in ROOMS.values() for file in files_of(root, places, "*.py")}:
        text = (root / file).read_text("utf-8")
        tree = ast.parse(text)
        compile(marked(text, file), file, "exec")
        for node, possible, _ in sites(tree):
            for new in possible:
                other = changed(text, node, new)
                compile(other, file, "exec")
                if differences(tree, ast.parse(other)) != 1:
                    raise SystemExit(f"{file}:{node.lineno}: {ast.unparse(new)} alters more than one node.")
                count += 1
    print(f"{count} possible changes: each alters one node, and the file still compiles.")


def main() -> None:
    """Read the arguments, check the changes and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=200, help="how many, equally many in each room")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room's; may be repeated")
    parser.add_argument(
        "--out", type=Path, default=Path("build/mutations.jsonl"), help="results, a line a change"
    )
    parser.add_argument("--again", action="store_true", help="check those that survived again")
    parser.add_argument("--self-check", action="store_true", help="check this program, and run no test")
    arguments = parser.parse_args()
    root = find_root(Path(__file__).parent)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copy goes, and what runs in it
    if arguments.self_check:
        check_self(root)
    else:
        report(measure(root, arguments))


if __name__ == "__main__":
    main()
