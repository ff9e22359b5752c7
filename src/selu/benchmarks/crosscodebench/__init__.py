"""CrossCodeBench: 216 text-to-text tasks on code, and splits across tasks (Niu et al., ICSE 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selu.benchmarks.api import Audited, Benchmark, Raw, TaskRows, read_paper, read_tasks
from selu.benchmarks.claims import declared_as, declared_in
from selu.benchmarks.crosscodebench import kinds
from selu.benchmarks.evidence import (
    Evidence,
    Need,
    Part,
    Predictions,
    Progress,
    Rescored,
    Tables,
)
from selu.vocabulary import System, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.benchmarks.asked import Learner
    from selu.benchmarks.crosscodebench.material import Material
    from selu.benchmarks.page import Section

CLAIMS = f"{__name__}.claims"


def _read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    from selu.benchmarks.crosscodebench.collection import convert

    return convert.read(reader, raw, set_)


def _rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    from selu.benchmarks.crosscodebench.collection import convert

    return convert.cut_rows(task, sets)


def _prepared(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    from selu.benchmarks.crosscodebench.splits.record import prepare

    return prepare(evidence, progress)


def _audit(folder: Path, progress: Progress) -> Audited:
    from selu.benchmarks.crosscodebench.collection.audit import audit

    return audit(folder, progress)


def _cut(folder: Path, split: str, out: Path) -> dict[str, Any]:
    from selu.benchmarks.crosscodebench.splits.cut import cut, tell

    return {**tell(cut(folder, split, out, apart=True))}


def _absence(_system: System, _task: Task) -> str:
    """Say why a system that answers with labels or numbers has no score: it has to write a text."""
    return "CrossCodeBench asks for texts: 'selu run --benchmark crosscodebench --model NAME' asks a model."


def _material(root: Path, tables: Tables, _altered: bool) -> Material:
    from selu.benchmarks.crosscodebench import material
    from selu.benchmarks.crosscodebench.splits.record import read_tables

    return material.read({**read_tables(root), **tables})


def _page(evidence: Evidence) -> Section:
    from selu.benchmarks.crosscodebench.page import page

    return page(evidence)


def _rescore(published: Predictions, progress: Progress) -> Rescored:
    from selu.benchmarks.crosscodebench.rescored_files import rescore

    return rescore(published, progress)


def _baselines(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    from selu.benchmarks.crosscodebench.answering.baselines_part import make

    return make(evidence, progress)


def _ask(evidence: Evidence, given: Learner, tasks: Sequence[str]) -> Mapping[str, str | bytes]:
    from selu.benchmarks.crosscodebench.answering.own import run

    return run(evidence, given, tasks)


_BASELINES = Part(
    _baselines,
    "baselines: what answers without a trained model score",
    frozenset({Need.ROWS, Need.MODELS}),  # an encoder is among them
)
BENCHMARK = Benchmark(
    id="crosscodebench",
    name="CrossCodeBench",
    about="whether a model that learnt many tasks on code can do one that it has not seen",
    claim_prefix="X",
    tasks=partial(read_tasks, __name__),
    kinds=kinds.KINDS,
    read=_read,
    rows=_rows,
    prepared=_prepared,
    material=_material,
    claims=partial(declared_in, CLAIMS),
    claim=partial(declared_as, CLAIMS),
    parts=lambda: {"baselines": _BASELINES},
    page=_page,
    rescore=_rescore,
    absence=_absence,
    audit=_audit,
    cut=_cut,
    ask=_ask,
    paper=partial(read_paper, __name__),
)
