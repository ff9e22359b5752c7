"""Vectors kept on the disk by what decides them, so that no text is embedded twice by the same encoder.

A vector is found by the sha256 of its text, in a folder that is named by the hash of its encoder. Each file
holds some texts' vectors and is named by the sha256 of its own bytes; it is written beside and moved into its
place, so that it is whole or not there. One that is not what its name says counts for nothing and goes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
        for path in sorted(self._folder.glob(f"*{_ENDING}")):
            self._found |= _read(path)

    def vectors(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Any]) -> Vectors:
        """Return a vector for each text, shape (texts, width): kept ones as they are, others by ``embed``.

        What ``embed`` raises ends it; what was embedded before is kept.
        """
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        left = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._found}
        todo = sorted(left.items(), key=lambda item: (-len(item[1]), item[0]))  # like lengths together
        for start in range(0, len(todo), AT_ONCE):
            part = todo[start : start + AT_ONCE]
            made = np.asarray(embed([text for _, text in part]), dtype=np.float32)
            names = [key for key, _ in part]
            self._write(names, made)
            self._found |= dict(zip(names, made, strict=True))
        return np.stack([self._found[key] for key in keys]) if keys else np.empty((0, 0), dtype=np.float32)

    def _write(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        from safetensors.numpy import save

        names = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)
        content = save({"texts": names, "vectors": vectors})
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._folder / f"{hashlib.sha256(content).hexdigest()}{_ENDING}", content)


def _read(path: Path) -> dict[bytes, Vectors]:
    from safetensors.numpy import load

    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != path.name.removesuffix(_ENDING):
        path.unlink(missing_ok=True)
        return {}
    found = load(content)
    return {row.tobytes(): vector for row, vector in zip(found["texts"], found["vectors"], strict=True)}
