from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import plain
import pytest

from selu.runs import identity, seals
from selu.systems import learners

ROOT = Path(__file__).parents[3]
LEARNERS = ("tfidf-xgboost", "tfidf-squared-error", "fasttext")
PARAMS = {"max_depth": 2, "min_child_weight": 1}


class Asked:
    """A worker process, asked by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors = (folder / "errors.txt").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "selu.execution.grids.worker"],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def unit(self, number: int = 1, learner: str = "tfidf-xgboost", **changes: Any) -> dict[str, Any]:
        """A request for one unit of a generated lesson."""
        fields = asdict(plain.whole("binary", number))
        del fields["folder"]
        lesson = self.folder / f"lesson-{number}.json"
        lesson.write_text(json.dumps(fields))
        request = {
            "lesson": str(lesson),
            "learner": learner,
            "source": identity.source(learners.files(learner)),
            "local": {},
            "unit": str(self.folder / "unit.json"),
            "key": "the key",
            "params": PARAMS,
        }
        return {**request, **changes}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    found = Asked(tmp_path_factory.mktemp("worker"))
    yield found
    found.process.kill()
    found.process.communicate()
    found.errors.close()


@pytest.mark.ci
def test_a_unit_is_written_sealed(asked):
    answer = asked.ask(asked.unit())
    assert answer["unit"] == str(asked.folder / "unit.json")
    unit = seals.read_sealed(Path(answer["unit"]), "a unit")
    assert unit["answers"] == plain.answers(plain.whole("binary", 1), 2, 1, 1)
    assert (unit["key"], unit["params"]) == ("the key", PARAMS)
    assert (unit["cost"]["seconds"], unit["cost"]["cpu"]) == (answer["seconds"], answer["cpu"])
    assert unit["cost"]["seconds"] > 0
    assert 10 << 20 < unit["memory"] < 8 << 30


@pytest.mark.ci
def test_another_lesson_is_not_answered_with_the_last_one(asked):
    for number in (1, 2, 1):
        asked.ask(asked.unit(number))
        unit = seals.read_sealed(asked.folder / "unit.json", "a unit")
        assert unit["answers"] == plain.answers(plain.whole("binary", number), 2, 1, 1)


@pytest.mark.ci
def test_another_learner_of_the_same_lesson_is_not_the_last_one(asked):
    found = []
    for learner, params in (("tfidf-xgboost", PARAMS), ("tfidf-squared-error", PARAMS)) * 2:
        asked.ask(asked.unit(1, learner, params={**params, "max_depth": 5}))
        found.append(seals.read_sealed(asked.folder / "unit.json", "a unit")["answers"])
    assert found[:2] == found[2:]
    assert found[0] != found[1]


def test_versions_by_either_name(asked):
    names = {"xgboost": ["xgboost", "xgboost-cpu"], "numpy": ["numpy"], "nothing": ["not-there-at-all"]}
    answer = asked.ask({"versions": names})
    import numpy
    import xgboost

    assert answer["versions"] == {"xgboost": xgboost.__version__, "numpy": numpy.__version__, "nothing": None}
    assert answer["python"] == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_of_other_sources_is_refused(learner, tmp_path):
    """What the process fits with is what the run was planned with."""
    fresh = Asked(tmp_path)
    answer = fresh.ask(fresh.unit(learner=learner, source="another"))
    assert answer == {"error": "the sources changed since the run was planned: run it again.", "machine": True}
    assert not (tmp_path / "unit.json").exists()
    assert fresh.process.stdin is not None
    fresh.process.stdin.close()
    assert fresh.process.wait(30) == 0


@pytest.mark.parametrize(
    ("changes", "says", "machine"),
    [
        ({"params": {"max_depth": -1, "min_child_weight": 1}}, "XGBoostError: ", None),
        (
            {"params": {"max_depth": 2}},
            "its learner reads the parameter 'min_child_weight', which its declaration lacks",
            False,
        ),
        (
            {"lesson": "/not/there.json"},
            "/not/there.json: No such file or directory; nothing is half-written.",
            True,
        ),
        ({"unit": "/proc/no/unit.json"}, "No such file or directory; nothing is half-written.", True),
    ],
)
def test_what_fails_is_one_sentence_and_the_process_goes_on(changes, says, machine, asked):
    (asked.folder / "unit.json").unlink(missing_ok=True)
    answer = asked.ask(asked.unit(3, **changes))
    assert says in answer["error"]
    assert "\n" not in answer["error"]
    assert answer.get("machine") is machine
    assert not (asked.folder / "unit.json").exists()
    assert "unit" in asked.ask(asked.unit())


def test_too_little_memory_is_the_machines_fault(asked):
    params = {"lr": 0.1, "epoch": 10**13, "quoted": True, "threads": 3}
    answer = asked.ask(asked.unit(5, "fasttext", params=params))
    assert answer == {"error": "a fit needs more memory than there is: try --jobs 1.", "machine": True}


def test_what_a_library_prints_does_not_stand_between_the_answers(tmp_path, monkeypatch):
    """Its output goes where its errors go: FastText prints to the process's own output."""
    code = (
        "import os, json\n"
        "from selu.execution.grids import worker\n"
        "def loud(names):\n    os.write(1, b'Read 0M words\\n'); print('chatter'); return {}\n"
        "worker.versions = loud\nworker.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input='{"versions": {}}\n',
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["versions"] == {}
    assert "Read 0M words" in done.stderr
    assert "chatter" in done.stderr


def test_it_imports_nothing_heavy_before_a_unit_needs_it():
    """Versions of an environment that lacks a library can be asked for."""
    code = "import sys, selu.execution.grids.worker; print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = (
        "numpy",
        "scipy",
        "sklearn",
        "xgboost",
        "fasttext",
        "pandas",
        "pyarrow",
        "pydantic",
        "yaml",
        "typer",
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr
