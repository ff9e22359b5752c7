"""Raw replies in the folders of runs: if present, they need not be paid for again.

``replies.parquet`` has a row per test row:

    id, request         the row, and the hash of all that it was asked (``requests.Survey``)
    body, again         the raw reply that counts, and those that came twice, as JSON without secrets
    reply, reason       what the reply says, and why that is not an answer
    failure             why there is no reply
    asked, answered     tokens as billed

A reply belongs to its request, not to the run that it lies in. So when a run is to be made again, those that
any run of the cell keeps, of either protocol and of any identity, are taken into the journal before anything
is asked.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from selu.execution.prompt.requests import JOURNAL, Survey
from selu.runs import record
from selu.systems.prompt import wire
from selu.systems.prompt.journal import Journal
from selu.vocabulary import MachineError, SeluError

_TAKEN = ("id", "request", "body", "again")
_GROUP = 10_000  # rows that are held at once
Say = Callable[[str], None]


def to_parquet(
    cell: Survey, journal: Journal, replies: Mapping[int, wire.Reply], reasons: Sequence[str | None]
) -> bytes:
    """Write the replies of a cell as a file; the same journal gives the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = dict.fromkeys((*_TAKEN, "reply", "reason", "failure"), pa.string())
    schema = pa.schema({**names, "again": pa.list_(pa.string()), "asked": pa.int32(), "answered": pa.int32()})
    failures, buffer = journal.failures(), io.BytesIO()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for begin in range(0, len(cell.ids), _GROUP):
            rows = range(begin, min(begin + _GROUP, len(cell.ids)))
            raw, found = journal.raw(rows), [replies.get(row) for row in rows]
            columns: dict[str, list[Any]] = {
                "id": cell.ids[rows.start : rows.stop],
                "request": [cell.request(row) for row in rows],
                "body": [raw[row][0] if row in raw else None for row in rows],
                "again": [raw[row][1:] if row in raw else [] for row in rows],
                "reply": [reply and reply.text for reply in found],
                "reason": list(reasons[rows.start : rows.stop]),
                "failure": [failures.get(row) for row in rows],
                "asked": [reply.asked if reply else 0 for reply in found],
                "answered": [reply.answered if reply else 0 for reply in found],
            }
            writer.write_table(pa.table(columns, schema=schema))
    return buffer.getvalue()


def take_over(cell: Survey, journal: Journal, say: Say) -> None:
    """Copy into the journal the replies that runs of the cell keep and it lacks.

    Raises:
        MachineError: rows are lacking that a damaged run may keep: they would be paid for again.
    """
    for name, found in _kept(cell, journal.unanswered(), say):
        journal.take_over(found.items())
        say(f"{len(found):,} replies are taken from {name}")


def to_ask(cell: Survey) -> list[int]:
    """Find the rows neither answered, here or in a run of the cell, nor on their way; nothing is changed.

    Raises:
        MachineError: as ``take_over``, or the journal is damaged or in use.
    """
    left = set(range(len(cell.ids)))
    if (cell.folder / JOURNAL).exists():
        with Journal(cell.folder / JOURNAL, cell.key, len(cell.ids)) as journal:
            left = set(journal.pending())
    for _, found in _kept(cell, left, lambda _: None):
        left -= found.keys()
    return sorted(left)


def _kept(cell: Survey, rows: Collection[int], say: Say) -> Iterator[tuple[str, Mapping[int, list[str]]]]:
    """Yield each run that has replies to these rows' requests, by name, with the replies; no reply twice."""
    wanted = {(cell.ids[row], cell.request(row)): row for row in rows}
    here, doubtful = cell.run.folder, None
    for folder in sorted({here, *(path for path in here.parent.glob("[!.]*") if path.is_dir())}):
        if not wanted:
            return
        try:
            content = record.read_alone(folder, record.REPLIES)
            found = {} if content is None else dict(_matching(content, wanted, cell.protocol))
        except record.MissingRunError:
            continue
        except (SeluError, ValueError):
            if not any((folder / name).exists() for name in (record.RUN, record.REPLIES)):
                continue
            doubtful = doubtful or folder
            say(f"{folder} is damaged, or of another cell: its replies are not taken")
            continue
        if found:
            yield folder.name, found
        elif content is not None:
            say(f"the replies in {folder.name} are to other requests")
        rest = {wanted[key] for key in wanted} - found.keys()
        wanted = {key: row for key, row in wanted.items() if row in rest}
    if wanted and doubtful is not None:
        raise MachineError(
            f"{len(wanted):,} requests may have been paid for already: bring {doubtful} back with "
            f"'dvc checkout --force {doubtful}', or remove it to pay for them again."
        )


def _matching(
    content: bytes, wanted: Mapping[tuple[str, str], int], protocol: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield row and raw replies of the wanted requests.

    Raises:
        ValueError: it is no such table.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(io.BytesIO(content)) as file:
            if not set(_TAKEN) <= set(file.schema_arrow.names):
                raise ValueError("other columns")
            for batch in file.iter_batches(_GROUP, columns=list(_TAKEN), use_threads=False):
                for id, request, body, again in zip(*(batch[name].to_pylist() for name in _TAKEN), strict=True):
                    row = wanted.get((id, request))
                    if row is not None and body is not None and _is_reply(protocol, body):
                        yield row, [body, *(text for text in again or () if _is_reply(protocol, text))]
    except (pa.ArrowException, OSError, TypeError) as error:
        raise ValueError(f"no table of replies: {error}") from None


def _is_reply(protocol: str, text: str) -> bool:
    try:
        wire.read(protocol, json.loads(text))
    except (ValueError, RecursionError):
        return False
    return True
