"""The metrics: SMAPE, and the common range of the scores (IV-C)."""

from __future__ import annotations

import numpy as np

from selu.papers.claims import claim, finding, listed, wording
from selu.papers.published import ABSENT
from selu.papers.selu.claims._protocol import PAPER, says
from selu.papers.selu.claims._questions import NUMBERS
from selu.papers.selu.material import Material
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding, Metric

QUESTION = NUMBERS
_NAMES = {
    Metric.F1_MACRO: "F1-macro",
    Metric.ONE_MINUS_SMAPE: "1 - SMAPE",
    Metric.F1_MICRO: "F1-micro",
    Metric.F1_POSITIVE: "F1 of the positive class",
    Metric.ACCURACY: "accuracy",
}


def _smape_term(weight: float, predicted: float, actual: float) -> float:
    """Return one summand of equation 2."""
    return abs(predicted - actual) / (weight * (abs(predicted) + abs(actual)))


@claim(
    "C023",
    "IV-C eq. 2",
    "SMAPE as equation 2 defines it lies between 0 and 1.",
    weight="method",
    quote="Similarly to F1-macro, SMAPE ranges from 0 to 1 with lower values indicating better performance.",
    holds="No prediction has a SMAPE above 1 by equation 2 as published.",
    fails="A prediction has a SMAPE above 1 by equation 2 as published.",
)
def smape_ends_at_one(paper: Material) -> Finding:
    """Check the bound 1 / (weight of |a| + |b|), which is reached if one of the two is 0."""
    weight = float(says(paper, "weight of |a|+|b| in SMAPE", PAPER))
    low, high = paper.task("story_points").range or (1.0, 96.0)
    terms = {
        f"{predicted:g} for {actual:g}": _smape_term(weight, predicted, actual)
        for predicted, actual in ((0.0, 1.0), (1.0, 3.0), (5.0, 5.0), (high, low))
    }
    published = {
        cell.row: float(cell.published)
        for table in ("package_baselines", "package_preprint")
        for cell in paper.tables[table].values()
        if cell.column == "smape"
    }
    top = max(published.values())
    return finding(
        max(terms.values()) <= 1.0,
        f"By equation 2, a prediction of 0 for a true value of 1 has a SMAPE of {terms['0 for 1']:g}. One of "
        f"{high:g} for {low:g}, both story points of Table I, has {terms[f'{high:g} for {low:g}']:.3f}. The "
        f"largest SMAPE that the authors published is {top:.3f}.",
        terms=terms,
        weight=weight,
        published=published,
    )


@claim(
    "C024",
    "IV-C, Table VI",
    "The scores of story_points are 1 - SMAPE, so that higher is better.",
    weight="method",
    quote="we invert SMAPE by computing 1 - SMAPE",
    holds="The baselines' unrounded SMAPE, taken from 1, gives their published scores, and most means of Table "
    "IV take the scores as published.",
    fails="A baseline's score is another number, or Table IV's means fit inverted scores as well or better.",
    thresholds={"most": "more than half of the 28 systems"},
)
def story_points_cells_are_inverted(paper: Material) -> Finding:
    """Compare with unrounded results from the authors' package (package_baselines.csv)."""
    cells, wrong = {}, []
    for name in paper.names(approach=Approach.BASELINE):
        smape = paper.number("package_baselines", f"story_points/{name}", "smape")
        text = paper.published("table6", "story_points", paper.system(name).name)
        cells[paper.system(name).name] = {"printed": float(text), "1 - SMAPE": 1 - smape}
        wrong += [] if agrees(1 - smape, text) else [name]
    inverted = paper.ranked.copy()
    inverted.loc["story_points"] = 1 - inverted.loc["story_points"]
    fits = {
        reading: sum(
            agrees(float(np.mean(x[s.id])), paper.published("table4", s.name, "M")) for s in paper.systems
        )
        for reading, x in (("as printed", paper.ranked), ("inverted", inverted))
    }
    shown = (f"{k} {v['printed']:.3f} against {v['1 - SMAPE']:.4f}" for k, v in cells.items())
    return finding(
        not wrong and 2 * fits["as printed"] > len(paper.systems) and fits["inverted"] < fits["as printed"],
        f"{len(cells) - len(wrong)} of {len(cells)} baseline scores are 1 - SMAPE of the unrounded results "
        f"({listed(shown)}), and {fits['as printed']} of {len(paper.systems)} means in Table IV take the "
        "scores "
        f"as published ({fits['inverted']} if they were inverted).",
        baselines=cells,
        means_that_fit=fits,
    )


