"""Random Tables VI in which domain-adapted models gain or lose by task type and family."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from draws import HIGH, LOW
from redrawn import Draw

from selu.benchmarks.selu.aggregates import DOMAIN_ADAPTED, systems_of
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach, Family, Kind


def adapted(ranges: Mapping[Kind | Family, tuple[float, float]] | None = None, most: float = 0.1) -> Draw:
    """Scores of the fine-tuned models: the task's mean, a level of the system, gains by group, noise.

    Args:
        ranges: gains of some types and families, uniform; the others' have a random order of magnitude.
        most: the largest typical gain of these others, and of the noise.
    """

    def draw(m: Material, rng: np.random.Generator) -> Material:
        present, some = m.scores.notna(), set(systems_of(m, DOMAIN_ADAPTED))
        tuned = m.names(approach=Approach.FINETUNED)
        gains = {
            group: rng.normal(0, np.exp(rng.uniform(np.log(0.0005), np.log(most))))
            for task in m.tasks
            for group in (task.kind, task.family)
        }
        gains |= {group: rng.uniform(*ends) for group, ends in (ranges or {}).items()}
        level = dict(zip(tuned, rng.normal(0, rng.choice([0, 0.02, 0.1]), len(tuned)), strict=True))
        noise, shrink = np.exp(rng.uniform(np.log(0.0005), np.log(most))), rng.uniform(0.1, 1)
        scores = {}
        for task in m.tasks:
            mean = 0.6 + shrink * (float(m.scores.loc[task.id, tuned].mean()) - 0.6)
            for name in tuned:
                if present.loc[task.id, name]:
                    gain = gains[task.kind] + gains[task.family] if name in some else 0.0
                    value = mean + level[name] + gain + rng.normal(0, noise)
                    scores[task.id, name] = f"{min(max(value, LOW), HIGH):.3f}"
        return m.with_scores(scores)

    return draw
