"""Published patches for SWE-bench Lite, applied to the real files: a record for the notebook of answers.

    SELU_CLONES=FOLDER SELU_MIRROR=FOLDER python speed/faun_eval_patches.py

FOLDER of SELU_CLONES holds clones as OWNER+NAME or OWNER__NAME; tasks of other repositories are left out. Takes
some minutes, and writes scores alone to docs/measurements/faun_eval_patches.json.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.evidence.evidence import Evidence  # noqa: E402
from selu.files import to_json, write_atomic  # noqa: E402
from selu.papers.faun_eval import answers as reading  # noqa: E402
from selu.papers.faun_eval import patched, rescored_files, scores  # noqa: E402
from selu.papers.faun_eval.workers import share_work  # noqa: E402
from selu.papers.pinned import obtain, read_pins  # noqa: E402
from selu.project import PINS, find_root  # noqa: E402


def main() -> None:
    """Apply every patch, and write the record."""
    root, mirror = find_root(), Path(os.environ["SELU_MIRROR"]) / "faun_eval"
    draws = Evidence(root, "faun_eval").draws
    pins = {(pin.task, pin.system): pin for pin in read_pins(root / PINS / "faun_eval" / rescored_files.PINS)}
    (lite,) = (pin for (role, _), pin in pins.items() if role == rescored_files.TASKS)
    tasks = reading.read_tasks(obtain(lite, [mirror]), lite.file)
    before = scores.read(root / scores.PLACE, list(tasks))
    files = {task: found for task, gold in tasks.items() if (found := patched.read_files(gold))}
    here = {task: tasks[task] for task in files}
    print(f"{len(here)} of {len(tasks)} tasks have a clone")
    sets, patches = [], []
    for (role, name), pin in pins.items():
        if role != rescored_files.PATCHES:
            continue
        answers = reading.read_patches(obtain(pin, [mirror]), pin.file, tasks)
        given = [answers.by_task.get(task) for task in here]
        with share_work(len(given)) as each:
            values = dict(zip(here, each(patched.score, given, here.values(), files.values()), strict=True))
        tested = pins[rescored_files.OUTCOMES, name]
        outcomes = reading.read_outcomes(obtain(tested, [mirror]), tested.file)
        row: dict[str, Any] = dict(patched.summarise(name, values, draws))
        if outcomes.applied is not None:
            answered = [task for task in here if task in answers.by_task]
            same = sum((task in outcomes.applied) == bool(values[task][patched.APPLIES]) for task in answered)
            row["evaluated"] = {"same": same, "tasks": len(answered)}
        sets.append(row)
        print(row)
        for number, task in enumerate(tasks):
            if task in answers.by_task and patched.CODEBLEU in values.get(task, {}):
                known = {metric: each[number] for metric, each in before[name].items()}
                patches.append((task, task in outcomes.resolved, known | values[task]))
    unedited = {task: patched.compare(files[task].before, gold, files[task]) for task, gold in here.items()}
    record = {
        "tasks": len(here),
        "repositories": sorted({gold.repository for gold in here.values()}),
        "short": sum(found.is_short for found in files.values()),
        "sets": [*sets, patched.summarise(patched.UNEDITED, unedited, draws)],
        "study": patched.study(patches, draws),
    }
    write_atomic(root / patched.PLACE, to_json(record))
    print(patched.say(record))


if __name__ == "__main__":
    main()
