"""One random stream per purpose, so that nothing that is drawn for one shifts what is drawn for another."""

from __future__ import annotations

import hashlib


def stream(seed: int, purpose: str, *place: int) -> int:
    """Seed the stream of a purpose (order, dropout, head, mask) at a place, such as an epoch or a step."""
    name = ":".join(map(str, (seed, purpose, *place)))
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")
