"""Verbs for choosing or submitting a system: recommend, submit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from selu.app.ranking.recommend import Choice
    from selu.app.ranking.submit import Opponent
    from selu.boards.found import FirstFound, Neighbour, WithShares

verbs = typer.Typer()

Purpose = Annotated[
    str | None,
    typer.Option("--for", help="Purpose that the paper's tasks serve, such as issue-triage."),
]


@verbs.command(rich_help_panel=MODELS)
@tabular
def recommend(
    purpose: Annotated[
        list[str] | None,
        typer.Option("--for", help="Purpose that the paper's tasks serve, such as issue-triage."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="TASK or TASK=WEIGHT, in addition to those of --for; may be repeated."),
    ] = None,
    max_parameters: Annotated[
        str | None, typer.Option(help="Published size, like 500M or 1B; baselines count as none.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="open (Apache-2.0, MIT, BSD-3-Clause), or the name of one.")
    ] = None,
    max_memory: Annotated[
        float | None, typer.Option(help="Largest GPU memory for training, in GiB over all GPUs.")
    ] = None,
    max_price: Annotated[
        float | None, typer.Option(help="Largest price of one run on all the tasks, in USD.")
    ] = None,
    paper: Paper = DEFAULT,
    board: Board = None,
    as_json: AsJson = False,
) -> None:
    """Recommend at most five systems for a purpose, with score, interval, cost and how scores were checked."""
    from selu.app.ranking import recommend as recommending
    from selu.vocabulary import SeluError

    if purpose and len(purpose) > 1:
        raise SeluError(
            f"--for takes one purpose, not {' and '.join(purpose)}: add tasks of another one by --task, which "
            "may be repeated."
        )
    limits = recommending.Limits(max_parameters, licence, max_memory, max_price)
    chosen = purpose[0] if purpose else None
    found = recommending.recommend(root_of_clone(), chosen, task or (), limits, paper, board)
    if as_json:
        print_record(found, True)
        return
    if is_for_program():
        print_record([{**row, "missing": row.get("missing")} for row in found["systems"]], False)
        return
    if "costs" in found:
        print_record([*map(_choice, found["systems"])], False, below="about")
    else:
        print_record([*map(_on_board, found["systems"])], False, below="about")
    print_sentence(found["sentence"])
    if "costs" in found:
        for line in found["costs"]:
            progress(f"cost: {line}")
    if found["interval"]:
        progress(f"interval: {found['interval']}")


@verbs.command(rich_help_panel=MODELS)
@tabular
def submit(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, Markdown table or JSON with task and score, or a column per task; or with id and answer."
        ),
    ],
    task: Annotated[str | None, typer.Option(help="Task of predictions that do not name one.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the system; by default as in the file.")] = None,
    purpose: Purpose = None,
    out: Annotated[Path | None, typer.Option(help="Write the record that a pull request needs.")] = None,
    paper: Paper = DEFAULT,
    board: Board = None,
    as_json: AsJson = False,
) -> None:
    """Place your own scores or predictions in the ranking: rank, mean, interval, tests against neighbours."""
    from selu.app.ranking import submit as submitting

    wished = submitting.Wished(task, name, purpose)
    found = submitting.submit(root_of_clone(), file, wished, out, paper, board)
    if as_json:
        print_record(found, True)
        return
    if is_for_program():
        print_record(found["against"], False)
    elif found["against"]:
        print_record([*map(_opponent, found["against"])], False)
    print_sentence(found["sentence"])
    if out is not None:
        progress(f"wrote {out}")


FIRST = "better, equal, worse than the first"
_HOUR = 0.99  # hours: fewer are written as minutes, at most 59; compare.js writes and rounds the same


def _choice(row: Choice) -> Mapping[str, object]:
    """Return a row for people: values that belong together share a column, rounded to meaningful digits."""
    missing = f", none on {', '.join(row['missing'])}" if "missing" in row else ""
    takes = f"one run takes {_takes(row) or 'what is not known'}"
    scores = f"scores: {row['evidence']}{missing}"
    about = (row["size"], row["licence"], takes, _use(row), row["here"], scores)
    return {
        "system": row["system"],
        "rank": row["rank"],
        "score": f"{row['score']:.3f}",
        "low": row["low"],
        "high": row["high"],
        FIRST: odds(row),
        "about": "; ".join(part for part in about if part),
    }


def _on_board(row: FirstFound) -> Mapping[str, object]:
    """Return a row of a published table for people, in the form of ``_choice``."""
    rank = None if row["rank"] is None else f"{row['rank']}{'=' if row['tied'] else ''}"
    shown = {
        "system": row["system"],
        "rank": rank,
        **_scored(row, FIRST, {"low": row["low"], "high": row["high"]}),
    }
    return shown | ({"about": f"no score on {', '.join(row['missing'])}"} if row["missing"] else {})


def _opponent(row: Opponent | Neighbour) -> Mapping[str, object]:
    head = "yours is better, equal, worse"
    if "p_value" in row:
        rank = None if row["rank"] is None else str(row["rank"])
        return {"system": row["system"], "rank": rank, **_scored(row, head)}
    return {"system": row["system"], "rank": row["rank"], "score": f"{row['score']:.3f}", head: odds(row)}


def _scored(
    row: FirstFound | Neighbour, odds_of: str, bounds: Mapping[str, float | None] | None = None
) -> Mapping[str, object]:
    """Scores may be on any scale, and may be too few to test."""
    mean = None if row["score"] is None else f"{row['score']:.4g}"
    few = None if row["p_value"] is None else f"p-value {row['p_value']:.3f}"
    return {"mean": mean, **(bounds or {}), "mean rank": f"{row['mean_rank']:.2f}", odds_of: odds(row) or few}


def odds(row: WithShares) -> str | None:
    """Write the probabilities of better, equal and worse in percent; None where two are not tested."""
    better, equal, worse = row["p_better"], row["p_equal"], row["p_worse"]
    if better is None or equal is None or worse is None:
        return None
    return f"{100 * better:.1f}, {100 * equal:.1f}, {100 * worse:.1f} %"


def _use(row: Choice) -> str | None:
    memory, seconds = row["inference_gib"], row["inference_seconds"]
    takes = "" if seconds is None else f", {seconds:.2g} s"
    return None if memory is None else f"inference {memory:.1f} GiB{takes}"


def _takes(row: Choice) -> str | None:
    hours, usd, memory = row["hours"], row["usd"], row["gpu_gib"]
    parts = (
        None if hours is None else f"{max(60 * hours, 1):.0f} min" if hours < _HOUR else f"{hours:.1f} h",
        None if usd is None else "less than 0.01 USD" if 0 < usd < 0.005 else f"{usd:.2f} USD",
        None if memory is None else f"{memory:.0f} GiB GPU" if memory else "no GPU",
    )
    return ", ".join(part for part in parts if part) or None
