"""The file at fault looked for in whole trees: a record for the notebook of retrieval.

    SELU_CLONES=FOLDER SELU_PREDICTIONS=FOLDER SELU_MODELS=FOLDER python speed/faun_eval_trees.py [ENCODER]...

FOLDER of SELU_CLONES holds clones as OWNER+NAME or OWNER__NAME; tasks of other repositories are left out.
SELU_PREDICTIONS has the pinned files. Encoders are minilm-l6 and all-mpnet-base-v2, which SELU_MODELS holds,
unless some are named. Writes ranks and scores alone to docs/measurements/faun_eval_trees.json.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.evidence.evidence import Evidence  # noqa: E402
from selu.files import to_json, write_atomic  # noqa: E402
from selu.papers.faun_eval.records_measured import Trees  # noqa: E402
from selu.papers.faun_eval.retrieval import files, over_trees  # noqa: E402
from selu.papers.faun_eval.retrieval.part import ENCODERS, find_candidates, remember  # noqa: E402
from selu.project import find_root  # noqa: E402
from selu.vocabulary import SeluError  # noqa: E402


def main() -> None:
    """Rank the files of every tree, and write the record.

    Raises:
        SeluError: no clone has the commit of a task, or as of the pinned files and the encoders.
    """
    root = find_root()
    evidence = Evidence(root, "faun_eval")
    found = find_candidates(evidence)
    candidates, without = over_trees.find_trees(found.tasks)
    for task in without:
        print(f"{task}: its clone lacks commit {found.tasks[task].commit}; the task is left out")
    if not candidates:
        raise SeluError("No task has a clone: name their folder with SELU_CLONES.")
    tasks = {task: found.tasks[task] for task in candidates}
    print(f"{len(tasks)} of {len(found.tasks)} tasks have a clone")
    encoders = {name: remember(partial(evidence.embed, name)) for name in sys.argv[1:] or ENCODERS}
    issues = [cut(gold.issue) for cut in files.PARTS.values() for gold in tasks.values()]
    named = {task: found.paths[task] for task in tasks}
    texts = [*issues, *chain.from_iterable([*candidates.values(), *named.values()])]
    for name, embed in encoders.items():
        started = time.process_time()
        embed(texts)
        took = round(time.process_time() - started)
        print(f"{len(set(texts))} texts embedded by {name} in {took} s of a processor")
    rankings = files.rank(tasks, candidates, list(files.PARTS), encoders, files.TreeTexts(()))
    over_named = files.rank(tasks, named, (files.ISSUE,), encoders)
    scored = files.score(rankings, tasks, candidates, evidence.draws)
    scored["among"] = over_trees.AMONG
    record: Trees = {
        "files": scored,
        "named": over_trees.compare(rankings, over_named, tasks, evidence.draws),
        "ranks": over_trees.rank_right(rankings, tasks, candidates),
    }
    write_atomic(root / over_trees.PLACE, to_json(record))
    print(over_trees.say(record))


if __name__ == "__main__":
    try:
        main()
    except SeluError as error:
        sys.exit(str(error))
