"""The pipeline on real histories, as ``speed/faun_eval_histories.py`` counted: tables and the finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from selu.papers.faun_eval.records_measured import Histories, HistoryRow
from selu.papers.table import Table

PLACE = Path("docs") / "measurements" / "faun_eval_histories.json"
MADE_BY = "SELU_CLONES=FOLDER SELU_MIRROR=FOLDER python speed/faun_eval_histories.py"
FIELDS = ("pairs", "repositories")
_NEVER = ("cross-reference check", "merged check")  # refuse a commit


def say(record: Histories) -> str:
    """State how many published pairs are found, and how many tasks are made."""
    rows = record["repositories"]
    found, published = sum(row["found"] for row in rows), sum(row["published"] for row in rows)
    edits, pairs = sum(row["tasks"]["editing"] for row in rows), sum(row["pairs"] for row in rows)
    return (
        f"The pipeline finds {found:,} of {published:,} published pairs in the histories of {len(rows)} "
        f"repositories, and turns {edits:,} of all {pairs:,} pairs into tasks"
    )


def by_repository(record: Histories) -> Table:
    """Tabulate commits, pairs, filters, tasks and time of each repository, and of all."""
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


def _row(name: str, rows: Sequence[HistoryRow]) -> Mapping[str, str]:
    def total(count: Callable[[HistoryRow], int]) -> str:
        return f"{sum(map(count, rows)):,}"

    passed: Counter[str] = Counter()
    for row in rows:
        for step in row["steps"]:
            passed[step["filter"].removesuffix(" check")] += step["passed"]
    filters = ("one-to-one", "file-changed count", "doc change detection", "suffix detection", "substance")
    return {
        "Repository": name,
        "Commits": total(lambda row: row["commits"]),
        "Pairs": total(lambda row: row["pairs"]),
        "Of the published": f"{total(lambda row: row['found'])} of {total(lambda row: row['published'])}",
        **{filter[0].upper() + filter[1:]: f"{passed[filter]:,}" for filter in filters},
        "Question answering": total(lambda row: row["tasks"]["questions"]),
        "Fault localization": total(lambda row: row["tasks"]["localization"]),
        "Code editing": total(lambda row: row["tasks"]["editing"]),
        "Minutes": f"{sum(row['processor_s'] for row in rows) / 60:.2f}",
    }


def by_language(record: Histories) -> Table:
    """Tabulate how many pairs of each language reach each filter and are refused there."""
    import pandas as pd

    counts: dict[str, dict[str, list[int]]] = {}
    for row in record["repositories"]:
        for step in row["languages"]:
            if step["filter"] in _NEVER:
                continue
            came_fell = counts.setdefault(step["language"], {}).setdefault(step["filter"], [0, 0])
            came_fell[0] += step["came"]
            came_fell[1] += step["came"] - step["passed"]
    rows = []
    for language, filters in sorted(counts.items(), key=lambda item: -next(iter(item[1].values()))[0]):
        line = {"Language": language}
        for filter, (came, fell) in filters.items():
            line[filter[0].upper() + filter[1:]] = f"{fell:,} of {came:,}"
        rows.append(line)
    caption = (
        "How many of the pairs that reach a filter are refused there, by the language of the changed sources."
    )
    return Table("histories_by_language", caption, pd.DataFrame(rows).fillna(""))


def beyond(record: Histories) -> Table:
    """Tabulate why pairs are found that the list lacks."""
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
