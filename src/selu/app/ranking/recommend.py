"""``selu recommend``: the best systems for a purpose, within limits of size, licence, memory and price."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict, final

from selu import registry
from selu.app.ranking import boards
from selu.boards.choosing import FEW, HINT, INTERVAL, OPEN, Bench, BenchSystem, Ranked
from selu.boards.found import WithShares
from selu.data.prepared import has_data
from selu.evidence.evidence import Evidence
from selu.evidence.tracked import availability_of
from selu.execution.environments import SCRATCH
from selu.names import nearest
from selu.systems.finetune.cost.devices import peak_flops
from selu.vocabulary import Approach, SeluError

MOST = 5
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT]?)", re.IGNORECASE)
_TIMES = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_LEAST = 100_000  # parameters that a language model has; fewer were meant as thousands or millions
_TEXTS, _TOKENS = 1_000, 512  # for which inference is estimated
_INFERENCE = (
    "inference: estimated, memory of the weights in 16 bits alone, seconds for "
    f"{_TEXTS:,} texts of {_TOKENS} tokens on {{device}}"
)
_ANY_OPEN = "open"


class _Missing(TypedDict):
    """The chosen tasks without a score of a system, if there are any."""

    missing: NotRequired[list[str]]


@final
class Choice(_Missing, WithShares):
    """A system to choose: its rank, its cost, the test against the first, and how its scores were checked."""

    rank: int
    score: float
    low: float | None
    high: float | None
    size: str | None
    licence: str
    hours: float | None
    usd: float | None
    gpu_gib: float | None
    evidence: str
    inference_gib: float | None
    inference_seconds: float | None
    here: str


@final
class Choices(TypedDict):
    """The first five systems over chosen tasks.

    ``stand_ins`` are the tasks whose rows here are stand-ins; ``costs`` says where costs come from and what
    inference is estimated for, ``interval`` what low and high bound.
    """

    tasks: list[str]
    stand_ins: list[str]
    systems: list[Choice]
    costs: list[str]
    interval: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a system: parameters, GiB of GPU memory, USD, and licence."""

    parameters: str | None = None
    licence: str | None = None
    memory: float | None = None
    price: float | None = None

    def options(self) -> Mapping[str, str | float | None]:
        """Return the value that each option of the command line was given."""
        return {
            "max-parameters": self.parameters,
            "licence": self.licence,
            "max-memory": self.memory,
            "max-price": self.price,
        }


def bench_of(root: Path, benchmark: str) -> Bench:
    """Read what a benchmark offers to choose from.

    Raises:
        SeluError: no such benchmark, or a record is missing or damaged.
    """
    found = registry.benchmark(registry.known(benchmark))
    assert found.bench is not None, "a paper without a comparison uses its published table"
    return found.bench(Evidence(root, found.id))


def recommend(
    root: Path,
    purpose: str | None,
    tasks: Sequence[str],
    limits: Limits,
    benchmark: str = registry.DEFAULT,
    board: str | None = None,
) -> Choices | boards.Recommendation:
    """Rank the systems within the limits over the tasks of a purpose, and those named; show the first five.

    Raises:
        SeluError: as ``bench_of``; an unknown purpose, task or licence, an invalid limit, or nothing fits.
    """
    if boards.is_asked(benchmark, board):
        given = [f"--{name}" for name, value in limits.options().items() if value is not None]
        return boards.recommended(root, benchmark, board, tasks, purpose, given)
    bench = bench_of(root, benchmark)
    weights = bench.weights(tasks, purpose)
    allowed = [system for system in bench.systems if _fits(bench, weights, system, limits)]
    ranked = bench.rank(weights, allowed)
    if not ranked:
        raise SeluError(f"none of {len(bench.systems)} systems is within all limits: widen one of them.")
    shown = ranked[:MOST]
    chosen = bench.chosen(weights)
    declared = [task for task in chosen if task in registry.declared()]
    stand_ins = [task for task in declared if availability_of(root, task) == "synthetic"]
    says = dict.fromkeys(bench.cost_says[entry.system["approach"]] for entry in shown)
    inference = (
        [_INFERENCE.format(device=bench.device)]
        if any(_inference(bench, entry.system)[0] for entry in shown)
        else []
    )
    return {
        "tasks": chosen,
        "stand_ins": stand_ins,
        "systems": [_row(root, bench, weights, entry, shown[0]) for entry in shown],
        "costs": [*says, *inference],
        "interval": INTERVAL,
        "sentence": _sentence(bench, weights, ranked, chosen, limits != Limits()) + _caution(stand_ins),
    }


