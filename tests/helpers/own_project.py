"""A project with the task and the model that docs/ADDING.md shows, read out of it, and rows for the task."""

from __future__ import annotations

import csv
import io
import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner

from helpers import small_project as small
from selu.papers.own.record import FOLDER

_DOCUMENT = (small.ROOT / "docs" / "ADDING.md").read_text("utf-8")
TASK_YAML, MODELS_YAML = re.findall(r"```yaml\n(.*?)```", _DOCUMENT, re.DOTALL)
TASK = re.search(rf"`{FOLDER.as_posix()}/([a-z_]+)\.yaml`", _DOCUMENT)[1]  # type: ignore[index]
CSV_HEAD = re.search(r"```csv\n(.*?)```", _DOCUMENT, re.DOTALL)[1]  # type: ignore[index]
MODELS: dict[str, dict[str, Any]] = yaml.safe_load(MODELS_YAML)["models"]
_OWN_TASK = _DOCUMENT[_DOCUMENT.index("### Of your own") :]
COMMANDS = [line.split()[1:] for line in re.findall(r"^selu .*$", _OWN_TASK, re.MULTILINE)]
WHAT = ("bump the parser", "rename the module", "drop the cache", "move a test", "close the file")
WHY = ("because it failed on windows", "since users lost data", "so that the build is quicker")


def rows(count: int = 60, seed: int = 5) -> list[list[str]]:
    """Messages as the document shows them, with a header; half of them say why."""
    header, *first = csv.reader(io.StringIO(CSV_HEAD))
    draw = random.Random(seed)
    found = [header, *first]
    for number in range(count - len(first)):
        message = f"{draw.choice(WHAT)} of part {number}, step {draw.randrange(99)}"
        why = number % 2
        found.append([f"{message} {draw.choice(WHY)}" if why else message, "yes" if why else "no"])
    return found


def write(root: Path, rows: Sequence[Sequence[str]], name: str = TASK) -> Path:
    path = root / FOLDER / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def declare(root: Path, text: str = TASK_YAML, name: str = TASK) -> Path:
    path = root / FOLDER / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def make(root: Path) -> Path:
    """The project, with the paper's tables, so that all can be listed."""
    small.make(root, (), alike=True)
    shutil.copytree(small.ROOT / "data" / "paper", root / "data" / "paper", dirs_exist_ok=True)
    for name in ("paper.csv", "models/revisions.yaml"):
        path = root / "data" / "pins" / "selu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(small.ROOT / "data" / "pins" / "selu" / name, path)
    small.alter(root, lambda p: p["finetune"].update(models=MODELS, seeds=[42]))
    declare(root)
    write(root, rows())
    return root


def invoked(root: Path, *words: str) -> str:
    """What a ``selu`` command prints, in this process; the runs that it starts have their own."""
    from selu.cli import app

    result = CliRunner().invoke(app, ["--root", str(root), *words])
    assert result.exit_code == 0, result.output
    return result.stdout
