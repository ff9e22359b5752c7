"""Executed notebooks as pages: nbconvert's plain template, cleaned, without a request to any host."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from markupsafe import Markup

from selu.report.notebooks.executing import read_notebook
from selu.report.site_folds import fold
from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from nbconvert import HTMLExporter
    from nbformat import NotebookNode

_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_SHOWN = ("text/html", "text/markdown", "text/plain", "text/latex", "image/")
_HIDDEN = re.compile(r"<(style|script)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAGS = (
    "a abbr b blockquote br caption code col colgroup dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i "
    "img li ol p pre s small span strong sub summary sup table tbody td tfoot th thead tr u ul"
)
_ATTRIBUTES = {
    "*": ["class", "id", "title"],
    "a": ["href"],
    "img": ["src", "alt", "width", "height"],
    "th": ["colspan", "rowspan", "scope"],
    "td": ["colspan", "rowspan"],
    "col": ["span"],
    "colgroup": ["span"],
    "ol": ["start"],
}
# A cell's input and output as nbconvert's plain template writes them. Code is escaped, and no output has a div
# of its own, so that no tag ends them before.
_CODE = re.compile(
    r'<div class="input">(\s*<div class="inner_cell">.*?</pre></div>\s*</div>\s*</div>\s*)</div>'
    r'(.*?)(?=</div>\s*(?:<div class="cell |\Z))',
    re.DOTALL,
)
_PICTURE = re.compile(r'<img\b[^>]*\bsrc="data:image/png;base64,([^"]+)"[^>]*>')
_ALT = re.compile(r'\balt="([^"]*)"')
_LOADING = {"src", "srcset", "poster", "data", "background", "xlink:href", "action", "formaction"}


class NotebookPage(TypedDict):
    """A notebook's title, its first finding, alternative texts by figure, and its body."""

    name: str
    title: str
    finding: str
    alts: Mapping[str, str]
    body: Markup


def convert(name: str, path: Path, drawn: Mapping[str, bytes]) -> NotebookPage:
    """Convert one notebook to its page.

    Args:
        drawn: name to content of the files of figures, which the site has in a folder beside that of notebooks.

    Raises:
        SeluError: the file can't be read as a notebook, or its page would load something from outside.
    """
    notebook = read_notebook(path, "run the stage that writes it")
    _drop_scripts(notebook)
    _join_code(notebook)
    body, _ = exporter().from_notebook_node(notebook)
    asked = requests_of(body)
    if asked:
        raise SeluError(f"{path} would load {asked[0]} from outside: put the content into the notebook.")
    body, alts = taken(body, drawn)
    return {
        "name": name,
        "title": _title(notebook) or name,
        "finding": _finding(notebook),
        "alts": alts,
        "body": Markup(fold(folded(body))),
    }


@cache  # its templates are compiled once for all notebooks
def exporter() -> HTMLExporter:
    """Return nbconvert's exporter, set so that a page needs nothing from outside."""
    from nbconvert import HTMLExporter

    made = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic", sanitize_html=True, exclude_input_prompt=True
    )
    made.exclude_output_prompt = True
    made.register_filter("clean_html", clean)  # type: ignore[no-untyped-call]
    return made


def taken(body: str, drawn: Mapping[str, bytes]) -> tuple[str, Mapping[str, str]]:
    """Load each picture that is a file of the site from there, with links to its other forms below it.

    Returns:
        the body, and the alternative text of each such picture by its name without ending.
    """
    alts: dict[str, str] = {}
    stems = {content: name.removesuffix(".png") for name, content in drawn.items() if name.endswith(".png")}

    def linked(found: re.Match[str]) -> str:
        alt = _ALT.search(found[0])
        description = alt[1] if alt else ""
        stem = stems.get(b64decode(found[1]))
        if not stem:
            return found[0]
        alts[stem] = unescape(description)
        forms = [form for form in ("svg", "pdf") if f"{stem}.{form}" in drawn]
        links = ", ".join(
            f'<a href="../figures/{stem}.{form}" download>{form.upper()}</a> (sha256 '
            f"<code>{sha256(drawn[f'{stem}.{form}']).hexdigest()[:12]}</code>)"
            for form in forms
        )
        picture = f'<img src="../figures/{stem}.png" alt="{description}">'
        return f'{picture}<p class="note">Take this figure: {links}</p>'

    return _PICTURE.sub(linked, body), alts


