"""The claims of the SELU paper, one small function each, in a module for what they are about."""

from __future__ import annotations

from pathlib import Path

from selu.benchmarks.claims import declared_in
from selu.vocabulary import Claim

CLAIMS: tuple[Claim, ...] = declared_in(str(__package__), Path(__file__).parent)
