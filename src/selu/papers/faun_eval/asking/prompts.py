"""The prompts of the three tasks for a reader, with placeholders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from selu.papers.asked import Forms
from selu.papers.evidence import Evidence
from selu.papers.faun_eval.asking import answered, edited, located
from selu.vocabulary import SeluError

_OURS = "The prompt is in our words, since the paper publishes none."
# Tasks of the ranking, by the id that a command takes.
NAMES = {
    "question-answering-mean-of-four": "question answering (mean of four)",
    "fault-localisation-em": "fault localisation (EM)",
    "code-editing-codebleu": "code editing (CodeBLEU)",
}
_ANSWERED, _LOCATED, _EDITED = NAMES.values()
_PROMPTS: Mapping[str, tuple[str, str]] = {
    _ANSWERED: (
        answered.PROMPT,
        "{repository} stands for the project, {question} for a question of SWE-QA.",
    ),
    _LOCATED: (
        located.PROMPT,
        "{repository} stands for the project, {issue} for the beginning of the issue, {paths} for the paths "
        "that retrieval ranks first, ordered by name.",
    ),
    _EDITED: (
        edited.PROMPT.replace("{example}", edited.EXAMPLE),
        "{repository} stands for the project, {path} for the file, {issue} for the beginning of the issue, "
        "{code} for the lines that the fix changes, with three on either side.",
    ),
}


def show_prompt(_evidence: Evidence, task: str, row: str | None, authors: Sequence[Path]) -> Forms:
    """Write the prompt with placeholders.

    Raises:
        SeluError: there is no such task, or a row or the authors' words are asked for, which can't be shown.
    """
    if task not in _PROMPTS:
        raise SeluError(f"there is no prompt of {task!r}: models are asked {', '.join(_PROMPTS)}.")
    if row is not None or authors:
        raise SeluError(
            "the prompts of FAUN-Eval are shown with placeholders alone, in our words, since the paper "
            "publishes none: leave --row and --authors out."
        )
    text, filled = _PROMPTS[task]
    return Forms({"zero-shot": text}, (_OURS, filled))
