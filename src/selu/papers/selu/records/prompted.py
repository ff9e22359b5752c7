"""Fields of prompted.json and prices.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

from selu.papers.selu.records.reruns import ComparisonBeside
from selu.stats.agreement import Kappa, Share

Spent = Literal["requests", "asked_tokens", "answered_tokens", "paid_again"]  # that adds up


class Invalid(Share):
    """Replies without a valid answer, and how many for which reason."""

    reasons: Mapping[str, int]


class AskingCost(TypedDict):
    """The cost of a run's requests; money in USD."""

    requests: int
    asked_tokens: int
    answered_tokens: int
    usd: float
    paid_again: int


class OpenBounds(TypedDict):
    """A number with its interval; None if it has no value, or no upper bound."""

    value: float | None
    low: float
    high: float | None


class RunHead(TypedDict):
    """A run that may be missing."""

    name: str
    state: str
    error: str | None


class PromptedRun(RunHead, total=False):
    """A run in brief; its other fields exist if it is scored."""

    value: float
    low: float
    high: float
    error_of_bounds: float
    rows: int
    constant: bool
    minus_printed: float | None
    holds_printed: bool | None
    invalid: Invalid
    invalid_as_authors: Invalid
    counted_invalid: int
    answered_by: list[str]
    cost: AskingCost
    correct: int | None
    usd_per_correct: OpenBounds | None


class Readings(TypedDict):
    """Protocol ``paper``'s reading of the same replies: score minus strict's, and rows with another answer."""

    paper_minus_strict: float
    apart: Share


class Weights(TypedDict):
    """The weights of an open model."""

    publisher: str
    revision: str | None
    sha256: str
    quantisation: str


class Served(TypedDict):
    """Who answered, how answers were constrained to the labels, and how long it took."""

    weights: Weights | None
    server: str | None
    variant: str
    seconds: float
    timed: int


class _Wording(TypedDict, total=False):
    wording: str  # whose words, where they are not ours


class CellHead(_Wording):
    """Which cell it is, and its runs; None where none is planned."""

    task: str
    system: str
    name: str
    model: str | None
    shots: int | None
    kind: str
    metric: str
    printed: str | None
    standing: str | None
    test_rows: int | None
    paper: PromptedRun | None
    strict: PromptedRun | None
    readings: Readings | None


class PromptedCell(CellHead):
    """A prompted system on a task: an entry of ``cells``."""

    state: str
    reason: str | None


class LocalCell(PromptedCell, Served):
    """An open model on a task: an entry of ``local``."""

    parameters: int | None


class Agreed(TypedDict, total=False):
    """The agreement of answers without and with shots."""

    zero_shot: str
    few_shot: str
    what: str
    rows: int
    invalid_zero_shot: int
    invalid_few_shot: int
    invalid_both: int
    same: Share | None
    kappa: Kappa | None


class Agreement(Agreed):
    """A model on a task, an entry of ``agreements``; ``Agreed`` is there if ``state`` is present."""

    task: str
    model: str | None
    kind: str
    metric: str
    standing: str | None
    state: str
    reason: str | None


class Ends(TypedDict):
    """Bounds of an interval."""

    low: float
    high: float


class ZeroBounds(Ends):
    """A share of zeros, with the bounds of rounding."""

    share: float


class ZeroShare(ZeroBounds):
    """The share that explains a published score if the other answers score ``score``."""

    others: str
    score: float


class ZeroSystem(TypedDict):
    """The zeros that would explain one system's published score."""

    system: str
    name: str
    printed: str
    off_by: float
    shares: list[ZeroShare]


class Zeros(TypedDict):
    """The answers of 0 that alone would explain the published scores of a task."""

    task: str
    lowest: float
    least: float | None
    rounding: float
    systems: list[ZeroSystem]


class Settings(TypedDict):
    """Parameters that all prompts share."""

    temperature: float | None
    max_tokens: int
    seed: int
    variant: str
    priced: str


class Prompted(TypedDict):
    """The whole of prompted.json."""

    asked: Settings
    level: float
    cells: list[PromptedCell]
    agreements: list[Agreement]
    others: list[str]
    local: list[LocalCell]
    sizes: list[ComparisonBeside]
    wordings: list[ComparisonBeside]
    zeros: Zeros
