from __future__ import annotations

import pytest

from helpers.hostile import FAMILIES, growths
from selu.text.pipelines import PIPELINES, Pipeline, clean

STEPS = ("whitespace", "markdown", "code", "hash", "url", "user")
JIRA = ("whitespace", "jira", "markdown", "url", "user")
FIRST = ("<", "a](")


def slower_than_linear(pipeline: Pipeline, names: tuple[str, ...], at_least: float = 0.05) -> list[str]:
    """The families that take more than 2.5 times the time for twice the text, three times over."""
    chosen = [family for family in FAMILIES if family.name in names]
    for _ in range(3):
        chosen = [family for family, _, ratio in growths(pipeline, chosen, at_least) if ratio > 2.5]
        if not chosen:
            break
    return [family.name for family in chosen]


@pytest.mark.ci
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_time_grows_with_the_text(pipeline: Pipeline) -> None:
    assert slower_than_linear(pipeline, FIRST) == []


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_time_grows_with_every_hostile_text(pipeline: Pipeline) -> None:
    assert slower_than_linear(pipeline, tuple(family.name for family in FAMILIES), 0.02) == []


@pytest.mark.ci
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_hostile_text_is_too_much(pipeline: Pipeline, family: object) -> None:
    assert isinstance(family, type(FAMILIES[0]))
    assert isinstance(clean(family.of_size(100_000), JIRA if family.jira else STEPS, pipeline), str)


@pytest.mark.ci
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_megabyte_of_angles_and_ten_thousand_tags(pipeline: Pipeline) -> None:
    assert clean("<" * 1_000_000, STEPS, pipeline) == "<" * 1_000_000
    assert clean("<b>" * 10_000 + "x" + "</b>" * 10_000, STEPS, pipeline) == "x"
