"""The card of a system: what it is, how it scores in its paper, and which of these scores were checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selu import registry
from selu.evidence.tracked import tracked_cells, tracked_extra
from selu.papers.api import Scored
from selu.report.console import prose, table
from selu.report.words import shown
from selu.vocabulary import Approach, CellState, System

_KIND = ("approach", "architecture", "adaptation")
_SHOWN = ("task", "rank", "published", "ours", "interval", "verdict")
_PROTOCOL = "strict"
Row = dict[str, Any]


def scores(root: Path, system: System) -> Row:
    """Return a paper's scores of a system, each with its rank and the result of its check.

    Empty where its paper prints no score per task and system.
    """
    for benchmark in registry.published():
        scored = registry.scored(root, benchmark)
        if scored and system in scored.systems:
            return _scores(root, benchmark, scored, system)
    return {}


def _scores(root: Path, benchmark: str, scored: Scored, system: System) -> Row:
    needed = registry.benchmark(benchmark).cell_now is not None
    found = tracked_cells(root, benchmark, needed=needed)
    mean = scored.mean(system.id)
    above = sum(round(scored.mean(other.id), 12) > round(mean, 12) for other in scored.systems)
    rows = []
    for cell in scored.cells:
        if cell.system != system.id or cell.state is not CellState.PRESENT:
            continue
        ours = found.get((cell.task, cell.system), {})
        rows.append(
            {
                "task": cell.task,
                "published": cell.published,
                "rank": scored.neighbours(cell)["rank in task"],
                "ours": ours.get("value"),
                "low": ours.get("low"),
                "high": ours.get("high"),
                "verdict": ours.get("verdict"),
            }
        )
    return {
        "mean": mean,
        "rank": f"{above + 1} of {len(scored.systems)}",
        "checked": sum(row["ours"] is not None for row in rows),
        "scores": rows,
    }


def own_scores(root: Path, id: str) -> Row:
    """Return the scores of a system outside all papers, picked on validation data."""
    entries = [entry for entry in tracked_extra(root) if entry["system"] == id]
    found = [
        {"task": entry["task"], "ours": score["value"], "low": score["low"], "high": score["high"]}
        for entry in entries
        if (score := entry[_PROTOCOL])["value"] is not None
    ]
    return {"scores": found} if found else {}


def lines(record: Mapping[str, Any]) -> list[str]:
    """Write the card of a system that is fine-tuned, prompted or a baseline."""
    kind = ", ".join(shown(name, record[name]) for name in _KIND if record.get(name))
    size = [f"{record['size_published']} published"] if record.get("size_published") else []
    size += [f"{record['parameters_counted']:,} counted"] if record.get("parameters_counted") else []
    facts = {
        "Kind": kind,
        "Shots": record.get("shots"),
        "Parameters": ", ".join(size),
        "Context": f"{record['context']:,} tokens" if record.get("context") else None,
        "Licence": f"{record['licence']}{', on request (gated)' if record.get('gated') else ''}",
        "Weights": _weights(record),
        "Paper": record.get("paper"),
        "Prompts": record.get("prompts"),
        **_score_summary(record),
    }
    found = [f"{record['name']} ({record['id']})"]
    for name, fact in facts.items():
        found += prose(str(fact), 12, name) if fact not in (None, "") else []
    if record.get("scores"):
        found += ["", *table(record["scores"], _SHOWN)]
    return [*found, "", *prose(f"Next: 'selu show TASK/{record['id']}', 'selu compare {record['id']} SYSTEM'")]


def _weights(record: Mapping[str, Any]) -> str | None:
    weights = record.get("weights") or {}
    if weights.get("package"):
        return f"package {weights['package']}, sha256 {weights['sha256']}"
    if not record.get("hub"):
        return None
    if record["approach"] == Approach.PROMPTED:
        return f"none; asked as {record['hub']}"
    revision = f" at {weights['revision']}" if weights.get("revision") else ""
    return f"{record['hub']} of the Hugging Face hub{revision}"


def _score_summary(record: Mapping[str, Any]) -> Row:
    """Return a system's mean and rank, its strongest and weakest tasks, and how many scores were checked."""
    rows = record.get("scores") or []
    if "mean" not in record:
        return {"Scores": f"ours on {len(rows)} tasks, picked on validation data"} if rows else {}
    ranks = [f"{row['task']} ({row['rank']})" for row in sorted(rows, key=lambda row: _share(row["rank"]))]
    summary: Row = {"Mean": f"{record['mean']:.3f}, rank {record['rank']}"}
    if len(ranks) > 5:
        summary["Strongest"] = ", ".join(ranks[:3])
        summary["Weakest"] = ", ".join(ranks[:-4:-1])
    summary["Checked"] = f"{record['checked'] or 'none'} of {len(rows)} published scores"
    return summary


def _share(rank: str) -> float:
    """Return the share of the other systems that are above a rank given as '3 of 28'."""
    place, _, among = rank.partition(" of ")
    return (int(place) - 1) / max(int(among) - 1, 1)
