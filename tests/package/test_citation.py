"""CITATION.cff: valid as it is, and as a fork fills it in, and then taken up by what is exported."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec

import pytest
import yaml

from helpers.command import refused, selu
from selu import __version__
from selu.package.citation import cited


@pytest.fixture
def filled(root, tmp_path):
    """A folder with the file in which the marked lines are filled in, as it says."""
    text = (root / "CITATION.cff").read_text("utf-8")
    text = re.sub(r"^# (?=(date-released|repository-code|doi):)", "", text, flags=re.MULTILINE)
    (tmp_path / "CITATION.cff").write_text(text.replace("OWNER", "lab"), "utf-8")
    return tmp_path


def test_it_names_this_version_and_nobody_elses_address(root):
    record = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    assert record["version"] == __version__
    assert not {"doi", "repository-code", "date-released"} & record.keys()
    assert cited(root).address == ""


def test_a_fork_fills_in_year_address_and_doi(filled):
    record = yaml.safe_load((filled / "CITATION.cff").read_text("utf-8"))
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", record["date-released"])
    assert record["doi"].startswith("10.")
    assert cited(filled).address == record["repository-code"] == "https://github.com/lab/selu"


if find_spec("cffconvert"):  # no lock has it

    def test_both_are_valid_by_cffconvert(root, filled):
        cffconvert = import_module("cffconvert")
        for folder in (root, filled):
            cffconvert.Citation((folder / "CITATION.cff").read_text("utf-8")).validate()


@pytest.mark.parametrize(
    ("text", "sentence"), [(None, "the commit has no CITATION.cff"), ("title: x\n", "has no authors: add it")]
)
def test_what_lacks_is_said_by_the_command(root, tmp_path, text, sentence):
    for name in ("params.yaml", "data"):
        (tmp_path / name).symlink_to(root / name)
    if text:
        (tmp_path / "CITATION.cff").write_text(text)
    assert sentence in refused(selu("--root", str(tmp_path), "export", "codecheck"))
