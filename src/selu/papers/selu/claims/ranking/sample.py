"""The sample of tasks behind the comparison: its size and power (IV-D, V-A, VII-D)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from selu.papers.claims import claim, finding, listed, percent, rounding
from selu.papers.published import ABSENT
from selu.papers.selu.analysis.aggregates import FloatArray
from selu.papers.selu.claims._questions import CERTAINTY
from selu.papers.selu.claims._sources import BEYOND
from selu.papers.selu.claims._systems import error, name_of
from selu.papers.selu.material import Material
from selu.stats.compare import BETTER, EQUAL, INCONCLUSIVE, WORSE, rope_width
from selu.stats.signed_rank import monte_carlo_error, posterior
from selu.vocabulary import Finding

QUESTION = CERTAINTY
_DRAWS = 2_000  # of a variant, which are many; decisions too near for them count as neither
_NEAR = "near"


def _scored(paper: Material) -> Mapping[str, list[str]]:
    """Return the systems with a published score on each task of the comparison, whatever Table VI's changes."""
    return {
        task.id: [s.id for s in paper.systems if paper.published("table6", task.id, s.name) != ABSENT]
        for task in paper.tasks
    }


@claim(
    "C034",
    "IV-D",
    "Each system enters the comparison with 20 scores.",
    weight="method",
    quote="nA = nB = 20 correspond to the number of tasks",
    holds="Each system has as many published scores on the classification and regression tasks of Table VI as "
    "section IV-D gives for n (20).",
    fails="At least one system has more or fewer.",
)
def every_system_has_twenty_scores(paper: Material) -> Finding:
    """Count what Table VI has, whether or not the comparison could be computed from it."""
    stated = paper.number("text", "IV-D", "Scores of each model (n)")
    scored = [systems for task, systems in _scored(paper).items() if paper.task(task).ranked]
    counts = {s.id: sum(s.id in systems for systems in scored) for s in paper.systems}
    off = [name for name, n in counts.items() if n != stated]
    return finding(
        not off,
        f"{len(counts) - len(off)} of {len(counts)} systems have {stated:g} scores."
        + (
            f" The others are {listed(f'{name_of(paper, name)} ({counts[name]})' for name in off)}."
            if off
            else ""
        ),
        scores=counts,
        stated=stated,
    )


@claim(
    "C035",
    "V-A, IV-D, VII-D",
    "The comparison behind the tiers rests on a sample of 22 tasks.",
    weight="detail",
    quote="Due to the high inter-task variance and moderate sample size of 22 tasks, firm statistical "
    "claims are not possible.",
    holds="As many tasks as V-A says (22) have a score of each compared system, which the test needs.",
    fails="More or fewer tasks have one.",
)
def the_test_uses_twenty_two_tasks(paper: Material) -> Finding:
    """Count the tasks on which Table VI leaves out no system."""
    stated = paper.number("text", "V-A", "Tasks that are compared")
    scored = _scored(paper)
    out = [task for task, systems in scored.items() if len(systems) < len(paper.systems)]
    used = len(scored) - len(out)
    return finding(
        used == stated,
        f"V-A says {stated:g} tasks. {used} of the {len(scored)} tasks of Table VI have a score of every system"
        + (f"; the exceptions are {listed(out)}, which IV-D leaves out." if out else "."),
        used=used,
        tasks=len(scored),
        left_out=out,
    )


