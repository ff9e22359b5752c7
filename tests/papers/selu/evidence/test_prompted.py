"""Part ``prompted`` of the report, over runs that the local server answered."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from sklearn.metrics import cohen_kappa_score

sys.path.append(str(Path(__file__).parents[3] / "systems" / "prompt"))

from api_rules import tokens
from api_server import Server

from helpers import asking, made_runs
from helpers import small_project as small
from helpers.asking import KEYS, at_home
from helpers.read_once import read_once
from selu import registry
from selu.app import report
from selu.app.running.run import run as run_wanted
from selu.evidence.evidence import Evidence
from selu.execution import plans
from selu.execution.planned import Planned, Wanted
from selu.execution.prompt import prompts as showing
from selu.papers.selu.evidence import prompted
from selu.papers.selu.evidence.agreement import both_answers
from selu.papers.selu.reruns import sizes, wording
from selu.papers.selu.tables import prompt as tables_prompt
from selu.registry import load
from selu.runs import record
from selu.stats.agreement import share
from selu.vocabulary import SeluError

TASKS = (small.BINARY, small.CLASSES, small.LABELS, small.NUMBER)
ZERO, FEW = "gpt-4o-zero-shot", "gpt-4o-3-shot"
SYSTEMS = (ZERO, "claude-3.7-zero-shot", FEW, "claude-3.7-3-shot")
LEFT = ("claude-3.7-3-shot", small.CLASSES)  # one of two shots, of which the other is run
RAN = [  # cells of the full project
    (task, system)
    for task in (small.BINARY, small.CLASSES, small.LABELS, small.NUMBER)
    for system in SYSTEMS
    if (system, task) != LEFT and (system in (ZERO, FEW) or task in (small.CLASSES, small.NUMBER))
]
NONE = "not run: it needs a key and money"
SORRY = "I'm sorry, but I can't help with that."  # no answer to anyone
HEDGED = "I would say nonsec, or else sec"  # "nonsec" to the authors, no answer to us
YES_NO = {"n": "nonsec", "s": "sec", "h": HEDGED, "r": SORRY}
REPLIES = {  # per task what is said of its twelve test rows without shots, and with them
    small.BINARY: ([YES_NO[each] for each in "nsnshrnnssnn"], [YES_NO[each] for each in "nnnsshhnsnsn"]),
    small.CLASSES: (["neutral", "positive", "both", "negative"] * 3, ["neutral", "neutral", "negative"] * 4),
    small.LABELS: (
        ["Usage", "none", "Usage, Summary", "Usage or not"] * 3,
        ["none", "none", "Summary, Usage"] * 4,
    ),
    small.NUMBER: (["2.5", "5", "about three", "8", "3", "1"] * 2, ["3", "5", "5", "none", "2", "3"] * 2),
}
TEXTS = {task: small.table(small.task(task))["text"].tolist()[::5] for task in TASKS}
PLACES = {text: (task, number) for task in TASKS for number, text in enumerate(TEXTS[task])}
HOME = {"provider": "compatible", "model": "tiny", "context": 4096, "base_url": "http://127.0.0.1:9/v1"}


def answer(prompt: str) -> str:
    """What is said to the row whose text ends the prompt, without or with shots."""
    found = [place for place in PLACES if prompt.endswith(place)]
    task, number = PLACES[max(found, key=len)]
    return REPLIES[task]["EXAMPLE" in prompt][number]


@pytest.fixture(scope="module", autouse=True)
def reading() -> Iterator[None]:
    with read_once():
        yield


@pytest.fixture(scope="module")
def keys() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name, key in KEYS.items():
            patch.setenv(name, key)
        yield


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = asking.make(tmp_path_factory.mktemp("made") / "project", TASKS)
    small.add_paper(made, TASKS)
    return made


@pytest.fixture(scope="module")
def full(empty: Path, keys: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cells of four tasks are run."""
    made = Path(shutil.copytree(empty, tmp_path_factory.mktemp("filled") / "project"))
    with Server(answer) as server:
        small.alter(made, lambda p: at_home(p["prompt"], server.openai_url, server.url))
        for task in TASKS:
            systems = [system for ran_task, system in RAN if ran_task == task]
            run_wanted(made, Wanted((task,), systems), "missing", None, lambda _: None)
    return made


