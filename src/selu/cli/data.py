"""Verbs of the data sets: fetch, prepare, audit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import DATA, AsJson, Mirror, Paper, print_record, progress, root_of_clone, tabular
from selu.registry import DEFAULT
from selu.vocabulary import SeluError

verbs = typer.Typer()

Every = Annotated[bool, typer.Option("--all", help="All tasks.")]


@verbs.command(rich_help_panel=DATA)
@tabular
def fetch(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="ids of tasks, or a list of published files: result_files")
    ] = None,
    every: Every = False,
    mirror: Mirror = None,
    origin: Annotated[
        str | None, typer.Option(help="Only from this origin: mirror, mirror-texts, package or original.")
    ] = None,
    paper: Paper = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Download data sets, or files that authors publish, into data/raw and verify their pinned hashes."""
    from selu.app.datasets import fetch as fetching

    root = root_of_clone()
    lists, rows = fetching.fetch_named(root, tasks or [], paper, every, mirror, origin, progress)
    print_record([*lists, *rows], as_json)
    if rows:
        progress(fetching.summary(rows))
    if fetching.failed([*lists, *rows], every and paper == DEFAULT):
        raise typer.Exit(1)


@verbs.command(rich_help_panel=DATA)
def prepare(
    tasks: Annotated[list[str] | None, typer.Argument(help="ids of tasks")] = None,
    every: Every = False,
    mirror: Mirror = None,
    package: Annotated[
        str | None,
        typer.Option(help="Import name of the installed package from which a task's rows are made."),
    ] = None,
    repository: Annotated[
        str | None, typer.Option(help="OWNER/NAME on GitHub: make the paper's records from it.")
    ] = None,
    clone: Annotated[Path | None, typer.Option(help="With --repository: folder of its clone.")] = None,
    verdicts: Annotated[
        list[Path] | None,
        typer.Option(
            help="With --repository: a person's verdicts (CSV) or a model's (JSONL); may be repeated."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="With --repository: model for the verdicts: a name of params.yaml, a folder, or OWNER/NAME.",
        ),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="With --judge: USD that it may cost; it stops before that.")
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="With --repository: download what changed since the last call.")
    ] = False,
    paper: Paper = DEFAULT,
) -> None:
    """Clean and split tasks' rows, and draw demonstrations for prompts. Missing data are fetched first."""
    from selu.app.datasets import prepare as preparation

    root = root_of_clone()
    if repository is not None:
        if tasks or every or package:
            raise SeluError("--repository makes records of its own: leave tasks, --all and --package out.")
        if verdicts and judge:
            raise SeluError("--verdicts are given and --judge asks for them: name one of the two.")
        if max_cost is not None and not judge:
            raise SeluError("--max-cost goes with --judge, which asks a model: leave it out.")
        wanted = preparation.Repository(repository, clone, verdicts or (), judge, renew, max_cost)
        written = preparation.mine(root, paper, wanted, mirror, progress)
    else:
        if clone or verdicts or judge or renew or max_cost is not None:
            raise SeluError(
                "--clone, --verdicts, --judge, --max-cost and --renew go with --repository OWNER/NAME."
            )
        written = preparation.prepare(root, tasks or [], every, mirror, paper, progress, package)
    for path in written:
        typer.echo(f"wrote {path}")


@verbs.command(rich_help_panel=DATA)
@tabular
def audit(
    task: Annotated[str, typer.Argument(help="id of a task, or a folder with the paper's published files")],
    as_json: AsJson = False,
    paper: Paper = DEFAULT,
    split: Annotated[
        str | None,
        typer.Option(help="With a folder: write this split's rows, train and evaluation apart, to --out."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A new folder for the rows of --split.")] = None,
) -> None:
    """Describe a task's rows: labels, duplicates, leaks between train and test, lengths, drift.

    Given a folder with a paper's published files, it shows their sizes, and what is wrong with them.
    """
    from selu.app.datasets import audit as auditing
    from selu.registry import benchmark_of

    failed = False
    if (split is None) != (out is None):
        raise SeluError("--split NAME and --out FOLDER go together.")
    if split is not None and out is not None:
        print_record(auditing.cut_split(Path(task), paper, split, out), as_json)
        return
    auditing.check_has_rows(root_of_clone(), task, paper)
    record: Mapping[str, object]
    if paper in (DEFAULT, benchmark_of(task)):
        record, parts = auditing.audit(root_of_clone(), task)
    else:
        found = auditing.audit_folder(Path(task), paper, progress)
        record, parts, failed = found.record, list(found.parts), found.failed
    if as_json:
        print_record(record, True)
    else:
        for title, part in parts:
            typer.echo(f"\n{title}" if title else "", nl=bool(title))
            print_record(part, False)
    if failed:
        raise typer.Exit(1)
