"""What the stages of ``dvc.yaml`` depend on: a change of a shared room must not rewrite the lock."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from selu.app.reproduce import Stages, kind_of
from selu.runs.pipeline import read_lock

ROOT = Path(__file__).parents[1]
PAPERS = "src/selu/papers/"
PICTURE_OF_THE_ROOMS = (
    "src/selu/package/architecture.py"  # the one stage that is declared outside a paper's folder
)


def test_no_stage_depends_on_a_shared_room():
    """Else a docstring of `files.py` would rewrite a line of the lock for each stage."""
    program = {path for stage in read_lock(ROOT) for path in stage.reads if path.startswith("src/")}
    shared = {path for path in program - {PICTURE_OF_THE_ROOMS} if not path.startswith(PAPERS)}
    whole_papers = {path for path in program if path.startswith(PAPERS) and path.count("/") < 4}
    assert shared | whole_papers == set()


def test_what_stages_depend_on_exists():
    """DVC notices a missing dependency only when it runs the stage."""
    paths = {
        path for stage in read_lock(ROOT) for path in stage.reads if path.startswith(("src/", "data/pins"))
    }
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_a_report_stays_where_its_rows_or_libraries_are_missing():
    """`dvc repro` removes outputs before it runs a stage, and the stage then stops for want of rows."""
    declared = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    asking = {
        stage.name.partition("@")[0]
        for stage in read_lock(ROOT)
        if " report " in stage.command and kind_of(stage.command) is not Stages.FREE
    }
    assert {"rerun-rows", "rerun-nlbse24", "heads"} <= asking
    for name in asking:
        outs = declared[name].get("do", declared[name])["outs"]
        assert [isinstance(out, dict) and [*out.values()] for out in outs] == [[{"persist": True}]] * len(outs)


@pytest.mark.ci
def test_a_new_claim_makes_at_most_three_stages_out_of_date():
    """Whoever adds a claim has none of the third-party rows."""
    for paper in ("blanca", "crosscodebench", "faun_eval", "nlbse24"):
        touched = {f"{PAPERS}{paper}/claims"}
        stale = {stage.name for stage in read_lock(ROOT) if touched & set(stage.reads)}
        read = {f"reports/{paper}/claims.json", f"reports/{paper}"}
        stale |= {stage.name for stage in read_lock(ROOT) if read & set(stage.reads)}
        assert 1 < len(stale) <= 3


def test_a_profile_asks_for_no_rows_that_make_paper_does_not_prepare():
    """`make paper` puts another profile in force; it prepares SELU's rows, not those of other papers."""
    of_profile = {"reports/settings", "reports/settings/shared", "reports/settings/shared/sweep.json"}
    stale = [stage.name for stage in read_lock(ROOT) if of_profile & set(stage.reads)]
    assert "made@bert-base" in stale
    assert [name for name in stale if "nlbse24" in name or "blanca" in name] == ["runs@nlbse24", "runs@blanca"]
