"""Paired differences of prompted systems on the same rows: of the authors' words and ours, of two models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from selu.papers.evidence import Evidence, RunSeen
from selu.papers.selu.evidence.differences import Pair, differences
from selu.papers.selu.evidence.runs import PROTOCOLS
from selu.papers.selu.records.reruns import ComparisonBeside
from selu.vocabulary import RunState

WORDING, AUTHORS = "wording", "authors"  # of a run's data, where the words are not ours
Runs = Mapping[tuple[str, str], Mapping[str, RunSeen]]  # (task, system) -> by protocol


def wordings(evidence: Evidence, planned: Runs) -> list[ComparisonBeside]:
    """Compare each cell in the authors' words with the one that differs in nothing else: theirs minus ours.

    Raises:
        MachineError: there are such cells, and the prepared rows of their task are not here.
    """
    return [entry for theirs, ours in _twins(planned) for entry in _entries(evidence, theirs, ours)]


def sizes(evidence: Evidence, planned: Runs, parameters: Mapping[str, int]) -> list[ComparisonBeside]:
    """Compare models asked alike, in our words, validation-selected: each minus the next smaller one.

    Args:
        parameters: of the systems that are compared, by id.

    Raises:
        MachineError: there are such models, and the prepared rows of their task are not here.
    """
    alike: dict[tuple[str, str], list[RunSeen]] = {}
    for (task, system), runs in planned.items():
        if system in parameters and not in_their_words(runs) and runs["strict"].state == RunState.PRESENT:
            fields = runs["strict"].fields
            asked = [fields["model"]["shots"], sorted(fields["params"].items()), fields["data"].get("sample")]
            alike.setdefault((task, repr(asked)), []).append(runs["strict"])
    found: list[ComparisonBeside] = []
    for same in alike.values():
        by_size = sorted(same, key=lambda run: parameters[run.system])
        pairs = [Pair("strict", [larger], [smaller]) for smaller, larger in pairwise(by_size)]
        found += differences(evidence, by_size, pairs) if pairs else ()
    return found


def _twins(planned: Runs) -> Iterator[tuple[Mapping[str, RunSeen], Mapping[str, RunSeen]]]:
    ours = {(task, _asked(runs)): runs for (task, _), runs in planned.items() if not in_their_words(runs)}
    for (task, _), runs in planned.items():
        if in_their_words(runs) and (twin := ours.get((task, _asked(runs)))):
            yield runs, twin


def in_their_words(runs: Mapping[str, RunSeen]) -> bool:
    """Return whether a score's prompts use the authors' words."""
    return WORDING in runs["strict"].fields["data"]


def _asked(runs: Mapping[str, RunSeen]) -> str:
    """Return who is asked, how, and on which rows."""
    fields: Mapping[str, Any] = runs["strict"].fields
    return repr(
        [sorted(fields["model"].items()), sorted(fields["params"].items()), fields["data"].get("sample")]
    )


def _entries(
    evidence: Evidence, theirs: Mapping[str, RunSeen], ours: Mapping[str, RunSeen]
) -> Iterator[ComparisonBeside]:
    there = [
        protocol
        for protocol in PROTOCOLS
        if {theirs[protocol].state, ours[protocol].state} == {RunState.PRESENT}
    ]
    if there:
        pairs = [Pair(protocol, [theirs[protocol]], [ours[protocol]]) for protocol in there]
        yield from differences(evidence, [run for pair in pairs for run in (*pair.first, *pair.second)], pairs)
