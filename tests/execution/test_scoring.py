from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sklearn.metrics import accuracy_score, f1_score

import selu
from helpers import made_runs, planning
from helpers import small_project as small
from selu import registry
from selu.execution import protocols, results, runner
from selu.execution.plans import Planned, Wanted, plan
from selu.metrics import further
from selu.runs import record
from selu.systems.baseline.settings import BootstrapSettings
from selu.vocabulary import Kind, SeluError

TASKS = (small.BINARY, small.CLASSES, small.LABELS, small.NUMBER)
WANTED = Wanted(tasks=TASKS, systems=("fasttext",), protocols=("paper",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Runs with made-up answers, a fifth of them wrong."""
    root = small.make(tmp_path / "project", TASKS, alike=True)
    for planned_run in plan(root, WANTED):
        made_runs.write(root, planned_run, results.read_rows(root, planned_run), wrong=0.2)
    return root


def one_of(root: Path, task: str) -> Planned:
    return next(planned_run for planned_run in plan(root, WANTED) if planned_run.task.id == task)


def test_scores_are_those_of_the_predictions(project):
    planned_run = one_of(project, small.CLASSES)
    rows = results.read_rows(project, planned_run)
    test = rows[rows["part"] == "test"]
    answers = results.read_answers(planned_run.folder, rows)
    scores = record.read_scores(planned_run.folder)
    truth = test["label"].tolist()
    f1 = f1_score(truth, answers, labels=range(3), average="macro", zero_division=0)
    assert scores["scores"]["f1_macro"] == scores["value"] == f1
    assert scores["scores"]["accuracy"] == accuracy_score(truth, answers)
    assert scores["rows"] == len(truth) == 12
    kept = (test["grouped"] == "test").tolist()
    assert scores["grouped"]["rows"] == sum(kept) < len(kept)
    only = [[value for value, keep in zip(values, kept, strict=True) if keep] for values in (truth, answers)]
    assert scores["grouped"]["value"] == f1_score(*only, labels=range(3), average="macro", zero_division=0)
    low, high = scores["intervals"]["f1_macro"]["low"], scores["intervals"]["f1_macro"]["high"]
    assert 0 <= low <= f1 <= high <= 1
    assert low < high


def test_every_kind_has_its_intervals(project):
    names = {}
    for planned_run in plan(project, WANTED):
        scores = record.read_scores(planned_run.folder)
        beside = further.FURTHER.get(planned_run.task.kind, {})
        names[planned_run.task.id] = (
            scores["metric"],
            *(name for name in scores["intervals"] if name not in beside),
        )
        assert beside.keys() <= scores["intervals"].keys() & scores["scores"].keys()
        assert scores["bootstrap"] == {"draws": 200, "seed": 42, "level": 0.95}
        assert scores["constant"] is False
    assert names == {
        small.BINARY: ("f1_macro", "f1_macro", "accuracy"),
        small.CLASSES: ("f1_macro", "f1_macro", "accuracy"),
        small.LABELS: ("f1_macro", "f1_macro", "f1_micro"),
        small.NUMBER: ("smape", "smape", "mae"),
    }


def answer_one(planned_run: Planned, ids: list[str]) -> None:
    """Have the run answer 1 to these rows."""
    run = record.read_run(planned_run.folder)
    content = protocols.to_parquet(ids, [1] * len(ids), planned_run.task.kind)
    fields = {name: run[name] for name in ("state", "identity", "fields")}
    record.write_run(planned_run.folder, {record.PREDICTIONS: content}, fields)


def test_one_answer_everywhere_is_said_and_answers_to_other_rows_are_refused(project):
    first = one_of(project, small.BINARY)
    rows = results.read_rows(project, first)
    ids = rows.loc[rows["part"] == "test", "id"].tolist()
    answer_one(first, ids)
    results.score_run(project, first, rows)
    assert record.read_scores(first.folder)["constant"] is True
    for second in (ids[::-1], ids[:-1], [*ids[:-1], "p999999"]):
        answer_one(first, second)
        with pytest.raises(SeluError, match="answers other rows than the split's test rows: run it again"):
            results.score_run(project, first, rows)


def test_the_command_scores_without_a_fit_and_gives_the_same_bytes(project):
    before = {
        planned_run.name: (planned_run.folder / record.SCORES).read_bytes()
        for planned_run in plan(project, WANTED)
    }
    stay = {
        planned_run.name: (planned_run.folder / record.RUN).stat().st_mtime_ns
        for planned_run in plan(project, WANTED)
    }
    for planned_run in plan(project, WANTED):
        (planned_run.folder / record.SCORES).unlink()
    words = [word for task in TASKS for word in ("--task", task)]
    code, out, errors = small.done(project, "score", "--system", "fasttext", "--protocol", "paper", *words)
    assert code == 0, errors
    assert len(out.splitlines()) == len(before)
    for planned_run in plan(project, WANTED):
        assert (planned_run.folder / record.SCORES).read_bytes() == before[planned_run.name]
        assert (planned_run.folder / record.RUN).stat().st_mtime_ns == stay[planned_run.name]
    assert not (project / ".selu").exists()


def test_scores_are_current_until_a_setting_of_theirs_changes(project):
    planned_run = one_of(project, small.BINARY)
    assert results.has_scores(project, planned_run)
    for setting, value in (("draws", 300), ("seed", 1), ("level", 0.9)):
        small.alter(project, lambda p, setting=setting, value=value: p["bootstrap"].update({setting: value}))
        assert not results.has_scores(project, planned_run)
        results.score_run(project, planned_run, results.read_rows(project, planned_run))
        assert results.has_scores(project, planned_run)
    small.alter(project, lambda p: p["statistics"].update(draws=7), "selu")
    assert results.has_scores(project, planned_run)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to be changed."""
    copy = tmp_path / "copy" / "selu"
    shutil.copytree(Path(selu.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_a_metric_makes_the_scores_of_its_kinds_out_of_date(package, monkeypatch):
    monkeypatch.setattr(selu, "__file__", str(package / "__init__.py"))
    settings = BootstrapSettings(200, 42, 0.95)
    before = {kind: results.made_with(settings, kind, ()) for kind in Kind}
    assert len(set(before.values())) == len(before) - 1  # binary and multi-class are scored alike
    (package / "metrics" / "ndcg.py").write_text("")  # which no score hangs on
    classes = {Kind.BINARY, Kind.MULTI_CLASS}
    for name, function, kinds in (
        ("entities", "_spans", {Kind.ENTITIES}),
        ("classification", "table", classes),
        ("multi_label", "checked", {Kind.MULTI_LABEL}),
        ("counts", "terms", set(Kind) - {Kind.REGRESSION}),
        ("measured", "_constant", set(Kind)),
        ("checks", "same_length", set(Kind)),
        ("percentiles", "bounds", set(Kind)),
        ("regression", "loss", {Kind.REGRESSION}),
    ):
        path = package / "metrics" / f"{name}.py"
        text = path.read_text()
        path.write_text(f"# a comment\n{text}")
        assert {kind: results.made_with(settings, kind, ()) for kind in Kind} == before
        path.write_text(f"{text}\n\ndef added(truth, predicted):\n    return terms(truth)\n")
        assert {
            kind: results.made_with(settings, kind, ()) for kind in Kind
        } == before  # a metric that none has yet
        path.write_text(planning.with_statement(text, function))
        assert {kind for kind in Kind if results.made_with(settings, kind, ()) != before[kind]} == kinds
        path.write_text(text)


def test_a_further_metric_leaves_scores_up_to_date_until_they_have_it(package, monkeypatch, project):
    """Else a metric that somebody adds would make hundreds of stored scores out of date."""
    planned_run = one_of(project, small.BINARY)
    rows = results.read_rows(project, planned_run)
    with monkeypatch.context() as patched:
        patched.setattr(further, "FURTHER", {})
        results.score_run(project, planned_run, rows)
    assert "mcc" not in record.read_scores(planned_run.folder)["scores"]
    assert results.has_scores(project, planned_run)
    results.score_run(project, planned_run, rows)
    assert "mcc" in record.read_scores(planned_run.folder)["scores"]
    assert results.has_scores(project, planned_run)

    monkeypatch.setattr(selu, "__file__", str(package / "__init__.py"))
    for name, before, after in (
        ("by_rows", "np.empty(resampling.draws)", "np.zeros(resampling.draws)"),
        ("correlation", "return 0.0", "return 1.0"),
    ):
        assert results.has_scores(project, planned_run)
        module = package / "metrics" / f"{name}.py"
        text = module.read_text()
        module.write_text(text.replace(before, after))
        assert not results.has_scores(project, planned_run)
        module.write_text(text)
    module.write_text(text.replace(before, after))
    with monkeypatch.context() as patched:
        patched.setattr(further, "FURTHER", {})
        results.score_run(project, planned_run, rows)
    assert results.has_scores(project, planned_run)


def test_without_rows_old_scores_stay_and_the_command_says_what_lacks(project):
    planned_run = one_of(project, small.BINARY)
    (project / "data" / "clean" / "selu" / f"{small.BINARY}.parquet").unlink()
    before = (planned_run.folder / record.SCORES).read_bytes()
    small.alter(project, lambda p: p["bootstrap"].update(draws=300))
    assert runner.score(project, [planned_run], print) == []
    assert (planned_run.folder / record.SCORES).read_bytes() == before
    code, _, errors = small.done(
        project, "score", "--task", small.BINARY, "--system", "fasttext", "--protocol", "paper"
    )
    assert code == 1
    assert errors[-1].startswith(f"selu: {small.BINARY} has no prepared rows here: run 'selu prepare")


@pytest.mark.ci
@pytest.mark.parametrize("harm", ["missing", "damaged", "stale"])
def test_a_run_that_cant_be_scored_is_an_error(harm, project):
    """With exit code 0 a script would go on with the scores of before, or none."""
    planned_run = one_of(project, small.BINARY)
    if harm == "missing":
        shutil.rmtree(planned_run.folder)
    elif harm == "damaged":
        (planned_run.folder / record.PREDICTIONS).write_bytes(b"PAR1")
    else:
        run = record.read_run(planned_run.folder)
        made = {record.PREDICTIONS: (planned_run.folder / record.PREDICTIONS).read_bytes()}
        fields = {name: run[name] for name in ("state", "fields")}
        record.write_run(planned_run.folder, made, fields | {"identity": "0" * 64})
    words = ("--task", small.BINARY, "--task", small.CLASSES, "--system", "fasttext", "--protocol", "paper")
    other = one_of(project, small.CLASSES).folder / record.SCORES
    other.unlink()
    code, _, errors = small.done(project, "score", *words)
    assert code == 1
    assert other.is_file()
    assert errors[-1].startswith(f"selu: {planned_run.folder}")
    what = {"missing": "holds no run", "damaged": "is damaged", "stale": "is of another run than asked for"}
    assert what[harm] in errors[-1]
    assert f"'selu run --task {small.BINARY} --system fasttext'" in errors[-1]
    assert not any("Traceback" in line for line in errors)


def test_without_a_filter_the_runs_that_are_here_are_scored(project):
    """Most runs of the plan cost hours: that they were never made is no failure of those that were.

    Those of a system that is only run when it is named are scored as well.
    """
    named = plan(project, Wanted(tasks=TASKS[:1], systems=("gpt-4o-zero-shot",)))[0]
    made_runs.write(project, named, results.read_rows(project, named), wrong=0.2)
    for task in registry.tasks("selu"):
        if task.id not in TASKS and task.ranked:
            small.put(project, task.id, availability="synthetic")
    code, out, errors = small.done(project, "score")
    assert code == 0, errors
    assert len(out.splitlines()) == len(TASKS) + 1
    assert f"wrote {named.folder / record.SCORES}" in out.splitlines()
    shutil.rmtree(named.folder)
    results.write_failure(named, "its memory was too small.")
    _, out, errors = small.done(project, "score")
    assert len(out.splitlines()) == len(TASKS)
    total = len(TASKS) + 1
    again = f"'selu run --only failed --task {small.BINARY} --system gpt-4o-zero-shot' repeats the first"
    assert errors[0] == f"1 of {total} runs failed and have no score: {again}"
    rows = project / "data" / "clean" / "selu"
    (rows / f"{small.NUMBER}.parquet").unlink()
    lacks = "are not here: 'selu prepare TASK' prepares them"
    code, out, errors = small.done(project, "score")
    assert (code, len(out.splitlines())) == (0, len(TASKS) - 1)
    assert errors[1] == f"1 of {total} runs keep their scores, since the rows of {small.NUMBER} {lacks}"
    planned_run = one_of(project, small.BINARY)
    (planned_run.folder / record.PREDICTIONS).write_bytes(b"PAR1")
    assert small.done(project, "score")[0] == 1
    shutil.rmtree(rows)
    code, out, errors = small.done(project, "score")
    assert (code, out) == (1, "")
    assert errors[1].startswith("selu: no run can be scored, since the rows of ")
    assert errors[1].endswith(f" and 1 more {lacks}.")
    shutil.rmtree(project / "results")
    code, out, errors = small.done(project, "score")
    assert (code, out) == (1, "")
    assert errors == [
        "selu: there is no run to score: 'dvc pull' brings the tracked ones, 'selu run' makes them."
    ]
