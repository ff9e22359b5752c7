"""The display of a cost plan: tables of cells, systems, disk and assumptions, and a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selu.cost import texts

if TYPE_CHECKING:
    from selu.papers.costs import TrainingCost

Rows = Sequence[Mapping[str, object]]
_CELL = (
    *("cell", "protocol", "runs", "steps", "tokens", "padded_tokens", "hours", "padded_hours", "devices"),
    *("memory_gib", "usd", "lengths"),
)  # fmt: skip
_TIME = (
    *("system", "cells", "runs", "hours", "device_hours", "bound_by_updates", "devices", "memory_gib", "usd"),
    "too_large",
)
_PADDING = ("system", "tokens", "padded_tokens", "saved", "device_hours", "padded_device_hours")
_DISK = ("system", "weights_gb", "checkpoint_gb", "kept_gb", "predictions_gb")
TOTAL, ONCE = "total", "paper's table once"


def tables(record: TrainingCost, cells: bool, sources: bool) -> list[Rows]:
    """Return the tables of the record that ``training.cost`` gives.

    Cells where wanted; time, padding and disk of systems and in sums; sources of all figures where wanted.
    """
    sums = [*record["systems"], {"system": TOTAL, **record["total"]}]
    if record["once"]:
        sums.append({"system": ONCE, **record["once"]["total"]})
    shown: list[Rows] = [[_row(cell, _CELL) for cell in record["cells"]]] if cells else []
    shown += [[_row(row, names) for row in sums] for names in (_TIME, _PADDING, _DISK)]
    return [*shown, record["assumptions"]] if sources else shown


def _row(row: Mapping[str, object], names: tuple[str, ...]) -> Mapping[str, object]:
    return {name: _shown(name, row[name]) for name in names}


def _shown(name: str, value: object) -> object:
    """Show millions of tokens, shares per cent, and hundredths where the JSON row has all digits."""
    if isinstance(value, int | float) and name.endswith("tokens"):
        return f"{value / 1e6:.1f} M"
    if isinstance(value, int | float) and name in ("saved", "bound_by_updates"):
        return f"{100 * value:.0f} %"
    return round(value, 2) if isinstance(value, float) else value


def summary(record: TrainingCost) -> str:
    """Summarize the total in a few sentences, with its assumptions."""
    total, profile, assumed, disk = record["total"], record["profile"], record["assumed"], record["disk"]
    rate = (
        f"{100 * profile['utilisation']:.0f} % of its peak"
        if profile["utilisation"]
        else f"{profile['tokens_per_second']:g} tokens a second on {profile['measured_on']}"
    )
    text = (
        f"{total['runs']} runs on {profile['device']} ({rate}): {total['device_hours']:.1f} device hours if "
        f"all epochs are trained, {total['hours']:.1f} hours one run after another, {total['usd']:.0f} USD at "
        f"{profile['usd_per_hour']:g} an hour (an assumption of {assumed['priced']}). Padded as the authors' "
        f"scripts do it, {total['padded_device_hours']:.1f} device hours: {100 * total['saved']:.0f} % of "
        f"their tokens are padding. On disk {_size(disk['one_after_another_gb'])} with all models kept, "
        f"{_size(disk['least_gb'])} without, {_size(disk['at_once_gb'])} if all train at once. {record['note']}"
        f" Where lengths of texts are guessed, they may be {assumed['guessed'][0]:g} to "
        f"{assumed['guessed'][1]:g} times as long: then all epochs take {total['short_device_hours']:.1f} to "
        f"{total['most_device_hours']:.1f} device hours. If besides every training stops as soon as it may, "
        f"they take {total['least_device_hours']:.1f} at least."
    )
    if total["too_large"]:
        text += (
            f" {total['too_large']} of the runs do not fit, not even on {profile['devices'][-1]} at once: "
            f"{total['unfit_device_hours']:.1f} of the device hours are theirs, with more memory."
        )
    guessed = sum(cell["lengths"] != texts.TRACKED for cell in record["cells"])
    if guessed:
        text += f" In {guessed} of {len(record['cells'])} rows the lengths are not of all the paper's own rows."
    return text


def _size(gigabytes: float) -> str:
    return f"{gigabytes / 1000:.1f} TB" if gigabytes >= 1000 else f"{gigabytes:.1f} GB"
