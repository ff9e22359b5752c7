"""``selu run --paper faun_eval --model NAME``: a model names the file at fault among retrieved paths.

Retrieval puts paths in order by the fusion of BM25, word overlap and the encoder that a package brings; the
model is shown the first ones by name, so that their order tells nothing, and is asked for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Annotated

import numpy as np
from annotated_types import Ge

from selu.files import to_json, write_csv
from selu.metrics.percentiles import Resampling
from selu.papers.asked import Given, Questions, Reply
from selu.papers.evidence import Evidence
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.answers import Gold
from selu.papers.faun_eval.metrics import located
from selu.papers.faun_eval.records import Mean, NamedFiles, NamedRow, NamedScores, Sample
from selu.papers.faun_eval.retrieval import files, tables
from selu.papers.faun_eval.retrieval.part import KNOWN, find_candidates, remember
from selu.papers.page import standalone
from selu.papers.table import in_markdown, to_markdown
from selu.project import Settings
from selu.stats.agreement import share
from selu.vocabulary import SeluError

BATCH = 4  # prompts that are asked together, as many as a context of 16,384 tokens surely holds
ENCODER = "minilm-l6"
MODEL, FIRST, SHOWN = "model", "first", "shown"
NAMED, OTHER, EMPTY = "named", "other", "empty"
PROMPT = """\
Below are an issue of the software project {repository} and paths of files of it. One of these files has to be
changed to solve the issue. Reply with its path alone.

Issue:
{issue}

Files:
{paths}
"""
Count = Annotated[int, Ge(1)]


@dataclass(frozen=True)
class AskedSettings(Settings):
    """Section ``asked`` of the benchmark's parameters.

    Attributes:
        tasks: how many are drawn.
        paths: that are shown with a task.
        characters: of the issue, from its beginning.
        answer_tokens: of an answer, at most.
    """

    tasks: Count
    paths: Count
    characters: Count
    answer_tokens: Count
    seed: int


def ask(evidence: Evidence, given: Given, tasks: Sequence[str]) -> Mapping[str, str | bytes]:
    """Ask the model for missing answers; return the files of its page.

    Raises:
        SeluError: a pinned file is not available, or as the model's own.
    """
    if tasks:
        raise SeluError("FAUN-Eval's tasks for a model are drawn: leave --task out, and set asked.tasks.")
    settings = evidence.settings("asked", AskedSettings)
    found = find_candidates(evidence)
    drawn = draw(list(found.tasks), settings)
    encoders = {ENCODER: remember(partial(evidence.embed, ENCODER))}
    sampled = {name: found.tasks[name] for name in drawn}
    ranked = files.rank(sampled, found.paths, (files.ISSUE,), encoders)[files.ISSUE][files.FUSED]
    shown = {name: order[: settings.paths] for name, order in zip(drawn, ranked, strict=True)}
    prompts = [write_prompt(sampled[name], shown[name], settings.characters) for name in drawn]
    replies = given.ask([Questions("located", prompts, (), BATCH)], settings.answer_tokens)
    came = replies.sets["located"]
    by_task = {name: came[at] for at, name in enumerate(drawn) if at in came}
    sample: Sample = {
        "of": len(found.tasks),
        "among": KNOWN,
        "tasks": settings.tasks,
        "paths": settings.paths,
        "characters": settings.characters,
        "answer_tokens": settings.answer_tokens,
        "seed": settings.seed,
    }
    record: NamedFiles = {
        "model": replies.model,
        "parameters": replies.parameters,
        "identity": dict(replies.identity),
        "sample": sample,
        **score(sampled, shown, by_task, evidence.draws),
    }
    return {"scores.json": to_json(record), "answers.csv": _answers(shown, by_task), **page(record)}


def draw(tasks: Sequence[str], settings: AskedSettings) -> list[str]:
    """Draw tasks; a larger sample begins with a smaller one."""
    order = np.random.default_rng(settings.seed).permutation(len(tasks))
    return [tasks[at] for at in order[: settings.tasks]]


def write_prompt(gold: Gold, paths: Sequence[str], characters: int) -> str:
    """Write the prompt of a task; paths are ordered by name."""
    listed = "\n".join(sorted(paths))
    return PROMPT.format(repository=gold.repository, issue=gold.issue[:characters].strip(), paths=listed)


def read_path(text: str, paths: Sequence[str]) -> str:
    """Read the path of the list that an answer names first; empty: it names none."""
    found = []
    for path in paths:
        if match := re.search(rf"(?<![\w./-])(?:\./)?{re.escape(path)}(?![\w/-])", text):
            found.append((match.start(), -len(path), path))
    return min(found)[2] if found else ""


def score(
    tasks: Mapping[str, Gold],
    shown: Mapping[str, Sequence[str]],
    replies: Mapping[str, Reply],
    draws: Resampling,
) -> NamedScores:
    """Score the paths that a model named, beside what retrieval puts first; no answer counts as wrong."""
    texts = {name: replies[name].text if name in replies else "" for name in tasks}
    answers = {name: read_path(texts[name], shown[name]) for name in tasks}
    states = [NAMED if answers[name] else OTHER if texts[name].strip() else EMPTY for name in tasks]
    values = {
        MODEL: [located.exact(answers[name], gold.path) for name, gold in tasks.items()],
        FIRST: [located.hit(shown[name], gold.path, 1) for name, gold in tasks.items()],
        SHOWN: [float(gold.path in shown[name]) for name, gold in tasks.items()],
    }
    rows: list[NamedRow] = []
    for way, each in values.items():
        hits = share(int(sum(each)), len(each), draws.level)
        hit: Mean = {"score": hits["share"], "low": hits["low"], "high": hits["high"]}
        rows.append({"way": way, "hit_1": hit, "change": paired.mean(each, draws, minus=values[FIRST])})
    every = list(replies.values())
    return {
        "tasks": len(tasks),
        "states": {state: states.count(state) for state in (NAMED, OTHER, EMPTY)},
        "chance": fmean(float(gold.path in shown[name]) / len(shown[name]) for name, gold in tasks.items()),
        "rows": rows,
        "cost": {
            "asked": fmean(reply.asked for reply in every) if every else 0.0,
            "answered": fmean(reply.answered for reply in every) if every else 0.0,
            "seconds": fmean(reply.seconds for reply in every) if every else 0.0,
        },
    }


def _answers(shown: Mapping[str, Sequence[str]], replies: Mapping[str, Reply]) -> str:
    lines: list[tuple[str | int, ...]] = [("task", "path", "reply", "asked", "answered", "seconds")]
    for name, reply in replies.items():
        path = read_path(reply.text, shown[name])
        lines.append((name, path, reply.text, reply.asked, reply.answered, f"{reply.seconds:.3f}"))
    return write_csv(lines)


def page(record: NamedFiles) -> Mapping[str, str | bytes]:
    """Render the scores as HTML, as Markdown, and as CSV."""
    head, says = f"{record['model']} names the file at fault", tables.say_named(record)
    table = tables.named_files([record])
    text = f"# {in_markdown(head)}\n\n{in_markdown(says)}\n\n{to_markdown(table)}\n"
    return standalone(head, [says], [("", table)]) | {"index.md": text}
