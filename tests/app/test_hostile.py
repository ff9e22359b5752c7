"""What hard use found, through the command line: one sentence, JSON where it is asked for, no traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helpers import command
from helpers import own_project as mine
from selu.papers.own import record as own

NUMBERS = "question: How much?\nkind: regression\ntext: message\nlabel: n\n"
Done = subprocess.CompletedProcess[str]


def invoke(root: Path, words: str, given: str = "") -> Done:
    """A command as its entry point does it."""
    python = {"SELU_AUTHORS_PYTHON": sys.executable}
    return command.selu("--root", str(root), *words.split(), given=given, environment=python)


def shell(root: Path, command: str, given: str | None = None, seconds: float = 60) -> Done:
    """A command line with what only a shell and a process have; ``selu`` is this Python's, in the project."""
    command = command.replace("selu ", f"'{sys.executable}' -m selu --root '{root}' ", 1)
    there = {**os.environ, "SELU_AUTHORS_PYTHON": sys.executable}
    return subprocess.run(
        command,
        shell=True,
        input=given,
        env=there,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def refused(done: Done) -> str:
    """The one sentence with which a command ends."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()[-1:]
    assert line.startswith("selu: ")
    return line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a task of one's own, not prepared; nobody writes into it."""
    return mine.make(tmp_path_factory.mktemp("hostile") / "project")


@pytest.fixture(scope="module")
def ran(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same prepared, with the runs of both baselines under both protocols; nobody writes into it."""
    root = Path(shutil.copytree(made, tmp_path_factory.mktemp("ran") / "project"))
    for words in (f"prepare {mine.TASK}", f"run --task {mine.TASK} --system tfidf-xgboost --system fasttext"):
        done = invoke(root, words)
        assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def numbers(root: Path, lines: str = "range: [0, 100]\n", cells: Sequence[Any] = ()) -> Path:
    """A task of numbers, with a row for each cell after 20 sound ones; returns the path of its CSV."""
    mine.declare(root, NUMBERS + lines, "effort")
    sound = [[f"move part {number} of it", number] for number in range(20)]
    return mine.write(root, [["message", "n"], *sound, *([f"odd {cell}", cell] for cell in cells)], "effort")


@pytest.mark.parametrize("text", ["1_0", "٣"])
def test_a_label_that_is_no_plain_number_is_refused_by_its_row(project, text):
    """Python reads 1_0 as 10: a typing error would become a label, and a model learn it."""
    numbers(project, cells=["5.", ".5", "+5", "1e1", " 7 ", text])
    message = refused(invoke(project, "prepare effort"))
    assert f"effort.csv, line 27: {text!r} is not a number from 0 to 100" in message


@pytest.mark.parametrize(("verb", "ends"), [("show-prompt", "-.inf, .inf"), ("prepare", "-inf, 1e400")])
def test_a_range_without_an_end_is_refused_where_the_record_is_read(project, verb, ends):
    """A prompt would ask for a number from minus infinity on, or end in a traceback."""
    numbers(project, f"range: [{ends}]\n")
    message = refused(invoke(project, f"{verb} effort"))
    assert "effort.yaml: range: " in message
    assert "give the lowest and the highest number" in message


@pytest.mark.parametrize("file", [".", "pipe.csv", "link.csv", "huge.csv", "loop.csv"])
def test_rows_come_from_a_file_of_bounded_size_alone(project, file):
    """A device or a pipe would be read until the memory is full, or for ever."""
    folder = numbers(project, f"range: [0, 100]\nfile: {file}\n").parent
    os.mkfifo(folder / "pipe.csv")
    (folder / "link.csv").symlink_to("/dev/zero")
    (folder / "loop.csv").symlink_to("loop.csv")
    with (folder / "huge.csv").open("wb") as stream:
        stream.truncate(3 << 30)
    assert "can't be read (" in refused(invoke(project, "prepare effort"))


@pytest.mark.parametrize("file", ["/dev/zero", "/etc/passwd", "../../../../secret.csv", "~/secret.csv"])
def test_a_record_reads_no_file_outside_of_the_clone(project, file):
    """A record that somebody sends would have private rows prepared, and sent to a model's server."""
    numbers(project, f"range: [0, 100]\nfile: {file}\n")
    message = refused(invoke(project, "prepare effort"))
    assert "effort.yaml: file: " in message
    assert "lies outside the clone: copy it beside the record, or allow it by a link there" in message


def test_a_link_beside_the_record_allows_a_file_elsewhere(project, tmp_path):
    path = numbers(project)
    path.rename(tmp_path / "elsewhere.csv")
    path.symlink_to(tmp_path / "elsewhere.csv")
    assert invoke(project, "prepare effort").returncode == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("file: ~nobody-of-this-name/rows.csv", "there is no home folder"),
        (r'file: "a\0b.csv"', "can't be read"),
        (r'source: "\ud800"', "can't be read as YAML"),
        ("labels: &one {a: *one}", "can't be read as YAML"),
    ],
)
def test_odd_fields_of_a_record(project, line, says):
    numbers(project, f"range: [0, 100]\n{line}\n")
    assert says in refused(invoke(project, "prepare effort"))


