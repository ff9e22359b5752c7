"""A model names the file at fault among retrieved paths.

Retrieval puts paths in order by the fusion of BM25, word overlap and the encoder that a package brings; the
model is shown the first ones by name, so that their order tells nothing, and is asked for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from selu.metrics.percentiles import Resampling
from selu.papers.asked import Given, Questions, Reply
from selu.papers.evidence import Evidence
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.answers import Gold
from selu.papers.faun_eval.asking.common import Count, Part, Row, average_cost, draw, find_share
from selu.papers.faun_eval.metrics import located
from selu.papers.faun_eval.records import NamedFiles, NamedRow, NamedScores
from selu.papers.faun_eval.retrieval import files
from selu.papers.faun_eval.retrieval.part import ENCODERS, KNOWN, Candidates, remember
from selu.project import Settings

BATCH = 4  # prompts that are asked together, as many as a context of 16,384 tokens surely holds
SECTION = "asked_files"
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


@dataclass(frozen=True)
class FileSettings(Settings):
    """Section ``asked_files`` of the benchmark's parameters.

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


def ask(evidence: Evidence, given: Given, found: Candidates) -> Part[NamedFiles]:
    """Ask the model for missing answers to some tasks and score them, beside what retrieval puts first.

    Raises:
        SeluError: as the model's own.
    """
    settings = evidence.settings(SECTION, FileSettings)
    drawn = draw(list(found.tasks), settings.tasks, settings.seed)
    encoders = {ENCODERS[0]: remember(partial(evidence.embed, ENCODERS[0]))}
    sampled = {name: found.tasks[name] for name in drawn}
    ranked = files.rank(sampled, found.paths, (files.ISSUE,), encoders)[files.ISSUE][files.FUSED]
    shown = {name: order[: settings.paths] for name, order in zip(drawn, ranked, strict=True)}
    prompts = [write_prompt(sampled[name], shown[name], settings.characters) for name in drawn]
    replies = given.ask([Questions("located", prompts, (), BATCH)], settings.answer_tokens)
    came = replies.sets["located"]
    by_task = {name: came[at] for at, name in enumerate(drawn) if at in came}
    record: NamedFiles = {
        "sample": {
            "of": len(found.tasks),
            "among": KNOWN,
            "tasks": len(drawn),
            "paths": settings.paths,
            "characters": settings.characters,
            "answer_tokens": settings.answer_tokens,
            "seed": settings.seed,
        },
        **score(sampled, shown, by_task, evidence.draws),
    }
    rows = [
        Row("fault localisation", name, read_path(reply.text, shown[name]), reply)
        for name, reply in by_task.items()
    ]
    return Part(replies, record, rows)


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
        change = paired.mean(each, draws, minus=values[FIRST])
        rows.append({"way": way, "hit_1": find_share(each, draws), "change": change})
    return {
        "tasks": len(tasks),
        "states": {state: states.count(state) for state in (NAMED, OTHER, EMPTY)},
        "chance": fmean(float(gold.path in shown[name]) / len(shown[name]) for name, gold in tasks.items()),
        "rows": rows,
        "cost": average_cost(list(replies.values())),
    }