def folded(body: str) -> str:
    """Fold the code of each cell and put it below what the cell shows, so that results are read first."""
    return _CODE.sub(r'\2<details class="input"><summary>Code</summary>\1</details>', body)


def _join_code(notebook: NotebookNode) -> None:
    """Join code that shows nothing with the next cell that does, or the last: no fold is without a result."""
    waiting: list[str] = []
    last, kept = None, []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            waiting.append(cell.source)
            if not cell.outputs:
                continue
            cell.source, waiting, last = "\n\n".join(waiting), [], cell
        kept.append(cell)
    if waiting and last is not None:
        last.source = "\n\n".join([last.source, *waiting])
    elif waiting:
        return
    notebook.cells = kept


def _drop_scripts(notebook: NotebookNode) -> None:
    """Drop outputs that only a script could show; nbconvert would leave an empty box with a random id."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = {
                    kind: data for kind, data in output["data"].items() if kind.startswith(_SHOWN)
                }
        cell["outputs"] = [output for output in cell.get("outputs", []) if output.get("data", True)]


def clean(html: object) -> str:
    """Clean HTML of a notebook of all that runs or styles the page around it.

    nbconvert's own filter knows no table heads, so that every data frame would show its tags.
    """
    import bleach  # type: ignore[import-untyped]

    text = html.decode("utf-8") if isinstance(html, bytes) else str(html)
    cleaned: str = bleach.clean(
        _HIDDEN.sub("", text),
        tags=frozenset(_TAGS.split()),
        attributes=_ATTRIBUTES,
        protocols={"http", "https", "mailto", "data"},
    )
    return cleaned


def _title(notebook: NotebookNode) -> str | None:
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := _HEADING.search(cell.source)):
            return found.group(1).replace("`", "")
    return None


def _finding(notebook: NotebookNode) -> str:
    """Read the sentence that the first output begins with, if it is prose."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = str(output.get("data", {}).get("text/markdown", ""))
            first = re.split(r"(?<=[\w)%*])\.\s+(?=[A-Z*])", text, maxsplit=1)[0]
            first = re.sub(r" \([^()]* of [^()]*\)", "", first)  # counts by column: the page has them
            return " ".join(first.lstrip("#").replace("*", "").replace("`", "").split()).removesuffix(".")
    return ""


def pygments_css() -> str:
    """Write the colours of highlighted code, for light and for dark."""
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    return "".join(
        f"@media (prefers-color-scheme: {name}) {{\n{rules}\n}}\n"
        for name, rules in (("light", light), ("dark", dark))
    )


def requests_of(html: str) -> list[str]:
    """List addresses that a browser would request while showing this HTML, without links and data URLs."""
    reader = _Requests()
    reader.feed(html)
    reader.close()
    return reader.found


class _Requests(HTMLParser):
    """The addresses that tags and styles of a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in _LOADING or (key == "href" and tag not in {"a", "area"}):
                self.found += _addresses(value or "", anywhere=key == "srcset")
            elif key == "style":
                self.found += _in_css(value or "")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style":
            self.found += _in_css(data)


def _addresses(value: str, anywhere: bool) -> list[str]:
    parts = [part.split()[0] for part in value.split(", ")] if anywhere else [value.strip()]
    return [part for part in parts if not re.match(r"(?i)data:|#|$", part)]


def _in_css(style: str) -> list[str]:
    found = re.findall(r"""(?i)(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""", style)
    return [address for item in found for address in _addresses(item, anywhere=False)]
