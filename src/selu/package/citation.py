"""CITATION.cff: title, authors and address of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TypedDict, cast

from selu.vocabulary import SeluError

FILE = "CITATION.cff"
FILL_IN = "FIXME"  # placeholder for what only a person can write, as in CODECHECK's own template
_NEEDED = ("title", "authors", "license", "version")
Author = TypedDict(
    "Author",
    {
        "name": str,
        "given-names": str,
        "family-names": str,
        "orcid": str,
        "website": str,
        "affiliation": str,
        "email": str,
    },
    total=False,
)


class Work(TypedDict, total=False):
    """A work that the package refers to."""

    title: str
    authors: list[Author]
    doi: str
    url: str
    year: int


Described = TypedDict(
    "Described",
    {
        "title": str,
        "authors": list[Author],
        "license": str,
        "version": str,
        "abstract": str,
        "repository-code": str,
        "url": str,
        "references": list[Work],
    },
    total=False,
)


class Citation(NamedTuple):
    """The title, who made it, and the address of the repository, empty before a fork has filled it in."""

    title: str
    makers: str
    address: str


def read_citation(folder: Path) -> Described:
    """Read CITATION.cff.

    Raises:
        SeluError: it is missing, damaged or lacks what the package is cited by.
    """
    record = read_yaml(folder / FILE)
    known = record if isinstance(record, dict) else {}
    for field in _NEEDED:
        if not known.get(field):
            raise SeluError(f"{FILE} has no {field}: add it; the archive is cited by it.")
    return cast("Described", known)


def read_yaml(path: Path) -> Any:
    """Read a YAML file of the commit."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_text("utf-8"), loader)
    except FileNotFoundError:
        raise SeluError(f"the commit has no {path.name}: the archive is described by it.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise SeluError(f"{path.name} is not YAML ({str(error).splitlines()[0]}): fix it.") from None


def name_of(author: Author) -> str:
    """Write an author's name."""
    parts = (author.get("given-names"), author.get("family-names"))
    return str(author.get("name") or " ".join(str(part) for part in parts if part))


def cited(folder: Path) -> Citation:
    """Read what other records say of the package; errors as ``read_citation``."""
    record = read_citation(folder)
    makers = ", ".join(map(name_of, record["authors"]))
    return Citation(str(record["title"]), makers, str(record.get("repository-code") or record.get("url") or ""))
