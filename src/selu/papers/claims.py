"""The declaration of a claim, the few shapes of findings, and their record."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from selu.papers.declared import read_mapping
from selu.papers.published import PublishedTables
from selu.vocabulary import (
    WEIGHTS,
    Caveat,
    CaveatKind,
    Change,
    Claim,
    ClaimFound,
    Finding,
    Rule,
    SeluError,
    Verdict,
)

HISTORY = "history.yaml"  # in a package of claims: what was changed in a rule or sentence, by id
FIELDS = ("id", "section", "statement", "verdict", "because", "numbers")  # that an entry of claims.json has
_OPTIONAL_FIELDS = ("weight", "kind", "quote", "question", "if_it_fails")  # where it was declared
Check = Callable[[Any], Finding]  # of the benchmark's own material


def claim(
    id: str,
    section: str,
    statement: str,
    *,
    holds: str,
    fails: str,
    caveat: str = "",
    thresholds: Mapping[str, str] | None = None,
    weight: str = "",
    kind: str = "",
    quote: str = "",
    if_it_fails: str = "",
) -> Callable[[Check], Claim]:
    """Declare the decorated check as the claim of that id; the name then holds the Claim record.

    Args:
        holds: what the evidence has to be for the claim to hold, for a reader of the paper alone.
        fails: likewise for it to fail.
        caveat: what makes a claim that holds do so with a caveat; empty where nothing can.
        thresholds: each number that these three name, and where it is from.
        weight, kind, quote, if_it_fails: as in ``Claim``; one with a quote is stated, its question is the
            module's QUESTION.

    Raises:
        ValueError: there is no such weight.
    """
    if weight not in ("", *WEIGHTS):
        raise ValueError(f"{id} has the weight {weight!r}, and there are {listed(WEIGHTS)}")
    rule = Rule(holds, fails, caveat, thresholds or {})

    def declare(check: Check) -> Claim:
        claim_kind = kind or ("stated" if quote else "")
        return Claim(id, section, statement, rule, check, weight, claim_kind, quote, if_it_fails=if_it_fails)

    return declare


def declared_in(package: str) -> tuple[Claim, ...]:
    """Find the claims of all modules in a package and its folders, but for private modules, in order of id.

    Raises:
        SeluError: a module can't be read, two claims have one id, or a change is of none of them.
    """
    changes = _history(package)
    found = [_with_changes(claim, changes) for claim in _claims_of(package, _modules(package))]
    if unknown := sorted(changes.keys() - {claim.id for claim in found}):
        raise SeluError(f"{package}: {HISTORY} names {unknown[0]}, which is not a claim: fix its id.")
    return tuple(sorted(found, key=lambda claim: claim.id))


def declared_as(package: str, id: str) -> Claim | None:
    """Find one of these claims by its id, likewise; only modules whose text declares it are imported."""
    declaration = re.compile(rf"""\bclaim\(\s*["\']{re.escape(id)}["\']""")
    modules = _modules(package).items()
    named = {name: path for name, path in modules if declaration.search(path.read_text("utf-8"))}
    found = next((claim for claim in _claims_of(package, named) if claim.id == id), None)
    return found and _with_changes(found, _history(package))


@cache
def _history(package: str) -> Mapping[str, tuple[Change, ...]]:
    """Read what was changed in the claims of a package, by id; nothing where it has no such file."""
    found = _imported(package)
    if not hasattr(found, "__path__") or not Path(next(iter(found.__path__)), HISTORY).is_file():
        return {}
    return {
        id: tuple(Change(**change) for change in changes)
        for id, changes in read_mapping(package, HISTORY).items()
    }


def _with_changes(claim: Claim, changes: Mapping[str, tuple[Change, ...]]) -> Claim:
    return replace(claim, rule=replace(claim.rule, changes=changes.get(claim.id, ())))


def _modules(package: str) -> Mapping[str, Path]:
    """Return the files of a package's public modules, by module name."""
    found = _imported(package)
    if not hasattr(found, "__path__"):  # a module, not a package of them
        return {package: Path(str(found.__file__))}
    folder = Path(next(iter(found.__path__)))
    paths = sorted(path for path in folder.rglob("*.py") if not path.name.startswith("_"))
    return {".".join([package, *path.relative_to(folder).with_suffix("").parts]): path for path in paths}


def _claims_of(package: str, modules: Mapping[str, Path]) -> list[Claim]:
    found: dict[str, tuple[Claim, Path]] = {}
    for module, path in modules.items():
        declared = vars(_imported(module))
        for claim in [value for value in declared.values() if isinstance(value, Claim)]:
            if claim.id in found:
                files = listed(dict.fromkeys(file.as_posix() for file in (found[claim.id][1], path)))
                raise SeluError(
                    f"{_paper_of(package)}: two claims have the id {claim.id} ({files}): rename one."
                )
            found[claim.id] = replace(claim, question=declared.get("QUESTION", "")), path
    return [claim for claim, _ in found.values()]


def _paper_of(module: str) -> str:
    return module.removeprefix(f"{__package__}.").partition(".")[0]


def _imported(module: str) -> ModuleType:
    try:
        return import_module(module)
    except SeluError:
        raise
    except Exception as error:  # any exception: claims may be third-party code
        why = f"its claims can't be read: {_at_fault(error)}; correct it there."
        raise SeluError(f"{_paper_of(module)}: {why}") from error


def rounding(text: str) -> Caveat:
    """Limit a claim by a margin inside the rounding of published numbers or the Monte-Carlo error of a test."""
    return Caveat(CaveatKind.ROUNDING, text)


def exceptions(text: str) -> Caveat:
    """Limit a claim by the k of n cases that depart from it."""
    return Caveat(CaveatKind.EXCEPTIONS, text)


def scope(text: str) -> Caveat:
    """Limit a claim to the part of the cases that its evidence covers."""
    return Caveat(CaveatKind.SCOPE, text)


def wording(text: str) -> Caveat:
    """Limit a claim whose words are stronger or vaguer than the numbers."""
    return Caveat(CaveatKind.WORDING, text)


def joined(caveats: Sequence[Caveat]) -> Caveat | None:
    """Join the limits of a claim to one caveat of the first one's kind; None if there are none."""
    return Caveat(caveats[0].kind, " ".join(caveat.text for caveat in caveats)) if caveats else None


def finding(
    holds: bool,
    because: str,
    *,
    caveat: Caveat | None = None,
    remark: str | None = None,
    **numbers: Any,
) -> Finding:
    """Find ``fails`` unless the claim holds; with a caveat it holds only with that.

    Args:
        caveat: what limits the conclusion.
        remark: a true fact beside the claim, shown after the reason; it leaves the verdict as it is.
    """
    aside = f" Remark: {remark}" if remark else ""
    if not holds:
        return Finding(Verdict.FAILS, f"{because}{aside}", numbers)
    if caveat:
        because = f"{because} Caveat ({caveat.kind}): {caveat.text}{aside}"
        return Finding(Verdict.CAVEAT, because, numbers, caveat.kind)
    return Finding(Verdict.HOLDS, f"{because}{aside}", numbers)


def noted(holds: bool, because: str, *, note: Caveat | None, **numbers: Any) -> Finding:
    """Return a finding as ``finding`` does, with a caveat if the claim holds, and a reason if it fails."""
    return finding(holds, because if holds or not note else f"{because} {note.text}", caveat=note, **numbers)


def unless_known(published: PublishedTables, table: str, missing: str) -> Finding | None:
    """Find ``not checkable`` while the numbers that would decide the claim are not in ``data/paper``.

    A check begins with ``if (open := unless_known(paper, "figure1", "...")): return open`` and goes on to
    compute its verdict from the table once somebody has it.
    """
    if table in published.tables:
        return None
    place = f"data/paper/{published.benchmark}/{table}.csv"
    return Finding(Verdict.NOT_CHECKABLE, f"{missing} ({place} would decide it).", {"needs": table})


def unless_rescored(published: PublishedTables, table: str, missing: str) -> Finding | None:
    """Find ``not checkable``, for the reason ``missing``, while a table of re-scored answers is not here."""
    return None if published.has(table) else Finding(Verdict.NOT_CHECKABLE, missing, {"needs": "rescored"})


def percent(share: float) -> str:
    """Write a probability as the sentences print it, for example 93.4 %."""
    return f"{100 * share:.1f} %"


def portion(count: int, total: int) -> str:
    """Write how many of how many, to begin a sentence with: '3 of 5' or 'None of 5'."""
    return f"{f'{count:,}' if count else 'None'} of {total:,}"


def listed(names: Iterable[str]) -> str:
    """Join names for a sentence; 'none' if there are none."""
    return ", ".join(names) or "none"


def signed(values: Mapping[str, float]) -> str:
    """Join differences for a sentence, each with its sign."""
    return listed(f"{name} {value:+.3f}" for name, value in values.items())


class BrokenClaimError(SeluError):
    """An error in a claim's program; ``why`` is Python's description of it."""

    def __init__(self, paper: str, id: str, error: Exception) -> None:
        """Name the paper, the claim, and the line of its package at which it ended."""
        self.why = " ".join(str(error).split())[:100] or type(error).__name__
        super().__init__(f"{paper}: the claim {id} can't be computed: {_at_fault(error)}; correct it there.")


def claims_record(published: PublishedTables, claims: Iterable[Claim]) -> list[ClaimFound]:
    """Check every claim; returns them with their findings, in order of id, ready for JSON.

    Raises:
        BrokenClaimError: the program of a claim ends in an error.
    """
    return [_entry(claim, _checked(published, claim)) for claim in claims]


def _checked(published: PublishedTables, claim: Claim) -> Finding:
    try:
        return claim.check(published)
    except SeluError:
        raise
    except Exception as error:  # any exception: a claim may be third-party code
        raise BrokenClaimError(published.benchmark, claim.id, error) from error


def _at_fault(error: Exception) -> str:
    """Describe an error as Python does, with the last line of a paper's package that led to it."""
    root = Path(__file__).parents[3]
    papers = [Path(folder).absolute() for folder in import_module(str(__package__)).__path__]
    if isinstance(error, SyntaxError) and error.filename:
        path, line, message = Path(error.filename), error.lineno or 0, error.msg
    else:
        frames = [
            (Path(frame.filename), frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)
        ]
        own = [frame for frame in frames if set(papers) & set(frame[0].parents[1:])]
        (path, line), message = (own or frames or [(Path(__file__), 0)])[-1], " ".join(str(error).split())[:200]
    place = path.relative_to(root) if root in path.parents else path
    return f"{type(error).__name__}: {message or 'no more is said'} ({place.as_posix()}, line {line})"


def _entry(claim: Claim, found: Finding) -> ClaimFound:
    entry: dict[str, Any] = {
        "id": claim.id,
        "section": claim.section,
        "statement": claim.statement,
        **{name: value for name in _OPTIONAL_FIELDS if (value := getattr(claim, name))},
        "rule": {name: value for name, value in asdict(claim.rule).items() if value},
        "verdict": found.verdict.value,
        **({"caveat_kind": found.caveat_kind.value} if found.caveat_kind else {}),
        "because": found.because,
        "numbers": dict(found.numbers),
    }
    return cast(ClaimFound, entry)
