"""``selu report retrieval --paper faun_eval``: the record of retrieval's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selu.files import to_json
from selu.papers.evidence import Evidence, Progress
from selu.papers.faun_eval import answers as reading
from selu.papers.faun_eval import rescored_files as pinned
from selu.papers.faun_eval.intervals import percent, verdict
from selu.papers.faun_eval.records import FoundAnswers, FoundFiles, Retrieval
from selu.papers.faun_eval.retrieval import files, questions
from selu.papers.faun_eval.retrieval.files import Embed
from selu.papers.faun_eval.workers import share_work
from selu.papers.pinned import obtain, read_pins

ENCODERS = ("minilm-l6", "all-mpnet-base-v2")
RECORD, FIELDS = "retrieval.json", ("finding", "files", "questions")
MADE_BY = "report retrieval"
QUESTIONS = "questions"
KNOWN = "paths that tasks and answers name"


def collect(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    """Rank files and questions, and score what comes first.

    Raises:
        SeluError: a pinned file or an encoder is not available.
    """
    encoders = {name: remember(partial(evidence.embed, name)) for name in ENCODERS}
    found = find_candidates(evidence)
    asked, left_out = find_questions(evidence)
    for name, embed in encoders.items():  # all its texts at once, so that each encoder is loaded once
        progress(f"texts: embedded by {NAMES[name]}")
        issues = [cut(gold.issue) for cut in files.PARTS.values() for gold in found.tasks.values()]
        embed([*issues, *chain.from_iterable(found.paths.values()), *(question.text for question in asked)])
    progress("files: the issue beside paths")
    rankings = files.rank(found.tasks, found.paths, list(files.PARTS), encoders)
    located = files.score(rankings, found.tasks, found.paths, evidence.draws)
    progress("questions: the answer of the most similar other one")
    with share_work(len(asked)) as each:
        answered = questions.score(asked, encoders, evidence.draws, each)
    answered["left_out"] = left_out
    located["among"] = KNOWN
    record: Retrieval = {"finding": _says(located, answered), "files": located, "questions": answered}
    return {RECORD: to_json(record)}


class Candidates(NamedTuple):
    """The tasks, and the paths of each among which the right one is looked for."""

    tasks: Mapping[str, reading.Gold]
    paths: Mapping[str, Sequence[str]]


def find_candidates(evidence: Evidence) -> Candidates:
    """Read tasks and answers, and take the paths that these name; clones play no part (``over_trees``).

    Raises:
        SeluError: a pinned file is not available.
    """
    folders = evidence.copies()
    pins = {(pin.task, pin.system): pin for pin in read_pins(evidence.pins() / pinned.PINS)}
    (lite,) = (pin for (role, _), pin in pins.items() if role == pinned.TASKS)
    tasks = reading.read_tasks(obtain(lite, folders), lite.file)
    readers = {pinned.PATCHES: reading.read_patches, pinned.FILES: reading.read_files}
    published = [
        readers[role](obtain(pin, folders), pin.file, tasks)
        for (role, _), pin in pins.items()
        if role in readers
    ]
    known = files.known_paths(tasks, published)
    return Candidates(tasks, {task: known[gold.repository] for task, gold in tasks.items()})


def find_questions(evidence: Evidence) -> tuple[list[questions.Question], int]:
    """Read the questions of all repositories, and count invalid lines.

    Raises:
        SeluError: a pinned file is not available.
    """
    found: list[questions.Question] = []
    left_out = 0
    for pin in (pin for pin in read_pins(evidence.pins() / pinned.PINS) if pin.task == QUESTIONS):
        read, broken = questions.read(obtain(pin, evidence.copies()), pin.system)
        found, left_out = found + read, left_out + broken
    return found, left_out


def remember(embed: Embed) -> Embed:
    """Embed no text twice."""
    known: dict[str, NDArray[np.float32]] = {}

    def embed_new(texts: Sequence[str]) -> NDArray[np.float32]:
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, embed(new), strict=True))
        return np.stack([known[text] for text in texts])

    return embed_new


def _says(located: FoundFiles, answered: FoundAnswers) -> str:
    rows = [row for row in located["rows"] if row["part"] == files.ISSUE]
    best = max(rows, key=lambda row: float(row["hit_1"]["score"]))
    asked = [row for row in answered["rows"] if row["way"] != questions.RANDOM]
    nearest = max(asked, key=lambda row: float(row[questions.MEAN]["score"]))
    (chance,) = (row for row in answered["rows"] if row["way"] == questions.RANDOM)
    means = [float(row[questions.MEAN]["score"]) for row in (nearest, chance)]
    return (
        f"Among {located['among']} (a median of {located['candidates']:.0f} for a task), {NAMES[best['way']]} "
        f"puts the changed file first in {percent(best['hit_1'])} of {located['tasks']} tasks; chance does so "
        f"in {100 * located['chance']['hit_1']:.1f} %. {_says_pair(located)} "
        "The answer of the most similar other question scores "
        f"{means[0]:.3f} by the mean of the paper's four metrics ({NAMES[nearest['way']]}), that of a random "
        f"one {means[1]:.3f}."
    )


def _says_pair(located: FoundFiles) -> str:
    """Say which of the two encoders puts the changed file first more often, on the same tasks."""
    other, encoder = ENCODERS
    (pair,) = (pair for pair in located["paired"] if (pair["one"], pair["other"]) == (encoder, other))
    gap = pair["hit_1"]
    return (
        f"{NAMES[encoder]} does so {verdict(gap)} {NAMES[other]} on the same tasks ({100 * gap['score']:+.1f} "
        f"points, {100 * gap['low']:+.1f} to {100 * gap['high']:+.1f})."
    )


NAMES = {
    "bm25": "BM25",
    files.TEXT: "BM25 of the file's text",
    "overlap": "word overlap",
    "minilm-l6": "MiniLM-L6",
    "all-mpnet-base-v2": "all-mpnet-base-v2",
    f"{files.WITH_BM25}minilm-l6": "BM25 fused with MiniLM-L6",
    f"{files.WITH_BM25}all-mpnet-base-v2": "BM25 fused with all-mpnet-base-v2",
    files.FUSED: "reciprocal-rank fusion",
    files.FUSED_PATHS: "reciprocal-rank fusion without texts of files",
    questions.RANDOM: "a random question",
}
