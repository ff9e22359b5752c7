"""A project with few generated rows of real tasks, as ``selu prepare`` leaves them, and small grids."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from helpers import command
from selu import registry
from selu.data import prepared
from selu.data.prepared import FIELDS
from selu.files import to_json
from selu.project import PARAMS, SHARED, params_of
from selu.registry import record_of, rows_of, splits_of
from selu.splits import files
from selu.vocabulary import Kind, Task

ROOT = Path(__file__).parents[2]
# One task of each kind: (binary, multi-class, multi-label, regression).
BINARY, CLASSES, LABELS, NUMBER = "security_requirement", "sentiment", "comment_type_python", "story_points"
TAGS, VERBS = "se_entities", "requirement_completion"  # of token tasks
WORDS = ("login", "fails", "crash", "please", "add", "docs", "slow", "test", "when", "user", "file", "button")
GRIDS = {
    "tfidf_xgboost": {"max_depth": [2, 3], "min_child_weight": [1, 3], "seed": 42, "squared_error": []},
    "fasttext": {
        "lr": [0.5, 1.0],
        "epoch": [5, 20],
        "threshold": 0.5,
        "quoted": True,
        "threads": 3,
        "vector_dim": 4,
        "vector_epoch": 1,
        "vectors": None,
        "seeds": [42],
    },
}


def task(name: str) -> Task:
    return next(declared for declared in registry.tasks(registry.benchmark_of(name)) if declared.id == name)


def text(numbers: random.Random, label: Any) -> str:
    """Words, most of which are common and some of which depend on the label."""
    words = [numbers.choice(WORDS) for _ in range(numbers.randrange(4, 12))]
    return " ".join([*words, *(f"hint{label}" for _ in range(numbers.randrange(3)))])


def label(numbers: random.Random, declared: Task) -> Any:
    if declared.kind is Kind.REGRESSION:
        return float(numbers.choice((1, 2, 3, 5, 8)))
    if declared.kind is Kind.MULTI_LABEL:
        return [int(numbers.random() < 0.4) for _ in declared.labels]
    return numbers.randrange(len(declared.labels))


def words(numbers: random.Random, declared: Task) -> tuple[list[str], list[str]]:
    """Words and their tags: some of them entities of one or two words, or verbs."""
    found, tags = [], []
    for _ in range(numbers.randrange(3, 8)):
        word = numbers.choice(WORDS)
        if declared.kind is Kind.MASKED:
            found, tags = [*found, word], [*tags, "VERB" if word in ("fails", "add", "test") else "NOUN"]
        elif numbers.random() < 0.3:
            name = numbers.choice(declared.labels[:2]).name
            found, tags = [*found, word, name], [*tags, f"B-{name}", f"I-{name}"]
        else:
            found, tags = [*found, word], [*tags, "O"]
    return found, tags


def tokens(declared: Task, rows: int, numbers: random.Random) -> pd.DataFrame:
    """Rows of a token task as prepared: id, tokens, label, group, source."""
    each = [words(numbers, declared) for _ in range(rows)]
    columns = {"id": [f"p{number:06}" for number in range(rows)], "tokens": [sentence for sentence, _ in each]}
    other_columns = {"label": [tags for _, tags in each], "group": [None] * rows, "source": ["made"] * rows}
    return pd.DataFrame({**columns, **other_columns})


def table(declared: Task, rows: int = 60, seed: int = 7) -> pd.DataFrame:
    """Rows as prepared: id, text, paper, sound, label, group, source; of token tasks as ``tokens``."""
    numbers = random.Random(f"{declared.id} {seed}")
    if not declared.ranked:
        return tokens(declared, rows, numbers)
    labels = [label(numbers, declared) for _ in range(rows)]
    hints = [value if not isinstance(value, list) else value.index(1) if 1 in value else 9 for value in labels]
    texts = [text(numbers, hint) for hint in hints]
    ids = [f"p{number:06}" for number in range(rows)]
    columns = {"id": ids, "text": texts, "paper": texts, "sound": texts, "label": labels}
    return pd.DataFrame({**columns, "group": [None] * rows, "source": ["made"] * rows})


def parts(ids: Sequence[str]) -> pd.DataFrame:
    """Of each five rows one is for testing, one for validation, and one test row in ten not in grouped."""
    strict = [("test", "validation", "train", "train", "train")[number % 5] for number in range(len(ids))]
    grouped = ["train" if number % 50 == 0 else part for number, part in enumerate(strict)]
    paper = ["test" if part == "test" else "train" for part in strict]
    return pd.DataFrame({"id": list(ids), "paper": paper, "strict": strict, "grouped": grouped}, dtype=object)


def put(root: Path, name: str, rows: pd.DataFrame | None = None, availability: str = "equal") -> pd.DataFrame:
    """Write a task's rows, split, shots and the record that vouches for them."""
    declared = task(name)
    rows = table(declared) if rows is None else rows
    placed = parts(rows["id"].tolist())
    split_csv = files.to_bytes(placed)
    shots_csv = b"id,shot_1\n"
    place, folder, out = rows_of(root, name), splits_of(root, name), record_of(root, name).parent
    for needed in (place.parent, folder, out):
        needed.mkdir(parents=True, exist_ok=True)
    place.write_bytes(prepared.to_parquet(rows))
    (folder / "split.csv").write_bytes(split_csv)
    (folder / "shots.csv").write_bytes(shots_csv)
    known = {
        "clean": prepared.fingerprint(rows),
        "split": files.sha256(split_csv),
        "shots": files.sha256(shots_csv),
    }
    content: dict[str, Any] = dict.fromkeys(FIELDS)
    content |= {
        "task": name,
        "kind": declared.kind,
        "standing": availability,
        "rows": len(rows),
        "hashes": known,
    }
    counts = {name: placed[name].value_counts().to_dict() for name in ("paper", "strict", "grouped")}
    content["audit"] = {"parts": counts}
    (out / "record.json").write_text(to_json(content), "utf-8")
    return rows


