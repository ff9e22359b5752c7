"""Keys come from the environment only, and are taken out of whatever is kept or said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MARK = "[key]"
_SHORTEST = 6  # a shorter key would be found by chance in ordinary words


class Hidden:
    """Takes secrets out of texts and records."""

    def __init__(self, secrets: Sequence[str | None]) -> None:
        self._secrets = sorted({s for s in secrets if s and len(s) >= _SHORTEST}, key=len, reverse=True)

    def text(self, value: str) -> str:
        """The text without them."""
        for secret in self._secrets:
            value = value.replace(secret, _MARK)
        return value

    def record(self, value: Any) -> Any:
        """A record of JSON without them, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(name)): self.record(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.record(item) for item in value]
        return value
