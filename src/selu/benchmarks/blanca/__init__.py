"""BLANCA: what text encoders know of text about code (Abdelaziz et al., 2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.api import Benchmark, Made, Raw, TaskRows, read_paper
from selu.benchmarks.blanca import design, kinds
from selu.benchmarks.claims import declared_as, declared_in
from selu.benchmarks.evidence import Evidence, Need, Part, Predictions, Progress, Rescored, RunScored, Tables
from selu.vocabulary import Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.benchmarks.blanca.material import Material
    from selu.benchmarks.page import Section


CLAIMS = f"{__name__}.claims"


def _read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    from selu.benchmarks.blanca import readers

    return readers.read(reader, raw, set_)


def _rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    from selu.benchmarks.blanca import readers

    return readers.cut_rows(task, sets)


def _make(_task: Task, package: str) -> Made:
    from selu.benchmarks.blanca import hierarchy

    return hierarchy.make(package)


def _material(root: Path, tables: Tables, _altered: bool) -> Material:
    from selu.benchmarks.blanca import material, rescored_files

    return material.read({**rescored_files.read_tables(root), **tables})


def _page(evidence: Evidence) -> Section:
    from selu.benchmarks.blanca.page import page

    return page(evidence)


def _rescore(published: Predictions, progress: Progress) -> Rescored:
    from selu.benchmarks.blanca.rescored_files import rescore

    return rescore(published, progress)


def _encoders(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    from selu.benchmarks.blanca.encoders import collect

    return collect(evidence, progress)


def _gains(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    from selu.benchmarks.blanca.gains import collect

    return collect(evidence, progress)


def _placed(evidence: Evidence, id: str, runs: Sequence[RunScored]) -> Mapping[str, str | bytes]:
    from selu.benchmarks.blanca.placing import place

    return place(evidence, id, runs)


BENCHMARK = Benchmark(
    id="blanca",
    name="BLANCA",
    about="what text encoders know of documentation and forum posts about code",
    claim_prefix="B",
    tasks=design.tasks,
    absence=design.absence,
    kinds=kinds.KINDS,
    read=_read,
    rows=_rows,
    made_of={"class_hierarchy": "sklearn"},
    make=_make,
    material=_material,
    claims=partial(declared_in, CLAIMS),
    claim=partial(declared_as, CLAIMS),
    parts=lambda: {
        "encoders": Part(_encoders, "encoders: the scores of runs, with times and memory"),
        "tuning": Part(_gains, "tuning: tuned encoders less the frozen one", frozenset({Need.ROWS})),
    },
    page=_page,
    paper=partial(read_paper, __name__),
    rescore=_rescore,
    placed=_placed,
)
