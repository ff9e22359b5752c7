"""The signed-rank test of all 378 pairs of SELU's 28 systems: ours against autorank, in one run.

Prints both wall times and their ratio, and on how many pairs the probabilities are equal bit for bit. autorank
needs minutes, so ``--pairs N`` measures it on the first systems that make at least N pairs and scales nothing:
the ratio is then over those pairs.

    python speed/signed_rank.py             all 378 pairs, about three minutes
    python speed/signed_rank.py --pairs 10  a first look
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from selu.project import find_root
from selu.registry import load
from selu.stats.compare import Backend, compare_all


def timed(scores: np.ndarray, backend: Backend, draws: int, repeats: int) -> tuple[float, np.ndarray]:
    """Median wall seconds and the (better, equal) matrices."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        posterior = compare_all(scores, draws=draws, backend=backend)
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds)), np.stack((posterior.better, posterior.equal))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=378)
    parser.add_argument("--draws", type=int, default=50_000)
    arguments = parser.parse_args()
    material = load(find_root(Path(__file__).parent), "selu")
    systems = next(k for k in range(2, 29) if k * (k - 1) // 2 >= arguments.pairs or k == 28)
    scores = material.ranked[material.order[:systems]].to_numpy()
    pairs = systems * (systems - 1) // 2
    ours, fast = timed(scores, "matrix", arguments.draws, repeats=5)
    theirs, slow = timed(scores, "autorank", arguments.draws, repeats=1)
    upper = np.triu_indices(systems, 1)
    equal = np.all(fast[:, upper[0], upper[1]] == slow[:, upper[0], upper[1]], axis=0)
    print(f"{pairs} pairs, {scores.shape[0]} tasks, {arguments.draws} draws, seed 42")
    print(f"autorank          {theirs:9.2f} s   (1 run)")
    print(f"matrix products   {ours:9.2f} s   (median of 5 runs)")
    print(f"ratio             {theirs / ours:9.0f}")
    print(f"probabilities equal bit for bit on {int(equal.sum())} of {pairs} pairs")


if __name__ == "__main__":
    main()
