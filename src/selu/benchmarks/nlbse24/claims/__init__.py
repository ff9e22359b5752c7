"""The claims of the competition's paper, one small function each, by what they are about."""

from __future__ import annotations

from pathlib import Path

from selu.benchmarks.claims import declared_in
from selu.vocabulary import Claim

CLAIMS: tuple[Claim, ...] = declared_in(str(__package__), Path(__file__).parent)
