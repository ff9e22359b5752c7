from __future__ import annotations

import csv
import hashlib
import json
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.runs import identity as identities
from selu.runs.identity import canonical, identity, pinned, program_hash, same_answers, source
from selu.vocabulary import SeluError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PROGRAM = '''"""What it is for."""

import math  # why

NAME = "rate"

class Rate:
    """A rate."""

    def of(self, value):
        """Of a value."""
        return math.exp(value) * 2  # twice


def note():
    """Only words."""
'''
LOCK = """# comment
numpy==2.4.6 \\
    --hash=sha256:00
xgboost-cpu==3.2.0 ; platform_machine == 'x86_64' \\
    --hash=sha256:11
scikit-learn==1.9.1
soupsieve==2.10 ; python_full_version < '3.11.5' \\
soupsieve==4.1.1 ; python_full_version >= '3.11.5' \\
"""


@given(PLAIN)
def test_what_is_hashed_reads_back_as_the_same(record):
    assert json.loads(canonical(record).decode("utf-8", "surrogatepass")) == record


@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_the_order_of_fields_changes_nothing(fields):
    turned = dict(reversed(fields.items()))
    assert identity(fields) == identity(turned) == hashlib.sha256(canonical(fields)).hexdigest()


@given(PLAIN, PLAIN)
def test_other_records_have_other_hashes(first, other):
    texts = [json.dumps(record, sort_keys=True) for record in (first, other)]
    assert (identity({"a": first}) == identity({"a": other})) == (texts[0] == texts[1])


def test_another_process_finds_the_same():
    fields = {"z": [1, 0.1, None, True], "a": {"é": "ü\u2028"}, "lr": 1e-6}
    code = f"from selu.runs.identity import identity; print(identity({fields!r}))"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "LC_ALL": "C", "TZ": "Asia/Tokyo"},
            capture_output=True,
            text=True,
        )
        assert done.stdout.strip() == identity(fields)


class TestSource:
    @pytest.fixture
    def folder(self, tmp_path):
        """A room with a file and a file in a folder below it."""
        room = tmp_path / "a" / "room"
        (room / "inner").mkdir(parents=True)
        (room / "one.py").write_text(PROGRAM)
        (room / "inner" / "two.py").write_text("x = 1\n")
        return room

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("# twice", "# two times that"),
            ('"""What it is for."""', '"""What it is really for."""'),
            ('"""A rate."""\n', ""),
            ('"""Of a value."""', "'''Of one value.\n\n        More.'''"),
            (
                "        return math.exp(value) * 2",
                "        return math.exp(\n            value\n        ) * 2",
            ),
            ("\n\nclass", "\n\n\n\n\nclass"),
            ('    """Only words."""', "    pass"),
        ],
    )
    def test_words_and_layout_change_nothing(self, folder, old, new):
        before = source([folder])
        assert old in PROGRAM
        (folder / "one.py").write_text(PROGRAM.replace(old, new))
        assert source([folder]) == before

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("* 2", "* 3"),
            ("* 2", "+ 2"),
            ("* 2", "* 2.0"),
            ("import math", "import cmath as math"),
            ("def of", "def at"),
            ("(self, value)", "(self, value=1)"),
            ("return ", ""),
            ('NAME = "rate"', 'NAME = "share"'),
        ],
    )
    def test_an_expression_changes_it(self, folder, old, new):
        before = source([folder])
        assert old in PROGRAM
        (folder / "one.py").write_text(PROGRAM.replace(old, new, 1))
        assert source([folder]) != before

    def test_names_count_and_places_do_not(self, folder, tmp_path):
        files = [folder / "one.py", folder / "inner" / "two.py"]
        assert source(files) == source(files[::-1]) != source(files[:1])
        before = source([folder])
        shutil.copytree(folder.parent, tmp_path / "elsewhere")
        assert source([tmp_path / "elsewhere" / "room"]) == before
        (folder / "inner" / "two.py").rename(folder / "inner" / "three.py")
        assert source([folder]) != before

    def test_other_files_do_not_count(self, folder):
        before = source([folder])
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "one.cpython-311.pyc").write_bytes(b"\0")
        (folder / "notes.yaml").write_text("a: 1\n")
        assert source([folder]) == before
        (folder / "new.py").write_text("")
        assert source([folder]) != before


