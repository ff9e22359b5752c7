"""Task records (section 3.4): question answering, fault localization, code editing."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TypedDict

from selu.papers.faun_eval.metrics import blocks
from selu.papers.faun_eval.pipeline import tree
from selu.papers.faun_eval.pipeline.filters.issues import drop_robots
from selu.papers.faun_eval.pipeline.filters.pairs import Fix
from selu.papers.faun_eval.pipeline.judge import Judged
from selu.papers.faun_eval.pipeline.records import Comment, Thread

LANGUAGES = {
    **dict.fromkeys((".py",), "Python"),
    **dict.fromkeys((".java",), "Java"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "JavaScript"),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "TypeScript"),
    **dict.fromkeys((".go",), "Go"),
}


class _Asked(TypedDict):
    role: str
    title: str
    body: str


class _Answered(TypedDict):
    role: str
    body: str


class QuestionTask(TypedDict):
    """A task of question answering."""

    language: str
    repository: str
    issue: int
    created_at: str
    updated_at: str
    question: _Asked
    answer: _Answered


class LocalizationTask(TypedDict):
    """A task of fault localization; texts of an issue that was not crawled are None."""

    language: str
    repository: str
    issue: int
    pull: int | None
    commit: str
    base: str
    issue_title: str | None
    issue_body: str | None
    tree: str
    path: str


class EditingTask(LocalizationTask):
    """A task of code editing."""

    pull_title: str | None
    pull_body: str | None
    file: str
    patch: str


def language_of(path: str) -> str:
    """Return the language of a file by its suffix; empty if it is none of the five."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower(), "")


def answer_of(entry: Thread) -> Comment | None:
    """Choose the reference answer: the first comment of a person who did not ask; the paper names no choice."""
    replies = (comment for comment in drop_robots(entry).comments if comment.author not in ("", entry.author))
    return next((comment for comment in replies if comment.body.strip()), None)


def question(entry: Thread, answer: Comment, language: str) -> QuestionTask:
    """Build a record of question answering."""
    return {
        "language": language,
        "repository": entry.place.repository,
        "issue": entry.place.number,
        "created_at": entry.created,
        "updated_at": entry.updated,
        "question": {"role": entry.association, "title": entry.title, "body": entry.body},
        "answer": {"role": answer.association, "body": answer.body},
    }


def localization(fix: Fix, repository: str, issue: Thread | None, paths: list[str]) -> LocalizationTask:
    """Build a record of fault localization.

    Args:
        issue: None where it was not crawled; its text is missing then.
        paths: all files at the base.
    """
    path = fix.changes[0].path
    return {
        "language": language_of(path),
        "repository": repository,
        "issue": fix.pair.issue,
        "pull": fix.pair.pull,
        "commit": fix.pair.commit,
        "base": fix.base,
        "issue_title": issue.title if issue else None,
        "issue_body": issue.body if issue else None,
        "tree": tree.draw(tree.prune(paths)),
        "path": path,
    }


def editing(located: LocalizationTask, pull: Thread | None, before: str, after: str) -> EditingTask:
    """Build a record of code editing from one of fault localization; the patch is SEARCH/REPLACE blocks.

    Raises:
        SeluError: the edit can't be written as blocks.
    """
    made = blocks.write(blocks.make(located["path"], before, after))
    return {
        **located,
        "pull_title": pull.title if pull else None,
        "pull_body": pull.body if pull else None,
        "file": before,
        "patch": made,
    }


def judged_question(entry: Thread) -> Judged:
    """Return what a judge sees of an issue and its answer."""
    answer = answer_of(entry)
    problem = f"{entry.title}\n\n{entry.body}"
    return Judged(f"#{entry.place.number}", problem, answer.body if answer else "")


def judged_fix(fix: Fix, issue: Thread | None, pull: Thread | None) -> Judged:
    """Return what a judge sees of a fix: the issue, and the pull request's text or the commit's subject."""
    problem = f"{issue.title}\n\n{issue.body}" if issue else f"issue #{fix.pair.issue}"
    solution = f"{pull.title}\n\n{pull.body}" if pull else fix.titles[-1]
    return Judged(fix.name, problem, solution)
