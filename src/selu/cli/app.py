"""The application: how it begins and ends, its common options, and how results and progress are printed."""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import json
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from selu import __version__
from selu.registry import find
from selu.vocabulary import SeluError


class _Group(TyperGroup):
    """The verbs; ``--paper`` was called ``--benchmark``, which older scripts and stages write."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace the older name of the option by the newer one."""
        return super().parse_args(
            ctx, [re.sub(r"^--benchmark(?=$|=)", "--paper", argument) for argument in args]
        )


app = typer.Typer(
    name="selu",
    cls=_Group,
    help="Check every number and claim of a benchmark paper, and rerun any score of it.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
state: dict[str, Path | None] = {"root": None}
CHECK, DATA, RUN, MODELS, PACKAGE = (  # the groups of --help
    "Look at a paper and check it",
    "Data sets",
    "Run systems",
    "Use models",
    "This package",
)
WHICH, HOW, YOURS, OUTPUT = (  # the groups of a verb's options
    "Which runs",
    "How",
    "A system of yours",
    "Form of the output",
)
_form: dict[str, str] = {}  # how tables of this call are printed: the name of a Form
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON; an error is an object with 'error'.", rich_help_panel=OUTPUT),
]
TaskFilter = Annotated[
    list[str] | None,
    typer.Option("--task", help="Only this task; may be repeated.", rich_help_panel=WHICH),
]
SystemFilter = Annotated[
    list[str] | None,
    typer.Option("--system", help="Only this system; may be repeated.", rich_help_panel=WHICH),
]
ProtocolFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--protocol",
        help="'paper' (the authors' procedure) or 'strict' (validation-selected).",
        rich_help_panel=WHICH,
    ),
]
SeedFilter = Annotated[list[int] | None, typer.Option("--seed", help="Only this seed.", rich_help_panel=WHICH)]
EnvironmentFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--environment",
        help="authors, baselines, finetune or cuda: which locked packages are used.",
        rich_help_panel=WHICH,
    ),
]
Mirror = Annotated[
    Path | None,
    typer.Option(envvar="SELU_MIRROR", help="Folder with copies of the data sets, tried first."),
]
_PAPER = "Id of a paper; 'selu list papers' shows them."
Paper = Annotated[str, typer.Option("--paper", help=_PAPER)]
AnyPaper = Annotated[str | None, typer.Option("--paper", help=f"{_PAPER} By default the one that has it.")]
Board = Annotated[str | None, typer.Option("--board", help="Ranking to use, if the paper has several.")]


_FORMS = {
    "wide": "All columns, however wide the terminal is.",
    "csv": "Print CSV: all columns, an interval as low and high, an empty field for what is missing.",
    "md": "Print a Markdown table of all columns.",
}


