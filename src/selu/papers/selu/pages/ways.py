"""Part ``ways`` of the report: the cost of each way to reproduce, and how each artefact is made again.

REPRODUCE.md shows this page. Its numbers are those of tracked runs and records, and of ``ways.json``, which
``speed/ways.py`` measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selu.papers.costs import AskingCost, CostSum, Scale
from selu.papers.evidence import Evidence, Progress, Record
from selu.papers.selu.choosing.asking import describe
from selu.papers.selu.evidence.runs import BASELINES
from selu.papers.selu.records.measured import Ways
from selu.papers.selu.records.reruns import RerunCell
from selu.papers.selu.reruns import cells
from selu.report.words import shown
from selu.stats.budget import shortest
from selu.vocabulary import CellVerdict, ClaimFound, RunState

MINUTES = 60  # of the second way
_GIB = 2**30
_IMAGES = "the same bytes, with the locked matplotlib"
_DIGITS = "each published digit; what differs is named in the table"
_RERUN = "each published digit (reproduced), or the interval over seeds and test rows (within noise)"


@dataclass(frozen=True, slots=True)
class Artefact:
    """A table, a figure or the claims of the paper: the part of the report that makes it, and its input."""

    name: str
    part: str
    reads: str
    tolerance: str
    compared: str = ""


ARTEFACTS = (
    Artefact("Table I, tasks", "notebook table1", "declared tasks, published table", _DIGITS, "table1"),
    Artefact("Table II, sources and families", "notebook table2", "declared tasks", _DIGITS, "table2"),
    Artefact("Table III, models", "notebook table3", "declared systems", _DIGITS, "table3"),
    Artefact("Table IV, ranking", "notebook table4", "published scores", _DIGITS, "table4"),
    Artefact("Table V, families and types", "notebook table5", "published scores", _DIGITS, "table5"),
    Artefact(
        "Table VI, scores", "notebook table6", "published scores", "a score or a dash, as declared", "table6"
    ),
    Artefact("Table VI, aggregate rows", "notebook table6", "published scores", _DIGITS, "table6_aggregates"),
    Artefact("Table VI, re-run", "notebook baselines", "tracked runs", _RERUN, "cells"),
    Artefact("Figure 2, tasks by activity", "notebook figure2", "declared tasks", _IMAGES),
    Artefact("Figure 3, heads", "notebook figure3", "heads as built", _IMAGES),
    Artefact("Figure 4, a prompt", "notebook figure4", "templates, example rows of ours", _IMAGES),
    Artefact("Figure 5, decisions", "notebook figure5", "published scores, signed-rank test", _IMAGES),
    Artefact("Claims", "claims", "all of the above", "the tracked verdict", "claims"),
)


def pages(evidence: Evidence, _progress: Progress) -> Mapping[str, str]:
    """Name of a file -> Markdown: what the ways take, and how each artefact is made.

    Raises:
        SeluError: a record is missing or damaged.
    """
    import pandas as pd

    from selu.papers.table import grid

    measured = evidence.measured("ways", "python speed/ways.py", ("minutes", "hour"))
    claims, runs = evidence.claims(), _runs(evidence)
    here = [run for run in runs if not _gpu(run)]  # the second way leaves out what a GPU made
    ways = [_first(measured), _second(measured, here), *_third(evidence)]
    taken = [
        _code(grid(pd.DataFrame(ways).set_index("Way").T.rename_axis("Way").reset_index())),
        f"Times of the first and measures of the second way: {measured['machine']}, {measured['date']}"
        f"{measured['beside']}. The tracked runs were made on {_machines(runs)}.",
        "The first way ends with",
        _last_lines(claims),
    ]
    made = _code(grid(pd.DataFrame(_artefacts(evidence, claims))))
    return {"ways.md": "\n\n".join(taken) + "\n", "artefacts.md": made + "\n"}


def _code(table: str) -> str:
    """Return a table with its commands as code."""
    return table.replace("\\`", "`").replace("&amp;", "&")


def _runs(evidence: Evidence) -> list[Record]:
    """Return the records of the runs that are present, with their names."""
    return [
        {**run.record, "name": run.name, "finetuned": run.system not in BASELINES}
        for run in evidence.runs()
        if run.state is RunState.PRESENT
    ]


def _machines(runs: Sequence[Record]) -> str:
    kinds = {
        f"{run['machine']['processor']}, {run['machine']['cores']} cores, "
        f"{run['machine']['memory_bytes'] / _GIB:.0f} GiB" + (f", {gpu}" if (gpu := _gpu(run)) else "")
        for run in runs
    }
    return "; ".join(sorted(kinds))


def _gpu(run: Record) -> str:
    """Return the GPU that a run was made on; empty if a CPU made it."""
    device = (run.get("used") or {}).get("device", "cpu")
    return "" if device == "cpu" else str(device)


def _first(measured: Ways) -> Mapping[str, str]:
    found = measured["minutes"]
    return {
        "Way": "1, minutes",
        "Question": "Which tables and claims follow from the published numbers?",
        "Command": "`make reproduce`",
        "Needs": "Python 3.11, git, make",
        "Time": f"{found['seconds'] / 60:.0f} min, of these {found['install_seconds'] / 60:.0f} to install",
        "Disk": f"{found['disk_bytes'] / 1e9:.1f} GB",
        "Memory": f"{found['memory_bytes'] / _GIB:.1f} GiB",
        "Money": "none",
    }


def _second(measured: Ways, runs: Sequence[Record]) -> Mapping[str, str]:
    found, cores = measured["hour"], max(run["machine"]["cores"] for run in runs)
    seconds = {run["name"]: run["cost"]["unit_seconds"] / cores for run in runs}
    taken = shortest(seconds, 60.0 * MINUTES)
    trained = sum(run["finetuned"] for run in runs if run["name"] in taken)
    peak = max(run["cost"]["peak_memory_bytes"] for run in runs if run["name"] in taken)
    hours = sum(seconds.values()) / 3600
    return {
        "Way": "2, an hour",
        "Question": "Do baselines and MiniLM-L6 give the same answers from raw bytes?",
        "Command": f"`make reproduce-runs MINUTES={MINUTES}`",
        "Needs": "the data sets, network",
        "Time": f"{MINUTES} min on {cores} cores for {len(taken)} of {len(runs)} runs, {trained} of them "
        f"trainings (all: {hours:.1f} h); before it {found['prepare_seconds'] / 60:.0f} min to install and "
        "prepare",
        "Disk": f"{found['disk_bytes'] / 1e9:.1f} GB",
        "Memory": f"{cores} x {peak / _GIB:.1f} GiB",
        "Money": "none",
    }


def _unfit(total: CostSum) -> str:
    if not total["too_large"]:
        return ""
    return (
        f", of which {total['unfit_device_hours']:,.0f} are of {total['too_large']} runs that fit no machine "
        "of the profile"
    )


def _third(evidence: Evidence) -> Sequence[Mapping[str, str]]:
    scale: Scale = evidence.read("scale/scale.json", "report scale", ("once", "total", "disk"))
    prices: AskingCost = evidence.read("prices.json", "report prices", ("systems", "priced"))
    once, total = scale["once"]["total"], scale["total"]
    # what the command plans: tasks of synthetic rows are left out unless they are named
    here = [task for task in scale["tasks"] if evidence.data(task["task"])["standing"] != cells.SYNTHETIC]
    hours, usd = sum(task["device_hours"] for task in here), sum(task["usd"] for task in here)
    return [
        {
            "Way": "3, everything: fine-tuned",
            "Question": "What do the 22 open models score when they are trained again?",
            "Command": "`selu profile a100 && selu sweep`",
            "Needs": f"weights, GPUs ({scale['profile']['device']})",
            "Time": f"{hours:,.0f} device hours for the {len(here)} tasks with real rows, both protocols, all "
            f"seeds; with the files of the other tasks {total['device_hours']:,.0f}{_unfit(total)}; the "
            f"paper's table once {once['device_hours']:,.0f} (all calculated)",
            "Disk": f"for all tasks {scale['disk']['least_gb']:,.0f} GB at least, "
            f"{scale['disk']['one_after_another_gb']:,.0f} GB with every model kept",
            "Memory": f"{total['memory_gib']:.0f} GiB a GPU",
            "Money": f"{usd:,.0f} USD; for all tasks {total['usd']:,.0f}, the table once {once['usd']:,.0f}",
        },
        {
            "Way": "3, everything: prompted",
            "Question": "What do GPT-4o and Claude 3.7 score when they are asked again?",
            "Command": "`selu run --system gpt-4o-zero-shot --max-cost USD`, and so for each of the four",
            "Needs": "the data sets, keys",
            "Time": "the provider's: batches may take a day",
            "Disk": "not measured",
            "Memory": "`docs/measurements/prompt.txt`",
            "Money": describe(prices),
        },
    ]


def _last_lines(claims: Sequence[ClaimFound]) -> str:
    from selu.report.verdicts import verdicts_told

    lines = [
        "recomputed ... stages, ... files, in ... s: every byte equals the tracked one",
        "...",
        f"{len(claims)} claims: {verdicts_told(claims)}",
        "site: .../reports/site/index.html",
    ]
    return "\n".join(["```", *lines, "```"])


def _artefacts(evidence: Evidence, claims: Sequence[ClaimFound]) -> Sequence[Mapping[str, str]]:
    from selu.papers.selu.tables import numbered as tables
    from selu.papers.table import ROUNDING

    material = evidence.published()
    reruns: list[RerunCell] = evidence.read("cells.json", "report cells", cells.CELL_FIELDS, needed=False) or []
    rows = []
    for artefact in ARTEFACTS:
        found = ""
        if artefact.compared == "claims":
            found = f"{len(claims)} claims; one by one: `selu verify --claim C001`"
        elif artefact.compared == "cells":
            verdicts = Counter(cell["verdict"] for cell in reruns if cell["verdict"])
            found = ", ".join(
                f"{verdicts[str(verdict)]} {shown('verdict', str(verdict))}" for verdict in CellVerdict
            )
        elif artefact.compared:
            table = getattr(tables, artefact.compared)(material)
            rounded = sum(cell.why.startswith(ROUNDING) for cell in table.mismatches)
            found = f"{table.equal} of {table.cells} entries {table.note}"
            found += f", {rounded} explained by rounded inputs" if rounded else ""
        rows.append(
            {
                "Artefact": artefact.name,
                "Part": f"`selu report {artefact.part}`",
                "From": artefact.reads,
                "Tolerance": artefact.tolerance,
                "Found": found,
            }
        )
    return rows
