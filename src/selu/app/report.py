"""``selu report``: parts of a benchmark's report, or pages over all benchmarks, from tracked files.

A benchmark declares its parts; claims and notebooks are of any, and some parts are of the project as a whole.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from selu import registry
from selu.app import documents
from selu.app.ranking import boards
from selu.evidence.evidence import Evidence
from selu.files import to_json, write_atomic
from selu.names import nearest
from selu.papers import evidence as given
from selu.papers.api import Benchmark
from selu.papers.evidence import Part, Progress
from selu.papers.page import Section
from selu.project import REPORTS, SHARED, params_of, sections
from selu.report.site_boards import with_boards
from selu.runs import atomic
from selu.vocabulary import SeluError

SITE, SETTINGS = REPORTS / "site", REPORTS / "settings"
CLAIMS = (Path("docs") / "CLAIMS.md", Path("docs") / "CLAIMS_HISTORY.md")
ARCHITECTURE = (REPORTS / "architecture.svg", Path("docs") / "architecture.svg")  # tracked by DVC, and by git
NOTEBOOK, NOTEBOOKS, AUDIT = "notebook", "notebooks", "audit"


def make(
    root: Path, what: Sequence[str], progress: Progress, benchmark: str = registry.DEFAULT
) -> Iterator[Path]:
    """Return an iterator that makes parts one after another, writes them and yields what was written.

    Args:
        what: names of parts, or ``notebook`` and the name of one.

    Raises:
        SeluError: an unknown benchmark or part, at once; an unknown notebook or damaged input, when it is made.
    """
    known = parts(benchmark)
    if NOTEBOOK in what:
        if len(what) != 2 or what[0] != NOTEBOOK:
            raise SeluError("'selu report notebook NAME' takes the name of one notebook, and no other part.")
        return iter(_notebooks(root, what[1], benchmark, progress))
    every = [*known, NOTEBOOK, NOTEBOOKS, AUDIT, *_OF_ALL]
    for name in what:
        if name not in every:
            raise nearest(name, every, "part of the report")
    return (path for name in what for path in _made(root, name, known, progress, benchmark))


def _made(
    root: Path, name: str, known: Mapping[str, Part], progress: Progress, benchmark: str
) -> Sequence[Path]:
    if name in _OF_ALL:
        says, of_all = _OF_ALL[name]
        progress(says)
        registry.check_none_refused()
        written = of_all(root)
        if not written:
            progress(f"{name}: no file changed")
        return written
    if name == NOTEBOOKS:
        return _notebooks(root, None, benchmark, progress)
    if name == AUDIT:
        return _audit(root, benchmark)
    part = known[name]
    if part.says:
        progress(part.says)
    return write(root, benchmark, name, part.make(Evidence(root, benchmark), progress))


def parts(benchmark: str) -> Mapping[str, Part]:
    """List the parts of a benchmark's report by name: those that it declares, and its claims.

    Raises:
        SeluError: there is no such benchmark.
    """
    found = registry.benchmark(registry.known(benchmark))
    return {**found.parts(), "claims": Part(lambda evidence, progress: _claims(benchmark, evidence, progress))}


def write(root: Path, benchmark: str, part: str, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write what a part made below the benchmark's folder; nothing where a name points outside it.

    Raises:
        SeluError: naming benchmark, part and file.
    """
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
            raise SeluError(
                f"the part {part} of {benchmark} made the file {name!r}, which points outside "
                f"{REPORTS / benchmark}: name it relative to that folder, without '..'."
            )
    for name, content in files.items():
        write_atomic(root / REPORTS / benchmark / name, content)
    return [root / REPORTS / benchmark / name for name in files]


def _claims(benchmark: str, evidence: given.Evidence, progress: Progress) -> Mapping[str, str]:
    from selu.papers.claims import claims_record

    claims = registry.claims(benchmark)
    progress(f"claims: {len(claims)}")
    return {"claims.json": to_json(claims_record(evidence.published(), claims))}


