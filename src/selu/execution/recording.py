"""What is written of every run, however it learnt: where it comes from, or why it failed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu.execution import plans
from selu.execution.planned import Planned
from selu.runs import record, resources
from selu.vocabulary import MachineError, SeluError


def sentence(error: Exception) -> str:
    """An error in one sentence."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}; nothing is half-written."
    return (str(error).splitlines() or [type(error).__name__])[0]


def standing_of(planned: Planned) -> str:
    """What a score stands on, where that is not all of the paper's rows."""
    return {"synthetic": " on synthetic rows", "partial": " on part of the rows"}.get(planned.standing, "")


def check_unchanged(root: Path, planned: Planned) -> None:
    """Sources are hashed when a run is planned and again at its end (DESIGN, rule 3)."""
    try:
        same = planned.identity == plans.plan_again(root, planned).identity
    except SeluError:
        same = False
    if not same:
        raise MachineError(f"the sources or parameters changed while {planned.name} ran: run it again.")


def provenance(planned: Planned, versions: Mapping[str, Any], started: float) -> dict[str, Any]:
    """What the record of every run says: what it is, where it was made, and when."""
    return {
        "identity": planned.identity,
        "fields": dict(planned.fields),
        "standing": planned.standing,
        "environment": planned.environment,
        "picked_on": planned.fields["pick"]["on"],
        "versions": dict(versions),
        "machine": resources.machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
    }


def record_failure(planned: Planned, error: str) -> None:
    """Record that a cell failed; a present run of the same identity stays."""
    if record.state(planned.folder, planned.identity) is record.State.PRESENT:
        return
    record.write_failed(
        planned.folder,
        {
            "state": "failed",
            "error": error,
            "identity": planned.identity,
            "fields": dict(planned.fields),
            "standing": planned.standing,
            "environment": planned.environment,
        },
    )
