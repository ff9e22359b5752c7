"""Cleaning of the 3,000 issue reports of NLBSE'24: the authors' plain steps, `paper` and `sound`, in one run.

Prints (and writes with ``--out``) how many texts `paper` leaves as the plain steps do, the least wall time of
several interleaved rounds for each pipeline in one process and in two, the ratios, what 803,000 issues would
take, and how time grows with hostile texts. Two processes are workers that were warm before the clock started,
for the plain steps as for the others; the text of an issue is its title, a space and its body.

    SELU_MIRROR=DIR python speed/cleaning.py     DIR/nlbse24/issue_report/*.csv.gz, about five minutes
    python speed/cleaning.py --issues DIR        DIR/*.csv.gz
    python speed/cleaning.py --growth            the table of hostile texts only, needs no data
"""

from __future__ import annotations

import argparse
import csv
import gzip
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "src"), str(HERE.parent / "tests")]

from timing import heading, print_lines  # noqa: E402

from helpers.authors_cleaning import clean_plain  # noqa: E402
from helpers.hostile import STEPS, growths  # noqa: E402
from selu.text.pipelines import cleaner  # noqa: E402

CORPUS = 803_000  # issues of the NLBSE tool competition on issue types
CHUNK = 125


def read_issues(folder: Path) -> list[str]:
    """Title, space, body of every issue in the folder's gzipped CSV files, in the order of their names."""
    csv.field_size_limit(sys.maxsize)
    texts = []
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            texts += [f"{row['title']} {row['body']}" for row in csv.DictReader(file)]
    if not texts:
        raise SystemExit(f"No issues in {folder}: give --issues FOLDER or SELU_MIRROR, see data/pins.")
    return texts


def clean_chunk(texts: list[str], name: str) -> list[str]:
    """One process's share."""
    clean = partial(clean_plain, steps=STEPS) if name == "plain" else cleaner(STEPS, name)  # type: ignore[arg-type]
    return [clean(text) for text in texts]


def chunks(texts: list[str]) -> list[list[str]]:
    """Chunks small enough that two workers end at about the same time."""
    return [texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK)]


def timed(work: Callable[[], list[str]]) -> tuple[float, list[str]]:
    """(wall seconds, result)."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def varied(texts: list[str], at_least: int) -> list[str]:
    """Yield the texts repeatedly, each time with another ending, so that no two are equal."""
    rounds = -(-at_least // len(texts))
    return [f"{text}\n\nseen again in build {number}" for number in range(rounds) for text in texts]


def measure(texts: list[str], rounds: int) -> Iterator[str]:
    """Return the lines about the issues."""
    shared = chunks(texts)
    with multiprocessing.get_context("spawn").Pool(2) as pool:

        def together(name: str) -> list[str]:
            parts = pool.imap(partial(clean_chunk, name=name), shared)
            return [text for part in parts for text in part]

        names = ("plain", "paper", "sound")
        runs = {(name, 1): partial(clean_chunk, texts, name) for name in names}
        runs |= {(name, 2): partial(together, name) for name in names}
        results = {key: run() for key, run in runs.items()}  # warm, and the texts themselves
        seconds = dict.fromkeys(runs, float("inf"))
        for _ in range(rounds):
            for key, run in runs.items():
                seconds[key] = min(seconds[key], timed(run)[0])
        many = varied(texts, 100_000)
        shared = chunks(many)
        long, _ = timed(partial(together, "sound"))
    characters = sum(map(len, texts))
    plain = results["plain", 1]
    yield f"{len(texts):,} issues, {characters:,} characters; steps {', '.join(STEPS)}"
    yield f"least of {rounds} interleaved rounds, wall seconds; two warm processes"
    yield ""
    yield "pipeline  processes  seconds  times plain (1)  times plain (same)  identical to plain"
    for (name, processes), took in seconds.items():
        same = sum(a == b for a, b in zip(plain, results[name, processes], strict=True))
        speedup, equal = seconds["plain", 1] / took, seconds["plain", processes] / took
        share = f"{100 * same / len(texts):.2f} %"
        yield f"{name:8}  {processes:9}  {took:7.3f}  {speedup:15.2f}  {equal:18.2f}  {share:>18}"
    yield ""
    rate = len(many) / long
    yield f"sound, 2 processes: {len(many):,} texts in {long:.1f} s; {CORPUS:,} in {CORPUS / rate:.0f} s"


def grown() -> Iterator[str]:
    """Tabulate hostile texts: processor time for the doubled text over that for one, least of several."""
    yield "hostile text      paper: s  time(2n)/time(n)    sound: s  time(2n)/time(n)"
    worst = {"paper": 0.0, "sound": 0.0}
    for (family, *paper), (_, *sound) in zip(list(growths("paper")), growths("sound"), strict=True):
        worst = {"paper": max(worst["paper"], paper[1]), "sound": max(worst["sound"], sound[1])}
        yield f"{family.name:16}  {paper[0]:8.3f}  {paper[1]:16.2f}    {sound[0]:8.3f}  {sound[1]:16.2f}"
    yield f"worst: paper {worst['paper']:.2f}, sound {worst['sound']:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issues", type=Path, help="folder of the gzipped CSV files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", action="store_true", help="only the table of hostile texts")
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    mirror = os.environ.get("SELU_MIRROR")
    folder = chosen.issues or (Path(mirror) / "nlbse24" / "issue_report" if mirror else None)
    if not chosen.growth and folder is None:
        raise SystemExit("The issues of NLBSE'24 are needed: give --issues FOLDER or set SELU_MIRROR.")

    def lines() -> Iterator[str]:
        libraries = ("mistune", "beautifulsoup4", "cmarkgfm", "selectolax")
        yield heading("cleaning.py", [f"{os.cpu_count()} cores"], libraries)
        if folder is not None and not chosen.growth:
            yield from measure(read_issues(folder), chosen.rounds)
            yield ""
        yield from grown()

    print_lines(lines(), chosen.out)


if __name__ == "__main__":
    main()
