"""``selu`` called by its entry point in this process, without the seconds that a new one takes to start.

What only a process has (signals, closed streams, libraries that are not installed, variables that a library
reads when it is imported) is tested with a process.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from selu.cli import main, runs
from selu.cli.app import state


def selu(
    *words: str, given: str = "", cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Do what ``selu`` with these words does; returns its exit code and what it printed."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for name in ("stdout", "stderr")}
    streams["stdin"] = io.TextIOWrapper(io.BytesIO(given.encode("utf-8", "surrogatepass")), "utf-8")
    deaf = SimpleNamespace(**{**vars(signal), "signal": lambda *_: None})
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(sys, "argv", ["selu", *words])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        for module in (main.__module__, runs.__name__):
            patch.setattr(sys.modules[module], "signal", deaf)
        patch.setitem(state, "root", None)
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        patch.chdir(cwd or Path.cwd())
        code = _called()
        outputs = []
        for name in ("stdout", "stderr"):
            streams[name].flush()
            outputs.append(streams[name].buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["selu", *words], code, *outputs)


def python(
    *words: str, cwd: Path | None = None, given: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """This Python with these words, in a process of its own."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        input=given,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def printed(root: Path, *words: str) -> str:
    """What ``selu`` with these words prints about a clone; it ends well."""
    done = selu("--root", str(root), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The sentence on standard error with which a mistake of the user's ends, and nothing else is printed."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr.rstrip("\n")


def _called() -> int:
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        traceback.print_exc()
        return 1
    return 0
