"""Vectors kept on the disk by what decides them, so that no text is embedded twice by the same encoder.

A vector is found by the sha256 of its text, in a folder that is named by the hash of its encoder. Each file
holds some texts' vectors and is named by the sha256 of its own bytes; it is written beside and moved into its
place, so that it is whole or not there. One that is not what its name says counts for nothing and goes. Of
several processes that want vectors of one encoder one computes at a time, and the next takes what it kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selu.files import write_atomic

AT_ONCE = 512  # texts between two writings: what an interruption costs at most
_ENDING = ".safetensors"
Vectors = NDArray[np.float32]


class Kept:
    """The vectors of one encoder below a folder; ``key`` is the hash of all that decides them but the text."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder / key[:32]
        self._found: dict[bytes, Vectors] = {}
        self._read_files: set[str] = set()
        self._read()

    def vectors(self, texts: Sequence[str], embed: Callable[[list[str]], Vectors]) -> Vectors:
        """Return a vector for each text, shape (texts, width): kept ones as they are, others by ``embed``.

        What ``embed`` raises ends it; what was embedded before is kept.
        """
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        if not self._found.keys() >= set(keys):
            with self._locked():
                self._read()  # what others kept in the meantime
                self._compute(keys, texts, embed)
        return np.stack([self._found[key] for key in keys]) if keys else np.empty((0, 0), dtype=np.float32)

    def _compute(
        self, keys: Sequence[bytes], texts: Sequence[str], embed: Callable[[list[str]], Vectors]
    ) -> None:
        left = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._found}
        todo = sorted(left.items(), key=lambda item: (-len(item[1]), item[0]))  # like lengths together
        for start in range(0, len(todo), AT_ONCE):
            part = todo[start : start + AT_ONCE]
            made = np.asarray(embed([text for _, text in part]), dtype=np.float32)
            names = [key for key, _ in part]
            self._write(names, made)
            self._found |= dict(zip(names, made, strict=True))

    def _read(self) -> None:
        for path in sorted(self._folder.glob(f"*{_ENDING}")):
            if path.name not in self._read_files:
                self._found |= _read(path)
                self._read_files.add(path.name)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of this encoder's vectors; it ends with its process, however that ends."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    def _write(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        from safetensors.numpy import save

        names = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)
        content = save({"texts": names, "vectors": vectors})
        write_atomic(self._folder / f"{hashlib.sha256(content).hexdigest()}{_ENDING}", content)


def key_of(files: str, tokens: int, packages: Sequence[str]) -> str:
    """Hash what decides an encoder's vectors: its files, the programs and libraries, and how this CPU adds."""
    from importlib.metadata import version

    import torch

    from selu.systems.embed import sentences

    program = Path(sentences.__file__).read_text("utf-8")
    versions = {name: version(name) for name in packages}
    decided = [files, tokens, program, versions, torch.backends.cpu.get_cpu_capability()]
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[bytes, Vectors]:
    from safetensors.numpy import load

    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != path.name.removesuffix(_ENDING):
        path.unlink(missing_ok=True)
        return {}
    found = load(content)
    return {row.tobytes(): vector for row, vector in zip(found["texts"], found["vectors"], strict=True)}
