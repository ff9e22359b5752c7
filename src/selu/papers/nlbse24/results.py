"""Scores of runs on the competition's tasks, beside the published ones: issues (2.3) and comments (3.2).

A published score stands beside a rerun and is never ranked with it: it has no predictions to resample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from selu.boards.rounding import Printing, behind
from selu.metrics.percentiles import Resampling, bounds
from selu.papers.nlbse24 import formulas, ranks, records
from selu.papers.nlbse24.material import BASELINE, OF_ALL, REPOSITORIES, Material
from selu.papers.nlbse24.records import (
    KEYS,
    Absent,
    CommentEntrant,
    CommentTrack,
    IssueEntrant,
    IssueTrack,
    LabelScores,
    Measures,
    Outperformed,
    Runtime,
    Score,
    Scored,
    measures,
)
from selu.papers.nlbse24.resampled import FloatArray, IntArray, Question, Scores, f1_draws, scores
from selu.papers.nlbse24.rescored import NAMES
from selu.papers.records import interval
from selu.stats.rounding import to_digits
from selu.vocabulary import Evidence

AVERAGE, OVERALL = OF_ALL.lower(), "overall"
TEST = "test"  # what nobody may pick on who is ranked
REPEATS = {"fasttext-lines": "Kallis et al.", "setfit": "Kallis and Colavito", "stacc": BASELINE}


@dataclass(frozen=True)
class Entrant:
    """A system under a protocol as it was run on one track.

    Attributes:
        id: the system, with its protocol where something was picked, and with * where one model serves all
            repositories.
        picked_on: nothing, validation or test.
        seeds: of the runs at every place.
        tasks: place -> the task that was run.
        answers: place -> shape (seeds, rows) of label indices; places that were run only.
        seconds: place -> seconds per text of each repeat, where they were measured.
        machines: on which these were measured.
        absent: tasks that were not run, with state and reason.
    """

    id: str
    system: str
    protocol: str
    single: bool
    picked_on: str
    seeds: tuple[int, ...]
    tasks: Mapping[str, str]
    answers: Mapping[str, IntArray]
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    machines: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()


def issues(
    paper: Material, questions: Sequence[Question], entrants: Sequence[Entrant], draws: Resampling
) -> IssueTrack:
    """Return scores by repository and label, their means over the repositories, differences and ranks."""
    drawn = f1_draws(questions, {e.id: e.answers for e in entrants}, draws.draws, draws.seed)
    found: list[IssueEntrant] = []
    overall = {}
    for entrant in entrants:
        places: dict[str, LabelScores] = {}
        for question in questions:
            if question.place in entrant.answers:
                full = scores(question, entrant.answers[question.place])
                resampled = drawn[entrant.id, question.place]
                support = [int((question.truth == label).sum()) for label in question.classes]
                places[question.place] = _labels(full, resampled, support, draws.level)
        if len(places) == len(REPOSITORIES):
            resampled = np.mean([drawn[entrant.id, place] for place in places], axis=0)
            places[OVERALL] = _over_places(list(places.values()), resampled, draws.level)
            overall[entrant.id] = resampled.mean(axis=1)
        found.append(
            {
                **_head(paper, entrant),
                "scores": places,
                "published": _published(paper, entrant),
                "runtime": _times(entrant),
            }
        )
    ranked = {e.id: overall[e.id] for e in entrants if e.id in overall and e.picked_on != TEST}
    values = {e["id"]: e["scores"][OVERALL][AVERAGE]["f1"] for e in found if e["id"] in overall}
    return {"entrants": found, **ranks.compared(ranked, values, draws.level)}


def _labels(full: Scores, drawn: FloatArray, support: Sequence[int], level: float) -> LabelScores:
    """Scores of each label, and their mean weighted by rows (2.2)."""
    weights = np.array(support) / sum(support)
    rows = {
        label: _scored([float(part[at]) for part in full], drawn[:, at], level)
        for at, label in enumerate(NAMES)
    }
    means = [formulas.weighted(part.tolist(), support) for part in full]
    return {**rows, AVERAGE: _scored(means, (drawn * weights).sum(axis=1), level)}


def _over_places(places: Sequence[LabelScores], drawn: FloatArray, level: float) -> LabelScores:
    """Return the plain mean over the repositories (2.3), of each label and of the average."""
    return {
        label: _scored(
            [formulas.mean([place[label][key] for place in places]) for key in KEYS],
            drawn.mean(axis=1) if label == AVERAGE else drawn[:, NAMES.index(label)],
            level,
        )
        for label in (*NAMES, AVERAGE)
    }


def _scored(values: Sequence[float], drawn: FloatArray, level: float) -> Scored:
    """Return precision, recall and F1, with the interval of F1."""
    return {**measures(values), **interval(bounds(drawn, level))}


def _head(paper: Material, entrant: Entrant) -> records.Entrant:
    team = REPEATS.get(entrant.system)
    return {
        "id": entrant.id,
        "system": entrant.system,
        "protocol": entrant.protocol,
        "single": entrant.single,
        "picked_on": entrant.picked_on,
        "seeds": list(entrant.seeds),
        "tasks": dict(entrant.tasks),
        "evidence": str(Evidence.RE_RUN),
        "absent": [each.copy() for each in entrant.absent],
        "repeats": None if team is None else {"team": team, "model": paper.entrant(team).model},
    }


def _published(paper: Material, entrant: Entrant) -> Mapping[str, Mapping[str, Measures]] | None:
    """Return the result file of the baseline that this one repeats, by place and label (published numbers)."""
    team = REPEATS.get(entrant.system)
    if team is None or entrant.single:
        return None
    results = str(paper.entrant(team).results)
    return {
        place: {
            label: measures(paper.number("baselines", f"{results}/{place}/{label}", key) for key in KEYS)
            for label in (*NAMES, AVERAGE)
        }
        for place in (*entrant.tasks, OVERALL)
    }


def comments(
    paper: Material, questions: Sequence[Question], entrants: Sequence[Entrant], draws: Resampling
) -> CommentTrack:
    """Return scores by category, means over them, categories won, times, and the competition's score."""
    drawn = f1_draws(questions, {e.id: e.answers for e in entrants}, draws.draws, draws.seed)
    found: list[CommentEntrant] = []
    overall = {}
    for entrant in entrants:
        places: dict[str, Scored] = {}
        for question in questions:
            if question.place in entrant.answers:
                full = [float(part[0]) for part in scores(question, entrant.answers[question.place])]
                resampled = drawn[entrant.id, question.place][:, 0]
                places[question.place] = _scored(full, resampled, draws.level)
        times = _times(entrant)
        mean, outperformed, score = None, None, None
        if len(places) == len(paper.categories):
            overall[entrant.id] = np.mean([drawn[entrant.id, place][:, 0] for place in places], axis=0)
            means = [formulas.mean([place[key] for place in places.values()]) for key in KEYS]
            mean = _scored(means, overall[entrant.id], draws.level)
            outperformed, score = _outperformed(paper, places), _score(paper, mean, times)
        found.append(
            {
                **_head(paper, entrant),
                "categories": places,
                "overall": mean,
                "outperformed": outperformed,
                "score": score,
                "runtime": times,
            }
        )
    ranked = {e.id: overall[e.id] for e in entrants if e.id in overall and e.picked_on != TEST}
    values = {e["id"]: e["overall"]["f1"] for e in found if e["overall"]}
    return {"entrants": found, **ranks.compared(ranked, values, draws.level)}


