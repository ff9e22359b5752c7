"""The input of a ranking over chosen tasks, and the ranking: for the command line and the site's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from selu.names import nearest
from selu.stats.draws import DRAWS, SEED
from selu.vocabulary import Evidence, KnownFields, SeluError, plain_number

if TYPE_CHECKING:
    from selu.stats.chosen import Pair, Place

OPEN = ("Apache-2.0", "MIT", "BSD-3-Clause")  # approved by the Open Source Initiative
EVIDENCE = {
    Evidence.PUBLISHED: "published",
    Evidence.RECOUNTED: "recounted",
    Evidence.RE_SCORED: "re-scored",
    Evidence.RE_RUN: "re-run",
}

FEW = 5  # tasks below which wins on all of them make a clear winner of any difference: two of two are 96 %
INTERVAL = (
    "95 % of a Bayesian bootstrap over the chosen tasks, of each system alone; the paper's intervals hold for "
    "all systems together and are wider"
)
HINT = "Over so few tasks a rank is a hint only, and so is a probability of the test."


@dataclass(frozen=True, slots=True)
class Preset(KnownFields):
    """The tasks of a purpose."""

    id: str
    name: str
    about: str
    tasks: tuple[str, ...]


class Cost(NamedTuple):
    """The cost of one run of a system on one task: hours, USD, and GiB of GPU memory in all.

    None: not known; of memory also where no considered machine holds it.
    """

    hours: float | None
    usd: float | None
    memory_gib: float | None


class Score(NamedTuple):
    """A published score or None, how it was checked on original data, and whether ours differs."""

    value: float | None
    evidence: str
    differs: bool


class Own(NamedTuple):
    """The user's system: its name, and its scores by task."""

    name: str
    scores: Mapping[str, float]


class BenchTask(TypedDict):
    """A task to choose, and whether the paper ranks over it."""

    id: str
    kind: str
    ranked: bool


class BenchSystem(TypedDict):
    """A system to choose."""

    id: str
    name: str
    approach: str
    size_published: str | None
    parameters: int | None
    licence: str


class Ranked(NamedTuple):
    """A place, the system's record, and its scores in the order of the tasks."""

    place: Place
    system: BenchSystem
    scores: list[float | None]


