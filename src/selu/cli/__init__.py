"""The command line: one verb per job. Heavy libraries are imported by the verb that needs them."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from types import FrameType

from selu.cli import data, looking, package, runs
from selu.cli.app import app, refuse
from selu.vocabulary import SeluError

for part in (looking, data, runs, package):  # the order of --help
    app.add_typer(part.verbs)


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
