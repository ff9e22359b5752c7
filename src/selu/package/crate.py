"""The archive's provenance record, ``ro-crate-metadata.json``: contents, authors, and origin of results.

An RO-Crate 1.2 of the profile Provenance Run Crate 0.5 (https://w3id.org/ro/wfrun/provenance/0.5). That one
extends RO-Crate 1.1, so that both are named. The record comes from the files of a commit, its id and its date
alone, so that the same commit gives the same bytes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from selu.package.citation import Author, Described, name_of, read_citation, read_yaml
from selu.package.crate_files import Entities, Link
from selu.package.crate_runs import Runs

RECORD = "ro-crate-metadata.json"
_CRATE, _EXTENDED = "https://w3id.org/ro/crate/1.2", "https://w3id.org/ro/crate/1.1"
_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
_WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    _WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}


def describe(folder: Path, commit: str, when: datetime, progress: Callable[[str], None]) -> tuple[str, ...]:
    """Write the record of a commit beside its files.

    Args:
        folder: the files.
        commit: its id.
        when: its date, which stands for the date of publication.

    Returns:
        inputs of stages that changed since a stage read them, sorted.

    Raises:
        SeluError: CITATION.cff, dvc.yaml or dvc.lock is missing, damaged or lacks something.
    """
    citation = read_citation(folder)
    root: dict[str, Any] = {
        "@type": "Dataset",
        "name": citation["title"],
        "description": _about(folder, citation),
        "version": str(citation["version"]),
        "datePublished": when.isoformat(),
        "identifier": f"swh:1:rev:{commit}",  # as Software Heritage names a revision of git
    }
    profiles = [{"@id": place} for place in (_CRATE, _EXTENDED, _WORKFLOW_CRATE)]
    entities = Entities(root, {"@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": profiles})
    root["author"] = [_author(entities, author) for author in citation["authors"]]
    root["publisher"] = entities.of_type("Organization") or root["author"]
    root |= {"url": citation["repository-code"]} if citation.get("repository-code") else {}
    licence = citation["license"]
    place, says = f"https://spdx.org/licenses/{licence}", f"{licence}, see LICENSE and NOTICE."
    root["license"] = entities.add(place, "CreativeWork", name=licence, description=says, url=place)
    root["conformsTo"] = [
        entities.add(name, ["CreativeWork", "Profile"], name=title, version=version)
        for name, (title, version) in _PROFILES.items()
    ]
    works = [_work(entities, work) for work in _literature(folder, citation)]
    distinct = list({work["@id"]: work for work in works}.values())
    root["citation"] = [work for work in distinct if ":" in work["@id"]]  # by an address, as 1.2 asks
    root["mentions"] = [work for work in distinct if work not in root["citation"]]
    outdated = Runs(entities, folder).add(when)
    graph = [{"@id": name, **_compacted(entity)} for name, entity in entities.known.items()]
    record = {"@context": [f"{_CRATE}/context", _TERMS], "@graph": graph}
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    (folder / RECORD).write_text(text, "utf-8", newline="")
    progress(f"{RECORD}: {len(entities.of_type('ControlAction'))} stages, {len(graph)} entities")
    if outdated:
        names = ", ".join(outdated[:3]) + (", ..." if outdated[3:] else "")
        progress(f"changed since a stage read it: {names}; the record says so, and 'dvc repro' fixes it")
    return outdated


def _compacted(entity: Mapping[str, object]) -> Mapping[str, object]:
    """Return an entity without empty lists and with lists of one value unwrapped, as the specification asks."""
    return {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in entity.items()
        if value != []
    }


def _about(folder: Path, citation: Described) -> str:
    if citation.get("abstract"):
        return str(citation["abstract"])
    path = folder / "pyproject.toml"
    declared = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    return str(declared.get("project", {}).get("description") or citation["title"])


def _author(entities: Entities, author: Author) -> Link:
    """Add a person or, where CITATION.cff gives one name alone, an organisation."""
    names = {} if "name" in author else {"givenName": "given-names", "familyName": "family-names"}
    properties = {term: str(author.get(field, "")) for term, field in names.items()}
    properties |= _some(author, "affiliation", "email")
    name, site = name_of(author), author.get("orcid") or author.get("website")
    kind = "Person" if names else "Organization"
    return entities.add(str(site or f"#author/{quote(name)}"), kind, name=name, **properties)


def _literature(folder: Path, citation: Described) -> Iterator[Mapping[str, str]]:
    """Yield the works that CITATION.cff refers to, and those that the benchmarks' tasks come from."""
    for work in citation.get("references", []):
        names = ", ".join(map(name_of, work.get("authors", [])))
        yield {"title": work["title"], "authors": names, **_some(work, "doi", "url", "year")}
    for path in sorted((folder / "src" / "selu" / "papers").glob("*/tasks.yaml")):
        for task in read_yaml(path):
            for work in task["citation"]:
                yield _some(work, "title", "authors", "doi", "year", "venue")


def _some(work: Mapping[str, object], *fields: str) -> Mapping[str, str]:
    return {field: str(work[field]) for field in fields if work.get(field)}


def _work(entities: Entities, work: Mapping[str, str]) -> Link:
    title, doi = work["title"], work.get("doi")
    place = f"https://doi.org/{doi}" if doi else work.get("url")
    known = {"author": work.get("authors"), "datePublished": work.get("year"), "description": work.get("venue")}
    properties = {name: value for name, value in known.items() if value}
    return entities.add(place or f"#work/{quote(title)}", "ScholarlyArticle", name=title, **properties)
