"""``selu report documents``: the generated blocks of README and other pages, from tracked files."""

from __future__ import annotations

import re
from pathlib import Path

from selu import registry
from selu.app.ranking.scores import count_tasks
from selu.evidence.tracked import tracked_claims
from selu.files import write_atomic
from selu.project import REPORTS
from selu.report.verdicts import headline
from selu.vocabulary import SeluError

DOCUMENTS = (Path("README.md"), Path("REPRODUCE.md"), Path("docs") / "RESULTS.md")
PICTURE = Path("docs") / "overview.png"
_BLOCK = re.compile(r"(<!-- (?P<name>\w+): .*?-->\n).*?(<!-- /(?P=name) -->)", re.DOTALL)
_FILES = {"summary": "summary.md", "results": "tables/results.md", "hours": "scale/hours.md"}
_FILES |= {name: f"{name}.md" for name in ("ways", "artefacts")}


def write(root: Path) -> list[Path]:
    """Write each block of the documents again, and the picture; text outside of blocks is left alone.

    Returns:
        the files whose content changed; the others are not touched.

    Raises:
        SeluError: a block that nothing makes, or a part of the report that is not here.
    """
    made = {root / document: filled(root, document).encode("utf-8") for document in DOCUMENTS}
    made[root / PICTURE] = (_report(root) / "figures" / PICTURE.name).read_bytes()
    changed = [path for path, content in made.items() if not path.is_file() or path.read_bytes() != content]
    for path in changed:
        write_atomic(path, made[path])
    return changed


def filled(root: Path, document: Path) -> str:
    """Read a document and put into each block what it has to hold; errors as ``write``."""
    text = (root / document).read_text("utf-8")
    return _BLOCK.sub(lambda found: f"{found[1]}{block(root, found['name'])}{found[3]}", text)


def block(root: Path, name: str) -> str:
    """Return the content of one block; raises the errors of ``write``."""
    if name == "benchmarks":
        return _benchmarks(root)
    if name not in _FILES:
        raise SeluError(f"no part of the report makes the block {name!r}: known are {', '.join(_FILES)}.")
    path = _report(root) / _FILES[name]
    if not path.is_file():
        raise SeluError(f"{path} is missing: 'dvc pull' brings it, or 'selu report {name}'.")
    return path.read_text("utf-8")


def _report(root: Path) -> Path:
    return root / REPORTS / registry.DEFAULT


def _benchmarks(root: Path) -> str:
    lines = ["| Paper | What it is | Tasks | What was found |", "| :-- | :-- | --: | :-- |"]
    tracked = (root / "dvc.lock").read_text("utf-8")
    for name in registry.published():
        if f"reports/{name}/" not in tracked:
            continue  # a paper of the user's own, not shared yet
        benchmark = registry.benchmark(name)
        found = headline(tracked_claims(root, name)) if benchmark.claim_prefix else ""
        lines.append(f"| {benchmark.name} | {benchmark.about} | {count_tasks(root, benchmark)} | {found} |")
    return "\n".join(lines) + "\n"
