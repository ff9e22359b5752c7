"""A crawl that loses a record, or has one twice, makes a benchmark that nobody can make again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from papers.faun_eval.pipeline.github_server import (
    NAME,
    OLD_NAME,
    TOKEN,
    FakeClock,
    Schedule,
    World,
    github,
)
from selu.papers.faun_eval.pipeline.crawling import github as github_client
from selu.papers.faun_eval.pipeline.crawling.assemble import assemble
from selu.papers.faun_eval.pipeline.crawling.crawl import Crawl
from selu.papers.faun_eval.pipeline.crawling.github import Client, token_of
from selu.papers.faun_eval.pipeline.crawling.journal import Journal, Page
from selu.papers.faun_eval.pipeline.records import Place
from selu.vocabulary import MachineError, SeluError

pytest.importorskip("github")


class KilledError(Exception):
    pass


class KilledJournal(Journal):
    """Dies now and then while it writes, with half a line on the disk."""

    def __init__(self, path: Path, draw: random.Random, once_in: int) -> None:
        super().__init__(path)
        self._draw, self._once_in = draw, once_in

    def add(self, page: Page) -> None:
        if self._draw.randrange(self._once_in) == 0:
            super().add(page)
            os.truncate(self._path, self._end - self._draw.randint(1, 40))
            raise KilledError
        super().add(page)


def crawl_to_the_end(world, schedule, clock, path, kills=150):
    """Crawl under a schedule, and go on after each kill; entries, what was wrong, kills."""
    draw, killed = random.Random(schedule.seed), 0
    with github(world, schedule, clock) as served:
        while True:
            try:
                with KilledJournal(path, draw, kills) as journal:
                    crawl = Crawl(Client(TOKEN, served.address, clock), journal)
                    found = crawl.run(OLD_NAME)
                    return *assemble(crawl, found), killed
            except KilledError:
                killed += 1


def check_whole(world, entries):
    """Every record, comment and cross-reference of the world, each once."""
    assert [entry.place.number for entry in entries] == list(world.numbers)
    assert [entry.title for entry in entries] == list(world.titles.values())
    assert [entry.pull is not None for entry in entries] == list(world.is_pull.values())
    assert sorted(comment.body for entry in entries for comment in entry.comments) == sorted(
        c[2] for c in world.comments
    )
    reviews = [review.body for entry in entries if entry.pull for review in entry.pull.review]
    assert sorted(reviews) == sorted(review[2] for review in world.reviews)
    here = NAME.lower()
    sources = {number: {Place(here, source) for source in found} for number, found in world.sources.items()}
    assert {entry.place.number: entry.sources for entry in entries} == sources


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(4))
def test_no_record_is_lost_or_twice_whatever_fails(tmp_path, seed):
    """A researcher whose crawl met limits, faults and kills would publish other records than another one's."""
    world, clock, schedule = World(1_000, comments=300, seed=seed), FakeClock(), Schedule(seed, rate=0.35)
    world.crossed_page = 1
    world.sources[4] = [5, 7, 9]
    entries, _, killed = crawl_to_the_end(world, schedule, clock, tmp_path / "pages.jsonl", kills=8)
    check_whole(world, entries)
    assert killed
    assert schedule.early == 0  # nobody asked while GitHub had said to wait
    assert sum(schedule.seen.values()) > 5


def crawled(world, tmp_path, clock=None, fault="", name=NAME, renew=False):
    """One crawl where every request has this fault, or none; what was served, and what came of it."""
    clock, schedule = clock or FakeClock(), Schedule(1, 1 if fault else 0, (fault,), most_in_a_row=99)
    with github(world, schedule, clock) as served, Journal(tmp_path / "pages.jsonl") as journal:
        crawl = Crawl(Client(TOKEN, served.address, clock), journal)
        return served, assemble(crawl, crawl.run(name, renew))[0]


def test_a_second_crawl_asks_nothing_and_a_renewed_one_for_what_changed(tmp_path):
    """Answers that nothing changed cost a researcher none of the requests that GitHub allows in an hour."""
    world = World(450, comments=30)
    first, entries = crawled(world, tmp_path)
    assert len(first.asked) == 1 + 5 + 1 + 1 + 5  # the repository, pages of three lists, and of two by GraphQL
    again, same = crawled(world, tmp_path)
    assert again.asked == []
    assert same == entries
    world = World(470, comments=30)
    world.titles[1] = "renamed"
    renewed, now = crawled(world, tmp_path, renew=True)
    assert renewed.unchanged == 3  # of the five pages of issues, the first one and the last one are others
    check_whole(world, now)
    assert now[0].title == "renamed"


def test_a_renewed_crawl_finds_what_came_behind_a_full_last_page(tmp_path):
    """The last page is as it was where it was full, and a comment written since would never be seen."""
    crawled(World(100, comments=100), tmp_path)
    world = World(100, comments=100)
    world.comments += [(10**6 + at, 1, "written since") for at in range(20)]
    check_whole(world, crawled(world, tmp_path, renew=True)[1])


def test_a_moved_repository_is_crawled_under_its_new_name(tmp_path):
    """PyGithub drops the number of the page where a server says that a repository moved."""
    world = World(250)
    served, entries = crawled(world, tmp_path, name=OLD_NAME)
    check_whole(world, entries)
    assert {entry.place.repository for entry in entries} == {NAME.lower()}
    assert sum(address.startswith("/repos/") for address in served.asked) == 1


def test_a_reference_that_is_hidden_from_the_token_stops_no_crawl(tmp_path):
    """GitHub answers with an error beside the data where a closed organisation refers to an issue."""
    world = World(30)
    check_whole(world, crawled(world, tmp_path, fault="graph hidden")[1])


