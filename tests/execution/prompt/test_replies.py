"""Replies that were paid for are not paid for again, with the journal and without it."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parents[2] / "systems" / "prompt"))

from api_rules import Failure
from api_server import Server

from helpers import asking
from helpers import small_project as small
from helpers.asking import ANTHROPIC, KEYS, OPENAI, answer, at_home
from helpers.read_once import read_once
from helpers.running import states
from selu.app.running.run import run as run_wanted
from selu.cost import prices
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.execution.prompt import plan as prompt_plan
from selu.execution.prompt import replies, requests
from selu.runs import record
from selu.systems.prompt import wire
from selu.systems.prompt.journal import Journal
from selu.vocabulary import MachineError, SeluError

WANTED = Wanted((small.BINARY,), (OPENAI,))
OTHER = Wanted((small.BINARY,), (ANTHROPIC,))


@pytest.fixture(scope="module", autouse=True)
def reading() -> Iterator[None]:
    with read_once():
        yield


@pytest.fixture(scope="module")
def served() -> Iterator[Server]:
    with Server(answer) as found:
        yield found


@pytest.fixture(scope="module")
def ran(served: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cells that were run, and asked once."""
    root = asking.make(tmp_path_factory.mktemp("ran") / "project", (small.BINARY,))
    small.alter(root, lambda p: at_home(p["prompt"], served.openai_url, served.url))
    with pytest.MonkeyPatch.context() as patch:
        for name, key in KEYS.items():
            patch.setenv(name, key)
        run_wanted(root, Wanted((small.BINARY,), (OPENAI, ANTHROPIC)), "missing", None, lambda _: None)
    return root


class Project:
    """A copy of what was run, and how many requests are paid for from then on."""

    def __init__(self, root: Path, server: Server, patch: pytest.MonkeyPatch) -> None:
        self.root, self.server, self.messages, self._patch = root, server, list[str](), patch
        self._paid, self._sent = sum(server.paid.values()), len(server.requests)

    @property
    def paid(self) -> int:
        return sum(self.server.paid.values()) - self._paid

    @property
    def silent(self) -> bool:
        return len(self.server.requests) == self._sent

    def run(self, wanted: Wanted = WANTED) -> str:
        self.messages.clear()
        run_wanted(self.root, wanted, "missing", None, self.messages.append)
        return self.messages[-1]

    def refused(self) -> str:
        with pytest.raises(SeluError, match="2 of 2 runs failed"):
            self.run()
        (line,) = {line.partition(": ")[2] for line in self.messages if "-s42: " in line}
        return line

    def folders(self, wanted: Wanted = WANTED) -> list[Path]:
        return [planned_run.folder for planned_run in plan(self.root, wanted)]

    def table(self, name: str) -> list[dict[str, list[Any]]]:
        return [pq.read_table(folder / name).to_pydict() for folder in self.folders()]

    def bytes_of(self, name: str) -> list[bytes]:
        return [(folder / name).read_bytes() for folder in self.folders()]

    def alter(self, **settings: Any) -> None:
        small.alter(self.root, lambda p: p["prompt"].update(settings))

    def forget(self) -> None:
        shutil.rmtree(self.root / ".selu")

    def stale(self) -> None:
        """Have replies read by another parser than they were read by."""
        self._patch.setattr(prompt_plan, "source", lambda: "another parser")

    def left(self) -> dict[str, Any]:
        (row,) = prices.table(self.root, WANTED)
        return row


