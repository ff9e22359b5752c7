from __future__ import annotations

from importlib import import_module
from pathlib import Path
from runpy import run_path

from claim_tests import claims_of

from selu.benchmarks.selu import claims
from selu.benchmarks.selu.claims import CLAIMS

HERE = Path(__file__).parent
PARTS = sorted(path.stem for path in Path(claims.__file__).parent.glob("[!_]*.py"))
IDS = [f"C{number:03d}" for number in range(1, len(CLAIMS) + 1)]


def test_ids_run_from_c001_without_a_gap_or_a_duplicate() -> None:
    assert [claim.id for claim in CLAIMS] == IDS
    assert len(IDS) >= 143


def test_every_module_is_a_part() -> None:
    found = [id for part in PARTS for id in claims_of(import_module(f"{claims.__name__}.{part}"))]
    assert sorted(found) == IDS


def test_every_claim_has_a_flip() -> None:
    # by path: tests of other rooms bear the same names, so that a name could stand for either
    flips = [id for part in PARTS for id in run_path(str(HERE / f"test_{part}.py"))["FLIPS"]]
    assert sorted(flips) == IDS
