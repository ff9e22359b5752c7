"""Entrants of both tracks over rows of our own, and the record of what they score."""

from __future__ import annotations

from typing import Any

import numpy as np

from selu.metrics.percentiles import Resampling
from selu.papers.nlbse24 import results
from selu.papers.nlbse24.material import REPOSITORIES, Material
from selu.papers.nlbse24.resampled import Question
from selu.papers.nlbse24.results import Entrant

DRAWS = Resampling(400, 42, 0.95)
SECONDS = [0.001, 0.002, 0.003]


def issue_questions() -> list[Question]:
    truth = np.repeat([0, 1, 2], 20)
    return [Question(place, place, np.arange(60), truth, (0, 1, 2)) for place in REPOSITORIES]


def comment_questions(paper: Material) -> list[Question]:
    return [
        Question(place, place.partition("/")[0], np.arange(40), np.arange(40) % 4 // 3, (1,))
        for place in paper.categories.values()
    ]


def entrant(name: str, questions: list[Question], wrong: float, **overrides: Any) -> Entrant:
    """Answers of which that share is wrong, the same rows at every place of a name."""
    answers = {}
    for number, question in enumerate(questions):
        rng = np.random.default_rng((number, len(name), round(100 * wrong)))
        classes = 2 if question.classes == (1,) else 3
        changed = rng.random(len(question.truth)) < wrong
        answers[question.place] = ((question.truth + changed) % classes)[None]
    fields: dict[str, Any] = {
        "system": name.rstrip("*").partition(" ")[0],
        "protocol": "paper",
        "single": name.endswith("*"),
        "picked_on": "nothing",
        "seeds": (42,),
        "tasks": {place: place.replace("/", "_") for place in answers},
        "answers": answers,
        "seconds": dict.fromkeys(answers, SECONDS),
        "machines": ("a machine",),
    }
    return Entrant(id=name, **{**fields, **overrides})


def record(paper: Material) -> dict[str, Any]:
    """Both tracks: one that is nearly right, a baseline repeated, one picked on test rows, one not whole."""
    issues, comments = issue_questions(), comment_questions(paper)
    gone = {"task": "issue_vscode", "run": "paper-s42", "state": "missing", "reason": "not run"}
    part = entrant("minilm-logistic", issues[:2], 0.2, absent=(gone,))
    entrants = [
        entrant("tfidf-logistic*", issues, 0.05),
        entrant("fasttext-lines", issues, 0.5),
        entrant("minilm-l6 paper", issues, 0.0, picked_on="test", seconds={}),
        part,
    ]
    answering = [entrant("tfidf-logistic", comments, 0.0), entrant("fasttext-lines", comments, 0.4, seconds={})]
    return {
        "bootstrap": {"draws": DRAWS.draws, "seed": DRAWS.seed, "level": DRAWS.level},
        "issues": results.issues(paper, issues, entrants, DRAWS),
        "comments": results.comments(paper, comments, answering, DRAWS),
        "not_run": [{"system": "stacc", "tracks": ["comments"]}],
    }
