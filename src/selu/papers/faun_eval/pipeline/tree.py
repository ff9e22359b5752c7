"""The folder tree that a model is shown (section 3.4.2): pruned, drawn, and closed by a line of counts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

from selu.papers.faun_eval.metrics.patches import is_inside

# What the paper calls files "with common language suffixes"; it lists none.
SUFFIXES = frozenset(
    [
        *(
            ".c",
            ".cc",
            ".cjs",
            ".cpp",
            ".cs",
            ".cts",
            ".cu",
            ".cxx",
            ".go",
            ".h",
            ".hpp",
            ".java",
            ".js",
            ".jsx",
        ),
        *(".kt", ".m", ".mjs", ".mts", ".php", ".py", ".pyi", ".pyx", ".rb", ".rs", ".scala", ".sh", ".swift"),
        *(".ts", ".tsx", ".vue"),
    ]
)


@cache  # most paths of a commit are those of another
def _is_kept(path: str) -> bool:
    return (
        is_inside(path)
        and PurePosixPath(path).suffix.lower() in SUFFIXES
        and not any(part.startswith(".") for part in path.split("/"))
    )


def prune(paths: Iterable[str]) -> list[str]:
    """Keep files with common suffixes of which no name begins with a dot; what leaves the tree is dropped."""
    return sorted(filter(_is_kept, set(paths)))


def draw(paths: Iterable[str]) -> str:
    """Draw files as a tree, folders with a slash, each level two blanks further; the last line counts them."""
    lines: list[str] = []
    folders = files = 0
    shown: list[str] = []
    for *above, name in sorted(path.split("/") for path in paths):
        common = 0
        while common < min(len(above), len(shown)) and above[common] == shown[common]:
            common += 1
        for depth in range(common, len(above)):
            lines.append(f"{'  ' * depth}{above[depth]}/")
            folders += 1
        lines.append(f"{'  ' * len(above)}{name}")
        files += 1
        shown = above
    return "\n".join([*lines, "", f"{folders} directories, {files} files"]) + "\n"