def test_a_record_that_unfolds_to_gigabytes(project):
    """A few lines of YAML's aliases stand for 3 ** 40 fields; each command reads all records."""
    lines = [
        "a0: &a0 {x: y}",
        *(f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}, r: *a{n - 1}}}" for n in range(1, 40)),
    ]
    mine.declare(project, "\n".join(lines), "effort")
    assert "write out what the alias" in refused(invoke(project, "show effort"))


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_record_that_is_no_file(project, make):
    make(project / own.FOLDER / "effort.yaml")
    assert "effort.yaml can't be read" in refused(invoke(project, "show effort"))


@pytest.mark.parametrize(
    "words",
    [
        "verify --claim C999",
        "show nonsuch",
        "compare one another",
        "audit nonsuch",
        "fetch nonsuch",
        "rescore --task nonsuch",
        "predict --task commit_reason --system nonsuch",
        "--root /proc verify",
    ],
)
def test_a_refusal_is_json_where_json_is_asked_for(project, words):
    """A program that reads the output would find nothing, and have to read people's sentences."""
    done = invoke(project, f"{words} --json", "x")
    message = refused(done)
    assert json.loads(done.stdout) == {"error": message.removeprefix("selu: ")}


@pytest.mark.ci
@pytest.mark.parametrize("way", ["<&-", "< /dev/null"])
def test_predict_without_standard_input(project, way):
    assert "no text was given" in refused(
        shell(project, f"selu predict --task {mine.TASK} --system fasttext {way}")
    )


@pytest.mark.ci
def test_predict_does_not_read_without_end(project):
    """Three gigabytes of memory would be full before the first answer."""
    message = refused(shell(project, f"selu predict --task {mine.TASK} --system fasttext < /dev/zero"))
    assert "more than 1,073,741,824 bytes were given" in message


@pytest.mark.ci
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_and_full_outputs_are_no_traceback(project, unbuffered):
    selu = f"PYTHONUNBUFFERED={unbuffered} selu"
    assert shell(project, f"{selu} list tasks >&-").returncode == 0
    assert "No space left" in refused(shell(project, f"{selu} list tasks > /dev/full"))
    assert "No space left" in refused(shell(project, f"{selu} show {mine.TASK} > /dev/full"))
    assert "nonsuch" in refused(shell(project, f"{selu} list nonsuch --json > /dev/full"))
    assert shell(project, f"{selu} show nonsuch 2>&-").returncode == 2


def test_a_label_that_the_terminal_can_t_show(project):
    mine.declare(project, mine.TASK_YAML.replace("question: ", "question: Größe? "))
    done = invoke(project, f"show {mine.TASK}")
    assert "Größe" in done.stdout
    ascii_alone = shell(project, f"PYTHONIOENCODING=ascii selu show {mine.TASK}")
    assert "can't be printed in ascii" in refused(ascii_alone)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("locks/baselines.txt", b"\xff"),
        (f"reports/own/data/{mine.TASK}/record.json", b'{"rows": 1e999}'),
        (f"reports/own/data/{mine.TASK}/record.json", None),
        (f"results/own/{mine.TASK}/fasttext/strict-s42/run.json", None),
        (f"results/own/{mine.TASK}/fasttext/strict-s42/run.json", b"[" * 100_000),
        (f"data/clean/own/{mine.TASK}.parquet", b"PAR1xxxxPAR1"),
        (".selu", b""),
    ],
)
def test_damaged_files_of_the_project(ran, tmp_path, path, content):
    """What is damaged is named with its path; None stands for a pipe, which would be read for ever."""
    root = Path(shutil.copytree(ran, tmp_path / "project"))
    place = root / path
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    if content is None:
        os.mkfifo(place)
    else:
        place.write_bytes(content)
    done = invoke(root, f"predict --task {mine.TASK} --system fasttext", "x")
    assert Path(path).parent.name in refused(done)
