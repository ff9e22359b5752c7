"""What can be chosen of a comparison: parameters are held to these words without a library of numbers."""

from __future__ import annotations

from typing import Literal

RopeMode = Literal["autorank", "paper", "mad"]
Backend = Literal["matrix", "autorank"]
