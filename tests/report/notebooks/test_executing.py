"""Notebooks: clean in git, run without the user's settings, the same bytes anywhere, whole or not at all."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from selu.report.by_hand import places
from selu.report.notebooks import forks
from selu.report.notebooks.executing import execute_all, names
from selu.report.site_notebooks import convert
from selu.vocabulary import SeluError

NAMES = names(Path(__file__).parents[3], "selu")
EVERY = sorted(Path(__file__).parents[3].glob("notebooks/*/*.ipynb"))


def execute(source: Path, root: Path, out: Path) -> str:
    """The text of one notebook that has run."""
    ((_, text),) = execute_all([source], root, out)
    return text


def _notebook(folder: Path, *sources: str) -> Path:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0]["metadata"]["tags"] = ["parameters"]
    path = folder / "one.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_in_git_are_stripped_and_no_number_is_typed(root: Path, name: str) -> None:
    path = root / "notebooks" / "selu" / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)
        else:
            words = re.sub(r"Figure [1-5]|MiniLM-L6|all-mpnet-base-v2", "", cell.source)
            assert not any(letter.isdigit() for letter in words), words
    assert notebook.cells[0].source.startswith("# ")


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_notebook_run_by_hand_asks_where_its_records_are(path: Path) -> None:
    """A name of a folder in a cell would write into tracked reports, whatever ``places`` answers."""
    cells = nbformat.read(path, as_version=4).cells
    (tagged,) = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    found = f'from selu.report.by_hand import places\n\nroot, out = places("{path.parent.name}")'
    assert tagged.source == found
    assert [cell.source for cell in cells if cell.cell_type == "code" and "reports" in cell.source] == []


@pytest.mark.ci
def test_the_users_settings_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    spec = home / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": ["false"], "display_name": "x", "language": "python"}), "utf-8")
    startup = home / "ipython" / "profile_default" / "startup" / "first.py"
    startup.parent.mkdir(parents=True)
    startup.write_text("print('from the user')", "utf-8")
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("JUPYTER_PATH", str(home / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(home / "ipython"))
    before = dict(os.environ)
    source = _notebook(tmp_path, 'root = "."\nout = "."', "import sys\nprint(sys.executable)")
    text = execute(source, tmp_path, tmp_path)
    assert sys.executable in text
    assert "from the user" not in text
    assert dict(os.environ) == before


@pytest.mark.ci
def test_paths_error_streams_and_outer_folders_leave_no_trace(tmp_path: Path) -> None:
    root, outside = tmp_path / "clone", tmp_path / "elsewhere"
    root.mkdir()
    outside.mkdir()
    source = _notebook(
        tmp_path,
        'root = "."\nout = "reports/selu"',
        "import sys, pathlib\nprint(pathlib.Path(out).resolve(), pathlib.Path(root).resolve())\n"
        "print('noise', file=sys.stderr)\npathlib.Path(out, 'made').touch()\n1 + 1",
    )
    text = execute(source, root, outside)
    notebook = nbformat.reads(text, as_version=4)
    assert (outside / "made").exists()
    assert str(tmp_path) not in text
    assert notebook.cells[0].source == 'root = "."\nout = "elsewhere"'
    assert notebook.cells[1].outputs[0].text == "elsewhere .\n"
    assert [output.output_type for output in notebook.cells[1].outputs] == ["stream", "execute_result"]


def test_a_finding_is_text_in_the_executed_copy(tmp_path: Path) -> None:
    source = _notebook(tmp_path, "", "from IPython.display import Markdown\nMarkdown('It **holds**.')")
    (cell,) = nbformat.reads(execute(source, tmp_path, tmp_path), as_version=4).cells[1:]
    assert cell.outputs[0].data["text/plain"] == "It **holds**."


@pytest.mark.ci
def test_outputs_are_those_of_a_kernel_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notebooks run in forks, without a kernel: who opens one in Jupyter sees the same."""
    from nbclient import NotebookClient

    monkeypatch.setenv("MPLBACKEND", "agg")
    source = _notebook(
        tmp_path,
        "root = out = '.'",
        "import sys\nfrom IPython.display import HTML, Image, display\n"
        "print('one'); print('two')\ndisplay(HTML('<b>three</b>'))\nprint('four')\n{'five': 5}",
        "import matplotlib.pyplot as plt\nfrom io import BytesIO\nmade = BytesIO()\n"
        "plt.figure().savefig(made)\nImage(made.getvalue())",
        "import pandas as pd\npd.DataFrame({'a': [1, 2]})",
        "5;",
        "_",
        "async def six():\n    return 6\nawait six()",
        "%time None\nNone",
    )
    by_kernel = nbformat.read(source, as_version=4)
    NotebookClient(by_kernel, kernel_name="python3").execute()
    ours = nbformat.reads(execute(source, tmp_path, tmp_path), as_version=4)
    for cell, other in zip(ours.cells[1:-1], by_kernel.cells[1:-1], strict=True):
        assert [dict(output, execution_count=0) for output in cell.outputs] == [
            dict(output, execution_count=0) for output in other.outputs
        ]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("import os\nos._exit(3)", "one.ipynb: the process that ran it died, perhaps from lack of memory"),
        ("1 +", "one.ipynb, cell 2: SyntaxError: "),
        ("raise ValueError('no such row')", "one.ipynb, cell 2: ValueError: no such row"),
        ("import sys\nsys.exit(2)", "one.ipynb, cell 2: SystemExit: 2"),
    ],
)
def test_a_notebook_that_ends_early_is_named(tmp_path: Path, cell: str, message: str) -> None:
    with pytest.raises(SeluError) as refused:
        execute(_notebook(tmp_path, "root = out = '.'", cell), tmp_path, tmp_path)
    assert str(refused.value).startswith(message)


