"""The meaning of a reply to a prompt."""

from __future__ import annotations

_FENCE, _BEHIND = "```", ", explanation:"


def read_answer(text: str) -> str:
    """Read the answer from a reply: the content of its first code fence, or else all of it.

    A fence that never ends, since the reply was cut, is read to the end. What the instruct formats have behind
    an output, ``, explanation:``, ends the answer, and a pair of backticks around it is no part of it.
    """
    before, fence, after = text.partition(_FENCE)
    if fence:
        head, line_end, body = after.partition("\n")
        before = (body if line_end else head).partition(_FENCE)[0]
    found = before.partition(_BEHIND)[0].strip()
    inside = found[1:-1]
    return inside if found == f"`{inside}`" and "`" not in inside else found
