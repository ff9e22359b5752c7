"""``selu report audit``: what was checked of a benchmark and how, as a PDF for reviewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from selu import __version__
from selu.clones import run
from selu.files import sha256_of, write_atomic
from selu.names import word
from selu.papers.page import Section
from selu.project import REPORTS
from selu.report.pdf import Document
from selu.report.site_claims import by_question
from selu.report.site_front import Group, front
from selu.vocabulary import WEIGHTS, ClaimFound, SeluError, Verdict

_COLOURS = {Verdict.HOLDS: "#0b5cad", Verdict.CAVEAT: "#8a5a00", Verdict.FAILS: "#b0330a"}
_NAMES = {"conclusion": "Conclusions", "method": "Method", "detail": "Details", "": "Other claims"}


def write(root: Path, section: Section) -> Path:
    """Write the report of one benchmark to ``reports/ID/audit.pdf``.

    The same tracked files and commit give the same bytes.

    Raises:
        SeluError: the site shows nothing of it that could be reported.
    """
    if not section.claims:
        raise SeluError(f"{section.name} has no claims yet, so there is nothing to report of it.")
    path = root / REPORTS / section.id / "audit.pdf"
    write_atomic(path, report(section, commit_of(root), hashes_of(root / REPORTS / section.id)))
    return path


def report(section: Section, commit: str, hashes: Mapping[str, str]) -> bytes:
    """Return the report: the paper, the findings, counts, each claim and how it was decided, and hashes."""
    made = f"selu {__version__}, commit {commit}"
    document = Document(f"{section.name}: audit report", f"{section.name}, audit report. {made}.")
    document.text(f"{section.name}: audit report", size=18, bold=True)
    document.space()
    _paper(document, section, made)
    found = front(section)
    document.heading("What was found")
    for sentence in found["sentences"]:
        document.text(f"• {sentence}")
    _counts(document, section, found["groups"])
    for weight in (*WEIGHTS, ""):
        claims = [claim for claim in section.claims if claim.get("weight", "") == weight]
        grouped = [claim for _, group in by_question(claims) for claim in group]
        if grouped:
            document.heading(f"{_NAMES[weight]}: {len(grouped)}", 14)
        for claim in grouped:
            _claim(document, section, claim)
    document.heading("Files behind this report, with their sha256")
    for name, digest in hashes.items():
        document.text(name, size=8)
        document.code(digest, indent=12)
    return document.content()


def _paper(document: Document, section: Section, made: str) -> None:
    paper = section.paper
    if paper:
        document.text(paper.title, size=11, bold=True)
        known = [
            ", ".join(paper.authors),
            ", ".join(filter(None, (paper.venue, str(paper.year or "")))),
            paper.link,
        ]
        document.text(". ".join(filter(None, known)))
        if paper.code:
            document.text(
                f"Authors' package: {paper.code}" + (f", commit {paper.commit}" if paper.commit else "")
            )
    document.text(f"Checked by {made}. Every number comes from a tracked file; 'make reproduce' recomputes it.")


def _counts(document: Document, section: Section, groups: Sequence[Group]) -> None:
    document.heading("Verdicts by weight and kind")
    rows = [["Claims", "All", *(verdict.label for verdict in Verdict)]]
    for group in groups:
        name = group.word or (f"no {group.grouping} given" if group.grouping else "all")
        rows.append([name, str(group.count), *(str(count) for count in group.verdicts.values())])
    document.table(rows, (0.22, 0.08, 0.12, 0.24, 0.16, 0.18))
    checked = [row for row in section.checked if row.checked]
    if checked:
        document.heading("Published scores that were checked")
        heads = ["", "Published", "Re-scored", "Re-run", "Differ", "Recounted"]
        document.table([heads, *([row.name, *map(str, row[1:])] for row in checked)], (0.35, *[0.13] * 5))


def _claim(document: Document, section: Section, claim: ClaimFound) -> None:
    document.heading(f"{claim['id']}  {claim['statement']}", 10)
    verdict, small = Verdict(claim["verdict"]), partial(document.text, size=8.0, indent=12.0)
    about = ", ".join(text for text in (claim["section"], claim["kind"]) if text)
    document.text(f"{verdict.label} ({about})", bold=True, colour=_COLOURS.get(verdict, "#596068"), indent=12)
    if claim["quote"]:
        document.text(f"“{claim['quote']}”", indent=12)
    document.text(claim["because"], indent=12)
    if claim["if_it_fails"]:
        small(f"What changes if it fails: {claim['if_it_fails']}")
    if rule := claim.get("rule"):
        caveat = word(Verdict.CAVEAT)
        small(f"Holds where: {rule['holds']}")
        if "caveat" in rule:
            small(f"{caveat[0].upper()}{caveat[1:]} where: {rule['caveat']}")
        small(f"Does not hold where: {rule['fails']}")
    if claim["id"] in section.code:
        small(f"Decided by {section.code[claim['id']]}")
    document.code(f"selu verify --claim {claim['id']}", indent=12)


def hashes_of(folder: Path) -> Mapping[str, str]:
    """Hash the tracked records below a benchmark's folder of reports, by their names."""
    paths = sorted(path for ending in ("json", "csv", "ipynb") for path in folder.rglob(f"*.{ending}"))
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}


def commit_of(root: Path) -> str:
    """Name the commit of the clone, and say where files differ from it; 'not known' outside of a clone."""
    try:
        commit = run(root, "rev-parse", "HEAD").decode().strip()
        changed = run(root, "status", "--porcelain", "--untracked-files=no")
    except SeluError:
        return "not known"
    return f"{commit}{' with changes' if changed else ''}"
