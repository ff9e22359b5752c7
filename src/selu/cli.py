"""The command line: one verb per job. Heavy libraries are imported by the verb that needs them."""

from __future__ import annotations

import signal
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from selu import __version__
from selu.vocabulary import SeluError

app = typer.Typer(
    name="selu",
    help="Verify every number and claim of a benchmark paper, and rerun any cell of it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
_state: dict[str, Path | None] = {"root": None}


def _root() -> Path:
    from selu.project import find_root

    return find_root(_state["root"])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    root: Annotated[
        Path | None, typer.Option(help="Clone of the project; by default the one around this folder.")
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Common options."""
    _state["root"] = root


@app.command("list")
def list_(
    what: Annotated[str, typer.Argument(help="tasks, systems, cells or claims")],
    where: Annotated[
        list[str] | None,
        typer.Option(help="Keep the rows of this value, as FIELD=VALUE; may be given several times."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List tasks, systems, cells or claims, with filters."""
    from selu.commands import listing

    _print(listing.rows(_root(), what, where or []), as_json)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="TASK/SYSTEM, or a task, a system or a claim")],
    as_json: AsJson = False,
) -> None:
    """Show a cell with its neighbours, or the record of a task, a system or a claim."""
    from selu.commands import listing

    _print(listing.record(_root(), name), as_json)


@app.command()
def show_prompt(
    task: Annotated[str, typer.Argument(help="id of a task of classification or regression")],
    row: Annotated[str | None, typer.Option(help="id of a test row; by default the first")] = None,
    shots: Annotated[int, typer.Option(help="demonstrations: 0 or 3")] = 0,
) -> None:
    """Show what a prompted model is asked of a test row, to the letter."""
    from selu.commands import showing

    typer.echo(showing.prompt(_root(), task, row, shots))


@app.command()
def compare(
    a: Annotated[str, typer.Argument(help="a system")],
    b: Annotated[str, typer.Argument(help="another system")],
    as_json: AsJson = False,
) -> None:
    """Compare two systems: differences per task, posterior, and what it means in a sentence."""
    from selu.commands import listing

    result = listing.comparison(_root(), a, b)
    if as_json:
        _print(result, True)
        return
    _print(result["tasks"], False)
    typer.echo(result["sentence"])


