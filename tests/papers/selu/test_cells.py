"""Verdicts of cells from small records, at the edges of the printed digits and of the interval."""

from __future__ import annotations

from typing import Any

import pytest

from selu.papers.selu.material import Material
from selu.papers.selu.reruns import cells
from selu.papers.selu.reruns.cells import Paper, Ran

PUBLISHED = Paper("0.625", 0.62475)


def run(
    seed: int = 42, part: str = "paper", value: float = 0.625, state: str = "present", **fields: Any
) -> Ran:
    """A run with an interval of a tenth to either side."""
    metric = fields.pop("metric", "f1_macro")
    scores = {
        "metric": metric,
        "value": value,
        "rows": 50,
        "intervals": {metric: {"low": value - 0.1, "high": value + 0.1, "error": 0.001}},
        "grouped": {"rows": 40, "value": value - 0.02},
        "constant": False,
    }
    record = {
        "chosen": {"depth": seed},
        "cost": {"unit_seconds": 0.1, "cpu_seconds": 0.2, "joules": fields.pop("joules", 2.0), "units": 3},
    }
    there = state == "present"
    return Ran(
        f"sentiment/fasttext/{part}-s{seed}",
        part,
        seed,
        "authors",
        fields.pop("standing", "equal"),
        state,
        record if there else None,
        {**scores, **fields.pop("scores", {})} if there else None,
        **fields,
    )


def entry(
    material: Material,
    *ran: Ran,
    paper: Paper = PUBLISHED,
    task: str = "sentiment",
    reason: str | None = None,
) -> dict[str, Any]:
    return cells.re_run(material.task(task), material.system("fasttext"), paper, ran, reason)


def test_equal_digits_are_counted() -> None:
    assert cells.equal_digits(0.5, 0.5) is None
    assert cells.equal_digits(0.6234, 0.6239) == 2
    assert cells.equal_digits(0.1, 0.9) == 0
    assert cells.equal_digits(0.6585471648526596, 0.6585471648526597) >= 12


def test_a_mean_of_equal_values_is_that_value() -> None:
    value = 0.38922155688622756
    assert cells.mean([value] * 5) == value
    assert cells.mean([0.25, 0.75]) == 0.5


def test_one_seed_stands_for_itself(material: Material) -> None:
    found = entry(material, run(value=0.62475), run(part="current", value=0.6), run(part="strict", value=0.55))
    assert (found["state"], found["evidence"], found["verdict"]) == ("present", "re-run", "reproduced")
    assert found["exact"] is True
    assert found["difference"] == 0
    assert (found["low"], found["high"]) == (pytest.approx(0.52475), pytest.approx(0.72475))
    assert found["current"] == {"value": 0.6, "difference": pytest.approx(0.02475)}
    assert found["strict"]["value"] == 0.55
    assert found["grouped"] == {"rows": 50, "rows_left": 40, "value": pytest.approx(0.60475)}
    assert found["chosen"] == {"depth": 42}
    assert found["run"] == "sentiment/fasttext/paper-s42"


def test_of_five_seeds_the_mean_counts_and_their_spread_widens_the_interval(material: Material) -> None:
    values = {42: 0.4, 43: 0.45, 44: 0.5, 45: 0.55, 46: 0.6}
    found = entry(material, *(run(seed, value=value) for seed, value in values.items()))
    assert found["value"] == pytest.approx(0.5)
    assert (found["low"], found["high"]) == (pytest.approx(0.3), pytest.approx(0.7))
    assert [seed["value"] for seed in found["seeds"]] == list(values.values())
    assert found["verdict"] == "within noise"  # one seed alone reaches 0.6 at most from the mean
    assert found["cost"] == {
        "seconds": pytest.approx(0.5),
        "cpu_seconds": pytest.approx(1.0),
        "joules": 10.0,
        "fits": 15,
    }
    assert found["strict"] is found["current"] is None


def test_joules_of_a_part_are_not_those_of_the_whole(material: Material) -> None:
    assert entry(material, run(42), run(43, joules=None))["cost"]["joules"] is None


