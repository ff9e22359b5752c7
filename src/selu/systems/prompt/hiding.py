"""Keys come from the environment only, and are removed from whatever is kept or printed."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable

from selu.files import Json

_MARK = "[key]"
_SHORTEST = 6  # a shorter key would be found by chance in ordinary words
_logged: set[str] = set()  # what no log of this process shows


class Hidden:
    """Takes secrets out of texts and records."""

    def __init__(self, secrets: Iterable[str | None]) -> None:
        self._secrets = sorted({s for s in secrets if s and len(s) >= _SHORTEST}, key=len, reverse=True)

    def text(self, value: str) -> str:
        """Return the text without them."""
        for secret in self._secrets:
            value = value.replace(secret, _MARK)
        return value

    def record(self, value: Json) -> Json:
        """Return a record of JSON without them, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(name)): self.record(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.record(item) for item in value]
        return value

    def in_logs(self) -> None:
        """Remove secrets from all that this process logs from now on.

        An SDK told to log (OPENAI_LOG, ANTHROPIC_LOG, a user's own handler) writes what was asked and the
        headers of answers, which may repeat a key. Its loggers are many: so records are fixed at birth.
        """
        if self._secrets and not _logged:
            logging.setLogRecordFactory(_mended(logging.getLogRecordFactory()))
        _logged.update(self._secrets)


def _mended(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    def careful(*args: object, **keywords: object) -> logging.LogRecord:
        record, hidden = make(*args, **keywords), Hidden(_logged)
        try:
            text = record.getMessage()
        except (TypeError, ValueError, KeyError):  # of another number of values: the handler complains of it
            text = ""
        if hidden.text(text) != text:
            record.msg, record.args = hidden.text(text), ()
        if record.exc_info and any(record.exc_info):
            trace = "".join(traceback.format_exception(*record.exc_info))
            if hidden.text(trace) != trace:
                record.exc_info, record.exc_text = None, hidden.text(trace).rstrip()
        return record

    return careful
