"""The files of a paper's package, as texts."""

from __future__ import annotations

import csv
import io
import json
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
_NOTEBOOK = (
    ("markdown", "# Ranking and claims"),
    ("parameters", """from selu.report.by_hand import places

root, out = places({name})"""),
    ("code", """from pathlib import Path

from IPython.display import HTML, Image, Markdown, display

from selu.files import read_json, write_atomic
from selu.papers.drawing import save
from selu.papers.ranking_tables import (
    draw_ranking,
    found_of,
    ranking_table,
    say_what_it_depends_on,
    verdict_table,
)
from selu.papers.table import to_csv, to_html, to_markdown
from selu.registry import load

out = Path(root, out)
published = load(Path(root), {name})
claims = read_json(out / "claims.json", "selu report claims --paper {id}")
found = {{scores.declared.id: found_of(scores) for scores in published.rankings}}


def show(table):
    write_atomic(out / "tables" / f"{{table.name}}.csv", to_csv(table))
    write_atomic(out / "tables" / f"{{table.name}}.md", to_markdown(table))
    display(HTML(to_html(table)))


Markdown("\\n\\n".join(record["sentence"] for record in found.values()))"""),
    ("markdown", "The systems of each ranking, as the published scores have them; "
     "`selu check --paper {id}` says the same in a terminal."),
    ("code", """for scores in published.rankings:
    record = found[scores.declared.id]
    png = save(draw_ranking(scores, record), out / "figures" / f"ranking_{{scores.declared.id}}", write_atomic)
    display(Image(png, alt=f"{{record['sentence']}} The first systems by {{record['method']['ranked_by']}}."))
    show(ranking_table(scores, record))
    display(Markdown(say_what_it_depends_on(record)))"""),
    ("code", "show(verdict_table(claims))"),
)  # fmt: skip
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


def notebook(name: str) -> str:
    """Write the notebook, without outputs."""
    cells: list[dict[str, object]] = []
    for number, (kind, text) in enumerate(_NOTEBOOK):
        source = text.format(name=text_of(name), id=name).splitlines(keepends=True)
        cell: dict[str, object] = {
            "cell_type": "markdown" if kind == "markdown" else "code",
            "id": f"cell-{number}",
        }
        cell |= {"metadata": {"tags": ["parameters"]} if kind == "parameters" else {}, "source": source}
        cells.append(cell | ({} if kind == "markdown" else {"execution_count": None, "outputs": []}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return (
        json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
    )


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
        "authors": list(record.authors),
        "venue": record.venue,
        "year": record.year,
        "doi": record.doi,
        "url": record.url,
        **{name: text for name in ("code", "commit") if (text := getattr(record, name))},
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
