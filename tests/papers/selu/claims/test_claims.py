"""What every claim has to pass: each of them by its flip, by further ones, and by random evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.papers.redrawn import (
    ROOT,
    drawn,
    elsewhere,
    places_read,
    unsaid,
    verdict_by_what_if,
    verdicts,
    write_tables,
)

from selu.files import to_json
from selu.papers.claims import claims_record
from selu.papers.selu import claims
from selu.papers.selu.material import Material
from selu.registry import claims as every_claim
from selu.registry import load
from selu.vocabulary import Claim, SeluError, Verdict

from . import on_groups, on_ranking, on_scripts, on_systems, on_tasks
from .alterations import Alter
from .draws import shared

CLAIMS = every_claim("selu")
PARTS = (on_tasks, on_systems, on_ranking, on_groups, on_scripts)
# For each claim an alteration of what the paper prints and the verdict that it must lead to.
FLIPS = [(id, *flip) for id, flip in sorted({k: v for part in PARTS for k, v in part.FLIPS.items()}.items())]
OTHERS = [flip for part in PARTS for flip in part.OTHERS]  # further ones, of declared records, too
ALTERED = FLIPS + OTHERS
DRAWS = {id: draw for part in PARTS for id, draw in part.DRAWS.items()}  # where numbers belong together
BY_ID = {claim.id: claim for claim in CLAIMS}
IDS = [f"C{number:03d}" for number in range(1, len(CLAIMS) + 1)]


def test_ids_run_from_c001_without_a_gap_or_a_duplicate_and_each_has_a_flip() -> None:
    assert [claim.id for claim in CLAIMS] == IDS == [id for id, _, _ in FLIPS]
    assert len(IDS) == sum(len(part.FLIPS) for part in PARTS) >= 143


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
def altered(quick: Material) -> Callable[[str], list[Material]]:
    """A claim's evidence as it is altered here, made once."""
    return cache(lambda id: [alter(quick) for name, alter, _ in ALTERED if name == id])


Altered = Callable[[str], list[Material]]


@pytest.mark.parametrize("id", IDS)
def test_verdict_follows_the_evidence(
    quick: Material, altered: Altered, hold: Callable[[str, list[str]], None], id: str
) -> None:
    """What it says is kept: another sentence has to be meant."""
    found, now = [BY_ID[id].check(m) for m in altered(id)], BY_ID[id].check(quick)
    expected = [verdict for name, _, verdict in ALTERED if name == id]
    assert [each.verdict for each in found] == expected
    assert now.verdict not in expected
    hold(id, [each.because for each in found])


@pytest.mark.parametrize(("id", "_alter", "expected"), FLIPS, ids=IDS)
def test_a_reader_flips_it_by_what_if(
    quick: Material,
    altered: Altered,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    id: str,
    _alter: Alter,
    expected: Verdict,
) -> None:
    def loaded(root: Path, _: str, what_if: Path) -> Material:
        return replace(load(root, "selu", what_if), settings=quick.settings)

    folder = tmp_path / "altered"
    write_tables(altered(id)[0], quick, folder)
    assert verdict_by_what_if(BY_ID[id], folder, loaded, monkeypatch) == expected


def random_evidence(m: Material, claim: Claim, altered: list[Material]) -> Iterator[Material]:
    """Random evidence of its own kind, or else other Tables VI, and any other numbers at its places."""
    if claim.id not in DRAWS and any(table == "table6" for table, _, _ in places_read(m, claim)):
        yield from shared(m)
    yield from drawn(m, claim, DRAWS.get(claim.id) or elsewhere(m, claim, altered))


@pytest.mark.parametrize("id", IDS)
def test_random_evidence_reaches_holds_and_fails(
    quick: Material, altered: Altered, hold: Callable[[str, list[str]], None], id: str
) -> None:
    found = verdicts(BY_ID[id], random_evidence(quick, BY_ID[id], altered(id)), 8)
    letters = {each[0] for each in found}
    assert {"h", "f"} <= letters
    assert "c" not in letters or BY_ID[id].rule.caveat
    hold(f"{id} at random", [" ".join(found)])


@pytest.mark.parametrize("id", IDS)
def test_rule_is_said_with_the_source_of_each_number(id: str) -> None:
    assert unsaid(BY_ID[id]) == []


