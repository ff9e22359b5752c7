"""The process that runs notebooks by papermill, each in a fork that has its libraries already.

    python -m selu.report.notebooks.forks SCRATCH ROOT OUT NOTEBOOK...

A kernel of its own for each notebook takes one to two seconds of processor time to start and to import; a fork
takes none. Cells run in IPython as in a kernel. For each notebook a JSON line has its place among those given,
and its error or none; its text is in SCRATCH.
"""

from __future__ import annotations

import io
import json
import logging
import multiprocessing
import os
import signal
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.report.notebooks.executing import read_notebook, strip

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from papermill.engines import Engine, NotebookExecutionManager

Content = Mapping[str, object]  # of an output, by its media type
TIMEOUT = 600  # seconds a cell may take
ENGINE = "in a fork"
_LIBRARIES = ("matplotlib.pyplot", "nbformat", "pandas", "papermill", "IPython", "selu.registry")
_WATCH = 5.0  # seconds between two looks whether the parent is there


class TooLongError(Exception):
    """A cell ran for longer than ``TIMEOUT``."""


def main(scratch: Path, root: Path, out: Path, sources: Sequence[Path]) -> int:
    """Run notebooks, one a processor at a time; the first that fails ends the others. Returns an exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # else the forks would go on
    report = os.fdopen(os.dup(1), "w")  # what a cell's libraries write to the descriptor goes to standard error
    os.dup2(2, 1)
    for name in _LIBRARIES:
        import_module(name)
    context, parent = multiprocessing.get_context("fork"), os.getppid()
    waiting = list(enumerate(sources))
    running: dict[Any, tuple[int, BaseProcess]] = {}  # by what says that it ended
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                place, source = waiting.pop(0)
                begun = context.Process(target=_run, args=(source, root, out, scratch / f"{place}.ipynb"))
                begun.start()
                running[begun.sentinel] = place, begun
            for ended in wait(list(running), _WATCH):
                place, _ = running.pop(ended)
                error = _error(scratch / f"{place}.ipynb", sources[place].name)
                print(json.dumps({"place": place, "error": error}), file=report, flush=True)
                if error:
                    return 0
            if os.getppid() != parent:
                return 1
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a parent that heard of an error ends this process, too
        for _, left in running.values():
            left.kill()
            left.join()
    return 0


def _error(made: Path, name: str) -> str | None:
    """Return the error that a fork left; None if it left a notebook."""
    if made.is_file():
        return None
    failed = made.with_suffix(".txt")
    if failed.is_file():
        return failed.read_text("utf-8")
    return f"{name}: the process that ran it died, perhaps from lack of memory; run it alone."


def _run(source: Path, root: Path, out: Path, made: Path) -> None:
    """Run one notebook, and leave its text, stripped of all that varies, or its error."""
    signal.signal(signal.SIGALRM, _too_long)
    relative, shown = os.path.relpath(out, root), out.name
    if out.is_relative_to(root):
        shown = out.relative_to(root).as_posix()
    try:
        done = _by_papermill(source, root, Path(relative).as_posix())
    except NotebookError as error:
        made.with_suffix(".txt").write_text(f"{source.name}{error}", "utf-8")
        return
    paths = {str(out): shown, relative: shown, str(root): ".", str(made.parent): "TMP"}
    strip(done, {"root": ".", "out": shown}, paths)
    import nbformat

    whole = made.with_suffix(".part")
    whole.write_text(str(nbformat.writes(done)) + "\n", "utf-8")  # type: ignore[no-untyped-call]
    whole.replace(made)


class NotebookError(Exception):
    """A cell failed: its place and the error, as they follow the notebook's name."""


def _by_papermill(source: Path, root: Path, out: str) -> NotebookNode:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    papermill.engines.papermill_engines.register(ENGINE, engine())
    notebook = read_notebook(source, f"restore it with 'git checkout -- {source}'")
    try:
        found: NotebookNode = papermill.execute_notebook(
            notebook,
            None,
            parameters={"root": ".", "out": out},
            engine_name=ENGINE,
            kernel_name="python3",
            language="python",
            cwd=str(root),
            progress_bar=False,
        )
    except PapermillExecutionError as error:
        if error.ename == TooLongError.__name__:
            raise NotebookError(f": a cell took over {TIMEOUT} s; run it in Jupyter to see which.") from None
        place = _number(notebook, error.cell_index)
        raise NotebookError(f", cell {place}: {error.ename}: {error.evalue}") from None
    return found


