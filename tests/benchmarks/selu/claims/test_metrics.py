from __future__ import annotations

from alterations import Alter, printed, without
from claim_tests import ClaimTests

from selu.benchmarks.selu.claims import metrics
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Verdict


def cells_inverted(m: Material) -> Material:
    return m.with_scores(
        {
            ("story_points", s): f"{1 - m.number('table6', 'story_points', m.system(s).name):.3f}"
            for s in m.order
        }
    )


def means_without_story_points(m: Material) -> Material:
    rest = m.ranked.drop("story_points").mean()
    names = ("gpt-4o-3-shot", "claude-3.7-3-shot")
    return printed(*(("table4", m.system(s).name, "M", f"{rest[s]:.3f}") for s in names))(m)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C023": (printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    "C024": (cells_inverted, Verdict.FAILS),
    "C025": (means_without_story_points, Verdict.FAILS),
    "C026": (printed(("table6", "story_points", "GPT-4o (3-shot)", "-0.3")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C023", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C026", printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    ("C026", without("protocol"), Verdict.NOT_CHECKABLE),
)


class TestMetrics(ClaimTests):
    module, flips, others = metrics, FLIPS, OTHERS
