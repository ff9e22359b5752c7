"""Published patches applied to the files of their tasks: which apply, and how near the edit is to the fix.

``speed/faun_eval_patches.py`` counts what is shown here, over the tasks whose repository is cloned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from selu.metrics.percentiles import Resampling
from selu.papers.faun_eval import trees
from selu.papers.faun_eval.answers import Answer, Gold
from selu.papers.faun_eval.intervals import bounded, verdict
from selu.papers.faun_eval.metrics import code, similarity
from selu.papers.faun_eval.paired import mean
from selu.papers.faun_eval.records_measured import Change, InFile, PatchedSet, Patches, PatchStudyRow
from selu.papers.faun_eval.rescored import NAMES, STUDIED
from selu.papers.faun_eval.validity import area_difference, area_with_interval
from selu.papers.table import Table, signed
from selu.stats.rounding import to_digits

PLACE = Path("docs") / "measurements" / "faun_eval_patches.json"
MADE_BY = "SELU_CLONES=FOLDER SELU_MIRROR=FOLDER python speed/faun_eval_patches.py"
FIELDS = ("tasks", "repositories", "short", "sets", "study")
APPLIES: Final = "applies"
CODEBLEU: Final = "codebleu_file"
EDIT: Final = "edit_file"
IN_FILES: tuple[InFile, ...] = (APPLIES, CODEBLEU, EDIT)
TITLES = NAMES | {
    APPLIES: "Patch applies",
    CODEBLEU: "CodeBLEU of the edited file",
    EDIT: "Edit similarity of the edited file",
}
UNEDITED = "no edit"
Values = Mapping[str, Mapping[str, float]]  # task -> metric -> score


class Files(NamedTuple):
    """A task's file before and after the change that solved it."""

    before: str
    after: str

    @property
    def is_short(self) -> bool:
        """Return whether the text metrics accept files of this length."""
        return max(map(len, self)) <= similarity.LONGEST


def read_files(gold: Gold, folders: Iterable[Path] = ()) -> Files | None:
    """Read a task's file from its clone; None where there is no clone, or it lacks the file."""
    clone = trees.find_clone(folders, gold.repository)
    before = trees.read_text(clone, gold.commit, gold.path) if clone else None
    after = trees.apply(gold.text, {gold.path: before}) if before is not None else None
    return Files(before, after[gold.path]) if before is not None and after else None


def score(answer: Answer | None, gold: Gold, files: Files) -> Mapping[str, float]:
    """Apply a patch and compare the file of the task; what leaves it alone or doesn't apply scores 0."""
    edited = apply(answer, gold) if answer else None
    return {APPLIES: float(edited is not None), **compare((edited or {}).get(gold.path, ""), gold, files)}


def compare(text: str, gold: Gold, files: Files) -> Mapping[str, float]:
    """Compare a text with the right file, where this is short enough."""
    if not files.is_short:
        return {}
    return {
        CODEBLEU: code.codebleu(text, files.after, gold.path),
        EDIT: similarity.edit_similarity(text, files.after),
    }


def apply(answer: Answer, gold: Gold, folders: Iterable[Path] = ()) -> Mapping[str, str] | None:
    """Apply a patch to the files that it changes, as they were at the task's commit; None where it can't be."""
    fit = answer.patch is not None and answer.patch.fault is None
    return trees.apply(answer.text, read_edited(answer, gold, folders)) if fit else None


def read_edited(answer: Answer, gold: Gold, folders: Iterable[Path] = ()) -> Mapping[str, str]:
    """Read the files that an answer edits, as they were at the task's commit; those that are not there lack."""
    clone = trees.find_clone(folders, gold.repository)
    texts = {path: trees.read_text(clone, gold.commit, path) if clone else None for path in answer.existing}
    return {path: text for path, text in texts.items() if text is not None}


def summarise(name: str, values: Values, draws: Resampling) -> PatchedSet:
    """Average a set's scores, each over the tasks that have it, with intervals over resampled tasks."""
    found: PatchedSet = {"system": name}
    for metric in IN_FILES:
        each = [scores[metric] for scores in values.values() if metric in scores]
        if each:
            found[metric] = {**mean(each, draws), "tasks": len(each)}
    return found