def _row(root: Path, bench: Bench, weights: Sequence[float], ranked: Ranked, best: Ranked) -> Choice:
    place, system = ranked.place, ranked.system
    pair = None if ranked is best else bench.test(weights, ranked, best)
    cost = bench.cost(system["id"], weights)
    missing = [bench.tasks[task]["id"] for task in place.missing]
    lacking: _Missing = {"missing": missing} if missing else {}
    gib, seconds = _inference(bench, system)
    return {
        "rank": place.rank,
        "system": system["id"],
        "score": place.mean,
        "low": place.low,
        "high": place.high,
        "size": system["size_published"],
        "licence": system["licence"],
        "hours": cost.hours,
        "usd": cost.usd,
        "gpu_gib": cost.memory_gib,
        "p_better": pair and pair.better,
        "p_equal": pair and pair.equal,
        "p_worse": pair and pair.worse,
        "evidence": bench.evidence(system["id"], weights),
        **lacking,
        "inference_gib": gib,
        "inference_seconds": seconds,
        "here": _here(root, system, bench.chosen(weights)),
    }


def _inference(bench: Bench, system: BenchSystem) -> tuple[float | None, float | None]:
    """Return GiB of 16-bit weights and seconds for a batch of texts; None unless a system is fine-tuned."""
    size = system["parameters"]
    if system["approach"] != Approach.FINETUNED or not size:
        return None, None
    speed = (peak_flops(bench.device) or 0.0) * bench.utilisation
    return 2 * size / 2**30, 2 * size * _TOKENS * _TEXTS / speed if speed else None


def _here(root: Path, system: BenchSystem, tasks: Sequence[str]) -> str:
    if system["approach"] == Approach.PROMPTED:
        return "asked through an API, with a key"
    if system["approach"] == Approach.BASELINE:
        there = sum(task in registry.declared() and has_data(root, task) for task in tasks)
        return f"can be fitted here on {there} of {len(tasks)} tasks" if there else "no rows here to fit it to"
    models = root / SCRATCH / "models"
    there = sum(any((models / task / system["id"]).glob("*")) for task in tasks)
    return f"trained here on {there} of {len(tasks)} tasks" if there else "not trained here"


def _caution(stand_ins: Sequence[str]) -> str:
    """Warn of tasks with stand-in rows here, and of what that means for a choice."""
    if not stand_ins:
        return ""
    return (
        f" The rows here of {', '.join(stand_ins)} are stand-ins: the scores are the paper's, on rows that are "
        "not here, and a system that is trained here learns from the stand-ins."
    )


def _sentence(
    bench: Bench, weights: Sequence[float], ranked: Sequence[Ranked], chosen: Sequence[str], limited: bool
) -> str:
    best = ranked[0]
    text = (
        f"{best.system['name']} "
        f"{f'has the highest mean score of {len(ranked)} systems' if len(ranked) > 1 else 'is the only system'}"
        f"{' within the limits' if limited else ''} over {len(chosen)} "
        f"{'task' if len(chosen) == 1 else 'tasks'} ({best.place.mean:.3f})."
    )
    every = bench.rank(weights, bench.systems)[0]
    if every.system["id"] != best.system["id"]:
        pair = bench.test(weights, every, best)
        text += f" Without limits it is {every.system['name']} ({every.place.mean:.3f})"
        text += f", which is better with a probability of {100 * pair.better:.0f} %." if pair else "."
    return f"{text} {HINT}" if len(chosen) < FEW else text


# -- limits -----------------------------------------------------------------------------------------


def _fits(bench: Bench, weights: Sequence[float], system: BenchSystem, limits: Limits) -> bool:
    cost = bench.cost(system["id"], weights)
    return (
        _is_small(system, limits.parameters)
        and _is_licensed(bench, system, limits.licence)
        and _is_below(cost.memory_gib, limits.memory, "--max-memory")
        and _is_below(cost.usd, limits.price, "--max-price")
    )


def _is_small(system: BenchSystem, limit: str | None) -> bool:
    """Return whether the published size is within the limit; baselines always are, API models never."""
    if limit is None:
        return True
    found = _SIZE.fullmatch(limit.strip())
    if found is None:
        raise SeluError(f"--max-parameters {limit[:40]!r} is not a size: write it like 500M or 1B.")
    most = float(found[1]) * _TIMES[found[2].upper()]
    if not found[2] and 0 < most < _LEAST:
        raise SeluError(
            f"--max-parameters {limit.strip()} means {most:,.0f} parameters: write {found[1]}M for millions, "
            "or 0 for baselines alone."
        )
    if system["parameters"] is None:
        return bool(system["approach"] == Approach.BASELINE)
    return bool(system["parameters"] <= most)


def _is_licensed(bench: Bench, system: BenchSystem, licence: str | None) -> bool:
    if licence is None:
        return True
    known = {other["licence"].lower(): other["licence"] for other in bench.systems}
    if licence.lower() == _ANY_OPEN:
        return system["licence"] in OPEN
    if licence.lower() not in known:
        raise nearest(licence, [_ANY_OPEN, *dict.fromkeys(known.values())], "licence")
    return bool(system["licence"].lower() == licence.lower())


def _is_below(value: float | None, limit: float | None, option: str) -> bool:
    """Return whether a value is within a limit; an unknown value is not."""
    if limit is not None and not limit >= 0:
        raise SeluError(f"{option} {limit} is not a limit: give a number of 0 or more.")
    return limit is None or (value is not None and value <= limit)
