"""SELU's data for choosing a system: published scores, how they were checked, and the known cost of a run."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache

from selu.boards.choosing import EVIDENCE, Bench, Cost, Preset, Score
from selu.papers.costs import AskingCost, Profile
from selu.papers.declared import read_records
from selu.papers.evidence import Evidence
from selu.papers.selu.choosing.asking import describe
from selu.papers.selu.records.reruns import RecountedCell, RerunCell
from selu.papers.selu.records.statistics import Statistics, TaskEntry
from selu.vocabulary import Approach, CellVerdict
from selu.vocabulary import Evidence as Depth

Training = Mapping[str, str]  # a row of scale/cells.csv
Costs = Mapping[tuple[str, str], Cost]  # by task and system
_PAPER = "paper"  # the authors' procedure: one training a seed
_WHOLE = ("equal", "package")  # standings of rows that are the paper's
_TEST = 0.2  # of a task's rows are asked


@cache
def presets() -> tuple[Preset, ...]:
    """Read the choices of tasks for a purpose."""
    return read_records(__name__, "presets.yaml", Preset)


def read_bench(evidence: Evidence) -> Bench:
    """Read what was written of SELU's scores and costs.

    Raises:
        SeluError: a record is missing or damaged; says what makes it.
    """
    from selu.papers.selu.reruns import cells

    return make_bench(
        evidence.read("statistics.json", "report statistics", ("cells", "settings")),
        evidence.read("cells.json", "report cells", cells.CELL_FIELDS),
        *read_scale(evidence),
        read_prices(evidence),
        evidence.read("recounted.json", "report recounted", needed=False) or (),
    )


def read_scale(evidence: Evidence) -> tuple[list[Training], Profile]:
    """Read the cost of each fine-tuned score, and the machine of this estimate."""
    made_by = "report scale"
    text = evidence.content("scale/cells.csv", made_by).decode("utf-8")
    profile: Profile = evidence.read("scale/scale.json", made_by, ("profile",))["profile"]
    return list(csv.DictReader(text.splitlines())), profile


def read_prices(evidence: Evidence) -> AskingCost | None:
    """Read what prompted systems cost, where it is available."""
    found: AskingCost | None = evidence.read("prices.json", "report prices", ("systems",), needed=False)
    return found


def make_bench(
    statistics: Statistics,
    reruns: Sequence[RerunCell] = (),
    scale: Sequence[Training] = (),
    profile: Profile | None = None,
    prices: AskingCost | None = None,
    recounted: Sequence[RecountedCell] = (),
) -> Bench:
    """Build the bench from the records in the arguments; ``profile`` is that of scale.json."""
    counted = {(entry["task"], entry["system"]): entry for entry in recounted}
    checked = {
        (cell["task"], cell["system"]): cell
        for cell in reruns
        if cell["value"] is not None and cell["standing"] in _WHOLE
    }
    scores = {}
    for cell in statistics["cells"]:
        if cell["printed"] is not None:
            place = cell["task"], cell["system"]
            ours = checked.get(place) or counted.get(place)
            evidence = EVIDENCE[Depth(str(ours["evidence"] if ours else cell["evidence"]))]
            differs = ours is not None and ours["verdict"] == CellVerdict.DEVIATES
            scores[place] = Score(float(cell["printed"]), evidence, differs)
    settings = statistics["settings"]
    return Bench(
        tasks=statistics["tasks"],
        systems=statistics["systems"],
        scores=scores,
        presets=presets(),
        costs={**_trainings(scale), **_asking(statistics["tasks"], prices), **_measured(statistics, checked)},
        cost_says=_cost_says(profile, prices),
        rope=settings["rope"],
        threshold=settings["threshold"],
        device=profile["device"] if profile else "",
        utilisation=(profile["utilisation"] or 0.0) if profile else 0.0,
    )


def _cost_says(profile: Profile | None, prices: AskingCost | None) -> Mapping[str, str]:
    asked = f" on the tasks with rows here: {describe(prices)}" if prices else ""
    machine = f" on {profile['device']} at {profile['usd_per_hour']:.2f} USD an hour" if profile else ""
    return {
        Approach.FINETUNED: f"one training by the authors' procedure{machine}, estimated, at most",
        Approach.PROMPTED: "asking about the test rows of the chosen tasks once, at the mean price of a request"
        + asked,
        Approach.BASELINE: "our run on a processor, measured; no GPU",
    }


def _trainings(scale: Sequence[Training]) -> Costs:
    """Return one training of each fine-tuned score: hours and USD cover all seeds together."""
    found = {}
    for row in scale:
        if row["protocol"] == _PAPER:
            hours, usd = (float(row[name]) / int(row["runs"]) for name in ("device_hours", "usd"))
            memory = int(row["devices"]) * float(row["memory_gib"]) if row["devices"] else None
            found[row["task"], row["system"]] = Cost(hours, usd, memory)
    return found


def _asking(tasks: Sequence[TaskEntry], prices: AskingCost | None) -> Costs:
    return {
        (task["id"], row["system"]): Cost(
            None, row["usd_at_most"] / row["requests"] * _TEST * task["instances"], 0.0
        )
        for row in (prices["systems"] if prices else ())
        for task in tasks
    }


def _measured(statistics: Statistics, checked: Mapping[tuple[str, str], RerunCell]) -> Costs:
    """Return the costs of baselines: no GPU; hours are known if they were run here."""
    classical = [system["id"] for system in statistics["systems"] if system["approach"] == Approach.BASELINE]
    found = {}
    for place in ((task["id"], system) for system in classical for task in statistics["tasks"]):
        cost = checked[place]["cost"] if place in checked else None
        found[place] = Cost(cost["seconds"] / 3600 if cost else None, 0.0, 0.0)
    return found
