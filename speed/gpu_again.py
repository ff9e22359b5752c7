"""Hold runs that a GPU made to the tracked ones of a CPU: the same cells and seeds, trained on both.

    python speed/gpu_again.py RESULTS [--found FILE]

RESULTS is the folder ``results/selu`` of the machine with the GPU; runs of the same name that a CPU made stand
in this clone. ``--found`` takes the lines of ``speed/finetune_gpu.py``; those on kernels are kept. What
comes out is docs/measurements/gpu.json, which pages read: no text of a row is in it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.files import write_atomic  # noqa: E402
from selu.runs import record  # noqa: E402
from selu.vocabulary import SeluError  # noqa: E402

FILE = HERE.parent / "docs" / "measurements" / "gpu.json"
TRACKED = HERE.parent / "results" / "selu"


def pair(tracked: Path, again: Path) -> dict[str, Any]:
    """Compare two runs of a cell and seed.

    Raises:
        SeluError: one is missing or damaged, both are of the same device, or they answer other rows.
    """
    runs = {"cpu": record.read_run(tracked), "gpu": record.read_run(again)}
    scores = {"cpu": record.read_scores(tracked), "gpu": record.read_scores(again)}
    answers = {"cpu": record.read_predictions(tracked), "gpu": record.read_predictions(again)}
    devices = {name: record.device_of(run) for name, run in runs.items()}
    if devices["cpu"] != record.CPU or devices["gpu"] == record.CPU:
        raise SeluError(
            f"{again.name} of {again.parent} is not of a CPU here and of a GPU there: leave it out."
        )
    # programs of equal answers have several hashes (runs/programs.csv)
    fields = [{**run["fields"], "source": None} for run in runs.values()]
    if fields[0] != fields[1] or answers["cpu"]["id"] != answers["gpu"]["id"]:
        raise SeluError(f"{again} is of other rows or parameters than the tracked run: leave it out.")
    metric = scores["cpu"]["metric"]
    bounds = scores["cpu"]["intervals"][metric]
    pairs = zip(answers["cpu"]["prediction"], answers["gpu"]["prediction"], strict=True)
    found = {
        "task": fields[0]["task"],
        "system": fields[0]["system"],
        "protocol": fields[0]["protocol"],
        "seed": fields[0]["seed"],
        "metric": metric,
        "low": bounds["low"],
        "high": bounds["high"],
        "rows": len(answers["cpu"]["id"]),
        "other_answers": sum(answer != other for answer, other in pairs),
        "device": devices["gpu"],
    }
    for name in runs:
        found |= {
            name: scores[name]["value"],
            f"{name}_steps": runs[name]["steps"],
            f"{name}_picked": runs[name]["picked_step"],
            f"{name}_seconds": round(runs[name]["cost"]["unit_seconds"], 1),
        }
    return found


def kernels(found: Path) -> list[dict[str, Any]]:
    """Keep the lines on kernels, without the time of the line."""
    lines = [json.loads(line) for line in found.read_text("utf-8").splitlines()]
    return [
        {name: value for name, value in line.items() if name not in ("at", "stage")}
        for line in lines
        if line["stage"] == "kernels" and "shape" in line
    ]


def main() -> None:
    """Compare every run that stands in both folders."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--found", type=Path, help="lines of speed/finetune_gpu.py")
    chosen = parser.parse_args()
    folders = sorted(path.parent for path in chosen.results.glob("*/*/*/scores.json"))
    pairs = [(TRACKED / folder.relative_to(chosen.results), folder) for folder in folders]
    try:
        runs = [pair(tracked, again) for tracked, again in pairs if (tracked / record.RUN).is_file()]
    except SeluError as error:
        sys.exit(str(error))
    if not runs:
        sys.exit(f"{chosen.results} holds no run that stands here, too: give a folder results/selu.")
    content = {"device": runs[0].pop("device"), "runs": runs, "kernels": []}
    for run in runs[1:]:
        if run.pop("device") != content["device"]:
            sys.exit("these runs are of several GPUs: give those of one.")
    if chosen.found:
        content["kernels"] = kernels(chosen.found)
    write_atomic(FILE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print(f"wrote {FILE}: {len(runs)} runs, {len(content['kernels'])} lines on kernels")


if __name__ == "__main__":
    main()
