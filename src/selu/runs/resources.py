"""The resources that a run used, as far as they can be measured."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selu.contents import Machine


_POWER = Path("/sys/class/powercap")
_INFO = Path("/proc/cpuinfo")
# x86's and ARM's that decide which kernels libraries take, and with them speed and last digits.
_EXTENSIONS = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16", "asimd", "sve", "bf16", "sve2")


def energy() -> int | None:
    """Read how many microjoules the processor packages have used since some start; None if that is hidden."""
    try:
        counters = sorted(_POWER.glob("intel-rapl:?/energy_uj"))
        return sum(int(path.read_text()) for path in counters) if counters else None
    except (OSError, ValueError):
        return None


def joules(before: int | None, seconds: float) -> float | None:
    """Return the joules since ``before``, ``seconds`` ago; None if unreadable or possibly wrapped.

    It wraps after some 262 kJ a package, which none uses in five minutes.
    """
    now = energy()
    known = before is not None and now is not None and now >= before and seconds < 300
    return (now - before) / 1e6 if known else None  # type: ignore[operator]


def machine() -> Machine:
    """Describe the machine: processor, its vector extensions (if known), cores, memory, system."""
    try:
        first = _INFO.read_text().partition("\n\n")[0]  # of its processors, as Linux reports them
    except OSError:
        first = ""
    lines = (line.partition(":") for line in first.splitlines())
    fields = {name.strip(): value.strip() for name, _, value in lines}
    extensions = set((fields.get("flags") or fields.get("Features") or "").split())
    return {
        "processor": fields.get("model name") or platform.processor() or "unknown",
        "extensions": [name for name in _EXTENSIONS if name in extensions],
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.system(),
        "architecture": platform.machine(),
    }
