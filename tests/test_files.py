from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from selu import files
from selu.vocabulary import SeluError, Verdict


def test_json_has_one_form():
    record = {
        "numpy": np.float64(1 / 3),
        "int": np.int64(3),
        "array": np.array([1.0, np.nan]),
        "verdict": Verdict.HOLDS,
        "true": np.bool_(True),
        "tuple": (1, -0.0),
    }
    plain = json.loads(files.to_json(record))
    assert plain == {
        "numpy": 0.3333333333,
        "int": 3,
        "array": [1.0, None],
        "verdict": "holds",
        "true": True,
        "tuple": [1, 0.0],
    }


def test_json_hides_the_last_bits():
    """Neighbouring floats, as another processor's sum gives them, write the same text."""
    values = np.random.default_rng(3).normal(0, 1, 2_000)
    texts = [(files.to_json(value), files.to_json(np.nextafter(value, 9))) for value in values]
    assert all(first == second for first, second in texts)
    assert all(abs(float(first) - value) < 1e-9 for (first, _), value in zip(texts, values, strict=True))


def test_missing_and_damaged_results_say_what_to_do(tmp_path):
    with pytest.raises(SeluError, match="dvc pull"):
        files.read_json(tmp_path / "claims.json", "selu report claims")
    for content in ("[1,", "[1, 2]", "null", "[]", '[{"id": "C001"}]', "{"):
        (tmp_path / "claims.json").write_text(content)
        with pytest.raises(SeluError, match="damaged"):
            files.read_json(tmp_path / "claims.json", "selu report claims", ("id", "verdict"))


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    files.write_atomic(path, "old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        files.write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_killed_writers_leave_the_old_or_the_new(tmp_path):
    """A process is killed at random moments while it writes two contents in turn."""
    path = tmp_path / "a.txt"
    program = (
        "import sys; from pathlib import Path; from selu.files import write_atomic\n"
        "while True:\n"
        "    for c in 'ab': write_atomic(Path(sys.argv[1]), c * 200_000)\n"
    )
    for pause in (0.2, 0.25, 0.31, 0.37):
        writer = subprocess.Popen([sys.executable, "-c", program, str(path)])
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(pause)
        writer.kill()
        writer.wait()
        if path.exists():
            content = path.read_text()
            assert content in ("a" * 200_000, "b" * 200_000)
    assert path.exists()


def test_what_a_user_names_is_read_up_to_a_byte_more_than_is_allowed(tmp_path):
    """A device without an end would fill the memory."""
    assert files.read_given(Path("/dev/zero"), 5) == bytes(6)
    for path in (tmp_path, tmp_path / "none", Path("a\0b")):
        with pytest.raises(SeluError, match="can't be read: "):
            files.read_given(path, 5)


def test_a_pipe_is_read_where_something_writes_to_it_and_refused_where_nothing_does(tmp_path):
    """Waiting for a writer that never comes has no end, and says nothing."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(SeluError, match="is a pipe that nothing writes to: start its writer first"):
        files.read_given(pipe, 9)
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, b"a,b\n")
    threading.Timer(0.1, os.close, [writer]).start()  # until then there may be more to read
    assert files.read_given(pipe, 9) == b"a,b\n"


def test_a_file_is_not_written_over_the_one_that_is_read(tmp_path):
    """Else somebody's own scores or texts are lost."""
    given = tmp_path / "mine.csv"
    given.write_text("a")
    (tmp_path / "link.csv").symlink_to(given)
    for out, reason in (
        (given, "would be lost"),
        (tmp_path / "link.csv", "would be lost"),
        (tmp_path, "a folder"),
    ):
        with pytest.raises(SeluError, match=reason):
            files.check_out(out, given)
    files.check_out(tmp_path / "other.csv", given)
    files.check_out(None, given)


@pytest.mark.parametrize(
    ("text", "line", "rows"),
    [
        ("a,b\n1,2\n", 1, [(2, ["1", "2"])]),
        ("\n\na;b\r\n\r\n1;2\r\n", 3, [(5, ["1", "2"])]),
        ('a,b\n"1\n1",2\n3,4', 1, [(2, ["1\n1", "2"]), (4, ["3", "4"])]),
        ('"a;b;c",d\n1,2\n', 1, [(2, ["1", "2"])]),
        ("sep=;\r\na;b\r\n1,5;2\r\n", 2, [(3, ["1,5", "2"])]),
        ('"sep=,",\na,b\n1;2,3\n', 2, [(3, ["1;2", "3"])]),
        ("a\n1;2\n", 1, [(2, ["1;2"])]),
        ("sep=;\n", 2, []),
        ("", 1, []),
    ],
)
def test_a_csv_as_other_people_write_it(text, line, rows):
    found = files.read_csv(text)
    assert (found.line, list(found.rows)) == (line, rows)


@pytest.mark.parametrize(
    ("text", "line", "why"), [('a\n\n"1\n2\n', 3, "is not closed"), ('a,b\n"1"x,2\n', 2, "inside a field")]
)
def test_a_torn_csv_is_named_by_the_line_in_which_its_row_begins(text, line, why):
    with pytest.raises(files.TornError, match=why) as torn:
        list(files.read_csv(text).rows)
    assert torn.value.line == line


@pytest.mark.parametrize(
    ("number", "helps"),
    [
        (errno.ENOSPC, ": make room there ('selu doctor' says what is free), and run it again."),
        (
            errno.EACCES,
            ": 'sudo chown --recursive {user} {folder}' gives it to this user, or start the container ",
        ),
        (errno.EROFS, " as its owner ('--user \"$(id -u):$(id -g)\"')."),
    ],
)
def test_what_a_disk_refuses_is_said_with_what_helps(tmp_path, number, helps):
    """A mounted clone of somebody else's, or a full disk, at the end of hours of training."""
    path = tmp_path / "results" / "a"
    sentence = files.explain(OSError(number, os.strerror(number), str(path)))
    assert sentence.startswith(f"{path}: {os.strerror(number)}; nothing is half-written: ")
    assert helps.format(user=f"{os.geteuid()}:{os.getegid()}", folder=tmp_path) in sentence
