"""What the toy paper prints."""

from __future__ import annotations

from dataclasses import dataclass

from selu.benchmarks.printed import Printed


@dataclass(frozen=True)
class Material(Printed):
    """Its one table."""

    benchmark = "toy"
