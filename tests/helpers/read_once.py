"""What many commands in one process read again and again, read once: nothing that a test is about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache

import pytest


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Certificates: nothing goes over TLS."""
    with pytest.MonkeyPatch.context() as patch:
        with contextlib.suppress(ImportError):
            import httpcore2

            patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield
