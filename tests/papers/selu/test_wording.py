"""The same request in other words: what pages say is what was answered."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

from selu.papers.selu.reruns import wording
from selu.papers.table import to_markdown

ROOT = Path(__file__).parents[3]
WEIGHTS = {"publisher": "owner/tiny", "quantisation": "Q4_K_M", "sha256": "ab" * 32}


def way(task, template, labels, value, changed, shots=0, order="drawn"):
    others = {"count": changed, "rows": 20, "share": changed / 20, "low": 0.0, "high": 1.0}
    score = {"rows": 20, "value": value, "low": value - 0.1, "high": value + 0.1}
    return (
        {
            "task": task,
            "template": template,
            "labels": labels,
            "shots": shots,
            "order": order if shots else "none",
        }
        | score
        | {"others": others}
    )


def test_the_sentence_counts_other_answers_and_names_the_widest_spread():
    ways = [
        way("a", "own", "words", 0.5, 0),
        way("a", "b", "words", 0.4, 5),
        way("b", "own", "words", 0.5, 0),
        way("b", "own", "letters", 0.8, 10),
        way("b", "own", "words", 0.1, 20, shots=3),  # another request, not another wording
        way("b", "own", "words", 0.1, 2, shots=3, order="reversed"),
    ]
    record = {"model": "tiny", "weights": WEIGHTS, "ways": ways}
    assert wording.concluded(record) == (
        "Asked the same in a paraphrase, tiny answered 5 of 20 prompts (25.0 %) otherwise, and with letters "
        "for the names of the labels 10 of 20 prompts (50.0 %); within a task its score moved by 0.100 to "
        "0.300 (most on b). With three examples in reverse it answered 2 of 20 prompts (10.0 %) "
        "otherwise than as drawn."
    )
    table = wording.table(record)
    assert table.frame["Answered otherwise"].tolist() == ["", "25.0 %", "", "50.0 %", "100.0 %", "10.0 %"]
    assert "three, as drawn" in to_markdown(table)
    wording.figure(record).draw_without_rendering()


def test_what_is_tracked_is_what_was_answered():
    record = wording.read(ROOT)
    answers = defaultdict(dict)
    with (ROOT / wording.FILE).with_suffix(".csv").open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            asked = line["task"], line["template"], line["labels"], int(line["shots"]), line["order"]
            assert line["id"] not in answers[asked]  # each row once
            answers[asked][line["id"]] = line["answer"]
    assert len({entry["task"] for entry in record["ways"]}) == 4
    for entry in record["ways"]:
        mine = answers[entry["task"], entry["template"], entry["labels"], entry["shots"], entry["order"]]
        usual = (0, "none") if entry["order"] != "reversed" else (entry["shots"], "drawn")
        beside = answers[entry["task"], "own", "words", *usual]
        assert entry["rows"] == entry["others"]["rows"] <= len(mine)
        if len(mine) == len(beside) == entry["rows"]:
            assert entry["others"]["count"] == sum(beside[row] != answer for row, answer in mine.items())
        assert entry["low"] <= entry["value"] <= entry["high"]
