"""SELU's overview: the answer, the drawn ranking, and the scores that are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.papers.page import Checked, Ranked, Ranking
from selu.papers.selu.records.statistics import Analysis, CheckedStatistics
from selu.vocabulary import Evidence

Tiers = Sequence[Sequence[str]]


def sentence(statistics: Analysis, named: Tiers) -> str:
    """State how many pairs have a clear winner, and how many systems the test moves to a different tier."""
    rows = statistics["posteriors"]["autorank"]["decision"]
    pairs = [str(rows[i][j]) for i in range(len(rows)) for j in range(i)]
    clear = sum(decision in ("better", "worse") for decision in pairs)
    text = (
        f"Of {len(pairs)} pairs of systems {clear} have a clear winner "
        f"(posterior probability above {100 * statistics['settings']['threshold']:g} %)"
    )
    paper, test = _levels(named), _levels(statistics["tiers"])
    moved = sum(test[system] != level for system, level in paper.items())
    return (
        f"{text}; by our test, {moved} of {len(paper)} systems belong in a different tier than in the paper."
        if paper
        else f"{text}."
    )


def _levels(tiers: Tiers) -> Mapping[str, int]:
    return {system: level for level, tier in enumerate(tiers, start=1) for system in tier}


def ranking(statistics: Analysis, named: Tiers) -> Ranking:
    """Return every system by rank with its mean, the interval that the paper describes, and both tiers."""
    paper, test = _levels(named), _levels(statistics["tiers"])
    rows = [
        Ranked(
            system["id"],
            system["name"],
            system["M"],
            system["bonferroni_lower"],
            system["bonferroni_upper"],
            str(system["approach"]),
            (*([paper[system["id"]]] if paper else []), test[system["id"]]),
        )
        for system in statistics["systems"]
    ]
    alpha = 100 - 100 * statistics["settings"]["alpha"]
    ranked = sum(bool(task["ranked"]) for task in statistics["tasks"])
    sizes = (len(statistics["tiers"][0]), len(named[0]) if named else 0)
    heading = f"{sizes[0]} systems share the first tier by the test" + (
        f", {sizes[1]} by the paper" if sizes[1] else ""
    )
    return Ranking(
        heading,
        f"Mean of the published scores on the {ranked} ranked tasks, with the confidence interval that section "
        f"IV-D describes: Student's t, widened by Bonferroni so that those of all {len(rows)} systems hold "
        f"together at {alpha:g} %. Table IV corrects twice and publishes wider ones.",
        (*(["Paper"] if paper else []), "Test"),
        rows,
        "table4",
    )


def checked(statistics: CheckedStatistics) -> list[Checked]:
    """Count the published scores of each system by how they were checked, those with most first.

    Args:
        statistics: whose cells carry what was checked of them (``reruns.merged``).
    """
    found = []
    for system in statistics["systems"]:
        cells = [cell for cell in statistics["cells"] if cell["system"] == system["id"] and cell["evidence"]]
        depths = [str(cell["evidence"]) for cell in cells]
        rescored, rerun, recounted = (
            depths.count(depth) for depth in (Evidence.RE_SCORED, Evidence.RE_RUN, Evidence.RECOUNTED)
        )
        differ = sum(cell["differs"] for cell in cells)
        found.append(Checked(system["name"], len(cells), rescored, rerun, differ, recounted))
    return sorted(found, key=lambda row: -(row.rescored + row.rerun))
