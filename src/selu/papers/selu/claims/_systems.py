"""Systems by name, by mean and by size, for claims on several parts of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from selu.papers.claims import listed
from selu.papers.selu.analysis.aggregates import FloatArray
from selu.papers.selu.material import Material
from selu.stats.signed_rank import monte_carlo_error
from selu.vocabulary import Approach

XGBOOST = "tfidf-xgboost"
LEADING_SERIES = ("GPT-2", "Llama 3.2")
SIZES = ((0.0, "below 200M"), (2e8, "200M to 500M"), (5e8, "500M to 1B"), (1e9, "1B to 5B"), (5e9, "over 5B"))


def name_of(paper: Material, system: str) -> str:
    """Return a system's name as the tables print it."""
    return paper.system(system).name


def named(paper: Material, systems: Iterable[str]) -> str:
    """Return systems for a sentence."""
    return listed(name_of(paper, system) for system in systems)


def against(paper: Material, a: str, b: str) -> str:
    """Return a pair of systems for a sentence."""
    return f"{name_of(paper, a)} against {name_of(paper, b)}"


def finetuned(paper: Material, *series: str) -> list[str]:
    """Return fine-tuned systems in rank order, all of them or those of some series."""
    names = set(paper.names(approach=Approach.FINETUNED))
    return [
        name for name in paper.order if name in names and (not series or paper.system(name).series in series)
    ]


def scores_of(paper: Material, system: str) -> FloatArray:
    """Return scores over the ranked tasks."""
    return np.asarray(paper.ranked[system].to_numpy(dtype=np.float64))


def mean_of(paper: Material, system: str) -> float:
    """Return the mean over the ranked tasks."""
    return float(paper.means[system])


def means_of(paper: Material, systems: Iterable[str]) -> Mapping[str, float]:
    """Return means over the ranked tasks."""
    return {system: mean_of(paper, system) for system in systems}


def sd_of(paper: Material, system: str) -> float:
    """Return the standard deviation (ddof 1) over the ranked tasks."""
    return float(paper.ranked[system].std(ddof=1))


def size_of(paper: Material, system: str) -> int:
    """Return the parameters that Table III gives; 0 if it gives none."""
    return paper.system(system).parameters or 0


def size_range(parameters: int | None) -> str:
    """Return which of five ranges of size a number of parameters is in."""
    return [name for edge, name in SIZES if (parameters or 0) >= edge][-1]


def error(paper: Material, probability: float) -> float:
    """Return the Monte-Carlo standard error of a posterior probability."""
    return float(monte_carlo_error(np.array(probability), paper.settings.draws))


def ranks_settled(paper: Material, systems: Sequence[str]) -> bool:
    """Return whether Table IV, which rests on unrounded scores, has these systems in the order given."""
    return sorted(systems, key=lambda name: paper.number("table4", name_of(paper, name), "Rank")) == list(
        systems
    )
