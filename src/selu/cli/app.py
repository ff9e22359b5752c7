"""The application: how it begins and ends, its common options, and how results and progress are printed."""

from __future__ import annotations

import contextlib
import json
import os
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
    help="Check every number and claim of a benchmark paper, and rerun any score of it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
state: dict[str, Path | None] = {"root": None}
_asked = {"json": False}  # whether this call is to print JSON


def note_json(wanted: bool) -> bool:
    """Remember that JSON is asked for, so that a refusal is JSON, too."""
    _asked["json"] = wanted
    return wanted


AsJson = Annotated[bool, typer.Option("--json", callback=note_json, help="Print JSON instead of a table.")]
TaskFilter = Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be repeated.")]
SystemFilter = Annotated[list[str] | None, typer.Option("--system", help="Only this system.")]
ProtocolFilter = Annotated[
    list[str] | None,
    typer.Option("--protocol", help="paper (the authors' procedure) or strict (chosen on validation data)."),
]
SeedFilter = Annotated[list[int] | None, typer.Option("--seed", help="Only this seed.")]
EnvironmentFilter = Annotated[
    list[str] | None,
    typer.Option("--environment", help="authors, baselines, finetune or cuda: which locked packages are used."),
]
Mirror = Annotated[
    Path | None,
    typer.Option(envvar="SELU_MIRROR", help="Folder with copies of the data sets, tried first."),
]
Benchmark = Annotated[
    str, typer.Option("--benchmark", help="Id of a benchmark; 'selu list benchmarks' shows them.")
]


def root_of_clone() -> Path:
    """Find the clone that ``--root`` names, or the one around this folder."""
    from selu.project import find_root

    return find_root(state["root"])


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
    """Take the common options."""
    state["root"] = root


def progress(line: str) -> None:
    """Tell a person what goes on meanwhile: never on standard output."""
    typer.echo(line, err=True)


def refuse(sentence: str) -> None:
    """Say why there is no result: to a person, and as JSON to a program that asked for it."""
    with contextlib.suppress(OSError):  # a full disk may be what is said here
        typer.echo(f"selu: {sentence}", err=True)
        if _asked["json"]:
            typer.echo(json.dumps({"error": sentence}))


def print_record(record: Any, as_json: bool) -> None:
    """Print a result on standard output, as JSON or as a table."""
    if as_json:
        from selu.files import to_json

        typer.echo(to_json(record), nl=False)
    else:
        from selu.report.console import render

        render(record)
        sys.stdout.flush()  # a full disk is told here, and not when Python has ended


class _Interrupted(BaseException):
    """A signal to end, as an exception that the command-line library does not swallow."""


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise _Interrupted(number)


def main() -> None:
    """Run a verb: a user's mistake ends with one sentence and exit code 2, never with a traceback."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the reader of a pipe (head, less) may go away
    if not sys.warnoptions:  # what matters to a user is said in a sentence, not in a library's warning
        warnings.simplefilter("ignore")
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, whom what is printed does not concern
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    try:
        app()
    except SeluError as error:
        refuse(str(error))
        sys.exit(2)
    except ModuleNotFoundError as error:
        if (error.name or "selu").partition(".")[0] == "selu":
            raise
        refuse(f"this needs the library {error.name}: 'make data' installs what data takes.")
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        refuse(f"{place}{error.strerror or error}; nothing is half-written.")
        sys.exit(2)
    except UnicodeEncodeError as error:
        refuse(f"this can't be printed in {error.encoding}: set PYTHONIOENCODING=utf-8.")
        sys.exit(2)
    except _Interrupted as stopped:
        refuse("interrupted; no file is half-written.")
        sys.exit(128 + int(stopped.args[0]))
    finally:  # what comes while Python takes itself down must not make a finished command a killed one
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        try:
            sys.stdout.flush()
        except OSError:  # said above; Python would try again, and end with a code of its own
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
