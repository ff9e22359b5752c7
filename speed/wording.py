"""How far a score moves with the words of its prompt: templates, names of the labels, order of the examples.

A model on this machine gives the likelihood of the labels (``systems/prompt/likelihood.py``) for a seeded
sample of test rows of four tasks. The template is the project's own or one of two paraphrases; labels are their
names or letters; three examples stand in the order drawn or the other way round. Answers are added to
docs/measurements/wording.csv, which holds ids and labels and no texts; what is there is not asked again.
docs/measurements/wording.json is what they score, and how many answers are others than those to the project's
own template with the labels' names; for examples in reverse, than those to examples as drawn. Pages read it.

    SELU_MODELS=FOLDER python speed/wording.py --rows 30
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.data.prepared import stream, truth_of  # noqa: E402
from selu.execution.prompt.plan import pin_of, settings_of, templates  # noqa: E402
from selu.execution.results import read_bootstrap  # noqa: E402
from selu.files import write_atomic  # noqa: E402
from selu.metrics.measured import intervals, points  # noqa: E402
from selu.project import find_root  # noqa: E402
from selu.registry import rows_of, splits_of, task_of  # noqa: E402
from selu.sources.models import find_weights  # noqa: E402
from selu.splits.sampling import draw_sample  # noqa: E402
from selu.stats.agreement import share  # noqa: E402
from selu.systems.prompt.likelihood import Scorer, most_likely  # noqa: E402
from selu.systems.prompt.template import Prompts  # noqa: E402
from selu.vocabulary import Label, Task  # noqa: E402

MODEL = "qwen2.5-coder-0.5b"
TASKS = ("functional_requirement", "incivility", "commit_intention", "sentiment")
FILE = Path("docs/measurements/wording.csv")
COLUMNS = ("task", "template", "labels", "shots", "order", "id", "answer", "log_probability")
AT_ONCE = 8  # prompts in a batch
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Asked(NamedTuple):
    """A way to ask: template, names of the labels, examples and their order."""

    template: str
    labels: str
    shots: int
    order: str


WAYS = [
    Asked(template, labels, 0, "none") for labels, template in product(("words", "letters"), ("own", "b", "c"))
]
WAYS += [Asked("own", "words", 3, order) for order in ("drawn", "reversed")]


class Paraphrase:
    """Another wording of the same request, with the context, task and entity of the project's template."""

    def __init__(self, folder: Path, task: Task, form: str) -> None:
        source = (folder / f"{task.id}.j2").read_text("utf-8")
        values = dict(re.findall(r'{% set (\w+) = "([^"]*)" %}', source))
        self._context, self._task, self._entity = values["context"], values["task"], values["entity"].lower()
        self._labels, self._form = task.labels, form

    def render(self, text: str, _shots: object = ()) -> str:
        """Render the prompt of a row."""
        if self._form == "b":
            listed = "\n".join(f'"{label.name}" if it is so: {label.means}' for label in self._labels)
            return (
                f"Please {self._task}. It comes from {self._context}. There are {len(self._labels)} possible "
                f"labels:\n{listed}\nReply with the label alone, without quotation marks.\n\n"
                f"The {self._entity} is:\n{text}"
            )
        listed = "\n".join(f"{label.name} = {label.means}" for label in self._labels)
        return (
            f"You are an expert on {self._context}. You {self._task}.\n\nCategories:\n{listed}\n\n"
            f"Read the {self._entity} below and say which category fits it best. Your whole answer is the name "
            f"of this category.\n\n### {self._entity}\n{text}\n### category"
        )


def named(task: Task, labels: str) -> Task:
    """Return the task with its labels as words, or as letters that stand before their names."""
    if labels == "words":
        return task
    letters = zip(LETTERS, task.labels, strict=False)
    found = tuple(Label(letter, f"{label.name}, {label.means}") for letter, label in letters)
    return replace(task, labels=found)


