from __future__ import annotations

from pathlib import Path
from typing import Any

import made_results
import pytest

from selu.execution.grids.plan import declared
from selu.papers.nlbse24 import results
from selu.papers.nlbse24.material import Material
from selu.papers.nlbse24.tables import methods as tables_methods
from selu.papers.nlbse24.tables import results as tables_results

ROOT = Path(__file__).parents[4]
WRONG = {  # share of wrong answers
    "minilm-adapters": 0.1,
    "setfit-minilm": 0.2,
    "mpnet-upper-mean": 0.35,
    "fasttext-lines": 0.5,
    "mpnet-rounds": 0.7,
    "tfidf-logistic": 0.25,  # neither a method nor beside one
}


def record(paper: Material, **wrong: float) -> dict[str, Any]:
    questions = made_results.issue_questions()
    entrants = [made_results.entrant(name, questions, share) for name, share in wrong.items()]
    track = results.issues(paper, questions, entrants, made_results.DRAWS)
    return {"issues": track, "bootstrap": {"level": 0.95, "draws": made_results.DRAWS.draws}}


def test_methods_stand_beside_fasttext_and_setfit_with_their_teams(paper):
    frame = tables_methods.methods(paper, record(paper, **WRONG)).frame.set_index("System")  # type: ignore[arg-type]
    assert list(frame.index) == [
        "adapters on MiniLM-L6",
        "SetFit (MiniLM-L6, 1/4 of the pairs)",
        "mean of upper layers on all-mpnet-base-v2",
        "FastText",
        "SetFit in rounds on all-mpnet-base-v2",
    ]
    assert frame["Team"].tolist() == ["Ebrahim and Joy", "", "Hai and Bui", "", "Gómez-Barrera et al."]
    assert frame["Team's published F1"].tolist() == ["0.893", "", "", "", "0.842"]


def test_the_difference_is_the_methods_score_minus_fasttexts(paper):
    frame = tables_methods.methods(paper, record(paper, **WRONG)).frame.set_index("System")  # type: ignore[arg-type]
    for name in ("adapters on MiniLM-L6", "SetFit in rounds on all-mpnet-base-v2"):
        line = frame.loc[name]
        expected = float(line["F1"]) - float(frame.loc["FastText", "F1"])
        assert float(line["Minus FastText"].replace("−", "-")) == pytest.approx(expected, abs=0.0011)
        low, _, high = line["Minus FastText, 95 % interval"].replace("−", "-").partition(" to ")
        assert float(low) <= float(line["Minus FastText"].replace("−", "-")) <= float(high)
    assert frame.loc["FastText", "Minus FastText"] == ""


def test_without_a_run_of_fasttext_nothing_is_taken_from_it(paper):
    frame = tables_methods.methods(paper, record(paper, **{"minilm-rounds": 0.2})).frame  # type: ignore[arg-type]
    assert frame["Minus FastText"].tolist() == [""]


def test_every_declared_method_has_a_name_and_a_team_and_no_team_lacks_a_method():
    names = [name for name in declared(ROOT, "nlbse24") if name.partition("-")[2] in tables_methods.METHODS]
    assert {name.partition("-")[0] for name in names} == {"minilm", "mpnet"}
    assert len(names) == 2 * len(tables_methods.METHODS)
    assert all(tables_results.system(name) != name for name in names)
