from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from selu.metrics.percentiles import Resampling
from selu.papers import pinned
from selu.papers.blanca import rescored, rescored_files
from selu.sources.published import read_all
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[3]
PINS = ROOT / "data" / "pins" / "blanca" / "predictions.csv"
GIVEN = ROOT.parent / "shared" / "datasets" / "blanca"
DRAWS = Resampling(20, 7, 0.95)
given = pytest.mark.skipif(not GIVEN.is_dir(), reason="the authors' distances (../shared) are not here")
USAGE = ["a.One 3 [a.Two, b.Three]", "b.Three 5 [a.Two]"]
CLASSES = [("a.One", "a.Two", 2.0), ("a.One", "b.Three", 2.0), ("a.Two", "b.Three", 1.0)]


def pairs(number=60):
    """Made-up distances of linked and of other posts."""
    random = np.random.default_rng(5)
    labels = np.arange(number) % 2
    near = random.uniform(0, 1, number) - labels / 4
    return pd.DataFrame({"label": labels, "embedding_cosine_distance": near})


def log_of(paper, table, system="USE"):
    """The material with the log and the row of Table 4 that these distances give."""
    near, far = (table["embedding_cosine_distance"][table["label"] == label] for label in (1, 0))
    statistic = stats.ttest_ind(near, far).statistic
    logged = {"Close": near.mean(), "Far": far.mean(), "t": statistic, "Pairs": len(table)}
    for column, value in logged.items():
        paper = paper.with_published("logs", f"L/{system}", column, str(value))
    published = {"Linked": near.mean(), "Unlinked": far.mean(), "T": -statistic}
    for column, value in published.items():
        paper = paper.with_published("table4", system, column, f"{value:.2f}")
    return paper


def score(paper, table, task="L"):
    return rescored.rescore(paper, task, "USE", table, DRAWS, "d.csv")


def test_a_row_is_equal_where_print_and_log_follow_from_the_distances(paper):
    found = score(log_of(paper, pairs()), pairs())
    assert (found["verdict"], found["pairs"], found["related"]) == ("equal", 60, 30)
    assert [entry["equal"] for entry in found["printed"] + found["logged"]] == [True] * 6
    assert found["intervals"]["t"]["low"] < found["scores"]["t"] < found["intervals"]["t"]["high"]
    assert found["permuted"]["t"]["high"] < found["scores"]["t"]


@pytest.mark.parametrize(("table", "row"), [("table4", "USE"), ("logs", "L/USE")])
def test_a_row_differs_from_another_number_in_print_or_log(paper, table, row):
    altered = log_of(paper, pairs()).with_published(table, row, "T" if table == "table4" else "t", "99.99")
    found = score(altered, pairs())
    assert found["verdict"] == "differs"
    assert rescored_files.failed([found]) == (table == "logs")


def test_distances_of_another_test_set_are_held_to_the_log_alone(paper):
    altered = paper
    for (row, column), cell in log_of(paper, pairs()).tables["logs"].items():
        if row == "L/USE":
            altered = altered.with_published("logs", "F/USE", column, cell.published)
    found = score(altered, pairs(), "F")
    assert (found["verdict"], found["printed"]) == ("another test set", [])


def test_a_file_of_another_length_or_without_distances_is_refused(paper):
    with pytest.raises(SeluError, match=r"d\.csv has 60 pairs but the authors' log has 5,854"):
        score(paper, pairs())
    with pytest.raises(SeluError, match=r"d\.csv: the distance of a pair is not a finite number"):
        score(log_of(paper, pairs()), pairs().assign(embedding_cosine_distance=np.inf))


def test_distances_of_classes_follow_from_the_usage_list():
    frame = pd.DataFrame(CLASSES, columns=["class1", "class2", "distance"], index=[0, 2, 3])
    found = rescored.count_usage(USAGE, [frame.assign(embedding_cosine_distance=0.5)])
    assert found["pairs"] == 3
    assert (found["largest M"], found["smallest C"], found["largest C"]) == (5, 1, 2)
    # [5 - 3, 2 - 1] is sqrt(5) away, and the third pair is the ideal one.
    assert found["mean distance"] == pytest.approx((2 * 5**0.5 + 0) / 3)
    assert (found["test pairs"], found["test pairs with distances"], found["recomputed distances"]) == (4, 3, 0)
    frame["distance"] = [5**0.5, 5**0.5, 0.0]
    assert rescored.count_usage(USAGE, [frame])["recomputed distances"] == 3
    with pytest.raises(SeluError, match="different pairs"):
        rescored.count_usage(USAGE, [frame, frame.iloc[:2]])


