"""Shared by the claims: how rows are compared, and what is written if evidence is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

from selu.papers.blanca.material import Material
from selu.papers.claims import listed

BASES = ("BERTOverflow", "CodeBERT")  # trained on text about code, and tuned by the authors
BEST = "RFLHU-BERTOverflow"
HALF = 0.005  # of the last digit of a published mean or correlation
# Questions that two modules answer.
HOLDINGS = "What do the data sets hold?"
SETTING = "What was compared, and how?"
CLASSES = "Do language models reflect how classes are derived and used?"
TRAINING = "What do fine-tuning and training on several tasks bring?"
COLUMNS = ("R: MRR", "R: NDCG", "F", "L", "H", "U")  # of Table 8
PARTS = ("Training", "Test")
COLUMN = dict(zip(PARTS, ("Train", "Test"), strict=True))  # of Table 2
NAMES = {"R": "answer ranking", "L": "linked posts", "F": "posts and classes", "H": "hierarchy", "U": "usage"}
MOST = "the plain meaning of 'most' in the sentence: more than half"
NO_DISTANCES = (
    "The authors' distances were not scored again here; reports/blanca/rescored.json, which "
    "'selu rescore --paper blanca' makes, decides it (1 file)."
)
MANY = "our choice: 'many' names no share, and is held to what 'most' means, more than half"


def named(tasks: Iterable[str]) -> str:
    """Return tasks by name, for a sentence."""
    return listed(NAMES[task] for task in tasks)


def ordered(scores: Mapping[str, float]) -> list[str]:
    """Return the encoders by score, the highest first; equal ones in the printed order."""
    return sorted(scores, key=lambda name: -scores[name])


def tuned(paper: Material, task: str) -> Mapping[str, tuple[float, float]]:
    """Return of each base trained on code its score on a task, and the one after tuning on that task."""
    scores = paper.scores(task)
    return {base: (scores[base], scores[f"FT-{base}"]) for base in BASES}


def counted_in(other: str) -> str:
    """State that a claim rests on the same number as a weightier one."""
    return f"This rests on the same numbers as {other}, where they are counted."


def p_of_t(statistic: float, pairs: int) -> float:
    """Return the two-sided p of a pooled t over two samples with this total number of pairs."""
    from scipy.special import stdtr

    return float(2 * stdtr(pairs - 2, -abs(statistic)))


def implied_sd(paper: Material, task: str, encoder: str, positive: int, negative: int) -> tuple[float, float]:
    """Return the pooled standard deviations that a row's rounded means, t and group sizes allow."""
    gap, statistic = paper.gap(task, encoder), paper.scores(task)[encoder]
    factor = statistic * sqrt(1 / positive + 1 / negative)
    return max(0.0, gap - 2 * HALF) / factor, (gap + 2 * HALF) / factor


def in_table(paper: Material, section: str, task: str, unit: str = "pairs") -> Mapping[str, tuple[int, int]]:
    """Pair the text's numbers of training and test rows with those of Table 2."""
    return {
        part: (paper.count("text", section, f"{part} {unit}"), paper.count("table2", task, COLUMN[part]))
        for part in PARTS
    }
