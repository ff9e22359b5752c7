"""The prompt of fault localisation for a reader, with placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selu.papers.asked import Forms
from selu.papers.evidence import Evidence
from selu.papers.faun_eval.retrieval.named import PROMPT
from selu.vocabulary import SeluError

LOCATED = "fault localisation (EM)"  # in the ranking
COMMAND = "selu show-prompt fault-localisation-em --paper faun_eval"


def show_prompt(_evidence: Evidence, task: str, row: str | None, authors: Sequence[Path]) -> Forms:
    """Write the prompt with placeholders.

    Raises:
        SeluError: runs ask no other task, and a row or the authors' words can't be shown.
    """
    if task != LOCATED:
        raise SeluError(
            f"there is no prompt of {task!r}: the paper publishes none, and runs here ask {LOCATED} alone; "
            f"'{COMMAND}' shows it."
        )
    if row is not None or authors:
        raise SeluError(
            "the prompt of FAUN-Eval is shown with placeholders alone, in our words, since the paper publishes "
            "none: leave --row and --authors out."
        )
    names = {name: f"{{{name}}}" for name in ("repository", "issue", "paths")}
    says = (
        "The prompt is in our words, since the paper publishes none.",
        "{repository} stands for the project, {issue} for the beginning of the issue, {paths} for the paths "
        "that retrieval ranks first, ordered by name.",
    )
    return Forms({"zero-shot": PROMPT.format(**names)}, says)
