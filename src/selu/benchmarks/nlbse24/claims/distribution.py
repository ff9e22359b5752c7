"""Table 2: its sums, and the files behind it."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24 import linting
from selu.benchmarks.nlbse24.claims._known import of_rule, unless_counted
from selu.benchmarks.nlbse24.material import TOTAL, Material
from selu.vocabulary import Finding


def _sums(m: Material, rule: str) -> Finding:
    entries, wrong = of_rule(linting.sums(m), rule)
    places = listed(f"{e.row}, {e.column}: {e.arithmetic}, not {e.printed}" for e in wrong)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} sums are as printed; not so: {places}.",
        sums=len(entries),
        wrong=[e.arithmetic for e in wrong],
    )


@claim("N41", "Table 2", "Positive and negative sentences add up to the total.")
def classes_add_up(m: Material) -> Finding:
    """Of every row, in each of the three parts."""
    return _sums(m, linting.SUM_OF_CLASSES)


@claim("N42", "Table 2", "Training and testing add up to the whole.")
def parts_add_up(m: Material) -> Finding:
    """Of every row, for each class and the total."""
    return _sums(m, linting.SUM_OF_PARTS)


@claim("N43", "Table 2", "The unnamed rows are the sums of their language's categories.")
def categories_add_up(m: Material) -> Finding:
    """Of every language and column."""
    return _sums(m, linting.SUM_OF_ROWS)


@claim("N44", "Table 2", "The counts are those of the released files.")
def counts_of_the_files(m: Material) -> Finding:
    """Every place of Table 2 against the same place of ``comment_rows``."""
    if missing := unless_counted(m, "comment_rows"):
        return missing
    counted = m.tables["comment_rows"]
    off = {
        f"{row}, {column}": f"{int(cell.printed):,} where {m.printed('table2', row, column)} is printed"
        for (row, column), cell in counted.items()
        if m.number("comment_rows", row, column) != m.number("table2", row, column)
    }
    own = [place for place in off if f"/{TOTAL}," not in place]
    return finding(
        not off,
        f"{len(counted) - len(off)} of {len(counted)} counts agree; {len(off) - len(own)} sums and these cells "
        f"of categories do not: {listed(f'{place}: {off[place]}' for place in own)}.",
        differing=off,
    )
