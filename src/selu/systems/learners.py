"""The learners by name: their class, the modules that a fit depends on, the packages; no library is loaded."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from selu.systems.baseline.learning import Learner, Lesson

_HERE = "selu.systems."
_SHARED = ("baseline.learning",)
_CLASSES = (*_SHARED, "baseline.classifying")
_PAIRS = ("embed.pairs", "embed.vectors")
_FITTED = ("embed.fitted", *_PAIRS)

# Name -> class, and all modules whose programs decide its answers; the first one holds the class.
LEARNERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tfidf-xgboost": ("TfidfXgboost", ("baseline.tfidf_xgboost", *_SHARED)),
    "tfidf-squared-error": (
        "TfidfSquaredError",
        ("baseline.tfidf_squared_error", "baseline.tfidf_xgboost", *_SHARED),
    ),
    "fasttext": ("FastText", ("baseline.fasttext", *_SHARED)),
    "fasttext-lines": ("FastTextLines", ("baseline.fasttext_lines", "baseline.fasttext", *_CLASSES)),
    "tfidf-logistic": ("TfidfLogistic", ("baseline.tfidf_logistic", *_CLASSES)),
    "encoder-logistic": ("EncoderLogistic", ("embed.encoder_logistic", "embed.encoder", *_CLASSES)),
    "encoder-linear": ("EncoderLinear", ("embed.encoder_linear", "embed.sentences", "embed.vectors", *_SHARED)),
    "pairs-tfidf-svd": ("TfidfSvd", _FITTED),
    "pairs-hashed-ngrams": ("HashedNgrams", _FITTED),
    "pairs-word-vectors": ("WordVectors", _FITTED),
    "pairs-encoder": ("EncoderPairs", ("embed.encoder_pairs", "embed.sentences", *_PAIRS)),
    "pairs-universal": ("UniversalPairs", ("embed.universal", *_PAIRS)),
    "pairs-tuned": ("Tuned", ("embed.tuned", "embed.encoder_pairs", "embed.sentences", *_PAIRS)),
    "setfit": ("SetFit", ("embed.setfit", *_CLASSES)),
    "setfit-rounds": ("SetFitRounds", ("embed.setfit_rounds", "embed.setfit", *_CLASSES)),
    "upper-layers": ("UpperLayers", ("embed.upper_layers", *_CLASSES)),
}

# Those that give the probability of each label, where their parameters have ``probabilities``.
WITH_PROBABILITIES = ("tfidf-xgboost", "tfidf-squared-error", "fasttext", "fasttext-lines", "tfidf-logistic")

# Those that read texts by a pre-trained encoder, and whether they train it.
TRAINS_ENCODER = {
    "encoder-logistic": False,
    "encoder-linear": False,
    "pairs-encoder": False,
    "pairs-universal": False,
    "pairs-tuned": True,
    "setfit": True,
    "setfit-rounds": True,
    "upper-layers": True,
}


def known(name: str) -> bool:
    """Return whether there is a learner of this name; a benchmark's own is PACKAGE.MODULE:CLASS."""
    if name in LEARNERS:
        return True
    module, colon, found = name.partition(":")
    try:
        return bool(colon) and hasattr(import_module(module), found)
    except ImportError:
        return False


def kind(name: str) -> Callable[[Lesson], Learner]:
    """Import the class of a learner."""
    found, (first, *_) = _place(name)
    learner: Callable[[Lesson], Learner] = getattr(import_module(first), found)
    return learner


def files(name: str) -> list[Path]:
    """Find the files that a learner is taken from; their hash is of what a single fit depends on."""
    import selu

    here, own = Path(selu.__file__).parents[1], f"{selu.__name__}.systems."
    return [
        (here / f"{module.replace('.', '/')}.py")
        if module.startswith(own)
        else Path(str(import_module(module).__file__))
        for module in _place(name)[1]
    ]


def packages(name: str) -> tuple[str, ...]:
    """Name the packages that a learner's answers depend on."""
    modules = map(import_module, _place(name)[1])
    found: tuple[str, ...] = next(module.PACKAGES for module in modules if hasattr(module, "PACKAGES"))
    return found


def _place(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the class, and all modules that decide its answers, the module of the class first.

    A benchmark's own module names the others in ``MODULES`` where it has any, and its packages in ``PACKAGES``.
    """
    module, colon, found = name.partition(":")
    if colon:
        return found, (module, *getattr(import_module(module), "MODULES", ()))
    found, modules = LEARNERS[name]
    return found, tuple(_HERE + module for module in modules)
