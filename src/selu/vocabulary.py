"""The fixed words of the project as small frozen records. Nothing here reads a file or computes a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, NotRequired, TypedDict

# What a row is labelled or answered with: a class, a number, a sign for each label, a tag for each token.
Target = int | float | str | Sequence[int] | Sequence[float] | Sequence[str]
_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class KnownFields:
    """Base of declared records: a field that they do not know is refused."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


class SeluError(Exception):
    """A mistake the user can fix: one sentence that says what, where and what to do."""


class MachineError(SeluError):
    """The machine is at fault (no data, environment, memory or disk), not a cell: nothing to record of it."""


def plain_number(text: str) -> float:
    """Read the number that a text is: ASCII digits, and a sign, decimal point or exponent where it has them.

    ``float`` takes more: 1_0, digits of other scripts, blanks around the digits, nan and infinity.

    Raises:
        ValueError: it is no such number, or one too large for a float.
    """
    value = float(text) if _PLAIN.fullmatch(text) else math.inf
    if math.isinf(value):
        raise ValueError(f"{text!r} is not a plain number")
    return value


class Kind(StrEnum):
    """What a task asks for; a benchmark may bring further kinds (``metrics.kinds``)."""

    BINARY = "binary"
    MULTI_CLASS = "multi_class"
    MULTI_LABEL = "multi_label"
    REGRESSION = "regression"
    ENTITIES = "entities"
    MASKED = "masked"


class Family(StrEnum):
    """Role of natural language in a task (SELU section III-A)."""

    CODE_ADJACENT = "code_adjacent"
    CORE_NON_CODE = "core_non_code"
    DEVELOPER_COMMUNICATION = "developer_communication"


class Activity(StrEnum):
    """Software engineering life-cycle activity (SELU section III-A, Appendix A)."""

    REQUIREMENTS_ANALYSIS = "requirements_analysis"
    SOFTWARE_DEVELOPMENT = "software_development"
    QUALITY_ASSURANCE = "quality_assurance"
    SOFTWARE_MAINTENANCE = "software_maintenance"
    SOFTWARE_MANAGEMENT = "software_management"
    SOFTWARE_DESIGN = "software_design"


class Approach(StrEnum):
    """How a system learns a task."""

    FINETUNED = "finetuned"
    PROMPTED = "prompted"
    BASELINE = "baseline"


class Metric(StrEnum):
    """Primary metric of a task; all lie in 0..1 as printed and higher is better."""

    F1_MACRO = "f1_macro"
    ONE_MINUS_SMAPE = "one_minus_smape"
    F1_MICRO = "f1_micro"
    F1_POSITIVE = "f1_positive"
    ACCURACY = "accuracy"


class CellState(StrEnum):
    """State of a cell in every table."""

    PRESENT = "present"
    ABSENT_BY_DESIGN = "absent by design"
    FAILED = "failed"
    INVALID = "invalid"


class RunState(StrEnum):
    """What a run's folder holds, measured against the identity that it should have."""

    PRESENT = "present"
    MISSING = "missing"
    FAILED = "failed"
    STALE = "stale"
    DAMAGED = "damaged"


class Evidence(StrEnum):
    """The depth of the check of a number."""

    PUBLISHED = "printed"
    RECOUNTED = "recounted"
    RE_SCORED = "re-scored"
    RE_RUN = "re-run"


WHOLE = ("equal", "package")  # availabilities of data that are all of the paper's rows


class CellVerdict(StrEnum):
    """How a re-run or recounted number compares with the published one."""

    REPRODUCED = "reproduced"
    WITHIN_NOISE = "within noise"
    DEVIATES = "deviates"


class Verdict(StrEnum):
    """The numbers' verdict on a claim."""

    HOLDS = "holds"
    CAVEAT = "holds with caveat"
    FAILS = "fails"
    NOT_CHECKABLE = "not checkable"

    @property
    def label(self) -> str:
        """Return the verdict as people read it; files keep the value."""
        return _VERDICT_LABELS.get(self, self.value)


class CaveatKind(StrEnum):
    """Why a claim holds only with a caveat (docs/CLAIMS.md)."""

    ROUNDING = "rounding"
    EXCEPTIONS = "exceptions"
    SCOPE = "scope"
    WORDING = "wording"


_VERDICT_LABELS = {
    Verdict.CAVEAT: "holds with a caveat",
    Verdict.NOT_CHECKABLE: "can't be checked",
}


@dataclass(frozen=True, slots=True)
class Label(KnownFields):
    """One answer of a closed set, with a one-line definition."""

    name: str
    means: str


