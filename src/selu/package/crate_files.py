"""Files in the archive's record of provenance: those of the commit, and results, whose bytes lie in the store.

A result is tracked by DVC and comes to its place with ``dvc pull``. In the archive its bytes are an object of
the embedded store, so that is the file which the record describes, under the name of the result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from selu.runs.store import Stage, fingerprints, object_path, tracked

if TYPE_CHECKING:
    from rocrate.model.entity import Entity
    from rocrate.rocrate import ROCrate

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
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}


def context(crate: ROCrate, name: str, kind: str, /, **properties: Any) -> Entity:
    """The entity of something that is no file of the archive, made when it is first named."""
    from rocrate.model.contextentity import ContextEntity

    found = crate.get(name)
    return found or crate.add(ContextEntity(crate, name, {"@type": kind, **properties}))


class Files:
    """The entities of files, each made when it is first named.

    ``outdated`` collects the inputs that have changed since a stage read them.
    """

    def __init__(self, crate: ROCrate, folder: Path, stages: Sequence[Stage]) -> None:
        self.outdated: set[str] = set()
        self._crate, self._folder = crate, folder
        self._written = {path: digest for stage in stages for path, digest in stage.writes.items()}
        self._digests: dict[str, str] = {}

    def is_written(self, path: str) -> bool:
        """Whether a path is, holds or lies in what a stage writes."""
        return any(self.is_part(path, other) for other in self._written)

    @staticmethod
    def is_part(path: str, other: str) -> bool:
        """Whether one of two paths is the other, or lies in it."""
        return path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/")

    def file(self, path: str, kind: tuple[str, ...] = ()) -> Entity:
        """A file of the commit."""
        return self._file(path, path, kind)

    def tracked(self, path: str, digest: str) -> Entity:
        """What a stage read or wrote under a path, as it was then.

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
            return self._stored(path, digest)
        elif (below := self._below(path)) and _listing_digest(below) == digest:
            return self._collection(path, digest, below)
        self.outdated.add(path)
        return context(
            self._crate,
            f"#former/{quote(path)}={digest}",
            "CreativeWork",
            name=path,
            identifier=f"md5:{digest}",
            description="As it was when a stage read it; the archive has another version of it, or none.",
        )

    def _digest(self, path: str) -> str:
        """DVC's digest of a file or folder of the commit."""
        if path not in self._digests:
            found = fingerprints(self._folder / path)
            self._digests[path] = found[""] if "" in found else _listing_digest(found)
        return self._digests[path]

    def _below(self, path: str) -> dict[str, str]:
        """The results below a folder that is no result itself: relative path -> md5."""
        return {
            f"{written.removeprefix(path + '/')}/{relative}".rstrip("/"): member
            for written, digest in self._written.items()
            if written.startswith(f"{path}/")
            for relative, member in tracked(self._folder, digest).items()
        }

    def _stored(self, path: str, digest: str) -> Entity:
        if not digest.endswith(".dir"):
            return self._object(path, digest)
        return self._collection(path, digest, tracked(self._folder, digest))

    def _collection(self, path: str, digest: str, members: Mapping[str, str]) -> Entity:
        """A folder that is a result: its files, and the object that lists them, where there is one."""
        name = f"#result/{quote(path)}={digest}"
        if (found := self._crate.get(name)) is not None:
            return found
        parts = [self._object(f"{path}/{relative}", member) for relative, member in sorted(members.items())]
        entity = context(self._crate, name, "Collection", name=path, identifier=f"md5:{digest}", hasPart=parts)
        if object_path(self._folder, digest).is_file():
            entity["mainEntity"] = self._object(f"{path}.dir", digest)
        return entity

    def _object(self, name: str, digest: str) -> Entity:
        place = object_path(self._folder, digest).relative_to(self._folder).as_posix()
        entity = self._file(place, name)
        if entity["name"] != name and name not in entity.get("alternateName", []):
            entity.append_to("alternateName", name)
        return entity

    def _file(self, place: str, name: str, kind: tuple[str, ...] = ()) -> Entity:
        from rocrate.model.file import File

        entity = File(self._crate, dest_path=place)
        if (found := self._crate.get(entity.id)) is not None:
            return found
        content = (self._folder / place).read_bytes()
        known = {
            "name": name,
            "contentSize": str(len(content)),
            "md5": hashlib.md5(content, usedforsecurity=False).hexdigest(),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        if Path(name).suffix in _FORMATS:
            known["encodingFormat"] = _FORMATS[Path(name).suffix]
        return self._crate.add(
            File(self._crate, dest_path=place, properties={"@type": list(kind) or "File", **known})
        )

    def _dataset(self, path: str) -> Entity:
        from rocrate.model.dataset import Dataset

        entity = Dataset(self._crate, dest_path=path)
        if (found := self._crate.get(entity.id)) is not None:
            return found
        files = fingerprints(self._folder / path)
        known = {"name": path, "identifier": f"md5:{self._digest(path)}", "description": f"{len(files)} files"}
        return self._crate.add(Dataset(self._crate, dest_path=path, properties=known))


def _listing_digest(files: Mapping[str, str]) -> str:
    """DVC's digest of a folder: of the list of its files, as DVC writes it."""
    listing = json.dumps([{"md5": files[name], "relpath": name} for name in sorted(files)])
    return hashlib.md5(listing.encode(), usedforsecurity=False).hexdigest() + ".dir"
