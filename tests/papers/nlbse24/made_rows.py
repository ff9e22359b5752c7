"""Raw tables of the shapes of the competition, with texts of our own."""

from __future__ import annotations

import pandas as pd

from selu import registry

LABELS = ("bug", "feature", "question")
REPOSITORIES = (
    "facebook/react",
    "tensorflow/tensorflow",
    "microsoft/vscode",
    "bitcoin/bitcoin",
    "opencv/opencv",
)


def issues() -> dict[str, pd.DataFrame]:
    """Both files, 100 reports of each label, repository and part."""
    tables = {}
    for part in ("train", "test"):
        rows = [
            (repo, "2023-01-01 00:00:00", label, f"{label} {number} of {repo}", f"a {part} text about {label}")
            for repo in REPOSITORIES
            for label in LABELS
            for number in range(100)
        ]
        names = ["repo", "created_at", "label", "title", "body"]
        tables[f"issues_{part}.csv"] = pd.DataFrame(rows, columns=names, dtype=object)
    return tables


def comments(language: str = "pharo") -> dict[str, pd.DataFrame]:
    """The file of a language: every fifth sentence is for testing, every ninth of the category."""
    rows = [
        (
            str(number),
            f"Class{number % 50}",
            f"sentence {number}",
            str(int(number % 5 == 0)),
            str(int(number % 9 == 0)),
            name,
        )
        for task in registry.tasks("nlbse24")
        if task.id.startswith(f"{language}_")
        for name in [task.id.partition("_")[2].title()]
        for number in range(task.instances)
    ]
    names = ["comment_sentence_id", "class", "comment_sentence", "partition", "instance_type", "category"]
    return {f"{language}.csv": pd.DataFrame(rows, columns=names, dtype=object)}
