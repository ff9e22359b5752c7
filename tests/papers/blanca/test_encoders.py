from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from selu.papers.blanca import encoders, figures, placing, shapes, tables_encoders
from selu.papers.evidence import RunScored
from selu.vocabulary import SeluError


def bounds(value):
    return {"low": value - 0.01, "high": value + 0.02}


def scored(task, **scores):
    scores = {"r": 0.5, "auc": 0.6, "effect": 1.0, "t": 3.0, "auc_direct": 0.7, **scores}
    scores |= {f"mean_{kind}": 0.2 + place / 10 for place, kind in enumerate(tables_encoders.CLASSES)}
    record = {"cost": {"peak_memory_bytes": 3 << 20}, "inference": [0.4, 0.1, 0.2]}
    content = {
        "rows": 12,
        "scores": scores,
        "intervals": {name: bounds(value) for name, value in scores.items()},
    }
    return RunScored(SimpleNamespace(id=task), record, content)


@pytest.fixture(scope="module")
def rescored():
    ends = {name: bounds(0.4) for name in ("r", "auc", "effect")}
    row = {"scores": {"r": 0.4, "auc": 0.6, "effect": 1, "t": 2}, "intervals": ends, "pairs": 9}
    return {"rows": [{"task": task, "system": "USE", **row} for task in "FU"]}


def test_an_encoder_stands_among_the_published_ones_by_its_score(paper, rescored):
    runs = [encoders.entry("mine", scored(encoders.USAGE, r=r)) for r in (0.4149, 0.7)]
    frame = tables_encoders.usage(paper, rescored, runs).frame
    assert frame["r"].astype(float).is_monotonic_decreasing
    assert len(frame) == len(paper.scores("U")) + 2
    assert frame["Encoder"].iloc[0] == "mine"
    behind = frame[frame["Encoder"] == "mine"].iloc[1]
    assert (behind["r low"], behind["r high"], behind["Pairs"]) == ("0.4049", "0.4349", "12")
    assert frame["Encoder"].iloc[int(behind["Rank"])] == "USE"  # the best base model, with .41, is the next


def test_seconds_are_the_median_of_the_repeats_and_memory_the_largest(paper):
    runs = [encoders.entry("minilm", scored(task)) for task in (encoders.USAGE, encoders.FORUM)]
    (row,) = tables_encoders.cost(runs).frame.to_dict("records")
    assert (row["Class usage"], row["Forum posts"], row["Related questions"]) == ("200.00", "200.00", "")
    assert row["Memory, MiB"] == "3"


def test_encoders_that_were_asked_about_other_pairs_are_never_ranked_with_one_another(paper, rescored):
    names = ("mine", "other")
    for task, make_table in (
        (encoders.HIERARCHY, lambda runs: tables_encoders.hierarchy(paper, runs)),
        (encoders.FORUM, lambda runs: tables_encoders.forum(rescored, runs)),
        (encoders.RELATED, lambda runs: tables_encoders.related(paper, runs)),
    ):
        frame = make_table([encoders.entry(name, scored(task)) for name in names]).frame
        published = frame[~frame["Encoder"].isin(names)]
        assert frame[frame["Encoder"].isin(names)]["Rank"].tolist() == ["1", "2"]
        assert published["Rank"].tolist() == [str(rank) for rank in range(1, len(published) + 1)]


@pytest.mark.parametrize(
    ("r", "low", "message"),
    [
        (0.5, 0.45, "1 of 1 systems run here"),
        (0.42, 0.4, "The interval of none"),
        (0.3, 0.2, "none of 1 systems"),
    ],
)
def test_what_was_found_on_usage_is_held_to_the_best_base_model(paper, r, low, message):
    entry = encoders.entry("hashed-ngrams", scored(encoders.USAGE, r=r))
    entry["intervals"]["r"]["low"] = low
    found = encoders.finding(paper, [entry])
    assert message in found
    assert "USE, the best published base model (0.41)" in found
    assert ("Hashed n-grams" in found) is (r > 0.41)


def test_a_run_that_is_out_of_date_is_refused_and_no_run_at_all(paper):
    run = SimpleNamespace(name="class_usage/tfidf-svd/paper-s42", system="tfidf-svd", state="stale")

    def evidence(runs):
        return SimpleNamespace(
            settings=lambda _section, _kind: {"tfidf-svd": {}},
            stored=lambda: ["class_usage/tfidf-svd/paper-s42", "class_usage/somebody-s-own/paper-s42"][
                : 2 * len(runs)
            ],
            runs=lambda systems: runs if systems == ["tfidf-svd"] else [],
            published=lambda: paper,
        )

    with pytest.raises(SeluError, match="out of date or has no score"):
        encoders.collect(evidence([run]), print)
    with pytest.raises(SeluError, match="holds no run"):
        encoders.collect(evidence([]), print)


def test_a_page_says_the_place_and_holds_every_task_that_was_run(paper, rescored):
    evidence = SimpleNamespace(published=lambda: paper, read=lambda *_: rescored)
    made = placing.place(evidence, "mine-<1>", [scored(encoders.USAGE), scored(encoders.RELATED)])
    assert (
        "Class usage: r 0.5000 (0.4900 to 0.5200), place 3 of 11; 10 are published encoders."
        in made["index.md"]
    )
    assert "mine-<1>" not in made["index.html"]
    assert "Related questions: Gap 0.3000, not ranked among the published encoders" in made["index.md"]
    assert json.loads(made["scores.json"])[0]["pairs"] == 12
    assert {"encoders_usage.csv", "encoders_related.csv", "encoders_cost.csv"} <= set(made)
    assert "encoders_forum.csv" not in made


def test_shapes_keep_every_pair_and_its_mean():
    random = np.random.default_rng(5)
    labels, near = random.integers(0, 2, 999), random.uniform(0, 1.2, 999)
    found = shapes.densities(labels, near)
    assert (sum(found["related"]), sum(found["unrelated"])) == (labels.sum(), 999 - labels.sum())
    line = shapes.curve(labels + near, near)
    assert line["class_distance"] == sorted(line["class_distance"])
    assert np.average(line["embedding_distance"], weights=[50] * 19 + [49]) == pytest.approx(near.mean())


def test_figure_6_has_the_line_of_each_score_and_dashes_a_slope_that_may_be_0(paper):
    slopes = {"steep": (0.05, 0.04), "flat": (0.001, -0.01), "falling": (-0.02, -0.03)}
    runs = []
    for name, (slope, low) in slopes.items():
        run = encoders.entry(name, scored(encoders.HIERARCHY, slope=slope, intercept=0.5))
        run["intervals"]["slope"] = {"low": low, "high": slope + slope - low}
        runs.append(run)
    lengths = encoders.entry(encoders.LENGTHS, scored(encoders.HIERARCHY, slope=9, intercept=0))
    first, second, third, empty = figures.hierarchy([lengths, *runs]).axes
    assert [axes.get_title("left") for axes in (first, second)] == ["steep: slope +0.050", "flat: slope +0.001"]
    assert first.lines[0].get_ydata() == pytest.approx([0.55, 1.0])
    assert [axes.lines[0].get_linestyle() for axes in (first, second, third)] == ["-", "--", "-"]
    assert not empty.axison
    message = figures.say_hierarchy(paper, [lengths, *runs])
    assert "farther in embedding with 1 of 3 systems run here, and nearer with 1 " in message
    assert (
        "-0.020 to +0.050 (steep), where the authors' logs, of other classes, have +0.021 to +0.042" in message
    )