@dataclass(frozen=True)
class Bench:
    """Systems, tasks and scores of a benchmark, ready to choose from.

    Attributes:
        tasks: in the paper's order.
        scores: by task and system; none where a system does not answer the task.
        costs: likewise; ``cost_says`` tells by approach where they come from.
        rope, threshold: of the test, as the paper sets them.
        device, utilisation: a machine for which inference is estimated, and the share of its peak reached.
    """

    tasks: Sequence[BenchTask]
    systems: Sequence[BenchSystem]
    scores: Mapping[tuple[str, str], Score]
    presets: Sequence[Preset]
    costs: Mapping[tuple[str, str], Cost]
    cost_says: Mapping[str, str]
    rope: float
    threshold: float
    device: str = ""
    utilisation: float = 0.0

    def weights(self, names: Sequence[str] = (), preset: str | None = None) -> list[float]:
        """Weigh each task: those named (``TASK`` or ``TASK=WEIGHT``), else the preset's, else all ranked ones.

        Raises:
            SeluError: an unknown task or preset, or an invalid weight.
        """
        known = [task["id"] for task in self.tasks]
        if preset is not None:
            presets = {purpose.id: purpose for purpose in self.presets}
            if preset.lower() not in presets:
                raise nearest(preset, presets, "purpose")
            names = [*presets[preset.lower()].tasks, *names]
        weight: dict[str, float] = {}
        for name in names:
            task, equals, text = name.partition("=")
            if task.lower() not in known:
                raise nearest(task, known, "task")
            weight[task.lower()] = _weight(task, text) if equals else 1.0
        if not names:
            weight = {task["id"]: 1.0 for task in self.tasks if task["ranked"]}
        return [weight.get(task, 0.0) for task in known]

    def chosen(self, weights: Sequence[float]) -> list[str]:
        """Name the tasks that have a weight."""
        return [task["id"] for task, weight in zip(self.tasks, weights, strict=True) if weight > 0]

    def row(self, system: str) -> list[float | None]:
        """List a system's scores in the order of the tasks."""
        found = (self.scores.get((task["id"], system)) for task in self.tasks)
        return [score and score.value for score in found]

    def rank(
        self, weights: Sequence[float], systems: Sequence[BenchSystem], own: Own | None = None
    ) -> list[Ranked]:
        """Rank systems over tasks with these weights, best first.

        Args:
            systems: of these; ``own`` is ranked with them, its id is the empty text.
        """
        from selu.stats.chosen import ranking
        from selu.stats.draws import gammas

        every, rows = [*systems], [self.row(system["id"]) for system in systems]
        if own is not None:
            every.append(
                BenchSystem(id="", name=own.name, approach="", size_published=None, parameters=None, licence="")
            )
            rows.append([own.scores.get(task["id"]) for task in self.tasks])
        places = ranking(rows, weights, gammas(len(self.tasks)))
        return [Ranked(place, every[place.system], rows[place.system]) for place in places]

    def test(self, weights: Sequence[float], a: Ranked, b: Ranked) -> Pair | None:
        """Test one system against another; None where there is nothing to test."""
        from selu.stats.chosen import against
        from selu.stats.draws import gammas

        return against(a.scores, b.scores, weights, self.rope, gammas(len(self.tasks)))

    def cost(self, system: str, weights: Sequence[float]) -> Cost:
        """Sum what a run of a system on each chosen task takes; of memory the most. None: of some not known."""
        nothing = Cost(None, None, None)
        answered = [(task, system) for task in self.chosen(weights) if (task, system) in self.scores]
        found = [self.costs.get(place, nothing) for place in answered]
        hours, usd, memory = ([cost[field] for cost in found] for field in range(3))
        return Cost(_total(hours), _total(usd), None if None in memory else max(memory, default=None))  # type: ignore[type-var]

    def evidence(self, system: str, weights: Sequence[float]) -> str:
        """State how many of the chosen scores are re-run, re-scored or only published, and how many differ."""
        answered = ((task, system) for task in self.chosen(weights))
        scores = [self.scores[place] for place in answered if place in self.scores]
        counts = Counter(score.evidence for score in scores)
        differ = Counter(score.evidence for score in scores if score.differs)
        return ", ".join(
            f"{counts[word]} {word}"
            + (f" ({differ[word]} {'differs' if differ[word] == 1 else 'differ'})" if differ[word] else "")
            for word in reversed(EVIDENCE.values())
            if counts[word]
        )

    def record(self) -> Mapping[str, object]:
        """Shape it for the site's page: lists in the order of tasks and systems."""
        nothing = Score(None, "", False), Cost(None, None, None)  # where a system does not answer a task
        places = [[(task["id"], system["id"]) for task in self.tasks] for system in self.systems]
        scores = [[self.scores.get(place, nothing[0]) for place in row] for row in places]
        costs = [[self.costs.get(place, nothing[1]) for place in row] for row in places]
        return {
            "tasks": [
                {"id": task["id"], "kind": task["kind"], "ranked": task["ranked"]} for task in self.tasks
            ],
            "systems": [_shown(system) for system in self.systems],
            "scores": [[score.value for score in row] for row in scores],
            "evidence": [[score.evidence for score in row] for row in scores],
            "differs": [[int(score.differs) for score in row] for row in scores],
            "costs": [[[_short(value) for value in cost] for cost in row] for row in costs],
            "cost_says": dict(self.cost_says),
            "presets": [asdict(preset) for preset in self.presets],
            "open": OPEN,
            "few": FEW,
            "hint": HINT,
            "interval": INTERVAL,
            "rope": self.rope,
            "threshold": self.threshold,
            "draws": DRAWS,
            "seed": SEED,
        }


def _shown(system: BenchSystem) -> BenchSystem:
    return {
        "id": system["id"],
        "name": system["name"],
        "approach": system["approach"],
        "size_published": system["size_published"],
        "parameters": system["parameters"],
        "licence": system["licence"],
    }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _weight(task: str, text: str) -> float:
    try:
        weight = plain_number(text)
        if not 0 < weight <= 100:
            raise ValueError
    except ValueError:
        raise SeluError(f"the weight {text!r} of {task} is not a number above 0 and up to 100.") from None
    return weight