class TestPinned:
    @pytest.fixture
    def lock(self, tmp_path):
        path = tmp_path / "data.txt"
        path.write_text(LOCK)
        return path

    def test_versions(self, lock):
        wanted = {"numpy": "2.4.6", "xgboost": "3.2.0", "scikit-learn": "1.9.1"}
        assert pinned(lock, wanted) == wanted

    def test_one_library_under_its_other_name(self, lock):
        lock.write_text(LOCK.replace("xgboost-cpu==3.2.0", "xgboost==2.1.1"))
        assert pinned(lock, ["xgboost"]) == {"xgboost": "2.1.1"}

    @pytest.mark.parametrize(("name", "number"), [("pandas", 0), ("soupsieve", 2), ("num", 0)])
    def test_none_or_several_versions(self, lock, name, number):
        with pytest.raises(SeluError, match=rf"data\.txt pins {number} versions of {name} .*'make locks'"):
            pinned(lock, ["numpy", name])

    def test_no_lock(self, tmp_path):
        with pytest.raises(SeluError, match=r"none\.txt is missing or damaged: restore it from git"):
            pinned(tmp_path / "none.txt", ["numpy"])


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A ledger of one's own: takes its lines, each (program, same_as, since, shown_by)."""

    def write(*lines):
        text = "\n".join(["program,same_as,since,shown_by", *(",".join(line) for line in lines)])
        monkeypatch.setattr(identities, "LEDGER", tmp_path / "programs.csv")
        (tmp_path / "programs.csv").write_text(text + "\n")
        same_answers.cache_clear()

    yield write
    same_answers.cache_clear()


def test_a_program_shown_to_give_the_same_answers_keeps_its_hash(tmp_path, ledger):
    before, after = tmp_path / "before" / "learner.py", tmp_path / "after" / "learner.py"
    for path, text in ((before, "def fit(): return 1"), (after, "from math import e\n\ndef fit(): return 1")):
        path.parent.mkdir()
        path.write_text(text)
    old, new = program_hash([before]), program_hash([after])
    ledger((new, old, "2026-11-24", "a test"))
    assert source([after]) == source([before]) == old != new
    after.write_text("def fit(): return 2")
    assert source([after]) == program_hash([after]) != old


@pytest.mark.parametrize(
    "lines",
    [
        [("1" * 64, "2" * 64, "2026-11-24", "")],  # nothing shows it
        [("1" * 64, "2" * 63, "2026-11-24", "a test")],
        [("1" * 64,)],
        [("1" * 64, "2" * 64, "2026-11-24", "a test"), ("1" * 64, "3" * 64, "2026-11-24", "a test")],
        [("1" * 64, "2" * 64, "2026-11-24", "a test"), ("2" * 64, "3" * 64, "2026-11-24", "a test")],
    ],
)
def test_a_ledger_with_a_wrong_line_is_refused(tmp_path, ledger, lines):
    ledger(*lines)
    with pytest.raises(SeluError, match=r"programs\.csv"):
        source([])


def test_what_shows_a_line_of_the_ledger_is_here(root):
    with identities.LEDGER.open(newline="") as file:
        missing = [row["shown_by"] for row in csv.DictReader(file) if not (root / row["shown_by"]).is_file()]
    assert missing == []


def test_a_lost_ledger_is_refused(tmp_path, ledger):
    ledger()
    (tmp_path / "programs.csv").unlink()
    with pytest.raises(SeluError, match="restore it from git"):
        source([])