def _against_best(paper: Material, tables: Sequence[FloatArray]) -> list[Mapping[str, str]]:
    """Return the decision of the best system against each other one, "near" within three errors.

    Args:
        tables: scores of equally many tasks each, shape (tasks, systems in rank order), under the same draws.

    Returns:
        system -> decision, of each table.
    """
    draws, others = _DRAWS, paper.order[1:]
    pairs = [(table[:, 0], column) for table in tables for column in table.T[1:]]
    widths = np.array([rope_width(first, column, "autorank", paper.settings.rope) for first, column in pairs])
    p = posterior(
        np.array([column - first for first, column in pairs]), widths, draws=draws, seed=paper.settings.seed
    )
    margin = 3 * float(monte_carlo_error(np.array(paper.settings.threshold), draws))
    tops = p.max(axis=1)
    words = np.array([BETTER, EQUAL, WORSE])[p.argmax(axis=1)]
    words = np.where(tops >= paper.settings.threshold, words, INCONCLUSIVE)
    words = np.where(np.abs(tops - paper.settings.threshold) < margin, _NEAR, words)
    return [dict(zip(others, map(str, row), strict=True)) for row in words.reshape(len(tables), -1)]


def _inconclusive(paper: Material) -> tuple[float, float, float]:
    """Return the share of inconclusive pairs: least, counted, and most, by three Monte-Carlo errors."""
    upper = np.triu_indices(len(paper.order), 1)
    tops = np.maximum(paper.posterior.equal, np.maximum(paper.posterior.better, paper.posterior.better.T))[
        upper
    ]
    low, high = (
        np.mean([p + s * 3 * error(paper, p) < paper.settings.threshold for p in tops]) for s in (1, -1)
    )
    return float(low), float(np.mean(paper.decisions.to_numpy()[upper] == INCONCLUSIVE)), float(high)


@claim(
    "C105",
    "VII-D",
    "Twenty paired tasks leave the comparison with limited power.",
    weight="method",
    quote="limited statistical power from only 20 paired classification and regression tasks",
    holds="With every task counted twice, more comparisons with the best system would have a clear result; and "
    "either most pairs of systems have none, or leaving out one task turns a result.",
    fails="Twice the tasks would give no more clear results, or most pairs have one and none hangs on a single "
    "task.",
    caveat="Three Monte-Carlo errors of a probability could turn that.",
    thresholds={"most": "our choice: more than half of the pairs", "three Monte-Carlo errors": BEYOND},
)
def twenty_tasks_limit_power(paper: Material) -> Finding:
    """Use few draws for each variant; a result counts as turned only where both are clear."""
    least, undecided, most = _inconclusive(paper)
    scores = paper.ranked[paper.order].to_numpy(dtype=np.float64)
    (base,), (doubled,) = (_against_best(paper, [table]) for table in (scores, np.vstack([scores, scores])))
    without = _against_best(paper, [np.delete(scores, place, axis=0) for place in range(len(scores))])
    turned = {}
    for task, rest in zip(paper.ranked.index, without, strict=True):
        names = [name for name in base if base[name] != rest[name] and _NEAR not in (base[name], rest[name])]
        if names:
            turned[str(task)] = names
    settled = [sum(x in (BETTER, EQUAL, WORSE) for x in d.values()) for d in (base, doubled)]
    near = [sum(x == _NEAR for x in d.values()) for d in (base, doubled)]
    sure = settled[1] > settled[0] + near[0] and (least > 0.5 or bool(turned))
    return finding(
        settled[1] + near[1] > settled[0] and (most > 0.5 or bool(turned)),
        f"{percent(undecided)} of the {len(paper.order) * (len(paper.order) - 1) // 2} pairs have no "
        "clear result. "
        f"Leaving out one task turns a clear result against {name_of(paper, paper.order[0])} for "
        f"{len(turned) or 'none'} of the {len(paper.ranked)} tasks. With every task counted twice, "
        f"{settled[1]} "
        f"and not {settled[0]} of the {len(base)} comparisons with it would be clear (beyond three "
        f"Monte-Carlo errors of {_DRAWS:,} draws).",
        caveat=None if sure else rounding("Three Monte-Carlo errors could turn that."),
        inconclusive=undecided,
        turned_by_leaving_out=turned,
        settled=settled[0],
        settled_with_twice_the_tasks=settled[1],
        too_near_to_tell=near,
    )
