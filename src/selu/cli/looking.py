"""Verbs that show what is tracked, and recompute parts of the report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import (
    CHECK,
    MODELS,
    AnyPaper,
    AsJson,
    Board,
    Paper,
    one_thread,
    print_record,
    print_sentence,
    progress,
    root_of_clone,
    tabular,
)
from selu.registry import DEFAULT

verbs = typer.Typer()


@verbs.command("list", rich_help_panel=CHECK)
@tabular
def list_(
    what: Annotated[str, typer.Argument(help="'tasks', 'systems', 'cells' (scores), 'claims' or 'papers'")],
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only rows with this value, as FIELD=VALUE; may be repeated."),
    ] = None,
    paper: Paper = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List a paper's tasks, systems, scores or claims, or list the papers."""
    from selu import registry
    from selu.app import list as listing

    rows = listing.rows(root_of_clone(), what, where or [], paper)
    print_record(rows, as_json, listing.IMPORTANT.get(what, ()))
    if not as_json and what in listing.LISTS[:-1]:
        name = registry.benchmark(registry.known(paper)).name
        print_sentence(f"{listing.called(what).capitalize()} of {name}; --paper names another paper.")


@verbs.command(rich_help_panel=CHECK)
def show(
    name: Annotated[str, typer.Argument(help="TASK/SYSTEM, or a task, a system or a claim, or a paper")],
    paper: AnyPaper = None,
    as_json: AsJson = False,
) -> None:
    """Show one score with its rank and the next scores of its task, or one task, system, claim or paper."""
    from selu.app import show as showing

    record = showing.record(root_of_clone(), name, paper)
    if as_json:
        print_record(record, True)
    elif lines := showing.lines(record):
        typer.echo("\n".join(lines))
    else:
        print_record(record, False)


@verbs.command(rich_help_panel=MODELS)
def show_prompt(
    task: Annotated[str, typer.Argument(help="id of a task that models are asked")],
    row: Annotated[
        str | None,
        typer.Option(
            help="id of a row; by default the first test row, or placeholders in a paper's own forms."
        ),
    ] = None,
    shots: Annotated[
        int, typer.Option(help="demonstrations: 0 or 3, or as many as a paper's own form has")
    ] = 0,
    form: Annotated[
        str | None,
        typer.Option("--format", help="Form of a prompt that has several, such as 2/2-instruct."),
    ] = None,
    authors: Annotated[
        Path | None, typer.Option(help="Folder with the authors' package: show their wording, with our shots.")
    ] = None,
    paper: AnyPaper = None,
) -> None:
    """Show a task's prompt: the paper's form in our words, or the authors' own wording."""
    from selu.app import show_prompt as showing

    shown = showing.prompt(root_of_clone(), task, paper, row, shots, form, authors)
    typer.echo(shown.text)
    for sentence in shown.says:
        progress(sentence)


@verbs.command(rich_help_panel=CHECK)
@tabular
def compare(
    a: Annotated[str, typer.Argument(help="a system, or a file of predictions")],
    b: Annotated[str, typer.Argument(help="another system, or another file")],
    task: Annotated[str | None, typer.Option(help="Task of prediction files that do not name one.")] = None,
    paper: AnyPaper = None,
    board: Board = None,
    as_json: AsJson = False,
) -> None:
    """Compare two systems, or two files of predictions of the same rows: differences, and what they mean."""
    one_thread()
    from selu import registry
    from selu.vocabulary import SeluError

    result: Mapping[str, object]
    if task is not None or Path(a).is_file() or Path(b).is_file():
        from selu.app.ranking import compare_predictions

        if paper or board:
            raise SeluError("predictions are of a task, not of a table: leave out --paper and --board.")
        result = compare_predictions.compare(root_of_clone(), Path(a), Path(b), task)
    else:
        from selu.app.ranking import compare as comparing_systems

        result = comparing_systems.comparison(root_of_clone(), a, b, paper, board)
    if as_json:
        print_record(result, True)
        return
    print_record(result["tasks"], False)
    of_paper = f"{registry.benchmark(str(result['benchmark'])).name}: " if "benchmark" in result else ""
    print_sentence(f"{of_paper}{result['sentence']}")


@verbs.command(rich_help_panel=CHECK)
def verify(
    claim: Annotated[str | None, typer.Option(help="One claim, with all its evidence.")] = None,
    what_if: Annotated[
        Path | None, typer.Option(help="Folder of altered tables to check instead of the paper's.")
    ] = None,
    paper: Paper = DEFAULT,
    every: Annotated[bool, typer.Option("--all", help="Every verdict with its reason.")] = False,
    as_json: AsJson = False,
) -> None:
    """Recompute every verdict, and every score whose rows are here. Exit code 1 if one differs."""
    one_thread()
    from selu import registry
    from selu.app import findings
    from selu.app import verify as verification

    if claim and paper == DEFAULT:  # its id says whose it is
        paper = registry.of_claim(claim) or DEFAULT
    outcome = verification.verify(root_of_clone(), claim, what_if, paper)
    if as_json:
        print_record(outcome.record(), True)
    elif claim is not None:
        typer.echo("\n".join(findings.claim(outcome.claims[0])))
    else:
        typer.echo("\n".join(findings.all_of(outcome) if every else findings.summary(outcome)))
    for line in outcome.differences:
        typer.echo(line, err=True)
    if outcome.differences:
        raise typer.Exit(1)
