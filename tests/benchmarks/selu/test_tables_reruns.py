"""Tables and figures of reruns: the tracked records with what they lack, failures and comparisons, put in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from selu.benchmarks.selu import (
    figures_baselines,
    figures_finetune,
    tables_baselines,
    tables_finetune,
    tables_finetune_runs,
)
from selu.benchmarks.selu.material import Material
from selu.benchmarks.table import Table, statement, to_csv, to_html, to_markdown
from selu.vocabulary import Approach

Entries = list[dict[str, Any]]
REPORTS = Path(__file__).parents[3] / "reports" / "selu"
PICKING, COPIES = "picking on test rows", "duplicates across the split"
FAILED = {"state": "failed", "reason": "1 of 2 runs: paper-s42 failed; no memory", "cost": None}
FAILED |= {"evidence": "printed", "verdict": None}
FAILED |= dict.fromkeys(("value", "low", "high", "strict", "grouped", "constant"))
BOUNDS = {
    "security_requirement": (0.01, 0.09),
    "sentiment": (-0.01, 0.1),
    "tone_bearing": (0.02, 0.04),
    "story_points": (-0.09, -0.01),
}


def cell_of(cells: Entries, task: str, system: str = "minilm-l6") -> dict[str, Any]:
    return next(cell for cell in cells if (cell["task"], cell["system"]) == (task, system))


@pytest.fixture
def cells() -> Entries:
    return list(json.loads((REPORTS / "cells.json").read_text("utf-8")))


@pytest.fixture
def finetuned() -> Entries:
    """The system that is not in the paper: one training collapsed, one failed."""
    found: Entries = json.loads((REPORTS / "finetuned.json").read_text("utf-8"))
    cell_of(found, "incivility")["strict"]["runs"][0].update(collapsed=True, invalid=4)
    cell = cell_of(found, "review_aspect")
    cell["paper"]["runs"][0] = {**cell["paper"]["runs"][0], "state": "failed", "error": "no number"}
    cell.update(state="partly", reason="1 of 6 runs: paper-s42 failed")
    return found


def compared(m: Material, what: str, system: str, beside: str = "minilm-l6") -> Entries:
    return [
        {
            "task": task,
            "system": system,
            "beside": beside,
            "metric": str(m.task(task).metric),
            "standing": "partial" if task == "tone_bearing" else "equal",
            "what": what,
            "first": ["paper-s42", "paper-s43"],
            "second": ["strict-s42", "strict-s43"],
            **{"value": (low + high) / 2, "low": low, "high": high, "error": 0.001},
            **{"seeds": 3, "rows": 1234, "rows_left": 1200 if what == COPIES else None},
        }
        for task, (low, high) in BOUNDS.items()
    ]


@pytest.fixture
def comparisons(material: Material) -> Entries:
    return [
        entry
        for what in (PICKING, COPIES)
        for system in material.names(approach=Approach.BASELINE)
        for entry in compared(material, what, system)
    ]


@pytest.fixture
def comparisons_finetuned(material: Material) -> Entries:
    whats = ((tables_finetune.PROTOCOL, "minilm-l6"), (COPIES, "minilm-l6"))
    whats += tuple((tables_finetune.BESIDE, name) for name in material.names(approach=Approach.BASELINE))
    return [entry for what, other in whats for entry in compared(material, what, "minilm-l6", other)]


def row(table: Table, task: str, **wanted: str) -> dict[str, str]:
    wanted["Task"] = task
    found = [r for r in table.frame.to_dict("records") if all(r[name] == text for name, text in wanted.items())]
    assert len(found) == 1
    return {str(key): str(value) for key, value in found[0].items()}


# -- baselines ---------------------------------------------------------------------------------------------


def test_a_cell_that_failed_is_in_no_mean_and_no_count_and_is_named(material: Material, cells: Entries) -> None:
    before, counted = tables_baselines.rerun(material, cells), tables_baselines.counted(material, cells)
    cell_of(cells, "story_points", "fasttext").update(FAILED)
    table = tables_baselines.rerun(material, cells)
    failed = row(table, "story_points", System="FastText")
    assert (failed["Rerun"], failed["State"], failed["Evidence"]) == ("-", "failed", "printed")
    assert table.cells == before.cells - 1
    assert len(table.mismatches) == table.cells - table.equal
    assert all(cell.why for cell in table.mismatches)
    assert f"{table.equal} of {table.cells} cells" in statement(table)
    assert f"Of 40 cells {before.cells} are" in counted
    assert f"Of 40 cells {table.cells} are" in tables_baselines.counted(material, cells)
    means = tables_baselines.means(material, cells).frame.set_index("System").loc["FastText"]
    over = means["Over"].split(", ")
    assert means["Tasks"] == str(len(over))
    assert {"story_points", "tone_bearing", "bug_issue"} <= set(means["Left out"].split(", "))
    printed = [float(material.scores["fasttext"][task]) for task in over]
    assert means["Published"] == f"{sum(printed) / len(printed):.4f}"
    absent = tables_baselines.absent(cells).frame.set_index("State").loc["failed"]
    assert (absent["Cells"], absent["Why"]) == ("1", FAILED["reason"])


def test_differences_of_a_kind(material: Material, comparisons: Entries) -> None:
    table = tables_baselines.differences(material, comparisons, PICKING, "baselines_picking", "Caption.")
    assert len(table.frame) == 8
    assert "Left" not in table.frame
    found = row(table, "tone_bearing (partial)", System="FastText")
    assert (found["Difference"], found["95 % interval"]) == ("+0.0300", "+0.0200 to +0.0400")
    assert found["Runs"] == "paper-s42 ... paper-s43 - strict-s42 ... strict-s43"
    other = tables_baselines.differences(material, comparisons, COPIES, "x", "Caption.")
    assert row(other, "sentiment", System="FastText")["Left"] == "1,200"
    none = tables_baselines.differences(material, comparisons, "library versions", "x", "Caption.")
    assert "None could be computed" in to_markdown(none)


def test_a_bound_within_its_error_of_zero_decides_nothing(comparisons: Entries) -> None:
    assert tables_baselines.decided(comparisons, PICKING) == (
        "Of 8 differences, 4 lie above 0 with their whole interval (security_requirement/tfidf-xgboost, "
        "tone_bearing/tfidf-xgboost, security_requirement/fasttext, tone_bearing/fasttext) and 2 below "
        "(story_points/tfidf-xgboost, story_points/fasttext)."
    )
    near = [{**e, "low": max(e["low"], 0) and 0.0005, "high": max(e["high"], -0.0005)} for e in comparisons]
    assert tables_baselines.decided(near, PICKING) == (
        "Of 8 differences, 0 lie above 0 with their whole interval and 0 below."
    )


def test_a_rounded_zero_has_no_minus(material: Material, comparisons: Entries) -> None:
    none = [{**entry, "value": -1e-9, "low": -0.0, "high": 0.0, "error": -0.0} for entry in comparisons]
    table = tables_baselines.differences(material, none, PICKING, "x", "Caption.")
    found = row(table, "sentiment", System="FastText")
    assert (found["Difference"], found["95 % interval"]) == ("+0.0000", "+0.0000 to +0.0000")
    assert found["Error of the bounds"] == "0.0000"


# -- the system that is not in the paper -------------------------------------------------------------------


def test_a_training_that_failed_or_collapsed_is_named(finetuned: Entries) -> None:
    assert "review_aspect" in tables_finetune.counted(finetuned).partition("Not whole: ")[2].partition(".")[0]
    scores = tables_finetune.scores(finetuned)
    assert row(scores, "incivility")["Runs"] == "all; collapsed: strict-s42"
    assert row(scores, "review_aspect")["Runs"] == "strict 3 of 3, paper 2 of 3"
    found = tables_finetune_runs.remarkable(finetuned).frame
    assert found[["Task", "Run", "What", "More"]].to_numpy().tolist() == [
        ["incivility", "strict-s42", "collapsed", "one answer to every test row"],
        ["incivility", "strict-s42", "invalid answers", "4 of 310"],
        ["review_aspect", "paper-s42", "failed", "no number"],
    ]
    assert "1 of 6 runs: paper-s42 failed" in set(tables_finetune_runs.holes(finetuned).frame["Why"])


def test_against_a_baseline(material: Material, finetuned: Entries, comparisons_finetuned: Entries) -> None:
    cell_of(finetuned, "tone_bearing")["strict"]["value"] = 0.6
    cell_of(finetuned, "story_points")["strict"]["value"] = 0.6
    cell_of(finetuned, "security_requirement")["strict"]["value"] = 0.6
    table = tables_finetune.against(material, finetuned, comparisons_finetuned)
    found = row(table, "security_requirement")
    assert found["Strict"] == "0.6000"
    assert (found["TF-IDF+XGBoost, strict"], found["Difference"]) == ("0.5500", "+0.0500")
    tasks = ("security_requirement", "sentiment", "story_points")
    assert [row(table, task)["Reads as"] for task in tasks] == ["above 0", "interval holds 0", "below 0"]
    sentence = tables_finetune.won(material, comparisons_finetuned)
    assert "on 2 of the 3 tasks" in sentence
    assert "(2 of them by macro F1): security_requirement, sentiment; on 1 of them with the whole" in sentence
    assert sentence.endswith("Not above: story_points. On part of the rows: tone_bearing (partial) +0.0300.")
    assert "on 0 of the 0 tasks" in tables_finetune.won(material, [])


def test_what_the_protocol_adds(finetuned: Entries, comparisons_finetuned: Entries) -> None:
    table = tables_finetune.protocols(finetuned, comparisons_finetuned)
    assert row(table, "security_requirement")["95 % interval"] == "+0.0100 to +0.0900"
    assert row(table, "incivility")["95 % interval"] == "-"  # no paired rows are known of it
    assert tables_finetune.decided(comparisons_finetuned, tables_finetune.PROTOCOL) == (
        "Of 4 differences, 2 lie above 0 with their whole interval (security_requirement, tone_bearing) and 1 "
        "below (story_points)."
    )
    copies = tables_finetune.differences(comparisons_finetuned, COPIES, "x", "Caption.")
    assert row(copies, "sentiment")["Left"] == "1,200"


def test_cost_names_the_machines_that_lack_bf16(finetuned: Entries) -> None:
    _, _, run = next(iter(tables_finetune_runs.each(finetuned)))
    run["used"]["bf16_products"] = "in fp32, rounded"
    assert "a training, products of bf16 in fp32, rounded" in tables_finetune_runs.cost(finetuned).caption


# -- all of them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
def test_every_table_and_figure_can_be_made(
    material: Material,
    cells: Entries,
    finetuned: Entries,
    comparisons: Entries,
    comparisons_finetuned: Entries,
    there: bool,
) -> None:
    """Also where nothing was run: no table of a notebook may break it."""
    mine, pairs, more, paired = (cells, comparisons, finetuned, comparisons_finetuned) if there else ([],) * 4
    for name in ("tone_bearing", "story_points", "sentiment") if there else ():
        cell_of(finetuned, name)["strict"]["value"] = 0.6
    for table in (
        *(make(material, mine) for make in (tables_baselines.rerun, tables_baselines.means)),
        *(make(material, mine) for make in (tables_baselines.seeds, tables_baselines.cost)),
        *(make(mine) for make in (tables_baselines.rescored, tables_baselines.absent)),
        tables_baselines.claims([]),
        tables_baselines.differences(material, pairs, PICKING, "baselines_picking", "Caption."),
        tables_finetune.scores(more),
        tables_finetune.beside(material, more, mine),
        tables_finetune.against(material, more, paired),
        tables_finetune.protocols(more, paired),
        *(make(more) for make in (tables_finetune_runs.runs, tables_finetune_runs.remarkable)),
        *(make(more) for make in (tables_finetune_runs.holes, tables_finetune_runs.cost)),
    ):
        strange = table.frame.map(lambda text: text is None or pd.isna(text) or text in ("nan", "None"))
        assert not strange.any(axis=None)
        assert to_markdown(table).startswith("**")
        assert to_csv(table)
        assert "<table" in to_html(table)
    shown = {name: material.system(name).name for name in material.names(approach=Approach.BASELINE)}
    for figure in (
        figures_baselines.picking(shown, [entry for entry in pairs if entry["what"] == PICKING]),
        figures_finetune.scores(material, more, mine),
        figures_finetune.differences(paired, "TF-IDF+XGBoost"),
        figures_finetune.curves(more),
    ):
        figure.draw_without_rendering()
        assert figure.axes
