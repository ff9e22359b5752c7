from __future__ import annotations

from pathlib import Path

import pytest

from selu.papers.drawing import images
from selu.papers.faun_eval import figures, tables
from selu.papers.faun_eval.material import read
from selu.papers.faun_eval.rescored import ALL, NAMES, RIGHT, STUDIED
from selu.papers.table import statement, to_csv
from selu.sources.published import read_all

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def paper():
    return read(read_all(ROOT / "data" / "paper" / "faun_eval"))


@pytest.fixture(scope="module")
def record():
    """Two sets, one of patches and one of files, with made-up scores."""
    ends = {name: {"low": 0.4, "high": 0.6} for name in NAMES}
    files = {name: 0.5 for name in NAMES if not name.endswith(("patch", "lines", "formed"))}
    patches = {
        "system": "one",
        "kind": "patches",
        "answered": 250,
        "scores": dict.fromkeys(NAMES, 0.5),
        "resolved": 50,
    }
    sets = [patches | {"applied": None}, {"system": "two", "kind": "files", "answered": 300, "scores": files}]
    area = {"patches": 1250, "resolved": 50, "auc": 0.75, "low": 0.7, "high": 0.8}
    study = [{"system": one, "metric": metric} | area for one in ("one", ALL, RIGHT) for metric in STUDIED]
    strata = [{"system": "Not enough info", "metric": "edit_patch"} | area]
    return {
        "sets": [{**one, "tasks": 300, "intervals": ends} for one in sets],
        "study": study,
        "strata": strata,
    }


def test_averages_and_changes_are_compared_with_print(paper):
    averages, changes = tables.table4(paper), tables.table5(paper)
    assert (averages.equal, averages.cells, changes.equal, changes.cells) == (13, 18, 60, 62)
    assert {cell.why for cell in averages.mismatches} == {"explained by rounding of the inputs"}
    assert "1 explained by rounding of the inputs; 1 agrees with no reading of what OCR found" in statement(
        changes
    )
    rows = changes.frame.set_index("Metric: parts of the input")
    assert rows.loc["EM: IB"].tolist() == ["0.6400", "-1.54", "0.6400", "+7.87", "0", "", "0.6400", "+2.94"]
    assert len(averages.frame) == 7


def test_an_average_that_no_rounding_explains_is_shown_beside_ours(paper):
    table = tables.table4(paper.with_published("table4", "EM", "Average", "0.3800"))
    (cell,) = [cell for cell in table.mismatches if cell.row == "EM"]
    assert (cell.published, cell.computed, cell.why) == (
        "0.3800",
        "0.3813",
        "not explained by rounding of the inputs",
    )


def test_unanswered_tasks_and_unknown_counts_are_shown(record):
    rows = tables.located(record).frame.set_index("Set of answers")
    assert rows["Answered"].tolist() == ["250 of 300", "300 of 300"]
    assert rows["Checked"].tolist() == ["re-scored", "re-scored"]
    assert rows.loc["two", "Hit at 5 files: low"] == "0.400"
    (row,) = tables.edited(record).frame.to_dict("records")
    assert [row[name] for name in ("Applied", "Resolved", "Resolved, first evaluation")] == ["", "50", ""]
    assert row["Edit similarity of patches"] == "0.500"
    assert tables.validity(record).frame["Number"].tolist() == ["1,250"] * 2 * len(STUDIED)
    assert len(tables.validity_by_set(record).frame) == len(STUDIED)
    assert tables.validity_by_quality(record).frame["Description"].tolist() == ["Not enough info"]
    for table in (tables.located(record), tables.edited(record), tables.validity(record)):
        assert "nan" not in to_csv(table)


def test_published_tables_are_shown_whole(paper):
    shown = {name: getattr(tables, name)(paper).frame for name in ("table1", "table2", "table3")}
    for name, frame in shown.items():
        cells = frame.set_index(frame.columns[0]).stack()
        published = {place: one.published for place, one in paper.tables[name].items()}
        assert {place: text for place, text in cells.items() if text} == published


def test_differences_and_lengths_are_laid_out_with_their_bounds(record):
    gap = {"difference": 0.1234, "low": -0.0001, "high": 0.25}
    pair = {"metric": "resolved", "one": "a", "other": "b", "tasks": "all tasks", **gap}
    ends = {"score": 0.5, "low": 0.4, "high": 0.6}
    lengths = [
        {"unit": "words", "metric": "exact_existing", "system": "a", "part": part, "tasks": 100, **ends}
        for part in ("short", "medium", "long")
    ]
    made = record | {"paired": [pair], "paired_strata": [pair | {"number": 30}], "lengths": lengths}
    (row,) = tables.paired(made).frame.to_dict("records")
    assert list(row.values()) == ["Tests pass", "a", "b", "+0.123", "+0.000", "+0.250"]
    (row,) = tables.paired_by_quality(made).frame.to_dict("records")
    assert (row["Tasks"], row["Best in this stratum"]) == ("30", "a")
    (row,) = tables.by_length(made).frame.to_dict("records")
    assert (row["Metric"], row["Long: low"]) == ("First existing file exact", "0.400")
    (row,) = tables.code(record).frame.to_dict("records")
    assert row["CodeBLEU of patches"] == "0.500"


def test_the_figure_is_drawn_with_every_metric_and_the_same_bytes(record):
    drawn = figures.validity(record)
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()][::-1] == [
        NAMES[one] for one in STUDIED
    ]
    assert images(drawn) == images(figures.validity(record))
