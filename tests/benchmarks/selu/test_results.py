from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from selu.benchmarks.claims import claims_record, counts
from selu.benchmarks.selu import results
from selu.project import to_json
from selu.vocabulary import Claim, Finding, Rule, Verdict


@pytest.fixture(scope="module")
def record(quick):
    return results.statistics(quick)


def test_statistics_are_the_same_bytes_twice(quick, record):
    fresh = dataclasses.replace(quick)
    assert to_json(results.statistics(fresh)) == to_json(record)


def test_leaderboards_cover_every_scope_and_name_their_holes(material, record):
    boards = {(board["family"], board["kind"]): board for board in record["leaderboards"]}
    everything = boards["all", "all"]
    assert [row["system"] for row in everything["rows"]] == material.order
    assert all(row["n"] == 20 and row["missing"] == [] for row in everything["rows"])
    masked = boards["all", "masked"]
    assert len(masked["rows"]) == 7
    assert all(row["SD"] is None for row in masked["rows"])
    for (family, kind), board in boards.items():
        for row in board["rows"]:
            scores = material.scores.loc[board["tasks"], row["system"]].dropna()
            assert row["n"] == len(scores), (family, kind)
            assert row["M"] == pytest.approx(scores.mean())
            assert row["n"] + len(row["missing"]) == len(board["tasks"])


def test_matrices_are_in_rank_order_and_complete(material, record):
    matrices = record["posteriors"]["autorank"]
    assert matrices["order"] == material.order
    better, equal = np.array(matrices["better"]), np.array(matrices["equal"])
    total = (better + better.T + equal)[~np.eye(28, dtype=bool)]
    np.testing.assert_allclose(total, 1)


def test_sensitivity_names_changed_decisions(quick):
    small = dataclasses.replace(quick, knobs=dataclasses.replace(quick.knobs, draws=500))
    knobs = results.SensitivityKnobs(seeds=3, rounding=0.0005, roundings=2, seed=20)
    seen: list[str] = []
    found = results.sensitivity_record(small, knobs, seen.append)
    assert [len(found["parts"][name]["variations"]) for name in found["parts"]] == [3, 20, 2, 1, 1]
    assert len(seen) == 5
    for part in found["parts"].values():
        assert part["pairs"] == 378
        changed = {f"{c['a']}/{c['b']}" for v in part["variations"] for c in v["changed"]}
        assert changed == set(part["unstable_pairs"])
        assert all(0 <= share < 1 for share in part["unstable_pairs"].values())
    assert json.loads(to_json(found)) == json.loads(to_json(results.sensitivity_record(small, knobs)))


def test_counts_name_every_verdict(quick):
    claims = tuple(
        Claim(f"X{i}", "", "", Rule("", ""), lambda m, v=v: Finding(v, ""))
        for i, v in enumerate((Verdict.HOLDS, Verdict.FAILS))
    )
    assert counts(claims_record(quick, claims)) == {
        "holds": 1,
        "holds with caveat": 0,
        "fails": 1,
        "not checkable": 0,
    }
