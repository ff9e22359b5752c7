"""What many commands in one process read again and again, read once: nothing that a test is about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import lru_cache

import pytest
import yaml

from selu.benchmarks import catalogue
from selu.runs import identity


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Declared records, programs and certificates (nothing goes over TLS); YAML by the quick parser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "_records", lru_cache(catalogue._records))
        patch.setattr(identity, "_program", lru_cache(identity._program))
        patch.setattr(yaml, "SafeLoader", getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # of safe_load
        with contextlib.suppress(ImportError):
            import httpcore2

            patch.setattr(httpcore2, "default_ssl_context", lru_cache(httpcore2.default_ssl_context))
        yield
