"""``selu`` without a verb: what is here, what was found, and what to do next."""

from __future__ import annotations

from pathlib import Path

from selu import __version__, registry
from selu.evidence.tracked import tracked_cells, tracked_claims
from selu.papers.api import Benchmark
from selu.project import REPORTS, find_root
from selu.report.console import prose
from selu.report.verdicts import headline
from selu.vocabulary import CellState, SeluError


def lines(start: Path | None) -> list[str]:
    """Write the status of a clone and its benchmarks, and the next steps; of no clone, how to get to one."""
    head = f"selu {__version__} checks every number and claim of a benchmark paper."
    try:
        root = find_root(start)
    except SeluError as error:
        return [head, str(error), "All verbs: selu --help"]
    every = [registry.benchmark(name) for name in registry.published()]
    indent = 2 + max(len(benchmark.name) for benchmark in every)
    found = [
        line for benchmark in every for line in prose(_found(root, benchmark), indent, f"{benchmark.name}:")
    ]
    task = registry.tasks(registry.DEFAULT)[0].id
    return [
        f"selu {__version__}, clone {root}",
        *found,
        "Check a paper: selu verify (seconds), then make reproduce (every byte)",
        "Your table:    selu check FILE; 'selu new NAME --scores FILE' makes it a paper",
        f"More:          selu show {task}, selu compare A B, selu doctor, selu --help",
    ]


def _found(root: Path, benchmark: Benchmark) -> str:
    if not (root / REPORTS / benchmark.id).is_dir():
        return "not here yet: 'dvc pull' downloads the tracked part."
    try:
        claims = tracked_claims(root, benchmark.id) if benchmark.claim_prefix else []
        cells = tracked_cells(root, benchmark.id)
    except SeluError as error:
        return str(error)
    scored = registry.scored(root, benchmark.id)
    published = sum(cell.state is CellState.PRESENT for cell in scored.cells) if scored else 0
    checked = sum(cell["value"] is not None for cell in cells.values())
    parts = [headline(claims)] if claims else []
    return " ".join([*parts, *([f"{checked} of {published:,} scores checked."] if published else [])])
