"""Templates of pages, and the files that these load: style, script, colour classes."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from selu.names import DASH
from selu.report.site_words import FILTERS, missing

_HERE = Path(__file__).parent
STATIC = _HERE / "static"
STEPS = 50  # colour classes of a scale
Colour = tuple[float, float, float]


def templates(*folders: Path) -> Environment:
    """Prepare the templates of pages, and those in further folders."""
    environment = Environment(
        loader=FileSystemLoader([_HERE / "templates", *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    environment.globals["dash"] = DASH
    return environment


def assets() -> dict[str, bytes]:
    """Read the files, by their path in the site."""
    ours = {f"assets/{path.name}": path.read_bytes() for path in sorted(STATIC.iterdir())}
    return ours | {"assets/scale.css": scale_css().encode("utf-8")}


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
