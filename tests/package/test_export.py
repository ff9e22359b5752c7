"""``selu export``: each format is one that its readers take, and says what the runs say."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
import yaml

from helpers import made_runs
from helpers import small_project as small
from helpers.command import printed, refused, selu
from selu.boards.readers import reading
from selu.execution import results
from selu.execution.plans import Wanted, plan
from selu.package import model_card, run_scores
from selu.runs import record
from selu.vocabulary import SeluError

TASKS = (small.BINARY, small.NUMBER)
# What each format demands of what is written here; the formats' own schemas are not ours to copy.
TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
RESULT = {
    "type": "object",
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "evaluation_name": TEXT,
        "source_data": {
            "required": ["dataset_name", "source_type"],
            "properties": {"source_type": {"const": "other"}, "additional_details": TEXTS},
        },
        "metric_config": {
            "required": ["lower_is_better"],
            "properties": {"lower_is_better": {"type": "boolean"}, "score_type": {"const": "continuous"}},
            "dependentRequired": {"score_type": ["min_score", "max_score"]},
        },
        "score_details": {
            "required": ["score"],
            "properties": {"score": {"type": "number"}, "details": TEXTS},
        },
    },
}
EVERY_EVAL_EVER = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
                 "eval_library", "evaluation_results"],
    "properties": {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "evaluation_timestamp": {"pattern": "^[0-9]{10}$"},
        "retrieved_timestamp": {"pattern": "^[0-9]{10}$"},
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]},
            },
        },
        "eval_library": {"required": ["name", "version"]},
        "model_info": {
            "required": ["name", "id", "additional_details"],
            "properties": {
                "additional_details": {
                    **TEXTS,
                    "required": ["deployment_type", "model_availability"],
                    "properties": {
                        "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
                        "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
                    },
                },
            },
        },
        "evaluation_results": {"type": "array", "minItems": 1, "items": RESULT},
    },
}  # fmt: skip
PERSON = {
    "type": "object",
    "required": ["name", "ORCID"],
    "properties": {"name": TEXT, "ORCID": {"pattern": r"^(FIXME|(\d{4}-){3}\d{3}[\dX])$"}},
}
ADDRESS = {"type": "string", "pattern": "^https://"}
CODECHECK = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "version",
        "paper",
        "manifest",
        "codechecker",
        "summary",
        "repository",
        "certificate",
        "report",
    ],
    "properties": {
        "version": {"const": "https://codecheck.org.uk/spec/config/2.0/"},
        "paper": {
            "required": ["title", "authors", "reference"],
            "properties": {
                "title": TEXT,
                "authors": {"type": "array", "minItems": 1, "items": PERSON},
                "reference": ADDRESS,
            },
        },
        "manifest": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["file", "comment"],
                "properties": {"file": {"pattern": r"^[^/.]"}, "comment": TEXT},
            },
        },
        "codechecker": {"type": "array", "minItems": 1, "items": PERSON},
        "summary": TEXT,
        "repository": ADDRESS,
        "check_time": TEXT,
        "certificate": {"pattern": r"^(FIXME|\d{4}-\d{3,})$"},
        "report": {"pattern": r"^https://doi\.org/"},
    },
}


@pytest.fixture(scope="module")
def project(root, tmp_path_factory):
    """Runs of one system on two tasks, by both protocols, and of another by the authors' procedure alone."""
    made = small.make(tmp_path_factory.mktemp("export"), TASKS)
    shutil.copy(root / "CITATION.cff", made / "CITATION.cff")
    wanted = [
        *plan(made, Wanted(TASKS, ("fasttext",), ("paper", "strict"))),
        *plan(made, Wanted(TASKS[:1], ("tfidf-xgboost",), ("paper",))),
    ]
    for place, run in enumerate(wanted):
        made_runs.write(made, run, results.read_rows(made, run), wrong=0.1 + 0.1 * place)
    return made


def value(project, task, protocol):
    (run,) = plan(project, Wanted((task,), ("fasttext",), (protocol,)))
    return record.read_scores(run.folder)["value"]


def exported(project, *words):
    return printed(project, "export", *words)


def test_records_of_every_eval_ever_are_valid_and_read_back(project, tmp_path):
    exported(project, "every-eval-ever", "--out", str(tmp_path / "records"))
    paths = sorted((tmp_path / "records").rglob("*.json"))
    assert {path.relative_to(tmp_path / "records").parts[:2] for path in paths} == {("data", "selu")}
    for path in paths:
        jsonschema.validate(json.loads(path.read_text("utf-8")), EVERY_EVAL_EVER)
    board = reading.read(tmp_path / "records")
    assert set(board.systems) == {"selu/fasttext", "selu/tfidf-xgboost"}
    row = board.systems.index("selu/fasttext")
    for task in TASKS:
        for protocol, name in (("strict", task), ("paper", f"{task} (authors' procedure)")):
            assert board.values[row, board.tasks.index(name)] == pytest.approx(value(project, task, protocol))
    assert board.lower[board.tasks.index(small.NUMBER)]
    published = [json.loads(line) for line in exported(project, "every-eval-ever", "fasttext").splitlines()]
    assert [entry["model_info"]["id"] for entry in published] == ["selu/fasttext"] * 2


