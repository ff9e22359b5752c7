"""The verb for tables of scores: check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selu.cli.app import (
    CHECK,
    OUTPUT,
    AsJson,
    Board,
    is_for_program,
    one_thread,
    print_record,
    print_sentence,
    progress,
    root_of_clone,
    tabular,
)
from selu.cli.choosing import FIRST, odds

if TYPE_CHECKING:
    from selu.boards.found import Found, SystemFound

verbs = typer.Typer()
_SHOWN = 50  # systems in a terminal


@verbs.command(rich_help_panel=CHECK)
@tabular
def check(
    scores: Annotated[
        Path | None,
        typer.Argument(
            help="Table of systems and tasks: CSV, Markdown, XLSX or JSON, or a folder of MTEB results."
        ),
    ] = None,
    paper: Annotated[
        str | None, typer.Option(help="Check a paper's ranking instead; 'selu list papers' shows them.")
    ] = None,
    board: Board = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page with all findings.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check any table of scores: ranks, intervals, tests, what the first place depends on, impossible numbers.

    Exit code 1 if a number is impossible.
    """
    one_thread()
    from selu.app.ranking import check as checking
    from selu.vocabulary import SeluError

    if (scores is None) == (paper is None) or (board and not paper):
        raise SeluError("give a file with scores, or --paper with a paper's id (and --board with it).")
    if scores is not None:
        found = checking.check(scores, page)
    else:
        found = checking.check_published(root_of_clone(), str(paper), board, page)
    if as_json:
        print_record(found, True)
    elif is_for_program():
        print_record(found["systems"], False)
    else:
        _print(found)
    if page is not None:
        progress(f"wrote {page}")
    if found["impossible"]:
        raise typer.Exit(1)


def _print(found: Found) -> None:
    """Print the sentence, the ranking, impossible numbers, what the first place depends on, and notes."""
    from selu.boards.sentence import depending

    print_sentence(found["sentence"])
    print_sentence("")
    few, by = found["method"]["test_draws"] == 0, found["method"]["ranked_by"]
    rows = [_shown(row, few, by) for row in found["systems"][:_SHOWN]]
    empty = [name for name in rows[0] if all(row[name] is None for row in rows)]
    print_record([{k: v for k, v in row.items() if k not in empty} for row in rows], False, below="missing")
    if left := len(found["systems"]) - len(rows):
        print_sentence(f"{left:,} more systems: --csv, --json and --page have them.")
    for head, lines in (
        ("Impossible numbers", [fault["says"] for fault in found["impossible"]]),
        ("What the first place depends on", depending(found)),
        ("Notes", found["notes"]),
    ):
        if lines:
            print_sentence("")
            print_sentence(f"{head}:")
        for line in lines[:_SHOWN]:
            print_sentence(f"- {line}")
        if lines[_SHOWN:]:
            print_sentence(f"- {len(lines) - _SHOWN:,} more: --json has them.")


def _shown(row: SystemFound, few: bool, by: str) -> dict[str, object]:
    """Return a row for people: values that belong together share a column."""
    from selu.boards.sentence import named

    shown: dict[str, object] = {
        "rank": None if row["rank"] is None else f"{row['rank']}{'=' if row['tied'] else ''}",
        "system": row["system"],
        "mean": None if row["mean"] is None else f"{row['mean']:.4g}",
        "low": row["low"],
        "high": row["high"],
        "mean rank": None if row["mean_rank"] is None else f"{row['mean_rank']:.2f}",
        "win rate": row["win_rate"] if by == "win rate" else None,
        "tier": row["tier"],
    }
    if few:
        shown["p-value against the first"] = None if row["p_value"] is None else f"{row['p_value']:.3f}"
    else:
        shown[FIRST] = odds(row)
    return shown | {"missing": f"no score on {named(row['missing'])}" if row["missing"] else None}


@verbs.command(rich_help_panel=CHECK)
def new(
    name: Annotated[str, typer.Argument(help="Id of the paper: small letters, digits and underscores.")],
    scores: Annotated[
        Path, typer.Option(help="Table of its systems and tasks, in any form that 'selu check' takes.")
    ],
    title: Annotated[str, typer.Option(help="Title of the paper; by default that of --paper.")] = "",
    paper: Annotated[
        Path | None,
        typer.Option(help="YAML file with title, authors, venue, year, doi, url, code, or some of them."),
    ] = None,
    prefix: Annotated[
        str, typer.Option(help="First letters of its claims' ids; by default the first free ones.")
    ] = "",
    lower: Annotated[
        list[str] | None,
        typer.Option(
            help="A task on which a lower score is better, if its name doesn't say so; may be repeated."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a paper whose scores are published: its table, its ranking, and claims that the table suggests."""
    one_thread()
    from selu.app.new import write

    made = write.new(root_of_clone(), name, scores, title, prefix, lower or (), paper)
    if as_json:
        print_record(made, True)
        return
    print_record(made["claims"], False)
    for line in write.describe(made):
        print_sentence(line)
