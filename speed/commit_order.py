"""How far TF-IDF+XGBoost's score on commit_intention depends on what is unknown of the published order.

    python speed/commit_order.py

Rows with a certain place keep the published part. How many test rows a project has of each label is known:
among these the other commits, those without a message included, are dealt again, as often as DRAWS says. Each
deal is fitted once with the parameters that the tracked run picked. Adds each score to
docs/measurements/commit_order.json; what is there is not computed again.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.files import to_json, write_atomic  # noqa: E402
from selu.papers.selu.readers.commits import FIXED, known_commits  # noqa: E402
from selu.project import find_root  # noqa: E402
from selu.registry import rows_of, task_of  # noqa: E402
from selu.splits import published  # noqa: E402

TASK, RUN = "commit_intention", "tfidf-xgboost/paper-s42"
DRAWS, SEED = 20, 42
FILE = Path("docs/measurements/commit_order.json")
LABELS = Path("data/raw/selu/commit_intention/mirror/manual_labels.csv")


def deals(labels: dict[str, tuple[str, ...]], tested: Sequence[bool]) -> Iterator[set[str]]:
    """Yield the commits of the test part: as placed in the list, then as dealt again."""
    known = known_commits()
    yield {row.commit for row in known if tested[row.position]}
    open_places = defaultdict[tuple[str, ...], list[int]](list)
    for row in known:
        if row.certainty != FIXED:
            open_places[labels[row.commit]].append(row.position)
    draw = random.Random(SEED)
    for _ in range(DRAWS):
        at = {row.position: row.commit for row in known}
        for places in open_places.values():
            dealt = draw.sample(places, len(places))
            at |= {place: known[other].commit for place, other in zip(places, dealt, strict=True)}
        yield {commit for place, commit in at.items() if tested[place]}


def main() -> int:
    """Fit each deal and write what they score."""
    import csv

    import pyarrow.parquet as pq
    from sklearn.metrics import f1_score

    from selu.systems.baseline.learning import Lesson
    from selu.systems.baseline.tfidf_xgboost import TfidfXgboost

    root = find_root()
    task = task_of(root, TASK)
    split = published.read(root / "data/pins/selu/splits" / f"{TASK}.txt")
    tested = [split.is_test(position) for position in range(split.rows)]
    with (root / LABELS).open(encoding="utf-8", newline="") as stream:
        names = ("project", "internal_quality", "external_quality")
        labels = {row["revision_hash"]: tuple(row[name] for name in names) for row in csv.DictReader(stream)}
    rows = pq.read_table(rows_of(root, TASK)).to_pylist()
    chosen = json.loads((root / "results/selu" / TASK / RUN / "run.json").read_text())["chosen"]
    file = root / FILE
    scores: list[float] = json.loads(file.read_text())["scores"] if file.exists() else []
    for test in islice(deals(labels, tested), len(scores), None):
        sides = [row["source"].partition("@")[2] in test for row in rows]
        parts = [[row for row, side in zip(rows, sides, strict=True) if side is held] for held in (False, True)]
        learnt, asked = ([row["paper"] for row in part] for part in parts)
        train, truth = ([row["label"] for row in part] for part in parts)
        lesson = Lesson(task.kind, len(task.labels), learnt, train, asked, SEED, Path())
        scores.append(f1_score(truth, TfidfXgboost(lesson).answer(chosen), average="macro"))
        print(f"{len(scores)}/{DRAWS + 1}: {len(truth)} test rows, macro F1 {scores[-1]:.4f}", flush=True)
        write_atomic(file, to_json({"parameters": chosen, "seed": SEED, "scores": scores}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