def test_records_are_the_same_each_time_and_pass_the_formats_own_check(project):
    first = exported(project, "every-eval-ever")
    assert first == exported(project, "every-eval-ever")
    if find_spec("every_eval_ever"):  # no lock has it
        schema = import_module("every_eval_ever.schema").schema_json()
        for line in first.splitlines():
            jsonschema.validate(json.loads(line), schema)


def test_a_card_has_the_validation_selected_scores_and_the_hub_reads_it(project):
    read = yaml.safe_load(exported(project, "model-index", "fasttext"))
    (model,) = read["model-index"]
    found = {result["dataset"]["type"]: result["metrics"][0]["value"] for result in model["results"]}
    expected = {task: pytest.approx(value(project, task, "strict"), abs=1e-6) for task in TASKS}
    assert (model["name"], found) == ("fasttext", expected)
    entries = yaml.safe_load(exported(project, "eval-results", "fasttext"))
    assert {entry["dataset"]["task_id"]: entry["value"] for entry in entries} == expected
    assert all("validation-selected" in entry["notes"] and "source" not in entry for entry in entries)
    hub = pytest.importorskip("huggingface_hub")
    card = pytest.importorskip("huggingface_hub.repocard_data")
    name, results_ = card.model_index_to_eval_results(read["model-index"])
    assert (name, len(results_)) == ("fasttext", 2)
    assert [result.value for result in hub.parse_eval_result_entries(entries)] == [
        entry["value"] for entry in entries
    ]


def test_a_codecheck_names_files_that_exist_and_marks_what_a_person_fills_in(root, tmp_path):
    out = tmp_path / "codecheck.yml"
    done = selu("--root", str(root), "export", "codecheck", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, "")
    text = out.read_text("utf-8")
    assert text.startswith("%YAML 1.1\n")
    read = yaml.safe_load(text)
    jsonschema.validate(read, CODECHECK)
    assert f"{text.count('FIXME') - 1} fields say FIXME" in done.stderr
    assert all((root / entry["file"]).is_file() for entry in read["manifest"])
    verdicts = json.loads((root / "reports" / "selu" / "claims.json").read_text("utf-8"))
    conclusions = [claim for claim in verdicts if claim["weight"] == "conclusion"]
    assert f"of {len(conclusions)} conclusions hold" in read["summary"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["codechek"], "there is no format 'codechek'; did you mean 'codecheck'?"),
        (
            ["model-index"],
            "model-index is of one system: name one that has runs, such as fasttext, tfidf-xgboost.",
        ),
        (["model-index", "fastext"], "there is no system with a run 'fastext'; did you mean 'fasttext'?"),
        (["eval-results", "tfidf-xgboost"], "'selu run --system tfidf-xgboost --protocol strict' makes one"),
        (["codecheck", "fasttext"], "codecheck is of a paper and not of fasttext"),
        (["every-eval-ever", "--paper", "nlbse24"], "no run of nlbse24 has a score on the paper's rows"),
        (["every-eval-ever", "--paper", "x"], "there is no paper 'x'"),
        (["every-eval-ever", "--out", "."], ". exists already: remove it"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_sentence(project, tmp_path, words, sentence):
    done = selu("--root", str(project), "export", *words, cwd=tmp_path)
    assert sentence in refused(done)
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("paper", ["coir", "crosscodebench", "faun_eval", "nlbse25"])
def test_a_paper_without_runs_is_said_to_have_none(paper):
    with pytest.raises(SeluError, match=f"{paper} has no runs .* 'selu list cells --paper {paper} --csv'"):
        run_scores.read(small.ROOT, paper)


def score(project, run):
    """The score of a run under another name."""
    found = run_scores.read(project, "selu", ("fasttext",))[0]
    fields = found.run["fields"] | {"run": run, "protocol": run.partition("-")[0]}
    return found._replace(
        run={**found.run, "fields": fields}, value=0.9 if run == "strict-likelihood-s42" else 0.5
    )


def test_a_variant_is_named_and_is_not_averaged_as_if_it_were_a_seed(project):
    """How a prompted model was asked makes other runs of the same task, protocol and seed."""
    names = ("strict-likelihood-s42", "strict-s42", "strict-s43", "strict-sample100-s42")
    scores = [score(project, name) for name in names]
    assert [entry.variant for entry in scores] == ["likelihood", "", "", ""]
    assert scores[0].limits == ["variant likelihood"]
    mean = model_card._mean(scores[:3])
    assert (mean.value, len(mean.runs)) == (0.5, 2)
    assert mean.notes.endswith("mean of 2 seeds")