def prompts(root: Path, task: Task, asked: Asked, ids: Sequence[str]) -> Iterator[str]:
    """Render the prompts of these rows, in their order."""
    shots = {}
    with (splits_of(root, task.id) / "shots.csv").open(encoding="utf-8") as lines:
        for row, *shot_ids in list(csv.reader(lines))[1:]:
            shots[row] = shot_ids if asked.order != "reversed" else shot_ids[::-1]
    wanted = {*ids, *(shot for row in ids for shot in shots[row])}
    found = {
        row: (text, label)
        for row, text, label in stream(rows_of(root, task.id), ("id", "paper", "label"))
        if row in wanted
    }
    folder, as_asked = templates(root, task), named(task, asked.labels)
    form = (
        Prompts(folder, as_asked) if asked.template == "own" else Paraphrase(folder, as_asked, asked.template)
    )
    for row in ids:
        examples = (
            [(found[s][0], as_asked.labels[int(found[s][1])].name) for s in shots[row]] if asked.shots else []
        )
        yield form.render(found[row][0], examples)


def scores(root: Path, rows: int) -> Iterator[dict[str, Any]]:
    """Score each way to ask of which all answers are there, with intervals."""
    draws = read_bootstrap(root)
    answers: dict[tuple[str, Asked], dict[str, int]] = {}
    with (root / FILE).open(encoding="utf-8") as lines:
        for task, template, labels, shots, order, row, answer, _ in list(csv.reader(lines))[1:]:
            answers.setdefault((task, Asked(template, labels, int(shots), order)), {})[row] = int(answer)
    for name, asked in product(TASKS, WAYS):
        task, found = task_of(root, name), answers.get((name, asked), {})
        beside = answers.get(
            (name, asked._replace(order="drawn") if asked.order == "reversed" else WAYS[0]), {}
        )
        table = truth_of(root, task, "strict")
        drawn = draw_sample(table["id"], rows, settings_of(root).seed)
        truth = {row: label for row, label in zip(table["id"], table["label"], strict=True) if row in drawn}
        if not (truth.keys() <= found.keys() and truth.keys() <= beside.keys()):
            continue
        given, kind = [found[row] for row in truth], str(task.kind)
        asked_of = kind, list(truth.values()), given
        value = points(*asked_of, [True] * len(truth), len(task.labels), "f1_macro")["value"]
        drawn_bounds = intervals(*asked_of, len(task.labels), draws, ("f1_macro",))
        bounds = {end: drawn_bounds["f1_macro"][end] for end in ("low", "high")}
        others = share(sum(found[row] != beside[row] for row in truth), len(truth), draws.level)
        yield {"task": name, **asked._asdict(), "rows": len(truth), "value": value, **bounds, "others": others}


def ask(root: Path, file: str, rows: int) -> None:
    """Ask what the file of answers lacks."""
    scorer, path, seed = Scorer(file, 8192), root / FILE, settings_of(root).seed
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for asked, name in product(WAYS, TASKS):
        task = task_of(root, name)
        tested = truth_of(root, task, "strict")["id"]
        drawn = draw_sample(tested, rows, seed)
        with path.open(encoding="utf-8") as lines:
            head = [name, *map(str, asked)]
            done = {line[5] for line in csv.reader(lines) if line[:5] == head}
        ids = [row for row in tested if row in drawn - done]
        labels = [label.name for label in named(task, asked.labels).labels]
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            texts = prompts(root, task, asked, part)
            found = scorer.score([scorer.prompt([{"role": "user", "content": text}]) for text in texts], labels)
            with path.open("a", encoding="utf-8") as lines:
                for row, likelihoods in zip(part, found, strict=True):
                    best = most_likely(likelihoods)
                    line = [*head, row, best, f"{likelihoods[best].log_probability:.3f}"]
                    csv.writer(lines, lineterminator="\n").writerow(line)
        print(*head, len(ids), flush=True)


def main() -> None:
    """Ask what the file lacks, and score what is there."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=30)
    options.add_argument("--score-only", action="store_true", help="ask nothing, and take no weights")
    given = options.parse_args()
    root = find_root()
    pin = pin_of(root, settings_of(root).models[MODEL])
    assert pin is not None
    if not given.score_only:
        folder = find_weights(pin, Path(os.environ["SELU_MODELS"]), root / ".selu" / "weights", print)
        ask(root, str(folder / pin.weights.name), given.rows)
    weights = {"publisher": pin.publisher, "sha256": pin.weights.sha256, "quantisation": pin.quantisation}
    content = {"model": MODEL, "weights": weights, "ways": list(scores(root, given.rows))}
    write_atomic((root / FILE).with_suffix(".json"), (json.dumps(content, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
