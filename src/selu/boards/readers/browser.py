"""What tables are read by, for the reader in JavaScript of the site's pages (report/static/reading.js)."""

from __future__ import annotations

from selu.boards.readers import grid, numbers, words


def rules() -> dict[str, str | list[str]]:
    """Gather names of columns and rows, signs of a missing score, and patterns of numbers and names."""
    patterns = {
        name: getattr(module, name).pattern
        for module, names in (
            (numbers, ("MARKUP", "AFTER", "NUMBER", "COMMA", "GROUPS")),
            (words, ("EMPHASIS", "ARROWS", "OF_OTHER")),
            (grid, ("RULE", "LINK")),
        )
        for name in names
    }
    sets = ("SYSTEM", "TASK", "SCORE", "SEED", "PART", "ROWS", "VERSION", "SPREAD", "RANK", "MEAN", "OTHER")
    names = {name: sorted(getattr(words, name)) for name in (*sets, "NUMBERED", "NAMELESS")}
    return {**patterns, **names, "MISSING": sorted(numbers.MISSING), "MARKS": numbers.MARKS}
