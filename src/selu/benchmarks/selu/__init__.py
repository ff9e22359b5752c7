"""SELU: A Software Engineering Language Understanding Benchmark (Pena and Herbold)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.api import Benchmark, Raw, TaskRows, read_paper
from selu.benchmarks.claims import declared_as, declared_in
from selu.benchmarks.evidence import Evidence, Part, Predictions, Progress, Record, Rescored, Tables
from selu.benchmarks.selu import design
from selu.vocabulary import System, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.benchmarks.choosing import Bench
    from selu.benchmarks.page import Section
    from selu.benchmarks.selu.material import Material

CLAIMS = f"{__name__}.claims"


def _read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    from selu.benchmarks.selu import readers

    return readers.read(reader, raw, set_)


def _rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    from selu.benchmarks.selu import readers

    return readers.cut_rows(task, sets)


def _steps(task: Task) -> Sequence[str]:
    return design.cleaning()[task.id]


def _stand_in(task: Task, folder: Path) -> pd.DataFrame:
    from selu.benchmarks.selu.readers import synthetic

    return synthetic.rows(task, folder)


def _material(root: Path, tables: Tables, altered: bool) -> Material:
    from selu.benchmarks.selu import material

    return material.read(root, tables, altered)


def _cell_now(evidence: Evidence, material: Material, task: Task, system: System) -> Record | None:
    from selu.benchmarks.selu.evidence import baselines

    return baselines.cell_now(evidence, material, task, system)


def _bench(evidence: Evidence) -> Bench:
    from selu.benchmarks.selu import choosing

    return choosing.read_bench(evidence)


def _compare(_root: Path, material: Material, a: str, b: str) -> Record:
    from selu.benchmarks.selu import compare

    return compare.compare(material, a, b)


def _parts() -> Mapping[str, Part]:
    from selu.benchmarks.selu.parts import PARTS

    return PARTS


def _page(evidence: Evidence) -> Section:
    from selu.benchmarks.selu.pages.home import read_home

    return read_home(evidence)


def _rescore(published: Predictions, progress: Progress) -> Rescored:
    from selu.benchmarks.selu.evidence.rescored_files import rescore

    return rescore(published, progress)


BENCHMARK = Benchmark(
    id="selu",
    name="SELU",
    about="22 tasks on software engineering text, 28 fine-tuned, prompted and classical systems",
    claim_prefix="C",
    tasks=design.tasks,
    systems=design.systems,
    others=design.others,
    asked=False,
    absence=design.absence,
    read=_read,
    rows=_rows,
    steps=_steps,
    stand_in=_stand_in,
    prompts=Path(__file__).parent / "prompts",
    material=_material,
    cell_now=_cell_now,
    bench=_bench,
    compare=_compare,
    claims=partial(declared_in, CLAIMS),
    claim=partial(declared_as, CLAIMS),
    parts=_parts,
    page=_page,
    paper=partial(read_paper, __name__),
    rescore=_rescore,
)
