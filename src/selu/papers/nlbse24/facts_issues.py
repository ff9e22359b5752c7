"""Facts of the issue reports: groups, days, labels, and texts that both parts hold (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

from selu.papers.nlbse24.material import LABELS, REPOSITORIES

if TYPE_CHECKING:
    import pandas as pd

NAMES = tuple(label.lower() for label in LABELS)
Facts = list[tuple[str, str, str]]


def tables(train: pd.DataFrame, test: pd.DataFrame) -> Mapping[str, Facts]:
    """Return the fact tables of the issue track by name; frames as ``facts`` says."""
    return {
        "issue_rows": rows(train, test),
        "issue_columns": columns(train, test),
        "issue_labels": labels(train, test),
        "issue_dates": dates(train, test),
        "issue_texts": texts(train, test),
        "issue_overlap": overlap(train, test),
    }


def mismatches(train: pd.DataFrame, test: pd.DataFrame, per_label: int) -> list[str]:
    """Describe each foreign label or repository, and each group that does not have ``per_label`` reports."""
    found = []
    for part, frame in _parts(train, test):
        for label, count in frame["label"][~frame["label"].isin(NAMES)].value_counts(sort=False).items():
            found.append(f"Issues, {part}: {count} reports have the foreign label {label!r}.")
        repositories = _repository(frame)
        for name, count in repositories[~repositories.isin(REPOSITORIES)].value_counts(sort=False).items():
            found.append(f"Issues, {part}: {count} reports are of the foreign repository {name!r}.")
        missing = [name for name in REPOSITORIES if not (repositories == name).any()]
        found += [f"Issues, {part}: the repository {name} is missing." for name in missing]
    for place, _, rows_of_it in rows(train, test):
        part, repository, label = place.split("/")
        if (
            int(rows_of_it) != per_label
            and f"Issues, {part}: the repository {repository} is missing." not in found
        ):
            found.append(f"Issues, {part}: {repository}, {label} has {rows_of_it} reports, not {per_label}.")
    return found


def rows(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Return reports of each part, repository and label."""
    found = []
    for part, frame in _parts(train, test):
        counted = frame.groupby([_repository(frame), frame["label"]]).size()
        for repository, label in product(REPOSITORIES, NAMES):
            found.append((f"{part}/{repository}/{label}", "rows", str(counted.get((repository, label), 0))))
    return found


def columns(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Return names of the columns that both files have, in the order of the training file."""
    return [("all", "columns", ", ".join(name for name in train.columns if name in test.columns))]


def labels(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Return the labels of each part, and how many reports have none of the three."""
    other = sum(int((~frame["label"].isin(NAMES)).sum()) for _, frame in _parts(train, test))
    sets = [
        (part, "labels", ", ".join(sorted(map(str, frame["label"].unique()))) or "-")
        for part, frame in _parts(train, test)
    ]
    return [("all", "without one of the three", str(other)), *sets]


def dates(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Return the first and last day of creation, and whether that order also orders and splits each group.

    A group (repository and label) is in falling order where no report of a file is younger than the one
    before it; it alternates where the reports of both files, by falling creation, are of each file in turn.
    """
    import pandas as pd

    whole = pd.concat([train.assign(part="train"), test.assign(part="test")], ignore_index=True)
    found = []
    for name, frame in (("all", whole), *_parts(train, test)):
        days = frame["created_at"].astype(str).str[:10]
        found += [(name, "earliest", days.min()), (name, "latest", days.max())]
    falling = alternating = groups = 0
    for _, group in whole.groupby([_repository(whole), whole["label"]]):
        groups += 1
        falling += all(own["created_at"].is_monotonic_decreasing for _, own in group.groupby("part"))
        part = group.sort_values("created_at", ascending=False, kind="stable")["part"]
        alternating += bool((part != part.shift()).all())
    return [
        *found,
        ("all", "groups", str(groups)),
        ("all", "groups in falling order of creation", str(falling)),
        ("all", "groups split report by report", str(alternating)),
    ]


def texts(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Return reports of each part, and those without title, body or label."""
    return [
        *((part, "reports", str(len(frame))) for part, frame in _parts(train, test)),
        *(
            (part, f"without {column}", str(int((_text(frame[column]).str.strip() == "").sum())))
            for part, frame in _parts(train, test)
            for column in ("title", "body", "label")
        ),
    ]


def overlap(train: pd.DataFrame, test: pd.DataFrame) -> Facts:
    """Test reports whose text, title or body a training report has, too; repeated texts of each part.

    The same report is one of the same repository and second of creation.
    """
    ours, theirs = _whole(test), _whole(train)
    equal = ours.isin(set(theirs))
    known = set(theirs + "\0" + train["label"])
    identity = [frame["repo"] + "\0" + frame["created_at"].astype(str) for frame in (test, train)]
    body = _text(test["body"])
    counts = {
        "reports": len(test),
        "same report as in training": identity[0].isin(set(identity[1])).sum(),
        "equal to training": equal.sum(),
        "equal to training, with another label": (equal & ~(ours + "\0" + test["label"]).isin(known)).sum(),
        "equal but for case and white space": _plain(ours).isin(set(_plain(theirs))).sum(),
        "title equal to training": _text(test["title"]).isin(set(_text(train["title"]))).sum(),
        "body equal to training": (body.isin(set(_text(train["body"]))) & (body.str.strip() != "")).sum(),
        "repeated in its own part": ours.duplicated().sum(),
    }
    found = [("test", column, str(int(count))) for column, count in counts.items()]
    own = ("train", "repeated in its own part", str(int(theirs.duplicated().sum())))
    return [*found, ("train", "reports", str(len(train))), own]


def _parts(train: pd.DataFrame, test: pd.DataFrame) -> tuple[tuple[str, pd.DataFrame], ...]:
    return ("train", train), ("test", test)


def _repository(frame: pd.DataFrame) -> pd.Series:
    """Names without their owner, as ``REPOSITORIES`` has them."""
    return frame["repo"].astype(str).str.rpartition("/")[2].rename("repository")


def _text(column: pd.Series) -> pd.Series:
    return column.fillna("").astype(str)


def _whole(frame: pd.DataFrame) -> pd.Series:
    return _text(frame["title"]) + "\n" + _text(frame["body"])


def _plain(texts: pd.Series) -> pd.Series:
    """Return texts in lower case and with single spaces."""
    return texts.str.lower().str.split().str.join(" ")
