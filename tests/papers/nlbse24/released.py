"""Small files like the released ones, of our own words, for tests that break them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from selu import registry

OWNERS = {
    "react": "facebook",
    "tensorflow": "tensorflow",
    "vscode": "microsoft",
    "bitcoin": "bitcoin",
    "opencv": "opencv",
}
SENTENCES = 10  # of each language; the last two test


def issues(per_label: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test file of that many reports each per repository and label, no text twice."""
    rows: dict[int, list[dict[str, str]]] = {0: [], 1: []}
    for name, label in product(OWNERS, ("bug", "feature", "question")):
        for number in range(2 * per_label):
            rows[number % 2].append(
                {"repo": f"{OWNERS[name]}/{name}", "created_at": f"2023-09-{28 - number} 10:00:00"}
                | {
                    "label": label,
                    "title": f"{name} {label} {number}",
                    "body": f"words of {name} {label} {number}",
                }
            )
    return pd.DataFrame(rows[0]), pd.DataFrame(rows[1])


def comments(categories: dict[str, str]) -> dict[str, pd.DataFrame]:
    """Language -> file: every sentence in every category, in the n-th sentence's category n it belongs."""
    found = {}
    for language in ("Java", "Pharo", "Python"):
        own = [place.partition("/")[2] for row, place in categories.items() if row.startswith(language)]
        rows = [
            {"comment_sentence_id": str(number), "class": f"Class{number // 2}"}
            | {"comment_sentence": f"plain sentence {number}", "partition": str(int(number >= SENTENCES - 2))}
            | {"instance_type": str(int(number % len(own) == position)), "category": name.capitalize()}
            for position, name in enumerate(own)
            for number in range(SENTENCES)
        ]
        found[language] = pd.DataFrame(rows)
    return found


def frames(categories: dict[str, str], per_label: int = 4) -> dict[str, pd.DataFrame]:
    """All five files by the names that facts are counted by."""
    train, test = issues(per_label)
    return {"issues_train": train, "issues_test": test} | {
        language.lower(): frame for language, frame in comments(categories).items()
    }


def whole(language: str = "pharo") -> dict[str, pd.DataFrame]:
    """The file of a language, whole: every fifth sentence is for testing, every ninth of the category."""
    rows = [
        {"comment_sentence_id": str(number), "class": f"Class{number % 50}"}
        | {"comment_sentence": f"sentence {number}", "partition": str(int(number % 5 == 0))}
        | {"instance_type": str(int(number % 9 == 0)), "category": task.id.partition("_")[2].title()}
        for task in registry.tasks("nlbse24")
        if task.id.startswith(f"{language}_")
        for number in range(task.instances)
    ]
    return {f"{language}.csv": pd.DataFrame(rows, dtype=object)}


def predictions(test: pd.DataFrame, answers: Sequence[str]) -> bytes:
    """The published form of answers to the reports of a test file."""
    rows = enumerate(zip(test["repo"], test["label"], answers, strict=True))
    lines = [f"{row},{repo},{label},{answer}" for row, (repo, label, answer) in rows]
    return ("\n".join(["test_row,repo,label,predicted", *lines]) + "\n").encode()
