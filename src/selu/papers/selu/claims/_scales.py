"""Scales by which several claims judge if the paper's words leave the measure open."""

from __future__ import annotations

SMALL, MEDIUM, LARGE = 0.2, 0.5, 0.8  # Cohen's cuts for d, the ones of Table IV's last column
NO_DIFFERENCE = 0.005  # reads .00 at two digits
