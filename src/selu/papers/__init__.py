"""What a benchmark is, the output forms that all share, and one package for each paper.

``SELU_BENCHMARKS`` may name folders with further packages, which are found as those here are.
"""

from __future__ import annotations

import os

_OTHERS = [folder for folder in os.environ.get("SELU_BENCHMARKS", "").split(os.pathsep) if folder]
__path__ = [*globals().get("__path__", ()), *_OTHERS]
