"""Parts of speech of plain texts, by spaCy where a model of it is installed: which words are verbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selu.vocabulary import SeluError

MODEL = "en_core_web_sm"  # spaCy's small model of English
Tagged = tuple[list[str], list[str]]  # words, and the universal part of speech of each


def load(name: str = MODEL) -> Any:
    """Load a pipeline of spaCy that tags parts of speech.

    Args:
        name: an installed model, or a folder with one.

    Raises:
        SeluError: spaCy or the model is not here, or it tags nothing.
    """
    other = 'or give words and tags: {"words": ["It", "stores", "it"], "tags": ["PRON", "VERB", "PRON"]}'
    try:
        import spacy
    except ModuleNotFoundError:
        raise SeluError(
            f"verbs are found by spaCy, which is not here: 'make finetune-environment' installs it, {other}."
        ) from None
    try:
        pipeline = spacy.load(name)
    except (OSError, ValueError) as error:
        raise SeluError(
            f"verbs are found by spaCy's model {name}, which can't be had ({str(error).splitlines()[0]}): "
            f"'python -m spacy download {MODEL}' installs it, {other}."
        ) from None
    if not any(doc.has_annotation("POS") for doc in pipeline.pipe(["It stores it."])):
        raise SeluError(f"spaCy's model {name} tags no parts of speech: take one that does, {other}.")
    return pipeline


def tag(pipeline: Any, texts: Sequence[str | Sequence[str]]) -> list[Tagged]:
    """Tag words of each text with their parts of speech; texts that are lists of words keep these words."""
    from spacy.tokens import Doc

    given = [
        pipeline.make_doc(text) if isinstance(text, str) else Doc(pipeline.vocab, words=list(text))
        for text in texts
    ]
    found = []
    for doc, text in zip(pipeline.pipe(given), texts, strict=True):
        tokens = [token for token in doc if not (isinstance(text, str) and token.is_space)]
        found.append(([token.text for token in tokens], [token.pos_ for token in tokens]))
    return found
