"""Small projects of prompted systems: rows with shots, and models that a server of ours stands for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from helpers import small_project
from helpers.places import RECORDS, SPLITS
from selu.papers.selu.prompts import authors
from selu.splits import files

TASKS = (small_project.BINARY, small_project.CLASSES, small_project.LABELS, small_project.NUMBER)
OPENAI, ANTHROPIC = "gpt-4o-zero-shot", "claude-3.7-3-shot"
AUTHORS_PINS = Path("data") / "pins" / "selu" / authors.FILE
AUTHORS_WORDS = {
    0: "Say it. {text}",
    3: "Say it. {shot_1}={label_1} {shot_2}={label_2} {shot_3}={label_3} {text}",
}
KEYS = {"OPENAI_API_KEY": "sk-test-openai-0001", "ANTHROPIC_API_KEY": "sk-ant-test-0001"}
QUICK = {"poll_seconds": 0.01, "settle_seconds": 0.1, "timeout_seconds": 20.0, "patience_seconds": 60.0}


def make(root: Path, names: Sequence[str]) -> Path:
    """A project with these tasks and shots of their rows."""
    small_project.make(root, names)
    for name in names:
        put_shots(root, name, shots_of(small_project.table(small_project.task(name))))
    return root


def answer(prompt: str) -> str:
    """Right, wrong and invalid answers, by the row's text and what the prompt asks for."""
    text = prompt.rsplit("\n", 1)[-1]
    if "crash" in text:
        return "I'm sorry, but I can't help with that."
    if "number" in prompt.split("- - -")[0].lower():
        return "about three" if "docs" in text else "3"
    if "separated by commas" in prompt:
        return "none" if "docs" in text else "Usage, Summary"
    for label in ("nonsec", "neutral"):
        if label in prompt:
            return f"The answer is {label}." if "docs" in text else label
    return "no idea"


def put_package(root: Path, folder: Path) -> Path:
    """Write a package with a template for all tasks without shots and one with three, and pin it."""
    lines = ["task,system,file,sha256,bytes,repository,commit,path"]
    folder.mkdir()
    for shots, text in AUTHORS_WORDS.items():
        how, content = f"{shots}-shot" if shots else "zero-shot", text.encode()
        (folder / f"{how}.txt").write_bytes(content)
        where = f"{how}.txt,{files.sha256(content)},{len(content)},some/one,{'0' * 40},{how}.txt"
        lines += [f"{task},{how},{where}" for task in TASKS]
    (root / AUTHORS_PINS).write_text("\n".join([*lines, ""]))
    return folder


def at_home(prompt: dict[str, Any], openai_url: str, anthropic_url: str) -> None:
    """Have the models of both providers asked here, without long waits."""
    prompt["models"]["gpt-4o"]["base_url"] = openai_url
    prompt["models"]["claude-3.7"]["base_url"] = anthropic_url
    prompt |= QUICK


def train(rows: pd.DataFrame) -> list[str]:
    split = small_project.parts(rows["id"].tolist())
    return split.loc[split["strict"] == "train", "id"].tolist()


def asked(rows: pd.DataFrame) -> list[str]:
    return rows["id"].tolist()[::5]  # as small_project.parts has it


def shots_of(rows: pd.DataFrame, count: int = 3) -> dict[str, list[str]]:
    """Other train rows for each test row, none of them in the order of the file."""
    ids = train(rows)
    return {
        row: [ids[(7 * place + 5 * number) % len(ids)] for number in range(count)]
        for place, row in enumerate(asked(rows))
    }


def put_shots(root: Path, name: str, shots: dict[str, list[str]]) -> None:
    count = len(next(iter(shots.values())))
    columns = ["id", *(f"shot_{number + 1}" for number in range(count))]
    content = files.to_bytes(
        pd.DataFrame([[row, *shot_ids] for row, shot_ids in shots.items()], columns=columns)
    )
    (root / SPLITS / name / "shots.csv").write_bytes(content)
    vouch(root, name, "shots", files.sha256(content))


def vouch(root: Path, name: str, part: str, digest: str) -> None:
    path = root / RECORDS / name / "record.json"
    record = json.loads(path.read_text("utf-8"))
    record["hashes"][part] = digest
    path.write_text(json.dumps(record), "utf-8")
