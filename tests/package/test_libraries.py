"""What a missing library is installed by: a command that this package declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from selu.package.libraries import INSTALLED_BY, remedy


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("numpy", "make install"),
        ("sklearn.svm", "make data"),
        ("xgboost", "make environments"),
        ("transformers", "make finetune-environment"),
        ("openai", "make prompt-environment"),
        ("llama_cpp", "make local-environment"),
        ("ray", "make sweep-environment"),
        ("dvc_s3", "make remotes-environment"),
        ("github", "make pipeline-environment"),
    ],
)
def test_the_command_is_that_of_the_extra_that_names_the_library(module: str, command: str) -> None:
    assert remedy(module) == f"'{command}' installs it"


def test_each_command_is_a_target_and_an_unknown_library_gets_no_command(root: Path) -> None:
    rules = (root / "Makefile").read_text("utf-8")
    assert all(f"\n{command.split()[1]}:" in rules for command in INSTALLED_BY.values())
    assert remedy("nothing_of_the_kind") == "install it in the Python that runs selu"
