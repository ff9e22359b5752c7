"""Patches are read as ``git apply`` reads them: the same files, the same counts of lines."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from selu.papers.faun_eval.metrics import patches
from selu.papers.faun_eval.metrics.patches import Fault

CASES = Path(__file__).parents[4] / "shared" / "cases" / "patches"
NAMES = ("a.py", "b c.py", "é.py", 'q"u.py', "t\tab.py", "x/y.py", "x/-- a.py", "docs/日本.txt", "a b/c d.py")
LINES = ("x = 1", "", "-- x", "++ y", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline", "é", "tail\r", " y")
PREFIXES = ((), ("-c", "diff.mnemonicPrefix=true"), ("--src-prefix=left/", "--dst-prefix=right/"))


def git(folder: Path, *words: str, given: bytes = b"", fine: bool = True) -> bytes:
    settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *words], cwd=folder, input=given, capture_output=True, env=os.environ | settings, check=fine
    )
    return b"" if done.returncode else done.stdout


def numstat(folder: Path, text: str) -> list[tuple[int, int, str]] | None:
    """What git finds, a binary file with 0 lines; None where it refuses the patch."""
    output = git(folder, "apply", "--numstat", "-z", "-", given=text.encode(), fine=False).decode()
    parts = [row.split("\t", 2) for row in output.split("\0") if row]
    return [(int(a.strip("-") or 0), int(r.strip("-") or 0), name) for a, r, name in parts] or None


def counts(text: str) -> list[tuple[int, int, str]]:
    read = patches.read(text).changes
    return [
        (
            sum(line[0] == "+" for line in change.lines),
            sum(line[0] == "-" for line in change.lines),
            change.path,
        )
        for change in read
    ]


def stream(rng: random.Random, steps: int) -> Iterator[bytes]:
    """Commits of random edits, new files, removals and renames, for ``git fast-import``."""
    kept: dict[str, str] = {}
    for step in range(steps):
        yield f"commit refs/heads/main\ncommitter A <a@b.c> {step} +0000\ndata 0\n".encode()
        for name in rng.sample(NAMES, rng.randint(1, 3)):
            lines = kept.get(name, "").split("\n")
            for _ in range(rng.randint(1, 4)):
                at = rng.randint(0, len(lines))
                lines[at : at + rng.randint(0, 2)] = rng.choices(LINES, k=rng.randint(0, 12))
            quoted = json.dumps(name, ensure_ascii=False)
            if name in kept and rng.random() < 0.3:
                moved = f"moved/{step} {name}"
                yield f"D {quoted}\n".encode()
                name, quoted = moved, json.dumps(moved, ensure_ascii=False)
                lines = [*kept.pop(name.split(" ", 1)[1]).split("\n"), *rng.choices(LINES, k=rng.randint(0, 1))]
            elif name in kept and rng.random() < 0.2:
                kept.pop(name)
                yield f"D {quoted}\n".encode()
                continue
            if not name.startswith("moved/"):
                kept[name] = "\n".join(lines)
            body = "\n".join(lines).encode()
            quoted = quoted.replace("\\t", "\\011")
            yield f"M 100644 inline {quoted}\ndata {len(body)}\n".encode() + body + b"\n"
        yield b"\n"


@pytest.mark.parametrize("wanted", [150, pytest.param(2_000, marks=pytest.mark.slow)])
def test_generated_diffs_are_read_as_git_reads_them(tmp_path: Path, wanted: int) -> None:
    rng, each = random.Random(40), wanted // len(PREFIXES) + 1
    git(tmp_path, "init", "-q")
    git(tmp_path, "fast-import", "--quiet", given=b"".join(stream(rng, each + 1)))
    texts = []
    for flags in PREFIXES:
        settings, words = (flags, ()) if flags[:1] == ("-c",) else ((), flags)
        output = git(tmp_path, *settings, "log", "-p", "-M", "--format=%x00", *words, "main").decode()
        texts += [text.lstrip("\n") for text in output.split("\0") if text.strip()]
    texts = texts[:wanted]
    assert len(texts) == wanted
    assert sum("rename from" in text for text in texts) > wanted / 20
    assert sum('"b/' in text for text in texts) > wanted / 20
    assert [text for text in texts if counts(text) != numstat(tmp_path, text)] == []
    assert [text for text in texts if patches.read(text).fault] == []


@pytest.mark.parametrize(
    ("text", "fault", "files"),
    [
        ("diff --git i/x/a.py w/x/a.py\n--- i/x/a.py\n+++ w/x/a.py\n@@ -1 +1 @@\n-a\n+b\n", None, ("x/a.py",)),
        ('--- "a/\\303\\251.py"\n+++ "b/\\303\\251.py"\n@@ -1 +1 @@\n-a\n+b\n', None, ("é.py",)),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@\n-a\n+b\n", Fault.NO_HUNK, ("x",)),
        ("diff --cc x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n", Fault.NO_HUNK, ("x",)),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n s\n--- x\n+++ y\n", None, ("x",)),
        ("diff --git x x\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", Fault.NO_PREFIX, ("x",)),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", None, ("x",)),
    ],
)
def test_prefixes_quotes_and_counts_are_those_of_git(
    tmp_path: Path, text: str, fault: Fault | None, files: tuple[str, ...]
) -> None:
    assert fault is not Fault.NO_PREFIX or numstat(tmp_path, text) is None
    assert (patches.read(text).fault, patches.read(text).files) == (fault, files)


@pytest.mark.skipif(not CASES.is_dir(), reason="the small inputs that reports led to are not here")
def test_the_cases_from_reports_are_read_as_git_reads_them(tmp_path: Path) -> None:
    with (CASES / "expected.csv").open(newline="", encoding="utf-8") as stream:
        names = {row["instance_id"]: row["case"] for row in csv.DictReader(stream)}
    cases = {}
    for file, alone in (("patches", ""), ("names_escape_and_mnemonic", "escape_and_mnemonic")):
        for line in (CASES / f"{file}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            cases[alone or names[record["instance_id"]]] = record["model_patch"]
    assert len(cases) == 30
    for case, text in cases.items():
        found = numstat(tmp_path, text)
        if case == "no_newline_at_end":  # git wants the last end of line, which the scores do without
            found = numstat(tmp_path, f"{text}\n")
        if found is None:
            assert patches.read(text).fault, case
        else:
            binary = "logo.png"  # git names one or not, by how its change is written
            assert [row for row in counts(text) if row[2] != binary] == [
                row for row in found if row[2] != binary
            ], case
            faulty = ("outside", "windows_path", "binary_first", "binary_last", "no_hunk_numbers")
            assert (patches.read(text).fault is None) == (case not in faulty), case
