"""What fits a budget."""

from __future__ import annotations

from collections.abc import Mapping


def shortest(seconds: Mapping[str, float], budget: float) -> set[str]:
    """Return the shortest runs that fit into this many seconds."""
    names, total = set(), 0.0
    for name in sorted(seconds, key=lambda name: (seconds[name], name)):
        total += seconds[name]
        if total > budget:
            break
        names.add(name)
    return names
