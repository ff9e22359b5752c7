"""A model edits the place at fault and replies in SEARCH/REPLACE blocks, as in the paper (section 4.3).

The tasks are those of SWE-bench Lite whose fix changes one place of a file. The model is shown this place with
its three lines of context on either side, not the whole file, which does not fit small models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from selu.metrics.percentiles import Resampling
from selu.papers.asked import Given, Questions, Reply
from selu.papers.evidence import Evidence
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.answers import Gold
from selu.papers.faun_eval.asking.common import Count, Part, Row, average_cost, draw, find_share
from selu.papers.faun_eval.metrics import blocks, code, similarity
from selu.papers.faun_eval.metrics.blocks import Block
from selu.papers.faun_eval.metrics.patches import Hunk
from selu.papers.faun_eval.records import AskedEdits, EditMeans, EditRow
from selu.project import Settings

BATCH = 4  # prompts that are asked together
SECTION = "asked_edits"
MODEL, UNEDITED = "model", "unedited"
EXAMPLE = blocks.write(
    [
        Block(
            "shop/prices.py",
            "def total(items):\n    return sum(items)\n",
            "def total(items, discount=0):\n    return sum(items) - discount\n",
        )
    ]
)
PROMPT = """\
Below are an issue of the software project {repository} and the lines of the file {path} that have to be
changed to solve it. Reply with SEARCH/REPLACE blocks alone. A block is a line with the file's path, a line
<<<<<<< SEARCH, old lines exactly as they are in the file, a line =======, the new lines, and a line
>>>>>>> REPLACE. For example:

{example}
Issue:
{issue}

{path}:
{code}
"""


class State(StrEnum):
    """What a reply holds."""

    APPLIES = "an edit that applies"
    UNCHANGED = "no change of these lines"
    REFUSED = "a block that does not apply"
    MALFORMED = "a malformed block"
    NO_BLOCK = "no block"
    EMPTY = "no text"


@dataclass(frozen=True)
class EditSettings(Settings):
    """Section ``asked_edits`` of the benchmark's parameters.

    Attributes:
        tasks: how many are drawn.
        characters: of the issue, from its beginning.
        answer_tokens: of an answer, at most.
    """

    tasks: Count
    characters: Count
    answer_tokens: Count
    seed: int


def ask(evidence: Evidence, given: Given, every: Mapping[str, Gold]) -> Part[AskedEdits]:
    """Ask the model for missing edits of some tasks and score them, beside the lines as they were.

    Raises:
        SeluError: as the model's own.
    """
    settings = evidence.settings(SECTION, EditSettings)
    tasks = {name: gold for name, gold in every.items() if len(gold.patch.changes[0].hunks) == 1}
    drawn = {name: tasks[name] for name in draw(list(tasks), settings.tasks, settings.seed)}
    prompts = [write_prompt(gold, settings.characters) for gold in drawn.values()]
    replies = given.ask([Questions("edited", prompts, (), BATCH)], settings.answer_tokens)
    came = replies.sets["edited"]
    by_task = {name: came[at] for at, name in enumerate(drawn) if at in came}
    record: AskedEdits = {
        "sample": {
            "of": len(every),
            "one place": len(tasks),
            "tasks": len(drawn),
            "characters": settings.characters,
            "answer_tokens": settings.answer_tokens,
            "seed": settings.seed,
        },
        **score(drawn, by_task, evidence.draws),
    }
    rows = [
        Row("code editing", name, edit(reply.text, drawn[name])[0], reply) for name, reply in by_task.items()
    ]
    return Part(replies, record, rows)


def write_prompt(gold: Gold, characters: int) -> str:
    """Write the prompt of a task whose fix changes one place."""
    return PROMPT.format(
        repository=gold.repository,
        path=gold.path,
        example=EXAMPLE,
        issue=gold.issue[:characters].strip(),
        code="".join(_place(gold).old),
    )


def _place(gold: Gold) -> Hunk:
    ((place,),) = (change.hunks for change in gold.patch.changes)
    return place


def edit(text: str, gold: Gold) -> tuple[State, str | None]:
    """Apply a reply to the lines that the model was shown; None unless it changes them."""
    if not text.strip():
        return State.EMPTY, None
    read, malformed = blocks.read(text)
    if malformed:
        return State.MALFORMED, None
    if not read:
        return State.NO_BLOCK, None
    shown = {gold.path: "".join(_place(gold).old)}
    files, refused = blocks.apply(read, shown)
    if refused:
        return State.REFUSED, None
    changed = files[gold.path] != shown[gold.path]
    return (State.APPLIES, files[gold.path]) if changed else (State.UNCHANGED, None)


def score_one(edited: str | None, gold: Gold) -> Mapping[str, float]:
    """Compare edited lines with those of the fix; 0 where there are none."""
    if edited is None:
        return {"applies": 0.0, "codebleu": 0.0, "edit": 0.0, "exact": 0.0}
    right = "".join(_place(gold).new)
    return {
        "applies": 1.0,
        "codebleu": code.codebleu(edited, right, gold.path),
        "edit": similarity.edit_similarity(edited, right),
        "exact": float(edited.rstrip("\n") == right.rstrip("\n")),
    }


def score(tasks: Mapping[str, Gold], replies: Mapping[str, Reply], draws: Resampling) -> EditMeans:
    """Score the edits of a model beside the unedited lines; a reply that changes nothing scores 0."""
    edits = [edit(replies[name].text if name in replies else "", gold) for name, gold in tasks.items()]
    lines: Mapping[str, Sequence[str | None]] = {
        MODEL: [edited for _, edited in edits],
        UNEDITED: ["".join(_place(gold).old) for gold in tasks.values()],
    }
    scored = {
        way: [score_one(text, gold) for text, gold in zip(each, tasks.values(), strict=True)]
        for way, each in lines.items()
    }
    codebleu = {way: [scores["codebleu"] for scores in each] for way, each in scored.items()}
    rows: list[EditRow] = [
        {
            "way": way,
            "applies": find_share([scores["applies"] for scores in each], draws),
            "codebleu": paired.mean(codebleu[way], draws),
            "edit": paired.mean([scores["edit"] for scores in each], draws),
            "exact": find_share([scores["exact"] for scores in each], draws),
            "change": paired.mean(codebleu[way], draws, minus=codebleu[UNEDITED]),
        }
        for way, each in scored.items()
    ]
    states = [state for state, _ in edits]
    return {
        "states": {state.value: states.count(state) for state in State},
        "cut": sum(reply.cut for reply in replies.values()),
        "rows": rows,
        "cost": average_cost(list(replies.values())),
    }
