"""A checked claim as ``reports/ID/claims.json`` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class RuleRecord(TypedDict):
    """When a claim holds, holds with a caveat and fails; its thresholds, and what was changed of it."""

    holds: NotRequired[str]
    caveat: NotRequired[str]
    fails: NotRequired[str]
    thresholds: NotRequired[Mapping[str, str]]
    changes: NotRequired[list[Mapping[str, str]]]


class ClaimRecord(TypedDict):
    """A claim with its verdict; ``numbers`` are those of its finding, each under its own name."""

    id: str
    section: str
    statement: str
    weight: NotRequired[str]
    kind: NotRequired[str]
    quote: NotRequired[str]
    question: NotRequired[str]
    if_it_fails: NotRequired[str]
    rule: RuleRecord
    verdict: str
    caveat_kind: NotRequired[str]
    because: str
    numbers: Mapping[str, Any]
