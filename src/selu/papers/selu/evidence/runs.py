"""Runs of the paper's systems and of others: the part of each, and which can't be used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from selu.papers.evidence import Evidence, Progress, RunSeen
from selu.papers.selu import design
from selu.papers.selu.records.reruns import Part
from selu.vocabulary import Approach, RunState, SeluError

PROTOCOLS: tuple[Part, ...] = ("paper", "strict")
BASELINES = tuple(system.id for system in design.systems() if system.approach is Approach.BASELINE)
AUTHORS = "authors"  # the environment in which protocol ``paper`` of a baseline is at home
NOT_SCORED = "not scored"
_UNUSABLE = (RunState.STALE, RunState.DAMAGED, NOT_SCORED)


def to_text(entries: Sequence[Mapping[str, object]]) -> str:
    """Return JSON at full precision: these numbers are compared with published ones to the last digit."""
    return json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def part_of(run: RunSeen) -> str:
    """Return the part of a run: paper, current (paper with the current libraries) or strict."""
    at_home = run.protocol != "paper" or run.environment == AUTHORS
    return run.protocol if at_home or run.system not in BASELINES else "current"


def tell(evidence: Evidence, progress: Progress) -> None:
    """Report which scores could not be recomputed, if there are any."""
    if note := evidence.note():
        progress(note)


def refuse_unusable(states: Iterable[tuple[str, str]], remedy: str = "") -> None:
    """Refuse runs that are here but can't be read: they must not become gaps in what is tracked.

    Args:
        states: name and state of each run.
        remedy: what else 'selu run' does about them.
    """
    unusable = [(name, state) for name, state in states if state in _UNUSABLE]
    if unusable:
        name, state = unusable[0]
        raise SeluError(
            f"{len(unusable)} runs can't be used, first {name} ({state}): 'selu run' fixes them{remedy}, or "
            "'dvc checkout --force results' brings the tracked ones back."
        )


def no_runs(whose: str = "") -> SeluError:
    """Return the error that there is no run at all, or none of some systems.

    Args:
        whose: the systems, as in ' of xgboost'; empty for all.
    """
    return SeluError(
        f"{design.RESULTS} holds no run{whose}: run 'dvc pull' to get the tracked ones, or 'selu run'."
    )
