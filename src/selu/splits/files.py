"""Split and shot tables as CSV bytes, and splits back: UTF-8, line feeds, rows in the order of the task's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from selu.splits.split import COLUMNS, PARTS, PROTOCOLS
from selu.vocabulary import SeluError


def to_bytes(table: pd.DataFrame) -> bytes:
    """Write a table of ids as CSV: a header, one line per row, nothing quoted.

    Raises:
        ValueError: a value holds a comma, a quote or a line break, which no id does.
    """
    lines = [",".join(map(str, table.columns))]
    lines += [",".join(map(str, values)) for values in table.itertuples(index=False)]
    commas = len(table.columns) - 1
    for line in lines:
        if line.count(",") != commas or '"' in line or len(line.splitlines()) != 1:
            raise ValueError(f"{line!r} is not a row of {commas + 1} ids")
    return ("\n".join(lines) + "\n").encode("utf-8")


def sha256(content: bytes) -> str:
    """Return the hash that names a split or shots file in pins and runs."""
    return hashlib.sha256(content).hexdigest()


def read_split(content: bytes, ids: Sequence[str], name: str) -> pd.DataFrame:
    """Read the split table that ``to_bytes`` wrote, and check it against the ids of the task's rows.

    Args:
        ids: ids of the rows table, in its order.
        name: how messages call the file.

    Raises:
        SeluError: the bytes are damaged; ids are missing, repeated, unknown or in another order; a part is
            unknown; or strict and paper hold out different rows.
    """
    table = _parsed(content, COLUMNS, name)
    _check_ids(table["id"].tolist(), list(ids), name)
    for protocol in PROTOCOLS:
        allowed = set(PARTS) - ({"validation"} if protocol == "paper" else set())
        if unknown := set(table[protocol]) - allowed:
            raise _refused(name, f"column {protocol} has the part {min(unknown)!r}")
    paper, strict, grouped = (table[protocol] == "test" for protocol in PROTOCOLS)
    if not paper.equals(strict):
        raise _refused(
            name, f"paper and strict hold out different rows, first {table['id'][paper != strict].iloc[0]}"
        )
    if (grouped & ~strict).any():
        raise _refused(
            name, f"row {table['id'][grouped & ~strict].iloc[0]} is tested in grouped but not in strict"
        )
    return table


def _parsed(content: bytes, columns: Sequence[str], name: str) -> pd.DataFrame:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(name, f"it is not UTF-8 (byte {error.start})") from None
    lines = text.split("\n")
    if lines[0].split(",") != list(columns):
        raise _refused(name, f"its header is {lines[0][:80]!r} where {','.join(columns)} was expected")
    if lines.pop() != "":
        raise _refused(name, f"it is cut short in line {len(lines) + 1}")
    rows = [line.split(",") for line in lines[1:]]
    for number, fields in enumerate(rows, start=2):
        if len(fields) != len(columns) or not all(fields):
            raise _refused(name, f"line {number} has not {len(columns)} values")
    return pd.DataFrame(rows, columns=list(columns), dtype=object)


def _check_ids(found: list[str], expected: list[str], name: str) -> None:
    if found == expected:
        return
    repeated = [row for row, count in Counter(found).items() if count > 1]
    if repeated:
        raise _refused(name, f"it has {len(repeated)} ids twice, first {repeated[0]}")
    if extra := sorted(set(found) - set(expected)):
        raise _refused(name, f"it has {len(extra)} ids that the task's rows lack, first {extra[0]}")
    if missing := sorted(set(expected) - set(found)):
        raise _refused(name, f"it lacks {len(missing)} of {len(expected)} ids, first {missing[0]}")
    raise _refused(name, "its ids are in another order than the task's rows")


def _refused(name: str, what: str) -> SeluError:
    return SeluError(
        f"{name} does not fit its task: {what}; restore it with 'dvc checkout', or prepare it again."
    )