def tabular(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options --wide, --csv and --md to a verb that prints tables."""
    signature = inspect.signature(verb, eval_str=True)

    @functools.wraps(verb)
    def called(**words: object) -> None:
        asked = [form for form in _FORMS if words.pop(f"as_{form}")]
        if len(asked) > 1 or (asked and words.get("as_json")):
            raise SeluError(f"--{asked[0]} can't be combined with another form of output: choose one.")
        _form["form"] = asked[0] if asked else "fitted"
        verb(**words)

    del called.__wrapped__
    added = [
        inspect.Parameter(
            f"as_{form}",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option(f"--{form}", help=help_, rich_help_panel=OUTPUT)],
        )
        for form, help_ in _FORMS.items()
    ]
    called.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])  # type: ignore[attr-defined]
    parameters = called.__signature__.parameters  # type: ignore[attr-defined]
    called.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return called


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
    context: typer.Context,
    root: Annotated[
        Path | None, typer.Option(help="Clone of the project; by default the one around this folder.")
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Handle the common options; without a verb, show what is here and what to do next."""
    state["root"] = root
    for why in find().refused.values():
        progress(f"selu: {why}")
    if context.invoked_subcommand is None:
        from selu.app import status

        for line in status.lines(root):
            typer.echo(line)


def progress(line: str) -> None:
    """Report progress to a person: never on standard output, and in lines that fit a terminal."""
    if sys.stderr.isatty():
        from selu.report.console import prose

        line = "\n".join(prose(line))
    typer.echo(line, err=True)


def refuse(sentence: str) -> None:
    """Print why there is no result: as text, and also as JSON if a program asked for JSON."""
    with contextlib.suppress(OSError):  # the message itself may be about a full disk
        progress(f"selu: {sentence}")
        if "--json" in sys.argv:
            typer.echo(json.dumps({"error": sentence}))


def is_for_program() -> bool:
    """Return whether this call prints CSV, in which each number has a column of its own."""
    return _form.get("form") == "csv"


def print_record(record: object, as_json: bool, order: Sequence[str] = (), below: str = "") -> None:
    """Print a result on standard output, as JSON or as a table.

    Args:
        order: the columns of a table, the most important one first: those that a narrow terminal shows.
        below: the column of a table that is shown below its row.
    """
    if as_json:
        from selu.files import to_json

        typer.echo(to_json(record), nl=False)
    else:
        from selu.report.console import Form, render

        render(record, Form(_form.get("form", Form.FITTED)), order, below)
        sys.stdout.flush()  # a full disk is reported here, not after Python has ended


def _reason(error: Exception) -> str:
    """Return one sentence on what the user can change; an error of the program itself is raised again."""
    if isinstance(error, SeluError):
        return str(error)
    if isinstance(error, OSError):
        from selu.files import explain

        return explain(error)
    if isinstance(error, UnicodeEncodeError):
        return f"this can't be printed in {error.encoding}: set PYTHONIOENCODING=utf-8."
    if isinstance(error, ModuleNotFoundError):
        if (error.name or "selu").partition(".")[0] == "selu":
            raise error
        from selu.package.libraries import remedy

        return f"this needs the library {error.name}: {remedy(str(error.name))}."
    if not isinstance(error, typer.TyperException):  # a wrong word in the command, and which help to read
        raise error
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    hint = f"'{context.command_path if context else 'selu'} --help' says more."
    return f"{message[:1].lower()}{message[1:]}{' ' if message.endswith('?') else '; '}{hint}"


def one_thread() -> None:
    """Keep numpy to one thread, before it is imported: more take more processor time than they save."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def print_sentence(text: str) -> None:
    """Print what a table means below it, in lines that fit; nothing where the table is for a program."""
    from selu.report.console import Form, print_prose

    if _form.get("form") not in (Form.CSV, Form.MARKDOWN):
        print_prose(text)


_interrupted: list[float] = []  # when the first signal came


class _Interrupted(BaseException):
    """A signal to end, as an exception that the command-line library does not swallow."""


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """End the command; a second signal is ignored at first, and ends the process after a second."""
    now = time.monotonic()
    if not _interrupted:
        _interrupted.append(now)
        raise _Interrupted(number)
    if now - _interrupted[0] > 1.0:
        os._exit(128 + number)


def _handle_endings(handler: signal.Handlers | Callable[[int, FrameType | None], None]) -> None:
    """Set the handler of SIGINT, SIGTERM and SIGHUP."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def _leave(code: int) -> NoReturn:
    """End the process at once: an ordinary exit takes a second, or as long as a thread is running."""
    _handle_endings(signal.SIG_IGN)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


def main() -> None:
    """Run a verb: a user's mistake ends with one sentence and exit code 2, never with a traceback."""
    _handle_endings(_interrupt)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the reader of a pipe (head, less) may go away
    if not sys.warnoptions:  # users get sentences, not a library's warnings
        warnings.simplefilter("ignore")
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, who does not read the output
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    _form.clear()
    _interrupted.clear()
    try:
        code = app(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (typer.TyperException, SeluError, ModuleNotFoundError, OSError, UnicodeEncodeError) as error:
        refuse(_reason(error))
        sys.exit(2)
    except _Interrupted as stopped:
        refuse("interrupted; no file is half-written: run it again.")
        _leave(128 + int(stopped.args[0]))
    finally:  # what comes while Python takes itself down must not make a finished command a killed one
        _handle_endings(signal.SIG_IGN)
        try:
            sys.stdout.flush()
        except OSError:  # reported above; Python would try again, and exit with its own code
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
