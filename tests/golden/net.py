"""What no tidying may alter: the identity of every run that can be planned, and what list and show print.

``python tests/golden/net.py`` writes both files again; each difference in git must be intended.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from helpers import command

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
IDENTITIES, OUTPUTS = HERE / "identities.csv", HERE / "outputs.csv"
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
_SHOWN = (
    "bug_issue", "story_points", "se_entities", "smell_doc", "tfidf-xgboost", "gpt-4o-zero-shot", "minilm-l6",
    "bert-base", "bug_issue/bert-base", "bug_issue/tfidf-xgboost", "story_points/fasttext",
    "se_entities/llama3.2-3b", "bug_issue/minilm-l6", "bug_isue", "C001", "C105", "issue_react",
    "issue_react/setfit", "N01", "java_expand", "setfit-minilm",
)  # fmt: skip


def identities() -> str:
    """One line a task and one a system: how many runs it has, and a hash over their names and identities."""
    from selu import registry
    from selu.execution import plans
    from selu.execution.finetune import plan as finetune_plan
    from selu.execution.grids import plan as grids_plan
    from selu.execution.planned import Wanted
    from selu.execution.prompt import plan as prompt_plan
    from selu.vocabulary import SeluError

    systems = [
        *grids_plan.SYSTEMS,
        *grids_plan.all_declared(ROOT),
        *finetune_plan.known(ROOT),
    ]
    prompted = list(prompt_plan.known(ROOT))
    runs = []
    for task, benchmark in registry.declared().items():
        named = tuple([*systems, *prompted] if benchmark == "selu" else systems)
        every = ("authors", "baselines", "finetune", "cuda", "prompt")
        with suppress(SeluError):  # no run is planned of a task that no system takes
            runs += plans.plan(ROOT, Wanted((task,), named, environments=every))
    groups: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        line = f"{run.folder.relative_to(ROOT)} {run.environment} {run.identity}"
        groups.setdefault(("task", run.task.id), []).append(line)
        groups.setdefault(("system", run.system), []).append(line)
    rows = [(*group, len(lines), _hash("\n".join(sorted(lines)))) for group, lines in sorted(groups.items())]
    return _table([("what", "name", "runs", "sha256"), *rows])


def outputs(keep: Path | None = None) -> str:
    """One line a command: its exit code and a hash of what it prints; ``keep`` takes the texts themselves."""
    commands = [
        ("list", what, "--paper", benchmark)
        for benchmark in ("selu", "nlbse24")
        for what in ("tasks", "systems", "cells", "claims")
    ]
    commands += [("show", name) for name in _SHOWN]
    rows = []
    for words in commands:
        for form in ((), ("--json",)):
            done = command.selu("--root", str(ROOT), *words, *form, environment=PLAIN)
            output = (done.stdout + done.stderr).replace(str(ROOT), "ROOT")
            rows.append((" ".join([*words, *form]), done.returncode, _hash(output)))
            if keep:
                (keep / rows[-1][0].replace("/", "_")).write_text(output, "utf-8")
    return _table([("command", "exit", "sha256"), *rows])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _table(rows: list[tuple[object, ...]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


if __name__ == "__main__":
    kept = Path(sys.argv[1]) if sys.argv[1:] else None
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    IDENTITIES.write_text(identities())
    OUTPUTS.write_text(outputs(kept))
