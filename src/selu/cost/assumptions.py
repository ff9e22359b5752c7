"""The assumptions of a cost plan: each figure, its value, kind and source, as ``assumptions.yaml`` has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources

from selu.cost import texts
from selu.papers.costs import CellCost
from selu.project import REPORTS
from selu.systems.finetune.cost.devices import peak_flops
from selu.systems.finetune.cost.profiles import Assumed, Machine
from selu.systems.finetune.settings import FinetuneSettings


def list_sources(
    machine: Machine, assumed: Assumed, training: FinetuneSettings, cells: Sequence[CellCost], benchmark: str
) -> list[Mapping[str, str]]:
    """List rows of ``what``, ``value``, ``kind`` (how firm it is) and ``source``, of a benchmark."""
    import yaml

    peak = peak_flops(machine.device, "bf16") if machine.utilisation else None
    bases = Counter(basis for _, basis in {(cell["task"], cell["lengths"]) for cell in cells})
    tracked = bases.pop(texts.TRACKED, 0)
    unknown, speed = "not known: nothing is counted", machine.memory_gb_per_second
    facts = {
        "machine": machine,
        "assumed": assumed,
        "training": training,
        "benchmark": benchmark,
        "counted": (REPORTS / benchmark / "data" / "TASK" / "record.json").as_posix(),
        "many": ", ".join(map(str, machine.devices)),
        "teraflops": (peak or 0) / 1e12,
        "link": f"{machine.link_gb_per_second:g} GB/s" if machine.link_gb_per_second else unknown,
        "host_ms": 1000 * assumed.host_seconds,
        "memory_speed": f"{speed:g} GB/s, 40 bytes of a parameter, in bf16 60" if speed else unknown,
        "bases": ", ".join([f"{tracked} tracked", *(f"{n} {basis}" for basis, n in sorted(bases.items()))]),
        "firmness": "measured here; the others: guess" if bases else "measured here",
        "unpadded": ", ".join(assumed.unpadded) or "no system",
    }
    case = "share of a peak" if peak else "measured speed"
    rows = yaml.safe_load((resources.files("selu.cost") / "assumptions.yaml").read_text("utf-8"))
    return [
        {name: row[name].format(**facts) for name in ("what", "value", "kind", "source")}
        for row in rows
        if row.get("if", case) == case
    ]
