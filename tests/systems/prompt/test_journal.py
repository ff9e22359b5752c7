"""The journal against a model of it in memory, and what it says of files that it can't take."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from selu.systems.prompt import journal as journals
from selu.systems.prompt.journal import ANNOUNCED, ENDED, LOST, SENT, WITHDRAWN, Journal, Sending
from selu.vocabulary import MachineError, SeluError

SIZE = 6
ROWS = st.sets(st.integers(0, SIZE - 1), min_size=1)
# Lone surrogates, halves of a pair side by side, and NUL among them.
TEXTS = st.sampled_from(["\ud800", "a\udfff\\b", "\ud83d\ude00", "\0"]) | st.text(max_size=5)
BODIES = st.dictionaries(TEXTS, TEXTS | st.none() | st.integers() | st.lists(TEXTS, max_size=2), max_size=3)
WHYS = TEXTS.map("server_error {}".format) | TEXTS.map("refused: {}".format)


class Books(RuleBasedStateMachine):
    """Anything that a drive may do, in any order."""

    @initialize()
    def begin(self):
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "new" / "journal.sqlite"
        self.journal = Journal(self.path, "key", SIZE)
        self.nonce = self.journal.nonce()
        self.sendings, self.members = {}, {}
        self.replies, self.spares, self.failed = {}, {}, {}
        self.tidied, self.taken = set(), set()

    def teardown(self):
        self.journal.close()
        self.folder.cleanup()

    def pick_tag(self, data):
        return data.draw(st.sampled_from(sorted(self.sendings)))

    @precondition(lambda self: len(self.sendings) < 4)
    @rule(rows=ROWS, now=st.floats(0, 1e10), bound=st.floats(0, 100))
    def announce(self, rows, now, bound):
        tag = f"tag-{len(self.sendings)}"
        self.journal.announce(tag, sorted(rows), now, bound)
        self.sendings[tag] = Sending(tag, ANNOUNCED, None, len(rows), now, bound, None)
        self.members[tag] = set(rows)

    @precondition(lambda self: self.sendings)
    @rule(data=st.data())
    def announce_a_tag_again(self, data):
        with pytest.raises(sqlite3.IntegrityError):
            self.journal.announce(self.pick_tag(data), list(range(SIZE)), 0.0, 1.0)

    def change(self, tag, **fields):
        old = {name: getattr(self.sendings[tag], name) for name in Sending.__slots__}
        self.sendings[tag] = Sending(**{**old, **fields})

    @precondition(lambda self: self.sendings)
    @rule(data=st.data())
    def withdraw(self, data):
        tag = self.pick_tag(data)
        self.journal.withdraw(tag)
        self.members[tag] = set()
        self.change(tag, state=WITHDRAWN, bound=0.0)

    @precondition(lambda self: self.sendings)
    @rule(data=st.data())
    def accepted(self, data):
        tag = self.pick_tag(data)
        self.journal.sent(tag, f"batch of {tag}")
        self.change(tag, state=SENT, batch=f"batch of {tag}")

    @precondition(lambda self: self.sendings)
    @rule(data=st.data(), now=st.floats(0, 1e10))
    def announced_later(self, data, now):
        tag = self.pick_tag(data)
        self.journal.announced(tag, now)
        self.change(tag, announced=now)

    @precondition(lambda self: self.failed)
    @rule()
    def forgive(self):
        self.journal.forgive()
        self.failed.clear()

    @precondition(lambda self: self.sendings)
    @rule(data=st.data(), state=st.sampled_from([ENDED, LOST]), note=st.none() | TEXTS)
    def mark(self, data, state, note):
        tag = self.pick_tag(data)
        self.journal.mark(tag, state, note)
        self.change(tag, state=state, note=self.sendings[tag].note if note is None else stored(note))

    @precondition(lambda self: self.sendings)
    @rule(
        data=st.data(),
        replies=st.lists(st.tuples(st.integers(0, SIZE - 1), BODIES), max_size=4),
        failures=st.lists(st.tuples(st.integers(0, SIZE - 1), WHYS), max_size=4),
    )
    def keep(self, data, replies, failures):
        tag = self.pick_tag(data)
        self.journal.keep(tag, iter(replies), iter(failures))
        for row, body in replies:
            found = json.loads(json.dumps(body))  # which joins halves of a pair
            if self.replies.setdefault(row, (tag, found))[0] != tag:
                self.spares.setdefault((row, tag), found)
        for row, why in failures:
            self.failed.setdefault((row, tag), stored(why))

    @precondition(lambda self: self.sendings)
    @rule(data=st.data(), row=st.integers(0, SIZE - 1))
    def fail_in_the_middle_of_keeping(self, data, row):
        def replies():
            yield row, {"a": "reply that does not stay"}
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            self.journal.keep(self.pick_tag(data), replies(), [])

    @precondition(lambda self: self.sendings)
    @rule(data=st.data())
    def tidy(self, data):
        tags = data.draw(st.sets(st.sampled_from(sorted(self.sendings))))
        self.journal.tidied(iter(tags))
        self.tidied |= tags

    @rule(data=st.data(), bodies=st.lists(BODIES, min_size=1, max_size=3))
    def take_over(self, data, bodies):
        open_rows = [row for row in range(SIZE) if row not in self.replies]
        if open_rows:
            row, texts = data.draw(st.sampled_from(open_rows)), [stored(json_of(body)) for body in bodies]
            self.journal.take_over([(row, texts)])
            self.taken.add(row)
            self.replies[row] = ("kept-0000", json.loads(texts[0]))
            for number, text in enumerate(texts[1:], start=1):
                self.spares[row, f"kept-{number:04}"] = json.loads(text)
            assert self.journal.raw(range(row, row + 1)) == {row: texts}

    @rule()
    def reopen(self):
        self.journal.close()
        self.journal = Journal(self.path, "key", SIZE)

    @invariant()
    def it_is_as_the_model(self):
        journal, states = self.journal, (ANNOUNCED, SENT)
        assert journal.sendings() == list(self.sendings.values())
        assert journal.sendings(*states) == [s for s in self.sendings.values() if s.state in states]
        assert {tag: journal.members(tag) for tag in self.members} == self.members
        assert list(journal.replies()) == [(row, self.replies[row][1]) for row in sorted(self.replies)]
        assert journal.answered() == len(self.replies)
        assert journal.paid_again() == len(self.spares)
        every = [body for _, body in self.replies.values()] + list(self.spares.values())
        assert sorted(map(json.dumps, journal.bodies())) == sorted(map(json.dumps, every))
        last = {row: why for (row, _), why in self.failed.items() if row not in self.replies}
        assert journal.failures() == last
        assert journal.nonce() == self.nonce
        over = [s for s in self.sendings.values() if s.state in (ENDED, WITHDRAWN)]
        assert journal.untidy() == [s for s in over if s.tag not in self.tidied]
        assert journal.taken_over() == len(self.taken)
        assert journal.unanswered() == [row for row in range(SIZE) if row not in self.replies]
        raw = journal.raw(range(SIZE))
        assert {row: json.loads(texts[0]) for row, texts in raw.items()} == {
            row: body for row, (_, body) in self.replies.items()
        }
        assert sum(len(texts) - 1 for texts in raw.values()) == len(self.spares)
        assert journal.pending() == [row for row in range(SIZE) if self.open(row, None)]
        for attempts in (1, 2, 3):
            assert journal.pending(attempts) == [row for row in range(SIZE) if self.open(row, attempts)]

    def open(self, row, attempts):
        whys = [why for (failed, _), why in self.failed.items() if failed == row]
        out = any(row in self.members[tag] and s.state in (ANNOUNCED, SENT) for tag, s in self.sendings.items())
        vain = attempts is not None and (any(w.startswith("refused: ") for w in whys) or len(whys) >= attempts)
        return row not in self.replies and not out and not vain


def json_of(body):
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def stored(text):
    return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


TestBooks = Books.TestCase
TestBooks.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)


@pytest.mark.slow
class TestManyBooks(Books.TestCase):
    settings = settings(max_examples=50, stateful_step_count=30, deadline=None)


def filled(path, replies=400):
    with Journal(path, "key", SIZE * 1000) as journal:
        journal.announce("a", range(replies), 0.0, 1.0)
        journal.keep("a", ((row, {"text": f"reply {row} " * 30}) for row in range(replies)))
    return path


@pytest.fixture
def path(tmp_path):
    return filled(tmp_path / "journal.sqlite")


# ---- whose it is


@pytest.mark.parametrize(
    ("key", "size", "format"), [("another", SIZE * 1000, 1), ("key", 7, 1), ("key", SIZE * 1000, 2)]
)
def test_the_journal_of_other_requests_is_refused_and_left_as_it_is(path, key, size, format, monkeypatch):
    monkeypatch.setattr(journals, "FORMAT", format)
    with pytest.raises(SeluError, match="is the journal of other requests: move it away") as error:
        Journal(path, key, size)
    assert not isinstance(error.value, MachineError)
    monkeypatch.undo()
    with Journal(path, "key", SIZE * 1000) as journal:  # and nobody holds it
        assert journal.answered() == 400


def test_journals_have_nonces_of_their_own(tmp_path):
    nonces = set()
    for number in range(4):
        with Journal(tmp_path / f"{number}", "key", 1) as journal:
            nonces |= {journal.nonce(), journal.nonce()}
    assert len(nonces) == 4
    assert {len(nonce) for nonce in nonces} == {8}


@pytest.mark.ci
def test_one_that_is_open_is_refused_to_a_second_opener(path):
    code = "import sys, pathlib; from selu.systems.prompt.journal import Journal\n"
    code += f"Journal(pathlib.Path(sys.argv[1]), 'key', {SIZE * 1000})"
    other = [sys.executable, "-c", code, str(path)]
    with Journal(path, "key", SIZE * 1000) as journal:
        with pytest.raises(MachineError, match="is in use: another process is sending these requests"):
            Journal(path, "key", SIZE * 1000)
        found = subprocess.run(other, capture_output=True, text=True, check=False)
        assert found.returncode == 1
        assert "is in use: another process" in found.stderr
        journal.keep("a", [(5999, {})])
    subprocess.run(other, check=True)


# ---- what it can't take


def zeroed(content):
    half = len(content) // 2
    return content[:half] + b"\0" * 4096 + content[half + 4096 :]


DAMAGES = {
    "no database": lambda content: b"{" * len(content),
    "empty head": lambda content: b"\0" * 100 + content[100:],
    "half of it": lambda content: content[: len(content) // 2],
    "a page of zeros": zeroed,
    "pages of noise": lambda content: content[:20480] + os.urandom(len(content) - 20480),
    "no JSON": lambda content: content.replace(b'{"text"', b'{"text', 1),
    "no UTF-8": lambda content: content.replace(b'{"text"', b'{"te\xff\xff"', 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_said_in_a_sentence(path, damage):
    content = path.read_bytes()
    path.write_bytes(DAMAGES[damage](content))
    assert path.read_bytes() != content
    damaged = pytest.raises(MachineError, match="is damaged: bring it back from a copy")
    with damaged as error, Journal(path, "key", SIZE * 1000) as journal:
        list(journal.replies())
    assert "\n" not in str(error.value)
    path.write_bytes(content)
    with Journal(path, "key", SIZE * 1000) as journal:
        assert len(list(journal.replies())) == len(list(journal.bodies())) == 400


def test_a_full_disk_is_said_in_a_sentence_and_loses_nothing(path):
    with pytest.raises(MachineError, match="can't be read or written"):
        Journal(path.parent, "key", 1)
    with Journal(path, "key", SIZE * 1000) as journal:
        journal._base.execute("PRAGMA max_page_count=1")  # no page more than it has
        with pytest.raises(MachineError, match=r"can't be read or written .*full"):
            journal.keep("a", ((row, {"text": "x" * 2000}) for row in range(400, 900)))
        assert journal.answered() == 400
        journal._base.execute("PRAGMA max_page_count=1000000")
        journal.keep("a", [(400, {})])
        assert journal.answered() == 401
