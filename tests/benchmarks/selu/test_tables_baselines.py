"""Tables and figures of the reruns, from made-up entries of cells.json and comparisons.json."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from selu.benchmarks.drawing import images
from selu.benchmarks.selu import cells, figures_baselines, tables_baselines
from selu.benchmarks.selu.cells import Paper, Ran
from selu.benchmarks.selu.material import Material
from selu.benchmarks.table import statement, to_csv, to_html, to_markdown
from selu.vocabulary import Approach

Entries = list[dict[str, Any]]
SYNTHETIC = ("bug_issue", "closed_question", "issue_type", "safety_issue", "review_type", "question_quality")
PICKING = "picking on test rows"


def made(m: Material, task: str, system: str, printed: str, value: float) -> dict[str, Any]:
    """A cell whose rerun gives ``value``, of two seeds."""
    metric = cells.metric_of(m.task(task))
    shown = cells.turned(metric, value)
    standing = "partial" if task == "tone_bearing" else "equal"
    ran = []
    for part, seed in (("paper", 42), ("paper", 43), ("strict", 42)):
        scores = {
            "metric": metric,
            "value": shown,
            "rows": 100,
            "intervals": {metric: {"low": shown - 0.02, "high": shown + 0.02, "error": 0.001}},
            "grouped": {"rows": 90, "value": shown},
            "constant": task == "incivility",
        }
        cost = {"unit_seconds": 1234.5, "cpu_seconds": 1.0, "joules": None if seed == 43 else 5.0, "units": 2}
        name = f"{task}/{system}/{part}-s{seed}"
        ran.append(Ran(name, part, seed, "authors", standing, "present", {"chosen": {}, "cost": cost}, scores))
    paper = Paper(printed, float(printed) + 0.0001)
    return cells.re_earned(m.task(task), m.system(system), paper, ran, "Measured so.")


@pytest.fixture
def entries(material: Material) -> Entries:
    """Every cell of both baselines: one reproduced, one deviating, one failed, six without data, rest near."""
    found = []
    for task in material.tasks:
        for system in material.names(approach=Approach.BASELINE):
            cell = next(c for c in material.cells if (c.task, c.system) == (task.id, system))
            if not task.ranked or task.id in SYNTHETIC:
                paper = Paper(cell.printed)
                found.append(cells.re_earned(task, material.system(system), paper, [], None))
                continue
            shift = {"sentiment": 0.0, "smell_doc": 0.2}.get(task.id, 0.01)
            found.append(made(material, task.id, system, str(cell.printed), float(str(cell.printed)) + shift))
    broken = next(c for c in found if (c["task"], c["system"]) == ("story_points", "fasttext"))
    broken |= {"state": "failed", "reason": "1 of 2 runs: paper-s42 failed; no memory", "cost": None}
    broken |= {"evidence": "printed", "verdict": None}
    broken |= dict.fromkeys(("value", "low", "high", "strict", "grouped", "constant"))
    return found


@pytest.fixture
def comparisons(material: Material) -> Entries:
    return [
        {
            "task": task,
            "system": system,
            "metric": str(material.task(task).metric),
            "standing": "partial" if task == "tone_bearing" else "equal",
            "what": what,
            "first": ["paper-s42", "paper-s43"],
            "second": ["strict-s42", "strict-s43"],
            **{"value": 0.02, "low": 0.01 if task == "sentiment" else -0.01, "high": 0.05, "error": 0.001},
            **{"seeds": 2, "rows": 1234, "rows_left": 1200 if what.startswith("dup") else None},
        }
        for task in ("sentiment", "tone_bearing", "story_points")
        for system in material.names(approach=Approach.BASELINE)
        for what in (PICKING, "duplicates across the split")
    ]


def row(table: Any, task: str, system: str) -> dict[str, str]:
    frame = table.frame
    (found,) = frame[(frame["Task"] == task) & (frame["System"] == system)].to_dict("records")
    return found


def test_the_columns_of_table_6_stand_beside_their_reruns(material: Material, entries: Entries) -> None:
    table = tables_baselines.rerun(material, entries)
    assert len(table.frame) == 40
    same = row(table, "sentiment", "FastText")
    assert (same["Published"], same["Rerun"], same["Verdict"]) == ("0.588", "0.5880", "reproduced")
    assert same["Equal digits"] == "3"
    assert row(table, "smell_doc", "FastText")["Verdict"] == "deviates"
    assert row(table, "bug_issue (synthetic)", "FastText")["Rerun"] == "-"
    assert row(table, "tone_bearing (partial)", "FastText")["Evidence"] == "re-earned"
    failed = row(table, "story_points", "FastText")
    assert (failed["Rerun"], failed["State"], failed["Evidence"]) == ("-", "failed", "printed")


def test_reproduced_cells_are_counted_and_the_others_named_with_their_reason(
    material: Material, entries: Entries
) -> None:
    table = tables_baselines.rerun(material, entries)
    assert (table.equal, table.cells) == (2, 27)
    assert "23 within noise; 2 deviates" in statement(table)
    (why,) = {cell.why for cell in table.mismatches if cell.row.startswith("smell_doc")}
    assert why == "deviates: Measured so."
    sentence = tables_baselines.counted(material, entries)
    assert "Of 40 cells 27 are re-earned, 2 of them on part of the paper's rows. Of the 25 others: " in sentence
    assert "2 reproduced, 21 within noise, 2 deviates" in sentence
    assert "incivility/tfidf-xgboost, incivility/fasttext" in sentence


def test_means_are_over_the_same_tasks_and_name_what_they_leave_out(
    material: Material, entries: Entries
) -> None:
    frame = tables_baselines.means(material, entries).frame.set_index("System")
    assert frame.loc["TF-IDF+XGBoost", "Tasks"] == "13"
    assert frame.loc["FastText", "Tasks"] == "12"
    left = frame.loc["FastText", "Left out"].split(", ")
    assert set(left) == {*SYNTHETIC, "tone_bearing", "story_points"}
    over = frame.loc["FastText", "Over"].split(", ")
    printed = [float(material.scores["fasttext"][task]) for task in over]
    assert frame.loc["FastText", "Published"] == f"{sum(printed) / len(printed):.4f}"
    shift = float(frame.loc["FastText", "Rerun"]) - float(frame.loc["FastText", "Published"])
    assert shift == pytest.approx((0.2 + 0.01 * 10) / 12, abs=2e-4)


def test_cost_is_of_all_seeds_and_joules_only_where_all_were_read(material: Material, entries: Entries) -> None:
    found = row(tables_baselines.cost(material, entries), "sentiment", "FastText")
    assert (found["Fits"], found["Seconds"], found["Joules"]) == ("4", "2,469.0", "-")


def test_seeds_stand_side_by_side(material: Material, entries: Entries) -> None:
    found = row(tables_baselines.seeds(material, entries), "sentiment", "FastText")
    assert (found["Seed 42"], found["Seed 43"], found["Spread"]) == ("0.5880", "0.5880", "0.0000")


def test_differences_of_a_kind(material: Material, comparisons: Entries) -> None:
    table = tables_baselines.differences(material, comparisons, PICKING, "baselines_picking", "Caption.")
    assert len(table.frame) == 6
    assert "Left" not in table.frame
    found = row(table, "tone_bearing (partial)", "FastText")
    assert (found["Difference"], found["95 % interval"]) == ("+0.0200", "-0.0100 to +0.0500")
    assert found["Runs"] == "paper-s42 ... paper-s43 - strict-s42 ... strict-s43"
    assert "higher is better (story_points: 1 - SMAPE)" in table.caption
    other = tables_baselines.differences(material, comparisons, "duplicates across the split", "x", "Caption.")
    assert row(other, "sentiment", "FastText")["Left"] == "1,200"
    none = tables_baselines.differences(material, comparisons, "library versions", "x", "Caption.")
    assert "None could be computed" in to_markdown(none)
    sentence = tables_baselines.decided(comparisons, PICKING)
    assert sentence == (
        "Of 6 differences, 2 lie above 0 with their whole interval (sentiment/tfidf-xgboost, "
        "sentiment/fasttext) and 0 below."
    )


def test_absent_cells_are_grouped_by_state_and_reason(entries: Entries) -> None:
    frame = tables_baselines.absent(entries).frame
    assert dict(zip(frame["State"], frame["Cells"], strict=True)) == {
        "no data": "12",
        "failed": "1",
        "absent by design": "4",
    }
    assert "bug_issue (synthetic)" in frame.set_index("State").loc["no data", "Tasks"]


def test_claims_say_what_changes() -> None:
    base = {"id": "C001", "verdict": "holds", "evidence": {"re-earned": 2, "printed": 1}, "of_print": False}
    other = {"verdict": "fails", "changes": True}
    same = {"verdict": "holds", "changes": False}
    frame = tables_baselines.claims(
        [
            {**base, "with_rerun": same, "with_strict": other},
            {**base, "id": "C002", "of_print": True, "with_rerun": None, "with_strict": None},
            {**base, "id": "C003", "with_rerun": None, "with_strict": {**same, "changes": True}},
        ]
    ).frame
    assert frame["With rerun values"].tolist() == ["same numbers", "of print", "-"]
    assert frame["With strict values"].tolist() == ["fails", "of print", "same verdict"]
    assert frame["Baselines' cells it reads"][0] == "2 re-earned, 1 printed"


def test_a_bound_within_its_error_of_zero_decides_nothing(comparisons: Entries) -> None:
    near = [{**entry, "low": 0.0005 if entry["low"] > 0 else entry["low"]} for entry in comparisons]
    assert tables_baselines.decided(near, PICKING) == (
        "Of 6 differences, 0 lie above 0 with their whole interval and 0 below."
    )


def test_a_rounded_zero_has_no_minus(material: Material, comparisons: Entries) -> None:
    none = [{**entry, "value": -1e-9, "low": -0.0, "high": 0.0, "error": -0.0} for entry in comparisons]
    found = row(tables_baselines.differences(material, none, PICKING, "x", "Caption."), "sentiment", "FastText")
    assert (found["Difference"], found["95 % interval"]) == ("+0.0000", "+0.0000 to +0.0000")
    assert found["Error of the bounds"] == "0.0000"


def test_the_caption_names_the_tasks_of_squared_error(material: Material, entries: Entries) -> None:
    params = yaml.safe_load((Path(__file__).parents[3] / "params.yaml").read_text("utf-8"))
    names = params["selu"]["baselines"]["tfidf_xgboost"]["squared_error"]
    assert f"the trees of {' and '.join(names)} are" in tables_baselines.rerun(material, entries).caption


def test_re_scored_cells_have_their_interval(entries: Entries) -> None:
    cell = next(entry for entry in entries if entry["value"] is not None)
    table = tables_baselines.rescored([{**cell, "evidence": "re-scored", "low": 0.5, "high": 0.625}])
    assert table.frame["95 % interval"].tolist() == ["0.500 to 0.625"]


@pytest.mark.parametrize("there", [True, False])
def test_every_table_can_be_written(
    material: Material, entries: Entries, comparisons: Entries, there: bool
) -> None:
    """Also where nothing was run: no table of a notebook may break it."""
    cell, pairs = (entries, comparisons) if there else ([], [])
    for table in (
        tables_baselines.rerun(material, cell),
        tables_baselines.means(material, cell),
        tables_baselines.seeds(material, cell),
        tables_baselines.cost(material, cell),
        tables_baselines.rescored(cell),
        tables_baselines.absent(cell),
        tables_baselines.claims([]),
        tables_baselines.differences(material, pairs, PICKING, "baselines_picking", "Caption."),
    ):
        assert to_csv(table)
        assert not table.frame.isna().any(axis=None)
        assert to_markdown(table).startswith("**")
        assert "<table" in to_html(table)


def test_figures_are_the_same_bytes_twice_and_mark_what_is_not_whole(
    material: Material, entries: Entries, comparisons: Entries
) -> None:
    systems = {name: material.system(name).name for name in material.names(approach=Approach.BASELINE)}
    earned = [cell for cell in tables_baselines.baselines(material, entries) if cell["value"] is not None]
    picking = [entry for entry in comparisons if entry["what"] == PICKING]
    for draw, records in ((figures_baselines.rerun, earned), (figures_baselines.picking, picking)):
        figure = draw(systems, records)
        names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert "tone_bearing (partial)" in names
        assert "story_points (1 - SMAPE)" in names
        assert [axes.get_title(loc="left") for axes in figure.axes] == list(systems.values())
        once, twice = images(draw(systems, records)), images(draw(systems, records))
        assert once == twice
        assert not re.search(rb"20\d\d-\d\d-\d\d", once["svg"])


def test_figures_without_records_are_empty_and_no_error(material: Material) -> None:
    for draw in (figures_baselines.rerun, figures_baselines.picking):
        assert images(draw({"fasttext": "FastText"}, []))["png"]
