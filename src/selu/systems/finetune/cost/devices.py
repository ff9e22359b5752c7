"""Peaks of devices: what their matrix units do in a second at most, by the makers' data sheets."""

from __future__ import annotations

import re

# Name as the driver gives it -> operations per second of dense products in (bf16, fp32); where a sheet gives
# sparse figures alone they are halved. fp32 is without TF32, which the training loop leaves off. Sources, all
# NVIDIA: data sheets of A100 (2021), H100, H100 NVL, H200 (2023-2024), L4, L40S, A10, A40, RTX A6000, V100 and
# T4 (no bf16); white papers on GA102 and Ada, appendix A (bf16 summed in fp32). Slices, laptop and "D" cards
# are other devices.
_PEAKS: dict[str, tuple[float | None, float]] = {
    r"A100-(SXM4|PCIE|PG509)-(40|80)GB|A100 80GB PCIe": (312e12, 19.5e12),
    r"H100 80GB HBM3|H100 SXM5?": (989.4e12, 66.9e12),
    r"H100 PCIe": (756e12, 51.2e12),
    r"H100 NVL": (835e12, 60e12),
    r"H200": (989.4e12, 66.9e12),
    r"H200 NVL": (835e12, 60e12),
    r"L4": (121e12, 30.3e12),
    r"L40S": (362e12, 91.6e12),
    r"A10": (125e12, 31.2e12),
    r"A40": (149.7e12, 37.4e12),
    r"RTX A6000": (154.8e12, 38.7e12),
    r"GeForce RTX 3090": (71e12, 35.6e12),
    r"GeForce RTX 4090": (165.2e12, 82.6e12),
    r"T4": (None, 8.1e12),
    r"V100-SXM[23]-(16|32)GB(-.*)?": (None, 15.7e12),
    r"V100-PCIE-(16|32)GB": (None, 14e12),
}


def peak_flops(device: str, precision: str = "bf16") -> float | None:
    """Look up the operations per second of a device at ``fp32``, ``mixed`` or ``bf16``; None where unknown.

    Args:
        device: its name as ``torch.cuda.get_device_name`` gives it.
    """
    name = re.sub(r"^(NVIDIA|Tesla) ", "", re.sub(r"^NVIDIA Tesla ", "", device.strip()))
    for pattern, (bf16, fp32) in _PEAKS.items():
        if re.fullmatch(pattern, name):
            return fp32 if precision == "fp32" else bf16
    return None
