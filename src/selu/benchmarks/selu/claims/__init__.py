"""The claims of the SELU paper, one small function each, in a module for what they are about."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from selu.benchmarks.claims import declared_in
from selu.vocabulary import Claim

_NAMES = [module.name for module in iter_modules(__path__) if not module.name.startswith("_")]

CLAIMS: tuple[Claim, ...] = declared_in(import_module(f"{__name__}.{name}") for name in _NAMES)
