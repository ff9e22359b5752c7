from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from tests.papers.redrawn import ROOT

from selu.papers.selu import claims
from selu.papers.selu.material import Material
from selu.registry import claims as every_claim
from selu.vocabulary import Claim, SeluError, Verdict

from . import on_scripts, on_tasks

CLAIMS = every_claim("selu")
BY_ID = {claim.id: claim for claim in CLAIMS}
IDS = [f"C{number:03d}" for number in range(1, len(CLAIMS) + 1)]


def test_ids_run_from_c001_without_a_gap_or_a_duplicate() -> None:
    assert [claim.id for claim in CLAIMS] == IDS


def test_every_module_is_a_part() -> None:
    folder = Path(claims.__file__).parent
    paths = [path.relative_to(folder).with_suffix("") for path in folder.rglob("[!_]*.py")]
    modules = [import_module(".".join([claims.__name__, *path.parts])) for path in paths]
    found = [value.id for module in modules for value in vars(module).values() if isinstance(value, Claim)]
    assert sorted(found) == IDS


@pytest.fixture(scope="module")
def quick(quick: Material) -> Material:
    """The published scores alone, which are altered here; no score before rounding settles a caveat."""
    return replace(quick, recounts=None)


@pytest.fixture(scope="module")
def equal_means(quick: Material) -> Material:
    """Table IV with one mean for all systems, which leaves neither a large group nor tiers."""
    for system in quick.systems:
        quick = quick.with_published("table4", system.name, "M", "0.500")
    return quick


@pytest.mark.ci
@pytest.mark.parametrize("id", IDS)
def test_equal_means_lead_to_a_finding_too(equal_means: Material, id: str) -> None:
    assert BY_ID[id].check(equal_means).because


# -- single claims -----------------------------------------------------------------------------------------


def test_fewer_data_with_higher_scores_refute_the_volume(quick: Material) -> None:
    """No correlation of twenty tasks could fail the claim before, not even the opposite of the sentence."""
    found = BY_ID["C120"].check(on_tasks.fewer_data_score_higher(quick))
    assert found.verdict is Verdict.FAILS
    assert found.numbers["interval"][1] < 0


@pytest.mark.ci
def test_each_step_of_the_scripts_is_judged_by_one_claim(quick: Material) -> None:
    """A reader who counts what differs would count a step twice that two claims judge."""
    steps = BY_ID["C116"].check(quick).numbers["steps"]
    assert set(steps) == set(on_scripts.STEPS)
    reasons = {claim.id: claim.check(quick).because for claim in CLAIMS if claim.id != "C116"}
    altered = quick
    for step in steps:
        altered = altered.with_published("protocol", step, "scripts final", "otherwise")
    vars(altered).update({name: value for name, value in vars(quick).items() if name not in vars(altered)})
    assert {claim.id: claim.check(altered).because for claim in CLAIMS if claim.id != "C116"} == reasons


def test_result_files_are_those_of_table_6(quick: Material) -> None:
    """A wrong entry of the result files would decide claims by runs that the paper doesn't show."""
    scores = {
        row: 1 - float(cell.published) if name == "smape" else float(cell.published)
        for (row, name), cell in quick.tables["package_final"].items()
        if name in ("f1_macro", "smape")
    }
    assert len(scores) == 42
    for row, score in scores.items():
        task, system = row.split("/")
        assert score == pytest.approx(quick.number("table6", task, quick.system(system).name), abs=0.0005)


def test_size_and_architecture_are_judged_by_one_rule() -> None:
    """A second test that only one of them has would let its verdict be chosen."""
    rules = [BY_ID[claim].rule for claim in ("C068", "C069")]
    assert rules[0].fails == rules[1].fails
    assert rules[0].caveat == rules[1].caveat


def test_rounding_counts_where_the_published_ranks_do_not_settle_the_order(material: Material) -> None:
    """The ranks of Table IV rest on the authors' own scores; without them, rounding moves p across .05."""
    swapped = material.with_published("table4", "GPT-2 small", "Rank", "7")
    swapped = swapped.with_published("table4", "StarCoder2 3B", "Rank", "6")
    assert BY_ID["C069"].check(material).verdict is Verdict.FAILS
    assert BY_ID["C069"].check(swapped).verdict is Verdict.CAVEAT


def test_fewer_decided_means_more_mass_in_the_rope(quick: Material) -> None:
    wide = replace(quick, settings=replace(quick.settings, rope=0.2))
    mass = [BY_ID["C048"].check(paper).numbers["mean_mass"] for paper in (quick, wide)]
    assert mass[0] < mass[1] <= 1


@pytest.mark.parametrize("percent", ["-1", "120"])
def test_an_impossible_share_of_verbs_is_refused(quick: Material, percent: str) -> None:
    altered = quick.with_published("verb_share", "train", "percent", percent)
    with pytest.raises(SeluError, match=f"row 'train': {percent} % is not a share; correct it"):
        BY_ID["C126"].check(altered)


@pytest.mark.parametrize(("claim", "table"), [("C027", "invalid_rates"), ("C112", "open_source_prompting")])
def test_more_invalid_replies_than_replies_are_refused(quick: Material, claim: str, table: str) -> None:
    row = next(iter(quick.tables[table]))[0]
    altered = quick.with_published(table, row, "invalid replies", "1e9")
    with pytest.raises(SeluError, match=f"{table}.csv, row '{row}': .* replies are not a share; correct it"):
        BY_ID[claim].check(altered)


def test_invalid_replies_are_those_of_the_counted_result_files(quick: Material) -> None:
    """A wrong transcription would decide C027 by numbers that no file has."""
    files = json.loads((ROOT / "reports" / "selu" / "recounts.json").read_text())
    matrices = {
        f"{file['task']}/{file['system']}": file["matrix"] for file in files if "/prompting/" in file["path"]
    }
    counted = {row: rows for row, rows in matrices.items() if rows is not None}
    rows = {row for row, _ in quick.tables["invalid_rates"]}
    assert rows == set(counted)
    for row, matrix in counted.items():
        assert quick.number("invalid_rates", row, "invalid replies") == sum(line[-1] for line in matrix)
        assert quick.number("invalid_rates", row, "replies") == sum(map(sum, matrix))


PACKAGE = (
    ROOT.parent / "shared" / "published" / "selu" / "package_final" / "evaluation" / "results" / "prompting"
)


@pytest.mark.skipif(not PACKAGE.is_dir(), reason="the authors' result files are not beside this clone")
def test_replies_of_open_source_models_are_those_of_the_result_files(quick: Material) -> None:
    table = quick.tables["open_source_prompting"]
    for row in dict.fromkeys(row for row, _ in table):
        task, model, strategy = row.replace("commit_intention", "commit_intent").split("/")
        file = json.loads((PACKAGE / strategy / task / model / "test_results.json").read_text())
        assert table[row, "invalid replies"].published == str(file["unknown_predictions"])
        assert table[row, "replies"].published == str(sum(map(sum, file["confusion_matrix"])))
