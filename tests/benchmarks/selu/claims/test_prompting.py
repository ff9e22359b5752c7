from __future__ import annotations

import numpy as np
import pytest
from alterations import Alter, columns, printed, shift
from claim_tests import ClaimTests, claims_of
from redrawn import Draw, with_places

from selu.benchmarks.selu.claims import prompting
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Approach, Verdict


def invalid_rates(scored_as: str) -> Alter:
    def alter(m: Material) -> Material:
        for task in m.task_ids(ranked=True):
            for system in m.names(approach=Approach.PROMPTED):
                row = f"{task}/{system}"
                m = printed(
                    ("invalid_rates", row, "rate", "0.01"), ("invalid_rates", row, "scored as", scored_as)
                )(m)
        return m

    return alter


def open_source_rate(rate: str) -> Alter:
    return printed(
        *(("open_source_prompting", f"bug_issue/{name}", "invalid rate", rate) for name in ("a", "b"))
    )


def prompting_works(m: Material) -> Material:
    return m.with_scores({("tone_bearing", s): 0.6 for s in m.names(approach=Approach.PROMPTED)})


def a_hair_below_the_line(m: Material) -> Material:
    last = m.ranked[m.order[17]].to_numpy()  # the lowest of the upper two thirds of 28
    return columns(m, {"gpt-4o-3-shot": last - 0.0005})


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C027": (invalid_rates("error"), Verdict.HOLDS),
    "C042": (shift("gpt-4o-3-shot", 0.2), Verdict.FAILS),
    "C043": (printed(("text", "V-A", "Mean of GPT-4o (3-shot)", "0.603")), Verdict.FAILS),
    "C044": (printed(("text", "V-A", "Mean of Claude 3.7 (zero-shot)", "0.574")), Verdict.FAILS),
    "C045": (shift("gpt-4o-zero-shot", 0.03), Verdict.FAILS),
    "C112": (open_source_rate("0.4"), Verdict.HOLDS),
    "C113": (prompting_works, Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C027", invalid_rates("dropped"), Verdict.FAILS),
    ("C042", a_hair_below_the_line, Verdict.CAVEAT),
    ("C043", shift("gpt-4o-3-shot", 0.001), Verdict.FAILS),
    ("C043", printed(("text", "V-A", "Mean of GPT-4o (3-shot)", "0.602")), Verdict.CAVEAT),
    ("C112", open_source_rate("0.01"), Verdict.FAILS),
    ("C113", lambda m: m.with_scores({("tone_bearing", "gpt-4o-3-shot"): 0.44}), Verdict.HOLDS),
)


def logged_rates(m: Material, rng: np.random.Generator) -> Material:
    """Rates of all scores or of some, that count as errors or now and then as something else."""
    logged, errors = (rng.choice([1.0, rng.random()]) for _ in range(2))
    places = {}
    for task in m.task_ids(ranked=True):
        for system in m.names(approach=Approach.PROMPTED):
            if rng.random() < logged:
                row = ("invalid_rates", f"{task}/{system}")
                places[*row, "rate"] = f"{rng.random():.3f}"
                places[*row, "scored as"] = "error" if rng.random() < errors else "dropped"
    return with_places(m, places)


def rates_of_open_source_models(m: Material, rng: np.random.Generator) -> Material:
    top = rng.random()
    rows = [f"{task}/{name}" for task in m.task_ids(ranked=True) for name in ("gpt2-xl", "llama3.2-3b")]
    rows = rows[: rng.integers(1, len(rows))]
    return with_places(
        m,
        {("open_source_prompting", row, "invalid rate"): f"{rng.uniform(0, top):.3f}" for row in rows},
    )


def means_in_the_text(shots: int) -> Draw:
    """Other scores of the prompted systems, and the text's means of them, with or without a slip."""

    def draw(m: Material, rng: np.random.Generator) -> Material:
        slip = rng.choice([0.0, rng.uniform(0, 0.01)])
        for name in m.names(approach=Approach.PROMPTED, shots=shots):
            scores = rng.uniform(0, 1, len(m.ranked)).round(3)
            m = m.with_scores({(str(t), name): v for t, v in zip(m.ranked.index, scores, strict=True)})
            text = as_printed(float(scores.mean()) + rng.uniform(-slip, slip))
            m = m.with_printed("text", "V-A", f"Mean of {m.system(name).name}", text)
        return m

    return draw


def prompted_scores(m: Material, rng: np.random.Generator) -> Material:
    """Prompted systems that share a level, of any height, on every task."""
    level, spread = rng.random(), rng.uniform(0, 0.2)
    names = m.names(approach=Approach.PROMPTED)
    return m.with_scores(
        {
            (str(task), name): round(float(np.clip(level + rng.normal(0, spread), 0, 1)), 3)
            for task in m.ranked.index
            for name in names
        }
    )


DRAWS: dict[str, Draw] = {
    "C027": logged_rates,
    "C042": prompted_scores,
    "C043": means_in_the_text(3),
    "C044": means_in_the_text(0),
    "C112": rates_of_open_source_models,
    "C113": prompted_scores,
}
CLAIMS = claims_of(prompting)


class TestPrompting(ClaimTests):
    module, flips, others, draws = prompting, FLIPS, OTHERS, DRAWS


def test_the_constant_answer_on_tone_bearing(quick: Material) -> None:
    numbers = CLAIMS["C113"].check(quick).numbers
    assert numbers["test_rows"] == {"0": 1146, "1": 174}
    assert numbers["constant_f1"] == pytest.approx(2 * 1146 / (1320 + 1146) / 2)
