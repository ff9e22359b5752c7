"""``selu submit``: the user's own scores or predictions, checked, scored and ranked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict, final

from selu import __version__, registry
from selu.app.ranking import boards
from selu.app.ranking.recommend import bench_of
from selu.boards.choosing import FEW, HINT, Bench, Own, Ranked
from selu.boards.found import WithShares
from selu.boards.placing import against
from selu.data import prepared
from selu.execution import results
from selu.files import check_out, read_given, sha256_of, take, to_json, write_atomic
from selu.registry import splits_of
from selu.sources import submission
from selu.stats.intervals import caution_of
from selu.vocabulary import WHOLE, Kind, Metric, SeluError, Target, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.contents import Answering

Given = TypedDict(
    "Given",
    {
        "value": float,
        "low": NotRequired[float],
        "high": NotRequired[float],
        "rows": NotRequired[int],
        "from": str,
        "data": NotRequired[str],
    },
)
Given.__doc__ = """A score and what it comes from; of predictions with interval and rows."""


class BenchPlace(TypedDict):
    """The rank of the user's own system, and its evidence."""

    rank: int
    of: int
    mean: float
    low: float | None
    high: float | None
    win_rate: float | None


@final
class Opponent(WithShares):
    """Another system, and the probability that the user's own is better."""

    rank: int
    score: float


class Placement(TypedDict):
    """The user's own system in a bench; fields as in ``boards.found.Placed``."""

    tasks: list[str]
    holes: list[str]
    beside: list[str]
    place: BenchPlace
    equal: list[str]
    against: list[Opponent]
    sentence: str


class BenchSubmission(Placement):
    """A bench placement with its scores, and hashes of the file and of the splits."""

    name: str
    benchmark: str
    scores: Mapping[str, Given]
    file: Mapping[str, str | int]
    splits: Mapping[str, str | None]
    selu: str


class BoardSubmission(boards.Submission):
    """A place in a published ranking, with the file's hash."""

    file: Mapping[str, str | int]
    selu: str


class Wished(NamedTuple):
    """The options beside a file: the task of its predictions, its system's name, and the purpose."""

    task: str | None = None
    name: str | None = None
    purpose: str | None = None


_NOTHING = Wished()


def submit(
    root: Path,
    path: Path,
    wished: Wished = _NOTHING,
    out: Path | None = None,
    benchmark: str = registry.DEFAULT,
    board: str | None = None,
) -> BenchSubmission | BoardSubmission:
    """Check a file of scores, or of predictions for one task, and place it; write its record to ``out``.

    Raises:
        SeluError: the file can't be read, a row of it can't be used, or ``out`` is the file itself; nothing is
            written then.
    """
    check_out(out, path)
    content = read_given(path, submission.MOST)
    if not boards.is_asked(benchmark, board):
        found: BenchSubmission | BoardSubmission = _placed(root, path, content, wished, benchmark)
    elif wished.task is None and wished.purpose is None:
        ranked = boards.submitted(root, path, content, benchmark, board, wished.name)
        found = BoardSubmission(**ranked, file=_file(path, content), selu=__version__)
    else:
        raise SeluError("a published table takes scores, a row each with task: leave out --task and --for.")
    if out is not None:
        write_atomic(out, to_json(found))
    return found