@pytest.mark.ci
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two notebooks run at once on two processors")
@pytest.mark.parametrize("fails", [False, True])
def test_no_notebook_goes_on_after_its_command_has_ended(tmp_path: Path, fails: bool) -> None:
    """It would write tables beside those of the next command."""
    needs = "import os\nfrom pathlib import Path\nfrom time import sleep\n"
    waits = "while not Path('begun').exists() or not Path('begun').read_text(): sleep(0.01)\n"
    cells = {
        "slow": f"{needs}Path('begun').write_text(str(os.getpid()))\nsleep(300)",
        "quick": needs + waits + ("raise ValueError('no such row')" if fails else "1"),
    }
    for name in cells:
        (tmp_path / name).mkdir()
    sources = [_notebook(tmp_path / name, "root = out = '.'", cell) for name, cell in cells.items()]
    running = execute_all(sources, tmp_path, tmp_path)
    if fails:
        with pytest.raises(SeluError, match="no such row"):
            next(running)
    else:
        assert next(running)[0] == sources[1]
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)


def test_a_cell_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "TIMEOUT", 1)
    source = _notebook(tmp_path, "root = out = '.'", "while True: pass")
    made = tmp_path / "0.ipynb"
    process = multiprocessing.get_context("fork").Process(
        target=forks._run, args=(source, tmp_path, tmp_path, made)
    )
    process.start()
    process.join(60)
    assert (
        made.with_suffix(".txt").read_text()
        == "one.ipynb: a cell took over 1 s; run it in Jupyter to see which."
    )


@pytest.mark.parametrize("content", [None, "", "{", '{"cells": 3}'])
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str | None) -> None:
    source = tmp_path / "x.ipynb"
    if content is not None:
        source.write_text(content, "utf-8")
    with pytest.raises(SeluError, match=r"x\.ipynb is"):
        execute(source, tmp_path, tmp_path)


RUN = """
import sys
from pathlib import Path
from selu.report.notebooks.executing import execute_all, names
root = Path(sys.argv[1])
out = root / "reports" / "selu"
sources = [root / "notebooks" / "selu" / f"{name}.ipynb" for name in names(root, "selu")[::3]]
for source, text in execute_all(sources, root, out):
    (out / "notebooks").mkdir(exist_ok=True)
    (out / "notebooks" / source.name).write_text(text, "utf-8")
"""


@pytest.mark.slow
def test_notebooks_in_an_odd_place(tmp_path: Path, root: Path) -> None:
    """What an ordinary place gave is tracked: an odd one, with settings of the user's own, gives its bytes."""
    clone = tmp_path / "odd ü"
    for part in (
        "data/paper",
        "data/params",
        "data/pins",
        "docs/measurements",
        "notebooks",
        "reports/selu/data",
    ):
        shutil.copytree(root / part, clone / part)
    shutil.copy(root / "params.yaml", clone)
    tracked, ours = (folder / "reports" / "selu" for folder in (root, clone))
    for path in tracked.glob("*.json"):
        shutil.copy(path, ours)
    for folder in (tmp_path, clone):
        (folder / "matplotlibrc").write_text("font.size: 30\nfigure.dpi: 30\n", "utf-8")
    odd = {"LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "77", "HOME": "/nonexistent"}
    command = [sys.executable, "-c", RUN, str(clone)]
    subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, **odd, "MPLBACKEND": "svg"})
    assert sorted(path.stem for path in (ours / "notebooks").iterdir()) == NAMES[::3]
    for part in ("notebooks", "figures", "tables"):
        made, held = ({p.name: p.read_bytes() for p in (out / part).iterdir()} for out in (ours, tracked))
        assert made
        assert [name for name in made if made[name] != held.get(name)] == []