@app.command()
def verify(
    claim: Annotated[str | None, typer.Option(help="One claim, with its evidence in full.")] = None,
    what_if: Annotated[
        Path | None, typer.Option(help="Folder of altered tables to check instead of the paper's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute every verdict anew; exit 1 when one differs from the tracked one."""
    from selu.commands import verification

    outcome = verification.verify(_root(), claim, what_if)
    if as_json:
        _print(outcome.record(), True)
    elif claim:
        _print(outcome.claims[0], False)
    else:
        for line in outcome.lines():
            typer.echo(line)
    for line in outcome.differences:
        typer.echo(line, err=True)
    if outcome.differences:
        raise typer.Exit(1)


@app.command()
def report(
    what: Annotated[
        str,
        typer.Argument(
            help="statistics, sensitivity, cells, comparisons, claims, claims-rerun, finetuned, "
            "comparisons-finetuned, prompted, heads, summary, notebook or site"
        ),
    ],
    name: Annotated[str | None, typer.Argument(help="which notebook")] = None,
) -> None:
    """Compute one part of the report from the tracked files; the stages of dvc.yaml call this."""
    from selu.commands import reporting

    for path in reporting.make(_root(), what, name, progress=_progress):
        typer.echo(f"wrote {path}")


Tasks = Annotated[list[str] | None, typer.Argument(help="ids of tasks")]
Every = Annotated[bool, typer.Option("--all", help="All tasks.")]
Mirror = Annotated[
    Path | None,
    typer.Option(envvar="SELU_MIRROR", help="Folder with local copies of the data sets, tried first."),
]


@app.command()
def fetch(
    tasks: Tasks = None,
    every: Every = False,
    mirror: Mirror = None,
    origin: Annotated[
        str | None, typer.Option(help="Only this origin of the pins: mirror, package, original.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring the bytes of data sets into data/raw, verified against their pins."""
    from selu.commands import fetching

    rows = fetching.fetch_tasks(_root(), tasks or [], every, mirror, origin, progress=_progress)
    _print(rows, as_json)
    _progress(fetching.summary(rows))
    if fetching.failed(rows, every):
        raise typer.Exit(1)


@app.command()
def prepare(tasks: Tasks = None, every: Every = False, mirror: Mirror = None) -> None:
    """Turn the bytes of tasks into cleaned rows, splits and shots; fetches what is missing."""
    from selu.commands import preparation

    for path in preparation.prepare(_root(), tasks or [], every, mirror, progress=_progress):
        typer.echo(f"wrote {path}")


TaskFilter = Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be repeated.")]
SystemFilter = Annotated[list[str] | None, typer.Option("--system", help="Only this system.")]
ProtocolFilter = Annotated[list[str] | None, typer.Option("--protocol", help="paper or strict.")]
SeedFilter = Annotated[list[int] | None, typer.Option("--seed", help="Only this seed.")]
EnvironmentFilter = Annotated[
    list[str] | None, typer.Option("--environment", help="authors or baselines: the lock that a run uses.")
]


@app.command()
def plan(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    profile: Annotated[
        str | None,
        typer.Option(help="a100, h100, h200, l4 or cpu: what fine-tuning would take there, for any cells."),
    ] = None,
    cells: Annotated[
        bool, typer.Option("--cells", help="With --profile: each cell, though no task or system is named.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the runs under the current parameters: their state, and what they would take."""
    from selu.commands import costing, costing_tables, estimating, pricing
    from selu.commands.planning import Wanted

    wanted = Wanted(task or (), system or (), protocol or (), seed or (), environment or ())
    if profile is not None:
        record = costing.cost(_root(), wanted, profile)
        named = bool(task or system)
        for part in [record] if as_json else costing_tables.tables(record, named or cells, not named):
            _print(part, as_json)
        _progress(costing_tables.summary(record))
        return
    if priced := pricing.table(_root(), wanted):
        _print(priced, as_json)
        _progress(pricing.summary(_root(), priced))
    if rows := estimating.table(_root(), wanted):
        _print(rows, as_json)
        _progress(estimating.summary(rows))


@app.command()
def run(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    only: Annotated[
        str, typer.Option(help="missing (what does not stand as the parameters ask), failed, all or none.")
    ] = "missing",
    jobs: Annotated[int | None, typer.Option(help="Processes side by side; by default one a core.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="USD that prompted systems may cost from now on; they stop before.")
    ] = None,
) -> None:
    """Run cells from their prepared rows to predictions and scores; takes up where it was stopped."""
    from selu.commands import running
    from selu.commands.planning import Wanted

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a worker that goes away is said in a sentence
    wanted = Wanted(task or (), system or (), protocol or (), seed or (), environment or ())
    for path in running.run(_root(), wanted, only, jobs, progress=_progress, max_cost=max_cost):
        typer.echo(f"wrote {path}")


@app.command()
def sweep(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
    only: Annotated[str, typer.Option(help="missing, failed, all or none, as of 'selu run'.")] = "missing",
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
            help="URL of a folder (s3, gs, ssh, a path), for nodes that do not see this one.",
        ),
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Cells at once here; by default one a core.")] = None,
    commit: Annotated[bool, typer.Option(help="Have DVC take in the stages whose runs all stand.")] = True,
) -> None:
    """Run cells side by side on the nodes of a Ray cluster, those of the profile where none are named."""
    from selu.commands import sweeping
    from selu.commands.planning import Wanted

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a cluster that goes away is said in a sentence
    wanted = Wanted(task or (), system or (), protocol or (), seed or (), environment or ())
    for path in sweeping.sweep(_root(), wanted, only, _progress, address, gather, jobs, commit):
        typer.echo(f"wrote {path}")


@app.command()
def profile(
    name: Annotated[str, typer.Argument(help="laptop, workstation, a100, or one of your own in params.yaml")],
) -> None:
    """Put a profile of machines in force: systems, tasks and GPUs of 'selu sweep' and 'dvc repro'."""
    from selu.commands import profiling

    changed = ", ".join(profiling.set_profile(_root(), name))
    typer.echo(f"{name}: params.yaml has other {changed}" if changed else f"{name} is in force already")


@app.command()
def predict(
    system: Annotated[str, typer.Option(help="id of a fine-tuned system, like minilm-l6")],
    task: Annotated[str, typer.Option(help="id of a task")],
    run: Annotated[
        str | None, typer.Option(help="PROTOCOL-sSEED; by default the strict run with the lowest seed.")
    ] = None,
    tagger: Annotated[
        str | None,
        typer.Option(help="spaCy's model that finds verbs, for masked verbs; by default en_core_web_sm."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help='Lines are {"text": ...} or {"words": [...], "tags": [...]}; so are answers.'
        ),
    ] = False,
) -> None:
    """Answer the texts on standard input, one a line, with a model that 'selu run' trained here."""
    from selu.commands import predicting

    if sys.stdin.isatty():
        _progress("one text a line; Ctrl-D ends them")
    lines = sys.stdin.buffer.read()
    for line in predicting.predict(_root(), system, task, run, lines, as_json, tagger, _progress):
        typer.echo(line)


@app.command()
def score(
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    environment: EnvironmentFilter = None,
) -> None:
    """Score the runs that stand, from their predictions and the prepared rows; nothing is fitted."""
    from selu.commands import planning, running

    wanted = planning.Wanted(task or (), system or (), protocol or (), seed or (), environment or ())
    for path in running.score(_root(), planning.plan(_root(), wanted), _progress, anew=True):
        typer.echo(f"wrote {path}")


@app.command()
def rescore(
    task: TaskFilter = None,
    system: SystemFilter = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            envvar="SELU_PREDICTIONS",
            help="Folder with local copies of the authors' predictions, as TASK/SYSTEM/test_predictions.csv.",
        ),
    ] = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Score the predictions that the authors publish against labels from the source."""
    from selu.commands import rescoring

    record = rescoring.rescore(_root(), task or [], system or [], predictions, mirror, progress=_progress)
    _print(record["cells"] if as_json else rescoring.shown(record), as_json)
    _progress(rescoring.summary(record))
    if rescoring.failed(record, bool(task or system)):
        raise typer.Exit(1)


@app.command()
def audit(
    task: Annotated[str, typer.Argument(help="id of a task")],
    as_json: AsJson = False,
) -> None:
    """Show what the rows of a task hold: labels, duplicates, leaks between train and test, lengths, drift."""
    from selu.commands import auditing

    record, parts = auditing.audit(_root(), task)
    if as_json:
        _print(record, True)
        return
    for title, part in parts:
        typer.echo(f"\n{title}" if title else "", nl=bool(title))
        _print(part, False)


@app.command()
def reproduce(
    data: Annotated[
        bool, typer.Option("--data", help="Read, clean and split the data sets anew, too.")
    ] = False,
    mirror: Mirror = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="Make tracked runs anew from the prepared rows, instead.")
    ] = False,
    task: TaskFilter = None,
    system: SystemFilter = None,
    protocol: ProtocolFilter = None,
    seed: SeedFilter = None,
    minutes: Annotated[
        float | None, typer.Option(help="With --runs: the shortest runs, so long in all; by default all runs.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="With --runs: processes side by side.")] = None,
) -> None:
    """Compute every stage anew beside the tracked results and name each difference; overwrites nothing."""
    from selu.commands import reearning, reproduction
    from selu.commands.planned import Wanted

    only_runs = {"task": task, "system": system, "protocol": protocol, "seed": seed, "minutes": minutes}
    only_runs["jobs"] = jobs
    if runs:
        if data or mirror:
            raise SeluError("--runs takes the prepared rows: call it without --data and --mirror.")
        wanted = Wanted(task or (), system or (), protocol or (), seed or ())
        differences = reearning.reearn(_root(), wanted, minutes, jobs, _progress).differences
    elif alone := [f"--{name}" for name, value in only_runs.items() if value is not None]:
        raise SeluError(f"{alone[0]} needs --runs beside it.")
    else:
        differences = reproduction.reproduce(_root(), progress=_progress, data=data, mirror=mirror)
    for line in differences:
        typer.echo(line, err=True)
    if differences:
        raise typer.Exit(1)


@app.command()
def archive(
    out: Annotated[
        Path | None, typer.Option(help="The file to write; by default build/selu-COMMIT.zip.")
    ] = None,
) -> None:
    """Pack the commit at HEAD with its record of provenance into one zip: equal bytes from any clone."""
    from selu.commands import archiving

    path, digest = archiving.archive(_root(), out, progress=_progress)
    typer.echo(f"{digest}  {path}")


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what this machine can run; exit 1 when what is installed does not fit it, 2 for a damaged project."""
    from selu.commands import diagnosis

    record = diagnosis.examine(_state["root"])
    problems = record["problems"] if as_json else record.pop("problems")
    _print(record, as_json)
    for line in problems:
        typer.echo(f"selu: {line}", err=True)
    if problems or "problem" in record["project"]:
        raise typer.Exit(2 if "problem" in record["project"] else 1)


def _progress(line: str) -> None:
    typer.echo(line, err=True)


def _print(record: Any, as_json: bool) -> None:
    if as_json:
        from selu.project import to_json

        typer.echo(to_json(record), nl=False)
    else:
        from selu.commands.console import render

        render(record)


class _Interrupted(BaseException):
    """A signal to end, as an exception that the command-line library does not swallow."""


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise _Interrupted(number)


def main() -> None:
    """Entry point: a user's mistake ends with one sentence and exit code 2, never with a traceback."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the reader of a pipe (head, less) may go away
    if not sys.warnoptions:  # what matters to a user is said in a sentence, not in a library's warning
        warnings.simplefilter("ignore")
    try:
        app()
    except SeluError as error:
        typer.echo(f"selu: {error}", err=True)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "selu").partition(".")[0] == "selu":
            raise
        typer.echo(
            f"selu: this needs the library {error.name}: 'make data' installs what data takes.", err=True
        )
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        typer.echo(f"selu: {place}{error.strerror or error}; nothing is half-written.", err=True)
        sys.exit(2)
    except _Interrupted as stopped:
        typer.echo("selu: interrupted; no file is half-written.", err=True)
        sys.exit(128 + int(stopped.args[0]))
