"""The scores of our own runs as one long table, which claims and tables read by place."""

from __future__ import annotations

from collections.abc import Iterator

from selu.files import write_csv
from selu.papers.nlbse24.records import KEYS, CommentTrack, IssueTrack, Results, Scored
from selu.papers.nlbse24.results import OVERALL

COLUMNS = ("system", "task", "repository_or_category", "label", "metric", "value", "low", "high")
SECONDS = "avg_runtime_s"  # as the published sheets call it
Line = tuple[str | float | None, ...]  # as COLUMNS


def to_csv(record: Results) -> str:
    """Return one line per score of the record of results; ``low`` and ``high`` where there is an interval.

    A system that serves all repositories with one model is marked with *; over all places the task is the
    track.
    """
    return write_csv([COLUMNS, *_issues(record["issues"]), *_comments(record["comments"])])


def _issues(track: IssueTrack) -> Iterator[Line]:
    for entrant in track["entrants"]:
        for place, labels in entrant["scores"].items():
            head = (entrant["id"], entrant["tasks"].get(place, "issues"), place)
            for label, scores in labels.items():
                yield from _lines((*head, label), scores)


def _comments(track: CommentTrack) -> Iterator[Line]:
    for entrant in track["entrants"]:
        runtime, score, won = entrant["runtime"], entrant["score"], entrant["outperformed"]
        times = runtime["places"] if runtime else {}
        for place, scores in entrant["categories"].items():
            head = (entrant["id"], entrant["tasks"][place], place, "")
            yield from _lines(head, scores)
            if place in times:
                yield (*head, SECONDS, times[place], None, None)
        if entrant["overall"] and won:
            head = (entrant["id"], "comments", OVERALL, "")
            yield from _lines(head, entrant["overall"])
            yield (*head, "outperformed", len(won["categories"]), None, None)
            if score and runtime:
                yield (*head, SECONDS, runtime["seconds"], None, None)
                yield (*head, "score", score["value"], score["low"], score["high"])


def _lines(head: Line, scores: Scored) -> Iterator[Line]:
    for key in KEYS:
        interval = (scores["low"], scores["high"]) if key == "f1" else (None, None)
        yield (*head, key, scores[key], *interval)