@pytest.mark.ci
def test_code_is_folded_in_jupyter_and_on_the_page(tmp_path: Path) -> None:
    """A reader meets results first; the code is a click away, whatever it holds."""
    source = _notebook(tmp_path, 'root = "."\nout = "."', 'print("</pre></div>\\n</div>")', "1 + 1")
    text = execute(source, tmp_path, tmp_path)
    cells = nbformat.reads(text, as_version=4).cells
    assert all(cell.metadata["jupyter"]["source_hidden"] for cell in cells)
    (tmp_path / "done.ipynb").write_text(text)
    page = BeautifulSoup(convert("done", tmp_path / "done.ipynb", {})["body"], "html.parser")
    folded = page.find_all("details")
    sources = [details.find("pre").get_text().strip() for details in folded]
    assert sources == ["\n\n".join(cell.source for cell in cells[:2]), cells[2].source]
    assert [details.find_previous_sibling("div")["class"] for details in folded] == [["output_wrapper"]] * 2
    shown = [pre for pre in page.find_all("pre") if not pre.find_parent("details")]
    assert [pre.get_text().strip() for pre in shown] == ["</pre></div>\n</div>", "2"]


@pytest.mark.ci
def test_a_notebook_run_by_hand_from_its_own_folder_leaves_tracked_reports_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Jupyter does it: nobody gives parameters, and the working folder is the notebook's."""
    from nbclient import NotebookClient

    clone = tmp_path / "clone"
    reports, folder = clone / "reports" / "selu", clone / "notebooks" / "selu"
    for name in ("params.yaml", "data"):
        clone.mkdir(exist_ok=True)
        (clone / name).symlink_to(root / name)
    reports.mkdir(parents=True)
    folder.mkdir(parents=True)
    shutil.copy(root / "reports" / "selu" / "statistics.json", reports)
    shutil.copy(root / "notebooks" / "selu" / "figure2.ipynb", folder)
    monkeypatch.delenv("SELU_REPORT", raising=False)
    done = nbformat.read(folder / "figure2.ipynb", as_version=4)
    NotebookClient(done, resources={"metadata": {"path": str(folder)}}, kernel_name="python3").execute()
    message = "".join(output.text for output in done.cells[1].outputs)
    assert message == "Tables and figures go to build/notebooks/selu; reports/selu stays as it is.\n"
    assert "tasks" in done.cells[2].outputs[0].data["text/markdown"]
    assert [path.name for path in reports.iterdir()] == ["statistics.json"]
    assert (clone / "build" / "notebooks" / "selu" / "figures" / "figure2.svg").is_file()


BY_HAND = """
import sys, nbformat
from nbclient import NotebookClient
done = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(done, resources={"metadata": {"path": sys.argv[2]}}, kernel_name="python3").execute()
assert any(cell.outputs for cell in done.cells[2:] if cell.cell_type == "code")
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_notebook_runs_by_hand_from_its_own_folder(
    root: Path, tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in root.iterdir():
        if entry.name not in ("build", "notebooks"):
            (tmp_path / entry.name).symlink_to(entry)
    folder = tmp_path / "notebooks" / path.parent.name
    folder.mkdir(parents=True)
    monkeypatch.delenv("SELU_REPORT", raising=False)

    def state() -> dict[Path, int]:
        records = (root / "reports" / path.parent.name).rglob("*")
        return {file: file.stat().st_mtime_ns for file in records if file.is_file()}

    before = state()
    subprocess.run([sys.executable, "-c", BY_HAND, str(path), str(folder)], check=True)
    assert state() == before


def test_a_notebook_by_hand_outside_a_clone_or_without_records_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SELU_REPORT", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeluError, match="is not inside a clone"):
        places("selu")
    for name in ("params.yaml", "data"):
        (tmp_path / name).symlink_to(root / name)
    with pytest.raises(SeluError, match="'dvc pull' brings the tracked records"):
        places("selu")
