"""Compare, recommend and submit for papers whose published tables rank their systems, by the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import command
from selu import registry
from selu.app.ranking import boards
from selu.app.ranking.check import check_published
from selu.app.ranking.recommend import bench_of
from selu.boards.findings import findings
from selu.boards.readers.reading import read

OTHERS = [
    (name, board.id)
    for name in registry.published()
    if registry.benchmark(name).bench is None and (paper := registry.benchmark(name).paper())
    for board in paper.boards
]


def json_of(root: Path, *words: str) -> dict[str, Any]:
    return dict(json.loads(command.printed(root, *words, "--json")))


def refused(root: Path, *words: str) -> str:
    return command.refused(command.selu("--root", str(root), *words))


def options_of(name: str, board: str) -> list[str]:
    return ["--paper", name, "--board", board]


@pytest.mark.ci
@pytest.mark.parametrize(("name", "board"), OTHERS)
def test_a_pair_is_told_as_the_check_of_the_ranking_tells_it(root: Path, name: str, board: str) -> None:
    checked = check_published(root, name, board)
    pair = checked["pairs"][0]
    found = json_of(root, "compare", pair["b"].upper(), pair["a"], *options_of(name, board))
    assert (found["a"], found["b"], found["board"]) == (pair["b"], pair["a"], board)
    ranks = {row["system"]: (row["rank"], row["tied"]) for row in checked["systems"]}
    assert {key: (at["rank"], at["tied"]) for key, at in found["ranks"].items()} == {
        key: ranks[key] for key in (pair["a"], pair["b"])
    }
    better = [row["better"] for row in found["tasks"]]
    assert (better.count(pair["a"]), better.count(pair["b"])) == (pair["wins"], pair["losses"])
    if pair["p_better"] is None:
        assert (found["posterior"], found["low"]) == (None, None)
        assert found["p_value"] == pytest.approx(pair["p_value"])
        assert "no test can tell the two apart" in found["sentence"]
    else:
        posterior = found["posterior"]["autorank"]
        assert [posterior[key] for key in ("better", "equal", "worse")] == pytest.approx(
            [pair[key] for key in ("p_worse", "p_equal", "p_better")], rel=1e-8
        )
        assert "no clear winner" in found["sentence"] or "at 95 %" in found["sentence"]


def test_a_difference_of_means_has_an_interval_and_a_sign(root: Path) -> None:
    found = json_of(root, "compare", "STACC", "Dopamin", *options_of("nlbse24", "comments"))
    rows = [row["difference"] for row in found["tasks"]]
    assert found["difference"] == pytest.approx(sum(rows) / len(rows))
    assert found["low"] < found["difference"] < 0 < found["high"]
    turned = json_of(root, "compare", "Dopamin", "STACC", *options_of("nlbse24", "comments"))
    assert (turned["difference"], turned["low"]) == pytest.approx((-found["difference"], -found["high"]))
    assert "on average it is 0.0231 worse" in found["sentence"]


def test_two_systems_of_one_ranking_need_no_paper(root: Path) -> None:
    assert json_of(root, "compare", "gpt-4", "GPT-4o")["benchmark"] == "faun_eval"


@pytest.mark.parametrize("paper", [(), ("--paper", "blanca")])
def test_systems_of_several_rankings_are_refused_with_the_commands(root: Path, paper: tuple[str, ...]) -> None:
    several = refused(root, "compare", "RFLHU-CodeBERT", "RFLHU-BERTOverflow", *paper)
    commands = [
        f"'selu compare RFLHU-CodeBERT RFLHU-BERTOverflow --paper blanca --board {id}'"
        for id in ("probes", "multitask")
    ]
    assert f"are both in 2 rankings: {' or '.join(commands)}." in several


@pytest.mark.parametrize(
    ("a", "b", "paper"),
    [
        ("dopamin", "stacc", "nlbse24"),
        ("kallis-et-al", "Alam et al.", "nlbse24"),
        ("RFL-CodeBERT", "rfl-bertoverflow", "blanca"),
    ],
)
def test_the_ranking_that_has_both_need_not_be_named(root: Path, a: str, b: str, paper: str) -> None:
    """STACC is a system that is run here, too."""
    found = json_of(root, "compare", a, b, "--paper", paper)
    assert found == json_of(root, "compare", a, b, *options_of(paper, found["board"]))


@pytest.mark.parametrize("asked", [["--paper", "blanca"], options_of("nlbse24", "issues")])
def test_where_two_systems_are_is_said_if_another_ranking_is_asked(root: Path, asked: list[str]) -> None:
    message = refused(root, "compare", "dopamin", "stacc", *asked)
    assert "are both in 1 ranking: 'selu compare dopamin stacc --paper nlbse24 --board comments'." in message


def test_systems_of_two_rankings_are_said_to_be_in_these(root: Path) -> None:
    message = refused(root, "compare", "bge-base", "BAAI/bge-base-en-v1.5")
    assert "bge-base and BAAI/bge-base-en-v1.5 are in no common ranking: bge-base is in --paper coir" in message


@pytest.mark.ci
def test_runs_of_a_paper_that_is_named_are_compared_as_before(root: Path) -> None:
    words = ("compare", "setfit-minilm", "fasttext-lines")
    assert json_of(root, *words, "--paper", "nlbse24") == json_of(root, *words)
    selus = ("compare", "gpt2-xl", "bert-base")
    assert json_of(root, *selus, "--paper", "selu") == json_of(root, *selus)


def test_equal_ranks_and_scores_are_said_to_be_equal(root: Path) -> None:
    found = json_of(root, "compare", "RFL-CodeBERT", "RFL-BERTOverflow", *options_of("blanca", "multitask"))
    assert "share rank 4 of 8 systems by mean rank" in found["sentence"]
    assert "different scales, so that no mean difference is given" in found["sentence"]
    assert found["tasks"][0]["better"] == "equal"


@pytest.mark.ci
@pytest.mark.parametrize(("name", "board"), OTHERS)
def test_the_first_five_are_those_of_the_ranking(root: Path, name: str, board: str) -> None:
    found = json_of(root, "recommend", *options_of(name, board))
    checked = check_published(root, name, board)
    ranked = [row for row in checked["systems"] if row["rank"] is not None][:5]
    assert [(row["rank"], row["system"]) for row in found["systems"]] == [
        (row["rank"], row["system"]) for row in ranked
    ]
    assert [row["score"] for row in found["systems"]] == pytest.approx(
        [row["mean"] for row in ranked], nan_ok=True
    )
    assert found["sentence"].startswith(checked["sentence"])
    assert ("a rank is a hint only" in found["sentence"]) == (len(found["tasks"]) < 6)


def test_a_paper_with_its_own_comparison_is_ranked_alike_by_its_table(root: Path) -> None:
    """The scores of story points are 1 - SMAPE, so that higher is better on every task of SELU."""
    checked = check_published(root, registry.DEFAULT, None)
    assert checked["method"]["ranked_by"] == "mean"
    bench = bench_of(root, registry.DEFAULT)
    ranked = {row.system["name"]: row.place.rank for row in bench.rank(bench.weights(), bench.systems)}
    assert {row["system"]: row["rank"] for row in checked["systems"]} == ranked


def test_a_task_alone_has_another_ranking(root: Path) -> None:
    words = ("--paper", "faun_eval", "--board", "models")
    found = json_of(root, "recommend", "--task", "fault localisation (em)", *words)
    assert found["tasks"] == ["fault localisation (EM)"]
    assert found["systems"][0]["system"] == "GPT-4o"
    rows = list(csv.DictReader(io.StringIO(command.printed(root, "recommend", *words, "--csv"))))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert {row["p_better"] for row in rows} == {""}


def submitted(root: Path, folder: Path, text: str, *words: str) -> dict[str, Any]:
    (folder / "mine.csv").write_text(text, "utf-8")
    return json_of(root, "submit", str(folder / "mine.csv"), *words)


@pytest.mark.parametrize("words", [(), ("--paper", "nlbse24", "--board", "issues")])
def test_scores_may_come_from_a_pipe(root: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """``selu submit <(program)``: what was read is gone."""
    os.mkfifo(tmp_path / "pipe")
    task = "bug" if words else "bug_issue"
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(f"task,score\n{task},0.9\n",))
    writer.start()
    found = json_of(root, "submit", str(tmp_path / "pipe"), *words)
    writer.join()
    assert [score["value"] for score in found["scores"].values()] == [0.9]


@pytest.mark.ci
@pytest.mark.parametrize(("name", "board"), OTHERS)
def test_the_first_systems_own_scores_share_its_rank(root: Path, tmp_path: Path, name: str, board: str) -> None:
    table = boards.of_paper(root, name, board).board
    first = next(row for row in check_published(root, name, board)["systems"] if row["rank"] == 1)["system"]
    row = table.values[table.systems.index(first)].tolist()
    text = io.StringIO()
    csv.writer(text).writerows([("task", "score"), *zip(table.tasks, map(repr, row), strict=True)])
    found = submitted(root, tmp_path, text.getvalue(), *options_of(name, board), "--name", first)
    same = next(entry for entry in found["against"] if entry["system"] == first)
    enlarged = replace(
        table,
        systems=(*table.systems, "mine"),
        values=np.vstack((table.values, row)),
        rows=np.vstack((table.rows, table.rows[:1])),
    )
    checked = next(row for row in findings(enlarged)["systems"] if row["system"] == "mine")
    for key in ("rank", "mean_rank", "win_rate"):
        assert found["place"][key] == pytest.approx(checked[key])
    assert (same["rank"], found["equal"], found["holes"]) == (found["place"]["rank"], [first], [])
    assert "The table has a system of this name, too." in found["sentence"]
    assert same["p_equal"] in (None, 1.0)
    assert same["p_value"] in (None, 1.0)


def test_scores_are_placed_over_their_tasks_and_kept(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    words = ("--paper", "nlbse24", "--board", "issues", "--out", str(out))
    found = submitted(root, tmp_path, "task,score\nbug,0.9\nfeature,0.9\n", *words)
    assert (found["name"], found["tasks"], found["holes"]) == ("mine", ["Bug", "Feature"], ["Question"])
    assert (found["place"]["rank"], found["place"]["of"]) == (1, 9)
    assert "over 2 of 3 tasks" in found["sentence"]
    assert "No score: Question." in found["sentence"]
    assert json.loads(out.read_text("utf-8")) == found


def test_a_share_where_the_table_has_percentages_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("model,Type-QA,Type-Trans\na,0.4,0.9\n")
    message = refused(root, "submit", str(tmp_path / "mine.csv"), "--paper", "crosscodebench")
    assert "has shares, such as 0.4 on Type-QA, and CrossCodeBench" in message
    assert "percentages: write 0.853 as 85.3, and a percentage of 0.4 as 0.4%." in message


def test_a_low_percentage_is_placed_where_others_are_low(root: Path, tmp_path: Path) -> None:
    """The lowest published scores are 0.82 on Type-QA and 3.97 on Type-Trans."""
    words = ("--paper", "crosscodebench")
    found = submitted(root, tmp_path, "task,score\nType-QA,0.5\nType-Trans,33\n", *words)
    assert found["scores"]["Type-QA"]["value"] == 0.5
    (tmp_path / "mine.csv").write_text("task,score\nType-QA,33\nType-Trans,0.705\n")
    message = refused(root, "submit", str(tmp_path / "mine.csv"), *words)
    assert "has shares, such as 0.705 on Type-Trans, and CrossCodeBench" in message


@pytest.mark.parametrize(("score", "value"), [("82.0%", 82.0), ("**28.5 %**", 28.5), ("0.705%", 0.705)])
def test_a_percent_sign_is_read_on_the_scale_of_the_table(
    root: Path, tmp_path: Path, score: str, value: float
) -> None:
    found = submitted(root, tmp_path, f"task,score\nType-Trans,{score}\n", "--paper", "crosscodebench")
    assert found["scores"]["Type-Trans"]["value"] == value
    found = submitted(root, tmp_path, f"task,score\nBug,{score}\n", *options_of("nlbse24", "issues"))
    assert found["scores"]["Bug"]["value"] == pytest.approx(value / 100)


@pytest.mark.parametrize("score", ["182.0", "-3", "182%"])
def test_what_is_no_percentage_is_refused(root: Path, tmp_path: Path, score: str) -> None:
    (tmp_path / "mine.csv").write_text(f"task,score\nType-QA,33\nType-Trans,{score}\n")
    message = refused(root, "submit", str(tmp_path / "mine.csv"), "--paper", "crosscodebench")
    assert f"{float(score.rstrip('%')):g} on Type-Trans is not in 0 to 100, the range of its scores." in message


def test_a_table_with_a_negative_score_still_tells_shares_from_percentages(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("system,STS,MCC\na,81.2,40.1\nb,79.5,-1.3\nc,70.0,22.0\n")
    scales = boards._scales(read(tmp_path / "table.csv"))
    found = {task: (scale.low, scale.high, scale.is_percent) for task, scale in scales.items()}
    assert found == {"STS": (0, 100, True), "MCC": (-100, 100, True)}


def test_what_may_be_another_scale_has_no_range(root: Path, tmp_path: Path) -> None:
    """Of BLANCA's tasks some have t statistics, up to 198."""
    words = options_of("blanca", "probes")
    found = submitted(root, tmp_path, "task,score\nF: forum posts and classes (t),182\n", *words)
    assert found["place"]["rank"] == 1


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("task,score\nBugs,0.9\n", options_of("nlbse24", "issues"), "did you mean 'Bug'?"),
        ("task,score\nBug,0.9\n", ["--paper", "nlbse24"], "give --board issues or comments"),
        (
            "task,score\nBug,0.9\n",
            [*options_of("nlbse24", "issues"), "--for", "x"],
            "leave out --task and --for",
        ),
        (
            "id,answer\n1,bug\n2,bug\n",
            options_of("nlbse24", "issues"),
            "mine.csv holds predictions, and NLBSE'24, Table 1, F1 ranks scores",
        ),
    ],
)
def test_a_wrong_file_ends_in_a_sentence_and_writes_nothing(
    root: Path, tmp_path: Path, text: str, words: list[str], message: str
) -> None:
    (tmp_path / "mine.csv").write_text(text, "utf-8")
    out = tmp_path / "record.json"
    assert message in refused(root, "submit", str(tmp_path / "mine.csv"), *words, "--out", str(out))
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["recommend", "--max-parameters", "1B"], "has no size, licence, memory or price: leave out"),
        (
            ["recommend", "--for", "triage"],
            "names no purposes: give --task instead of --for; its tasks are Cat-",
        ),
        (["recommend", "--task", "Type-QA=2"], "have equal weights: name Type-QA alone"),
        (["recommend", "--task", "Type-QB"], "did you mean 'Type-QA'?"),
        (["recommend", "--board", "x"], "there is no ranking 'x'"),
        (["compare", "CodeT5, 1-shot", "codet5, 1-SHOT"], "are the same system"),
        (["compare", "CodeT5, 1-shot", "PLBART, 11-shot"], "did you mean 'PLBART, 1-shot'?"),
    ],
)
def test_what_a_published_table_cannot_answer_is_said(root: Path, words: list[str], message: str) -> None:
    assert message in refused(root, *words, "--paper", "crosscodebench")


def test_systems_without_a_common_task_are_not_compared(root: Path) -> None:
    words = ("compare", "RFLHU-CodeBERT", "HU-BERTOverflow", *options_of("blanca", "probes"))
    assert "have a score on no common task" in refused(root, *words)
    assert "give --paper, too" in refused(root, "compare", "a", "b", "--board", "probes")