def make(root: Path, names: Sequence[str] = (BINARY,), alike: bool = False) -> Path:
    """A project with small grids and these tasks; ``alike``: both locks are the current one."""
    (root / "data" / "paper").mkdir(parents=True)
    (root / "locks").mkdir()
    for lock in ("finetune", "cuda", "prompt"):
        shutil.copy(ROOT / "locks" / f"{lock}.txt", root / "locks")
    for lock in ("authors", "baselines"):
        content = (ROOT / "locks" / f"{'baselines' if alike else lock}.txt").read_bytes()
        (root / "locks" / f"{lock}.txt").write_bytes(content)
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["shared"]["baselines"] = {name: dict(grid) for name, grid in GRIDS.items()}
    params["shared"]["bootstrap"]["draws"] = 200
    models = params["shared"]["prompt"]["models"]  # without those whose weights are pinned
    params["shared"]["prompt"]["models"] = {
        name: settings for name, settings in models.items() if "weights" not in settings
    }
    params["shared"]["finetune"]["systems"] = []  # runs are of the baselines where a test names no other system
    (root / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    shutil.copytree(ROOT / PARAMS, root / PARAMS)
    for path in (root / PARAMS).iterdir():  # sorted, as they are after an alteration
        alter(root, lambda _: None, path.stem)
    for name in names:
        put(root, name)
    return root


def add_paper(root: Path, real: Sequence[str] = (), of_tokens: bool = True) -> None:
    """Put in the paper's tables and its other tasks than ``real``, which are synthetic."""
    for declared in registry.tasks("selu"):
        if declared.id not in real and (of_tokens or declared.ranked):
            put(root, declared.id, availability="synthetic")
    for name in ("paper", "pins"):
        shutil.copytree(ROOT / "data" / name / "selu", root / "data" / name / "selu")


def alter(root: Path, change: Callable[[dict[str, Any]], Any], part: str = SHARED) -> None:
    """Change the settings of a benchmark, or of all."""
    path = root / params_of(part)
    params = yaml.safe_load(path.read_text("utf-8"))
    change(params[part] if part == SHARED else params)
    path.write_text(yaml.safe_dump(params), "utf-8")


def selu(
    root: Path, *words: str, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """A ``selu`` command on its way; this Python stands for the authors' where nothing else is said."""
    return subprocess.Popen(
        [sys.executable, "-m", "selu", "--root", str(root), *words],
        env={**os.environ, "SELU_AUTHORS_PYTHON": sys.executable, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def done(root: Path, *words: str, environment: Mapping[str, str] | None = None) -> tuple[int, str, list[str]]:
    """A ``selu`` command to its end: exit code, what it printed, lines of its messages.

    It has a process of its own where its ``environment`` is told, which libraries read when they are imported.
    """
    if environment:
        process = selu(root, *words, environment=environment)
        out, errors = process.communicate(timeout=120)
        return process.returncode, out, errors.splitlines()
    python = {"SELU_AUTHORS_PYTHON": os.environ.get("SELU_AUTHORS_PYTHON", sys.executable)}
    found = command.selu("--root", str(root), *words, environment=python)
    return found.returncode, found.stdout, found.stderr.splitlines()
