"""The pipeline on real histories, as ``speed/faun_eval_histories.py`` counted: tables and the finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu.benchmarks.table import Table

Record = Mapping[str, Any]
PLACE = Path("docs") / "measurements" / "faun_eval_histories.json"
MADE_BY = "SELU_CLONES=FOLDER SELU_MIRROR=FOLDER python speed/faun_eval_histories.py"
FIELDS = ("pairs", "repositories")
_NEVER = ("cross-reference check", "merged check")  # refuse a commit


def say(record: Record) -> str:
    """Say how many published pairs are found, and how many tasks are made."""
    rows = record["repositories"]
    found, published = (sum(row[key] for row in rows) for key in ("found", "published"))
    edits, pairs = sum(row["tasks"]["editing"] for row in rows), sum(row["pairs"] for row in rows)
    return (
        f"The pipeline finds {found:,} of {published:,} published pairs in the histories of {len(rows)} "
        f"repositories, and turns {edits:,} of all {pairs:,} pairs into tasks"
    )


def by_repository(record: Record) -> Table:
    """Lay out commits, pairs, filters, tasks and time of each repository, and of all."""
    import pandas as pd

    every = record["repositories"]
    rows = [_row(row["repository"], [row]) for row in every] + [_row("all", every)]
    lacking = [row["repository"] for row in every if row["lacks"]]
    caption = (
        "The paper's pipeline on full histories, without GitHub: pairs come from commit messages. Columns from "
        "one-to-one to substance count what passes that filter. Question answering has no record, since its "
        "texts are asked of GitHub. Minutes are of a processor. "
        f"Clones that lack some large files: {', '.join(lacking) or 'none'}."
    )
    return Table("histories", caption, pd.DataFrame(rows))


def _row(name: str, rows: list[Record]) -> dict[str, str]:
    def total(*keys: str) -> int:
        return sum(row[keys[0]] if len(keys) == 1 else row[keys[0]][keys[1]] for row in rows)

    passed: Counter[str] = Counter()
    for row in rows:
        for step in row["steps"]:
            passed[step["filter"].removesuffix(" check")] += step["passed"]
    filters = ("one-to-one", "file-changed count", "doc change detection", "suffix detection", "substance")
    return {
        "Repository": name,
        "Commits": f"{total('commits'):,}",
        "Pairs": f"{total('pairs'):,}",
        "Of the published": f"{total('found'):,} of {total('published'):,}",
        **{filter[0].upper() + filter[1:]: f"{passed[filter]:,}" for filter in filters},
        "Question answering": f"{total('tasks', 'questions'):,}",
        "Fault localization": f"{total('tasks', 'localization'):,}",
        "Code editing": f"{total('tasks', 'editing'):,}",
        "Minutes": f"{sum(row['processor_s'] for row in rows) / 60:.2f}",
    }


def by_language(record: Record) -> Table:
    """Lay out how many pairs of each language come to each filter and fall there."""
    import pandas as pd

    counts: dict[str, dict[str, list[int]]] = {}
    for row in record["repositories"]:
        for step in row["languages"]:
            if step["filter"] in _NEVER:
                continue
            one = counts.setdefault(step["language"], {}).setdefault(step["filter"], [0, 0])
            one[0] += step["came"]
            one[1] += step["came"] - step["passed"]
    rows = []
    for language, filters in sorted(counts.items(), key=lambda item: -next(iter(item[1].values()))[0]):
        line = {"Language": language}
        for filter, (came, fell) in filters.items():
            line[filter[0].upper() + filter[1:]] = f"{fell:,} of {came:,}"
        rows.append(line)
    caption = "How many of the pairs that come to a filter fall there, by the language of the changed sources."
    return Table("histories_by_language", caption, pd.DataFrame(rows).fillna(""))


def beyond(record: Record) -> Table:
    """Lay out why pairs are found that the list lacks."""
    import pandas as pd

    why: Counter[str] = Counter()
    for row in record["repositories"]:
        why.update(row["beyond"])
    rows = [{"Reason": reason, "Pairs": f"{number:,}"} for reason, number in why.most_common()]
    caption = (
        "Why the list lacks pairs that are found: the first filter that refuses them, else what none of its "
        "own pairs of the repository has."
    )
    return Table("histories_beyond", caption, pd.DataFrame(rows))
