"""Part ``scale`` of the report: the cost of the paper's fine-tuned scores, as a page, its data and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from selu.files import to_json
from selu.papers.costs import CostSum, CostSums, MachineSum, OnNodes, Scale
from selu.papers.evidence import Evidence, Progress
from selu.papers.selu import design, formats
from selu.vocabulary import Approach

FOLDER = "scale"
MACHINE = "a100"  # the paper's (section IV-E)
PREPRINT = 1024  # tokens that the preprint's scripts pad Llama, CodeLlama and StarCoder2 to


@dataclass(frozen=True)
class Machine:
    """A machine of params.yaml."""

    device: str


@dataclass(frozen=True)
class Profiles:
    """The machines of params.yaml by name."""

    machines: Mapping[str, Machine]


def files(evidence: Evidence, _progress: Progress) -> Mapping[str, str | bytes]:
    """Build page, data, scores and figure.

    Raises:
        SeluError: a setting of params.yaml is wrong, or a tracked record of data is damaged.
    """
    from selu.papers.drawing import images
    from selu.papers.selu.pages.figures_scale import hours

    found = collect(evidence)
    names = {system.id: system.name for system in design.systems()}
    variants = found["once"]["systems"], found["padded_as_the_preprint"]["systems"]
    made: dict[str, str | bytes] = {
        "scale.json": to_json({name: part for name, part in found.items() if name != "cells"}),
        "cells.csv": formats.to_csv(found["cells"]),
        "scale.md": page(found, names),
        "hours.md": f"{_today(found)} {_table(found)} {_shared(found['table'], names)}\n",
    }
    made |= {
        f"hours.{form}": data
        for form, data in images(hours(*variants, names, found["profile"]["device"])).items()
    }
    return {f"{FOLDER}/{name}": content for name, content in made.items()}


def collect(evidence: Evidence) -> Scale:
    """Compute the cost on the paper's machine (``Evidence.training_cost``), other machines, other padding."""
    papers = tuple(system.id for system in design.systems() if system.approach is Approach.FINETUNED)

    def once(machine: str, padded: int | None = None) -> CostSums:
        found = evidence.training_cost(papers, machine, ("paper",), padded)["once"]
        assert found is not None, "the paper has fine-tuned systems"
        return found

    machines: list[MachineSum] = [
        {"profile": name, "device": machine.device, **once(name)["total"]}
        for name, machine in evidence.settings("profiles", Profiles, shared=True).machines.items()
    ]
    found: dict[str, object] = {**evidence.training_cost(papers, MACHINE), "machines": machines}
    return cast("Scale", {**found, "padded_as_the_preprint": once(MACHINE, PREPRINT)})


