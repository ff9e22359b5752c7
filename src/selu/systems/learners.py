"""The learners by name: their class, the modules that a fit depends on, the packages; no library is loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from selu.systems.baseline.learning import Learner, Lesson

_HERE = "selu.systems."
_SHARED = ("baseline.learning",)
_CLASSES = (*_SHARED, "baseline.classifying")

# Name -> class, and all modules whose programs decide its answers; the first one holds the class.
LEARNERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tfidf-xgboost": ("TfidfXgboost", ("baseline.tfidf_xgboost", *_SHARED)),
    "tfidf-squared-error": (
        "TfidfSquaredError",
        ("baseline.tfidf_squared_error", "baseline.tfidf_xgboost", *_SHARED),
    ),
    "fasttext": ("FastText", ("baseline.fasttext", *_SHARED)),
    "fasttext-lines": ("FastTextLines", ("baseline.fasttext_lines", *_CLASSES)),
    "tfidf-logistic": ("TfidfLogistic", ("baseline.tfidf_logistic", *_CLASSES)),
    "encoder-logistic": ("EncoderLogistic", ("embed.encoder_logistic", "embed.encoder", *_CLASSES)),
    "setfit": ("SetFit", ("embed.setfit", *_CLASSES)),
}


def kind(name: str) -> Callable[[Lesson], Learner]:
    """The class of a learner."""
    found, modules = LEARNERS[name]
    learner: Callable[[Lesson], Learner] = getattr(import_module(_HERE + modules[0]), found)
    return learner


def files(name: str) -> list[Path]:
    """The files that this process takes a learner from; their hash is of what a single fit depends on."""
    modules = [_HERE + module for module in LEARNERS[name][1]]
    for module in modules:
        import_module(module)
    return [Path(str(sys.modules[module].__file__)) for module in modules]


def packages(name: str) -> tuple[str, ...]:
    """Packages that a learner's answers depend on."""
    modules = (import_module(_HERE + module) for module in LEARNERS[name][1])
    found: tuple[str, ...] = next(module.PACKAGES for module in modules if hasattr(module, "PACKAGES"))
    return found
