"""``selu prepare``: the rows of tasks; with all tasks of a benchmark, also further counts of its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selu import registry
from selu.app import report
from selu.data import prepare as preparation
from selu.data.inputs import why_no_rows
from selu.evidence.evidence import Evidence
from selu.files import write_atomic
from selu.papers.evidence import Progress
from selu.project import CLEAN, PINS, REPORTS
from selu.vocabulary import SeluError


def prepare(
    root: Path,
    tasks: Sequence[str],
    every: bool,
    mirror: Path | None,
    benchmark: str,
    progress: Progress,
    package: str | None = None,
) -> Iterator[Path]:
    """Prepare tasks of a benchmark, and count its data where none is named; yields what was written.

    Where none is named, tasks are left out whose pins know no place that has their rows.

    Raises:
        SeluError: an unknown name, or data that are not available or differ from their pin.
    """
    if package is not None and not tasks:
        raise SeluError("--package needs the task whose rows are made from it: name that task.")
    named = [*registry.of_benchmark(tasks, benchmark)]
    for name in () if tasks else tuple(named):
        if why := why_no_rows(root, registry.task_of(root, name)):
            named.remove(name)
            progress(f"{name} is left out: {why}")
    whole = every and benchmark == registry.DEFAULT
    yield from preparation.prepare(root, named, whole, mirror, progress, package)
    if not tasks:
        yield from count(root, benchmark, mirror, progress)


def count(root: Path, benchmark: str, mirror: Path | None, progress: Progress) -> list[Path]:
    """Count what else a benchmark's data say, and write it; what it no longer counts goes.

    Raises:
        SeluError: data that are not available or are damaged.
    """
    made = registry.benchmark(benchmark).prepared
    if made is None:
        return []
    found = made(Evidence(root, benchmark, mirror=mirror, say=progress), progress)
    written = report.write(root, benchmark, "prepare", found)
    for folder in {path.parent for path in written}:
        for stale in set(folder.glob("*.csv")) - set(written):
            stale.unlink()
    return written


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the user's choice.

    Attributes:
        name: OWNER/NAME.
        clone, verdicts, renew: as in ``selu.papers.api.Source``.
        judge: a model that says of each record whether it is clear, named as ``selu run --model`` takes it.
        max_cost: USD that the judge may cost; None: as much as it takes.
    """

    name: str
    clone: Path | None = None
    verdicts: Sequence[Path] = ()
    judge: str | None = None
    renew: bool = False
    max_cost: float | None = None


def mine(
    root: Path, benchmark: str, repository: Repository, mirror: Path | None, progress: Progress
) -> Iterator[Path]:
    """Make a benchmark's records from a repository of the user's choice; yield the written files.

    Texts lie beside prepared rows and tables beside reports, each below the folder of what is one's own.

    Raises:
        SeluError: the benchmark makes nothing of repositories, or as its own.
    """
    from selu.execution.texts import Asked
    from selu.papers.api import Source
    from selu.systems.prompt.budget import limited

    made = registry.benchmark(registry.known(benchmark)).mine
    if made is None:
        raise SeluError(f"{benchmark} makes no data from a repository: leave --repository out.")
    own = Path(registry.local().id) / benchmark / repository.name.lower().replace("/", "__")
    work, folders = root / ".selu" / "mined" / own, [mirror / benchmark] if mirror else []
    budget = limited(repository.max_cost)
    asked = Asked(root, benchmark, repository.judge, progress, budget) if repository.judge else None
    source = Source(
        repository.name, repository.clone, repository.verdicts, asked, repository.renew,
        work, root / PINS / benchmark, folders,
    )  # fmt: skip
    found = made(source, progress)
    for folder, files in ((root / CLEAN / own, found.texts), (root / REPORTS / own, found.tables)):
        for name, content in files.items():
            write_atomic(folder / name, content)
            yield folder / name
    for line in found.says:
        progress(line)
