"""Pipeline `paper`: the authors' cleaning, the same text as their own program gives, in linear time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selu.text import line, masks
from selu.text.streaming import soup_text


def _html(text: str) -> str:
    return soup_text(text) or ""


def _markdown(text: str) -> str:
    try:
        page = line.to_html(text)
    except (UnicodeEncodeError, IndexError):
        return ""
    return soup_text(page) or ""


_STEPS: dict[str, Callable[[str], str]] = {
    "whitespace": lambda text: " ".join(text.split()),
    "jira": masks.convert_jira,
    "markdown": _markdown,
    "html": _html,
    "code": masks.mask_code,
    "hash": masks.mask_hash,
    "url": masks.mask_url,
    "user": masks.mask_user,
}


def cleaner(steps: Sequence[str]) -> Callable[[str], str]:
    """Return the function that runs these checked steps on one text."""
    functions = [_STEPS[step] for step in steps]

    def clean(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return clean
