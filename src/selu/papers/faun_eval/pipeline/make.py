"""The pipeline on one repository: from GitHub, a clone or both to tasks, with the funnel and its reasons."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from selu.files import write_csv
from selu.papers.api import Mined
from selu.papers.evidence import Progress
from selu.papers.faun_eval.pipeline import known, tasks
from selu.papers.faun_eval.pipeline.filters import issues as issue_filters
from selu.papers.faun_eval.pipeline.filters import pairs as pair_filters
from selu.papers.faun_eval.pipeline.filters.funnel import Filter, Funnel, run
from selu.papers.faun_eval.pipeline.filters.pairs import Fix
from selu.papers.faun_eval.pipeline.history import NO_COMMIT, Commit, History
from selu.papers.faun_eval.pipeline.judge import CHECK, Judge, Judged
from selu.papers.faun_eval.pipeline.pairs import Pair, Side, in_entries, in_messages
from selu.papers.faun_eval.pipeline.records import Changed, Place, Thread, to_line
from selu.papers.faun_eval.pipeline.references import check, sources_of
from selu.vocabulary import SeluError

T = TypeVar("T")
Row = tuple[str | int, ...]  # of a table


class Pipeline:
    """One repository as far as it is available: its entries, its history, or both."""

    def __init__(
        self,
        repository: str,
        entries: Sequence[Thread] = (),
        history: History | None = None,
        branch: str | None = None,
        judge: Judge | None = None,
        progress: Progress = lambda _: None,
    ) -> None:
        self._name, self._history, self._branch, self._judge = repository.lower(), history, branch, judge
        self._entries = {entry.place.number: entry for entry in entries}
        self._progress = progress
        self.commits: dict[str, Commit] = {}
        if history is not None:
            progress("commits")
            self.commits = {commit.id: commit for commit in history.commits()}

    def pairs(self, side: Side) -> list[Pair]:
        """Pair issues with what fixes them, by the searched side."""
        if side is Side.COMMIT:
            messages = {commit.id: commit.message for commit in self.commits.values()}
            return in_messages(messages, self._name)
        return in_entries(self._entries.values(), side, self._branch)

    def fix(self, pair: Pair) -> Fix:
        """Return the data that the filters read."""
        issue = self._entries.get(pair.issue)
        titles = (issue.title,) if issue else ()
        files: int | None
        if pair.pull is None:
            commit = self.commits[pair.commit]
            changes, files, base = commit.changes, len(commit.changes), commit.base
            if not base and self._history and self._history.cut:
                changes, files = (), None  # git shows all its files as added
            merged, titles = None, (*titles, commit.subject)
        else:
            entry = self._entries[pair.pull]
            assert entry.pull is not None  # of ``in_entries``
            changes, files, base = entry.pull.changes, entry.pull.files, entry.pull.base
            merged, titles = entry.pull.merged, (*titles, entry.title)
        confirmed = self._is_confirmed(pair)
        return Fix(pair, titles, base, merged, files, changes, confirmed, lambda: self._texts(pair, changes))

    def _is_confirmed(self, pair: Pair) -> bool | None:
        """Return whether either is among the cross-references to the other; None if both are unknown."""
        numbers = pair.issue, pair.pull
        found = [
            Place(self._name, other) in entry.sources
            for number, other in (numbers, numbers[::-1])
            if number is not None and other is not None
            if (entry := self._entries.get(number)) and entry.sources is not None
        ]
        return any(found) if found else None

    def _texts(self, pair: Pair, changes: Sequence[Changed]) -> tuple[bytes, bytes] | str:
        """Return the edited file before and after, by the commit that brought the change to the main branch."""
        if self._history is None or not pair.commit or not changes:
            return pair_filters.NO_CLONE
        base = self._history.base_of(pair.commit)
        if base is None:
            return NO_COMMIT
        before, after = (self._history.file(commit, changes[0].path) for commit in (base, pair.commit))
        if isinstance(before, str):
            return before
        return after if isinstance(after, str) else (before, after)

    def make(self, sides: Iterable[Side]) -> Mined:
        """Build pairs of these sides, funnels and tasks."""
        made = Mined()
        steps: list[Row] = []
        reasons: list[Row] = []
        by_language: list[Row] = []
        rows: list[Row] = []
        questions = self._questions()
        if self._entries:
            steps += _steps("issues", questions)
            reasons += _reasons("issues", questions)
        made.texts["questions.jsonl"] = _lines(self._asked(questions.passed))
        done: set[tuple[int, int | str]] = set()
        located: list[tasks.LocalizationTask] = []
        edited: list[tasks.EditingTask] = []
        for side in sides:
            self._progress(f"pairs by {side}")
            pairs = self.pairs(side)
            rows += [(side, pair.issue, pair.pull or "", pair.commit) for pair in pairs]
            funnel = self._fixes(pairs)
            steps += _steps(side, funnel)
            by_language += _by_language(side, funnel, map(self.fix, pairs))
            reasons += _reasons(side, funnel)
            for fix in funnel.passed:
                place = fix.pair.issue, fix.pair.commit
                if place not in done:
                    done.add(place)
                    self._add(fix, located, edited, reasons)
        made.texts |= {"localization.jsonl": _lines(located), "editing.jsonl": _lines(edited)}
        made.tables |= {
            "funnel.csv": write_csv([("part", "filter", "came", "passed"), *steps]),
            "funnel_by_language.csv": write_csv(
                [("part", "language", "filter", "came", "passed"), *by_language]
            ),
            "reasons.csv": write_csv([("part", "record", "filter", "reason"), *reasons]),
            "pairs.csv": write_csv([("side", "issue", "pull", "commit"), *rows]),
        }
        if self._entries:
            made.texts["entries.jsonl"] = "".join(to_line(entry) for entry in self._entries.values())
            made.tables["references.csv"] = self._references()
        for part, name, came, passed in steps:
            made.says.append(f"{part}, {name}: {passed:,} of {came:,}")
        made.says += self._history.lacks if self._history else []
        made.says.append(
            f"tasks: {len(questions.passed):,} of question answering, {len(located):,} of fault localization, "
            f"{len(edited):,} of code editing"
        )
        return made

    def compare(self, rows: Sequence[known.Known]) -> tuple[str, str] | None:
        """Compare the pairs of commit messages with a published list; a table and a sentence, or None."""
        mine = [row for row in rows if row.repository == self._name]
        if not mine or self._history is None or not self.commits:
            return None
        fixes = [self.fix(pair) for pair in self.pairs(Side.COMMIT)]
        found = known.compare(mine, self.commits, fixes, self._name, self._history.has)
        counts = Counter(compared.state for compared in found)
        return write_csv([known.Compared._fields, *found]), (
            f"{counts[known.FOUND]:,} of the {len(mine):,} published pairs are found, "
            f"and {counts[known.BEYOND]:,} beyond them"
        )

    def _questions(self) -> Funnel[Thread]:
        answered: Filter[Thread] = Filter(
            "answer", lambda entry: None if tasks.answer_of(entry) else "no answer of a person"
        )
        found = run(
            (entry for entry in self._entries.values() if entry.pull is None),
            [*issue_filters.FILTERS, answered],
            lambda entry: f"#{entry.place.number}",
        )
        return self._check(found, tasks.judged_question)

    def _fixes(self, pairs: Sequence[Pair]) -> Funnel[Fix]:
        found = run(map(self.fix, pairs), pair_filters.filters(pairs), lambda fix: fix.name)
        return self._check(found, self._judged)

    def _check(self, funnel: Funnel[T], see: Callable[[T], Judged]) -> Funnel[T]:
        """Add the semantic check, where there is a judge."""
        if (judge := self._judge) is None:
            return funnel
        return funnel.narrow(
            CHECK, lambda left: judge([see(record) for record in left]), lambda record: see(record).name
        )

    def _judged(self, fix: Fix) -> Judged:
        pull = self._entries.get(fix.pair.pull) if fix.pair.pull is not None else None
        return tasks.judged_fix(fix, self._entries.get(fix.pair.issue), pull)

    def _asked(self, entries: Iterable[Thread]) -> Iterable[tasks.QuestionTask]:
        paths = self._history.paths(self._history.head) if self._history else None
        counts = Counter(tasks.language_of(path) for path in paths or ())
        counts.pop("", None)
        language = counts.most_common(1)[0][0] if counts else ""
        for entry in entries:
            if answer := tasks.answer_of(entry):
                yield tasks.question(entry, answer, language)

    def _add(
        self,
        fix: Fix,
        located: list[tasks.LocalizationTask],
        edited: list[tasks.EditingTask],
        reasons: list[Row],
    ) -> None:
        """Add the tasks of a fix; those that can't be made are named with their reason."""
        assert self._history is not None  # the substance check let nothing pass without a clone
        texts = fix.texts()
        paths = self._history.paths(fix.base) or self._history.paths(
            self._history.base_of(fix.pair.commit) or ""
        )
        if isinstance(texts, str) or paths is None:
            reasons.append((fix.pair.side, fix.name, "tree", "base not in the clone"))
            return
        record = tasks.localization(fix, self._name, self._entries.get(fix.pair.issue), paths)
        located.append(record)
        pull = self._entries.get(fix.pair.pull) if fix.pair.pull is not None else None
        try:
            before, after = (text.decode("utf-8") for text in texts)
            edited.append(tasks.editing(record, pull, before, after))
        except UnicodeDecodeError:
            reasons.append((fix.pair.side, fix.name, "patch", "not in UTF-8"))
        except SeluError:
            reasons.append((fix.pair.side, fix.name, "patch", "can't be written as blocks"))

    def _references(self) -> str:
        sources = sources_of(self._entries.values())
        rows: list[Row] = [("record", "names", "cross-reference")]
        for entry in self._entries.values():
            checked = check(entry, sources)
            rows += [(entry.place.number, str(place), "confirmed") for place in checked.confirmed]
            rows += [(entry.place.number, str(place), "refused") for place in checked.refused]
            rows += [(entry.place.number, str(place), "not crawled") for place in checked.unknown]
        return write_csv(rows)


def _steps(part: str, funnel: Funnel[T]) -> list[Row]:
    return [(part, step.filter, step.came, step.passed) for step in funnel.steps]


def _by_language(part: str, funnel: Funnel[Fix], fixes: Iterable[Fix]) -> list[Row]:
    """Count what came to each filter and passed it by the language of the changed source files."""
    languages: dict[str, list[str]] = {}
    for fix in fixes:
        spoken = {found for change in fix.changes if (found := tasks.language_of(change.path))}
        language = spoken.pop() if len(spoken) == 1 else "several languages" if spoken else "none of the five"
        languages.setdefault(fix.name, []).append(language)
    came = Counter(name for every in languages.values() for name in every)
    rows: list[Row] = []
    for step in funnel.steps:
        refused = Counter(
            languages[refusal.name].pop() for refusal in funnel.refusals if refusal.filter == step.filter
        )
        rows += [(part, name, step.filter, came[name], came[name] - refused[name]) for name in sorted(+came)]
        came -= refused
    return rows


def _reasons(part: str, funnel: Funnel[T]) -> list[Row]:
    return [(part, refusal.name, refusal.filter, refusal.reason) for refusal in funnel.refusals]


def _lines(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