def page(found: Scale, names: Mapping[str, str]) -> str:
    """Return the page, in Markdown."""
    once, total = found["once"], found["total"]
    systems = [_named(row, names) for row in [*once["systems"], once["total"]]]
    every = [_named(row, names) for row in [*found["systems"], total]]
    tasks = sorted(once["tasks"], key=lambda row: -row["device_hours"])
    parts = [
        "# Cost of the paper's fine-tuned scores",
        f"{_today(found)} {_table(found)}",
        "Calculated from shapes, lengths and data sheets; only a GPU's least time of an update was measured, "
        "on an H100. `selu plan "
        "--profile a100` shows the same for any scores before they start; `cells.csv` has every score, "
        "`scale.json` every digit.",
        _sentences(found, names),
        _packing(found),
        _shared(found["table"], names),
        "![Device hours of each system, packed and padded](hours.svg)",
        "## Which cells",
        _grid(found["scope"], _SCOPE),
        "Baselines and prompted models need no GPU: `selu plan` shows the minutes of the former, and `selu "
        "plan --system gpt-4o-zero-shot` requests and prices of the latter, once the data are prepared.",
        "## The paper's table once: protocol paper, one seed",
        _grid(systems, _SYSTEMS),
        f"## All configured runs: both protocols, {total['runs'] // (2 * total['cells'])} seeds",
        _grid(every, _SYSTEMS),
        "## Padding by task: the paper's table once",
        "Tokens that a trainer computes, as multiples of those of the texts. *By length*: batches of texts of "
        "like length, each padded to its longest, as the library's `group_by_length` makes them. *By batch*: "
        "batches at random, each padded to its longest. *Scripts*: all texts padded to one length, as the "
        "authors' final scripts do. Packing computes 1.",
        _grid([{**row, **_factors(row)} for row in tasks], _TASKS),
        "## On disk, in GB: all configured runs",
        _grid(every, _DISK),
        _grid([
            {"what": "The paper's table once", **once["disk"]},
            {"what": "All that is configured", **found["disk"]},
        ], _DISKS),
        "A checkpoint counts twice, as the new one is written before the old one goes. Least: one run after "
        "another, its model deleted once it has answered.",
        "## The paper's table once on other machines",
        _grid(found["machines"], _MACHINES),
        "## Basis of each figure",
        "Names from `params.yaml` are in its section `shared.profiles`.",
        _grid(found["assumptions"], {"What": "what", "Value": "value", "Kind": "kind", "Source": "source"}),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


_SCOPE = {"Approach": "approach", "Cells": "cells", "Absent by design": "absent_by_design", "Why": "why"}
_UNFIT = {"Runs that do not fit": "too_large", "Their device hours": "unfit_device_hours"}
_PADDING = {
    "Cells": "cells", "Tokens, M": "tokens", "Padded, M": "padded_tokens", "Saved": "saved",
    "Device hours": "device_hours", "Padded": "padded_device_hours",
}  # fmt: skip
_SYSTEMS = {
    "System": "system", **_PADDING, "Bound by updates": "bound_by_updates", "GPUs": "devices",
    "GiB": "memory_gib", "USD": "usd", **_UNFIT,
}  # fmt: skip
_TASKS = {
    "Task": "task", "Cells": "cells", "Tokens, M": "tokens", "By length": "by_length", "By batch": "by_batch",
    "Scripts": "by_scripts", "Device hours": "device_hours", "Scripts' device hours": "padded_device_hours",
}  # fmt: skip
_WAYS = ("by_length", "by_batch", "by_scripts")
_DISK = {
    "System": "system", "Published weights": "weights_gb", "Largest checkpoint": "checkpoint_gb",
    "Trained models": "kept_gb", "Predictions": "predictions_gb",
}  # fmt: skip
_DISKS = {
    "All together": "what", "Least": "least_gb", "One after another, models kept": "one_after_another_gb",
    "All at once": "at_once_gb",
}  # fmt: skip
_MACHINES = {
    "Profile": "profile", "Device": "device", "Hours one after another": "hours",
    "Device hours": "device_hours", "Devices": "devices", "USD": "usd", **_UNFIT,
}  # fmt: skip


def _today(found: Scale) -> str:
    """State the cost of training once the tasks whose rows are here."""
    here = found["rows_here"]
    return (
        f"The {here['tasks']} tasks whose own rows are available here, trained once: "
        f"{here['device_hours']:.0f} GPU hours on {found['profile']['device']}, {here['usd']:.0f} USD, or "
        f"{here['node_hours']:.1f} hours on a node of {here['node']}. These are {here['cells']} scores under "
        "the authors' procedure with one seed: `selu profile a100 && selu sweep --protocol paper --seed 42`."
    )


def _table(found: Scale) -> str:
    """State the cost of training the paper's table once, and its assumptions."""
    table = found["table"]
    return (
        f"The paper's whole table, {table['cells']} fine-tuned scores: {table['device_hours']:,.0f} GPU hours "
        f"({table['short_device_hours']:,.0f} to {table['most_device_hours']:,.0f}, since some lengths of "
        f"texts are guessed), {table['usd']:,.0f} USD, or {table['node_hours']:.0f} hours on a node of "
        f"{table['node']}. All epochs are counted; the speed of a GPU and its price are assumptions."
    )


def _packing(found: Scale) -> str:
    """State the gain of packing over each way of padding."""
    total, tasks = _factors(found["once"]["total"]), [_factors(row) for row in found["once"]["tasks"]]
    ranges = {way: (min(row[way] for row in tasks), max(row[way] for row in tasks)) for way in _WAYS}
    gains = {
        way: f"{total[way]:.1f} times as many tokens ({low:.2g} to {high:,.3g} by task)"
        for way, (low, high) in ranges.items()
    }
    return (
        f"**What packing saves**: batches of texts of like length compute {gains['by_length']}, batches padded "
        f"to their own longest text {gains['by_batch']}, the authors' scripts {gains['by_scripts']}."
    )


def _shared(table: OnNodes, names: Mapping[str, str]) -> str:
    """State which of the table's trainings need several GPUs, and their hours."""
    systems = [names[name] for name in table["shared_systems"]]
    return (
        f"DeepSpeed's ZeRO-2 trains what one GPU of 80 GB does not hold: {' and '.join(systems)}, "
        f"{table['shared']} of the table's {table['cells']} scores and {table['shared_device_hours']:,.0f} of "
        f"its {table['device_hours']:,.0f} hours."
    )


def _factors(row: CostSum) -> Mapping[str, float]:
    return {
        "by_length": row["grouped_tokens"] / row["tokens"],
        "by_batch": row["batch_tokens"] / row["tokens"],
        "by_scripts": row["padded_tokens"] / row["tokens"],
    }


def _sentences(found: Scale, names: Mapping[str, str]) -> str:
    once, profile, assumed = found["once"]["total"], found["profile"], found["assumed"]
    widest = max(found["once"]["tasks"], key=lambda row: row["most_device_hours"] - row["short_device_hours"])
    table, final, preprint = found["table"], once, found["padded_as_the_preprint"]["total"]
    text = (
        f"**The paper's table once** takes {table['two_nodes_hours']:.0f} hours on two nodes of "
        f"{table['node']}, and at least {once['least_device_hours']:,.0f} GPU hours if every training stops "
        f"as soon as it may. Most of the range is {widest['task']}: {widest['short_device_hours']:,.0f} to "
        f"{widest['most_device_hours']:,.0f}, counted as {widest['device_hours']:,.0f}. "
        f"Padded as the authors' scripts do it, {preprint['padded_device_hours']:,.0f} (scripts of the "
        f"preprint, at most {PREPRINT:,} tokens a text: {_shown('saved', preprint['saved'])} padding) or "
        f"{final['padded_device_hours']:,.0f} (final scripts, at most {assumed['padded_tokens']:,}: "
        f"{_shown('saved', final['saved'])}); it is unknown which published scores were computed by which. The "
        f"paper gives its hardware (8 A100s, section IV-E) but no hours to hold this against. {found['note']}"
    )
    large = [cell for cell in found["cells"] if not cell["devices"]]
    if not large:
        return text
    systems = ", ".join(names[name] for name in dict.fromkeys(cell["system"] for cell in large))
    every = found["total"]
    return text + (
        f"\n\n**Does not fit**: {once['too_large']} of these runs, and {every['too_large']} of all that are "
        f"configured ({systems}), whose longest text with all its activations is too large for "
        f"{profile['devices'][-1]} devices. Their {once['unfit_device_hours']:,.0f} and "
        f"{every['unfit_device_hours']:,.0f} device hours, calculated as if they fitted, are in the sums."
    )


def _named(row: CostSum, names: Mapping[str, str]) -> Mapping[str, object]:
    return {**row, "system": names[row["system"]] if "system" in row else "all"}


def _grid(rows: Sequence[Mapping[str, object]], columns: Mapping[str, str]) -> str:
    """Return rows as a table; ``columns`` are heading -> field."""
    import pandas as pd

    from selu.papers.table import grid

    texts = [[_shown(field, row[field]) for field in columns.values()] for row in rows]
    return grid(pd.DataFrame(texts, columns=list(columns), dtype=object))


def _shown(field: str, value: object) -> str:
    if not isinstance(value, int | float):
        return "-" if value is None else str(value)
    if field in ("saved", "bound_by_updates"):
        return f"{100 * value:.0f} %"
    if field in _WAYS:
        return f"{value:.2f}"
    if field.endswith("tokens"):
        return f"{value / 1e6:,.0f}"
    if isinstance(value, float):
        return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
    return f"{value:,}"
