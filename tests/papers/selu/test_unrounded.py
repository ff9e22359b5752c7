"""The statistic from scores before rounding: which scores it takes, what it settles, and what it refuses."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selu.evidence.tracked import tracked_claims
from selu.papers.selu.claims._unrounded import margin, settled
from selu.papers.selu.material import FINER, Material
from selu.papers.selu.pages import unrounded as page
from selu.papers.selu.pages.home import make_home
from selu.papers.selu.pages.records import Records
from selu.papers.selu.pages.summary import TITLES, _unrounded
from selu.papers.selu.tables import numbered as tables
from selu.papers.selu.unrounded.scores import STATED, read_unrounded
from selu.registry import claim
from selu.report.site import build_site
from selu.vocabulary import CaveatKind, Finding, SeluError, Verdict

KEY = ("bug_issue", "bert-base")
SETTLED = "The published digits alone leave this open."


def recounts(folder: Path, *values: Any) -> Path:
    """Write a recounted.json with these values for one score."""
    entries = [{"task": KEY[0], "system": KEY[1], "published": "0.864", "value": value} for value in values]
    path = folder / "recounted.json"
    path.write_text(json.dumps(entries))
    return path


@pytest.fixture(scope="module")
def exact(quick: Material) -> Material:
    found = quick.unrounded
    assert found is not None
    return found


def test_each_claim_that_they_settle_says_so_in_its_history(root: Path) -> None:
    """Its last change would else say that rounding is a caveat, beside a verdict without one."""
    settles = [entry["id"] for entry in tracked_claims(root, "selu") if SETTLED in entry["because"]]
    assert len(settles) > 5
    assert [id for id in settles if "before rounding" not in claim("selu", id).rule.changes[0].why] == []


def test_a_pair_alone_has_the_probability_that_it_has_among_all(quick: Material) -> None:
    found = quick.unrounded
    assert found is not None
    exact, whole = replace(found), replace(found)  # each with posteriors of its own
    place = {name: at for at, name in enumerate(whole.order)}
    first, *_, last = whole.order
    better = whole.posterior.better
    for a, b in ((first, last), (last, first), (whole.order[3], whole.order[4])):
        assert exact.p_better(a, b) == better[place[a], place[b]] == whole.p_better(a, b)
    pairs = exact.chances([first, whole.order[1]], whole.order[5:8])
    assert pairs == {(a, b): better[place[a], place[b]] for a, b in pairs}
    assert "posterior" not in vars(exact)


def test_a_score_before_rounding_is_one_that_rounds_to_the_published(tmp_path: Path) -> None:
    found, refused = read_unrounded({KEY: "0.864"}, recounts(tmp_path, 0.8644269061))
    assert (found[KEY].value, found[KEY].stated, refused) == (0.8644269061, False, {})
    for value, why in (
        (0.8646, "0.8646 does not round to the published 0.864"),
        ("0.8644", "'0.8644' is not a score from 0 to 1"),
        (True, "True is not a score"),
        (float("nan"), "nan is not a score"),
        (1.2, "1.2 is not a score"),
    ):
        found, refused = read_unrounded({KEY: "0.864"}, recounts(tmp_path, value))
        assert found == {}
        assert f"recounted.json, bug_issue/bert-base, value: {why}" in refused[KEY].why


def test_without_recounts_all_is_as_published(quick: Material, tmp_path: Path) -> None:
    nowhere = replace(quick, recounts=tmp_path / "recounted.json")
    assert nowhere.unrounded is None
    assert claim("selu", "C033").check(nowhere).verdict is Verdict.CAVEAT
    lines: list[str] = []
    evidence: Any = SimpleNamespace(published=lambda: nowhere, claims=lambda: [])
    made = page.files(evidence, lines.append)
    assert lines == ["unrounded: no score was recounted (recounted.json), so all are as published"]
    assert json.loads(made["unrounded/unrounded.json"]) == {
        "sources": {"recounted": 0, "stated": 0, "published": 580}
    }


def test_damaged_recounts_are_named(quick: Material, tmp_path: Path) -> None:
    (tmp_path / "recounted.json").write_text('[{"task": "bug_issue"}]')
    with pytest.raises(SeluError, match=r"recounted\.json is damaged"):
        _ = replace(quick, recounts=tmp_path / "recounted.json").unrounded


def test_the_summary_counts_what_rounding_no_longer_explains(quick: Material, tmp_path: Path) -> None:
    compared = [getattr(tables, name)(quick) for name in TITLES]
    expected = ", and 17 of these are equal from the authors' scores before rounding"
    assert _unrounded(quick, compared) == expected
    assert _unrounded(replace(quick, recounts=tmp_path / "recounted.json"), compared) == ""


def test_an_altered_score_has_no_value_before_rounding(quick: Material, exact: Material) -> None:
    assert KEY in exact.exact
    altered = quick.with_scores({KEY: "0.500"}).unrounded
    assert altered is not None
    assert KEY not in altered.exact
    assert altered.scores.loc[KEY] == 0.5


def test_each_stated_value_is_of_a_pinned_file_and_rounds_to_its_score(root: Path, quick: Material) -> None:
    """One that does not would leave its score as published, and nobody would notice."""
    with (root / "data" / "pins" / "selu" / "result_files.csv").open(newline="") as file:
        pinned = {(row["task"], row["system"], row["path"]) for row in csv.DictReader(file)}
    with STATED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["task"], row["system"], row["path"]) for row in rows} <= pinned
    found, refused = quick.known
    assert sum(score.stated for score in found.values()) == len(rows) == 35
    assert list(refused) == [("tone_bearing", "starcoder2-7b")]


def test_margins_vanish_with_rounding(quick: Material, exact: Material) -> None:
    assert margin(quick, "gpt2-xl", "t5-base") == 0.001
    assert margin(exact, "gpt2-xl", "t5-base") == 0
    assert margin(exact, "gpt2-xl", "starcoder2-7b") == pytest.approx(0.0005 / 20)
    assert exact.settings.draws == FINER * quick.settings.draws


def test_scores_before_rounding_can_turn_a_claim_and_leave_others(quick: Material) -> None:
    """Neither a claim without a caveat nor a caveat of another kind is judged again."""

    def judged(before: Verdict, after: Verdict, kind: CaveatKind | None = CaveatKind.ROUNDING) -> Finding:
        def check(paper: Material) -> Finding:
            return Finding(after, "Exact.") if paper.exact else Finding(before, "Published.", caveat_kind=kind)

        return settled(check)(quick)

    assert judged(Verdict.CAVEAT, Verdict.FAILS).verdict is Verdict.FAILS
    assert judged(Verdict.CAVEAT, Verdict.CAVEAT).because == "Published."
    assert judged(Verdict.CAVEAT, Verdict.FAILS, CaveatKind.SCOPE).because == "Published."
    assert judged(Verdict.HOLDS, Verdict.FAILS, None).because == "Published."


@pytest.mark.ci
def test_the_page_begins_with_what_was_found(root: Path) -> None:
    statistics, sensitivity, record = (
        json.loads((root / "reports" / "selu" / f"{name}.json").read_text())
        for name in ("statistics", "sensitivity", "unrounded/unrounded")
    )
    home = make_home(Records(statistics, sensitivity, [], {}, unrounded=record))
    files = build_site([replace(home, files={"unrounded.png": b"drawn"})])
    text = files["unrounded.html"].decode()
    assert "<h1>From scores before rounding, 280 of 280 entries of Tables IV to VI are equal</h1>" in text
    assert "<li>2 of 378 pairwise results change.</li>" in text
    assert "<li>The 4 tiers that follow from the test stay as they are.</li>" in text
    assert "tone_bearing/starcoder2-7b, whose file gives 0.7328" in text
    assert b"unrounded.html" in files["cells.html"]
    without = build_site([make_home(Records(statistics, sensitivity, [], {}))])
    assert "unrounded.html" not in without
    assert b"unrounded.html" not in without["cells.html"]
