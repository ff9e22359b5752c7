"""``selu show-prompt``: the prompt of a task, of whichever paper asks models in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selu import registry
from selu.app.ranking.scores import called, check_task, elsewhere, ranked
from selu.evidence.evidence import Evidence
from selu.execution.prompt import prompts
from selu.names import WORDING, nearest
from selu.papers.api import Benchmark
from selu.vocabulary import SeluError


class Shown(NamedTuple):
    """A prompt, and sentences that say whose words it is in and what is filled in."""

    text: str
    says: Sequence[str]


def prompt(
    root: Path,
    task: str,
    paper: str | None,
    row: str | None,
    shots: int,
    form: str | None,
    authors: Path | None,
) -> Shown:
    """Write the prompt of a task.

    Args:
        task: its id, or its name in a ranking; after a paper's id and a slash, or without.
        paper: whose task it is; by default the one that has it.
        row: id of the row that is filled in.
        form: of a paper whose prompts have several; it says how many shots there are.
        authors: folder with the authors' package, whose wording is shown instead of ours.

    Raises:
        SeluError: the paper, the task, the row or the form has no prompt, or what shows it is not here.
    """
    head, slash, tail = task.partition("/")
    if slash and head.lower() in registry.published():
        paper, task = paper or head.lower(), tail
    benchmark = registry.benchmark(registry.known(paper or _owner(root, task)))
    folders = () if authors is None else (authors,)
    if benchmark.show_prompt:
        found = benchmark.show_prompt(
            Evidence(root, benchmark.id), _called(root, task, benchmark), row, folders
        )
        return _of_form(found.texts, found.says, form, shots)
    if paper != registry.DEFAULT and not benchmark.prompts and not _is_local(root, task):
        raise _none(benchmark)
    owner = registry.declared().get(task.lower(), benchmark.id)
    if owner != benchmark.id:
        raise SeluError(f"{task} is of {owner}, not of {benchmark.id}: give --paper {owner}.")
    if form:
        raise SeluError(f"prompts of {benchmark.name} have one form: leave --format out, and give --shots.")
    check_task(root, task, paper)
    text = prompts.prompt(root, task, row, shots, folders)
    return Shown(text, [f"The prompt is {WORDING['authors' if authors else 'ours']}."])


def _owner(root: Path, task: str) -> str:
    """Find the paper whose task this is; the default one for unknown names, which are refused there."""
    if found := registry.declared().get(task.lower()):
        return found
    if _is_local(root, task):
        return registry.DEFAULT
    papers = list(elsewhere(root, task))
    if len(papers) > 1:
        choice = " or ".join(f"--paper {paper}" for paper in papers)
        raise SeluError(f"{len(papers)} papers have {task}: give {choice}.")
    return papers[0] if papers else registry.DEFAULT


def _is_local(root: Path, task: str) -> bool:
    return task.lower() in registry.local_names(root)


def _called(root: Path, task: str, benchmark: Benchmark) -> str:
    """Return the name of a task in a ranking, or what was given."""
    rankings = ranked(root, benchmark.id)
    return called(task, rankings.board.tasks) if rankings else task


def _of_form(texts: Mapping[str, str], says: Sequence[str], form: str | None, shots: int) -> Shown:
    if form and shots:
        raise SeluError("--format says how many examples a prompt has: leave --shots out.")
    name = form or (f"{shots}-shot" if shots else "zero-shot")
    if name not in texts and not form:
        raise SeluError(f"--shots {shots}: there is no such prompt; --format takes {', '.join(texts)}.")
    if name not in texts:
        raise nearest(name, texts, "form of this prompt")
    others = [f"Other forms: {', '.join(other for other in texts if other != name)} (--format)."]
    return Shown(texts[name], [*says, *(others if len(texts) > 1 else [])])


def _none(benchmark: Benchmark) -> SeluError:
    every = map(registry.benchmark, registry.published())
    have = [paper.name for paper in every if paper.prompts or paper.show_prompt]
    return SeluError(
        f"{benchmark.name} has no prompts: no run here asks a model in words. {', '.join(have[:-1])} and "
        f"{have[-1]} have some. 'selu show TASK --paper {benchmark.id}' shows a task."
    )
