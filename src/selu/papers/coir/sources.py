"""The same model in two sources: Table 3 of the paper, and the results of MTEB."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from selu.boards.ranking import comparable, rank
from selu.papers.claims import exceptions, finding, listed, portion, scope
from selu.papers.scores import Scores
from selu.papers.shapes import MOST, Shape
from selu.vocabulary import Finding

TWINS = {  # models that both sources name so that they are the same; of GTE-Base the paper doesn't say which
    "E5-Base": "intfloat/e5-base-v2",
    "BGE-Base": "BAAI/bge-base-en-v1.5",
    "E5-Mistral": "intfloat/e5-mistral-7b-instruct",
    "BGE-M3": "BAAI/bge-m3",
}
TASKS = {
    "APPS": "AppsRetrieval",
    "CosQA": "CosQA",
    "Synthetic Text2SQL": "SyntheticText2SQL",
    "CodeSearchNet": "COIRCodeSearchNetRetrieval",
    "CodeSearchNet-CCR": "CodeSearchNetCCRetrieval",
    "CodeTrans-Contest": "CodeTransOceanContest",
    "CodeTrans-DL": "CodeTransOceanDL",
    "StackOverflow QA": "StackOverflowQA",
    "CodeFeedback-ST": "CodeFeedbackST",
    "CodeFeedback-MT": "CodeFeedbackMT",
}
SAME = 0.0051  # of 100: half a unit of the paper's last digit, and what floats add

SECOND = 1 / math.log2(3)  # NDCG@10 of a system that puts each query's one right document second


class Pair(NamedTuple):
    """A score of the paper and MTEB's of the same model and task, both of 100."""

    paper: float
    mteb: float

    @property
    def apart(self) -> float:
        """MTEB's score minus the paper's."""
        return self.mteb - self.paper

    @property
    def is_same(self) -> bool:
        """Return whether the paper's score is MTEB's, rounded."""
        return abs(self.apart) <= SAME


def pairs(scores: Scores, system: str, twin: str) -> Mapping[str, Pair]:
    """Find the tasks on which both sources have a score."""
    ours, theirs = scores.tables["scores"], scores.tables["mteb"]
    there = {task: other for task, other in TASKS.items() if theirs[twin, other].published != "-"}
    return {
        task: Pair(scores.number("scores", system, task), 100 * scores.number("mteb", twin, other))
        for task, other in there.items()
        if ours[system, task].published != "-"
    }


def differing(found: Mapping[str, Pair]) -> str:
    """Name the differences, the largest first."""
    apart = sorted(found.items(), key=lambda entry: -abs(entry[1].apart))
    return listed(f"{task} {pair.apart:+.2f}" for task, pair in apart if not pair.is_same)


def same_scores(system: str, twin: str) -> Shape:
    """Shape "SYSTEM has the same scores in both sources"."""

    def has_the_same_scores(scores: Scores) -> Finding:
        found = pairs(scores, system, twin)
        same = sum(pair.is_same for pair in found.values())
        return finding(
            same == len(found),
            f"{portion(same, len(found))} scores are the same; MTEB's minus the paper's: {differing(found)}.",
            caveat=scope(f"Both sources have {len(found)} of {len(TASKS)} tasks.")
            if len(found) < len(TASKS)
            else None,
            differences={task: round(pair.apart, 3) for task, pair in found.items()},
        )

    return Shape(
        "Each score of MTEB, times 100 and rounded, is that of Table 3.",
        "One of them is another number.",
        "MTEB has no score of the model on some of the tasks.",
        has_the_same_scores,
    )


def mostly_higher() -> Shape:
    """Shape "where the sources differ, MTEB's score is the higher one"."""

    def is_mostly_higher(scores: Scores) -> Finding:
        found = [pair for twins in TWINS.items() for pair in pairs(scores, *twins).values()]
        differ = [pair.apart for pair in found if not pair.is_same]
        higher = sum(value > 0 for value in differ)
        return finding(
            2 * higher > len(differ),
            f"{len(differ)} of {len(found)} scores differ, and MTEB's is the higher one of {higher} of them.",
            caveat=exceptions(f"On {len(differ) - higher} it is the lower one.")
            if higher < len(differ)
            else None,
            differ=len(differ),
            higher=higher,
        )

    return Shape(
        "Of the scores that differ, MTEB's is the higher one of more than half.",
        "It is the higher one of half of them or fewer.",
        "It is the lower one of some.",
        is_mostly_higher,
        MOST,
    )


def within(points: float) -> Shape:
    """Shape "no two sources differ by more than POINTS of 100"."""

    def is_within(scores: Scores) -> Finding:
        found = {
            (system, task): pair
            for system, twin in TWINS.items()
            for task, pair in pairs(scores, system, twin).items()
        }
        system, task = max(found, key=lambda at: abs(found[at].apart))
        far = sum(abs(pair.apart) > points for pair in found.values())
        most = found[system, task]
        return finding(
            not far,
            f"{portion(far, len(found))} scores differ by more than {points:g}; most does {system} on {task}: "
            f"{most.paper:.2f} in the paper, {most.mteb:.2f} in MTEB.",
            far=far,
            largest=round(most.apart, 3),
        )

    return Shape(
        f"Each score of a model in both sources differs by at most {points:g} of 100.",
        f"One differs by more than {points:g}.",
        "",
        is_within,
    )


def same_order(*systems: str) -> Shape:
    """Shape "both sources have these systems in the same order", over the tasks that all have in both."""

    def falls_in_the_same_order(scores: Scores) -> Finding:
        found = {system: pairs(scores, system, TWINS[system]) for system in systems}
        tasks = [task for task in TASKS if all(task in by_task for by_task in found.values())]
        means = [
            {system: sum(found[system][task][source] for task in tasks) / len(tasks) for system in systems}
            for source in (0, 1)
        ]
        paper, mteb = (sorted(mean, key=lambda system: -mean[system]) for mean in means)
        return finding(
            paper == mteb,
            f"Over {len(tasks)} tasks the order of the paper is {listed(paper)}, and of MTEB {listed(mteb)}.",
            caveat=scope(f"Both sources have {len(tasks)} of {len(TASKS)} tasks.")
            if len(tasks) < len(TASKS)
            else None,
            paper={system: round(value, 3) for system, value in means[0].items()},
            mteb={system: round(value, 3) for system, value in means[1].items()},
        )

    return Shape(
        "Their means over the tasks of both sources have the same order in each.",
        "The orders differ.",
        "Both sources have some of the tasks only.",
        falls_in_the_same_order,
    )


def far_from_solved(whole: float) -> Shape:
    """Shape "even the best system has difficulties"; ``whole`` is the score of a system without any."""

    def has_difficulties(scores: Scores) -> Finding:
        first = rank(comparable(scores.board)).order[0]
        mean = float(np.nanmean(scores.board.values[first])) / whole
        return finding(
            mean < SECOND,
            f"The first system, {scores.board.systems[first]}, has a mean of {mean:.3f}; one that always puts "
            f"the right document second has {SECOND:.3f}.",
            mean=round(mean, 6),
        )

    return Shape(
        "The mean NDCG@10 of the first system is below 1/log2(3), that of always second.",
        "It is as high or higher.",
        "",
        has_difficulties,
    )