def _too_long(*_: object) -> None:
    raise TooLongError


def _number(notebook: NotebookNode, index: int) -> int:
    """Count to a cell in the source, from 1; papermill has put one cell behind the tagged one, or on top."""
    tagged = [i for i, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", [])]
    injected = tagged[0] + 1 if tagged else 0
    return index + (index < injected)


class Stream(io.TextIOBase):
    """Printed text, which follows what the same stream has printed last."""

    def __init__(self, name: str, outputs: list[NotebookNode]) -> None:
        """Print to the outputs of a cell."""
        self._name, self._outputs = name, outputs

    def write(self, text: str) -> int:
        """Add text to the outputs."""
        last = self._outputs[-1] if self._outputs else {}
        if last.get("name") == self._name:
            last["text"] += text
        elif text:
            self._outputs.append(_output("stream", name=self._name, text=text))
        return len(text)


def engine() -> type[Engine]:
    """Make an engine of papermill that runs cells in this process, with the outputs that a kernel gives."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from papermill.engines import Engine as Base
    from traitlets import Type
    from traitlets.config import Config

    outputs: list[NotebookNode] = []  # of the cell that runs

    class Publisher(DisplayPublisher):
        """Displayed objects."""

        def publish(self, data: Content, metadata: Content | None = None, *_: object, **__: object) -> None:
            outputs.append(_output("display_data", data=_as_json(data), metadata=metadata or {}))

    class Hook(DisplayHook):
        """The value of a cell's last expression."""

        def write_output_prompt(self) -> None:
            """Write none: the notebook has the count."""

        def write_format_data(self, format_dict: Content, md_dict: Content | None = None) -> None:
            outputs.append(_output("execute_result", data=_as_json(format_dict), metadata=md_dict or {}))

        def finish_displayhook(self) -> None:
            """Write no line end."""

    class Shell(InteractiveShell):
        """Runs the cells of a notebook."""

        display_pub_class = Type(Publisher)
        displayhook_class = Type(Hook)

        def _showtraceback(self, etype: type[BaseException], evalue: BaseException, stb: Sequence[str]) -> None:
            outputs.append(_output("error", ename=etype.__name__, evalue=str(evalue), traceback=stb))

    class InAFork(Base):  # type: ignore[misc]
        """Runs each cell until one fails."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, *_: object, **__: object) -> None:
            shell: Any = Shell.instance(config=Config({"HistoryManager": {"enabled": False}}), colors="nocolor")
            for place, cell in enumerate(nb_man.nb.cells):
                nb_man.cell_start(cell, place)
                if cell.cell_type == "code":
                    outputs.clear()
                    with redirect_stdout(Stream("stdout", outputs)), redirect_stderr(Stream("stderr", outputs)):
                        signal.alarm(TIMEOUT)
                        ran = shell.run_cell(cell.source, store_history=True)
                        signal.alarm(0)
                    cell.outputs = list(outputs)
                    if not ran.success:
                        nb_man.cell_exception(cell, place)
                        return
                nb_man.cell_complete(cell, place)

    return InAFork


def _output(kind: str, **fields: object) -> NotebookNode:
    from nbformat.v4 import new_output

    made: NotebookNode = new_output(kind, **fields)  # type: ignore[no-untyped-call]
    return made


def _as_json(data: Content) -> Content:
    """Write bytes, such as those of an image, as a notebook does."""
    return {
        kind: b64encode(value).decode("ascii") if isinstance(value, bytes) else value
        for kind, value in data.items()
    }


if __name__ == "__main__":
    try:
        SCRATCH, ROOT, OUT, *NOTEBOOKS = map(Path, sys.argv[1:])
        sys.exit(main(SCRATCH, ROOT, OUT, NOTEBOOKS))
    except KeyboardInterrupt:
        sys.exit(130)
