"""The six filters of issues (section 3.3.1): each takes an entry, and returns why it is refused or None."""

from __future__ import annotations

import re
from dataclasses import replace

from selu.papers.faun_eval.pipeline.filters.funnel import Filter
from selu.papers.faun_eval.pipeline.records import Thread

# "or with very high character counts": the paper names no number below 10 MB.
LEAST, MOST = 200, 10_000_000  # characters of title, body and comments
MOST_EVENTS = 10
PARTICIPANTS = 2  # at least
_DUPLICATE = re.compile(r"\bduplicate of\s+(?:#|gh-|https?://github\.com/)", re.IGNORECASE)
_LINK = re.compile(r"https?://([^\s/?#\"'<>()\[\]]+)", re.IGNORECASE)
_BOT = re.compile(r"bot(?![a-z])|^bot|\[bot\]", re.IGNORECASE)
# What programs write below issues of many repositories; the paper's list is not published.
PHRASES = (
    "this issue has been automatically",
    "this issue is stale because",
    "this issue was automatically",
    "this thread has been automatically locked",
    "this pull request has been automatically",
    "i'm going to lock this issue because",
    "i am a bot",
    "this is an automated message",
    "this comment was generated automatically",
    "for the details about the automatic closing of issues",
)
_GITHUB = ("github.com", "githubusercontent.com", "github.io", "githubassets.com")


def refuse_scale(entry: Thread) -> str | None:
    """Refuse texts of fewer or more characters (comment scale)."""
    if len(entry.text) < LEAST:
        return f"fewer than {LEAST} characters"
    return f"more than {MOST} characters" if len(entry.text) > MOST else None


def refuse_duplicate(entry: Thread) -> str | None:
    """Refuse what a comment marks as a duplicate (redundancy)."""
    marked = any(_DUPLICATE.search(comment.body) for comment in entry.comments)
    return "marked as a duplicate" if marked else None


def refuse_external(entry: Thread) -> str | None:
    """Refuse a link that leads elsewhere than to GitHub (external check)."""
    for found in _LINK.finditer(entry.text):
        host = found[1].rpartition("@")[2].partition(":")[0].lower().rstrip(".,;:!*`")
        if host not in _GITHUB and not host.endswith(tuple(f".{name}" for name in _GITHUB)):
            return "link to another site"
    return None


def refuse_events(entry: Thread) -> str | None:
    """Refuse records with more events than the limit (event count); an unknown number is refused, too."""
    if entry.events is None:
        return "number of events not known"
    return f"more than {MOST_EVENTS} events" if entry.events > MOST_EVENTS else None


def is_robot(author: str, robot: bool, text: str = "") -> bool:
    """Return whether an author is a program, by GitHub's type, a name with "bot", or a typical phrase."""
    return robot or bool(_BOT.search(author)) or any(phrase in text.lower() for phrase in PHRASES)


def refuse_robot(entry: Thread) -> str | None:
    """Refuse what a program filed (robot detection); its comments go by ``drop_robots``."""
    return "filed by a program" if is_robot(entry.author, entry.robot) else None


def drop_robots(entry: Thread) -> Thread:
    """Drop the comments that programs wrote."""
    kept = tuple(
        comment for comment in entry.comments if not is_robot(comment.author, comment.robot, comment.body)
    )
    return replace(entry, comments=kept)


def refuse_participants(entry: Thread) -> str | None:
    """Refuse talks of fewer people, programs not counted (participant count)."""
    people = {entry.author, *(comment.author for comment in drop_robots(entry).comments)}
    return f"fewer than {PARTICIPANTS} participants" if len(people - {""}) < PARTICIPANTS else None


FILTERS = (  # in the paper's order
    Filter("comment scale", refuse_scale),
    Filter("redundancy", refuse_duplicate),
    Filter("external check", refuse_external),
    Filter("event count", refuse_events),
    Filter("robot detection", refuse_robot),
    Filter("participant count", refuse_participants),
)