def _outperformed(paper: Material, places: Mapping[str, Scored]) -> Outperformed:
    """Return categories above STACC's published F1, and those that its missing digits may decide."""
    results = str(paper.entrant(BASELINE).results)
    published = {place: paper.result(results, place, "f1") for place in places}
    behind_it = {place: behind(text, Printing.EITHER) for place, text in published.items()}
    return {
        "categories": [place for place, scored in places.items() if scored["f1"] > float(published[place])],
        "undecided": [
            place
            for place, scored in places.items()
            if float(behind_it[place].low) < scored["f1"] <= float(behind_it[place].high)
        ],
        "of": len(places),
    }


def _times(entrant: Entrant) -> Runtime | None:
    """Return seconds per text: the mean over places and repeats, and the fastest and slowest repeat."""
    if entrant.seconds.keys() != entrant.answers.keys():
        return None
    by_place = {place: formulas.mean(list(each)) for place, each in entrant.seconds.items()}
    repeats = [formulas.mean(each) for each in zip(*entrant.seconds.values(), strict=True)]
    return {
        "seconds": formulas.mean(list(by_place.values())),
        "fastest": min(repeats),
        "slowest": max(repeats),
        "repeats": len(repeats),
        "places": by_place,
        "machines": list(entrant.machines),
    }


def _score(paper: Material, mean: Scored, times: Runtime | None) -> Score | None:
    """Compute the score of section 3.2, also cut off at zero (the winner's code) and of rounded values.

    The rounded values are F1 and runtime as Table 3 shows them."""
    if times is None:
        return None
    formula, runtime = paper.formula, times["seconds"]
    return {
        "value": formula.compute(mean["f1"], runtime),
        "low": formula.compute(mean["low"], runtime),
        "high": formula.compute(mean["high"], runtime),
        "clipped": formula.compute(mean["f1"], min(runtime, formula.longest)),
        "of_printed_digits": formula.compute(float(to_digits(mean["f1"], 2)), float(to_digits(runtime, 5))),
    }
