"""Verbs of whoever chooses a system, or has one: recommend, submit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from selu.cli.app import (
    MODELS,
    AsJson,
    Board,
    Paper,
    is_for_program,
    print_record,
    print_sentence,
    progress,
    root_of_clone,
    tabular,
)
from selu.registry import DEFAULT

verbs = typer.Typer()

Purpose = Annotated[
    str | None,
    typer.Option("--for", help="A purpose that the paper has tasks for, such as issue-triage."),
]


@verbs.command(rich_help_panel=MODELS)
@tabular
def recommend(
    purpose: Purpose = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="TASK or TASK=WEIGHT, beside those of --for; may be repeated."),
    ] = None,
    max_parameters: Annotated[
        str | None, typer.Option(help="Published size, like 500M or 1B; baselines count as none.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="open (Apache-2.0, MIT, BSD-3-Clause), or the name of one.")
    ] = None,
    max_memory: Annotated[
        float | None, typer.Option(help="GiB of GPU memory that training takes, all GPUs together.")
    ] = None,
    max_price: Annotated[float | None, typer.Option(help="USD that one run on all the tasks takes.")] = None,
    paper: Paper = DEFAULT,
    board: Board = None,
    as_json: AsJson = False,
) -> None:
    """Recommend at most five systems for a purpose, with score, interval, cost and what the scores rest on."""
    from selu.app import recommend as recommending

    limits = recommending.Limits(max_parameters, licence, max_memory, max_price)
    found = recommending.recommend(root_of_clone(), purpose, task or (), limits, paper, board)
    if as_json:
        print_record(found, True)
        return
    if is_for_program():
        print_record([{**row, "missing": row.get("missing")} for row in found["systems"]], False)
        return
    rows = [_shown(row, "better, equal, worse than the first") for row in found["systems"]]
    print_record(rows, False, below="about")
    print_sentence(found["sentence"])
    for line in found.get("costs", ()):
        progress(f"cost: {line}")
    if found["interval"]:
        progress(f"interval: {found['interval']}")


@verbs.command(rich_help_panel=MODELS)
@tabular
def submit(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, Markdown table or JSON with task and score, or a column a task; or with id and answer."
        ),
    ],
    task: Annotated[str | None, typer.Option(help="Of predictions that name none.")] = None,
    name: Annotated[
        str | None, typer.Option(help="What the system is called; by default as in the file.")
    ] = None,
    purpose: Purpose = None,
    out: Annotated[Path | None, typer.Option(help="Write the record that a pull request needs.")] = None,
    paper: Paper = DEFAULT,
    board: Board = None,
    as_json: AsJson = False,
) -> None:
    """Place your own scores or predictions in the ranking: rank, mean, interval, tests against neighbours."""
    from selu.app import submit as submitting

    wished = submitting.Wished(task, name, purpose)
    found = submitting.submit(root_of_clone(), file, wished, out, paper, board)
    if as_json:
        print_record(found, True)
        return
    if is_for_program():
        print_record(found["against"], False)
    elif found["against"]:
        print_record([_shown(row, "yours is better, equal, worse") for row in found["against"]], False)
    print_sentence(found["sentence"])
    if out is not None:
        progress(f"wrote {out}")


def _shown(row: dict[str, Any], odds_of: str) -> dict[str, Any]:
    """A row for people: what belongs together in one column, in the digits that say something."""
    if "p_value" in row:
        return _on_board(row, odds_of)
    shown = {"system": row["system"], "rank": row["rank"], "score": f"{row['score']:.3f}"}
    if "low" in row:
        shown |= {"low": row["low"], "high": row["high"]}
    odds = [row[f"p_{name}"] for name in ("better", "equal", "worse")]
    shown[odds_of] = (
        None if None in odds else "{:.1f}, {:.1f}, {:.1f} %".format(*(100 * share for share in odds))
    )
    if "evidence" in row:
        missing = f", none on {', '.join(row['missing'])}" if "missing" in row else ""
        takes = f"one run takes {_takes(row) or 'what is not known'}"
        about = (
            row["size"],
            row["licence"],
            takes,
            _use(row),
            row["here"],
            f"scores: {row['evidence']}{missing}",
        )
        shown["about"] = "; ".join(part for part in about if part)
    return shown


def _on_board(row: dict[str, Any], odds_of: str) -> dict[str, Any]:
    """The same of a published table, whose scores may be on any scale, and may be too few to test."""
    tied = "=" if row.get("tied") else ""
    shown = {"system": row["system"], "rank": None if row["rank"] is None else f"{row['rank']}{tied}"}
    shown["mean"] = None if row["score"] is None else f"{row['score']:.4g}"
    if "low" in row:
        shown |= {"low": row["low"], "high": row["high"]}
    shown["mean rank"] = f"{row['mean_rank']:.2f}"
    odds = [row[f"p_{name}"] for name in ("better", "equal", "worse")]
    few = None if row["p_value"] is None else f"p-value {row['p_value']:.3f}"
    shown[odds_of] = few if None in odds else "{:.1f}, {:.1f}, {:.1f} %".format(*(100 * p for p in odds))
    if row.get("missing"):
        shown["about"] = f"no score on {', '.join(row['missing'])}"
    return shown


def _use(row: dict[str, Any]) -> str | None:
    memory, seconds = row["inference_gib"], row["inference_seconds"]
    takes = "" if seconds is None else f", {seconds:.2g} s"
    return None if memory is None else f"inference {memory:.1f} GiB{takes}"


def _takes(row: dict[str, Any]) -> str | None:
    hours, usd, memory = row["hours"], row["usd"], row["gpu_gib"]
    parts = (
        None if hours is None else f"{60 * hours:.0f} min" if hours < 1 else f"{hours:.1f} h",
        None if usd is None else "less than 0.01 USD" if 0 < usd < 0.005 else f"{usd:.2f} USD",
        None if memory is None else f"{memory:.0f} GiB GPU" if memory else "no GPU",
    )
    return ", ".join(part for part in parts if part) or None