@dataclass(frozen=True, slots=True)
class Citation(KnownFields):
    """Where a task was first published; ``ref`` is its number in the benchmark's paper."""

    ref: int
    authors: str
    title: str
    venue: str
    year: int
    doi: str | None = None


@dataclass(frozen=True, slots=True)
class Task(KnownFields):
    """A question put to a system. ``labels`` are in index order and empty for open answers.

    ``kind`` is a ``Kind`` or the name of one that a benchmark brings, ``metric`` likewise a ``Metric``.
    ``sets`` are the pinned sets of rows that its own are cut out of.
    """

    id: str
    kind: str
    question: str
    text: str
    labels: tuple[Label, ...]
    metric: str
    activity: Activity
    family: Family
    sources: tuple[str, ...]
    instances: int
    targets: str
    citation: tuple[Citation, ...]
    range: tuple[float, float] | None = None
    benchmark: str = ""
    sets: tuple[str, ...] = ()

    @property
    def ranked(self) -> bool:
        """Return whether classification and regression systems can answer it (SELU section IV-D)."""
        return self.kind in (Kind.BINARY, Kind.MULTI_CLASS, Kind.MULTI_LABEL, Kind.REGRESSION)


@dataclass(frozen=True, slots=True)
class System(KnownFields):
    """A system under test. ``context`` is the longest input in tokens."""

    id: str
    name: str
    approach: Approach
    shots: int | None
    series: str | None
    architecture: str | None
    adaptation: str | None
    size_published: str | None
    parameters: int | None
    parameters_counted: int | None
    hub: str | None
    context: int | None
    licence: str
    gated: bool | None


@dataclass(frozen=True, slots=True)
class Cell:
    """(task, system), its state and, where present, its published score."""

    task: str
    system: str
    state: CellState
    published: str | None
    evidence: Evidence | None
    reason: str | None = None

    @property
    def id(self) -> str:
        """``task/system``, the way the command line names a cell."""
        return f"{self.task}/{self.system}"


@dataclass(frozen=True, slots=True)
class Published:
    """A number (or word) published in a paper, with its place."""

    table: str
    row: str
    column: str
    published: str


@dataclass(frozen=True, slots=True)
class Caveat:
    """A fact that limits what a claim, as quoted, lets a reader conclude; ``text`` is one sentence or more."""

    kind: CaveatKind
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of checking a claim: the verdict, the sentences that explain it, and the numbers behind it.

    ``caveat_kind`` is set where a caveat that names its kind limits the claim.
    """

    verdict: Verdict
    because: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    caveat_kind: CaveatKind | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a claim's rule or sentence: the day, the reason, and the previous wording."""

    date: str
    why: str
    was: str


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of a claim, for a reader to know before its numbers.

    ``thresholds`` maps each number that the rule names to its source; ``caveat`` is empty where the claim can
    only hold or fail.
    """

    holds: str
    fails: str
    caveat: str = ""
    thresholds: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


WEIGHTS = ("conclusion", "method", "detail")  # of a claim, the heaviest one first


@dataclass(frozen=True, slots=True)
class Claim:
    """A checkable statement of a paper, in our words. ``check`` computes its finding by ``rule``.

    ``weight`` is conclusion, method or detail; ``kind`` is stated, implied or our check; ``quote`` are the
    words of the paper that are judged, at most 25; ``question`` is what this claim and its neighbours answer;
    ``if_it_fails`` says what would be otherwise. Each is empty where nobody said so.
    """

    id: str
    section: str
    statement: str
    rule: Rule
    check: Callable[[Any], Finding]
    weight: str = ""
    kind: str = ""
    quote: str = ""
    question: str = ""
    if_it_fails: str = ""


class Changed(TypedDict):
    """A change of a rule or of a claim's wording: its day, its reason and the previous wording."""

    date: str
    why: str
    was: str


class RuleFound(TypedDict):
    """What makes a claim hold, hold with a caveat, or fail; where the numbers in it are from."""

    holds: str
    fails: str
    caveat: NotRequired[str]
    thresholds: NotRequired[Mapping[str, str]]
    changes: NotRequired[Sequence[Changed]]


class ClaimFound(TypedDict):
    """A claim with its finding: an entry of claims.json; on pages with what re-runs say of it, too."""

    id: str
    section: str
    statement: str
    weight: NotRequired[str]
    kind: NotRequired[str]
    quote: NotRequired[str]
    question: NotRequired[str]
    if_it_fails: NotRequired[str]
    rule: RuleFound
    verdict: str
    caveat_kind: NotRequired[str]
    because: str
    numbers: Mapping[str, Any]
    rerun: NotRequired[object]