def _notebooks(root: Path, name: str | None, benchmark: str, progress: Progress) -> list[Path]:
    from selu.report.notebooks import executing

    every = executing.names(root, benchmark)
    if name is not None and name not in every:
        raise nearest(name, every, "notebook")
    sources = [
        root / "notebooks" / benchmark / f"{notebook}.ipynb" for notebook in (every if name is None else [name])
    ]
    written: list[Path] = []
    for source, text in executing.execute_all(sources, root, root / REPORTS / benchmark):
        progress(f"notebook: {source.stem}")
        written += write(root, benchmark, NOTEBOOK, {f"notebooks/{source.name}": text})
    return sorted(written)


def _settings(root: Path) -> list[Path]:
    """Write each section of the parameters to a file of its own: what a stage depends on, quickly read."""
    files = {
        root / SETTINGS / benchmark / f"{section}.json": json.dumps(value, indent=1, default=str) + "\n"
        for benchmark in (SHARED, *registry.published())
        if (root / params_of(benchmark)).is_file()
        for section, value in sections(root, benchmark).items()
    }
    for path, text in files.items():
        write_atomic(path, text)
    return sorted(files)


def _rules(root: Path) -> list[Path]:
    from selu.report.rules import history, page

    every = {id: registry.benchmark(id) for id in registry.published()}
    named = {
        benchmark.name: Evidence(root, id).claims() for id, benchmark in every.items() if benchmark.has_claims
    }
    for path, text in zip(CLAIMS, (page(named), history(named)), strict=True):
        write_atomic(root / path, text)
    return [root / path for path in CLAIMS]


def _architecture(root: Path) -> list[Path]:
    import selu
    from selu.package import architecture
    from selu.papers.drawing import images

    picture = images(architecture.draw(Path(selu.__file__).parent), ["svg"])
    for path in ARCHITECTURE:
        write_atomic(root / path, picture["svg"])
    return [root / path for path in ARCHITECTURE]


def sections_of(root: Path, names: Sequence[str] = ()) -> list[Section]:
    """Read what the site shows of these benchmarks, or of each; a SeluError where a record is damaged."""
    found = []
    for id in names or registry.published():
        benchmark, here = registry.benchmark(id), Evidence(root, id)
        if benchmark.page:
            section = replace(
                benchmark.page(here), paper=benchmark.paper(), code=_places(benchmark), drawn=here.figures()
            )
            found.append(section if benchmark.bench else with_boards(section, boards.every(root, id)))
    return found


def _audit(root: Path, benchmark: str) -> list[Path]:
    from selu.app import audit_report

    return [audit_report.write(root, section) for section in sections_of(root, [benchmark])]


def _site(root: Path) -> list[Path]:
    from selu.report.site import build_site

    folder = root / SITE
    files = build_site(sections_of(root), repository_of(root))
    atomic.make_folder(folder.parent)
    with atomic.locked(folder, alone=True):
        atomic.replace_folder(folder, files, Path.is_dir)
    return [folder / "index.html"]


def repository_of(root: Path) -> str:
    """Read where the package is kept from CITATION.cff, which a fork fills in; empty where it names no place.

    Raises:
        SeluError: the file is damaged, or a browser can't open the address.
    """
    from selu.package import citation

    if not (root / citation.FILE).is_file():
        return ""
    address = citation.cited(root).address.rstrip("/")
    if address and not address.startswith("https://"):
        raise SeluError(
            f"{citation.FILE}: repository-code {address!r} does not begin with https://: correct it."
        )
    return address


def _places(benchmark: Benchmark) -> Mapping[str, str]:
    """Find the file and the function that decide each claim; none where it is no file of ours.

    No line: it would change the pages with every edit above it.
    """
    import selu

    source = Path(selu.__file__).parents[1]  # not the clone's folder: a copy of it may be reproduced elsewhere
    found = {}
    for claim in benchmark.claims():
        code = getattr(inspect.unwrap(claim.check), "__code__", None)
        path = Path(code.co_filename) if code else Path()
        if code and code.co_name != "<lambda>" and path.is_relative_to(source):
            found[claim.id] = f"src/{path.relative_to(source).as_posix()}, {code.co_name}()"
    return found


_OF_ALL = {
    "settings": ("settings: each section of the parameters", _settings),
    "rules": ("rules: the rule of each claim", _rules),
    "site": ("site", _site),
    "documents": (
        "documents: the parts of README and other pages that come from tracked files",
        documents.write,
    ),
    "architecture": ("architecture: the rooms, drawn from the imports", _architecture),
}
