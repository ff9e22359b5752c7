"""What an error tells a user to do can be done: the commands that messages of the program name."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from helpers.command import selu
from selu.cli import app

ROOT = Path(__file__).parents[1]
_QUOTED = re.compile(r"(?<!\w)'((?:selu|make|dvc) [^'\n]+)'|(?<!\w)``((?:selu|make) [^`\n]+)``")
_GIVEN = "\0"  # in the place of a value that the program fills in
_VERBS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def texts(path: Path) -> Iterator[str]:
    """The texts of a module, with a sign where it fills something in."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else _GIVEN for part in node.values)
            yield "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def remedies() -> set[str]:
    found = {
        "".join(groups)
        for path in (ROOT / "src" / "selu").rglob("*.py")
        for text in texts(path)
        for groups in _QUOTED.findall(text)
    }
    return {command for command in found if not command.split()[1].startswith(_GIVEN)}


@pytest.mark.ci
def test_each_command_that_a_message_names_exists_with_its_options() -> None:
    rules = (ROOT / "Makefile").read_text("utf-8")
    commands, wrong = remedies(), []
    for command in sorted(commands):
        program, verb, *words = command.split()
        verb = verb.rstrip(",.;:")
        options = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z-]+(=.*)?", word)}
        if program == "make" and not re.search(rf"^{re.escape(verb)}:", rules, re.MULTILINE):
            wrong.append(command)
        if program == "selu" and re.fullmatch(r"[a-z-]+", verb):
            known = (
                {name for option in _VERBS[verb].params for name in option.opts} | {"--help"}
                if verb in _VERBS
                else set()
            )
            wrong += [command] if verb not in _VERBS or options - known else []
    assert len(commands) > 60
    assert not wrong


def test_what_an_error_says_to_run_makes_what_was_lost(tmp_path: Path) -> None:
    for name in ("data", "src", "results", "store", "params.yaml", "dvc.yaml", "dvc.lock", "locks"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "reports" / "nlbse25", tmp_path / "reports" / "nlbse25")
    lost = tmp_path / "reports" / "nlbse25" / "claims.json"
    before = lost.read_bytes()
    lost.unlink()
    words = ("--root", str(tmp_path), "list", "claims", "--paper", "nlbse25")
    done = selu(*words)
    assert done.returncode == 2
    command = re.search(r"'selu ([^']+)'", done.stderr)
    assert command, done.stderr
    assert selu("--root", str(tmp_path), *command[1].split()).returncode == 0
    assert lost.read_bytes() == before
    assert selu(*words).returncode == 0
