"""``selu fetch``: pinned bytes of tasks, from a local mirror or the network, into data/raw."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from selu import registry
from selu.app.datasets.fetch_published import HERE, VERIFIED, Row, fetch_list, lists
from selu.data.inputs import pin_of, raw_of
from selu.names import nearest
from selu.project import PINS
from selu.sources.fetch import Fetched, Network, RefusedError, fetch
from selu.sources.pins import Availability, Pin, read_pin, read_pins
from selu.vocabulary import SeluError

UNVERIFIED = "unverified: accepted once its rows have the pinned hash"
_GOOD = (VERIFIED, HERE, UNVERIFIED)


def fetch_named(
    root: Path,
    names: Sequence[str],
    benchmark: str,
    every: bool,
    mirror: Path | None,
    origin: str | None,
    progress: Callable[[str], None],
) -> tuple[list[Row], list[Row]]:
    """Fetch tasks and lists of published files of a benchmark.

    Args:
        names: of tasks, or of lists (``data/pins/<benchmark>/NAME.csv``).

    Returns:
        the rows of lists, and those of tasks.

    Raises:
        SeluError: as ``fetch_tasks``, or a list is damaged.
    """
    known = lists(root, registry.known(benchmark))
    listed, tasks = ([name for name in names if (name in known) is wanted] for wanted in (True, False))
    if listed and (every or origin):
        raise SeluError(f"{listed[0]} is a list of published files: name it without --all and --origin.")
    mirror, network = _mirror(mirror), Network()
    rows = [fetch_list(root, benchmark, name, mirror, network, progress) for name in dict.fromkeys(listed)]
    if listed and not tasks:
        return rows, []
    chosen, every = registry.of_benchmark(tasks, benchmark), every and benchmark == registry.DEFAULT
    return rows, fetch_tasks(root, chosen, every, mirror, origin, progress)


def fetch_tasks(
    root: Path,
    tasks: Sequence[str],
    every: bool,
    mirror: Path | None,
    origin: str | None,
    progress: Callable[[str], None],
) -> list[Row]:
    """Fetch tasks one after the other; what fails for one does not keep the others from being fetched.

    Args:
        every: all pinned tasks, instead of ``tasks``.
        mirror: folder of local files; without it, the one that SELU_MIRROR names, if any.

    Returns:
        One row per task: task, standing, origin, files, bytes, seconds, state. The state is ``verified``,
        ``already here``, or begins with ``unverified`` (no pinned hash; the rows' hash decides), ``refused``
        (wrong bytes were met) or ``absent`` (nobody had them), with why and what to do.

    Raises:
        SeluError: an unknown task or origin, no task at all, a damaged pin, a mirror that is not a folder.
    """
    pins = _chosen(root, tasks, every)
    mirror = _mirror(mirror)
    if origin is not None and not any(known.name == origin for pin in pins for known in pin.origins):
        raise nearest(origin, sorted({known.name for pin in pins for known in pin.origins}), "origin")
    network = Network()
    return [_row(root, pin, mirror, origin, network, progress) for pin in pins]


def _mirror(given: Path | None) -> Path | None:
    """Return the folder of local files that is given, or else the one that SELU_MIRROR names, if any."""
    mirror = given or (Path(os.environ["SELU_MIRROR"]) if os.environ.get("SELU_MIRROR") else None)
    if mirror is not None and not mirror.is_dir():
        raise SeluError(f"the mirror {mirror} is not a folder: give the one that holds the files, or none.")
    return mirror


def failed(rows: Sequence[Row], every: bool = False) -> bool:
    """Return whether a task was refused or is absent.

    Args:
        every: all tasks were asked for; those that nobody can have openly may then be absent.
    """
    return any(
        row["state"].startswith("refused")
        or (row["state"].startswith("absent") and not (every and row["standing"] == Availability.ABSENT.value))
        for row in rows
    )


def summary(rows: Sequence[Row]) -> str:
    """State in one sentence how many tasks are here."""
    good = [row for row in rows if row["state"] in _GOOD]
    refused = [row["task"] for row in rows if row["state"].startswith("refused")]
    absent = [row["task"] for row in rows if row["state"].startswith("absent")]
    parts = [f"{len(good)} of {len(rows)} tasks are here ({sum(row['bytes'] for row in good) / 1e6:.1f} MB)"]
    parts += [f"refused: {', '.join(refused)}"] if refused else []
    parts += [f"absent: {', '.join(absent)}"] if absent else []
    return "; ".join(parts) + "."


def _chosen(root: Path, tasks: Sequence[str], every: bool) -> list[Pin]:
    if every and tasks:
        raise SeluError("name tasks or give --all, not both.")
    if every:
        return list(read_pins(root / PINS / registry.DEFAULT).values())
    if not tasks:
        raise SeluError("name at least one task, or give --all; 'selu list tasks' shows them.")
    made = {task for paper in registry.published() for task in registry.benchmark(paper).made_of}
    known = {name: root / pin_of(name) for name in (*registry.declared(), *registry.sets()) if name not in made}
    if made.issuperset(tasks):
        raise SeluError(
            f"nothing is fetched for {tasks[0]}: 'selu prepare {tasks[0]}' makes its rows from a package."
        )
    tasks = [task for task in tasks if task not in made]
    for task in tasks:
        if task not in known:
            raise nearest(task, list(known), "pinned task")
    return [read_pin(path) for path in dict.fromkeys(known[task] for task in tasks)]


def _row(
    root: Path,
    pin: Pin,
    mirror: Path | None,
    origin: str | None,
    network: Network,
    progress: Callable[[str], None],
) -> Row:
    start = time.monotonic()
    found: Fetched | None = None
    folder = root / raw_of(pin.task)
    try:
        found = fetch(pin, folder, mirror, network, origin, progress)
        state = UNVERIFIED if not found.verified else HERE if found.already else VERIFIED
    except RefusedError as error:
        state = f"refused: {error}"
    except SeluError as error:
        state = f"absent: {error}"
    except OSError as error:
        state = f"absent: {error.filename or pin.task}: {error.strerror or error}"
    return {
        "task": pin.task,
        "standing": pin.availability.value,
        "origin": found.origin if found else None,
        "files": len(found.files) if found else 0,
        "bytes": found.bytes if found else 0,
        "seconds": round(time.monotonic() - start, 1),
        "state": state,
    }
