"""Scores of short, medium and long issues, by the method of the paper's Figure 3.

Tasks are put in the order of the length of their issue and parted in three of equal size. The paper does not
say what it counts; characters and words are offered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.records import LengthRow

PARTS = ("short", "medium", "long")
UNITS: Mapping[str, Callable[[str], int]] = {"characters": len, "words": lambda text: len(text.split())}


def part(texts: Sequence[str], unit: str) -> Mapping[str, list[int]]:
    """Split the positions of texts into three parts by length; texts of equal length keep their order.

    Where three does not divide their number, the first parts have one more.
    """
    order = sorted(range(len(texts)), key=lambda place: UNITS[unit](texts[place]))
    ends = [0]
    for number in range(len(PARTS)):
        ends.append(ends[-1] + (len(texts) + len(PARTS) - 1 - number) // len(PARTS))
    return {name: sorted(order[start:stop]) for name, start, stop in zip(PARTS, ends, ends[1:], strict=False)}


def score(values: paired.Values, issues: Sequence[str], draws: Resampling) -> list[LengthRow]:
    """Average each set's scores in each part, with intervals over resampled tasks of the part."""
    rows: list[LengthRow] = []
    for unit in UNITS:
        parts = part(issues, unit)
        for metric in paired.COMPARED:
            for name, by_metric in values.items():
                for which, places in parts.items() if metric in by_metric else ():
                    rows.append(
                        {
                            "unit": unit,
                            "metric": metric,
                            "system": name,
                            "part": which,
                            "tasks": len(places),
                            **paired.mean([by_metric[metric][place] for place in places], draws),
                        }
                    )
    return rows
