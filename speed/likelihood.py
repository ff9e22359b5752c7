"""Likelihood of the labels: what is saved by remembering what prompts share, and by rows in one batch.

The same rows of a task are scored three times in one run: each prompt as a whole, one after the other; with
what all begin with computed once; and many rows at once behind it. Prints rows a minute and processor seconds a
row, which hardly depend on what else the machine does, and ends with an error where another label is answered.

    SELU_MODELS=FOLDER python speed/likelihood.py --task incivility --rows 16
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.execution.prompt import prompts  # noqa: E402
from selu.execution.prompt.plan import pin_of, settings_of  # noqa: E402
from selu.project import find_root  # noqa: E402
from selu.registry import task_of  # noqa: E402
from selu.sources.models import find_weights  # noqa: E402
from selu.systems.prompt.likelihood import Likelihood, Scorer, most_likely  # noqa: E402


def main() -> None:
    """Measure, and compare the answers."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--task", default="incivility")
    options.add_argument("--rows", type=int, default=16)
    options.add_argument("--at-once", type=int, default=16)
    given = options.parse_args()
    root = find_root()
    pin = pin_of(root, settings_of(root).models["qwen2.5-coder-0.5b"])
    assert pin is not None
    folder = find_weights(pin, Path(os.environ["SELU_MODELS"]), root / ".selu" / "weights", print)
    task = task_of(root, given.task)
    labels = [label.name for label in task.labels]
    texts = [text for _, text in islice(prompts.requests_of(root, task, 0), given.rows)]
    ways = {"whole": (False, 1), "remembered": (True, 1), "together": (True, given.at_once)}
    spent: dict[str, float] = {}
    first: list[list[Likelihood]] = []
    for name, (remember, at_once) in ways.items():
        scorer = Scorer(str(folder / pin.weights.name), 8192, remember=remember)
        tokens = [scorer.prompt([{"role": "user", "content": text}]) for text in texts]
        began, used = time.monotonic(), time.process_time()
        found = []
        for start in range(0, len(tokens), at_once):
            found += scorer.score(tokens[start : start + at_once], labels)
        wall, spent[name] = time.monotonic() - began, time.process_time() - used
        per_row = spent[name] / len(texts)
        each = f"{60 * len(texts) / wall:.0f} rows a minute, {per_row:.3f} processor seconds a row"
        print(f"{name}: {each}, {scorer.computed:,} tokens computed", flush=True)
        first = first or found
        if [most_likely(row) for row in found] != [most_likely(row) for row in first]:
            raise SystemExit("other labels are answered")
        apart = max(
            abs(scored.log_probability - other.log_probability)
            for row, reference in zip(found, first, strict=True)
            for scored, other in zip(row, reference, strict=True)
        )
        print(f"  log-probabilities differ from the first by {apart:.3g} at most")
    print(f"{spent['whole'] / spent['together']:.1f} times the rows for the same processor time, same answers")


if __name__ == "__main__":
    main()
