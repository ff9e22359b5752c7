"""Runs the source notebooks and keeps of each run only what does not vary between machines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selu.report.by_hand import BY_REPORT
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from nbformat import NotebookNode

_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
# What a cell's output could depend on besides the tracked files.
_FIXED = {
    "LANG": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    BY_REPORT: "1",
}
# Where IPython and matplotlib look for a user's settings: empty folders in their place.
_FOLDERS = {"IPYTHONDIR": "ipython", "MPLCONFIGDIR": "matplotlib"}


def names(root: Path, benchmark: str) -> list[str]:
    """Name a benchmark's source notebooks, sorted."""
    return sorted(path.stem for path in (root / "notebooks" / benchmark).glob("*.ipynb"))


def execute_all(sources: Sequence[Path], root: Path, out: Path) -> Generator[tuple[Path, str], None, None]:
    """Run several notebooks, one a processor at a time; yield source and text of each as it is done.

    They run in forks of one new process of this interpreter, which has read the libraries once and none of the
    user's IPython and matplotlib settings. The working folder is ``root``, and the notebooks' parameters are
    ``root`` and ``out`` relative to it.

    Args:
        out: folder with the records that the notebooks read, where they also leave their tables and figures.

    Raises:
        SeluError: a file is not a notebook, or a cell fails; the first that fails ends the others.
    """
    given = {path: path.resolve() for path in sources}
    root, out = root.resolve(), out.resolve()
    for source in given.values():
        read_notebook(source, f"restore it with 'git checkout -- {source}'")
    with tempfile.TemporaryDirectory(prefix="selu-notebook-") as scratch:
        for name in _FOLDERS.values():
            Path(scratch, name).mkdir()
        folders = {variable: str(Path(scratch, name)) for variable, name in _FOLDERS.items()}
        command = [sys.executable, "-m", "selu.report.notebooks.forks", scratch, str(root), str(out)]
        with subprocess.Popen(
            [*command, *map(str, given.values())],
            env={**os.environ, **_FIXED, **folders},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as running:
            try:
                yield from _done(list(given), running, Path(scratch))
            except BaseException:
                running.terminate()
                raise
    if running.returncode:
        raise SeluError(f"the process that runs the notebooks of {root} ended with code {running.returncode}.")


def _done(sources: Sequence[Path], running: subprocess.Popen[str], scratch: Path) -> Iterator[tuple[Path, str]]:
    """Yield what the process says is done: a JSON line for each notebook, with its place or its error."""
    assert running.stdout is not None
    for line in running.stdout:
        message = json.loads(line)
        if message["error"]:
            raise SeluError(message["error"])
        yield sources[message["place"]], (scratch / f"{message['place']}.ipynb").read_text("utf-8")


def read_notebook(path: Path, remedy: str) -> NotebookNode:
    """Read a notebook, or refuse it with its remedy."""
    import nbformat

    try:
        found: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(f"{path} is not a complete notebook ({reason}): {remedy}.") from None
    return found


def strip(done: NotebookNode, parameters: Mapping[str, str], paths: Mapping[str, str]) -> None:
    """Strip times, kernel details, error streams, injected cells and paths of the machine.

    Args:
        parameters: what the cell tagged ``parameters`` is to show; papermill's own is left out.
        paths: text of this machine -> text to show in its place.
    """
    done.metadata.clear()
    done.metadata.update({"kernelspec": _KERNELSPEC, "language_info": {"name": "python"}})
    done.cells = [cell for cell in done.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    count = 0
    for cell in done.cells:
        tags = list(cell.metadata.get("tags", []))
        cell.metadata.clear()
        if tags:
            cell.metadata["tags"] = tags
        if "parameters" in tags:
            cell.source = "\n".join(f"{key} = {json.dumps(value)}" for key, value in parameters.items())
        if cell.cell_type == "code":
            cell.metadata["jupyter"] = {"source_hidden": True}  # results first; a click shows it
            count += 1
            cell.execution_count = count
            cell.outputs = [
                _output(output, count, paths)
                for output in cell.outputs
                if (output.output_type, output.get("name")) != ("stream", "stderr")
            ]


def _output(output: NotebookNode, count: int, paths: Mapping[str, str]) -> NotebookNode:
    if output.output_type == "execute_result":
        output.execution_count = count
    if "text" in output:
        output.text = _without(output.text, paths)
    if "text/markdown" in output.get("data", {}):  # else the text of a finding is the name of a Python class
        output.data["text/plain"] = output.data["text/markdown"]
    for kind, content in output.get("data", {}).items():
        if isinstance(content, str) and not kind.startswith("image/"):
            output.data[kind] = _without(content, paths)
    return output


def _without(text: str, paths: Mapping[str, str]) -> str:
    for path in sorted(paths, key=len, reverse=True):
        if len(path) > 1:  # "." and "/" say nothing of the machine
            text = re.sub(rf"{re.escape(path)}(?![\w-])", lambda _, p=path: paths[p], text)  # type: ignore[misc]
    return text