@pytest.mark.parametrize("state", ["missing", "failed", "stale", "damaged", "not scored"])
def test_without_every_seed_there_is_no_value(material: Material, state: str) -> None:
    found = entry(material, run(42), run(43, state=state, error="out of memory" if state == "failed" else None))
    assert found["state"] == state
    assert found["value"] is found["verdict"] is found["cost"] is None
    assert found["evidence"] == "printed"
    assert found["reason"].startswith(f"1 of 2 runs: paper-s43 {state}")
    assert ("out of memory" in found["reason"]) == (state == "failed")


def test_a_hole_in_another_part_leaves_the_value(material: Material) -> None:
    found = entry(material, run(42), run(42, part="strict", state="failed", error="no memory"))
    assert found["value"] == 0.625
    assert found["strict"] is None
    assert found["states"] == {"paper": "present", "strict": "failed"}


def test_an_error_is_turned_so_that_higher_is_better(material: Material) -> None:
    ran = run(value=0.75, metric="smape")
    found = entry(material, ran, paper=Paper("0.253", 0.2533567143849083), task="story_points")
    assert found["metric"] == "one_minus_smape"
    assert found["value"] == 0.25
    assert (found["low"], found["high"]) == (pytest.approx(0.15), pytest.approx(0.35))
    assert found["grouped"]["value"] == pytest.approx(0.27)
    assert found["verdict"] == "within noise"


def test_a_reason_stands_only_beside_a_deviation(material: Material) -> None:
    assert entry(material, run(value=0.9), reason="measured so")["reason"] == "measured so"
    assert entry(material, run(value=0.9))["verdict"] == "deviates"
    assert entry(material, run(value=0.62), reason="measured so")["reason"] is None


def test_equal_digits_on_part_of_the_rows_are_no_reproduction(material: Material) -> None:
    found = entry(material, run(value=0.62475, standing="partial"), reason="on nearly all rows")
    assert (found["verdict"], found["exact"]) == ("within noise", False)
    assert found["reason"] == "on nearly all rows"
    assert cells.stale_reasons([("sentiment", "fasttext")], [found]) == []


def test_a_stale_reason_is_found(material: Material) -> None:
    found = [
        entry(material, run(value=0.9)) | {"task": "deviating"},
        entry(material, run(value=0.62)) | {"task": "noisy"},
        entry(material, run(state="missing")) | {"task": "not there"},
    ]
    reasons = [(name, "fasttext") for name in ("deviating", "noisy", "not there", "unknown")]
    assert cells.stale_reasons(reasons, found) == ["noisy/fasttext", "unknown/fasttext"]


def test_cells_that_were_never_to_be_run_say_why(material: Material) -> None:
    absent = entry(material, paper=Paper(None), task="se_entities")
    assert absent["state"] == "absent by design"
    assert absent["evidence"] is None
    synthetic = entry(material, task="bug_issue")
    assert (synthetic["state"], synthetic["standing"]) == ("no data", "synthetic")
    assert "stand-in" in synthetic["reason"]
    assert synthetic["evidence"] == "printed"


def test_a_re_scored_cell_has_the_same_fields(material: Material) -> None:
    scored = {
        "state": "present",
        "printed": "0.616",
        "their_value": 0.6158,
        "value": 0.6177,
        "interval": {"low": 0.55, "high": 0.68},
        "rows": 200,
        "labels": {"standing": "equal"},
        "finding": "One answer differs.",
        "collapsed": None,
    }
    task, system = material.task("smell_doc"), material.system("llama3.2-3b")
    found = cells.re_scored(task, system, scored)
    assert (found["evidence"], found["verdict"]) == ("re-scored", "within noise")
    assert found["difference"] == pytest.approx(0.0019)
    assert found["reason"] == "One answer differs."
    assert found.keys() == entry(material, run()).keys()
    refused = cells.re_scored(task, system, {**scored, "state": "failed", "finding": "Not available."})
    assert (refused["state"], refused["evidence"], refused["value"]) == ("failed", "printed", None)
    assert refused["reason"] == "Not available."


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [(0.02, 0.1, 1), (-0.1, -0.02, -1), (-0.1, 0.1, 0), (0.01, 0.1, 0), (-0.1, -0.01, 0)],
)
def test_a_difference_is_on_one_side_beyond_the_error_of_its_bounds(low: float, high: float, side: int) -> None:
    assert cells.side({"low": low, "high": high, "error": 0.01}) == side
