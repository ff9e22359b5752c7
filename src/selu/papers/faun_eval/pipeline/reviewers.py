"""Several reviewers of the same records (section 3.3.3): what all of them keep, and their agreement.

The paper has two researchers review independently, and publishes neither judgements nor their agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from selu.files import write_csv
from selu.papers.faun_eval.pipeline.judge import SILENT, UNCLEAR, Judge, Judged
from selu.stats.agreement import kappa, share

DIFFER = "reviewers differ"
LEVEL = 0.95
COLUMNS = ("one", "other", "records", "same", "share", "low", "high", "kappa", "kappa_low", "kappa_high")


class Reviewers:
    """A judge that combines several: a record passes if each of them finds it clear.

    Args:
        judges: by the name of each, as tables show it.
    """

    def __init__(self, judges: Mapping[str, Judge]) -> None:
        self._judges = judges
        self._found: dict[str, Mapping[str, str | None]] = {}

    def __call__(self, judged: Sequence[Judged]) -> list[str | None]:
        """Return why each record is refused; None for one that a reviewer left open."""
        every = {name: judge(judged) for name, judge in self._judges.items()}
        for at, record in enumerate(judged):
            self._found[record.name] = {name: found[at] for name, found in every.items()}
        return [_decide(set(self._found[record.name].values())) for record in judged]

    def agreement(self) -> tuple[str, list[str]]:
        """Compare every two reviewers on the records that both judged: a table as CSV, and a sentence for each.

        Intervals are of 95 %: Wilson's for the share of equal verdicts, Fleiss's large-sample one for kappa.
        """
        rows: list[Sequence[str | int | float]] = [COLUMNS]
        says = []
        for reviewer, other in combinations(self._judges, 2):
            pairs = [
                (found[reviewer] is None, found[other] is None)
                for found in self._found.values()
                if SILENT not in (found[reviewer], found[other])
            ]
            if not pairs:
                rows.append((reviewer, other, 0, *[""] * 7))
                says.append(f"{reviewer} and {other} judge no record of these in common")
                continue
            equal = share(sum(a == b for a, b in pairs), len(pairs), LEVEL)
            chance = kappa(pairs, LEVEL)
            beyond = (chance["value"], chance["low"], chance["high"]) if chance else ("", "", "")
            rows.append(
                (
                    reviewer,
                    other,
                    len(pairs),
                    equal["count"],
                    equal["share"],
                    equal["low"],
                    equal["high"],
                    *beyond,
                )
            )
            says.append(
                f"{reviewer} and {other} agree on {equal['count']:,} of {len(pairs):,} records: "
                + (
                    f"Cohen's kappa is {chance['value']:.2f} ({chance['low']:.2f} to {chance['high']:.2f})"
                    if chance
                    else "both give one answer only, of which Cohen's kappa is not defined"
                )
            )
        return write_csv(rows), says


def _decide(reasons: set[str | None]) -> str | None:
    if reasons == {None}:
        return None
    return SILENT if SILENT in reasons else UNCLEAR if reasons == {UNCLEAR} else DIFFER