@pytest.fixture
def filled(full: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(full, tmp_path / "project"))


@pytest.fixture(scope="module")
def collected(full: Path) -> dict[str, Any]:
    return prompted.collect(Evidence(full))


def cell(found: dict[str, Any], task: str, system: str) -> dict[str, Any]:
    (entry,) = [each for each in found["cells"] if (each["task"], each["system"]) == (task, system)]
    return dict(entry)


def agreement(found: dict[str, Any], task: str, model: str) -> dict[str, Any]:
    (entry,) = [each for each in found["agreements"] if (each["task"], each["model"]) == (task, model)]
    return dict(entry)


def runs(root: Path, task: str, system: str) -> dict[str, Planned]:
    return {run.protocol: run for run in plans.plan(root, Wanted((task,), (system,)))}


def table(run: Planned, name: str) -> dict[str, list[Any]]:
    return dict(pq.read_table(run.folder / name).to_pydict())


# -- without any run ---------------------------------------------------------------------------------------


def test_without_any_run_each_cell_is_a_hole_with_its_name(empty: Path) -> None:
    found = prompted.collect(Evidence(empty))
    assert [(entry["task"], entry["system"]) for entry in found["cells"]] == [
        (task.id, system) for task in registry.tasks("selu") for system in SYSTEMS
    ]
    material = load(empty, "selu")
    for entry in found["cells"]:
        task = small.task(entry["task"])
        if not task.ranked:
            assert (entry["state"], entry["printed"]) == ("absent by design", None)
            assert "classification and regression tasks only" in entry["reason"]
        else:
            assert float(entry["printed"]) == material.scores[entry["system"]][task.id]
            expected = ("missing", NONE, 12) if task.id in TASKS else ("no data", entry["reason"], None)
            assert (entry["state"], entry["reason"], entry["test_rows"]) == expected
    assert {(entry["task"], entry["model"]) for entry in found["agreements"]} == {
        (task, model) for task in TASKS for model in ("GPT-4o", "Claude 3.7")
    }
    assert {entry["state"] for entry in found["agreements"]} == {"missing"}
    assert agreement(found, small.BINARY, "GPT-4o")["reason"] == (
        "it takes the strict runs of both, and gpt-4o-zero-shot and gpt-4o-3-shot has none"
    )
    assert found["others"] == []
    assert found["asked"] == {
        "temperature": 0.0,
        "max_tokens": 50,
        "seed": 42,
        "variant": "plain",
        "priced": "2025-05",
    }


def test_models_that_params_name_are_there_and_those_it_does_not_are_named(empty: Path, tmp_path: Path) -> None:
    made = Path(shutil.copytree(empty, tmp_path / "project"))
    small.alter(made, lambda p: p["prompt"].update(models={"tiny": HOME}))
    found = prompted.collect(Evidence(made))
    assert len(found["cells"]) == 22 * 6
    tiny = cell(found, small.BINARY, "tiny-3-shot")
    assert (tiny["reason"], tiny["printed"], tiny["model"]) == ("not run: it needs its server", None, "tiny")
    assert cell(found, small.BINARY, ZERO)["reason"] == "params.yaml names no such model"
    assert {entry["model"] for entry in found["agreements"]} == {"tiny"}
    small.alter(made, lambda p: p["prompt"].update(models={}))
    assert prompted.collect(Evidence(made))["agreements"] == []


def test_models_that_anybody_can_have_stand_apart(empty: Path, tmp_path: Path) -> None:
    made = Path(shutil.copytree(empty, tmp_path / "project"))
    with Server(answer) as server:
        server.openai_key, server.openai.models = "none", {"tiny": "tiny"}
        local = HOME | {"provider": "local", "base_url": server.openai_url}
        small.alter(made, lambda p: p["prompt"]["models"].update(tiny=local))
        before = prompted.collect(Evidence(made))
        run_wanted(made, Wanted((small.BINARY,), ("tiny-zero-shot",)), "missing", None, lambda _: None)
    found = prompted.collect(Evidence(made))
    assert before["local"] == []
    assert found | {"local": []} == before  # what is said of the paper's systems stays as it was
    (entry,) = found["local"]
    assert (entry["task"], entry["system"], entry["variant"]) == (small.BINARY, "tiny-zero-shot", "plain")
    assert (entry["printed"], entry["weights"], entry["strict"]["rows"]) == (None, None, 12)
    assert entry["seconds"] > 0
    table = tables_prompt.local(found)
    assert table.frame["Model"].tolist() == ["tiny"]
    assert "None" not in table.caption + table.frame.to_string()


