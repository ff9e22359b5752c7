"""Files that every page loads: DataTables as the installed itables ships it, style, script, colour classes."""

from __future__ import annotations

import re
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from selu.report.site_words import missing
from selu.vocabulary import SeluError

_EXPORT = re.compile(r"\bexport\s*\{([^{}]*)\}\s*;?")
_DEFAULT = re.compile(r"([\w$]+)\s+as\s+default\b")
STEPS = 50  # colour classes of a scale
Colour = tuple[float, float, float]


def assets(static: Path) -> dict[str, bytes]:
    """Read the files, by their path in the site."""
    ours = {f"assets/{path.name}": path.read_bytes() for path in sorted(static.iterdir())}
    bundle = resources.files("itables").joinpath("html")
    try:
        script = bundle.joinpath("dt_bundle.js").read_text("utf-8")
        style = bundle.joinpath("dt_bundle.css").read_bytes()
    except OSError:
        raise SeluError(
            f"itables {version('itables')} ships no DataTables bundle: install the version that the lock names."
        ) from None
    return ours | {
        "assets/datatables.js": classic_script(script).encode("utf-8"),
        "assets/datatables.css": style,
        "assets/scale.css": scale_css().encode("utf-8"),
    }


def classic_script(module: str) -> str:
    """Turn an ES module without imports into a script that sets ``window.DataTable`` to its default export.

    A browser refuses ``<script type="module" src>`` on a page opened from disk; a classic script it loads.

    Raises:
        SeluError: the module doesn't have exactly one list of exports with a default.
    """
    exports = list(_EXPORT.finditer(module))
    default = _DEFAULT.search(exports[0].group(1)) if len(exports) == 1 else None
    if default is None:
        raise SeluError(
            f"the DataTables bundle of itables {version('itables')} has another shape: "
            "install the version that the lock names."
        )
    start, end = exports[0].span()
    return (
        '(()=>{"use strict";\n'
        f"{module[:start]}window.DataTable={default.group(1)};\n{module[end:].rstrip()}\n"
        "})();\n"
    )


def step(share: float | None) -> str:
    """Return the class suffix of a share in 0..1, in 0..STEPS; empty for a missing number."""
    if share is None or missing(share):
        return ""
    return str(round(STEPS * min(max(share, 0.0), 1.0)))


def text_on(colour: Colour) -> str:
    """Choose black or white, whichever has more contrast with an sRGB colour in 0..1 (WCAG 2.2).

    One of them always reaches 4.5.
    """
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#fff"


def scale_css() -> str:
    """Write classes ``seq0..seq50`` (cividis: scores) and ``div0..div50`` (orange to purple: to better)."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    lines = []
    for prefix, name in (("seq", "cividis"), ("div", "PuOr")):
        for position in range(STEPS + 1):
            red, green, blue, _ = colormaps[name](position / STEPS)
            colour = (float(red), float(green), float(blue))
            lines.append(f".{prefix}{position}{{background:{to_hex(colour)};color:{text_on(colour)}}}")
    return "\n".join(lines) + "\n"
