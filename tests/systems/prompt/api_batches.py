"""A batch from its acceptance to its results, the same for both providers."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from api_faults import Fate, Faults
from api_rules import Failure, Reply, fingerprint

OVERLOADED = Failure(503, "overloaded_error", "Overloaded")
ROW_FAULTS = {
    "row_error": Failure(500, "server_error", "The server had an error while processing this request."),
    "row_rate_limit": Failure(429, "rate_limit_error", "Rate limit reached.", "rate_limit_exceeded"),
}


@dataclass
class Batch:
    """A batch as the server knows it. ``rows``: a file, a request a line; ``lost`` and the like: custom_ids."""

    id: str
    provider: str
    created: int
    rows: Path
    fate: Fate
    faults: Faults
    metadata: dict[str, str] = field(default_factory=dict)
    status: str = ""
    input_file: str = ""
    endpoint: str = ""
    model: str | None = None
    total: int = 0
    polls: int = 0
    times: dict[str, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)
    errors: list[dict[str, Any]] = field(default_factory=list)
    output_file: str | None = None
    error_file: str | None = None
    checked: bool = False
    built: bool = False
    ended: bool = False
    cancelled: bool = False
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    errored: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The requests, one after the other."""
        with self.rows.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                if not line.isspace():
                    yield json.loads(line)


@dataclass(frozen=True)
class Writing:
    """How a provider computes and writes a row: what its request is answered, and the lines of a result."""

    body: str  # the key of a row's request
    compute: Callable[[Any], Reply | Failure]
    good: Callable[[Batch, str, Any, Reply, int], str]
    bad: Callable[[Batch, str, Failure, int], str]
    left: Callable[[Batch, str, int], str]


class Results:
    """The files of a batch's results, in order or shuffled."""

    def __init__(self, good: TextIO, bad: TextIO, draw: random.Random | None) -> None:
        self.good, self.bad, self.draw = good, bad, draw
        self.kept: list[tuple[TextIO, str]] = []

    def write(self, file: TextIO, line: str) -> None:
        if self.draw is None:
            file.write(line)
        else:
            self.kept.append((file, line))

    def end(self) -> None:
        if self.draw is not None:
            self.draw.shuffle(self.kept)
        for file, line in self.kept:
            file.write(line)


def build(batch: Batch, how: Writing, output: Path, errors: Path) -> Counter[str]:
    """Compute the rows and write their results; ``output`` and ``errors`` may be the same file.

    Returns how often each body, by its fingerprint, was computed."""
    paid: Counter[str] = Counter()
    done = int(batch.total * batch.fate.share)
    with ExitStack() as stack:
        good = stack.enter_context(output.open("w", encoding="utf-8"))
        bad = good if errors == output else stack.enter_context(errors.open("w", encoding="utf-8"))
        results = Results(good, bad, batch.fate.rows if "shuffled" in batch.fate.kinds else None)
        for number, row in enumerate(batch.lines()):
            if number < done:
                _computed(batch, how, results, number, row, paid)
            else:
                batch.counts["unfinished"] += 1
                batch.unfinished.append(row["custom_id"])
                results.write(bad, how.left(batch, row["custom_id"], number))
        if "foreign" in batch.fate.kinds:
            for number in range(batch.total, batch.total + 3):
                batch.foreign.append(f"someone-else-{number}")
                results.write(good, how.good(batch, batch.foreign[-1], row[how.body], Reply("yes"), number))
        results.end()
    return paid


def _computed(
    batch: Batch, how: Writing, results: Results, number: int, row: dict[str, Any], paid: Counter[str]
) -> None:
    name, body = row["custom_id"], row[how.body]
    fault = batch.faults.of_row(batch.fate.rows) if batch.faults.touch_rows else None
    if "batch_failed" in batch.fate.kinds:
        answer: Reply | Failure = OVERLOADED
    else:
        answer = ROW_FAULTS.get(fault or "") or how.compute(body)
    if isinstance(answer, Failure):
        batch.counts["failed"] += 1
        batch.errored.append(name)
        return results.write(results.bad, how.bad(batch, name, answer, number))
    batch.counts["completed"] += 1
    paid[fingerprint(body)] += 1
    line = how.good(batch, name, body, answer, number)
    if fault == "row_lost":
        return batch.lost.append(name)
    results.write(results.good, line)
    if fault == "row_doubled":
        batch.doubled.append(name)
        results.write(results.good, line)
    return None