def _file(path: Path, content: bytes) -> Mapping[str, str | int]:
    return {"name": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _placed(root: Path, path: Path, content: bytes, wished: Wished, benchmark: str) -> BenchSubmission:
    """Read scores or predictions, and place them in a bench."""
    bench = bench_of(root, benchmark)
    ids = [task["id"] for task in bench.tasks]
    found = submission.read(content, ids)
    if found is not None:
        scores: dict[str, Given] = {
            (task := _task_of(root, wished.task or found.task, ids)).id: _scored(root, task, found)
        }
        called = ""
    elif wished.task is not None:
        raise SeluError("--task goes with predictions; a file of scores names its tasks itself.")
    else:
        given = boards.given_scores(path, content, dict.fromkeys(ids, boards.Scale()), "task")
        scores = {name: {"value": value, "from": "scores"} for name, value in given.scores.items()}
        called = given.name
    own = Own(wished.name or called or path.stem, {id: score["value"] for id, score in scores.items()})
    placed = place(bench, own, wished.purpose)
    placed["sentence"] += "".join(_interval(id, score) for id, score in scores.items() if "low" in score)
    splits = {id: splits_of(root, id) / "split.csv" for id in scores}
    return {
        "name": own.name,
        "benchmark": benchmark,
        "scores": scores,
        **placed,
        "file": _file(path, content),
        "splits": {id: sha256_of(split) if split.is_file() else None for id, split in splits.items()},
        "selu": __version__,
    }


def place(bench: Bench, own: Own, purpose: str | None = None) -> Placement:
    """Place scores among all systems, over the ranked tasks, or those of a purpose, that have one.

    Raises:
        SeluError: an unknown purpose, or none of its tasks has a score.
    """
    wanted = bench.chosen(bench.weights((), purpose))
    chosen = [id for id in wanted if id in own.scores]
    if not chosen and not purpose:
        chosen = [task["id"] for task in bench.tasks if task["id"] in own.scores]
    if not chosen:
        raise SeluError(f"the file has no score on a task of {purpose}: these are {', '.join(wanted)}.")
    weights = bench.weights(chosen)
    ranked = bench.rank(weights, bench.systems, own)
    at = next(position for position, entry in enumerate(ranked) if not entry.system["id"])
    beside = dict.fromkeys(position for position in (0, at - 1, at + 1) if 0 <= position < len(ranked))
    others = [ranked[other] for other in beside if other != at]
    mine = ranked[at].place
    found: Placement = {
        "tasks": chosen,
        "holes": [id for id in wanted if id not in own.scores],
        "beside": [id for id in own.scores if id not in chosen],
        "place": {
            "rank": mine.rank,
            "of": len(ranked),
            "mean": mine.mean,
            "low": mine.low,
            "high": mine.high,
            "win_rate": mine.win_rate,
        },
        "equal": [
            entry.system["id"] for entry in ranked if entry.place.rank == mine.rank and entry.system["id"]
        ],
        "against": [_against(bench, weights, ranked[at], other) for other in others],
        "sentence": "",
    }
    outside = [id for id in chosen if id not in wanted]
    found["sentence"] = _sentence(own.name, found, outside, len(wanted))
    return found


def _against(bench: Bench, weights: Sequence[float], mine: Ranked, other: Ranked) -> Opponent:
    pair = bench.test(weights, mine, other)
    return {
        "rank": other.place.rank,
        "system": other.system["id"],
        "score": other.place.mean,
        "p_better": pair and pair.better,
        "p_equal": pair and pair.equal,
        "p_worse": pair and pair.worse,
    }


def _sentence(name: str, found: Placement, outside: Sequence[str], wanted: int) -> str:
    """Describe the place in a sentence.

    Args:
        outside: the tasks, where none of the ranked ones has a score.
        wanted: how many tasks are ranked.
    """
    at, tasks, holes = found["place"], found["tasks"], found["holes"]
    count = f"{len(tasks)} of {wanted}" if holes and not outside else f"{len(tasks)}"
    over = f"{count} task{'' if count == '1' else 's'}"
    interval = f" ({at['low']:.3f} to {at['high']:.3f})" if at["low"] is not None else ""
    text = f"{name} has rank {at['rank']} of {at['of']} over {over}, with a mean of {at['mean']:.3f}{interval}."
    if found["equal"]:
        text += f" Its mean equals that of {', '.join(found['equal'])}: they share a rank."
    if found["against"] and (at["rank"] > 1 or found["equal"]):
        text += against("best", found["against"][0])
    if len(tasks) < FEW:
        text += f" {HINT}"
    if outside:
        text += f" Not ranked in the paper: {', '.join(outside)}."
    if found["beside"]:
        text += f" Not counted, since the rank is over other tasks: {', '.join(found['beside'])}."
    if holes:
        text += f" No score: {', '.join(holes)}."
    return text


def _interval(task: str, given: Given) -> str:
    caution = caution_of(given["rows"])
    return (
        f" The 95 % interval of the score on {task} is {given['low']:.3f} to {given['high']:.3f}, over "
        f"{given['rows']:,} test rows{f' ({caution})' if caution else ''}."
    )


# -- predictions ------------------------------------------------------------------------------------


def _task_of(root: Path, name: str | None, ids: Sequence[str]) -> Task:
    if name is None:
        raise SeluError("the file holds predictions and names no task: give --task, or a column task.")
    task = registry.task_of(root, name)
    if task.id not in ids:
        raise SeluError(f"{task.id} is a task of {task.benchmark}: give --paper {task.benchmark}.")
    if task.kind == Kind.MASKED:
        raise SeluError(
            f"{task.id} is scored by the tokens of a model's own vocabulary: submit its score instead."
        )
    return task


def _scored(root: Path, task: Task, found: submission.Answers) -> Given:
    """Score answers to the test rows of the tracked split, whose labels have to be here."""
    rows, answers, availability = answers_to_test(root, task, found)
    run: Answering = {"fields": {"kind": task.kind, "labels": [label.name for label in task.labels]}}
    scores = results.compute_scores(run, rows, answers)
    metric = scores["metric"]
    bounds = results.draw_intervals(run, rows, answers, results.read_bootstrap(root), (metric,))[metric]
    value, low, high = scores["value"], bounds["low"], bounds["high"]
    if task.metric == Metric.ONE_MINUS_SMAPE:
        value, low, high = 1 - value, 1 - high, 1 - low
    about: Given = {"value": value, "low": low, "high": high, "rows": len(answers), "from": "predictions"}
    if availability not in WHOLE:
        about["data"] = "part of the data"
    return about


def answers_to_test(
    root: Path, task: Task, found: submission.Answers
) -> tuple[pd.DataFrame, list[Target], str]:
    """Match a file's answers to the test rows of the tracked split; return rows, answers and availability.

    Raises:
        SeluError: a row is missing, of another part or can't be used; the rows are stand-in, or not here.
    """
    import pandas as pd

    split = pd.read_csv(splits_of(root, task.id) / "split.csv", dtype=str)
    tested = split["paper"] == "test"
    test = split.loc[tested, "id"].tolist()
    submission.hold_to_split(found, test, split.loc[~tested, "id"].tolist(), task.id)
    labels = [label.name for label in task.labels]
    answers = take(test, lambda id: submission.answer_of(*found.answers[id], task.kind, labels, task.range))
    availability = str(prepared.tracked_record(root, task.id)["standing"])
    if availability == "synthetic":
        raise SeluError(f"{task.id} has stand-in data here, on which a score is meaningless: submit its score.")
    if not prepared.has_data(root, task.id):
        raise SeluError(
            f"the file is whole, but the labels of {task.id} are not here: run 'selu prepare {task.id}' first."
        )
    rows = prepared.truth_of(root, task, "paper")
    _check_words(rows, answers, task, found)
    return rows, answers, availability


def _check_words(rows: pd.DataFrame, answers: Sequence[Target], task: Task, found: submission.Answers) -> None:
    """Refuse an answer that has not a tag for each word of its row."""
    if task.kind != Kind.ENTITIES:
        return
    test = rows.loc[rows["part"] == "test"]
    for id, tags, answer in zip(test["id"], test["label"], answers, strict=True):
        assert isinstance(answer, Sequence)  # of tags
        if len(tags) != len(answer):
            line = found.answers[id][1]
            raise SeluError(f"row {line}, column answer: {len(answer)} tags for the {len(tags)} words of {id}.")
