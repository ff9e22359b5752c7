"""The files of a paper's package, as texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import yaml

from selu.app.new.suggest import QUESTION, Suggestion, text_of
from selu.papers.paper import Paper
from selu.sources.published import COLUMNS

_BENCHMARK = '''"""{title}: published scores alone."""

from __future__ import annotations

from selu.papers.api import Benchmark

BENCHMARK = Benchmark(
    id={name},
    name={quoted},
    about={about},
    claim_prefix={prefix},
    hooks={{"material": "material:Material.read", "page": "material:Material.page"}},
)
'''
_MATERIAL = '''"""What the paper publishes."""

from __future__ import annotations

from dataclasses import dataclass

from selu.papers.scores import Scores


@dataclass(frozen=True)
class Material(Scores):
    """Its scores, as ``paper.yaml`` declares them."""

    benchmark = {name}
'''
_CLAIMS = '''"""What the table suggests. A claim of the paper takes its words as ``quote``, and a ``weight``."""

from __future__ import annotations

from selu.papers.shapes import {shapes}

QUESTION = {question}

{claims}'''
_TEST = '''"""Other scores turn each verdict: else a claim would hold whatever the paper says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selu import registry
from selu.papers.{name}.material import Material
from selu.vocabulary import Verdict

NAME = {quoted}
FLIPS: dict[str, Callable[[Material], Material]] = {{
{flips}}}


def test_each_claim_has_scores_that_turn_it() -> None:
    assert list(FLIPS) == [claim.id for claim in registry.claims(NAME)]


@pytest.mark.parametrize("id", FLIPS)
def test_other_scores_turn_the_verdict(root: Path, id: str) -> None:
    published = registry.load(root, NAME)
    verdicts = [registry.claim(NAME, id).check(m).verdict for m in (published, FLIPS[id](published))]
    assert verdicts.count(Verdict.FAILS) == 1
'''
_HEAD = "# authors, venue, year, and doi or url: fill them in; pages and the entry in BibTeX show them.\n"


def benchmark(name: str, title: str, about: str, prefix: str) -> str:
    """Write ``__init__.py``."""
    fields = {
        "name": text_of(name),
        "quoted": text_of(title),
        "about": text_of(about),
        "prefix": text_of(prefix),
    }
    return _BENCHMARK.format(title=title.replace("\\", "/").replace('"', "'"), **fields)


def material(name: str) -> str:
    """Write ``material.py``."""
    return _MATERIAL.format(name=text_of(name))


def claims(found: Sequence[Suggestion]) -> str:
    """Write ``claims.py``: a line for each claim, broken as the formatter breaks it."""
    lines = []
    for suggestion in found:
        shape = f"{suggestion.shape}({', '.join(map(text_of, suggestion.names))})"
        arguments = (
            text_of(suggestion.claim.id),
            text_of(suggestion.claim.section),
            text_of(suggestion.claim.statement),
            shape,
        )
        lines.append(
            f"{suggestion.shape}_{suggestion.claim.id.lower()} = claim(\n"
            + "".join(f"    {part},\n" for part in arguments)
        )
    names = sorted({"claim", *(suggestion.shape for suggestion in found)})
    text = ")\n".join([*lines, ""])
    return _CLAIMS.format(shapes=", ".join(names), question=text_of(QUESTION), claims=text)


def test(name: str, found: Sequence[Suggestion]) -> str:
    """Write the tests of the claims."""
    flips = "".join(
        f"    {text_of(suggestion.claim.id)}: lambda m: {suggestion.flip},\n" for suggestion in found
    )
    return _TEST.format(name=name, quoted=text_of(name), flips=flips)


def paper(record: Paper) -> str:
    """Write ``paper.yaml``, with placeholders for what is still to be filled in."""
    (board,) = record.boards
    (source,) = board.sources
    fields = {
        "key": record.key,
        "title": record.title,
        "authors": [],
        "venue": "",
        "year": 0,
        "doi": "",
        "url": "",
        "boards": [
            {
                "id": board.id,
                "title": board.title,
                "sources": [{"table": source.table, "row": source.row, "column": source.column}],
                **({"lower": list(board.lower)} if board.lower else {}),
                **{name: text for name in ("mean", "rank", "rows") if (text := getattr(board, name))},
                "notes": list(board.notes),
            }
        ],
    }
    return _HEAD + yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=110)


def table(lines: Iterable[tuple[str, str, str]], head: str, name: str) -> str:
    """Write places as CSV: a published table, or its second copy."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow((head, *COLUMNS[1:]))
    writer.writerows((name, *line) for line in lines)
    return stream.getvalue()
