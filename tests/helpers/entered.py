"""Which modules of selu a command enters, in all of its processes.

A module is entered when one of its functions is called, and not while modules are imported or the registry
looks at what every package of a benchmark exports.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import selu

HOME = f"{Path(selu.__file__).parent}{os.sep}"
# Python imports it at its start; a trace function that returns nothing sees calls alone.
_HOOK = f"""
import os, sys, threading
_seen = set()
def _note(frame, event, argument):
    file = frame.f_code.co_filename
    if file in _seen or not file.startswith({HOME!r}):
        return
    above = frame
    while above is not None:
        name = above.f_code.co_name
        if name == "<module>" and above.f_globals.get("__name__") != "__main__":
            return
        if name == "_checked" and above.f_code.co_filename == {HOME + "registry.py"!r}:
            return
        above = above.f_back
    _seen.add(file)
    with open(os.environ["ENTERED"], "a") as stream:
        stream.write(file + chr(10))
threading.settrace(_note)
sys.settrace(_note)
"""


def entered(command: str, root: Path, scratch: Path, **settings: str) -> set[str]:
    """Run a command of a stage; the modules that it enters, as paths below ``src``."""
    scratch.mkdir()
    (scratch / "sitecustomize.py").write_text(_HOOK)
    found = scratch / "entered"
    found.touch()
    paths = os.pathsep.join((str(scratch), str(Path(HOME).parent)))
    folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        **settings,
        "ENTERED": str(found),
        "PYTHONPATH": paths,
        "PATH": os.pathsep.join((folder, os.environ["PATH"])),
    }
    subprocess.run(command, shell=True, cwd=root, env=environment, check=True, capture_output=True)
    return {f"src/selu/{line.removeprefix(HOME)}" for line in set(found.read_text().splitlines())}
