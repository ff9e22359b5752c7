"""Prompts put to a model: whoever stops a run at any moment loses one batch, and is asked for nothing twice."""

from __future__ import annotations

import gzip
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import small_project as small
from selu.execution.kept_replies import Kept
from selu.execution.texts import Asked, Here
from selu.papers.asked import Questions
from selu.systems.texts.reply import ALIKE, Reply
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
        return self._replies(prompts, [labels[-1]] * len(prompts))

    def write(self, prompts, limit):
        return self._replies(prompts, [prompt[:limit] for prompt in prompts])

    def _replies(self, prompts, texts):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        self.asked += prompts
        return [Reply(text, 9, 1, 0.5, (0.1, 0.9)) for text in texts]


@pytest.fixture
def ask(tmp_path, monkeypatch):
    clone = small.make(tmp_path / "clone", ())

    def asked(name: str, model: Model | None, weights: str = "a", sets=SETS, root=clone, limit: int = 40):
        given = Asked(root, "made", name, lambda _: None)
        if model is not None:
            known = {"weights": weights, **ALIKE, "library": "made 1"}
            monkeypatch.setattr(given, "_of_hub", lambda: Here(known, 7, True, lambda: model))
        return given.ask(sets, limit)

    asked.root = clone
    return asked


def kept(root: Path) -> list[Path]:
    return sorted((root / "data" / "replies" / "made").iterdir())


@pytest.mark.ci
def test_a_run_that_is_stopped_at_any_call_goes_on_and_asks_nothing_twice(ask):
    whole = Model()
    expected = ask("whole", whole)
    assert expected.parameters == 7
    assert {name: len(replies) for name, replies in expected.sets.items()} == {
        questions.name: 20 for questions in SETS
    }
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
    assert (
        len(parts) <= len(whole.asked) + 8 * stops
    )  # a batch under way is asked again, for none of it is kept
    again = Model()
    ask("parts", again)
    assert not again.asked
    parts_file, whole_file = kept(ask.root)
    assert parts_file.read_bytes() == whole_file.read_bytes()  # however often it was stopped


def test_replies_go_to_a_machine_without_the_model_and_hold_no_prompt(ask, tmp_path):
    few = [replace(questions, prompts=questions.prompts[:16]) for questions in SETS]
    expected = ask("mine", Model(), sets=few)
    (file,) = kept(ask.root)
    text = gzip.decompress(file.read_bytes()).decode()
    assert "choice zero 3" not in text  # of a set with labels: what was asked is nobody's reply
    other = small.make(tmp_path / "other", ())
    shutil.copytree(ask.root / "data" / "replies", other / "data" / "replies")
    found = ask("mine", None, sets=few, root=other)
    assert found == expected
    assert [path.read_bytes() for path in kept(other)] == [file.read_bytes()]
    with pytest.raises(SeluError, match="mine is neither a model"):  # the larger sample needs the model
        ask("mine", None, root=other)
    changed = [replace(few[0], prompts=["another", *few[0].prompts[1:]]), *few[1:]]
    for sets, limit in ((changed, 40), (few, 41)):
        with pytest.raises(SeluError, match="mine is neither a model"):
            ask("mine", None, sets=sets, root=other, limit=limit)
    larger = Model()
    ask("mine", larger, root=other)
    assert sorted(larger.asked) == sorted(prompt for questions in SETS for prompt in questions.prompts[16:])
    less = Model()
    ask("mine", less, sets=changed, root=other)
    assert less.asked == changed[0].prompts[:8]  # the batch that changed, and no other


def test_a_kill_loses_the_batch_under_way_alone(ask):
    class Killed(Model):
        def _replies(self, prompts, texts):
            if len(self.asked) == 24:
                os._exit(9)  # neither the file is written nor anything closed
            return super()._replies(prompts, texts)

    if (child := os.fork()) == 0:
        ask("mine", Killed())
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not (ask.root / "data" / "replies").exists()
    rest = Model()
    expected = ask("mine", rest)
    assert len(rest.asked) == 80 - 24
    assert ask("mine", None) == expected


@pytest.mark.ci
def test_a_machine_with_other_weights_or_another_library_asks_anew(ask):
    ask("mine", Model())
    other = Model()
    ask("mine", other, weights="b")
    assert len(other.asked) == 80
    assert len(kept(ask.root)) == 2  # and what is kept of the first stays


def test_two_runs_at_once_keep_the_replies_of_both(ask):
    """Each reads the file when it begins, and the one that ends last must not forget the other's answers."""

    class Slow(Model):
        def write(self, prompts, limit):
            if not self.asked:
                ask("mine", Model(), sets=SETS[:1])
            return super().write(prompts, limit)

    ask("mine", Slow(), sets=SETS[2:3])
    assert set(ask("mine", None, sets=SETS[:3:2]).sets) == {"choice.zero", "text.zero"}


# named, since a packed file holds the second in which each process of the tests makes it
@pytest.mark.ci
@pytest.mark.parametrize(
    "damage",
    [b"", b"\x1f\x8b\x08\x00", gzip.compress(b"{}\n"), gzip.compress(b"[[")],
    ids=["empty", "torn", "another shape", "no JSON"],
)
def test_a_damaged_file_is_named_and_not_written_over(ask, damage):
    ask("mine", Model())
    (file,) = kept(ask.root)
    for content in (damage, file.read_bytes()[:-40]):
        file.write_bytes(content)
        with pytest.raises(SeluError, match=r"mine.*can't be read .*bring it back from git"):
            ask("mine", Model())
        assert file.read_bytes() == content


def test_a_name_that_is_no_model_is_refused(tmp_path):
    root = small.make(tmp_path / "clone", ())
    with pytest.raises(SeluError, match="is neither a model of"):
        Asked(root, "made", "nonsense", print).ask(SETS, 40)


def test_a_number_of_parameters_that_was_unknown_is_kept_once_it_is_known(tmp_path):
    for parameters in (None, 7, None):
        replies = Kept.of_model(tmp_path, "mine", {}, parameters)
        replies.add(SETS[0], 40, range(1), [Reply(str(parameters), 9, 1, 0.5, (0.1, 0.9))])
        replies.write()
    assert Kept.of_model(tmp_path, "mine", {}, None).parameters == 7
