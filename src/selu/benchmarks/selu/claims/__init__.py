"""The claims of the SELU paper, one small function each, in a module for what they are about."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from selu.benchmarks.claims import declared_in
from selu.vocabulary import Claim

_FOLDER = Path(__file__).parent
_NAMES = [module.name for module in iter_modules([str(_FOLDER)]) if not module.name.startswith("_")]

CLAIMS: tuple[Claim, ...] = declared_in(import_module(f"{__package__}.{name}") for name in _NAMES)