@pytest.mark.ci
def test_models_of_two_sizes_are_compared_on_the_same_rows(empty: Path, tmp_path: Path) -> None:
    made = Path(shutil.copytree(empty, tmp_path / "project"))
    pins = made / "data" / "pins" / "models"
    pins.mkdir(parents=True)

    def declare(name: str, server: Server, parameters: int) -> None:
        server.openai_key, server.openai.models = "none", {"tiny": "tiny"}
        file = {"name": "tiny.gguf", "sha256": "ab" * 32, "bytes": parameters}
        pin = {"model": name, "publisher": f"owner/{name}", "revision": None, "licence": "MIT"}
        weights = {"parameters": parameters, "quantisation": "Q4_1", "files": [file]}
        (pins / f"{name}.yaml").write_text(yaml.safe_dump(pin | weights))
        local = HOME | {"provider": "local", "base_url": server.openai_url, "weights": name}
        small.alter(made, lambda p: p["prompt"]["models"].update({name: local}))

    with Server(answer) as server, Server(lambda _: "sec") as other:
        declare("large", server, 2_000_000)
        declare("less", other, 1_000_000)
        systems = ("large-zero-shot", "large-3-shot", "less-zero-shot")
        run_wanted(made, Wanted((small.BINARY,), systems), "missing", None, lambda _: None)
    found = prompted.collect(Evidence(made))
    scores = {entry["system"]: entry["strict"]["value"] for entry in found["local"]}
    (difference,) = found["sizes"]  # with examples one of them was asked alone
    assert (difference["system"], difference["beside"]) == ("large-zero-shot", "less-zero-shot")
    assert difference["rows"] == 12
    assert difference["value"] == pytest.approx(scores["large-zero-shot"] - scores["less-zero-shot"]) != 0
    assert difference["low"] <= difference["value"] <= difference["high"]
    assert sizes.concluded(found).startswith("The larger of two small open models scores higher in 1 of 1")
    shown = sizes.table(found).frame
    assert (shown["Examples"].tolist(), shown["Smaller"].tolist()) == (["0"], ["less-zero-shot"])
    legend = sizes.figure(found).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["less, 1M", "large, 2M"]


