"""What a missing library is installed by: a command whose lock names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.package.libraries import INSTALLED_BY, remedy


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("numpy", "make reproduce"),
        ("sklearn.svm", "make data"),
        ("xgboost", "make environments"),
        ("transformers", "make finetune-environment"),
        ("openai", "make prompt-environment"),
        ("llama_cpp", "make local-environment"),
        ("ray", "make sweep-environment"),
        ("dvc_s3", "make remotes-environment"),
    ],
)
def test_the_command_is_that_of_the_lock_that_names_the_library(root: Path, module: str, command: str) -> None:
    assert remedy(root, module) == f"'{command}' installs it"


def test_each_command_is_a_target_and_an_unknown_library_gets_no_command(root: Path, tmp_path: Path) -> None:
    rules = (root / "Makefile").read_text("utf-8")
    for lock, command in INSTALLED_BY.items():
        assert f"\n{command.split()[1]}:" in rules
        assert (root / "locks" / f"{lock}.txt").is_file()
    assert "no lock names it" in remedy(root, "nothing_of_the_kind")
    assert remedy(tmp_path, "numpy") == "install it in the Python that runs selu"
