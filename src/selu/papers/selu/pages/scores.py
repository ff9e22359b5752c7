"""SELU's scores for the pages of tasks and systems: published, and beside them re-run ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.boards.rows import Check, Counts, Published, ScoreRow, place
from selu.names import DASH, word
from selu.papers.declared import read_mapping
from selu.papers.page import Page
from selu.papers.selu.records.reruns import CountedFile, RecountedCell, RerunCell
from selu.papers.selu.records.statistics import CheckedStatistics, SystemEntry
from selu.papers.task_pages import TASK_PAGE, Example
from selu.report.site_words import fixed
from selu.vocabulary import CellState, Task

SYSTEM_PAGE = "systems/{}.html"
_HUB = "https://huggingface.co/"


def published_scores(
    statistics: CheckedStatistics, counts: Mapping[tuple[str, str], Counts] | None = None
) -> Mapping[str, Sequence[Published]]:
    """List each task's scores in the order of the systems.

    Args:
        statistics: as in ``reruns.merged``: each cell with its ``check``, or None.
        counts: as in ``counts_of``.
    """
    names = {system["id"]: system["name"] for system in statistics["systems"]}
    found: dict[str, list[Published]] = {}
    for cell in statistics["cells"]:
        present = cell["state"] == CellState.PRESENT
        published = Published(
            cell["system"],
            names[cell["system"]],
            cell["printed"] if present else None,
            None if present else f"{cell['state']}: {cell['reason']}",
            _checked(cell["check"]),
            f"Table VI, row {cell['task']}, column {names[cell['system']]}" if present else "",
            (counts or {}).get((cell["task"], cell["system"])),
        )
        found.setdefault(cell["task"], []).append(published)
    return found


def _checked(checked: RerunCell | RecountedCell | None) -> Check | None:
    return None if checked is None else Check(**{name: checked.get(name) for name in Check._fields})  # type: ignore[arg-type]


def counts_of(tasks: Sequence[Task], recounts: Sequence[CountedFile]) -> Mapping[tuple[str, str], Counts]:
    """Shape the counts of the authors' result files, by task and system.

    Args:
        recounts: the entries of ``recounts.json``.
    """
    labels = {task.id: tuple(label.name for label in task.labels) for task in tasks}
    found = {}
    rows: list[tuple[int | None, ...]]
    for entry in recounts:
        names, matrix, by_label = labels[entry["task"]], entry["matrix"], entry["labels"]
        if matrix and len(matrix) == len(names):
            caption, columns = "Rows are the true labels, columns the answers", (*names, "none of these")
            rows, right = [(*row,) for row in matrix], None
        elif by_label and len(by_label["right"]) == len(names):
            caption, columns = (
                "Rows of each label: answered correctly, true, answered",
                ("right", "true", "answered"),
            )
            counted = by_label["right"], by_label["support"], by_label["answered"]
            rows, right = list(zip(*counted, strict=True)), 0
        else:
            continue
        found[entry["task"], entry["system"]] = Counts(
            caption, columns, tuple(zip(names, rows, strict=True)), right
        )
    return found


def examples() -> Mapping[str, Sequence[Example]]:
    """Read the rows made up for this project, by task."""
    return read_mapping("selu.papers.selu", "prompts/examples.yaml")


def system_pages(statistics: CheckedStatistics) -> Mapping[str, Page]:
    """Render a page for each system of the paper, by its address: what it is, and its place on every task."""
    scores = published_scores(statistics)
    overall = {row["system"]: row for row in statistics["leaderboards"][0]["rows"]}
    pages = {}
    for system in statistics["systems"]:
        id = system["id"]
        rows: list[ScoreRow] = [
            {
                **place(scores[task["id"]], id),
                "title": word(task["id"]),
                "at_page": TASK_PAGE.format(task["id"]),
            }
            for task in statistics["tasks"]
        ]
        ranked = sorted((row for row in rows if row["rank"]), key=lambda row: (row["rank"], row["at_page"]))
        checked, first = (
            sum(row["checked"] is not None for row in rows),
            sum(row["rank"] == 1 for row in ranked),
        )
        lines = []
        if id in overall:
            overall_row = overall[id]
            lines.append(
                f"Rank {overall_row['rank']} of {len(overall)} by mean score over {overall_row['n']} tasks "
                f"({overall_row['M']:.3f}, 95 % confidence interval {fixed(overall_row['ci_lower'])} to "
                f"{fixed(overall_row['ci_upper'])})."
            )
        if first:
            lines.append(f"First on {first} task{'s' if first > 1 else ''}.")
        heading = f"{checked} of its scores were checked" if checked else "None of its scores was checked here"
        view = {
            "id": id,
            "name": system["name"],
            "overall": lines,
            "best": ranked[:3],
            "facts": [*_facts(system), ("Checked scores", f"{checked} of {len(ranked)}", "")],
            "pairs": f"pairs/{id}.html",
            "groups": [{"heading": heading, "rows": rows, "computed": False}],
        }
        pages[SYSTEM_PAGE.format(id)] = Page("system", view)
    return pages


def _facts(system: SystemEntry) -> list[tuple[str, str, str]]:
    """Return what is known of a system: label, text, and the address of its link (or an empty text)."""
    hub, counted = system["hub"] or "", system["parameters_counted"]
    return [
        ("Approach", word(system["approach"]), ""),
        ("Architecture", word(system["architecture"]), ""),
        ("Pre-trained on", word(system["adaptation"]), ""),
        ("Parameters as published", system["size_published"] or DASH, ""),
        (
            "Parameters counted",
            f"{counted:,}" if counted else DASH,
            "",
        ),
        ("Longest input", f"{system['context']:,} tokens" if system["context"] else DASH, ""),
        ("Licence", f"{system['licence']}{' (access on request)' if system['gated'] else ''}", ""),
        ("Weights", hub or DASH, f"{_HUB}{hub}" if "/" in hub else ""),
    ]