def test_a_page_of_another_place_is_never_taken_for_the_next_one():
    found = Client(TOKEN, "http://127.0.0.1:1")
    asked = "/repositories/1/issues?per_page=100&page=2"
    good = "http://127.0.0.1:1/repositories/1/issues?per_page=100&page=3"
    assert found._next(asked, f'<{good}>; rel="next"') == "/repositories/1/issues?per_page=100&page=3"
    for other in (
        good.replace("page=3", "page=2"),
        good.replace("=100", "=30"),
        good.replace("127.0.0.1:1", "evil.org"),
    ):
        with pytest.raises(Exception, match=r"^$"):
            found._next(asked, f'<{other}>; rel="next"')


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("500", "no whole answer to /repos/Some-Owner/some.name in 9 tries .at last status 500."),
        ("hang up", "at last a lost connection"),
        ("torn", "at last an answer that is not whole"),
        ("blanks", "at last no whole answer within 0.5 seconds"),
    ],
)
def test_a_server_that_never_answers_ends_in_a_sentence(tmp_path, fault, says, monkeypatch):
    monkeypatch.setattr(github_client, "_WHOLE", 0.5)
    clock = FakeClock()
    with pytest.raises(MachineError, match=says):
        crawled(World(3), tmp_path, clock, fault)
    assert len(clock.slept) == 8


def test_what_github_refuses_ends_in_a_sentence(tmp_path):
    clock = FakeClock()
    with github(World(3), Schedule(1, 0), clock) as served, Journal(tmp_path / "pages.jsonl") as journal:
        unknown = ("ghp_other", NAME, "does not know the token in GITHUB_TOKEN")
        for token, name, says in ((TOKEN, "own/none", "does not have it"), unknown):
            with pytest.raises(SeluError, match=says):
                Crawl(Client(token, served.address, clock), journal).run(name)
        Crawl(Client(TOKEN, served.address, clock), journal).run(NAME)
        with pytest.raises(SeluError, match="was crawled here, not own/other"):
            Crawl(Client(TOKEN, served.address, clock), journal).run("own/other")
    assert clock.slept == []


def test_the_token_reaches_no_file_log_or_error(tmp_path, caplog, capfd):
    """The server says the token back in its errors, as a proxy may."""
    caplog.set_level("DEBUG")
    messages = []
    clock, world = FakeClock(), World(150, comments=20)
    with (
        github(world, Schedule(3, 0.5, ("500",)), clock) as served,
        Journal(tmp_path / "pages.jsonl") as journal,
    ):
        Crawl(Client(TOKEN, served.address, clock, messages.append), journal, messages.append).run(OLD_NAME)
    assert any("500" in line for line in messages)
    with pytest.raises(SeluError) as error:
        crawled(World(3), tmp_path / "other", clock, "500")
    outputs = [*messages, caplog.text, *capfd.readouterr(), str(error.value), repr(error.value)]
    outputs += [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(TOKEN in text for text in outputs)
    with pytest.raises(SeluError, match="set GITHUB_TOKEN"):
        token_of({})
    with pytest.raises(SeluError) as error:
        token_of({"GITHUB_TOKEN": "se cret"})
    assert "cret" not in str(error.value)


def test_a_process_killed_outright_loses_no_page(tmp_path):
    """SIGKILL in the middle of a crawl: the next call goes on after the last whole page."""
    world, path = World(900, comments=50), tmp_path / "pages.jsonl"
    program = (
        "import os, sys\n"
        "from selu.papers.faun_eval.pipeline.crawling import crawl, github, journal\n"
        "class Dying(journal.Journal):\n"
        "    def add(self, page):\n"
        "        super().add(page)\n"
        "        if len(self._pages) == 9:\n"
        "            self._stream.write(b'half a li')\n"
        "            self._stream.flush()\n"
        "            os.kill(os.getpid(), 9)\n"
        "client = github.Client(sys.argv[1], sys.argv[2])\n"
        "from pathlib import Path\n"
        "crawl.Crawl(client, Dying(Path(sys.argv[3]))).run(sys.argv[4])\n"
    )
    with github(world, Schedule(1, 0), FakeClock()) as served:
        done = subprocess.run([sys.executable, "-c", program, TOKEN, served.address, path, NAME], check=False)
        assert done.returncode == -9
        before = len(served.asked)
        with Journal(path) as journal:
            crawl = Crawl(Client(TOKEN, served.address), journal)
            check_whole(world, assemble(crawl, crawl.run(NAME))[0])
    assert before == 9
    assert len(served.asked) == 1 + 9 + 1 + 1 + 10


def test_two_crawls_do_not_write_one_journal(tmp_path):
    with Journal(tmp_path / "pages.jsonl"), pytest.raises(SeluError, match="written by another process"):
        Journal(tmp_path / "pages.jsonl")
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(SeluError, match="line 1 is damaged: delete the file"):
        Journal(tmp_path / "bad.jsonl")


@pytest.mark.slow
@pytest.mark.timeout(0)  # as many schedules as are asked for
def test_twenty_thousand_records_under_many_schedules(tmp_path):
    """The same at the size of a large repository; SELU_SCHEDULES says how many."""
    world = World(20_000, comments=3_000)
    for seed in range(int(os.environ.get("SELU_SCHEDULES", "4"))):
        path = tmp_path / f"{seed}.jsonl"
        schedule = Schedule(seed)
        entries, _, _ = crawl_to_the_end(world, schedule, FakeClock(), path)
        check_whole(world, entries)
        assert schedule.early == 0
        path.unlink()
