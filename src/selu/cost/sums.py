"""Sums over cells of a plan of costs: of each system, of each task, and of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selu.cost import disk

Cell = Mapping[str, Any]
_HOURS = ("hours", "padded_hours", "device_hours", "padded_device_hours")


def sums(cells: Sequence[Cell]) -> dict[str, Any]:
    """``systems``, ``tasks``, ``total`` and ``disk`` of some cells, of which there is at least one."""
    return {
        "systems": _by("system", cells),
        "tasks": _by("task", cells),
        "total": _sum(cells),
        "disk": disk.together(cells),
    }


def alone(cell: Cell) -> dict[str, Any]:
    """The same cell with one seed."""
    one: dict[str, Any] = {**cell, "runs": 1}
    for name in ("tokens", "padded_tokens"):
        one[name] = round(cell[name] / cell["runs"])
    for name in (*_HOURS, "usd", *disk.SUMS):
        one[name] = cell[name] / cell["runs"]
    return one


def _by(name: str, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Sums of the cells of each system, or of each task."""
    every = dict.fromkeys(cell[name] for cell in cells)
    return [{name: one, **_sum([cell for cell in cells if cell[name] == one])} for one in every]


def _sum(cells: Sequence[Cell]) -> dict[str, Any]:
    """Sums over cells, and the most devices, memory and disk that one of them takes.

    ``saved`` is the share of the padded tokens that need not be computed; ``bound_by_updates`` the share of
    the hours whose updates are too small to keep a device busy; ``unfit_device_hours`` are those of the cells
    that do not fit, ``too_large`` their runs.
    """
    tokens, padded = (sum(cell[name] for cell in cells) for name in ("tokens", "padded_tokens"))
    hours = {name: sum(cell[name] for cell in cells) for name in _HOURS}
    bound = sum(cell["hours"] for cell in cells if cell["bound"] == "updates")
    unfit = [cell for cell in cells if not cell["devices"]]
    return {
        "cells": len({cell["cell"] for cell in cells}),
        "runs": sum(cell["runs"] for cell in cells),
        "steps": sum(cell["runs"] * cell["steps"] for cell in cells),
        "tokens": tokens,
        "padded_tokens": padded,
        "saved": 1 - tokens / padded,
        **hours,
        "bound_by_updates": bound / hours["hours"],
        "devices": max((cell["devices"] for cell in cells if cell["devices"]), default=None),
        "memory_gib": max((cell["memory_gib"] for cell in cells if cell["devices"]), default=None),
        "usd": sum(cell["usd"] for cell in cells),
        **disk.summed(cells),
        "too_large": sum(cell["runs"] for cell in unfit),
        "unfit_device_hours": sum(cell["device_hours"] for cell in unfit),
    }
