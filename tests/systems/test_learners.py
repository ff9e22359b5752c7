from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from selu.runs import identity
from selu.systems import learners

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", learners.LEARNERS)
def test_a_name_leads_to_class_files_and_packages(name):
    kind, files = learners.kind(name), learners.files(name)
    assert Path(sys.modules[kind.__module__].__file__) == files[0]
    assert all(file.is_file() for file in files)
    lock = ROOT / "locks" / ("finetune.txt" if "torch" in learners.packages(name) else "baselines.txt")
    assert set(identity.pinned(lock, learners.packages(name))) == set(learners.packages(name))


@pytest.mark.parametrize("name", learners.LEARNERS)
def test_all_of_ours_that_a_class_is_made_of_counts(name):
    bases = [base for base in learners.kind(name).__mro__ if base.__module__.startswith("selu.systems")]
    assert {Path(sys.modules[base.__module__].__file__) for base in bases} <= set(learners.files(name))


def test_no_library_of_a_learner_is_loaded():
    code = (
        "import sys; from selu.systems import learners\n"
        "for name in learners.LEARNERS: learners.kind(name), learners.files(name), learners.packages(name)\n"
        "print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    heavy = ("scipy", "sklearn", "xgboost", "fasttext", "torch", "transformers", "setfit")
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr
