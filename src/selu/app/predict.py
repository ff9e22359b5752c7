"""``selu predict``: answers of a system to texts that come in, one a line.

Fine-tuned systems are asked as ``selu run`` kept them. A baseline keeps no model and is fitted anew.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu import registry
from selu.data.inputs import clean_texts
from selu.execution import refit
from selu.execution.environments import SCRATCH
from selu.execution.finetune.trainings import settle
from selu.execution.grids import plan as grids_plan
from selu.execution.planned import FINETUNE_LOCKS
from selu.names import nearest
from selu.registry import task_of
from selu.vocabulary import Kind, SeluError, Task

Progress = Callable[[str], None]
MOST = 1 << 30  # bytes of texts
_HALF = re.compile("[\ud800-\udfff]")  # of a pair that stands for one character; no file can hold it alone
_RUN = re.compile(rf"(paper|strict)-s(\d+)(?:-({'|'.join(FINETUNE_LOCKS[1:])}))?")


def predict(
    root: Path,
    system: str,
    task: str,
    run: str | None,
    lines: bytes,
    as_json: bool,
    tagger: str | None,
    say: Progress,
) -> list[str]:
    """Answer each line that came in by a line.

    A label's name; names joined by commas; a number; words with their tags; for masked verbs each verb with
    what the model puts in its place.

    Args:
        run: like strict-s42; by default the strict one with the lowest seed.
        as_json: lines are JSON objects with a ``text`` or with ``words`` (and ``tags``), and so are answers.
        tagger: spaCy's model that finds verbs, for masked verbs in plain texts.

    Raises:
        SeluError: an unknown name, no model, a line that is none, no line at all, or a missing library.
    """
    of = task_of(root, task)
    fitted = next((one for one in grids_plan.known(root) if one.lower() == system.lower()), None)
    folder = None if fitted else model(root, system, of, run)
    given = read_lines(lines, as_json)
    if folder is None:
        found = refit.answers(root, fitted or system, of, run, [one.text for one in given], say)
        return shown([_answer(of, (), answer, None) for answer in found], as_json)
    plain = of.kind not in (Kind.ENTITIES, Kind.MASKED)
    texts = clean_texts(root, of, [one.text for one in given]) if plain else []
    try:
        with contextlib.redirect_stdout(sys.stderr):  # libraries that greet must not be taken for answers
            asked, words = _ask(folder, of, given, texts, tagger)
    except ModuleNotFoundError as error:
        raise SeluError(
            f"models are asked with {error.name}, which is not here: 'make finetune-environment' installs it; "
            "or run this with the Python that has it."
        ) from None
    if asked.cut:
        say(f"{asked.cut} of {len(given)} texts are longer than the model reads; what lies beyond was left out")
    pairs = zip(words, asked.answers, strict=True)
    return shown([_answer(of, row, answer, asked.tokenizer) for row, answer in pairs], as_json)


def model(root: Path, system: str, task: Task, run: str | None) -> Path:
    """Find the folder of a trained model.

    Raises:
        SeluError: an unknown or unsuitable system, no such model, or one of another cell in its place.
    """
    from selu.execution.finetune.plan import known
    from selu.execution.prompt import plan as prompt_plan
    from selu.systems.finetune import saved

    systems = {one.id.lower(): one for one, _ in known(root).values()}
    if system.lower() not in systems:
        if system.lower() in map(str.lower, prompt_plan.known(root)):
            raise SeluError(
                f"{system} is behind an API, which 'selu predict' does not ask: "
                f"'selu run --task {task.id} --system {system}' asks it about the test rows."
            )
        names = [*grids_plan.known(root), *(one.id for one in systems.values())]
        raise nearest(system, names, "system that can be asked")
    of = systems[system.lower()]
    if (absence := registry.absence(of, task)) is not None:
        raise SeluError(f"{of.id} does not answer {task.id}: {absence}.")
    settle(root)
    place = root / SCRATCH / "models" / task.id / of.id
    there = sorted((p.name for p in place.glob("*") if _RUN.fullmatch(p.name)), key=_order)
    name = run or next((one for one in there if one.startswith("strict")), None)
    if name is None or name not in there:
        raise _no_model(root, task.id, of.id, name, there)
    folder = place / name
    about = saved.read(folder)
    if (about.get("task"), about.get("system"), about.get("kind")) != (task.id, of.id, str(task.kind)):
        raise SeluError(
            f"{folder} holds the model of another cell: remove it, and 'selu run --only all' makes it."
        )
    return folder


def _order(name: str) -> tuple[bool, int, str]:
    found = _RUN.fullmatch(name)
    assert found is not None
    return found[1] != "strict", int(found[2]), name


def _no_model(root: Path, task: str, system: str, name: str | None, there: Sequence[str]) -> SeluError:
    """Says how the model is made. Tracked results hold predictions, no weights."""
    found = _RUN.fullmatch(name or "strict-s42")
    if name is not None and found is None:
        return SeluError(f"--run {name!r} is no run: give a protocol and a seed, like strict-s42.")
    assert found is not None
    what = f"--task {task} --system {system} --protocol {found[1]}" + (f" --seed {found[2]}" if name else "")
    here = f"; here are {', '.join(there)}, which --run names" if there else ""
    shared = sorted(path.name for path in (root / "large" / "models" / task / system).glob("*.dvc"))
    pulled = [pointer for pointer in shared if pointer.startswith(name or "strict")]
    brings = f"'dvc --cd large pull models/{task}/{system}/{pulled[0]}' brings it, and " if pulled else ""
    return SeluError(
        f"there is no trained model {task}/{system}/{name or 'strict'} on this machine: "
        f"{brings}'selu run --only all {what}' makes it{here}."
    )


def _ask(
    folder: Path, task: Task, given: Sequence[Given], texts: Sequence[str], tagger: str | None
) -> tuple[Any, list[Sequence[str]]]:
    """What the model answers to the texts, which are cleaned, and the words of each as they were given."""
    from selu.systems.finetune import saved

    words: list[Sequence[str]] = [one.words if one.words is not None else one.text.split() for one in given]
    if task.kind is Kind.ENTITIES:
        return saved.ask(folder, [list(row) for row in words]), words
    if task.kind is not Kind.MASKED:
        return saved.ask(folder, texts), words
    tagged = _tagged(given, tagger)
    words = [row for row, _ in tagged]
    return saved.ask(folder, [list(row) for row in words], [list(tags) for _, tags in tagged]), words


def _tagged(given: Sequence[Given], tagger: str | None) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Words and parts of speech of each text: those given, otherwise those that spaCy finds."""
    from selu.systems.finetune import tagging

    open_ = [one for one in given if one.tags is None]
    found: Iterable[Any] = ()
    if open_:
        pipeline = tagging.load(tagger or tagging.MODEL)
        found = tagging.tag(pipeline, [one.text if one.words is None else one.words for one in open_])
    rest = iter(found)
    return [next(rest) if one.tags is None else (one.words or (), one.tags) for one in given]


