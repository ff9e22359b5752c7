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


def columns(paper: Material, scores: dict[str, np.ndarray]) -> Material:
    """Other scores on the ranked tasks, one array per system, kept within 0..1."""
    return paper.with_scores(
        {
            (task, name): round(float(np.clip(value, 0, 1)), 6)
            for name, values in scores.items()
            for task, value in zip(paper.ranked.index, values, strict=True)
        }
    )


def scaled(name: str, by: float) -> Alter:
    return lambda paper: columns(paper, {name: by * paper.ranked[name].to_numpy()})


def raised(paper: Material, names: list[str], over: list[str], by: float = 0.02) -> Material:
    """These systems beat all of the others on every task."""
    best = paper.ranked[over].max(axis=1).to_numpy() + by
    return columns(paper, dict.fromkeys(names, best))


def xgboost_dominates(paper: Material) -> Material:
    return raised(paper, ["tfidf-xgboost"], [name for name in paper.order if name != "tfidf-xgboost"])


def published(*places: tuple[str, str, str, str]) -> Alter:
    def alter(paper: Material) -> Material:
        for place in places:
            paper = paper.with_published(*place)
        return paper

    return alter


def says(where: str, **steps: str) -> Alter:
    return published(*(("protocol", step.replace("_", " "), where, text) for step, text in steps.items()))


def fill(paper: Material, tasks: Iterable[str], systems: Iterable[str], score: float) -> Material:
    """Nearly one score in all these cells that exist: a system without any spread has no rope."""
    systems = list(systems)
    present = paper.scores.notna()
    wobble = (-0.002, 0.0, 0.002)
    return paper.with_scores(
        {
            (task, system): round(min(1.0, score + wobble[i % 3]), 3)
            for i, task in enumerate(tasks)
            for system in systems
            if present.loc[task, system]
        }
    )


def row(name: str, group: str | None, score: float) -> Alter:
    """One score in all cells of a row for one group, or for every fine-tuned system."""

    def alter(paper: Material) -> Material:
        systems = systems_of(paper, group) if group else paper.names(approach=Approach.FINETUNED)
        return fill(paper, tasks_of(paper, name), systems, score)

    return alter


def all_ranked(score: float, *systems: str) -> Alter:
    """One score on every ranked task for these systems."""
    return lambda paper: fill(paper, paper.ranked.index, systems, score)


def prompted(score: float) -> Alter:
    return lambda paper: fill(paper, paper.ranked.index, paper.names(approach=Approach.PROMPTED), score)


def shift(name: str, by: float) -> Alter:
    return lambda paper: columns(paper, {name: paper.ranked[name].to_numpy() + by})


def symmetric(paper: Material) -> np.ndarray:
    """A spread over the tasks with a mean and a median of zero, from -1 to 1."""
    return np.linspace(-1, 1, len(paper.ranked))


def record(system: str, **changes: object) -> Alter:
    """Another declared record of a system."""
    return lambda paper: replace(
        paper, systems=tuple(replace(s, **changes) if s.id == system else s for s in paper.systems)
    )
