"""Facts of the comment sentences: Table 2 counted, partitions, categories, characters, equal texts (3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from selu.papers.nlbse24.material import PARTS, TOTAL

if TYPE_CHECKING:
    import pandas as pd

RELEASED = {"0": "training", "1": "testing"}  # of the released files, by counts; section 3.1 says otherwise
# Those that section 3.1 lists, and how a column can be named after them.
SPECIAL = {c: f"with {c}" for c in "@#&%.,!?"} | {"\n": "with a line end"}
Facts = list[tuple[str, str, str]]
Frames = Mapping[str, "pd.DataFrame"]


def tables(comments: Frames, categories: Mapping[str, str]) -> Mapping[str, Facts]:
    """Return the fact tables of the comment track by name.

    Args:
        comments: language (``Java``) -> frame as ``facts`` says.
        categories: row of Table 2 (``Java/Expand``) -> category in the file (``java/expand``).
    """
    return {
        "comment_rows": distribution(comments, categories),
        "comment_columns": columns(comments),
        "partition_rows": partitions(comments),
        "sentence_ids": by_language(comments, sentences),
        "class_counts": by_language(comments, classes),
        "sentence_categories": by_language(comments, memberships),
        "sentence_parts": by_language(comments, in_both_parts),
        "comment_characters": by_language(comments, characters),
        "comment_overlap": overlap(comments, categories),
    }


def mismatches(
    comments: Frames, categories: Mapping[str, str], totals: Mapping[str, int], training: str
) -> list[str]:
    """Return a sentence for each departure from the expected shape.

    Args:
        totals: language -> rows of its file.
        training: the partition that section 3.1 calls training.
    """
    found = []
    for language, frame in comments.items():
        if len(frame) != totals[language]:
            found.append(f"{language}: {len(frame):,} rows in the file, {totals[language]:,} in Table 2.")
        names = set(_own(language, categories).values())
        present = {name.lower() for name in frame["category"].unique()}
        found += [f"{language}: the category {name} is missing." for name in sorted(names - present)]
        found += [f"{language}: the category {name} is foreign." for name in sorted(present - names)]
        other = sorted({str(value) for value in frame["instance_type"].unique()} - {"0", "1"})
        found += [f"{language}: instance_type has the foreign value {value!r}." for value in other]
        twice = int(frame.duplicated(["comment_sentence_id", "category"]).sum())
        short = int((frame.groupby("comment_sentence_id")["category"].nunique() != len(present)).sum())
        texts = int((frame.groupby("comment_sentence_id")["comment_sentence"].nunique() != 1).sum())
        for count, what in (
            (twice, "rows repeat a sentence in a category"),
            (short, "sentences are not in every category of the file"),
            (texts, "sentence ids have several texts"),
        ):
            found += [f"{language}: {count:,} {what}."] if count else []
    return [*found, *_swapped(comments, training)]


def _swapped(comments: Frames, stated: str) -> list[str]:
    """List partitions whose counts differ from those of the parts that the release, or the text, calls them."""
    found = []
    for language, frame in comments.items():
        larger = training_partition({language: frame})
        if RELEASED[larger] != "training":
            found.append(
                f"{language}: the partitions are swapped: 1 is the larger and taken for training, where the "
                "release has 0."
            )
    if (larger := training_partition(comments)) != stated:
        found.append(f"Section 3.1 says that partition {stated} is training; by counts it is {larger}.")
    return found


def training_partition(comments: Frames) -> str:
    """Return ``0`` or ``1``, whichever has more rows over all languages: four fifths of a set train (3.1)."""
    ones = sum(int((frame["partition"].astype(str) == "1").sum()) for frame in comments.values())
    return "1" if 2 * ones > sum(map(len, comments.values())) else "0"


def distribution(comments: Frames, categories: Mapping[str, str]) -> Facts:
    """Count Table 2: rows and columns as it has them, the larger partition of a language as training."""
    found: Facts = []
    for language, frame in comments.items():
        own = _own(language, categories)
        training = frame["partition"].astype(str) == training_partition({language: frame})
        positive = frame["instance_type"].astype(str) == "1"
        answers = {"Positive": positive, "Negative": ~positive, "Total": positive | ~positive}
        category = frame["category"].str.lower()
        for row, name in {**own, f"{language}/{TOTAL}": None}.items():
            chosen = category.isin(own.values()) if name is None else category == name
            for part, within in zip(PARTS, (training, ~training, training | ~training), strict=True):
                for column, is_ in answers.items():
                    found.append((row, f"{part}: {column}", str((chosen & within & is_).sum())))
    return found


def columns(comments: Frames) -> Facts:
    """Return names of the columns that all files have, in the order of the first."""
    first, *others = comments.values()
    names = [name for name in first.columns if all(name in other.columns for other in others)]
    return [("all", "columns", ", ".join(names))]


def partitions(comments: Frames) -> Facts:
    """Return rows of partition 0 and 1, of all languages and of each."""
    found: Facts = []
    for value in RELEASED:
        rows = {
            language: int((frame["partition"].astype(str) == value).sum())
            for language, frame in comments.items()
        }
        found.append((value, "rows", str(sum(rows.values()))))
        found += [(f"{language}/{value}", "rows", str(count)) for language, count in rows.items()]
    return found


def by_language(comments: Frames, count: Callable[[pd.DataFrame], Mapping[str, int]]) -> Facts:
    """Count the file of each language: a row for each, and a column for each count."""
    return [
        (language, column, str(number))
        for language, frame in comments.items()
        for column, number in count(frame).items()
    ]


def sentences(frame: pd.DataFrame) -> Mapping[str, int]:
    """Count sentence ids, and their different texts, also without case and spaces."""
    texts = _once(frame)["comment_sentence"]
    plain = texts.astype(str).str.lower().str.split().str.join(" ")
    return {
        "unique": len(texts),
        "texts": texts.nunique(),
        "texts without case and spaces": plain.nunique(),
    }


def classes(frame: pd.DataFrame) -> Mapping[str, int]:
    """Count different class names, and their places: runs of one name by sentence id.

    A name in several places is that of several files: other classes stand between them.
    """
    once = _once(frame)
    names = once["class"].to_numpy()[once["comment_sentence_id"].astype(int).argsort(kind="stable")]
    begins = names[[True, *(names[1:] != names[:-1])]]
    most = max(Counter(begins).values())
    return {"classes": len(set(names)), "places": len(begins), "most places of a name": most}


def memberships(frame: pd.DataFrame) -> Mapping[str, int]:
    """Count how many sentences belong to no category, to one, two, and so on."""
    positive = frame["instance_type"].astype(str) == "1"
    held = positive.groupby(frame["comment_sentence_id"]).sum()
    most = int(held.max())
    return {"most": most} | {f"in {n}": int((held == n).sum()) for n in range(most + 1)}


def in_both_parts(frame: pd.DataFrame) -> Mapping[str, int]:
    """Count the sentence ids, and those that are training in one category and testing in another."""
    parts = frame.groupby("comment_sentence_id")["partition"].nunique()
    return {"sentences": len(parts), "in both": int((parts > 1).sum())}


def characters(frame: pd.DataFrame) -> Mapping[str, int]:
    """Count sentences with a capital letter, and with one of the characters that section 3.1 calls removed."""
    texts = _once(frame)["comment_sentence"].astype(str)
    having = {name: texts.str.contains(c, regex=False) for c, name in SPECIAL.items()}
    return {
        "sentences": len(texts),
        "capital letters": int((texts != texts.str.lower()).sum()),
        "special characters": int(reduce(or_, having.values()).sum()),
        **{name: int(has.sum()) for name, has in having.items()},
    }


def overlap(comments: Frames, categories: Mapping[str, str]) -> Facts:
    """Count testing rows of each category whose text, or text and class, also occurs in its training rows.

    ``another answer`` counts those of which no training row of that text has the same instance_type.
    """
    found: Facts = []
    for language, frame in comments.items():
        training = frame["partition"].astype(str) == training_partition({language: frame})
        sums: dict[str, int] = {}
        for row, name in _own(language, categories).items():
            own = frame["category"].str.lower() == name
            counts = _repeats(frame[own & training], frame[own & ~training])
            found += [(row, column, str(count)) for column, count in counts.items()]
            sums = {column: sums.get(column, 0) + count for column, count in counts.items()}
        found += [(f"{language}/{TOTAL}", column, str(count)) for column, count in sums.items()]
    return found


def _repeats(train: pd.DataFrame, test: pd.DataFrame) -> Mapping[str, int]:
    def key(frame: pd.DataFrame, *names: str) -> pd.Series:
        return sum((frame[name].astype(str) + "\0" for name in names[1:]), frame[names[0]].astype(str) + "\0")

    def known(*names: str) -> pd.Series:
        return key(test, *names).isin(set(key(train, *names)))

    text = known("comment_sentence")
    return {
        "testing": len(test),
        "text in training": int(text.sum()),
        "text and class in training": int(known("comment_sentence", "class").sum()),
        "another answer": int((text & ~known("comment_sentence", "instance_type")).sum()),
    }


def _own(language: str, categories: Mapping[str, str]) -> Mapping[str, str]:
    """Map the rows of Table 2 of one language to their categories in the file."""
    return {row: place.partition("/")[2] for row, place in categories.items() if row.startswith(f"{language}/")}


def _once(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row per sentence id."""
    return frame.drop_duplicates("comment_sentence_id")