@claim(
    "C025",
    "Table VI, Table IV",
    "The 3-shot scores of story_points, 0.011 and 0.043, enter the ranking.",
    weight="detail",
    kind="implied",
    holds="Table VI has these scores, and Table IV's means of both systems fit all ranked tasks and not those "
    "without story_points.",
    fails="A score is another number, or a mean fits without it.",
)
def three_shot_story_points_enter(paper: Material) -> Finding:
    """Compare the means at the digits of Table IV."""
    stated = {"gpt-4o-3-shot": 0.011, "claude-3.7-3-shot": 0.043}
    rows = {}
    for name, value in stated.items():
        scores = paper.ranked[name]
        text = paper.published("table4", paper.system(name).name, "M")
        with_it, without = float(scores.mean()), float(scores.drop("story_points").mean())
        rows[paper.system(name).name] = {
            "cell": float(scores["story_points"]),
            "cell as stated": bool(scores["story_points"] == value),
            "Table IV": float(text),
            "with": with_it,
            "without": without,
            "enters": agrees(with_it, text) and not agrees(without, text),
        }
    shown = (
        f"{k} {v['Table IV']:.3f} ({v['with']:.4f} with story_points, {v['without']:.4f} without)"
        for k, v in rows.items()
    )
    return finding(
        all(row["enters"] and row["cell as stated"] for row in rows.values()),
        f"The means in Table IV are {listed(shown)}.",
        means=rows,
    )


@claim(
    "C026",
    "IV-C",
    "The scores of the four metrics share the range from 0 to 1.",
    weight="method",
    quote="these metrics, despite being in the same range of values, represent different aspects of error",
    holds="Every score of Table VI lies between 0 and 1, and so does every possible value of the four metrics.",
    caveat="A metric can leave the range by its equation, though no published score does.",
    fails="A score of Table VI lies outside.",
)
def scores_share_a_range(paper: Material) -> Finding:
    """Scores as Table VI prints them, the possible values from equation 2."""
    cells = {  # read from the table, since m.scores refuses values outside 0..1
        f"{task.id}/{s.id}": paper.number("table6", task.id, s.name)
        for task in paper.tasks
        for s in paper.systems
        if paper.published("table6", task.id, s.name) != ABSENT
    }
    by_metric: dict[str, list[float]] = {}
    for cell, score in cells.items():
        by_metric.setdefault(str(paper.task(cell.split("/")[0]).metric), []).append(score)
    outside = [cell for cell, score in cells.items() if not 0.0 <= score <= 1.0]
    lowest = 1 - 1 / float(says(paper, "weight of |a|+|b| in SMAPE", PAPER))
    shown = (f"{_NAMES[Metric(name)]} from {min(v):.3f} to {max(v):.3f}" for name, v in by_metric.items())
    return finding(
        not outside,
        f"{len(cells) - len(outside)} of the {len(cells)} scores of Table VI lie between 0 and 1: "
        f"{listed(shown)}.",
        caveat=wording(f"By equation 2 as published, 1 - SMAPE can be as low as {lowest:g}.")
        if lowest < 0
        else None,
        ranges={name: [min(values), max(values)] for name, values in by_metric.items()},
        outside=outside,
        lowest_possible_one_minus_smape=lowest,
    )
