"""Files that every page loads: DataTables as the installed itables ships it, our style and our script."""

from __future__ import annotations

import re
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from selu.report.site_colour import scale_css
from selu.vocabulary import SeluError

_EXPORT = re.compile(r"\bexport\s*\{([^{}]*)\}\s*;?")
_DEFAULT = re.compile(r"([\w$]+)\s+as\s+default\b")
_OURS = ("site.css", "site.js")


def assets(static: Path) -> dict[str, bytes]:
    """Read the files, by their path in the site."""
    ours = {f"assets/{name}": (static / name).read_bytes() for name in _OURS}
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
