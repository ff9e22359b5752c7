"""The one schema of rows: what every reader yields, whatever form the data came in.

Columns, in this order: ``id`` (position in the published order), ``text`` or ``tokens``, ``label``, ``group``
(project, document or post, else empty), ``source`` (file and place in it). The order of the rows is the
published one, because the split files line up with it by position.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from selu.files import as_plain
from selu.metrics import kinds
from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.sources.pins import Origin, Pin

TOKEN_KINDS = (Kind.ENTITIES, Kind.MASKED)
# Universal POS tags (universaldependencies.org), and spaCy's tag of white space.
_POS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SPACE SYM VERB X"
BESIDE = ("id", "label", "group", "source")  # columns of a row beside the question
UNIVERSAL = frozenset(_POS.split())
Test = tuple[Callable[[Any], bool], str]


def columns(task: Task) -> tuple[str, ...]:
    """Name the columns of the rows of a task, in order."""
    return ("id", *kinds.columns(task.kind), "label", "group", "source")


def check(table: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Return the same table, once it keeps the schema of the task's kind.

    Raises:
        SeluError: it is empty, has other columns, an id twice, an unknown label, a number that is not finite,
            or other than one tag per token; names the row's id and the column.
    """
    want = columns(task)
    if tuple(table.columns) != want:
        found = ", ".join(map(str, table.columns)) or "none"
        wanted = ", ".join(want)
        raise SeluError(f"{task.id}: the rows have the columns {found} instead of {wanted}; fix the reader.")
    table = table.reset_index(drop=True)
    if table.empty:
        raise SeluError(f"{task.id}: there are no rows; fetch the data again with 'selu fetch {task.id}'.")
    for name, (test, means) in _tests(task).items():
        for row, value in zip(table["id"].tolist(), table[name].tolist(), strict=True):
            if not test(as_plain(value)):
                shown = repr(as_plain(value))
                shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
                raise SeluError(f"{task.id}: row {row}: {name} is {shown} instead of {means}; fix the reader.")
    if (twice := table["id"].duplicated(keep=False)).any():
        raise SeluError(f"{task.id}: row {table['id'][twice].iloc[0]}: id occurs twice; fix the reader.")
    spec = kinds.added(task.kind)
    if spec and spec.check:
        spec.check(table, task)
    if task.kind in TOKEN_KINDS:
        for name, tokens, tags in zip(table["id"], table["tokens"], table["label"], strict=True):
            if len(tokens) != len(tags):
                raise SeluError(f"{task.id}: row {name}: {len(tags)} tags in label for {len(tokens)} tokens.")
    return table


def canonical(table: pd.DataFrame) -> str:
    """Return the sha256 over (text, tokens or question, label) of the ordered rows, a line each."""
    digest = hashlib.sha256()
    for line in lines(table):
        digest.update(line)
    return digest.hexdigest()


def lines(table: pd.DataFrame) -> Iterator[bytes]:
    """Yield the canonical lines: JSON without spaces in UTF-8 (a lone surrogate passes), and a line feed."""
    asked = [name for name in table.columns if name not in BESIDE]
    for *content, label in zip(*(table[name].tolist() for name in (*asked, "label")), strict=True):
        plain = [*map(as_plain, content), as_plain(label)]
        line = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        yield f"{line}\n".encode("utf-8", "surrogatepass")


def rows_equal(pin: Pin, table: pd.DataFrame, origin: Origin | None = None, whole: int | None = None) -> str:
    """Return the canonical hash of the rows, once their number and hash are the pinned ones.

    Rows from histories may be fewer, where clones are missing.

    Args:
        origin: whose table hash counts; the pin's without it. A hash of None is not compared.
        whole: rows of the paper's set. Where the pin is partial, an origin with a table of its own has these
            instead of the pin's, unless it says how many; their number is not compared if it is not given.

    Raises:
        SeluError: the number of rows or the hash differs; names both.
    """
    place = f"{pin.task} ({origin.name})" if origin else pin.task
    expected = origin.table if origin else pin.table
    own = pin.availability.value == "partial" and expected != pin.table
    rows = (origin.rows if origin else None) or (whole if own else pin.rows)
    found = canonical(table)
    if origin and origin.histories and pin.rows and len(table) < pin.rows:
        return canonical(table)  # clones are missing; what there is was held to its commits row by row
    if rows not in (None, len(table)):
        problem = f"{len(table)} rows were read where the pin says {rows}"
    elif expected not in (None, found):
        problem = f"the {len(table)} rows have the hash {found} where the pin says {expected}"
    else:
        return found
    remedy = f"remove its folder from data/raw and run 'selu fetch {pin.task}'"
    raise SeluError(f"{place}: {problem}; {remedy}.")


def _tests(task: Task) -> Mapping[str, Test]:
    """Return the test of each column's values, as plain objects, and what they must be in words."""
    text: Test = (lambda value: isinstance(value, str), "a text")
    name: Test = (lambda value: isinstance(value, str) and value != "", "a text that is not empty")
    tokens: Test = (partial(_is_list, test=text[0]), "a list of texts")
    content = tokens if task.kind in TOKEN_KINDS else text
    asked = dict.fromkeys(kinds.columns(task.kind), content)
    return {"id": name, **asked, "label": _label_test(task), "group": text, "source": name}


def _label_test(task: Task) -> Test:
    """Return the test of one label, and what it must be in words."""
    size = len(task.labels)
    if kinds.added(task.kind):
        return (lambda value: value is not None), "a true answer"
    if task.kind in (Kind.BINARY, Kind.MULTI_CLASS):
        return (lambda value: type(value) is int and 0 <= value < size), f"a label from 0 to {size - 1}"
    if task.kind is Kind.MULTI_LABEL:
        test = partial(_is_list, test=lambda item: type(item) is int and item in (0, 1), size=size)
        return test, f"a list of {size} zeros and ones"
    if task.kind is Kind.REGRESSION:
        return (lambda value: isinstance(value, float) and math.isfinite(value)), "a finite number"
    names = (label.name for label in task.labels)
    tags = frozenset(f"{part}-{name}" for name in names for part in "BI") | {"O"}
    known = tags if task.kind is Kind.ENTITIES else UNIVERSAL
    return partial(_is_list, test=known.__contains__), "a list of known tags"


def _is_list(value: object, test: Callable[[object], bool], size: int | None = None) -> bool:
    return isinstance(value, list) and size in (None, len(value)) and all(map(test, value))
