"""All of FAUN-Eval's metrics on the published answers to SWE-bench Lite: on all cores, and in one process.

Prints (and writes with ``--out``) the wall time and the processors' time of both ways, how many times one takes
the other, and whether all scores are equal to the last bit. Both score 300 tasks for each of 12 sets; reading,
intervals and the study of validity are not in it. What else a machine does shows most in the wall time.

    SELU_PREDICTIONS=FOLDER python speed/issue_metrics.py     about four minutes on two cores
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from timing import heading, print_lines

from selu.papers.faun_eval import answers, rescored_files
from selu.papers.faun_eval.rescored import score_tasks
from selu.papers.faun_eval.workers import share_work
from selu.papers.pinned import obtain, read_pins
from selu.sources.copies import copies

ROOT = Path(__file__).parents[1]
LIBRARIES = ("codebleu", "rapidfuzz", "rouge-score", "sacrebleu", "tree-sitter", "tree-sitter-python")
READERS = {rescored_files.PATCHES: answers.read_patches, rescored_files.FILES: answers.read_files}


def material() -> tuple[dict[str, answers.Gold], dict[str, tuple[answers.Answers, bool]]]:
    """Tasks, and by set its answers and whether they are patches."""
    folders = copies("faun_eval", None, None)
    pins = {
        (pin.task, pin.system): pin
        for pin in read_pins(ROOT / "data" / "pins" / "faun_eval" / "predictions.csv")
    }
    (lite,) = (pin for (role, _), pin in pins.items() if role == rescored_files.TASKS)
    tasks = answers.read_tasks(obtain(lite, folders), lite.file)
    sets = {
        name: (READERS[role](obtain(pin, folders), pin.file, tasks), role == rescored_files.PATCHES)
        for (role, name), pin in pins.items()
        if role in READERS
    }
    return tasks, sets


def shared(tasks: Any, sets: Any) -> dict[str, Any]:
    """On all cores, as ``selu rescore`` does; processes are started once."""
    with share_work(sum(len(replies.by_task) for replies, _ in sets.values())) as each:
        return {name: score_tasks(tasks, replies, edited, each) for name, (replies, edited) in sets.items()}


def plain(tasks: Any, sets: Any) -> dict[str, Any]:
    """One answer after the other in this process."""
    return {name: score_tasks(tasks, replies, edited) for name, (replies, edited) in sets.items()}


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """(wall seconds, seconds of processors, with those of processes that ended, result)."""

    def spent() -> float:
        usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    started, before = time.perf_counter(), spent()
    result = work()
    return time.perf_counter() - started, spent() - before, result


def compared() -> list[str]:
    """Tabulate both ways."""
    tasks, sets = material()
    ways = {
        name: timed(lambda way=way: way(tasks, sets)) for name, way in (("all cores", shared), ("one", plain))
    }
    answered = sum(len(replies.by_task) for replies, _ in sets.values())
    lines = [
        f"{len(tasks)} tasks x {len(sets)} sets, {answered:,} answers",
        "",
        "processes    wall s  processors s",
    ]
    lines += [f"{name:9}  {wall:8.1f}  {cores:12.1f}" for name, (wall, cores, _) in ways.items()]
    fast, slow = ways.values()
    equal = "every bit" if fast[2] == slow[2] else "NO"
    return [*lines, "", f"ratio of wall times {slow[0] / fast[0]:.2f}; equal: {equal}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="also write the text there")
    chosen = parser.parse_args(arguments)
    conditions = (f"{os.cpu_count()} cores", f"load {os.getloadavg()[0]:.1f} before")
    print_lines([heading("issue_metrics.py", conditions, LIBRARIES), "", *compared()], chosen.out)


if __name__ == "__main__":  # also what keeps a process that scores from measuring in its turn
    main()
