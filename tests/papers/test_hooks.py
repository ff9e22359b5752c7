"""Each hook that a paper's package names is a function there, and takes what it is given."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name

import pytest

from selu import registry
from selu.papers.api import Benchmark

GIVEN = {
    "read": 3, "rows": 2, "steps": 1, "clean": 2, "make": 2, "stand_in": 2, "material": 3, "cell_now": 4,
    "bench": 1, "compare": 4, "page": 1, "prepared": 2, "rescore": 2, "audit": 2, "cut": 3, "mine": 2,
    "placed": 3, "answered": 3, "authors_prompt": 3, "ask": 3, "show_prompt": 4,
}  # fmt: skip
NAMED = [(name, *hook) for name in registry.published() for hook in registry.benchmark(name).hooks.items()]


@pytest.mark.parametrize(("name", "hook", "place"), NAMED)
def test_a_hook_is_a_function_that_takes_what_it_is_given(name: str, hook: str, place: str) -> None:
    benchmark: Benchmark = registry.benchmark(name)
    function = resolve_name(f"{benchmark.package}.{place}")
    inspect.signature(function).bind(*range(GIVEN[hook]))
    assert getattr(benchmark, hook) is not None


def test_what_a_paper_does_not_offer_is_none() -> None:
    assert registry.benchmark("selu").mine is None
    assert registry.benchmark("faun_eval").compare is None
    assert registry.benchmark("own").paper() is None
    assert registry.benchmark("own").claims() == ()
