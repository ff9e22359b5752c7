"""Two statements of the toy paper."""

from __future__ import annotations

from selu.papers.toy.material import Material

from selu.papers.claims import claim, finding
from selu.vocabulary import Finding


@claim("T01", "2", "Overlap is better than chance.", holds="its error is lower", fails="it is not")
def better(paper: Material) -> Finding:
    """Compare two printed errors."""
    ours, chance = (paper.number("table1", row, "Error") for row in ("overlap", "chance"))
    return finding(ours < chance, f"{ours} against {chance}.", ours=ours, chance=chance)


@claim("T02", "2", "Chance has no error.", holds="its error is 0", fails="it is not")
def perfect(paper: Material) -> Finding:
    """Look at one printed error."""
    chance = paper.number("table1", "chance", "Error")
    return finding(chance == 0, f"It is {chance}.", chance=chance)