def test_a_cell_in_the_authors_words_stands_beside_the_published_score(
    empty: Path, tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Path(shutil.copytree(empty, tmp_path / "project"))
    monkeypatch.setenv("SELU_PREDICTIONS", str(asking.put_package(made, tmp_path / "package")))
    theirs = "gpt-4o-authors-zero-shot"

    def reply(prompt: str) -> str:
        return "sec" if prompt == f"Say it. {TEXTS[small.BINARY][0]}" else answer(prompt)

    with Server(reply) as server:
        at_home_too = {"base_url": server.openai_url}
        small.alter(made, lambda p: at_home(p["prompt"], server.openai_url, server.url))
        small.alter(made, lambda p: p["prompt"]["models"]["gpt-4o-authors"].update(at_home_too))
        before = prompted.collect(Evidence(made))
        run_wanted(made, Wanted((small.BINARY,), (theirs,)), "missing", None, lambda _: None)
        found = prompted.collect(Evidence(made))
        run_wanted(made, Wanted((small.BINARY,), (ZERO,)), "missing", None, lambda _: None)
    entry = cell(found, small.BINARY, theirs)
    assert [each for each in found["cells"] if each["system"] != theirs] == before["cells"]
    assert entry["printed"] == cell(found, small.BINARY, ZERO)["printed"]
    assert (entry["wording"], entry["strict"]["rows"]) == ("authors", 12)
    replies = [reply(f"Say it. {text}") for text in TEXTS[small.BINARY]]
    assert {HEDGED, SORRY} <= set(replies)
    assert entry["strict"]["invalid"]["count"] == replies.count(HEDGED) + replies.count(SORRY)
    # "sec" occurs in what is hedged
    assert entry["strict"]["invalid_as_authors"]["count"] == replies.count(SORRY)
    assert entry["paper"]["counted_invalid"] == replies.count(SORRY)
    assert found["wordings"] == []
    with_ours = prompted.collect(Evidence(made))
    strict = next(entry for entry in with_ours["wordings"] if entry["what"] == "strict")
    assert len(with_ours["wordings"]) == 2
    assert (strict["system"], strict["beside"], strict["rows"]) == (theirs, ZERO, 12)
    scores = [cell(with_ours, small.BINARY, system)["strict"]["value"] for system in (theirs, ZERO)]
    assert strict["value"] == pytest.approx(scores[0] - scores[1]) != 0
    assert strict["low"] <= strict["value"] <= strict["high"]
    shown = wording.authors_table(with_ours["wordings"]).frame
    assert shown["Read by"].tolist() == ["authors' procedure", "validation-selected"]


# -- with runs ---------------------------------------------------------------------------------------------


@pytest.mark.ci
def test_with_runs_the_record_is_the_same_bytes_and_holds_no_text(full: Path, tmp_path: Path) -> None:
    made = Path(shutil.copytree(full, tmp_path / "project"))
    shutil.rmtree(made / "data" / "clean")
    shutil.rmtree(made / ".selu")
    (path,) = list(report.make(made, ["prompted"], lambda _: None))
    content = path.read_bytes()
    list(report.make(made, ["prompted"], lambda _: None))
    assert path.read_bytes() == content
    text = content.decode()
    assert str(made) not in text
    for task in TASKS:
        assert not any(row in text for row in small.table(small.task(task))["text"])
        for run in runs(full, task, ZERO).values():
            replies = {reply for reply in table(run, "replies.parquet")["reply"] if reply and " " in reply}
            assert not any(reply in text for reply in replies)


@pytest.mark.ci
def test_states_and_what_files_say(full: Path, collected: dict[str, Any]) -> None:
    for task in TASKS:
        for system in SYSTEMS:
            entry = cell(collected, task, system)
            if (task, system) not in RAN:
                assert (entry["state"], entry["reason"], entry["readings"]) == ("missing", NONE, None)
                continue
            assert (entry["state"], entry["reason"], entry["test_rows"]) == ("present", None, 12)
            for protocol, run in runs(full, task, system).items():
                content, scores = record.read_run(run.folder), record.read_scores(run.folder)
                found, turn = entry[protocol], (lambda x: 1 - x) if task == small.NUMBER else (lambda x: x)
                assert found["value"] == pytest.approx(turn(scores["value"]))
                assert found["low"] <= found["value"] <= found["high"]
                reasons = [reason for reason in table(run, "replies.parquet")["reason"] if reason]
                assert found["invalid"]["count"] == len(reasons)
                assert found["invalid"]["reasons"] == {
                    name: reasons.count(name) for name in sorted(set(reasons))
                }
                assert found["cost"]["usd"] == content["cost"]["usd"] > 0
                assert found["minus_printed"] == pytest.approx(found["value"] - float(entry["printed"]))
                assert found["answered_by"] == [run.fields["model"]["snapshot"]]
                assert (
                    (found["correct"] is None) == (found["usd_per_correct"] is None) == (task == small.NUMBER)
                )
    missing = agreement(collected, small.CLASSES, "Claude 3.7")
    assert missing["reason"] == "it takes the strict runs of both, and claude-3.7-3-shot has none"


@pytest.mark.ci
@pytest.mark.parametrize("shots", [0, 3])
def test_every_number_of_a_cell_by_hand(full: Path, collected: dict[str, Any], shots: int) -> None:
    task, replies = small.task(small.BINARY), REPLIES[small.BINARY][shots > 0]
    found = cell(collected, task.id, FEW if shots else ZERO)
    truth = small.table(task)["label"].tolist()[::5]
    read = {"nonsec": (0, 0), "sec": (1, 1), SORRY: (-1, -1), HEDGED: (0, -1)}  # by paper, by strict
    prompts = [text for _, text in showing.requests_of(full, task, shots)]
    asked, answered = sum(map(tokens, prompts)), sum(map(tokens, replies))
    usd = (asked * 2.5 + answered * 10) / 1e6 / 2  # batches
    for number, protocol in enumerate(("paper", "strict")):
        answers, part = [read[text][number] for text in replies], found[protocol]
        correct = sum(a == b for a, b in zip(truth, answers, strict=True))
        of_class = [2 * hits / (asked_for + given_as) for hits, asked_for, given_as in counts(truth, answers)]
        assert part["value"] == pytest.approx(sum(of_class) / 2)
        assert part["minus_printed"] == pytest.approx(part["value"] - (0.907 if shots else 0.887))
        refused = dict(part["invalid"])
        why = {"outside the set": 2} if shots else {"outside the set": 1, "refusal": 1}
        assert refused.pop("reasons") == why
        assert refused == pytest.approx(share(2, 12, 0.95))
        assert part["counted_invalid"] == (2 if protocol == "strict" else 0 if shots else 1)
        assert part["cost"] == {
            "requests": 12,
            "asked_tokens": asked,
            "answered_tokens": answered,
            "usd": pytest.approx(usd),
            "paid_again": 0,
        }
        low, high = share(correct, 12, 0.95)["low"], share(correct, 12, 0.95)["high"]
        assert part["correct"] == correct
        assert part["usd_per_correct"] == pytest.approx(
            {"value": usd / correct, "low": usd / (12 * high), "high": usd / (12 * low)}
        )
    assert found["readings"]["apart"] == pytest.approx(share(2 if shots else 1, 12, 0.95))
    difference = found["paper"]["value"] - found["strict"]["value"]
    assert found["readings"]["paper_minus_strict"] == pytest.approx(difference)


def counts(truth: list[int], answers: list[int]) -> list[tuple[int, int, int]]:
    """Of each class its hits, rows and answers."""
    pairs = list(zip(truth, answers, strict=True))
    return [(pairs.count((label, label)), truth.count(label), answers.count(label)) for label in (0, 1)]


def test_an_agreement_by_hand(collected: dict[str, Any]) -> None:
    """Nine rows have two valid answers, six of them the same; kappa is (6/9 - 42/81) / (1 - 42/81)."""
    entry = agreement(collected, small.BINARY, "GPT-4o")
    assert entry["same"] == pytest.approx(share(6, 9, 0.95))
    assert entry["kappa"]["value"] == pytest.approx(4 / 13)
    assert (entry["what"], entry["rows"]) == ("the same answer", 12)
    assert (entry["invalid_zero_shot"], entry["invalid_few_shot"], entry["invalid_both"]) == (2, 2, 1)
    assert (entry["zero_shot"], entry["few_shot"]) == (
        f"{small.BINARY}/{ZERO}/strict-s42",
        f"{small.BINARY}/{FEW}/strict-s42",
    )


def test_numbers_agree_within_a_point(collected: dict[str, Any]) -> None:
    entry = agreement(collected, small.NUMBER, "Claude 3.7")
    assert (entry["what"], entry["kappa"]) == ("within 1 point", None)
    assert (entry["same"]["count"], entry["same"]["rows"], entry["rows"]) == (6, 8, 12)
    assert (entry["invalid_zero_shot"], entry["invalid_few_shot"], entry["invalid_both"]) == (2, 2, 0)


def test_label_sets_agree_as_a_whole_and_in_any_order(collected: dict[str, Any]) -> None:
    entry = agreement(collected, small.LABELS, "GPT-4o")
    zero, few = ([frozenset(text.split(", ")) for text in replies] for replies in REPLIES[small.LABELS])
    pairs = [(a, b) for a, b in zip(zero, few, strict=True) if a != frozenset(["Usage or not"])]
    assert (entry["same"]["count"], entry["same"]["rows"]) == (sum(a == b for a, b in pairs), 9)
    names = [[" ".join(sorted(labels)) for labels in side] for side in zip(*pairs, strict=True)]
    assert entry["kappa"]["value"] == pytest.approx(cohen_kappa_score(*names))


def test_a_stale_run_is_no_hole_and_runs_of_other_parameters_are_named(full: Path, filled: Path) -> None:
    small.alter(filled, lambda p: p["prompt"].update(max_tokens=60))
    with pytest.raises(SeluError, match=r"runs can't be used, first .*\(stale\): 'selu run' fixes them"):
        prompted.collect(Evidence(filled))
    small.alter(filled, lambda p: p["prompt"].update(max_tokens=50, seed=43))
    found = prompted.collect(Evidence(filled))
    assert {entry["state"] for entry in found["cells"]} == {"missing", "no data", "absent by design"}
    assert len(found["others"]) == 2 * len(RAN)
    assert f"{small.BINARY}/{ZERO}/strict-s42" in found["others"]
    assert prompted.collect(Evidence(full))["others"] == []


# -- what went wrong ---------------------------------------------------------------------------------------


def test_failed_runs_say_why(filled: Path) -> None:
    for protocol in ("paper", "strict"):
        run = runs(filled, small.LABELS, FEW)[protocol]
        shutil.rmtree(run.folder)
        made_runs.fail(run, "the prompt of row p000005 has too many tokens.")
    shutil.rmtree(runs(filled, small.BINARY, FEW)["paper"].folder)
    left = runs(filled, *reversed(LEFT))["strict"]
    made_runs.fail(left, "it does not go.")
    found = prompted.collect(Evidence(filled))
    failed = cell(found, small.LABELS, FEW)
    assert failed["state"] == "failed"
    assert failed["reason"] == (
        "paper-s42 failed, strict-s42 failed; the prompt of row p000005 has too many tokens."
    )
    part = cell(found, small.BINARY, FEW)
    assert (part["state"], part["reason"], part["readings"]) == ("partly", "paper-s42 missing", None)
    assert part["strict"]["value"] is not None
    assert agreement(found, small.BINARY, "GPT-4o")["state"] == "present"
    none = cell(found, *reversed(LEFT))
    assert (none["state"], none["reason"]) == (
        "failed",
        "paper-s42 missing, strict-s42 failed; it does not go.",
    )
    assert agreement(found, small.LABELS, "GPT-4o")["reason"].endswith("and gpt-4o-3-shot has none")


def test_a_cell_without_any_valid_number_failed_and_says_so(empty: Path, keys: None, tmp_path: Path) -> None:
    made = Path(shutil.copytree(empty, tmp_path / "project"))
    wanted = Wanted((small.NUMBER,), (ZERO,))
    with Server(lambda prompt: "about three") as server:
        small.alter(made, lambda p: at_home(p["prompt"], server.openai_url, server.url))
        with pytest.raises(SeluError, match="1 of 2 runs failed"):
            run_wanted(made, wanted, "missing", None, lambda _: None)
        assert run_wanted(made, wanted, "missing", None, lambda _: None) == []
    found = cell(prompted.collect(Evidence(made)), small.NUMBER, ZERO)
    assert found["state"] == "partly"
    assert found["reason"] == (
        f"strict-s42 failed; none of the 12 replies to {small.NUMBER}/{ZERO}/strict-s42 holds a number, so it "
        "has no score."
    )
    assert found["paper"]["value"] == -1
    assert found["paper"]["invalid"]["reasons"] == {"not a number": 12}


def test_runs_of_other_rows_are_not_compared(filled: Path) -> None:
    run = runs(filled, small.BINARY, FEW)["strict"]
    content, scores = record.read_run(run.folder), record.read_scores(run.folder)
    kept = {name: (run.folder / name).read_bytes() for name in content.pop("files")}
    old = table(run, record.PREDICTIONS)
    pq.write_table(pa.table({**old, "id": [f"x{id}" for id in old["id"]]}), run.folder / "other")
    kept[record.PREDICTIONS] = (run.folder / "other").read_bytes()
    record.write_run(run.folder, kept, content)
    record.write_scores(
        run.folder, {**scores, "predictions": record.read_run(run.folder)["files"][record.PREDICTIONS]}
    )
    with pytest.raises(SeluError, match="answers other rows than the split's test rows: run it again"):
        prompted.collect(Evidence(filled))
    registry.rows_of(filled, small.BINARY).unlink()
    with pytest.raises(SeluError, match="answer other rows: run both again"):
        prompted.collect(Evidence(filled))


def test_a_smaller_sample_is_compared_on_the_rows_of_both() -> None:
    seen: Any = SimpleNamespace(answers=lambda run: run.found)
    large: Any = SimpleNamespace(name="large", found={"a": 0, "b": 1, "c": 1})
    less: Any = SimpleNamespace(name="less", found={"c": 1, "a": -1})
    assert both_answers(seen, large, less) == [(0, None), (1, 1)]
    assert both_answers(seen, less, large) == [(1, 1), (None, 0)]
    less.found["d"] = 0
    with pytest.raises(SeluError, match="large and less answer other rows: run both again"):
        both_answers(seen, large, less)
