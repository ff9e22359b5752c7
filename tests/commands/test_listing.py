from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from selu.commands import comparing_systems, listing
from selu.vocabulary import SeluError


def test_lists_have_the_papers_counts(root):
    assert len(listing.rows(root, "tasks", [])) == 22
    assert len(listing.rows(root, "systems", ["paper=yes"])) == 28
    cells = listing.rows(root, "cells", [])
    assert len(cells) == 616
    assert sum(row["state"] == "present" for row in cells) == 580
    assert all(row["reason"] for row in cells if row["state"] == "absent by design")


def test_filters_combine(root):
    found = listing.rows(root, "cells", ["kind=masked", "state=present"])
    assert len(found) == 7
    assert {row["architecture"] for row in found} == {"encoder-only"}


@pytest.mark.parametrize(
    ("what", "where", "message"),
    [
        ("task", [], "did you mean 'tasks'"),
        ("tasks", ["kynd=binary"], "did you mean 'kind'"),
        ("tasks", ["kind=binry"], "did you mean 'binary'"),
        ("tasks", ["binary"], "not FIELD=VALUE"),
        ("cells", ["kind=masked", "approach=prompted", "state=present"], "no value of state"),
    ],
)
def test_wrong_words_get_the_nearest_known_one(root, what, where, message):
    with pytest.raises(SeluError, match=message):
        listing.rows(root, what, where)


def test_a_cell_is_shown_with_its_place_and_neighbours(root):
    cell = listing.record(root, "smell_doc/GPT-2 xl")
    assert cell["score"] == "0.703"
    assert cell["place"] == "Table VI, row smell_doc, column GPT-2 xl"
    assert cell["rank in task"] == "2 of 28"
    assert "TF-IDF+XGBoost" in cell["best in task"]


def test_an_absent_cell_is_shown_with_its_reason(root):
    cell = listing.record(root, "se_entities/gpt2-xl")
    assert cell["state"] == "absent by design"
    assert "decoder-only" in cell["reason"]
    assert "best in task" not in cell


def test_records_of_tasks_systems_and_claims(root):
    assert listing.record(root, "sentiment")["instances"] == 13144
    assert listing.record(root, "Fasttext")["approach"] == "baseline"
    assert listing.record(root, "c028")["id"] == "C028"


@pytest.mark.parametrize("name", ["smel_doc/gpt2-xl", "smell_doc/gpt2-xll", "sentimant", "C999"])
def test_unknown_records_get_the_nearest_known_one(root, name):
    with pytest.raises(SeluError, match=r"there is no .* did you mean"):
        listing.record(root, name)


EARNED: dict[str, Any] = {
    "task": "sentiment",
    "system": "fasttext",
    "evidence": "re-earned",
    "standing": "equal",
    "state": "present",
    "value": 0.58812,
    "low": 0.56,
    "high": 0.61,
    "rows": 2629,
    "verdict": "reproduced",
    "reason": None,
    "run": "sentiment/fasttext/paper-s42",
    "chosen": {"lr": 0.1},
    "seeds": [{"seed": 42, "state": "present", "value": 0.58812}],
    "strict": {"value": 0.5},
    "current": None,
}


@pytest.fixture
def earned(root: Path, tmp_path: Path) -> Path:
    """A clone with one cell earned anew, one that deviates, one that failed."""
    for name in ("data/paper/selu", "data/pins/selu"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "params.yaml", tmp_path)
    deviating = EARNED | {"task": "smell_doc", "verdict": "deviates", "reason": "Measured so."}
    hole = {"task": "incivility", "evidence": "printed", "state": "failed", "reason": "1 of 5 runs: no memory"}
    hole |= dict.fromkeys(("value", "low", "high", "verdict"))
    (tmp_path / "reports" / "selu").mkdir(parents=True)
    (tmp_path / "reports" / "selu" / "cells.json").write_text(json.dumps([EARNED, deviating, EARNED | hole]))
    return tmp_path


def test_cells_list_what_was_earned_anew(earned):
    (found,) = listing.rows(earned, "cells", ["cell=sentiment/fasttext"])
    assert (found["score"], found["evidence"], found["value"]) == ("0.588", "re-earned", 0.58812)
    assert (found["interval"], found["verdict"]) == ("0.560 to 0.610", "reproduced")
    assert [row["cell"] for row in listing.rows(earned, "cells", ["verdict=deviates"])] == [
        "smell_doc/fasttext"
    ]
    (failed,) = listing.rows(earned, "cells", ["cell=incivility/fasttext"])
    assert (failed["evidence"], failed["value"], failed["verdict"]) == ("printed", None, None)
    assert len(listing.rows(earned, "cells", [])) == 616


def test_a_cell_shows_its_rerun_or_why_there_is_none(earned):
    found = listing.record(earned, "sentiment/FastText")
    assert (found["score"], found["value"], found["verdict"]) == ("0.588", 0.58812, "reproduced")
    assert found["strict"] == 0.5
    assert found["rows"] == "2,629 test rows (equal)"
    assert "current" not in found
    assert "reason" not in found
    assert listing.record(earned, "smell_doc/fasttext")["reason"] == "Measured so."
    failed = listing.record(earned, "incivility/fasttext")
    assert failed["rerun"] == "failed: 1 of 5 runs: no memory"
    assert failed["evidence"] == "printed"


def test_without_the_tracked_cells_no_evidence_is_made_up(earned):
    (earned / "reports" / "selu" / "cells.json").unlink()
    for shown in (
        lambda: listing.record(earned, "sentiment/fasttext"),
        lambda: listing.rows(earned, "cells", []),
    ):
        with pytest.raises(SeluError, match=r"cells\.json is missing: run 'dvc pull', or 'selu report cells'"):
            shown()


def test_a_cell_that_deviates_is_listed_with_its_reason(root):
    for row in listing.rows(root, "cells", ["verdict=deviates"]):
        assert row["reason"] == listing.record(root, row["cell"])["reason"]


def test_damaged_tracked_cells_are_named(earned):
    (earned / "reports" / "selu" / "cells.json").write_text("[{}]")
    with pytest.raises(SeluError, match=r"cells\.json is damaged: run 'dvc checkout"):
        listing.rows(earned, "cells", [])


def test_a_system_that_is_not_in_the_paper_is_listed_and_shown_as_such(root):
    (found,) = listing.rows(root, "systems", ["paper=no"])
    assert (found["id"], found["mean"], found["size_printed"]) == ("minilm-l6", None, None)
    for name in ("minilm-l6", "MiniLM-L6"):
        assert listing.record(root, name)["paper"] == "not in the paper"
    cell = listing.record(root, "sentiment/minilm-l6")
    assert cell["state"] == "not in the paper"
    assert "score" not in cell
    assert [run["run"] for run in cell["runs"]][:2] == ["paper-s42", "paper-s43"]
    with pytest.raises(SeluError, match="there is no task 'sentimant'"):
        listing.record(root, "sentimant/minilm-l6")
    with pytest.raises(SeluError, match="are the same system"):
        comparing_systems.comparison(root, "minilm-l6", "MiniLM-L6")