def study(patches: Sequence[tuple[str, bool, Mapping[str, float]]], draws: Resampling) -> list[PatchStudyRow]:
    """Compute the area of each metric, and its difference from that of CodeBLEU of the edited file.

    Args:
        patches: of each its task, whether its tests pass, and its scores by every metric.
    """
    tasks, passed = [task for task, _, _ in patches], [resolved for _, resolved, _ in patches]
    by_metric = {metric: [scores[metric] for _, _, scores in patches] for metric in (*STUDIED, *IN_FILES)}
    rows: list[PatchStudyRow] = []
    for metric, values in by_metric.items():
        change: Change = {}
        if metric != CODEBLEU:
            change = {"change": area_difference(by_metric[CODEBLEU], values, passed, tasks, draws)}
        rows.append(
            {
                "metric": metric,
                **area_with_interval(values, passed, tasks, draws),
                **change,
                "patches": len(tasks),
                "resolved": sum(passed),
                "tasks": len(set(tasks)),
            }
        )
    return rows


def say(record: Patches) -> str:
    """State what the edited file adds to the best metric that needs no clone."""
    rows = {row["metric"]: row for row in record["study"]}
    best = max((rows[metric] for metric in STUDIED), key=lambda row: row["auc"])
    against = verdict(best["change"], "better than", "worse than", "not clearly better or worse than")
    return (
        f"CodeBLEU of the edited file tells passing patches {against} {TITLES[best['metric']]}, "
        f"the best metric that needs no clone; a file without any edit scores {_above(record)}"
    )


def _above(record: Patches) -> str:
    unedited, *sets = [row[CODEBLEU]["score"] for row in reversed(record["sets"])]
    below = sum(score < unedited for score in sets)
    return f"{to_digits(unedited, 3)}, above {below} of {len(sets)} sets"


def by_set(record: Patches) -> Table:
    """Tabulate how many patches of each set apply, and how near the edited files are."""
    import pandas as pd

    rows = []
    for answers in record["sets"]:
        row = {"Set of answers": answers["system"]}
        for metric in IN_FILES:
            if metric in answers:
                row |= bounded(TITLES[metric], answers[metric]["score"], answers[metric])
        if counts := answers.get("evaluated"):
            row["Same as evaluated"] = f"{counts['same']} of {counts['tasks']}"
        rows.append(row)
    caption = (
        f"Published patches in the files of {record['tasks']} tasks of SWE-bench Lite, of "
        f"{len(record['repositories'])} repositories. Similarities are over the {record['short']} tasks whose "
        f"file has at most {similarity.LONGEST:,} characters. No answer counts as 0, and so does a patch that "
        "does not apply or edits other files; the last row leaves the file as it was. Low and high bound a "
        "95 % interval over resampled tasks. Same as evaluated counts answers of which the published "
        "evaluation also says that they apply, or that they do not."
    )
    return Table("patched", caption, pd.DataFrame(rows).fillna(""))


def areas(record: Patches) -> Table:
    """Tabulate the area of each metric beside CodeBLEU of the edited file, on the same patches."""
    import pandas as pd

    rows = []
    for row in sorted(record["study"], key=lambda row: -row["auc"]):
        line = {"Metric": TITLES[row["metric"]], **bounded("AUC", row["auc"], row)}
        if change := row.get("change"):
            line |= bounded("Edited file minus it", change["difference"], change, signed)
        rows.append(line)
    first = record["study"][0]
    caption = (
        f"How well each metric tells the {first['resolved']} patches that pass their tests from the others of "
        f"{first['patches']:,}, of all sets together, on {first['tasks']} tasks. The difference is that of "
        "CodeBLEU of the edited file from the metric, with a 95 % interval over resampled tasks."
    )
    return Table("patched_validity", caption, pd.DataFrame(rows).fillna(""))
