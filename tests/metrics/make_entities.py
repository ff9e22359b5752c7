"""Write tests/golden/entities.json: random tag sequences with the scores that seqeval 1.2.2 gives them.

seqeval is no dependency of the tests: run this where it is installed (the finetune lock names it).

    python tests/metrics/make_entities.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from seqeval.metrics import sequence_labeling
from seqeval.scheme import IOB2, Entities

TYPES = ("Class", "Function", "Library")
KEPT = (0, 0.5, 0.8, 0.95, 1)  # share of true tags that an answer keeps


def tags(words: int, draw: random.Random) -> list[str]:
    """Any tags, also I- tags that continue nothing."""
    return ["O" if draw.random() < 0.45 else f"{draw.choice('BI')}-{draw.choice(TYPES)}" for _ in range(words)]


def mended(row: list[str]) -> list[str]:
    """The same with a B- wherever a span begins."""
    before = ["O", *row[:-1]]
    pairs = zip(before, row, strict=True)
    return [f"B{tag[1:]}" if tag[0] == "I" and last[1:] != tag[1:] else tag for last, tag in pairs]


def oracle(truth: list[list[str]], predicted: list[list[str]], **mode: Any) -> dict[str, Any]:
    """Scores by the names of this project; per class of ``types``, those that occur, as seqeval orders them."""
    found: dict[str, Any] = {}
    for measure in ("f1", "precision", "recall"):
        scored = getattr(sequence_labeling, f"{measure}_score")
        each = scored(truth, predicted, average=None, zero_division=0, **mode)
        found[f"{measure}_per_class"] = [float(value) for value in each]
        for average in ("micro", "macro"):
            if len(each):
                found[f"{measure}_{average}"] = float(
                    scored(truth, predicted, average=average, zero_division=0, **mode)
                )
    if mode:
        rows = [*Entities(truth, IOB2).entities, *Entities(predicted, IOB2).entities]
        found["types"] = sorted({entity.tag for row in rows for entity in row})
    else:
        spans = sequence_labeling.get_entities(truth) + sequence_labeling.get_entities(predicted)
        found["types"] = sorted({name for name, _, _ in spans})
    return found


def case(number: int, draw: random.Random) -> dict[str, Any]:
    """One case; the first few have no spans in the truth, in the answer, or in both."""
    truth = [tags(draw.randint(1, 9), draw) for _ in range(draw.randint(1, 5))]
    if number % 3 == 0:
        truth = [mended(row) for row in truth]
    kept = draw.choice(KEPT)
    predicted = [
        [tag if draw.random() < kept else other for tag, other in zip(row, tags(len(row), draw), strict=True)]
        for row in truth
    ]
    nothing = [["O"] * len(row) for row in truth]
    truth, predicted = nothing if number in (1, 2) else truth, nothing if number in (2, 3) else predicted
    return {
        "truth": [" ".join(row) for row in truth],
        "predicted": [" ".join(row) for row in predicted],
        "accuracy": sequence_labeling.accuracy_score(truth, predicted),
        "default": oracle(truth, predicted),
        "strict": oracle(truth, predicted, mode="strict", scheme=IOB2),
    }


if __name__ == "__main__":
    generator = random.Random(20261121)
    lines = [json.dumps(case(number, generator), sort_keys=True) for number in range(150)]
    path = Path(__file__).parents[1] / "golden" / "entities.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
