"""``selu verify``: recompute every verdict from the published numbers, and compare it with the tracked one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selu import registry
from selu.evidence.tracked import command_of, tracked_claims
from selu.files import to_json
from selu.papers.claims import BrokenClaimError, claims_record, listed
from selu.papers.published import PublishedTables
from selu.project import PINS, REPORTS
from selu.report.verdicts import counts
from selu.runs.pipeline import Stage, read_lock
from selu.runs.store import check_results, check_store
from selu.sources.published import read_second
from selu.vocabulary import Claim, ClaimFound, SeluError

# A number as papers and their packages write it: 7,779 or 1e-05 or 110M or 3 thousand.
_NUMBER = re.compile(r"[-+]?[0-9,']*\.?[0-9]+(e[-+]?[0-9]+)?([*%+MB]| .*)?")
# In a finding, as a correlation of equal numbers; "nan for 0.5" is a published number with none computed.
_UNDEFINED = re.compile(r"\bnan\b(?! for )")

# No verdict is read from the site's pages, which an added paper changes.
_PAGES = (REPORTS / "site").as_posix()


@dataclass(frozen=True)
class Outcome:
    """The findings of this run, and each difference from the tracked ones.

    ``scores`` says how many scores of runs were looked at, and which could not be recomputed; None where one
    claim or altered tables were asked for. ``not_computed`` are ids of claims that altered
    tables do not allow. ``paper`` is the id of whose claims they are.
    """

    claims: list[ClaimFound]
    differences: list[str]
    scores: str | None = None
    not_computed: tuple[str, ...] = ()
    paper: str = registry.DEFAULT

    def record(self) -> Mapping[str, object]:
        """Return the outcome as one JSON object."""
        found: dict[str, Any] = {
            "counts": counts(self.claims),
            "differences": self.differences,
            "claims": self.claims,
        }
        if self.scores is not None:
            found["scores"] = self.scores
        if self.not_computed:
            found["not_computed"] = self.not_computed
        if not self.differences:
            return found
        rest = f" ({len(self.differences)} differences in all)" if len(self.differences) > 1 else ""
        return {"error": self.differences[0] + rest, **found}


def verify(
    root: Path, claim: str | None = None, what_if: Path | None = None, benchmark: str = registry.DEFAULT
) -> Outcome:
    """Check all claims, and that the scores of runs are those of their predictions; or one claim.

    Before, whatever is tracked, but the site's pages, is held to its digests. One claim, and a paper of
    published scores alone, read the paper's report and no more, and so only that is held.

    Args:
        what_if: folder with altered tables, checked instead of the paper's.

    Raises:
        SeluError: an unknown benchmark or claim, damaged input, an altered table from which a claim can't be
            computed, or no tracked findings to compare with.
    """
    if what_if is not None and not what_if.is_dir():
        raise SeluError(f"{what_if} is not a folder: copy data/paper/{benchmark} there and alter the copy.")
    if claim is None:
        check_store(root)
    known = registry.known(benchmark)
    reads_runs = claim is None and bool(registry.tasks(known))
    records = [stage for stage in read_lock(root) if _PAGES not in stage.writes]
    check_results(root, within=None if reads_runs else REPORTS / benchmark, stages=records)
    material = registry.load(root, known, what_if)
    chosen = registry.claims(benchmark) if claim is None else (registry.claim(benchmark, claim),)
    tracked = {record["id"]: record for record in tracked_claims(root, benchmark)}
    record, refused = _record(root, material, chosen, what_if)
    found: list[ClaimFound] = json.loads(to_json(record))
    without = tuple(id for ids in refused.values() for id in ids)
    done = {*(entry["id"] for entry in found), *without}
    lost = sorted(set(tracked) - done) if claim is None else []
    altered = " from the altered tables" if what_if else ""
    differences = [
        *_differences(found, tracked, _update(benchmark, records)),
        *(f"{id}: tracked, but no longer checked." for id in lost),
        *(f"{listed(ids)}: not computed{altered}. {why}" for why, ids in refused.items()),
    ]
    if claim is not None or what_if is not None:
        return Outcome(found, differences, not_computed=without, paper=benchmark)
    from selu.evidence import recomputing  # reads rows, which one claim needs not

    wrong, scores = recomputing.check(root, benchmark)
    return Outcome(found, [*differences, *wrong], scores, paper=benchmark)


def _record(
    root: Path, material: PublishedTables, claims: Sequence[Claim], what_if: Path | None
) -> tuple[list[ClaimFound], Mapping[str, list[str]]]:
    """Return the record of the claims, and the claims that can't be computed, by reason.

    Raises:
        SeluError: no claim can be computed, or the tables, which nobody altered on purpose, are wrong; what
            an altered copy says at fault is named.
    """
    record: list[ClaimFound] = []
    refused: dict[str, list[str]] = {}
    altered: list[str] = []
    for claim in claims:
        try:
            entries = claims_record(material, [claim])
            if what_if and any(_UNDEFINED.search(entry["because"]) for entry in entries):
                raise ValueError("a number of its finding is not defined")
            record += entries
        except (BrokenClaimError, ValueError) as error:
            altered = altered or (_altered(root, material, what_if) if what_if else [])
            why = str(error)
            if altered:
                rest = f"; {len(altered)} cells differ in all" if len(altered) > 1 else ""
                reason = error.why if isinstance(error, BrokenClaimError) else str(error)
                why = f"{altered[0]}, from which no verdict can be computed ({reason}{rest}): correct it."
            refused.setdefault(why, []).append(claim.id)
        except SeluError as error:
            if what_if is None:
                raise SeluError(f"{claim.id}: {error}") from error
            refused.setdefault(str(error), []).append(claim.id)
    if refused and not record:
        raise SeluError(next(iter(refused)))
    return record, refused


def _altered(root: Path, material: PublishedTables, folder: Path) -> list[str]:
    """List fields of altered tables that differ from the published ones; first those without a number."""
    words, others = [], []
    for file, places in read_second(root / PINS / material.benchmark, material.tables).items():
        now = {place: cell.published for place, cell in material.tables[file].items()}
        for row, column in {**places, **now}:
            before, after = places.get((row, column)), now.get((row, column))
            if before == after:
                continue
            where = f"{folder / file}.csv, row {row!r}, column {column!r}"
            if before is None:
                others.append(f"{where}: no such cell is printed")
            elif after is None:
                words.append(f"{where}: {before!r} is missing")
            else:
                lost = _NUMBER.fullmatch(before) and not _NUMBER.fullmatch(after)
                (words if lost else others).append(f"{where}: reads {after!r} where {before!r} is printed")
    return [*words, *others]


def _update(benchmark: str, stages: Sequence[Stage]) -> str:
    """Name the command that tracks new verdicts: of a paper without a stage its report alone has them."""
    has_stage = any((REPORTS / benchmark / "claims.json").as_posix() in stage.writes for stage in stages)
    return "selu reproduce --update" if has_stage else command_of("report claims", benchmark)


def _differences(found: Sequence[ClaimFound], tracked: Mapping[str, ClaimFound], update: str) -> list[str]:
    lines = []
    for record in found:
        before = tracked.get(record["id"])
        if before is None:
            lines.append(
                f"{record['id']}: {record['verdict']}, but no verdict is tracked: '{update}' tracks it."
            )
        elif before["verdict"] != record["verdict"]:
            lines.append(
                f"{record['id']}: {record['verdict']} where '{before['verdict']}' is tracked: "
                f"{record['because']}"
            )
    return lines
