"""Readers of the competition's files: raw tables by file name in, all rows of a set out; all are pure.

A set is what several tasks share: the issues of the five repositories, or the sentences of one language. Its
rows have the columns ``id``, ``text``, ``label``, ``group``, ``source`` of all rows. ``label`` is a list: the
task, the label's name, and 1 where the competition's own partition has the row for testing, else 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from selu.names import nearest
from selu.papers.api import TaskRows
from selu.papers.nlbse24 import design
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

Raw = Mapping[str, Any]  # file name -> what sources.tables read from it
Row = Mapping[str, str]
COLUMNS = ("id", "text", "label", "group", "source")
ALL = "issue_all"  # the task of a single model for all repositories (section 2.2)
TRAIN, TESTED = "0", "1"  # as the counts of Table 2 say; section 3.1 has them the other way round
_FILES = {"issues_train": False, "issues_test": True}
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"http\S+|www\.\S+")
_OTHER = re.compile(r"[^a-zA-Z0-9?\s]")


def issues(raw: Raw) -> pd.DataFrame:
    """Return the rows of all repositories: 300 of each for training, then as many for testing.

    Raises:
        SeluError: a repository or label that the competition does not have or that is missing, or other than
            100 reports of a label, repository and part.
    """
    tasks = {task.sources[0]: task for task in design.tasks() if len(task.sources) == 1}
    found: list[tuple[Any, ...]] = []
    counted: Counter[tuple[str, str, str]] = Counter()
    for file, test in _FILES.items():
        for row, place in _rows(raw, file):
            task = tasks.get(row["repo"])
            if task is None or not task.id.startswith("issue_"):
                raise SeluError(
                    f"{place}: the repository {row['repo']!r} is not of the competition; {_again(ALL)}."
                )
            _check_label(row["label"], task, place)
            counted[file, row["repo"], row["label"]] += 1
            text = f"{row['title']} {row['body']}"
            found.append((text, [task.id, row["label"], str(int(test))], row["repo"], place))
    repositories = [name for name, task in tasks.items() if task.id.startswith("issue_")]
    for file in _FILES:
        for repo in repositories:
            for label in tasks[repo].labels:
                have, want = counted[file, repo, label.name], tasks[repo].instances // 6
                if have != want:
                    raise SeluError(
                        f"{file} has {have} reports of {repo} with the label {label.name} where the "
                        f"competition has {want}; {_again(ALL)}."
                    )
    return _table(found)


def comments(language: str, raw: Raw) -> pd.DataFrame:
    """Return the rows of one language: each sentence once per category, in the order of the file.

    Raises:
        SeluError: an invalid category, label or partition, other than the declared rows of a category, or
            partitions that are exchanged (more rows to test than to train on).
    """
    tasks = {task.id: task for task in design.tasks()}
    found: list[tuple[Any, ...]] = []
    counted: Counter[tuple[str, bool]] = Counter()
    for row, place in _rows(raw, language):
        name = f"{language}_{row['category'].lower()}"
        if name not in tasks:
            raise SeluError(
                f"{place}: the category {row['category']!r} is not of the competition; {_again(language)}."
            )
        if row["partition"] not in (TRAIN, TESTED) or row["instance_type"] not in ("0", "1"):
            raise SeluError(
                f"{place}: partition {row['partition']!r} and instance_type {row['instance_type']!r} must be "
                f"0 or 1; {_again(language)}."
            )
        tested, label = row["partition"] == TESTED, tasks[name].labels[int(row["instance_type"])].name
        counted[name, tested] += 1
        text = f"{row['comment_sentence']} | {row['class']}"
        found.append((text, [name, label, str(int(tested))], row["class"], place))
    for name in (name for name in tasks if name.startswith(f"{language}_")):
        train, test = counted[name, False], counted[name, True]
        if train + test != tasks[name].instances:
            raise SeluError(
                f"{language} has {train + test} rows of {name} where the competition has "
                f"{tasks[name].instances}; {_again(language)}."
            )
        if test >= train:
            raise SeluError(
                f"{language} has {train} rows of {name} to train on and {test} to test: its partitions are "
                f"exchanged; {_again(language)}."
            )
    return _table(found)


READERS: dict[str, Callable[[Raw], pd.DataFrame]] = {
    "issues": issues,
    **{f"comments_{language}": partial(comments, language) for language in ("java", "pharo", "python")},
}


def read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    """Read all rows of a set by the reader that its pin names.

    Raises:
        SeluError: there is no such reader, or the files are not the competition's.
    """
    if reader not in READERS:
        raise nearest(reader, READERS, f"reader, named by the pin of {set_},")
    return READERS[reader](raw)


def cut_rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    """Cut the rows of one task out of its set, with the competition's own partition."""
    (whole,) = sets.values()
    parts = [(name, label, test == "1") for name, label, test in whole["label"]]
    mine = [task.id in (ALL, name) for name, _, _ in parts]
    index = {label.name: number for number, label in enumerate(task.labels)}
    table = whole[mine].reset_index(drop=True)
    kept = [part for part, taken in zip(parts, mine, strict=True) if taken]
    table = table.assign(
        id=[f"p{position:06d}" for position in range(len(table))], label=[index[label] for _, label, _ in kept]
    )
    return TaskRows(table, [test for _, _, test in kept])


def clean(text: str, task: Task) -> str:
    """Return what the organisers' RoBERTa reads of an issue (their cleaning); comments are left as they are.

    Fenced code, line ends, links, digits, and all but letters, question marks and white space are taken out.
    """
    if "issue" not in task.sets:
        return text
    text = _LINK.sub("", _FENCE.sub("", text).replace("\n", " "))
    return " ".join(_OTHER.sub("", re.sub(r"\d+", "", text)).split())


def _rows(raw: Raw, file: str) -> Iterator[tuple[Row, str]]:
    """Yield the rows of a file with their places; a reader's errors name them."""
    name = next((name for name in raw if name.partition(".")[0] == file), None)
    if name is None:
        known = ", ".join(raw) or "none"
        raise SeluError(f"the file {file} is missing (there are: {known}); correct the pin.")
    names = list(map(str, raw[name].columns))
    for number, row in enumerate(raw[name].itertuples(index=False, name=None), start=1):
        yield dict(zip(names, row, strict=True)), f"{file}.csv:{number}"


def _check_label(label: str, task: Task, place: str) -> None:
    known = [label.name for label in task.labels]
    if label not in known:
        raise SeluError(f"{place}: the label {label!r} is none of {', '.join(known)}; {_again(task.id)}.")


def _again(task: str) -> str:
    return f"fetch it again with 'selu fetch {task}'"


def _table(found: list[tuple[Any, ...]]) -> pd.DataFrame:
    import pandas as pd

    rows = [(f"p{number:06d}", *row) for number, row in enumerate(found)]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
