from __future__ import annotations

import pytest

from selu.text.steps import check_steps


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        (["whitespace", "lower"], "unknown cleaning step 'lower'"),
        (["url", "whitespace"], "in the order whitespace"),
        (["url", "url"], "each at most once"),
        (["whitespace", "markdown", "html"], "exclude each other"),
        (["markdown"], "needs the step whitespace"),
    ],
)
def test_refused_steps_are_named(steps: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_steps(steps, "paper")


def test_an_unknown_pipeline_is_named() -> None:
    with pytest.raises(ValueError, match="unknown pipeline 'best'"):
        check_steps([], "best")
