"""What a run took of the machine, as far as it can be read."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

_POWER = Path("/sys/class/powercap")


def energy() -> int | None:
    """Microjoules that the processor packages have used since some start, or None where that can't be read."""
    try:
        counters = sorted(_POWER.glob("intel-rapl:?/energy_uj"))
        return sum(int(path.read_text()) for path in counters) if counters else None
    except (OSError, ValueError):
        return None


def joules(before: int | None, seconds: float) -> float | None:
    """Joules since ``before``, so many seconds ago; None where they can't be read or may have wrapped.

    It wraps after some 262 kJ a package, which none uses in five minutes.
    """
    now = energy()
    known = before is not None and now is not None and now >= before and seconds < 300
    return (now - before) / 1e6 if known else None  # type: ignore[operator]


def machine() -> dict[str, Any]:
    """The machine's processor, cores, memory and system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.system(),
        "architecture": platform.machine(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
