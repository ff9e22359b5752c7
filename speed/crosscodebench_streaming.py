"""Load, check and split a generated collection of CrossCodeBench's form; says memory and rows a second.

    python speed/crosscodebench_streaming.py FOLDER [--rows 5000000] [--tasks 20]

FOLDER is made, and must not be there; it takes about 250 bytes a row. The peak of memory is of the process that
reads, started again after the files are written.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from selu.papers.crosscodebench.collection import archive, check
from selu.papers.crosscodebench.splits import cut

SPLIT = "generated"


def generate(folder: Path, rows: int, tasks: int) -> None:
    """Write tasks of translation, every tenth for evaluation, each with the same number of rows."""
    (folder / "split").mkdir(parents=True)
    names = [f"task_{number:03d}_generated_{number}" for number in range(tasks)]
    for number, name in enumerate(names):
        meta: dict[str, list[object]] = {field: [name] for field in archive.FIELDS}
        example = {"input": "f ( 0 )", "output": "g ( 0 )", "reason": ""}
        meta |= {"Positive Examples": [example] * 4, "Negative Examples": [example] * 4}
        meta["Instance_number"] = [{"total": rows // tasks}]
        meta["Input_language"] = [f"Programming Language -> Generated {number}"]
        meta["Output_language"] = [f"Programming Language -> Generated {number + 1}"]
        (folder / f"{name}.meta.json").write_text(json.dumps(meta))
        with (folder / f"{name}.data.json").open("w") as stream:
            stream.write('{"Instances": [')
            for row in range(rows // tasks):
                body = f"int f{row} ( int a , int b ) {{ return a * {row} + b * {number} ; }}"
                instance = {"input": body, "output": body.replace("int", "long"), "split": "train", "idx": row}
                stream.write(f"{', ' if row else ''}{json.dumps(instance)}")
            stream.write("]}")
    sides = {"tune": [n for i, n in enumerate(names) if i % 10], "eval": names[::10]}
    (folder / "split" / f"{SPLIT}.json").write_text(json.dumps(sides))


def read(folder: Path) -> dict[str, float]:
    """Check every task and cut the split; seconds, rows and the peak of memory in megabytes."""
    begun, worked = time.perf_counter(), time.process_time()
    checked = check.check_folder(folder)
    seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    begun = time.perf_counter()
    made = cut.cut(folder, SPLIT, folder / "cut", apart=True)
    return {
        "rows": sum(task.rows for task in checked),
        "problems": sum(task.counts.total() for task in checked),
        "rows_per_second": round(sum(task.rows for task in checked) / seconds),
        "rows_per_second_of_cpu": round(sum(task.rows for task in checked) / worked),
        "seconds_check": round(seconds, 1),
        "seconds_split": round(time.perf_counter() - begun, 1),
        "training": made.training,
        "evaluation": made.evaluation,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    """Generate in this process, read in another one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--read", action="store_true", help="only read a folder that is there")
    given = parser.parse_args()
    if given.read:
        print(json.dumps(read(given.folder)))
        return
    generate(given.folder, given.rows, given.tasks)
    subprocess.run([sys.executable, __file__, str(given.folder), "--read"], check=True)


if __name__ == "__main__":
    main()
