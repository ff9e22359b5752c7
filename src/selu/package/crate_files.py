"""The parts of the archive's provenance record: entities, and files of the commit and of the store.

A result is tracked by DVC and comes to its place with ``dvc pull``. In the archive its bytes are an object of
the embedded store, so that is the file which the record describes, under the name of the result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from selu.runs.pipeline import Stage
from selu.runs.store import fingerprints, object_path, tracked

Link = dict[str, str]  # {"@id": of an entity}
# Not from the module mimetypes, which asks the machine.
_FORMATS = {
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".css": "text/css",
    ".dir": "application/json",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".lock": "application/yaml",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}


class Entities:
    """The entities of the record by their ids, in the order in which each was first named."""

    def __init__(self, root: dict[str, Any], descriptor: dict[str, Any]) -> None:
        self.root = root
        self.known = {"./": root, "ro-crate-metadata.json": descriptor}

    def add(self, name: str, kind: str | list[str], /, **properties: object) -> Link:
        """Add an entity; later descriptions of the same entity are ignored."""
        self.known.setdefault(name, {"@type": kind, **properties})
        return {"@id": name}

    def part(self, name: str, kind: str | list[str], /, **properties: object) -> Link:
        """Name a file or folder of the archive."""
        if name not in self.known:
            self.root.setdefault("hasPart", []).append({"@id": name})
        return self.add(name, kind, **properties)

    def of_type(self, kind: str, start: str = "") -> list[Link]:
        """List the entities of a type whose ids begin so."""
        return [
            {"@id": name}
            for name, entity in self.known.items()
            if entity["@type"] == kind and name.startswith(start)
        ]


class Files:
    """The entities of files, each made when it is first named.

    ``outdated`` collects the inputs that have changed since a stage read them.
    """

    def __init__(self, entities: Entities, folder: Path, stages: Sequence[Stage]) -> None:
        self.outdated: set[str] = set()
        self._entities, self._folder = entities, folder
        self._written = {path: digest for stage in stages for path, digest in stage.writes.items()}
        self._digests: dict[str, str] = {}

    def is_written(self, path: str) -> bool:
        """Return whether a path is, holds or lies in an output of a stage."""
        return any(self.is_part(path, other) for other in self._written)

    @staticmethod
    def is_part(path: str, other: str) -> bool:
        """Return whether two paths are equal or one lies in the other."""
        return path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/")

    def file(self, path: str, name: str | None = None, kind: str | list[str] = "File") -> Link:
        """Name a file of the commit."""
        if (place := quote(path)) in self._entities.known:
            return {"@id": place}
        content, name = (self._folder / path).read_bytes(), name or path
        known = {
            "name": name,
            "contentSize": str(len(content)),
            "md5": hashlib.md5(content, usedforsecurity=False).hexdigest(),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        if Path(name).suffix in _FORMATS:
            known["encodingFormat"] = _FORMATS[Path(name).suffix]
        return self._entities.part(place, kind, **known)

    def tracked(self, path: str, digest: str) -> Link:
        """Name what a stage read or wrote under a path, as it was then.

        Args:
            digest: DVC's, as in the lock.

        Raises:
            SeluError: an object of the store is missing or damaged.
        """
        if (self._folder / path).exists():
            if self._digest(path) == digest:
                return self._dataset(path) if digest.endswith(".dir") else self.file(path)
        elif object_path(self._folder, digest).is_file():
            if self._written.get(path, digest) != digest:
                self.outdated.add(path)
            if not digest.endswith(".dir"):
                return self._object(path, digest)
            return self._collection(path, digest, tracked(self._folder, digest))
        else:
            for members in (self._below(path), self._inside(path)):
                if members and _listing_digest(members) == digest:
                    return self._collection(path, digest, members)
        self.outdated.add(path)
        return self._entities.add(
            f"#former/{quote(path)}={digest}",
            "CreativeWork",
            name=path,
            identifier=f"md5:{digest}",
            description="As it was when a stage read it; the archive has another version of it, or none.",
        )

    def _digest(self, path: str) -> str:
        """Return DVC's digest of a file or folder of the commit."""
        if path not in self._digests:
            found = fingerprints(self._folder / path)
            self._digests[path] = found[""] if "" in found else _listing_digest(found)
        return self._digests[path]

    def _below(self, path: str) -> Mapping[str, str]:
        """Return the results below a folder that is not a result itself: relative path -> md5."""
        return {
            f"{written.removeprefix(path + '/')}/{relative}".rstrip("/"): member
            for written, digest in self._written.items()
            if written.startswith(f"{path}/")
            for relative, member in tracked(self._folder, digest).items()
        }

    def _inside(self, path: str) -> Mapping[str, str]:
        """Return the part of a result that a folder in it holds: relative path -> md5."""
        return {
            relative.removeprefix(f"{inner}/"): member
            for written, digest in self._written.items()
            if path.startswith(f"{written}/")
            for inner in [path.removeprefix(f"{written}/")]
            for relative, member in tracked(self._folder, digest).items()
            if relative.startswith(f"{inner}/")
        }

    def _collection(self, path: str, digest: str, members: Mapping[str, str]) -> Link:
        """Add a folder that is a result: its files, and the object that lists them, if there is one."""
        name = f"#result/{quote(path)}={digest}"
        if name in self._entities.known:
            return {"@id": name}
        known: dict[str, Any] = {"name": path, "identifier": f"md5:{digest}"}
        known["hasPart"] = [self._object(f"{path}/{inner}", md5) for inner, md5 in sorted(members.items())]
        link = self._entities.add(name, "Collection", **known)
        if object_path(self._folder, digest).is_file():
            self._entities.known[name]["mainEntity"] = self._object(f"{path}.dir", digest)
        return link

    def _object(self, name: str, digest: str) -> Link:
        link = self.file(object_path(self._folder, digest).relative_to(self._folder).as_posix(), name)
        entity = self._entities.known[link["@id"]]
        if name not in (entity["name"], *entity.get("alternateName", ())):
            entity.setdefault("alternateName", []).append(name)
        return link

    def _dataset(self, path: str) -> Link:
        known = {"name": path, "identifier": f"md5:{self._digest(path)}"}
        files = len(fingerprints(self._folder / path))
        return self._entities.part(f"{quote(path)}/", "Dataset", description=f"{files} files", **known)


def _listing_digest(files: Mapping[str, str]) -> str:
    """Return DVC's digest of a folder: of the list of its files, as DVC writes it."""
    listing = json.dumps([{"md5": files[name], "relpath": name} for name in sorted(files)])
    return hashlib.md5(listing.encode(), usedforsecurity=False).hexdigest() + ".dir"
