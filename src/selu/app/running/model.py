"""``selu run --model``: the user's own model on the tasks of a benchmark with text answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from selu import registry
from selu.evidence.evidence import Evidence
from selu.execution.learnt_texts import Named
from selu.files import write_atomic
from selu.papers.evidence import Progress
from selu.project import REPORTS
from selu.systems.prompt.budget import limited
from selu.vocabulary import SeluError


def run(
    root: Path,
    benchmark: str,
    name: str,
    tasks: Sequence[str],
    progress: Progress,
    max_cost: float | None = None,
) -> Iterator[Path]:
    """Ask a model for missing answers, and write its scores and a page; yield the written files.

    Args:
        name: of a prompted model in params.yaml, of one that the benchmark's parameters declare to be tuned, a
            folder, or OWNER/NAME of the hub.
        tasks: all that the benchmark's parameters name where there is none.
        max_cost: USD that the model may cost from now on.

    Raises:
        SeluError: the benchmark asks no models by itself, or as of its ``ask`` and the model's.
    """
    ask = registry.benchmark(registry.known(benchmark)).ask
    if ask is None:
        asking = ", ".join(paper for paper in registry.published() if registry.benchmark(paper).ask)
        raise SeluError(f"--model goes with --paper {asking}; on {benchmark}, name a system by --system.")
    if tasks:
        registry.of_benchmark(tasks, benchmark)
    given = Named(root, benchmark, name, progress, limited(max_cost))
    folder = root / REPORTS / registry.local().id / benchmark / given.id
    for file, content in ask(Evidence(root, benchmark), given, tasks).items():
        write_atomic(folder / file, content)
        yield folder / file
