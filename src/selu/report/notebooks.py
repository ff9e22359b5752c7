"""Runs the source notebooks and keeps of each run only what does not vary between machines."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from selu.report.by_hand import BY_REPORT
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from nbformat import NotebookNode

KERNEL = "python3"
TIMEOUT = 600  # seconds a cell may take
_KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": KERNEL}
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
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    BY_REPORT: "1",
}
# Where they look for a user's settings -> an empty folder in their place.
_FOLDERS = {
    "JUPYTER_PATH": "jupyter",
    "JUPYTER_DATA_DIR": "jupyter",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "IPYTHONDIR": "ipython",
    "MPLCONFIGDIR": "matplotlib",
}


def names(root: Path, benchmark: str) -> list[str]:
    """Name a benchmark's source notebooks, sorted."""
    return sorted(path.stem for path in (root / "notebooks" / benchmark).glob("*.ipynb"))


def execute(source: Path, root: Path, out: Path) -> str:
    """Run one notebook, and return its text, stripped of all that varies.

    The kernel is this interpreter; the user's Jupyter, IPython and matplotlib settings are not read. The
    working folder is ``root``, and the notebook's parameters are ``root`` and ``out`` relative to it.

    Args:
        out: folder with the records the notebook reads, where it also leaves its tables and figures.

    Raises:
        SeluError: the file is not a notebook, or a cell fails.
    """
    import nbformat

    source, root, out = (path.resolve() for path in (source, root, out))
    notebook = read_notebook(source, f"restore it with 'git checkout -- {source}'")
    with tempfile.TemporaryDirectory(prefix="selu-notebook-") as scratch:
        done = _run(source.name, notebook, root, os.path.relpath(out, root), Path(scratch))
        shown = out.relative_to(root).as_posix() if out.is_relative_to(root) else out.name
        paths = {str(out): shown, os.path.relpath(out, root): shown, str(root): ".", scratch: "TMP"}
        _strip(done, {"root": ".", "out": shown}, paths)
    return str(nbformat.writes(done)) + "\n"  # type: ignore[no-untyped-call]


def execute_all(sources: Sequence[Path], root: Path, out: Path) -> Iterator[tuple[Path, str]]:
    """Run several notebooks, one a processor at a time; yield source and text of each as it is done.

    Arguments and errors as in ``execute``; the first that fails ends the others.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    import papermill  # noqa: F401  # once, before the processes part

    processes = min(len(sources), os.cpu_count() or 1) or 1
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        futures = {pool.submit(execute, source, root, out): source for source in sources}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def read_notebook(path: Path, remedy: str) -> NotebookNode:
    """Read a notebook, or refuse it with its remedy."""
    import nbformat

    try:
        found: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(f"{path} is not a complete notebook ({reason}): {remedy}.") from None
    return found


def _run(name: str, notebook: NotebookNode, root: Path, out: str, scratch: Path) -> NotebookNode:
    """Run a notebook, as papermill leaves it."""
    with _jupyter_in(scratch):
        import papermill
        from nbclient.exceptions import CellTimeoutError, DeadKernelError
        from papermill.exceptions import PapermillExecutionError

        logging.getLogger("papermill").setLevel(logging.ERROR)
        try:
            found: NotebookNode = papermill.execute_notebook(
                notebook,
                None,
                parameters={"root": ".", "out": Path(out).as_posix()},
                kernel_name=KERNEL,
                language="python",
                cwd=str(root),
                progress_bar=False,
                execution_timeout=TIMEOUT,
                shutdown_kernel="immediate",  # nothing is left to save, and a graceful end takes seconds
            )
        except PapermillExecutionError as error:
            place = f"{name}, cell {_number(notebook, error.cell_index)}"
            raise SeluError(f"{place}: {error.ename}: {error.evalue}") from None
        except CellTimeoutError:
            raise SeluError(f"{name}: a cell took over {TIMEOUT} s; run it in Jupyter to see which.") from None
        except DeadKernelError:
            raise SeluError(f"{name}: the kernel died, perhaps from lack of memory; run it alone.") from None
    return found


def _number(notebook: NotebookNode, index: int) -> int:
    """Count to a cell in the source, from 1; papermill has put one cell behind the tagged one, or on top."""
    tagged = [i for i, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", [])]
    injected = tagged[0] + 1 if tagged else 0
    return index + (index < injected)


@contextmanager
def _jupyter_in(scratch: Path) -> Iterator[None]:
    """Point Jupyter, IPython and matplotlib at a scratch folder whose only kernel is this interpreter."""
    spec = scratch / "jupyter" / "kernels" / KERNEL / "kernel.json"
    spec.parent.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    record = {
        **_KERNELSPEC,
        "argv": [*command, "--HistoryManager.enabled=False", "--log-level=ERROR"],
        "env": _FIXED,
    }
    spec.write_text(json.dumps(record), "utf-8")
    before = dict(os.environ)
    try:
        for key, name in _FOLDERS.items():
            (scratch / name).mkdir(exist_ok=True)
            os.environ[key] = str(scratch / name)
        yield
    finally:
        for key in _FOLDERS:
            os.environ.pop(key)
        os.environ.update(before)


def _strip(done: NotebookNode, parameters: Mapping[str, str], paths: Mapping[str, str]) -> None:
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