@pytest.fixture
def project(ran: Path, served: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    yield Project(Path(shutil.copytree(ran, tmp_path / "project")), served, monkeypatch)
    served.answer = answer


# -- what is taken -----------------------------------------------------------------------------------------


@pytest.mark.ci
@pytest.mark.parametrize("change", ["lock", "parser"])
def test_a_stale_run_is_made_again_without_its_journal(
    project: Project, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [project.bytes_of(name) for name in (record.PREDICTIONS, record.REPLIES)]
    paid = [record.read_run(folder)["cost"] for folder in project.folders()]
    project.forget()
    if change == "parser":
        project.stale()
    else:  # which pins a version of the library that is not here, nor needed where nothing is asked
        path = project.root / "locks" / "prompt.txt"
        path.write_text(path.read_text("utf-8").replace("\nopenai==", "\nopenai==99."), "utf-8")
    assert set(states(project.root, WANTED).values()) == {"stale"}
    for name in KEYS:
        monkeypatch.delenv(name)
    assert project.run() == "2 runs: 2 run, 0 left as they are, 0 failed"
    assert project.silent
    assert "  12 replies are taken from paper-s42" in project.messages
    assert "  12 requests, 12 answered before; 0 to be asked, at most 0 tokens and 0.00 USD" in project.messages
    assert [project.bytes_of(name) for name in (record.PREDICTIONS, record.REPLIES)] == before
    for folder, old in zip(project.folders(), paid, strict=True):
        new = record.read_run(folder)["cost"]
        assert (old.pop("taken_over"), new.pop("taken_over")) == (0, 12)
        assert (new["timed_requests"], old["timed_requests"]) == (0, old["requests"])
        untimed = {"wall_seconds": 0, "timed_requests": 0}
        assert new | untimed == old | untimed


def test_one_altered_prompt_is_asked_anew_and_no_other(project: Project) -> None:
    project.forget()
    rows = small.table(small.task(small.BINARY))
    assert "crash" not in rows.loc[5, "paper"]
    rows.loc[5, "paper"] = "a crash of another kind"  # the second test row
    small.put(project.root, small.BINARY, rows)
    asking.put_shots(project.root, small.BINARY, asking.shots_of(rows))
    before = project.table(record.REPLIES)[0]
    project.run()
    assert project.paid == 1
    after = project.table(record.REPLIES)[0]
    changed = [n for n in range(12) if before["request"][n] != after["request"][n]]
    assert changed == [1]
    assert [n for n in range(12) if before["body"][n] != after["body"][n]] == [1]
    assert (before["reply"][1], after["reason"][1]) != (after["reply"][1], None)


def test_rows_that_failed_are_asked_and_no_other(project: Project) -> None:
    failure = Failure(400, "invalid_request_error", "too long", "context_length_exceeded")
    text = small.table(small.task(small.BINARY))["paper"][10]
    project.server.answer = lambda prompt: failure if prompt.endswith(text) else answer(prompt)
    project.alter(seed=7)
    project.run()
    assert project.paid == 12 - 1  # a request that is refused costs nothing
    assert [n for n, body in enumerate(project.table(record.REPLIES)[0]["body"]) if body is None] == [2]
    project.server.answer = answer
    project.forget()
    for folder in project.folders():
        (folder / record.PREDICTIONS).unlink()  # so that the run is to be made again
    assert project.left()["to_ask"] == 1
    project.run()
    assert project.paid == 12
    assert None not in project.table(record.REPLIES)[0]["body"]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("wanted", "settings"),
    [(WANTED, {"max_tokens": 60}), (WANTED, {"temperature": 0.5}), (WANTED, {"seed": 7}), (OTHER, {"seed": 7})],
)
def test_other_requests_are_asked(project: Project, wanted: Wanted, settings: dict[str, Any]) -> None:
    """Of another seed too, though not every provider is sent it."""
    project.forget()
    project.alter(**settings)
    project.run(wanted)
    assert project.paid == 12
    assert "  the replies in paper-s42 are to other requests" in project.messages


def test_another_form_of_the_body_is_another_request(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is of other requests then, too."""
    body = wire.body
    monkeypatch.setattr(wire, "body", lambda *arguments: {**body(*arguments), "top_p": 1})
    assert project.left()["to_ask"] == 12
    project.stale()
    project.run()
    assert project.paid == 12


def one_is_gone(project: Project) -> None:
    shutil.rmtree(project.folders()[1])


def asked_alone(project: Project) -> None:
    """How it is sent makes no other question of it."""
    small.alter(project.root, lambda p: p["prompt"]["models"]["gpt-4o"].update(batches=False))
    shutil.rmtree(project.folders()[0])


def all_else_is_damaged(project: Project) -> None:
    for folder in project.folders():
        (folder / record.PREDICTIONS).write_bytes(b"PAR1")
        (folder / record.SCORES).unlink()


@pytest.mark.parametrize("change", [one_is_gone, asked_alone, all_else_is_damaged])
def test_what_was_paid_is_not_asked_again(project: Project, change: Callable[[Project], None]) -> None:
    project.forget()
    change(project)
    project.run()
    assert project.silent
    assert set(states(project.root, WANTED).values()) == {"present"}


# -- what is not -------------------------------------------------------------------------------------------


def test_damaged_replies_are_taken_from_the_other_run(project: Project) -> None:
    project.forget()
    paper = project.folders()[0]
    (paper / record.REPLIES).write_bytes(b"PAR1")
    project.stale()
    project.run()
    assert project.silent
    assert f"  {paper} is damaged, or of another cell: its replies are not taken" in project.messages
    assert "  12 replies are taken from strict-s42" in project.messages


def edited(folder: Path, _other: Path) -> None:
    """Other replies under a record of their own, which nobody sealed."""
    found = pq.read_table(folder / record.REPLIES).to_pydict()
    found["body"] = found["body"][::-1]
    pq.write_table(pa.table(found), folder / record.REPLIES)


def without_record(folder: Path, _other: Path) -> None:
    (folder / record.RUN).unlink()


def foreign(folder: Path, other: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(other, folder)


def of_an_older_version(folder: Path, _other: Path) -> None:
    content = record.read_run(folder)
    kept = {name: (folder / name).read_bytes() for name in content.pop("files")}
    found = pq.read_table(folder / record.REPLIES).drop_columns(["request", "body"])
    pq.write_table(found, folder / "x")
    record.write_run(folder, {**kept, record.REPLIES: (folder / "x").read_bytes()}, content)


def no_table(folder: Path, _other: Path) -> None:
    content = record.read_run(folder)
    kept = {name: (folder / name).read_bytes() for name in content.pop("files")}
    record.write_run(folder, {**kept, record.REPLIES: b"PAR1 and no more"}, content)


@pytest.mark.ci
@pytest.mark.parametrize(
    "harm",
    [edited, without_record, foreign, of_an_older_version, no_table],
    ids=lambda h: h.__name__,
)
def test_damaged_and_foreign_replies_are_refused_before_anything_is_paid(
    project: Project, harm: Callable[[Path, Path], None]
) -> None:
    project.forget()
    for folder, other in zip(project.folders(), project.folders(OTHER), strict=True):
        harm(folder, other)
    if set(states(project.root, WANTED).values()) == {"present"}:
        project.stale()
    paper = project.folders()[0]
    says = (
        f"12 requests may have been paid for already: bring {paper} back with 'dvc checkout --force {paper}', "
        "or remove it to pay for them again."
    )
    assert project.refused() == says
    assert project.left()["state"].endswith(f"; can't be asked: {says}")
    assert project.silent
    for folder in project.folders():
        shutil.rmtree(folder)
        folder.mkdir()  # which is not a run
    project.run()
    assert project.paid == 12


def test_a_run_that_fails_keeps_the_replies_that_were_paid(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> int:
        raise SeluError("a text that can't be asked")

    project.forget()
    project.stale()
    with monkeypatch.context() as patch:
        patch.setattr(requests, "tokens", damaged)
        with pytest.raises(SeluError):
            project.run()
    assert set(states(project.root, WANTED).values()) == {"failed"}
    run_wanted(project.root, WANTED, "failed", None, project.messages.append)
    assert set(states(project.root, WANTED).values()) == {"present"}
    assert project.silent


# -- what a plan says --------------------------------------------------------------------------------------


def test_a_plan_says_what_is_left(project: Project) -> None:
    names = ("requests", "to_ask", "asked_tokens", "answered_tokens", "usd_at_most")
    assert [project.left()[name] for name in names] == [12, 0, 0, 0, 0]
    project.forget()
    assert [project.left()[name] for name in names] == [12, 0, 0, 0, 0]
    shutil.rmtree(project.folders()[0])
    assert project.left()["to_ask"] == 0
    shutil.rmtree(project.folders()[1])
    row = project.left()
    assert row["to_ask"] == 12
    assert row["asked_tokens"] > 500
    assert row["answered_tokens"] == 12 * 50
    assert not (project.root / ".selu").exists()  # no prompt is kept for it
    assert prices.summary(project.root, [row]).startswith(
        "12 of 12 requests in 1 cells are to be asked: at most"
    )
    assert project.silent


@pytest.mark.ci
def test_a_plan_counts_what_is_on_its_way_as_asked(project: Project) -> None:
    project.forget()
    for folder in project.folders():
        shutil.rmtree(folder)
    cell = survey(project)
    with Journal(cell.folder / "journal.sqlite", cell.key, 12) as journal:
        journal.announce("selu-x-1", range(5), 0.0, 1.0)
        journal.keep("selu-x-1", [(0, {})], [(1, "refused: no")])
        assert "can't be asked" in project.left()["state"]  # it is in use
        assert "is in use" in project.left()["state"]
    assert project.left()["to_ask"] == 7
    with Journal(cell.folder / "journal.sqlite", cell.key, 12) as journal:
        journal.mark("selu-x-1", "ended")
    assert project.left()["to_ask"] == 11


def survey(project: Project) -> Any:
    from selu.execution.prompt.requests import Survey

    run = plan(project.root, WANTED)[0]
    model, settings = prompt_plan.known(project.root)[OPENAI], prompt_plan.settings_of(project.root)
    return Survey(project.root, run, model, settings, lambda _: None)


# -- the file ----------------------------------------------------------------------------------------------

TEXTS = st.sampled_from(["\ud800", "a\udfff", "\0", "é \u2028"]) | st.text(max_size=6)
BODIES = TEXTS.map(lambda text: {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 5}})


class Cell:
    """Six rows."""

    def __init__(self, folder: Path) -> None:
        self.ids, self.protocol = [f"p{row}" for row in range(6)], "openai"
        self.run = SimpleNamespace(folder=folder)

    def request(self, row: int) -> str:
        return f"hash of {row}"


def content(cell: Any, journal: Journal) -> bytes:
    read = {row: wire.read("openai", body) for row, body in journal.replies()}
    return replies.to_parquet(cell, journal, read, [None] * 6)


@pytest.mark.ci
@given(
    rows=st.dictionaries(st.integers(0, 5), st.lists(BODIES, min_size=1, max_size=12), max_size=6),
    why=st.sampled_from(["server_error", "refused: no"]),
)
@settings(max_examples=25, deadline=None)
def test_a_journal_begun_from_the_file_gives_the_same_file(rows: dict[int, list[Any]], why: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "task" / "system" / "strict-s42"
        cell: Any = Cell(folder)
        with Journal(Path(name) / "one.sqlite", "key", 6) as journal:
            for row, bodies in rows.items():
                for number, body in enumerate(bodies):
                    journal.keep(f"tag-{number:02}", [(row, body)])
            journal.keep("tag", [], [(row, why) for row in range(6) if row not in rows])
            written = content(cell, journal)
            assert content(cell, journal) == written
            twice, paid = journal.paid_again(), sorted(map(json.dumps, journal.bodies()))
        fields = {"task": "task", "system": "system", "run": "strict-s42"}
        about = {"state": "present", "identity": "a", "fields": fields}
        record.write_run(folder, {record.REPLIES: written}, about)
        with Journal(Path(name) / "two.sqlite", "key", 6) as journal:
            replies.take_over(cell, journal, lambda _: None)
            assert journal.taken_over() == journal.answered() == len(rows)
            assert (journal.paid_again(), sorted(map(json.dumps, journal.bodies()))) == (twice, paid)
            journal.keep("tag", [], [(row, why) for row in range(6) if row not in rows])
            assert content(cell, journal) == written


def test_what_is_no_reply_is_not_taken(tmp_path: Path) -> None:
    """As from a hand that edited and sealed it again."""
    folder = tmp_path / "task" / "system" / "strict-s42"
    cell: Any = Cell(folder)
    good = json.dumps({"choices": [{"message": {"content": "yes"}}]})
    columns = {
        "id": cell.ids,
        "request": [cell.request(row) for row in (0, 1, 2, 3, 5, 5)],
        "body": [good, "{}", "no JSON", None, good, "[" * 100_000],
        "again": [[], [good], [], [], [], []],
    }
    pq.write_table(pa.table(columns), tmp_path / "x")
    fields = {"task": "task", "system": "system", "run": "strict-s42"}
    about = {"state": "present", "identity": "a", "fields": fields}
    record.write_run(folder, {record.REPLIES: (tmp_path / "x").read_bytes()}, about)
    with Journal(tmp_path / "journal.sqlite", "key", 6) as journal:
        replies.take_over(cell, journal, lambda _: None)
        assert list(journal.replies()) == [(0, json.loads(good))]


def test_a_missing_row_and_a_damaged_run_together_are_refused(tmp_path: Path) -> None:
    """Replies of a whole run are taken first: only what is left may have been paid for by the damaged one."""
    cell: Any = Cell(tmp_path / "task" / "system" / "strict-s42")
    broken = tmp_path / "task" / "system" / "paper-s42"
    broken.mkdir(parents=True)
    (broken / record.REPLIES).write_bytes(b"?")
    with Journal(tmp_path / "journal.sqlite", "key", 6) as journal:
        body = {"choices": [{"message": {"content": "yes"}}]}
        journal.keep("tag", [(row, body) for row in range(4)])
        messages: list[str] = []
        with pytest.raises(MachineError, match=r"^2 requests may have been paid for already"):
            replies.take_over(cell, journal, messages.append)
        assert messages == [f"{broken} is damaged, or of another cell: its replies are not taken"]
        journal.keep("tag", [(row, body) for row in (4, 5)])
        replies.take_over(cell, journal, messages.append)  # nothing is lacking
        assert len(messages) == 1