def published(tmp_path, pins):
    tables = read_all(ROOT / "data" / "paper" / "blanca")
    evidence = SimpleNamespace(tables=lambda: tables, draws=DRAWS)
    return SimpleNamespace(
        tasks=(),
        systems=(),
        evidence=evidence,
        pins=pins,
        folders=[tmp_path],
        report=tmp_path / "rescored.json",
    )


def test_only_the_pinned_bytes_are_scored_packed_or_not(tmp_path):
    content = b"some bytes"
    sha256 = hashlib.sha256(content).hexdigest()
    pin = pinned.Pinned("L", "USE", "L/a.csv", sha256, 10, "own/er", "c", "path/a.csv")
    (tmp_path / "L").mkdir()
    with pytest.raises(SeluError, match=r"L/a\.csv is not available here.*path/a\.csv of own/er at c"):
        pinned.obtain(pin, [tmp_path])
    packed = tmp_path / "L" / "a.csv.gz"
    packed.write_bytes(gzip.compress(content))
    assert pinned.obtain(pin, [tmp_path / "none", tmp_path]) == content
    packed.write_bytes(packed.read_bytes()[:-4])
    with pytest.raises(SeluError, match="can't be unpacked"):
        pinned.obtain(pin, [tmp_path])
    (tmp_path / "L" / "a.csv").write_bytes(b"some other")
    with pytest.raises(SeluError, match="does not have the pinned bytes"):
        pinned.obtain(pin, [tmp_path])
    (tmp_path / "predictions.csv").write_text("task,system\n")
    with pytest.raises(SeluError, match="is damaged"):
        pinned.read_pins(tmp_path / "predictions.csv")
    with pytest.raises(SeluError, match="leave --task and --system out"):
        rescored_files.rescore(SimpleNamespace(tasks=("L",), systems=()))


@given
def test_published_numbers_follow_from_the_authors_distances(tmp_path, monkeypatch):
    pins = pinned.read_pins(PINS)
    kept = [pin for pin in pins if pin.system in ("USE", "FT-BERTOverflow", rescored_files.USAGE)]
    monkeypatch.setattr(rescored_files, "read_pins", lambda _: kept)
    asked = published(tmp_path, PINS.parent)
    asked.folders = [GIVEN]
    found = rescored_files.rescore(asked)
    assert not found.failed
    rows = {(row["task"], row["system"]): row["verdict"] for row in found.record["rows"]}
    assert rows == {
        **{("L", "USE"): "equal", ("L", "FT-BERTOverflow"): "equal"},
        **{("F", "USE"): "another test set", ("F", "FT-BERTOverflow"): "another test set"},
        **{("U", "USE"): "equal", ("U", "FT-BERTOverflow"): "differs"},
    }
    assert "FT-BERTOverflow (0.52 for 0.4890)" in found.says
    usage = found.record["usage"]
    assert (usage["pairs"], usage["test pairs"], usage["recomputed distances"]) == (84_301, 8_439, 6_917)
    assert json.loads((tmp_path / "rescored.json").read_text()) == found.record
    assert "an earlier test set of 3,652 pairs" in found.says
    assert [row["printed"] for row in found.rows][::2] == ["3 of 3 equal", "0 of 0 equal", "1 of 1 equal"]
    assert rescored_files.read_tables(tmp_path) == {}
    kept_at = tmp_path / rescored_files.PLACE
    kept_at.parent.mkdir(parents=True)
    kept_at.write_bytes((tmp_path / "rescored.json").read_bytes())
    tables = rescored_files.read_tables(tmp_path)
    assert tables["rescored"]["L/USE", "related"].published == "2927"
    assert float(tables["usage"]["all", "mean distance"].published) == pytest.approx(312.14, abs=0.005)
