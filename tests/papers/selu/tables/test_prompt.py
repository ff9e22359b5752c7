"""Tables and figures of prompted systems, from made-up entries of the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from selu.papers.selu.figures import prompt_runs as figures_prompt_runs
from selu.papers.selu.material import Material
from selu.papers.selu.tables import prompt as tables_prompt
from selu.papers.table import Table, to_csv, to_html, to_markdown

Record = dict[str, Any]
SYSTEMS = ("gpt-4o-zero-shot", "claude-3.7-zero-shot", "gpt-4o-3-shot", "claude-3.7-3-shot")


def part(protocol: str, correct: int | None = 150, invalid: int = 20, **fields: Any) -> Record:
    value = 0.6 if protocol == "strict" else 0.55
    usd = None
    if correct is not None:
        usd = {"value": 0.5 / correct if correct else None, "low": 0.003, "high": 0.004 if correct else None}
    share = {"count": invalid, "rows": 200, "share": invalid / 200, "low": 0.05, "high": 0.15}
    return {
        "name": f"x/{protocol}-s42",
        "state": "present",
        "error": None,
        "value": value,
        "low": value - 0.05,
        "high": value + 0.05,
        "minus_printed": -0.123,
        "holds_printed": protocol == "paper",
        "invalid": {**share, "reasons": {"outside the set": invalid - 5, "refusal": 5} if invalid else {}},
        "counted_invalid": 3,
        "cost": {"requests": 200, "asked_tokens": 90_000, "answered_tokens": 800, "usd": 0.5, "paid_again": 1},
        "correct": correct,
        "usd_per_correct": usd,
    } | fields


def run(correct: int | None = 150, invalid: int = 20) -> Record:
    apart = {"count": 17, "rows": 200, "share": 0.085, "low": 0.05, "high": 0.13}
    return {
        "strict": part("strict", correct, invalid),
        "paper": part("paper", correct, invalid),
        "readings": {"paper_minus_strict": -0.05, "apart": apart},
        "state": "present",
        "reason": None,
    }


def agreement(task: str, model: str, **fields: Any) -> Record:
    return {
        "task": task,
        "model": model,
        "metric": "f1_macro",
        "standing": "equal",
        "state": "present",
        "reason": None,
        "what": "the same answer",
        "rows": 200,
        "invalid_zero_shot": 20,
        "invalid_few_shot": 8,
        "invalid_both": 5,
        "same": {"count": 150, "rows": 177, "share": 150 / 177, "low": 0.79, "high": 0.89},
        "kappa": {"value": 0.7, "low": 0.6, "high": 0.8},
    } | fields


@pytest.fixture
def some(root: Path) -> Record:
    """The tracked record, in which nothing is run, with runs in it.

    Sentiment by all four systems, story points by two, tone_bearing partly without a correct row, one failed.
    """
    tracked: Record = json.loads((root / "reports" / "selu" / "prompted.json").read_text("utf-8"))
    known = {(cell["task"], cell["system"]): cell | {"test_rows": 200} for cell in tracked["cells"]}
    cells = [known["sentiment", system] | run(150 - 30 * n, 20 - 5 * n) for n, system in enumerate(SYSTEMS)]
    cells.append(known["story_points", SYSTEMS[0]] | run(None, 40))
    cells.append(known["story_points", SYSTEMS[2]] | run(None, 0))
    half = {"paper": {"state": "missing"}, "readings": None, "state": "partly", "reason": "paper-s42 missing"}
    cells.append(known["tone_bearing", SYSTEMS[0]] | run(0) | half)
    failed = {"state": "failed", "error": "no answer."}
    gone = {"state": "failed", "reason": "no answer.", "paper": failed, "strict": failed}
    cells.append(known["smell_doc", SYSTEMS[1]] | gone)
    agreements = [
        agreement("sentiment", "GPT-4o"),
        agreement("sentiment", "Claude 3.7", kappa={"value": -0.1, "low": -0.3, "high": 0.1}),
        agreement("story_points", "GPT-4o", what="within 1 point", metric="one_minus_smape", kappa=None),
        agreement("tone_bearing", "GPT-4o", same=None, kappa=None, standing="partial"),
        agreement("tone_bearing", "Claude 3.7", state="missing", reason="none"),
    ]
    others = ["sentiment/gpt-4o-3-shot/strict-s7"]
    return tracked | {"cells": cells, "agreements": agreements, "others": others}


def row(table: Table, **wanted: str) -> dict[str, str]:
    (found,) = [
        record
        for record in table.frame.to_dict("records")
        if all(record[name] == text for name, text in wanted.items())
    ]
    return {str(key): str(value) for key, value in found.items()}


def test_tables_can_be_pasted_and_figures_drawn(material: Material, some: Record) -> None:
    for make in (tables_prompt.holes, tables_prompt.scores, tables_prompt.invalid, tables_prompt.cost):
        table = make(some)
        strange = table.frame.map(lambda text: text is None or pd.isna(text) or "None" in text or text == "nan")
        assert not strange.any(axis=None)
        assert to_markdown(table).count("\n| ") == len(table.frame) + 2
        assert to_csv(table)
        assert to_html(table).startswith("<table")
    for draw in (figures_prompt_runs.invalid, figures_prompt_runs.cost, figures_prompt_runs.agreement):
        draw(some).draw_without_rendering()
    figures_prompt_runs.scores(material, some).draw_without_rendering()


def test_a_model_that_anybody_can_have_is_told_with_its_weights(some: Record) -> None:
    weights = {"publisher": "owner/tiny-GGUF", "quantisation": "Q4_K_M", "sha256": "ab" * 32}
    fields = {"weights": weights, "server": "llama-cpp-python 0.3.36", "seconds": 240.0, "timed": 200}
    fields["parameters"] = 494_032_768
    cell = some["cells"][0] | {"model": "tiny", "printed": None, "variant": "plain"} | fields
    cell["strict"] = cell["strict"] | {"constant": True, "rows": cell["test_rows"]}
    part = {"variant": "likelihood", "test_rows": 2629, "strict": cell["strict"] | {"rows": 200}}
    table = tables_prompt.local({"local": [cell, cell | {"variant": "structured"}, cell | part]})
    assert table.frame["Answers"].tolist() == ["free", "constrained decoding", "most likely label"]
    assert row(table, Answers="free")["Rows"] == f"{cell['test_rows']:,}"
    assert row(table, Answers="most likely label")["Rows"] == "200 of 2,629 (sample)"
    assert row(table, Answers="free")["Rows a minute"] == "50"
    assert row(table, Answers="free")["Parameters"] == "494,032,768"
    assert row(table, Answers="free")["One answer to all rows"] == "yes"
    sentence = "owner/tiny-GGUF (Q4_K_M, sha256 abababababab), served by llama-cpp-python 0.3.36."
    assert table.caption.count(sentence) == 1
    assert "Nothing is run yet" in tables_prompt.local({"local": []}).caption


def test_a_cell_asked_in_the_authors_words_says_so_and_how_they_read_its_replies(some: Record) -> None:
    assert "Prompts" not in tables_prompt.scores(some).frame
    cell = dict(some["cells"][0])
    theirs = {"count": 3, "rows": 200, "share": 0.015, "low": 0.0, "high": 0.04, "reasons": {"no answer": 3}}
    parts = {name: cell[name] | {"invalid_as_authors": theirs} for name in ("strict", "paper")}
    two_wordings = some | {"cells": [cell, cell | parts | {"name": "GPT-4o again", "wording": "authors"}]}
    table = tables_prompt.scores(two_wordings)
    assert table.frame["Prompts"].tolist() == ["in our words", "in the authors' words"]
    assert "ours where nothing else is said" in table.caption
    invalid = tables_prompt.invalid(two_wordings)
    assert row(invalid, System="GPT-4o again")["Invalid as the authors read"] == "3 of 200 (1.5 %)"
    assert row(invalid, System=cell["name"])["Invalid as the authors read"] == "-"


def test_what_stands_and_what_does_not(some: Record) -> None:
    assert tables_prompt.counted(some) == (
        "6 of 8 scores on tasks with data here are run. Partly: 1. Failed: 1. With other "
        "parameters, not shown: sentiment/gpt-4o-3-shot/strict-s7."
    )
    assert tables_prompt.how(some).startswith("The 2 scores take 400 requests.")
    assert list(tables_prompt.holes(some).frame["Why"]) == ["paper-s42 missing", "no answer."]
    assert tables_prompt.how(some | {"cells": some["cells"][:6]}) == "No score is missing."


def test_scores_of_both_protocols(some: Record) -> None:
    found = row(tables_prompt.scores(some), Task="sentiment", System="GPT-4o (zero-shot)")
    assert (found["Validation-selected"], found["Validation-selected, 95 %"], found["Authors' procedure"]) == (
        "0.6000",
        "0.550 to 0.650",
        "0.5500",
    )
    assert found["Invalid replies"] == "20 of 200 (10.0 %)"
    assert (found["Published"], found["Published in"]) == ("0.684", "authors' procedure")
    assert found["Validation-selected minus published"] == "-0.1230"
    half = row(tables_prompt.scores(some), Task="tone_bearing (part of the data)")
    assert (
        half["Validation-selected"],
        half["Authors' procedure"],
        half["Authors' procedure minus published"],
        half["Published in"],
    ) == (
        "0.6000",
        "-",
        "-",
        "neither",
    )


def test_invalid_replies_and_their_reasons(some: Record) -> None:
    found = row(tables_prompt.invalid(some), Task="sentiment", System="GPT-4o (zero-shot)")
    assert (found["Invalid"], found["Share"], found["95 % interval"]) == ("20", "10.0 %", "5.0 % to 15.0 %")
    assert found["Reasons"] == "outside the set 15; refusal 5"
    assert (found["Read otherwise by the authors' procedure"], found["Authors' procedure minus ours"]) == (
        "17",
        "-0.0500",
    )
    assert row(tables_prompt.invalid(some), Task="story_points", System="GPT-4o (3-shot)")["Reasons"] == "-"


def test_cost_counts_replies_once(some: Record) -> None:
    table = tables_prompt.cost(some)
    found = row(table, Task="sentiment", System="GPT-4o (zero-shot)")
    assert (found["USD"], found["USD per correct row, validation-selected"]) == ("0.5", "0.003333")
    assert found["USD per correct row, validation-selected, 95 %"] == "0.003 to 0.004"
    assert (
        row(table, Task="story_points", System="GPT-4o (3-shot)")["USD per correct row, validation-selected"]
        == "-"
    )
    assert (
        row(table, Task="tone_bearing (part of the data)")["USD per correct row, validation-selected, 95 %"]
        == "0.003 to -"
    )
    total = row(table, Task="all")
    assert (total["Requests"], total["USD"], total["Paid again"]) == ("1,400", "3.5", "7")


def test_agreement(some: Record) -> None:
    table = tables_prompt.agreement(some)
    found = row(table, Task="sentiment", Model="GPT-4o")
    assert (found["Share"], found["Share, 95 %"], found["Both valid"]) == ("84.7 %", "79.0 % to 89.0 %", "177")
    assert (found["Kappa"], found["Kappa, 95 %"]) == ("0.700", "0.600 to 0.800")
    assert found["Invalid: zero-shot, 3-shot, both"] == "20, 8, 5"
    assert (
        row(table, Task="story_points")["Kappa"],
        row(table, Task="tone_bearing (part of the data)")["Share"],
    ) == (
        "-",
        "-",
    )
    assert len(table.frame) == 4


def test_figures_show_each_number_with_its_interval(material: Material, some: Record) -> None:
    left = figures_prompt_runs.invalid(some).axes[0]
    points = {
        (line.get_xdata()[0], round(line.get_ydata()[0])) for line in left.lines if len(line.get_xdata()) == 1
    }
    assert points == {(0.1, 0), (0.05, 0), (0.2, -1), (0.0, -1), (0.1, -2)}
    bounds = {tuple(line.get_xdata()) for line in left.lines if len(line.get_xdata()) == 2}
    assert bounds == {(0.05, 0.15)}
    assert [label.get_text() for label in left.get_yticklabels()] == [
        "sentiment", "story points", "tone bearing (part of the data)",
    ]  # fmt: skip
    cost = figures_prompt_runs.cost(some)
    assert {axes.get_xscale() for axes in cost.axes} == {"log"}
    unbounded = [line for line in cost.axes[0].lines if line.get_marker() == ">"]
    assert [line.get_xdata()[0] for line in unbounded] == [cost.axes[0].get_xlim()[1]]
    kappa = [line for line in figures_prompt_runs.agreement(some).axes[1].lines if line.get_marker() == "^"]
    assert [line.get_xdata()[0] for line in kappa] == [-0.1]
    mine = [
        line for line in figures_prompt_runs.scores(material, some).axes[0].lines if line.get_marker() == "d"
    ]
    assert [line.get_xdata()[0] for line in mine] == [0.6] * 5
