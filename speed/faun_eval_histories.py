"""FAUN-Eval's pipeline on real histories: the funnel, the tasks and the published pairs that are found.

    SELU_CLONES=FOLDER SELU_MIRROR=FOLDER python speed/faun_eval_histories.py

FOLDER of SELU_CLONES holds clones as OWNER+NAME or OWNER__NAME, or each with its repository in ``repo``. Prints
a line for each, and writes counts alone to docs/measurements/faun_eval_histories.json. Processor time counts
git's, too, and hardly depends on what else the machine does.
"""

from __future__ import annotations

import csv
import os
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.clones import find_clone  # noqa: E402
from selu.files import to_json, write_atomic  # noqa: E402
from selu.papers.api import Source  # noqa: E402
from selu.papers.faun_eval.pipeline import known  # noqa: E402
from selu.papers.faun_eval.pipeline.command import mine  # noqa: E402
from selu.papers.faun_eval.pipeline.history import History  # noqa: E402
from selu.papers.faun_eval.pipeline.measured import PLACE  # noqa: E402
from selu.papers.pinned import obtain, read_pins  # noqa: E402
from selu.project import PINS, find_root  # noqa: E402


def main() -> None:
    """Measure every repository of the published list that has a clone, and write the record."""
    root, mirror = find_root(), Path(os.environ["SELU_MIRROR"]) / "faun_eval"
    (pin,) = read_pins(root / PINS / "faun_eval" / "pairs.csv")
    listed = Counter(row.repository for row in known.read(obtain(pin, [mirror]), pin.file))
    rows = []
    for name in sorted(listed):
        if (clone := find_clone([], name)) is None:
            print(f"{name}: no clone")
            continue
        rows.append(measure(name, clone, root, mirror))
        print(f"{name}: {rows[-1]['found']} of {rows[-1]['published']}, {rows[-1]['processor_s']} s")
    write_atomic(root / PLACE, to_json({"pairs": sum(listed.values()), "repositories": rows}))


def measure(name: str, clone: Path, root: Path, mirror: Path) -> dict[str, Any]:
    """Run the pipeline on a clone without a token, and count."""
    history = History(clone)
    commits = sum(1 for _ in history.commits())
    began, used = time.monotonic(), processor()
    with TemporaryDirectory() as work:
        made = mine(
            Source(name, clone, None, None, False, Path(work), root / PINS / "faun_eval", [mirror]),
            lambda _: None,
            {},
        )
    seconds = {"wall_s": round(time.monotonic() - began, 1), "processor_s": round(processor() - used, 1)}
    tables = {file: list(csv.DictReader(text.splitlines())) for file, text in made.tables.items()}
    states = Counter(row["state"] for row in tables["published.csv"])
    return {
        "repository": name,
        "head": history.head,
        "lacks": len(history.lacks),
        "commits": commits,
        "pairs": len(tables["pairs.csv"]),
        "published": states[known.FOUND] + states[known.MISSING],
        "found": states[known.FOUND],
        "missing": [row for row in tables["published.csv"] if row["state"] == known.MISSING],
        "beyond": dict(reasons(tables["published.csv"], known.BEYOND).most_common()),
        "steps": [step(row) for row in tables["funnel.csv"]],
        "languages": [{"language": row["language"], **step(row)} for row in tables["funnel_by_language.csv"]],
        "tasks": {file.removesuffix(".jsonl"): text.count("\n") for file, text in made.texts.items()},
        **seconds,
    }


def reasons(rows: list[dict[str, str]], state: str) -> Counter[str]:
    """Count why pairs differ."""
    return Counter(row["reason"] for row in rows if row["state"] == state)


def step(row: dict[str, str]) -> dict[str, Any]:
    """Read a filter's counts."""
    return {"filter": row["filter"], "came": int(row["came"]), "passed": int(row["passed"])}


def processor() -> float:
    """Seconds of this process and of those that it waited for."""
    every = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in every)


if __name__ == "__main__":
    main()
