"""``selu export``: a paper's runs, and what was found, in formats that other programs read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from selu import registry
from selu.files import Json, to_json, write_atomic
from selu.names import nearest
from selu.package import codecheck, every_eval_ever, model_card, run_scores
from selu.package.citation import FILL_IN, Citation, cited
from selu.vocabulary import SeluError

RECORDS, CODECHECK = "every-eval-ever", "codecheck"
_CARDS: Mapping[str, Callable[[Path, str, str, Citation], Json]] = {
    "model-index": model_card.model_index,
    "eval-results": model_card.eval_results,
}
FORMATS = (RECORDS, *_CARDS, CODECHECK)


def export(root: Path, form: str, benchmark: str, system: str | None, out: Path | None) -> tuple[str, int]:
    """Write one format to ``out``, or return its text where ``out`` is left out.

    Every Eval Ever is a folder of records, or a record a line; the others are one file of YAML.

    Returns:
        the text, empty where it was written; and how many fields are left for a person to fill in.

    Raises:
        SeluError: an unknown format or system, what it needs is not here, or ``out`` exists; then nothing
            is written.
    """
    if form not in FORMATS:
        raise nearest(form, FORMATS, "format")
    card = _CARDS.get(form)
    if card is not None and system is None:
        some = ", ".join(run_scores.systems_of(root, registry.known(benchmark))[:8])
        raise SeluError(f"{form} is of one system: name one that has runs{some and f', such as {some}'}.")
    if form == CODECHECK and system is not None:
        raise SeluError(f"{CODECHECK} is of a paper and not of {system}: leave the system out.")
    if out is not None and os.path.lexists(out):
        raise SeluError(f"{out} exists already: remove it, or give --out another name.")
    citation = cited(root)
    if form == RECORDS:
        made = every_eval_ever.records(root, benchmark, [system] if system else (), citation.makers)
        if out is None:
            return every_eval_ever.lines(made), 0
        _write_folder(out, {place: to_json(entry) for place, entry in made.items()})
        return "", 0
    if card is not None and system is not None:
        record = card(root, benchmark, system, citation)
    else:
        record = codecheck.describe(root, benchmark, citation)
    text = _yaml(record, f"{FILL_IN}: only a person can fill this in." if form == CODECHECK else "")
    missing = text.count(FILL_IN) - (form == CODECHECK)
    if out is not None:
        write_atomic(out, text)
    return ("" if out is not None else text), missing


def _yaml(record: Json, comment: str) -> str:
    import yaml

    text = yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=112)
    return f"%YAML 1.1\n# {comment}\n---\n{text}" if comment else text


def _write_folder(out: Path, files: Mapping[str, str]) -> None:
    """Write files below a new folder, which is there whole or not at all."""
    made = out.with_name(f".{out.name}.tmp")
    shutil.rmtree(made, ignore_errors=True)
    try:
        for place, text in files.items():
            (made / place).parent.mkdir(parents=True, exist_ok=True)
            (made / place).write_text(text, "utf-8")
        made.rename(out)
    finally:
        shutil.rmtree(made, ignore_errors=True)
