"""The NLBSE'24 tool competition: issue reports and code comments (Kallis et al., 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.api import Benchmark, Raw, TaskRows, read_paper
from selu.benchmarks.claims import declared_as, declared_in
from selu.benchmarks.evidence import Evidence, Part, Predictions, Progress, Record, Rescored, Tables
from selu.benchmarks.nlbse24 import design
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.benchmarks.nlbse24.material import Material
    from selu.benchmarks.page import Section

CLAIMS = f"{__name__}.claims"


def _read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    from selu.benchmarks.nlbse24 import readers

    return readers.read(reader, raw, set_)


def _rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    from selu.benchmarks.nlbse24 import readers

    return readers.cut_rows(task, sets)


def _clean(text: str, task: Task) -> str:
    from selu.benchmarks.nlbse24 import readers

    return readers.clean(text, task)


def _material(root: Path, tables: Tables, _altered: bool) -> Material:
    from selu.benchmarks.nlbse24 import material
    from selu.benchmarks.nlbse24.evidence import counted

    return material.read({**counted.read_all(root), **tables})


def _compare(root: Path, _material: Material, a: str, b: str) -> Record:
    from selu.benchmarks.nlbse24 import compare

    return compare.compare(root, a, b)


def _parts() -> Mapping[str, Part]:
    from selu.benchmarks.nlbse24.parts import PARTS

    return PARTS


def _page(evidence: Evidence) -> Section:
    from selu.benchmarks.nlbse24.page import page

    return page(evidence)


def _prepared(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    from selu.benchmarks.nlbse24.evidence.facts_files import facts

    return facts(evidence, progress)


def _rescore(published: Predictions, progress: Progress) -> Rescored:
    from selu.benchmarks.nlbse24.evidence.rescored_files import rescore

    return rescore(published, progress)


BENCHMARK = Benchmark(
    id="nlbse24",
    name="NLBSE'24",
    about="the tool competition on issue reports and code comments",
    claim_prefix="N",
    tasks=design.tasks,
    read=_read,
    rows=_rows,
    clean=_clean,
    material=_material,
    compare=_compare,
    claims=partial(declared_in, CLAIMS),
    claim=partial(declared_as, CLAIMS),
    parts=_parts,
    page=_page,
    paper=partial(read_paper, __name__),
    prepared=_prepared,
    rescore=_rescore,
)
