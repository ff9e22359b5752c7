"""Random scripts and result files of the authors, for the claims that rest on these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from selu.papers.selu import design
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Kind, Published

RATES = ["1e-4", "1e-5"]
LENGTHS = ["512", "8192", "tokenizer default"]


def scripts(paper: Material, rng: np.random.Generator) -> Material:
    """The scripts of all tasks or of some: rates by size of task or one for all, with slips or without."""
    known = rng.choice([1.0, rng.random()])
    slips = rng.choice([0.0, rng.random()])
    by_size, again = rng.random(2) < 0.5
    one_length, one_batch = rng.random(2) < 0.5
    batch = str(rng.choice(["64", "128"]))
    table = {}
    for task in paper.tasks:
        if rng.random() >= known:
            continue
        small = paper.number("table1", task.id, "Instances") < 10_000
        rate = RATES[0] if by_size and small else RATES[1]
        for system in paper.systems:
            if system.approach is not Approach.FINETUNED or design.absence(system, task):
                continue
            found = {
                "learning_rate_v3": rate,
                "learning_rate_in_script": RATES[1] if again else rate,
                "effective_batch": batch if one_batch else str(rng.choice(["64", "128"])),
                "max_length": LENGTHS[0] if one_length else str(rng.choice(LENGTHS)),
                "epochs": "50" if task.kind in (Kind.ENTITIES, Kind.MASKED) else "10",
            }
            if rng.random() < slips:
                found["learning_rate_v3"] = str(rng.choice(RATES))
                found["learning_rate_in_script"] = str(rng.choice(RATES))
                found["epochs"] = str(rng.choice(["3", "10", "50"]))
            row = f"{task.id}/{system.id}"
            table |= {(row, name): Published("scripts", row, name, text) for name, text in found.items()}
    return replace(paper, tables={**paper.tables, "package_hyperparameters": table})


def second_results(paper: Material, rng: np.random.Generator) -> Material:
    """A preprint that has a second result for a random share of scores, the lower or higher one in Table VI."""
    share, lower = rng.choice([0.0, rng.random()]), rng.choice([0.0, rng.random()])
    places = {}
    for row, column in paper.tables["package_preprint"]:
        task, _, system = row.partition("/")
        if column == "epoch" or task not in paper.scores.index or system not in paper.scores.columns:
            continue
        now = paper.number("table6", task, paper.system(system).name)
        other = rng.uniform(now, 1) if rng.random() < lower else rng.uniform(0, now)
        older = other if rng.random() < share else now
        places["package_preprint", row, column] = f"{1 - older if column == 'smape' else older:.6f}"
    return paper.with_places(places)


def picks(paper: Material, rng: np.random.Generator) -> Material:
    """Settings picked inside their ranges, at an end or, now and then, outside."""
    ends = {"maximum depth": (3, 10), "minimum child weight": (1, 7), "learning rate": (1e-6, 0.1)}
    ends["epochs"] = (5, 20)
    often = {name: rng.random() for name in ends}
    outside = rng.choice([0.0, 0.1 * rng.random()])
    places = {}
    for row, column in paper.tables["package_grids"]:
        low, high = ends[column]
        value = rng.choice([low, high]) if rng.random() < often[column] else rng.uniform(low, high)
        places["package_grids", row, column] = f"{value * 2 if rng.random() < outside else value:.7f}"
    return paper.with_places(places)
