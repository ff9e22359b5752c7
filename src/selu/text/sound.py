"""Pipeline `sound`: ours. Markup is parsed while its line structure stands, whitespace is collapsed last.

Order: broken characters, Jira markup, markdown (cmark-gfm), HTML (lexbor), masks, whitespace. Unlike `paper` it
lets links keep their text (only a bare address becomes [URL]), ends a mask where the address, mention or code
ends, keeps images' alternative text, separates blocks, and drops script, style and comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from selectolax.lexbor import LexborHTMLParser

from selu.text import masks
from selu.text.cmark import to_html
from selu.text.jira import to_markdown
from selu.text.streaming import soup_text

#: Above so many tags no tree is built: lexbor's time grows with the square of its depth. The streaming reader
#: of `paper` takes the text out instead.
MOST_TAGS = 2_000

_UNWANTED = bytes(code for code in (*range(32), 127) if not chr(code).isspace())
_UNWANTED_LATIN = re.compile("[\x80-\x84\x86-\x9f]")
_FENCED = re.compile(rb"<pre(?: lang=\"[^\"<>]*\")?><code(?: [^<>]*)?>[^<]*</code></pre>")
_CODE = re.compile(rb"<code>[^<]*</code>")
_IMAGE = re.compile(rb'<img src="[^"<>]*" alt="([^"<>]*)"(?: title="[^"<>]*")? />')
_RARE = re.compile(rb"<(?:img|code|pre|script|style|template|noscript)", re.I)
_BLOCK = re.compile(
    rb"<(?=/?(?:address|article|aside|blockquote|br|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|"
    rb"figure|footer|form|h[1-6]|header|hr|legend|li|main|nav|ol|option|p|pre|section|summary|table|tbody|td|tfoot|"
    rb"th|thead|tr|ul)[\s/>])",
    re.I,
)
_URL = re.compile(r"(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP])://[^\s<>\"]+")
_USER = re.compile(r"(?<![\w.+/@-])@[A-Za-z0-9_](?:[\w-]{0,38}[\w])?(?![\w@-]|/\w)")
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def repair(text: str) -> str:
    """Remove control characters; join surrogates to characters, or replace them by U+FFFD."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    kept = data.translate(None, _UNWANTED).decode()
    return kept if kept.isascii() else _UNWANTED_LATIN.sub("", kept)


def _replace_rare(page: LexborHTMLParser) -> None:
    """Replace what only raw HTML brings in: script and style go, code that holds tags is masked."""
    page.strip_tags(["script", "style", "template", "noscript"], recursive=True)
    for node in page.css("pre, code, img"):
        if node.tag == "img":
            node.replace_with(node.attributes.get("alt") or "")
        elif node.parent is not None:
            node.replace_with("[CODE]")


def html_text(html: bytes, *, raw: bool = True) -> str:
    """Read the text of an HTML page: code as [CODE], blocks apart, images as their alternative text.

    Args:
        html: valid UTF-8.
        raw: a person wrote tags; without it all are cmark-gfm's, which puts a line break behind every block.
    """
    html = _IMAGE.sub(rb"\1", _CODE.sub(b"[CODE]", _FENCED.sub(b" [CODE] ", html)))
    if b"<" not in html and b"&" not in html:
        return html.decode()
    if raw:
        html = _BLOCK.sub(b" <", html)
    if html.count(b"<") > MOST_TAGS:
        return soup_text(html.replace(b"<![", b"<! [").decode(), keep_links=True) or ""
    # The letter keeps a <frameset> from replacing the body; it is cut off again.
    page = LexborHTMLParser(b"<body>x" + html)
    if raw and _RARE.search(html):
        _replace_rare(page)
    return str(page.text())[1:]


def _markdown(text: str) -> str:
    return html_text(to_html(text.encode()), raw="<" in text)


def _html(text: str) -> str:
    return html_text(text.encode())


def mask_fences(text: str) -> str:
    """Mask code of texts that are not markdown: between two lines of fences, or two fences in a line."""
    if "```" not in text:
        return text
    lines: list[str] = []
    waiting: list[str] = []
    for line in text.split("\n"):
        fence = line.strip().startswith("```") and "```" not in line.strip()[3:]
        if waiting:
            waiting.append(line)
            if fence and line.strip() == "```":
                lines.append("[CODE]")
                waiting = []
        elif fence:
            waiting.append(line)
        else:
            lines.append(masks.between(line, "```", "```", lambda _: "[CODE]"))
    return "\n".join(lines + waiting)


def _trim(found: re.Match[str]) -> str:
    """Return [URL], and behind it what closes the sentence or bracket around the address."""
    address, before = found[0], found.string[max(found.start() - 1, 0) : found.start()]
    if before.isascii() and before.isalnum():  # the end of a longer word is not a scheme
        return address
    surplus = {closer: address.count(closer) - address.count(opener) for closer, opener in _CLOSERS.items()}
    end = len(address)
    while end:
        last = address[end - 1]
        if last in _CLOSERS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in ".,;:!?'*_~`":
            break
        end -= 1
    return "[URL]" + address[end:] if end > address.find("//") + 2 else address


def mask_url(text: str) -> str:
    """Replace addresses by [URL]; punctuation and brackets that end a sentence stay."""
    return _URL.sub(_trim, text) if "://" in text else text


def mask_user(text: str) -> str:
    """Replace mentions by [USER]; e-mail addresses and package names stay."""
    return _USER.sub("[USER]", text) if "@" in text else text


_STEPS: dict[str, Callable[[str], str]] = {
    "jira": to_markdown,
    "markdown": _markdown,
    "html": _html,
    "code": mask_fences,
    "url": mask_url,
    "hash": masks.mask_hash,
    "user": mask_user,
    "whitespace": lambda text: " ".join(text.split()),
}


def cleaner(steps: Sequence[str]) -> Callable[[str], str]:
    """Return the function that runs these checked steps, in `sound`'s order, on one text."""
    functions = [function for step, function in _STEPS.items() if step in steps]
    parses = "markdown" in steps or "html" in steps

    def clean(text: str) -> str:
        text = repair(text)
        for function in functions:
            text = function(text)
        # Parsers decode references such as &#1; to what `repair` took out.
        return " ".join(repair(text).split()) if parses and not text.isprintable() else text

    return clean
