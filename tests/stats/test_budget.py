from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selu.stats.budget import shortest


@given(st.dictionaries(st.text(max_size=3), st.floats(0.01, 100), max_size=12), st.floats(0.01, 300))
def test_the_shortest_runs_fill_a_budget_and_no_other_would_fit(
    seconds: dict[str, float], budget: float
) -> None:
    names = shortest(seconds, budget)
    total = sum(sorted(seconds[name] for name in names))
    assert total <= budget * (1 + 1e-9)
    rest = [seconds[name] for name in seconds.keys() - names]
    assert not rest or total + min(rest) > budget * (1 - 1e-9)
    assert all(seconds[name] <= min(rest) for name in names if rest)
    assert shortest(seconds, sum(sorted(seconds.values()))) == seconds.keys()  # what just fits is in it