@pytest.fixture(scope="module")
def tracked() -> dict[str, Any]:
    return {entry["id"]: entry for entry in json.loads((ROOT / "reports" / "selu" / "claims.json").read_text())}


@pytest.mark.parametrize("id", IDS)
def test_finding_is_the_tracked_one_a_sentence_with_numbers(
    material: Material, quick: Material, tracked: Mapping[str, Any], id: str
) -> None:
    assert json.loads(to_json(claims_record(material, [BY_ID[id]]))) == [tracked[id]]
    found = BY_ID[id].check(quick)
    assert found.numbers
    assert found.because[0].isupper() or found.because[0].isdigit()
    assert found.because.endswith(".")
    assert "\n" not in found.because
    assert (
        any(letter.isdigit() for letter in found.because)
        or any(system.name in found.because for system in quick.systems)
        or found.verdict is Verdict.NOT_CHECKABLE
    )


@pytest.fixture(scope="module")
def equal_means(quick: Material) -> Material:
    """Table IV with one mean for all systems, which leaves neither a large group nor tiers."""
    for system in quick.systems:
        quick = quick.with_printed("table4", system.name, "M", "0.500")
    return quick


@pytest.mark.parametrize("id", IDS)
def test_equal_means_lead_to_a_finding_too(equal_means: Material, id: str) -> None:
    assert BY_ID[id].check(equal_means).because


# -- single claims -----------------------------------------------------------------------------------------


def test_fewer_data_with_higher_scores_refute_the_volume(quick: Material) -> None:
    """No correlation of twenty tasks could fail the claim before, not even the opposite of the sentence."""
    found = BY_ID["C120"].check(on_tasks.fewer_data_score_higher(quick))
    assert found.verdict is Verdict.FAILS
    assert found.numbers["interval"][1] < 0


def test_each_step_of_the_scripts_is_judged_by_one_claim(quick: Material) -> None:
    """A reader who counts what differs would count a step twice that two claims judge."""
    steps = BY_ID["C116"].check(quick).numbers["steps"]
    assert set(steps) == set(on_scripts.STEPS)
    said = {claim.id: claim.check(quick).because for claim in CLAIMS if claim.id != "C116"}
    altered = quick
    for step in steps:
        altered = altered.with_printed("protocol", step, "scripts final", "otherwise")
    vars(altered).update({name: value for name, value in vars(quick).items() if name not in vars(altered)})
    assert {claim.id: claim.check(altered).because for claim in CLAIMS if claim.id != "C116"} == said


def test_result_files_are_those_of_table_6(quick: Material) -> None:
    """A wrong entry of the result files would decide claims by runs that the paper doesn't show."""
    scores = {
        row: 1 - float(cell.printed) if name == "smape" else float(cell.printed)
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
    swapped = material.with_printed("table4", "GPT-2 small", "Rank", "7")
    swapped = swapped.with_printed("table4", "StarCoder2 3B", "Rank", "6")
    assert BY_ID["C069"].check(material).verdict is Verdict.FAILS
    assert BY_ID["C069"].check(swapped).verdict is Verdict.CAVEAT


def test_fewer_decided_means_more_mass_in_the_rope(quick: Material) -> None:
    wide = replace(quick, settings=replace(quick.settings, rope=0.2))
    mass = [BY_ID["C048"].check(m).numbers["mean_mass"] for m in (quick, wide)]
    assert mass[0] < mass[1] <= 1


@pytest.mark.parametrize("percent", ["-1", "120"])
def test_an_impossible_share_of_verbs_is_refused(quick: Material, percent: str) -> None:
    altered = quick.with_printed("verb_share", "train", "percent", percent)
    with pytest.raises(SeluError, match=f"row 'train': {percent} % is no share; correct it"):
        BY_ID["C126"].check(altered)


@pytest.mark.parametrize(("claim", "table"), [("C027", "invalid_rates"), ("C112", "open_source_prompting")])
def test_more_invalid_replies_than_replies_are_refused(quick: Material, claim: str, table: str) -> None:
    row = next(iter(quick.tables[table]))[0]
    altered = quick.with_printed(table, row, "invalid replies", "1e9")
    with pytest.raises(SeluError, match=f"{table}.csv, row '{row}': .* replies are no share; correct it"):
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
        assert table[row, "invalid replies"].printed == str(file["unknown_predictions"])
        assert table[row, "replies"].printed == str(sum(map(sum, file["confusion_matrix"])))
