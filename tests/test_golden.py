"""A change that makes a tracked run stale, or that alters what list and show print, has to be meant."""

from __future__ import annotations

import csv

import pytest

from .golden import net


def _rows(text: str, key: int) -> dict[tuple[str, ...], list[str]]:
    return {tuple(row[:key]): row for row in csv.reader(text.splitlines())}


def _changed(before: dict[tuple[str, ...], list[str]], now: dict[tuple[str, ...], list[str]]) -> list[str]:
    return sorted(" ".join(name) for name in before | now if before.get(name) != now.get(name))


MEANT = "if this is meant, 'python tests/golden/net.py' takes it over"


@pytest.mark.ci
def test_no_run_that_can_be_planned_has_another_identity() -> None:
    assert _changed(_rows(net.IDENTITIES.read_text(), 2), _rows(net.identities(), 2)) == [], MEANT


@pytest.mark.slow
def test_list_and_show_print_what_they_did() -> None:
    assert _changed(_rows(net.OUTPUTS.read_text(), 1), _rows(net.outputs(), 1)) == [], MEANT
