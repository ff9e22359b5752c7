"""A crawl that loses a record, or has one twice, makes a benchmark that nobody can make again."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from benchmarks.faun_eval.pipeline.github_server import (
    NAME,
    OLD_NAME,
    TOKEN,
    FakeClock,
    Schedule,
    World,
    github,
)
from selu.benchmarks.faun_eval.pipeline.assemble import assemble
from selu.benchmarks.faun_eval.pipeline.crawl import Crawl
from selu.benchmarks.faun_eval.pipeline.github import Client
from selu.benchmarks.faun_eval.pipeline.journal import Journal, Page
from selu.benchmarks.faun_eval.pipeline.records import Place

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
    assert sorted(one.body for entry in entries for one in entry.comments) == sorted(
        c[2] for c in world.comments
    )
    reviews = [one.body for entry in entries if entry.pull for one in entry.pull.review]
    assert sorted(reviews) == sorted(review[2] for review in world.reviews)
    here = NAME.lower()
    sources = {number: {Place(here, one) for one in found} for number, found in world.sources.items()}
    assert {entry.place.number: entry.sources for entry in entries} == sources


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


@pytest.mark.slow
def test_twenty_thousand_records_under_many_schedules(tmp_path):
    """The same at the size of a large repository; SELU_SCHEDULES=500 takes the better part of an hour."""
    world = World(20_000, comments=3_000)
    for seed in range(int(os.environ.get("SELU_SCHEDULES", "12"))):
        path = tmp_path / f"{seed}.jsonl"
        schedule = Schedule(seed)
        entries, _, _ = crawl_to_the_end(world, schedule, FakeClock(), path)
        check_whole(world, entries)
        assert schedule.early == 0
        path.unlink()
