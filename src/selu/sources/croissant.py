"""Croissant metadata (MLCommons, version 1.1) of one task: where its bytes come from, what its rows hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from selu.files import JsonObject
from selu.metrics import kinds
from selu.names import DATA
from selu.sources.pins import FormKind, Pin
from selu.vocabulary import Kind, Task

_ML = "http://mlcommons.org/croissant/"
_TERMS = (
    "citeAs column extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key "
    "md5 parentField path recordSet references regex repeated replace separator source subField transform"
)
_NUMBERED = (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL)
PAPER = "https://arxiv.org/abs/2506.10833"  # where a task is cited without a DOI
TEXTS = ("text", "paper", "sound")
Column = tuple[str, str, bool]  # its name, its type, and whether it holds a list
_FORMATS = {
    FormKind.CSV: "text/csv",
    FormKind.LINES: "text/plain",
    FormKind.PARQUET: "application/x-parquet",
    FormKind.TAGGED: "text/plain",
}


def metadata(
    task: Task,
    pin: Pin,
    availability: str,
    notes: Sequence[str],
    prepared: Sequence[JsonObject],
    shots: int,
    version: str,
) -> JsonObject:
    """Build the JSON-LD record of one task.

    Args:
        availability: of the rows (equal, partial, synthetic, package).
        notes: where the rows differ from the paper's, in sentences.
        shots: of each test row.
        prepared: the files with the ids ``rows``, ``split`` and ``shots``, which become record sets.
    """
    ours = availability == "synthetic"
    sources = [] if ours else upstream(pin)
    return {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": f"{_ML}1.1",
        "name": task.id,
        "description": " ".join([task.question, f"Rows: {DATA[availability]}.", *notes]),
        "license": "Apache-2.0" if ours else pin.licence,
        "citeAs": "Synthetic rows written for the selu package." if ours else pin.cite,
        "url": f"https://doi.org/{doi}" if (doi := task.citation[0].doi) else PAPER,
        "version": version,
        "datePublished": str(task.citation[0].year),
        "distribution": [*prepared, *sources],
        "recordSet": [_record_set(name, fields) for name, fields in _columns(task, shots).items()],
    }


def describe_file(name: str, url: str, sha256: str, form: str, about: str) -> JsonObject:
    """Build the record of a file; ``url`` is relative to the task's for files of the project's own."""
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": about,
        "contentUrl": url,
        "encodingFormat": form,
        "sha256": sha256,
    }


def upstream(pin: Pin) -> list[JsonObject]:
    """List the pinned files of the pin's repositories, each with its address and sha256."""
    found = []
    for origin in pin.origins:
        for file in origin.files:
            if file.repository is None or file.commit is None or file.sha256 is None:
                continue
            # The raw host gives but a pointer for a file in large-file storage.
            host = "media.githubusercontent.com/media" if file.lfs else "raw.githubusercontent.com"
            url = f"https://{host}/{file.repository}/{file.commit}/{quote(file.path)}"
            name, about = f"{origin.name}/{file.name}", f"upstream file, origin {origin.name}"
            form = _FORMATS.get(file.form.kind, "application/octet-stream")
            found.append(describe_file(name, url, file.sha256, form, about))
    return found


def _columns(task: Task, shots: int) -> Mapping[str, Sequence[Column]]:
    """Name the columns of each record set, their type, and whether they hold a list."""
    tokens = task.kind in (Kind.ENTITIES, Kind.MASKED)
    asked = kinds.columns(task.kind) if tokens or kinds.added(task.kind) else TEXTS
    label = "Text" if tokens else "Integer" if task.kind in _NUMBERED else "Float"
    several = tokens or task.kind is Kind.MULTI_LABEL

    def texts(*names: str) -> list[Column]:
        return [(name, "Text", False) for name in names]

    rows = [*((name, "Text", tokens) for name in asked), ("label", label, several)]
    return {
        "rows": [*texts("id"), *rows, *texts("group", "source")],
        "split": texts("id", "paper", "strict", "grouped"),
        "shots": texts("id", *(f"shot_{number + 1}" for number in range(shots))),
    }


def _context() -> JsonObject:
    terms: JsonObject = {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "cr": _ML,
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "rai": f"{_ML}RAI/",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        **{term: f"cr:{term}" for term in _TERMS.split()},
    }
    return dict(sorted(terms.items()))


def _record_set(name: str, fields: Sequence[Column]) -> JsonObject:
    return {
        "@type": "cr:RecordSet",
        "@id": f"{name}_records",
        "name": f"{name}_records",
        "key": {"@id": f"{name}_records/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}_records/{column}",
                "name": column,
                "description": f"column {column} of {name}",
                "dataType": f"sc:{kind}",
                **({"repeated": True} if repeated else {}),
                "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
            }
            for column, kind, repeated in fields
        ],
    }
