"""Ways to alter what the paper prints, so that a verdict has to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from selu.papers.selu.analysis.aggregates import systems_of, tasks_of
from selu.papers.selu.material import Material
from selu.vocabulary import Approach

Alter: TypeAlias = Callable[[Material], Material]


def columns(m: Material, scores: dict[str, np.ndarray]) -> Material:
    """Other scores on the ranked tasks, one array per system, kept within 0..1."""
    return m.with_scores(
        {
            (task, name): round(float(np.clip(value, 0, 1)), 6)
            for name, values in scores.items()
            for task, value in zip(m.ranked.index, values, strict=True)
        }
    )


def scaled(name: str, by: float) -> Alter:
    return lambda m: columns(m, {name: by * m.ranked[name].to_numpy()})


def raised(m: Material, names: list[str], over: list[str], by: float = 0.02) -> Material:
    """These systems beat all of the others on every task."""
    best = m.ranked[over].max(axis=1).to_numpy() + by
    return columns(m, dict.fromkeys(names, best))


def xgboost_dominates(m: Material) -> Material:
    return raised(m, ["tfidf-xgboost"], [name for name in m.order if name != "tfidf-xgboost"])


def published(*places: tuple[str, str, str, str]) -> Alter:
    def alter(m: Material) -> Material:
        for place in places:
            m = m.with_published(*place)
        return m

    return alter


def says(where: str, **steps: str) -> Alter:
    return published(*(("protocol", step.replace("_", " "), where, text) for step, text in steps.items()))


def fill(m: Material, tasks: Iterable[str], systems: Iterable[str], score: float) -> Material:
    """Nearly one score in all these cells that exist: a system without any spread has no rope."""
    systems = list(systems)
    present = m.scores.notna()
    wobble = (-0.002, 0.0, 0.002)
    return m.with_scores(
        {
            (t, s): round(min(1.0, score + wobble[i % 3]), 3)
            for i, t in enumerate(tasks)
            for s in systems
            if present.loc[t, s]
        }
    )


def row(name: str, group: str | None, score: float) -> Alter:
    """One score in all cells of a row for one group, or for every fine-tuned system."""

    def alter(m: Material) -> Material:
        systems = systems_of(m, group) if group else m.names(approach=Approach.FINETUNED)
        return fill(m, tasks_of(m, name), systems, score)

    return alter


def all_ranked(score: float, *systems: str) -> Alter:
    """One score on every ranked task for these systems."""
    return lambda m: fill(m, m.ranked.index, systems, score)


def prompted(score: float) -> Alter:
    return lambda m: fill(m, m.ranked.index, m.names(approach=Approach.PROMPTED), score)


def shift(name: str, by: float) -> Alter:
    return lambda m: columns(m, {name: m.ranked[name].to_numpy() + by})


def symmetric(m: Material) -> np.ndarray:
    """A spread over the tasks with a mean and a median of zero, from -1 to 1."""
    return np.linspace(-1, 1, len(m.ranked))


def record(system: str, **changes: object) -> Alter:
    """Another declared record of a system."""
    return lambda m: replace(
        m, systems=tuple(replace(s, **changes) if s.id == system else s for s in m.systems)
    )
