"""Verbs that look at what is tracked, and compute parts of the report anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import AsJson, Benchmark, print_record, progress, root_of_clone
from selu.registry import DEFAULT

verbs = typer.Typer()


@verbs.command("list")
def list_(
    what: Annotated[str, typer.Argument(help="tasks, systems, cells, claims or benchmarks")],
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only rows with this value, as FIELD=VALUE; may be repeated."),
    ] = None,
    benchmark: Benchmark = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List a benchmark's tasks, systems, scores (cells) or claims, or list the benchmarks."""
    from selu.app import list as listing

    print_record(listing.rows(root_of_clone(), what, where or [], benchmark), as_json)


@verbs.command()
def show(
    name: Annotated[str, typer.Argument(help="TASK/SYSTEM, or a task, a system or a claim")],
    as_json: AsJson = False,
) -> None:
    """Show one score and the scores beside it, or one task, system or claim."""
    from selu.app import show as showing

    print_record(showing.record(root_of_clone(), name), as_json)


@verbs.command()
def show_prompt(
    task: Annotated[str, typer.Argument(help="id of a task of classification or regression")],
    row: Annotated[str | None, typer.Option(help="id of a test row; by default the first")] = None,
    shots: Annotated[int, typer.Option(help="demonstrations: 0 or 3")] = 0,
) -> None:
    """Show the exact prompt of one test row."""
    from selu.execution.prompt import prompts

    typer.echo(prompts.prompt(root_of_clone(), task, row, shots))


@verbs.command()
def compare(
    a: Annotated[str, typer.Argument(help="a system")],
    b: Annotated[str, typer.Argument(help="another system")],
    as_json: AsJson = False,
) -> None:
    """Compare two systems: their differences per task or track, and what they mean."""
    from selu.app import compare as comparing_systems

    result = comparing_systems.comparison(root_of_clone(), a, b)
    if as_json:
        print_record(result, True)
        return
    print_record(result["tasks"], False)
    typer.echo(result["sentence"])


@verbs.command()
def verify(
    claim: Annotated[str | None, typer.Option(help="One claim, with all its evidence.")] = None,
    what_if: Annotated[
        Path | None, typer.Option(help="Folder of altered tables to check instead of the paper's.")
    ] = None,
    benchmark: Benchmark = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Recompute every verdict, and every score whose rows are here. Exit code 1 if one differs."""
    # Numpy reads this when it is imported: its threads take more processor time than they save of the clock's.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from selu.app import verify as verification

    outcome = verification.verify(root_of_clone(), claim, what_if, benchmark)
    if as_json:
        print_record(outcome.record(), True)
    elif claim:
        print_record(outcome.claims[0], False)
    else:
        for line in outcome.lines():
            typer.echo(line)
    for line in outcome.differences:
        typer.echo(line, err=True)
    if outcome.differences:
        raise typer.Exit(1)


@verbs.command()
def report(
    what: Annotated[
        str,
        typer.Argument(
            help="A part that the benchmark declares, as summary or comparisons; of any claims, notebook NAME "
            "or notebooks; of all together knobs, rules or site."
        ),
    ],
    name: Annotated[str | None, typer.Argument(help="which notebook")] = None,
    benchmark: Benchmark = DEFAULT,
) -> None:
    """Make one part of the report from tracked files. The stages of dvc.yaml call this."""
    from selu.app import report as reporting

    for path in reporting.make(root_of_clone(), what, name, progress=progress, benchmark=benchmark):
        typer.echo(f"wrote {path}")
