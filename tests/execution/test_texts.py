"""Prompts put to a model: whoever stops a run at any moment loses one batch, and is asked for nothing twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers import small_project as small
from selu.benchmarks.asked import Questions
from selu.execution.texts import Asked
from selu.systems.texts.reply import Reply
from selu.vocabulary import SeluError

SETS = [
    Questions(f"{name}.{form}", [f"{name} {form} {number}" for number in range(20)], labels, 8)
    for name, labels in (("choice", ("Yes", "No")), ("text", ()))
    for form in ("zero", "one")
]


class Model:
    """Answers with the last label or the prompt; ends for good after some calls."""

    together = 3

    def __init__(self, calls: int = 10**6) -> None:
        self.asked: list[str] = []
        self.left = calls

    def choose(self, prompts, labels):
        return self._told(prompts, [labels[-1]] * len(prompts))

    def write(self, prompts, limit):
        return self._told(prompts, [prompt[:limit] for prompt in prompts])

    def _told(self, prompts, texts):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        self.asked += prompts
        return [Reply(text, 9, 1, 0.5, (0.1, 0.9)) for text in texts]


@pytest.fixture
def ask(tmp_path, monkeypatch):
    root = small.make(tmp_path / "clone", ())

    def asked(name: str, model: Model, weights: str = "a", sets=SETS):
        given = Asked(root, "made", name, lambda _: None)
        monkeypatch.setattr(given, "_of_hub", lambda: (model, {"weights": weights}, 7))
        return given.ask(sets, 40)

    return asked


def test_a_run_that_is_stopped_at_any_call_goes_on_and_asks_nothing_twice(ask):
    whole = Model()
    expected = ask("whole", whole)
    assert expected.parameters == 7
    assert {name: len(of) for name, of in expected.sets.items()} == {one.name: 20 for one in SETS}
    assert expected.sets["text.one"][19].text == "text one 19"
    parts: list[str] = []
    stops = 0
    while True:
        model = Model(calls=4)
        try:
            found = ask("parts", model)
        except KeyboardInterrupt:
            stops += 1
            continue
        finally:
            parts += model.asked
        break
    assert found.sets == expected.sets
    assert stops > 5
    assert set(parts) == set(whole.asked)
    assert len(parts) <= len(whole.asked) + 8 * stops  # a batch under way is asked anew, for none of it is kept
    again = Model()
    ask("parts", again)
    assert not again.asked


def test_a_larger_sample_goes_on_from_the_smaller_one(ask):
    few = [replace(one, prompts=one.prompts[:8]) for one in SETS]
    small_one, whole = Model(), Model()
    ask("one", small_one, sets=few)
    ask("one", whole)
    assert sorted(small_one.asked + whole.asked) == sorted(prompt for one in SETS for prompt in one.prompts)


def test_another_model_has_journals_of_its_own(ask):
    first, other = Model(), Model()
    ask("one", first)
    ask("one", other, weights="b")
    assert other.asked == first.asked


def test_a_name_that_is_no_model_is_refused(tmp_path):
    root = small.make(tmp_path / "clone", ())
    with pytest.raises(SeluError, match="is no model of"):
        Asked(root, "made", "nonsense", print).ask(SETS, 40)
