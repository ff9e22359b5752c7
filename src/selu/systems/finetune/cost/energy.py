"""Joules that a training draws: of the processor packages on a CPU, of the card alone on a GPU.

A package's counter counts whatever runs on the machine, so side-by-side trainings each see the sum.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

_POWER = Path("/sys/class/powercap")
Reader = Callable[[], dict[str, tuple[int, int | None]]]  # counter -> (microjoules, where it wraps or None)


class Energy:
    """Sums counters up over wraps; ask more often than they wrap (a package about every 40 minutes)."""

    def __init__(self, device: str) -> None:
        self._read = _processor if device == "cpu" else _card()
        self._last = self._values()
        self.joules: float | None = 0.0 if self._last else None

    def poll(self) -> float | None:
        """Return joules since the start, or None once a counter can't be read."""
        now = self._values()
        if self.joules is None or now.keys() != self._last.keys():
            self.joules = None
            return None
        for name, (used, wraps) in now.items():
            drawn = used - self._last[name][0]
            if drawn < 0 and wraps is None:
                self.joules = None
                return None
            self.joules += (drawn if drawn >= 0 else drawn + (wraps or 0)) / 1e6
        self._last = now
        return self.joules

    def _values(self) -> dict[str, tuple[int, int | None]]:
        try:
            return self._read()
        except Exception:  # a vendor's library has errors of its own, and no energy is worth a training
            return {}


def _processor() -> dict[str, tuple[int, int | None]]:
    found: dict[str, tuple[int, int | None]] = {}
    for path in sorted(_POWER.glob("intel-rapl:?/energy_uj")):
        wraps = int((path.parent / "max_energy_range_uj").read_text())
        found[path.parent.name] = (int(path.read_text()), wraps)
    return found


def _card() -> Reader:
    """Reads the card that this process computes on, through NVML where its Python library is installed."""
    handle: Any = None

    def read() -> dict[str, tuple[int, int | None]]:
        nonlocal handle
        import torch

        nvml = importlib.import_module("pynvml")
        if handle is None:
            nvml.nvmlInit()
            uuid = f"GPU-{torch.cuda.get_device_properties(torch.cuda.current_device()).uuid}"
            handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
        return {"card": (1000 * int(nvml.nvmlDeviceGetTotalEnergyConsumption(handle)), None)}

    return read