def _answer(task: Task, words: Sequence[str], answer: Any, tokenizer: Any) -> Any:
    """An answer in words: a label, labels, a number, or pairs of words and tags or words and fillings."""
    names = [label.name for label in task.labels]
    if task.kind is Kind.MULTI_LABEL:
        return [name for name, yes in zip(names, answer, strict=True) if yes]
    if task.kind is Kind.REGRESSION:
        return float(answer)
    if task.kind is Kind.ENTITIES:
        return [list(pair) for pair in zip(words, answer, strict=True)]
    if task.kind is not Kind.MASKED:
        return names[answer] if answer >= 0 else None  # FastText may know no answer
    tokens: dict[int, list[int]] = {}
    for position, _, token, _ in answer:
        tokens.setdefault(position, []).append(token)
    return [[words[position], tokenizer.decode(of).strip()] for position, of in sorted(tokens.items())]


# -- lines -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """What came in: a text, or words; and parts of speech where they were given."""

    text: str
    words: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None


def read_lines(lines: bytes, as_json: bool) -> list[Given]:
    """Read what came in, one per line; an empty line is an empty text.

    Raises:
        SeluError: nothing came in, or a line is not UTF-8 or not such JSON, with its number.
    """
    if len(lines) > MOST:
        raise SeluError(f"more than {MOST:,} bytes came in: give fewer texts at once.")
    if not lines:
        raise SeluError("no text came in: give one a line, like \"echo 'fix the build' | selu predict ...\".")
    found = []
    for number, line in enumerate(lines.removesuffix(b"\n").split(b"\n"), start=1):
        try:
            text = line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError:
            raise SeluError(f"line {number} is not UTF-8: convert the texts first.") from None
        found.append(_object(text, number) if as_json else Given(text))
    return found


def _object(line: str, number: int) -> Given:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    row = row if isinstance(row, dict) else {}
    text, words, tags = row.get("text"), row.get("words"), row.get("tags")
    if _HALF.search(json.dumps([text, words, tags], ensure_ascii=False)):
        raise SeluError(f"line {number} holds half a character (\\ud800 to \\udfff): write whole ones.")
    if isinstance(text, str) and words is None and tags is None:
        return Given(text)
    if text is None and _texts(words) and (tags is None or (_texts(tags) and len(tags) == len(words))):
        return Given(" ".join(words), tuple(words), None if tags is None else tuple(tags))
    raise SeluError(
        f'line {number} is neither {{"text": "..."}} nor {{"words": ["...", ...]}}, with as many "tags" where '
        "these are given."
    )


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def shown(answers: Sequence[Any], as_json: bool) -> list[str]:
    """Write each answer as a line: in words, or as a JSON object."""
    return [json.dumps({"answer": one}, ensure_ascii=False) if as_json else _plain(one) for one in answers]


def _plain(answer: Any) -> str:
    if answer is None:
        return ""
    if isinstance(answer, list):
        if answer and isinstance(answer[0], list):
            return " ".join("/".join(pair) for pair in answer)
        return ", ".join(answer)
    return f"{answer:.4f}" if isinstance(answer, float) else str(answer)
