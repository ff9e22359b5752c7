"""Verbs of whoever chooses a system, or has one: recommend, submit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import AsJson, Benchmark, print_record, progress, root_of_clone
from selu.registry import DEFAULT

verbs = typer.Typer()

Purpose = Annotated[
    str | None,
    typer.Option("--for", help="A purpose that the benchmark has tasks for, such as issue-triage."),
]


@verbs.command()
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
    benchmark: Benchmark = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Recommend at most five systems for a purpose, with score, interval, cost and what the scores rest on."""
    from selu.app import recommend as recommending

    limits = recommending.Limits(max_parameters, licence, max_memory, max_price)
    found = recommending.recommend(root_of_clone(), purpose, task or (), limits, benchmark)
    if as_json:
        print_record(found, True)
        return
    print_record([_shown(row) for row in found["systems"]], False)
    typer.echo(found["sentence"])
    for line in found["costs"]:
        progress(f"cost: {line}")


@verbs.command()
def submit(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV with task and score, or a column a task; CSV or JSON lines with id and answer."
        ),
    ],
    task: Annotated[str | None, typer.Option(help="Of predictions that name none.")] = None,
    name: Annotated[
        str | None, typer.Option(help="What the system is called; by default as in the file.")
    ] = None,
    purpose: Purpose = None,
    out: Annotated[Path | None, typer.Option(help="Write the record that a pull request needs.")] = None,
    benchmark: Benchmark = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Place your own scores or predictions in the ranking: rank, mean, interval, tests against neighbours."""
    from selu.app import submit as submitting

    found = submitting.submit(root_of_clone(), file, task, name, purpose, out, benchmark)
    if as_json:
        print_record(found, True)
        return
    if found["against"]:
        print_record([_shown(row) for row in found["against"]], False)
    typer.echo(found["sentence"])
    if out is not None:
        progress(f"wrote {out}")


def _shown(row: dict[str, object]) -> dict[str, object]:
    """A row for people: bounds in one column, probabilities with two digits."""
    bounds = (row.get("low"), row.get("high"))
    shown: dict[str, object] = {}
    for name, value in row.items():
        if name == "low":
            shown["interval"] = None if value is None else "{:.3f} to {:.3f}".format(*bounds)
        elif name != "high":
            digits = 2 if name in ("hours", "usd") else 3
            shown[name] = f"{value:.{digits}f}" if isinstance(value, float) else value
    return shown
