"""``codecheck.yml`` of a paper: what a codechecker reproduces, and the result.

The form is the CODECHECK configuration file specification 2.0 (https://codecheck.org.uk/spec/config/2.0/).
What only a person knows (ORCIDs, codechecker, certificate, report) is left as FIXME, as in its template.
"""

from __future__ import annotations

from pathlib import Path

from selu import registry
from selu.evidence.tracked import tracked_claims
from selu.files import JsonObject
from selu.package.citation import FILL_IN, Citation
from selu.project import REPORTS
from selu.report.verdicts import headline
from selu.vocabulary import SeluError

VERSION = "https://codecheck.org.uk/spec/config/2.0/"
_MADE = {  # what the paper's outputs are below reports/BENCHMARK
    "tables/*.csv": "table",
    "figures/*.svg": "figure",
    "claims.json": "verdict of each claim",
    "rescored.json": "scores of the authors' predictions",
}


def describe(root: Path, benchmark: str, citation: Citation) -> JsonObject:
    """Build the record of a paper.

    Raises:
        SeluError: it declares no paper, or its reports are not here.
    """
    declared = registry.benchmark(registry.known(benchmark))
    paper = declared.paper()
    if paper is None:
        raise SeluError(f"{declared.name} declares no paper.yaml, by which a codecheck names its paper.")
    unknown = {"ORCID": FILL_IN}
    return {
        "version": VERSION,
        "paper": {
            "title": paper.title,
            "authors": [{"name": name, **unknown} for name in paper.authors],
            "reference": paper.link or f"https://{FILL_IN}",
        },
        "manifest": _manifest(root, benchmark),
        "codechecker": [{"name": FILL_IN, **unknown}],
        "summary": headline(tracked_claims(root, benchmark)),
        "repository": citation.address or f"https://{FILL_IN}",
        "check_time": FILL_IN,
        "certificate": FILL_IN,
        "report": f"https://doi.org/10.5281/zenodo.{FILL_IN}",
    }


def _manifest(root: Path, benchmark: str) -> list[JsonObject]:
    folder = root / REPORTS / benchmark
    files = [(path, what) for glob, what in _MADE.items() for path in sorted(folder.glob(glob))]
    if not files:
        raise SeluError(f"{folder} holds no table and no figure: 'dvc pull' brings them.")
    return [
        {
            "file": path.relative_to(root).as_posix(),
            "comment": f"{what}{'' if path.parent == folder else f' {path.stem}'}; made by 'make reproduce'",
        }
        for path, what in files
    ]
