"""Figures whose bytes depend on nothing but their data: fixed style, no date, no user configuration."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from matplotlib import rc_context, rcParams, rcParamsDefault
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

P = ParamSpec("P")

DPI = 120
# Okabe and Ito's palette: distinct to readers with any common colour blindness.
BLUE, ORANGE, GREEN, VERMILION, SKY, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#777777"

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "selu",
    "pdf.fonttype": 42,  # letters stay letters: searched, copied and set in another font
    "savefig.facecolor": "white",
    "figure.facecolor": "white",
}


@contextmanager
def style() -> Iterator[None]:
    """Set the project's style on top of matplotlib's own defaults; the caller's settings come back after."""
    with rc_context():
        rcParams.update({key: value for key, value in rcParamsDefault.items() if key not in _UNTOUCHED})
        rcParams.update(_STYLE)
        yield


_UNTOUCHED = {"backend", "backend_fallback", "interactive", "toolbar", "timezone", "webagg.port", "date.epoch"}


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Run a drawing function inside the project's style."""

    @wraps(draw)
    def inside(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with style():
            return draw(*args, **kwargs)

    return inside


def blank(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that is not registered with a window system."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06))
    FigureCanvasAgg(figure)
    return figure


_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def images(figure: Figure, forms: Sequence[str] = ("svg", "png")) -> dict[str, bytes]:
    """Write the figure in each of these forms (``svg``, ``png``, ``pdf``), always with the same bytes."""
    with style():
        if layout := figure.get_layout_engine():
            for _ in range(2):  # it settles in the second pass
                layout.execute(figure)
        figure.set_layout_engine(None)  # what is saved is not laid out again
        return {form: _bytes(figure, form, _METADATA[form]) for form in forms}


def _bytes(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=DPI, metadata=metadata)
    return stream.getvalue()


def save(figure: Figure, stem: Path, write: Callable[[Path, bytes], None]) -> bytes:
    """Write ``stem``.svg, ``stem``.png and ``stem``.pdf with ``write`` (path, content); returns the PNG."""
    made = images(figure, ("svg", "png", "pdf"))
    for kind, content in made.items():
        write(stem.with_name(f"{stem.name}.{kind}"), content)
    return made["png"]
