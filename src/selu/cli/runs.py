"""Verbs of runs: plan, run, sweep, profile, score, rescore."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selu.cli.app import (
    CHECK,
    HOW,
    RUN,
    WHICH,
    YOURS,
    AsJson,
    EnvironmentFilter,
    Mirror,
    Paper,
    ProtocolFilter,
    SeedFilter,
    SystemFilter,
    TaskFilter,
    print_record,
    progress,
    root_of_clone,
    tabular,
)
from selu.registry import DEFAULT

if TYPE_CHECKING:
    from selu.execution.planned import Wanted

verbs = typer.Typer()


def _wanted(paper: str, task: Sequence[str] | None, *others: Sequence[Any] | None) -> Wanted:
    """Return the filters of runs; if no task is named, all tasks of the paper."""
    from selu.execution.planned import Wanted
    from selu.registry import of_benchmark

    return Wanted(of_benchmark(task or (), paper), *(filter_ or () for filter_ in others))


@verbs.command(rich_help_panel=RUN)
@tabular
def plan(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    profile: Annotated[
        str | None, typer.Option(help="a100, h100, h200, l4 or cpu: show what fine-tuning would cost on it.")
    ] = None,
    cells: Annotated[
        bool,
        typer.Option("--cells", help="With --profile: a line per score, even if no task or system is named."),
    ] = False,
    as_json: AsJson = False,
    paper: Paper = DEFAULT,
) -> None:
    """Show the runs that are planned, their state, and the time, memory and money that they would take."""
    from selu.cost import estimate, prices, training
    from selu.cost import tables as cost_tables
    from selu.execution import plans
    from selu.execution.environments import check_device
    from selu.vocabulary import SeluError

    wanted = _wanted(paper, task, system, protocol, seed, environment)
    if cells and profile is None:
        raise SeluError("--cells goes with --profile: name a profile, or leave it out.")
    if profile is not None:
        record = training.cost(root_of_clone(), wanted, profile)
        named = bool(task or system)
        for part in [record] if as_json else cost_tables.tables(record, named or cells, not named):
            print_record(part, as_json, ("runs", "hours", "device_hours", "usd", "memory_gib"))
        progress(cost_tables.summary(record))
        return
    root = root_of_clone()
    wanted = plans.here(root, wanted)
    priced, rows = prices.table(root, wanted), estimate.table(root, wanted)
    if as_json:
        print_record([*priced, *rows], True)  # one document, though prompted cells have other fields than runs
    for part, summary in ((priced, prices.summary(root, priced)), (rows, estimate.summary(rows))):
        if part and not as_json:
            print_record(part, False, ("state", "fits", "minutes", "usd_at_most", "requests"))
        if part:
            progress(summary)
    check_device(plans.plan(root, wanted))


@verbs.command(rich_help_panel=RUN)
def run(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    only: Annotated[
        str,
        typer.Option(
            help="missing (absent or out of date), outdated (here, but out of date), failed, all or none.",
            rich_help_panel=WHICH,
        ),
    ] = "missing",
    jobs: Annotated[
        int | None,
        typer.Option(help="Parallel processes; by default one per core.", rich_help_panel=HOW),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            help="USD that prompted systems may still cost; they stop before that.", rich_help_panel=HOW
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER_OR_ID",
            help="Run this sentence encoder, a folder or OWNER/NAME of the hub, and write its report.",
            rich_help_panel=YOURS,
        ),
    ] = None,
    in_force: Annotated[
        bool,
        typer.Option(
            "--in-force",
            help="For 'dvc repro': only systems that the chosen profile trains.",
            rich_help_panel=HOW,
        ),
    ] = False,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Score these answers of your system and write their report; nothing is run.",
            rich_help_panel=YOURS,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_FOLDER",
            help="Ask this model a paper's questions: a name of params.yaml, a folder, or OWNER/NAME.",
            rich_help_panel=YOURS,
        ),
    ] = None,
    paper: Paper = DEFAULT,
) -> None:
    """Train or prompt systems on prepared rows and score their answers. An interrupted run continues."""
    from selu.app.running import run as runs

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a lost worker is reported in a sentence
    ways = {"--encoder": encoder, "--model": model, "--in-force": in_force}
    filters = {
        "--task": task,
        "--system": system,
        "--protocol": protocol,
        "--seed": seed,
        "--environment": environment,
    }
    options = {"--only": only != "missing", "--jobs": jobs is not None, "--max-cost": max_cost is not None}
    if answers is None:
        _check_way(ways, filters, options)
    root = root_of_clone()
    if answers is not None:
        from selu.app.running import answers as said

        beside = (*filters.values(), *ways.values(), *options.values())
        written: Iterable[Path] = said.place(root, paper, answers, beside, progress)
    elif model is not None:
        from selu.app.running import model as asked

        written = asked.run(root, paper, model, task or (), progress, max_cost)
    elif encoder is not None:
        from selu.app.running import encoder as given

        wanted = _wanted(paper, task, system, protocol, seed, environment)
        written = given.run(root, encoder, wanted, only, jobs, progress)
    elif in_force:
        from selu.app.running import in_force as repro

        written = repro.make(root, system or (), jobs, progress)
    else:
        wanted = _wanted(paper, task, system, protocol, seed, environment)
        written = runs.run(root, wanted, only, jobs, progress=progress, max_cost=max_cost)
    for path in written:
        typer.echo(f"wrote {path}")


# Filters and options that a way to run takes.
_TAKES = {
    "--model": ("--task", "--max-cost"),
    "--in-force": ("--system", "--jobs"),
    "--encoder": ("--task", "--system", "--protocol", "--seed", "--environment", "--only", "--jobs"),
}


def _check_way(
    ways: Mapping[str, object], filters: Mapping[str, object], options: Mapping[str, object]
) -> None:
    """Refuse two ways to run at once, and filters and options that a way would pass over."""
    from selu.vocabulary import SeluError

    taken = [name for name, given in ways.items() if given]
    if len(taken) > 1:
        raise SeluError(f"{' and '.join(taken)} do not go together: give one of them.")
    for way in taken:
        for name, given in {**filters, **options}.items():
            if given and name not in _TAKES[way]:
                takes = ", ".join(_TAKES[way])
                raise SeluError(f"{name} does not go with {way}, which takes {takes} alone: leave it out.")


@verbs.command(rich_help_panel=RUN)
def sweep(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    only: Annotated[str, typer.Option(help="As in 'selu run'.", rich_help_panel=WHICH)] = "missing",
    address: Annotated[
        str | None,
        typer.Option(
            envvar="SELU_RAY", help="HOST:PORT of a Ray head, or auto; by default Ray on this machine alone."
        ),
    ] = None,
    gather: Annotated[
        str | None,
        typer.Option(
            envvar="SELU_GATHER",
            help="URL of a folder (s3, gs, ssh, a path), for nodes that can't reach this machine's disk.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Parallel runs on this machine; by default one per core.")
    ] = None,
) -> None:
    """Run systems on the nodes of a Ray cluster, many in parallel; by default those that the profile names."""
    from selu.sweep import sweep as sweeping

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a lost cluster is reported in a sentence
    wanted = _wanted(DEFAULT, task, system, protocol, seed, environment)
    for path in sweeping.sweep(root_of_clone(), wanted, only, progress, address, gather, jobs):
        typer.echo(f"wrote {path}")


@verbs.command(rich_help_panel=RUN)
def profile(
    name: Annotated[str, typer.Argument(help="laptop, workstation, a100, or one of your own in params.yaml")],
) -> None:
    """Choose the kind of machines for 'selu sweep': which systems, tasks and GPUs."""
    from selu.cost import profiles

    changed = profiles.set_profile(root_of_clone(), name)
    since = "from now on (shared.sweep.profile of params.yaml)" if changed else "already"
    typer.echo(f"{name} is in force {since}")


@verbs.command(rich_help_panel=RUN)
def score(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    paper: Paper = DEFAULT,
) -> None:
    """Score stored predictions, without training: of all runs that are here, or of the planned runs named.

    Exit code 1 if a run can't be scored.
    """
    from selu.execution import plans, runner
    from selu.vocabulary import SeluError

    root, named = root_of_clone(), task or system or protocol or seed or environment
    wanted = _wanted(paper, task, system, protocol, seed, environment)
    try:
        runs = plans.plan(root, wanted) if named else runner.here(root, wanted, progress)
        for path in runner.score(root, runs, progress, anew=True):
            typer.echo(f"wrote {path}")
    except SeluError as error:
        typer.echo(f"selu: {error}", err=True)
        raise typer.Exit(1) from None


@verbs.command(rich_help_panel=CHECK)
@tabular
def rescore(
    task: TaskFilter = None,
    system: SystemFilter = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            envvar="SELU_PREDICTIONS",
            help="Folder with local copies of the authors' predictions, as TASK/SYSTEM/test_predictions.csv or "
            "as the paper's data/pins/PAPER/predictions.csv says.",
        ),
    ] = None,
    mirror: Mirror = None,
    paper: Paper = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Score the predictions that the authors published, against the original labels."""
    from selu.app import rescore as rescoring

    found = rescoring.rescore(root_of_clone(), paper, task or (), system or (), predictions, mirror, progress)
    if as_json or found.rows:
        print_record(found.record if as_json else found.rows, as_json)
    progress(found.says)
    if found.failed:
        raise typer.Exit(1)
