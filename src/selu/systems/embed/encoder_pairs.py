"""Distances of pairs by any pre-trained sentence encoder, frozen: 1 minus the cosine of its vectors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from selu.systems.embed import pairs
from selu.systems.embed.sentences import PACKAGES as PACKAGES
from selu.systems.embed.vectors import check_vectors


class EncoderPairs:
    """Learner with the parameters ``plain_tokens`` (of ``SentenceEncoder``), ``timings`` and ``timed_texts``.

    The encoder is that of ``weights.folder_of``. Its vectors are kept below ``params["vectors"]``, where that
    is given. It learns nothing from the rows.
    """

    def __init__(self, lesson: Any) -> None:
        self._asked = pairs.of_rows(lesson.questions)
        self.seconds: list[float] = []

    def answer(self, params: Any) -> list[float]:
        """Return the distance of each pair.

        Raises:
            SeluError: the encoder is not available or can't be loaded, or a vector is zero or not finite.
        """
        from selu.systems.embed.kept import Kept
        from selu.systems.embed.sentences import files_hash, loaded
        from selu.systems.embed.weights import folder_of

        folder, tokens = folder_of(params), int(params["plain_tokens"])
        files = files_hash(folder)
        encoder = loaded(folder, tokens, files)

        def embed(texts: Any) -> Any:
            return check_vectors(encoder.embed(texts), len(texts))

        texts = pairs.texts_of(self._asked)
        place = params.get("vectors")
        found = Kept(Path(place), _key(files, tokens)).vectors(texts, embed) if place else embed(texts)
        self.seconds = pairs.timed(embed, texts, params)
        return pairs.distances(self._asked, dict(zip(texts, found, strict=True)))


def _key(files: str, tokens: int) -> str:
    """Hash what decides an encoder's vectors: its files, the programs and libraries, and how this CPU adds."""
    from importlib.metadata import version

    import torch

    from selu.systems.embed import sentences

    program = Path(sentences.__file__).read_text("utf-8")
    versions = {name: version(name) for name in PACKAGES}
    decided = [files, tokens, program, versions, torch.backends.cpu.get_cpu_capability()]
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()
