"""FAUN-Eval: what language models make of real issues, from the answer to the edit (Hu et al., 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selu.benchmarks.api import Benchmark, read_paper
from selu.benchmarks.claims import declared_as, declared_in
from selu.benchmarks.evidence import Evidence, Need, Part, Predictions, Progress, Rescored, Tables

if TYPE_CHECKING:
    from selu.benchmarks.asked import Given
    from selu.benchmarks.faun_eval.material import Material
    from selu.benchmarks.mined import Mined, Source
    from selu.benchmarks.page import Section

CLAIMS = f"{__name__}.claims"


def _material(root: Path, tables: Tables, _altered: bool) -> Material:
    from selu.benchmarks.faun_eval import material, rescored_files

    return material.read({**rescored_files.read_tables(root), **tables})


def _page(evidence: Evidence) -> Section:
    from selu.benchmarks.faun_eval.page import page

    return page(evidence)


def _rescore(published: Predictions, progress: Progress) -> Rescored:
    from selu.benchmarks.faun_eval.rescored_files import rescore

    return rescore(published, progress)


def _mine(source: Source, progress: Progress) -> Mined:
    from selu.benchmarks.faun_eval.pipeline.command import mine

    return mine(source, progress)


def _answered(published: Predictions, file: Path, progress: Progress) -> tuple[str, Mapping[str, str | bytes]]:
    from selu.benchmarks.faun_eval.agent.page import place

    return place(published, file, progress)


def _retrieval(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    from selu.benchmarks.faun_eval.retrieval.part import collect

    return collect(evidence, progress)


def _funnel(evidence: Evidence, progress: Progress) -> Mapping[str, str | bytes]:
    from selu.benchmarks.faun_eval.pipeline.listed import collect

    return collect(evidence, progress)


def _ask(evidence: Evidence, given: Given, tasks: Sequence[str]) -> Mapping[str, str | bytes]:
    from selu.benchmarks.faun_eval.retrieval.named import ask

    return ask(evidence, given, tasks)


PARTS = {
    "retrieval": Part(
        _retrieval, "retrieval: files and questions, ranked", frozenset({Need.PUBLISHED, Need.MODELS})
    ),
    "funnel": Part(_funnel, "funnel: published pairs through the filters", frozenset({Need.PUBLISHED})),
}

BENCHMARK = Benchmark(
    id="faun_eval",
    name="FAUN-Eval",
    about="how language models answer an issue, find the file at fault and edit it",
    claim_prefix="F",
    material=_material,
    claims=partial(declared_in, CLAIMS),
    claim=partial(declared_as, CLAIMS),
    parts=lambda: PARTS,
    page=_page,
    rescore=_rescore,
    mine=_mine,
    answered=_answered,
    ask=_ask,
    paper=partial(read_paper, __name__),
)
