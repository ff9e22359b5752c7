"""``selu verify --what-if``: whatever stands in an altered cell, there is an outcome or one sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from selu import registry
from selu.app import verify
from selu.benchmarks.printed import Printed
from selu.sources.published import read_pins
from selu.vocabulary import Claim, SeluError

ROOT = Path(__file__).parents[2]
PINS = {name: read_pins(ROOT / "data" / "pins" / name / "paper.csv") for name in ("selu", "nlbse24")}
SCORES = "table6"  # on which all that SELU's material derives rests, and nothing else
Place = tuple[str, str]


class Watched(dict[str, Any]):
    """Tables that remember which of them were asked for."""

    asked: set[str]

    def __init__(self, tables: Mapping[str, Any]) -> None:
        super().__init__(tables)
        self.asked = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


@dataclass(frozen=True)
class Known:
    """A benchmark as it is printed, what is derived from its scores, and the claims that read each table."""

    material: Any
    derived: dict[str, Any]
    claims: dict[str, list[Claim]]


@cache
def known(benchmark: str) -> Known:
    material: Any = registry.load(ROOT, benchmark)
    if benchmark == "selu":
        material = dataclasses.replace(material, knobs=dataclasses.replace(material.knobs, draws=2_000))
        for claim in registry.claims(benchmark):
            claim.check(material)
    fields = {field.name for field in dataclasses.fields(material)}
    derived = {name: value for name, value in vars(material).items() if name not in fields}
    readers: dict[str, list[Claim]] = {}
    for claim in registry.claims(benchmark):
        watched = Watched(material.tables)
        claim.check(made(material, watched, derived))
        for table in watched.asked:
            readers.setdefault(table, []).append(claim)
    return Known(material, derived, readers)


def made(material: Any, tables: Mapping[str, Any], derived: Mapping[str, Any]) -> Any:
    copy = dataclasses.replace(material, tables=tables)
    if material.benchmark == "selu":
        vars(copy).update(derived)
    return copy


def altered(benchmark: str, table: str, changes: Mapping[Place, str | None]) -> Any:
    """The material with other texts in a table; None takes a line out."""
    of = known(benchmark)
    places = dict(of.material.tables[table])
    for place, text in changes.items():
        if text is None:
            del places[place]
        else:
            places[place] = dataclasses.replace(places[place], printed=text)
    tables = {**of.material.tables, table: places}
    return made(of.material, tables, {} if table == SCORES else of.derived)


def verified(benchmark: str, table: str, material: Printed) -> verify.Outcome:
    """``verify`` of a folder that holds this material, by the claims that read the table."""

    def loaded(*_: object) -> Any:
        if table == SCORES and benchmark == "selu":
            material.cells  # type: ignore[attr-defined]  # noqa: B018  (as load_selu has it)
        return material

    claims = registry.claims(benchmark) if table == SCORES else known(benchmark).claims.get(table, [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "load", loaded)
        patch.setattr(registry, "claims", lambda _: tuple(claims))
        for name in ("check_store", "check_results"):
            patch.setattr(verify, name, lambda *_, **__: None)
        return verify.verify(ROOT, what_if=Path("tests"), benchmark=benchmark)


def refused(benchmark: str, table: str, changes: Mapping[Place, str | None]) -> str:
    """What is said of claims that can't be computed: the refusal, or the line that names them."""
    try:
        outcome = verified(benchmark, table, altered(benchmark, table, changes))
    except SeluError as error:
        said = str(error)
    else:
        (said,) = [line for line in outcome.differences if ": not computed from the altered tables. " in line]
    assert len(said.splitlines()) == 1
    return said


def place(benchmark: str, table: str, column: str) -> Place:
    return next(place for place in PINS[benchmark][table] if place[1] == column)


@pytest.mark.parametrize(
    ("benchmark", "table", "column", "text"),
    [
        ("selu", "table4", "M", "high"),
        ("selu", "table4", "CI lower", "low"),
        ("selu", "package_hyperparameters", "learning_rate_in_script", "x"),
        ("selu", "package_hyperparameters", "learning_rate_in_script", None),
        ("selu", "package_preprint", "epoch", "many"),
        ("nlbse24", "table1", "Bug", "abc"),
        ("nlbse24", "stacc", "f1", "abc"),
        ("nlbse24", "dopamin", "f1", "abc"),
    ],
)
def test_a_word_or_no_line_in_place_of_a_number_is_one_sentence(
    benchmark: str, table: str, column: str, text: str | None
) -> None:
    where = place(benchmark, table, column)
    told = refused(benchmark, table, {where: text})
    assert f"{table}.csv, row {where[0]!r}, column {where[1]!r}: " in told
    assert told.endswith("correct it.")


def test_an_error_that_no_altered_cell_explains_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verify, "claims_record", broken)
    with pytest.raises(ZeroDivisionError):
        verified("nlbse24", "table1", known("nlbse24").material)
