"""Tables and figures of reruns: the tracked records with what they lack, failures and comparisons, put in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from selu.names import word
from selu.papers.selu.figures import baselines as figures_baselines
from selu.papers.selu.figures import finetune as figures_finetune
from selu.papers.selu.material import Material
from selu.papers.selu.tables import baselines as tables_baselines
from selu.papers.selu.tables import finetune as tables_finetune
from selu.papers.selu.tables import finetune_runs as tables_finetune_runs
from selu.papers.table import Table, statement, to_csv, to_html, to_markdown
from selu.vocabulary import Approach

Entries = list[dict[str, Any]]
REPORTS = Path(__file__).parents[4] / "reports" / "selu"
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
    """A system that is not in the paper: one training collapsed, one failed."""
    every: Entries = json.loads((REPORTS / "finetuned.json").read_text("utf-8"))
    found = [cell for cell in every if cell["system"] == "minilm-l6"]
    cell_of(found, "incivility")["strict"]["runs"][0].update(collapsed=True, invalid=4)
    cell = cell_of(found, "review_aspect")
    cell["paper"]["runs"][0] = {**cell["paper"]["runs"][0], "state": "failed", "error": "no number"}
    cell.update(state="partly", reason="1 of 6 runs: paper-s42 failed")
    return found


def compared(material: Material, what: str, system: str, beside: str = "minilm-l6") -> Entries:
    return [
        {
            "task": task,
            "system": system,
            "beside": beside,
            "metric": str(material.task(task).metric),
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
    assert (failed["Re-run"], failed["State"], failed["Evidence"]) == ("-", "failed", "published")
    assert table.cells == before.cells - 1
    assert len(table.mismatches) == table.cells - table.equal
    assert all(cell.why for cell in table.mismatches)
    assert f"{table.equal} of {table.cells} entries" in statement(table)
    assert f"Of 40 scores {before.cells} are" in counted
    assert f"Of 40 scores {table.cells} are" in tables_baselines.counted(material, cells)
    means = tables_baselines.means(material, cells).frame.set_index("System").loc["FastText"]
    over = means["Over"].split(", ")
    assert means["Tasks"] == str(len(over))
    assert {"story points", "tone bearing", "bug issue"} <= set(means["Left out"].split(", "))
    ids = {word(task.id): task.id for task in material.tasks}
    published = [float(material.scores["fasttext"][ids[task]]) for task in over]
    assert means["Published"] == f"{sum(published) / len(published):.4f}"
    absent = tables_baselines.absent(cells).frame.set_index("State").loc["failed"]
    assert (absent["Scores"], absent["Why"]) == ("1", FAILED["reason"])


def test_a_bound_within_its_error_of_zero_decides_nothing(comparisons: Entries) -> None:
    names = {"tfidf-xgboost": "TF-IDF+XGBoost", "fasttext": "FastText"}
    assert tables_baselines.decided(comparisons, PICKING, names) == (
        "Of 8 differences, 4 lie above 0 with their whole interval (security requirement (TF-IDF+XGBoost), "
        "tone bearing (TF-IDF+XGBoost), security requirement (FastText), tone bearing (FastText)) and 2 below "
        "(story points (TF-IDF+XGBoost), story points (FastText))."
    )
    lines = [e for e in comparisons if e["system"] == "fasttext" and e["task"] != "security_requirement"]
    assert tables_baselines.decided(lines, PICKING).endswith(
        "1 lies above 0 with its whole interval (tone bearing) and 1 below (story points)."
    )
    near = [{**e, "low": max(e["low"], 0) and 0.0005, "high": max(e["high"], -0.0005)} for e in comparisons]
    assert tables_baselines.decided(near, PICKING) == (
        "Of 8 differences, none lie above 0 with their whole interval and none below."
    )


# -- the system that is not in the paper -------------------------------------------------------------------


def test_a_training_that_failed_or_collapsed_is_named(finetuned: Entries) -> None:
    counted = tables_finetune.counted(finetuned)
    assert "review aspect" in counted.partition("Runs are missing on: ")[2].partition(".")[0]
    scores = tables_finetune.scores(finetuned)
    assert row(scores, "incivility")["Runs"] == "all; collapsed: strict-s42"
    assert row(scores, "review_aspect")["Runs"] == "validation-selected 3 of 3, authors' procedure 2 of 3"
    found = tables_finetune_runs.remarkable(finetuned).frame
    assert found[["Task", "Run", "What", "More"]].to_numpy().tolist() == [
        ["incivility", "strict-s42", "collapsed", "one answer to every test row"],
        ["incivility", "strict-s42", "invalid answers", "4 of 310"],
        ["review_aspect", "paper-s42", "failed", "no number"],
    ]
    assert "1 of 6 runs: paper-s42 failed" in set(tables_finetune_runs.holes(finetuned).frame["Why"])


# -- all of them -------------------------------------------------------------------------------------------


def test_every_table_and_figure_can_be_made_where_nothing_was_run(material: Material) -> None:
    """No table of a notebook may break it."""
    nothing: Entries = []
    for table in (
        *(make(material, nothing) for make in (tables_baselines.rerun, tables_baselines.means)),
        *(make(material, nothing) for make in (tables_baselines.seeds, tables_baselines.cost)),
        *(make(nothing) for make in (tables_baselines.rescored, tables_baselines.absent)),
        tables_baselines.claims([]),
        tables_baselines.differences(material, nothing, PICKING, "baselines_picking", "Caption."),
        tables_finetune.scores(nothing),
        tables_finetune.beside(material, nothing, nothing),
        tables_finetune.against(material, nothing, nothing),
        tables_finetune.protocols(nothing, nothing),
        *(make(nothing) for make in (tables_finetune_runs.runs, tables_finetune_runs.remarkable)),
        *(make(nothing) for make in (tables_finetune_runs.holes, tables_finetune_runs.cost)),
    ):
        strange = table.frame.map(lambda text: text is None or pd.isna(text) or text in ("nan", "None"))
        assert not strange.any(axis=None)
        assert to_markdown(table).startswith("**")
        assert to_csv(table)
        assert "<table" in to_html(table)
    shown = {name: material.system(name).name for name in material.names(approach=Approach.BASELINE)}
    for figure in (
        figures_baselines.picking(shown, nothing),
        figures_finetune.scores(material, nothing, nothing),
        figures_finetune.differences(nothing, "TF-IDF+XGBoost"),
        figures_finetune.curves(nothing),
    ):
        figure.draw_without_rendering()
        assert figure.axes
