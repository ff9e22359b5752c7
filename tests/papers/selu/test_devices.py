"""The same trainings on two devices: what pages say is what was measured, and what is tracked."""

from __future__ import annotations

from pathlib import Path

from selu.papers.selu.reruns import devices
from selu.runs import record as records

ROOT = Path(__file__).parents[3]


def run(task: str, seed: int, cpu: float, gpu: float, others: int) -> dict:
    measured = {f"{name}_{what}": 60 for name in ("cpu", "gpu") for what in ("steps", "picked", "seconds")}
    bounds = {"low": cpu - 0.05, "high": cpu + 0.05, "rows": 100, "other_answers": others}
    return {"task": task, "seed": seed, "cpu": cpu, "gpu": gpu, **bounds, **measured, "cpu_seconds": 5400.0}


def test_a_score_outside_the_interval_is_counted_as_such():
    runs = [
        run("incivility", 42, 0.7, 0.71, 4),
        run("incivility", 43, 0.7, 0.6, 30),
        run("a_b", 42, 0.5, 0.5, 2),
    ]
    record = {"device": "NVIDIA H100 80GB HBM3", "runs": runs}
    assert devices.concluded(record) == (
        "Trained again on NVIDIA H100, 2 of 3 runs score within the interval of the run on a CPU; the median "
        "difference is 0.010, the largest 0.100. Of the single answers 12.0 % differ. The trainings took 3 "
        "minutes on the GPU, which others shared, and 4.5 hours of one core."
    )
    frame = devices.table(record).frame
    assert frame["Difference"].tolist() == ["+0.0100", "-0.1000", "+0.0000"]
    assert frame["Other answers"].tolist()[1] == "30 of 100"
    figure = devices.figure(record)
    figure.draw_without_rendering()
    assert len(figure.axes[0].lines) == 3 * len(runs)


def test_what_is_tracked_of_the_cpu_is_its_run():
    found = devices.read(ROOT)
    assert len(found["runs"]) == 27
    # commit_intention has other rows since
    same = [entry for entry in found["runs"] if entry["task"] != "commit_intention"]
    for entry in same:
        run_name = f"{entry['protocol']}-s{entry['seed']}"
        folder = ROOT / "results" / "selu" / entry["task"] / entry["system"] / run_name
        scores = records.read_scores(folder)
        assert entry["cpu"] == scores["value"]
        assert entry["low"] == scores["intervals"][entry["metric"]]["low"]


def test_each_kernel_lies_within_a_hundredth_of_fp64():
    kernels = [line for line in devices.read(ROOT)["kernels"] if "out" in line]
    assert {line["kernel"] for line in kernels} == {"groups", "torch_flash"}
    assert len(kernels) == 12
    assert max(line[name] for line in kernels for name in ("out", "dq", "dk", "dv")) < 1e-2
