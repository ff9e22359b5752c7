"""Verbs of the whole package: reproduce, report, export, archive, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import (
    CHECK,
    PACKAGE,
    AsJson,
    Mirror,
    Paper,
    ProtocolFilter,
    SeedFilter,
    SystemFilter,
    TaskFilter,
    print_record,
    progress,
    root_of_clone,
    state,
)
from selu.registry import DEFAULT
from selu.vocabulary import SeluError

verbs = typer.Typer()


@verbs.command(rich_help_panel=CHECK)
def reproduce(
    data: Annotated[
        bool,
        typer.Option("--data", help="Recompute what needs the data sets: read, clean and split them again."),
    ] = False,
    mirror: Mirror = None,
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="After a change of the program: replace what differs, and commit it to dvc.lock.",
        ),
    ] = False,
    runs: Annotated[
        bool, typer.Option("--runs", help="Train and score tracked runs again from the prepared rows.")
    ] = False,
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="With --runs: only the shortest runs that fit into this time; by default all."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="With --runs: number of parallel processes.")] = None,
) -> None:
    """Recompute tracked results in a scratch folder and name each difference. Only --update overwrites.

    Without --data or --runs: only what needs published numbers and tracked results.
    Everything else is taken from the tracked files.
    """
    from selu.app import reproduce as reproduction
    from selu.app import reproduce_runs
    from selu.execution.planned import Wanted

    only_runs = {"task": task, "system": system, "protocol": protocol, "seed": seed, "minutes": minutes}
    only_runs["jobs"] = jobs
    if runs:
        if data or update:
            raise SeluError(f"--runs compares runs alone: call it without {'--data' if data else '--update'}.")
        wanted = Wanted(task or (), system or (), protocol or (), seed or ())
        differences = reproduce_runs.reearn(root_of_clone(), wanted, minutes, jobs, progress)
    elif alone := [f"--{name}" for name, value in only_runs.items() if value is not None]:
        raise SeluError(f"{alone[0]} needs --runs beside it.")
    else:
        differences = reproduction.reproduce(
            root_of_clone(), progress=progress, data=data, mirror=mirror, update=update
        )
    for line in differences:
        typer.echo(line, err=True)
    if differences:
        raise typer.Exit(1)


@verbs.command(rich_help_panel=PACKAGE)
def report(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="PART...",
            help="Parts of the paper's own, such as summary; of each paper claims, notebook NAME, "
            "notebooks or audit (a PDF for a reviewer); of all together settings, rules, site or documents.",
        ),
    ],
    paper: Paper = DEFAULT,
) -> None:
    """Make parts of the report from tracked files. The stages of dvc.yaml call this."""
    from selu.app import report as reporting

    for path in reporting.make(root_of_clone(), what, progress, benchmark=paper):
        typer.echo(f"wrote {path}")


@verbs.command(rich_help_panel=PACKAGE)
def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="every-eval-ever (records of runs), model-index or eval-results (of one system, for its page "
            "on the Hugging Face hub), codecheck (codecheck.yml).",
        ),
    ],
    system: Annotated[
        str | None, typer.Argument(help="One system; by default all for every-eval-ever.")
    ] = None,
    paper: Paper = DEFAULT,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write, or folder for every-eval-ever; by default standard output."),
    ] = None,
) -> None:
    """Write scores of runs, or what a codechecker needs, in a format that other programs read."""
    from selu.package import export as exporting

    text, missing = exporting.export(root_of_clone(), form, paper, system, out)
    typer.echo(text, nl=False)
    if out is not None:
        progress(f"wrote {out}")
    if missing:
        progress(f"{missing} fields say FIXME: only a person can fill them in.")


@verbs.command(rich_help_panel=PACKAGE)
def archive(
    out: Annotated[
        Path | None, typer.Option(help="The file to write; by default build/selu-COMMIT.zip.")
    ] = None,
) -> None:
    """Pack the commit at HEAD and its provenance record into one zip, with equal bytes in every clone."""
    from selu.package import archive as archiving

    path, digest = archiving.archive(root_of_clone(), out, progress=progress)
    typer.echo(f"{digest}  {path}")


@verbs.command(rich_help_panel=PACKAGE)
def doctor(as_json: AsJson = False) -> None:
    """Report what this machine can run. Exit code 1 if packages do not fit it, 2 if the project is damaged."""
    from selu.package import doctor as diagnosis

    record = diagnosis.examine(state["root"])
    problems = record["problems"] if as_json else record.pop("problems")
    print_record(record, as_json)
    for line in problems:
        typer.echo(f"selu: {line}", err=True)
    if problems or "problem" in record["project"]:
        raise typer.Exit(2 if "problem" in record["project"] else 1)
