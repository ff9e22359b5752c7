"""``selu rescore --paper faun_eval``: published answers to SWE-bench Lite, scored again.

What is tracked are scores, counts and hashes (``rescored.json`` and ``scores.csv`` in ``reports/faun_eval``);
tasks and answers are third-party data and stay on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal, cast

from selu.files import read_json, write_atomic
from selu.papers.evidence import Predictions, Progress, Rescored, Tables
from selu.papers.evidence import Record as Row
from selu.papers.faun_eval import material, records
from selu.papers.pinned import Pinned, obtain, read_pins
from selu.papers.records import PinnedSource
from selu.vocabulary import Published, SeluError

PINS = "predictions.csv"
PLACE = Path("reports") / "faun_eval" / "rescored.json"
MADE_BY = "selu rescore --paper faun_eval"
FIELDS = ("finding", "lite", "sets", "repositories", "study", "strata", "paired", "paired_strata", "lengths")
TASKS, PATCHES, FILES, OUTCOMES, FIRST = "tasks", "patches", "files", "outcomes", "first outcomes"
ANNOTATIONS = ("annotations", "Agentless")
SHARES: tuple[Literal["right_file", "resolved"], ...] = ("right_file", "resolved")


def rescore(published: Predictions, progress: Progress = lambda _: None) -> Rescored:
    """Score every pinned set of answers and write what was found.

    A copy may be packed by gzip; it is the unpacked bytes that have to be the pinned ones.

    Raises:
        SeluError: a file is not available, damaged, or not the pinned bytes; nothing is written then.
    """
    from selu.papers.faun_eval import answers as reading
    from selu.papers.faun_eval import lengths, paired, rescored, scores
    from selu.papers.faun_eval.workers import share_work

    if published.tasks or published.systems:
        raise SeluError("faun_eval scores all sets of answers together: leave --task and --system out.")
    pins = {(pin.task, pin.system): pin for pin in read_pins(published.pins / PINS)}
    roles = (TASKS, PATCHES, FILES, OUTCOMES, FIRST, ANNOTATIONS[0])
    contents = {place: obtain(pin, published.folders) for place, pin in pins.items() if place[0] in roles}
    draws = published.evidence.draws
    (lite,) = (place for place in contents if place[0] == TASKS)
    tasks = reading.read_tasks(contents[lite], pins[lite].file)
    rows: list[records.PublishedSet] = []
    studied = {}
    every: dict[str, Mapping[str, Sequence[float]]] = {}
    for (role, name), pin in pins.items():
        if role not in (PATCHES, FILES):
            continue
        progress(name)
        read = reading.read_patches if role == PATCHES else reading.read_files
        answers = read(contents[role, name], pin.file, tasks)
        tested = pins.get((OUTCOMES, name))
        outcomes = reading.read_outcomes(contents[OUTCOMES, name], tested.file) if tested else None
        with share_work(len(answers.by_task)) as each:
            values = rescored.score_tasks(tasks, answers, role == PATCHES, each)
        row: records.PublishedSet = {
            **rescored.summarise(name, values, answers, outcomes, draws),
            **_first_outcomes(pins, contents, name),
            "source": [cast(PinnedSource, asdict(pin)) for (_, system), pin in pins.items() if system == name],
        }
        rows.append(row)
        every[name] = values
        if outcomes:
            studied[name] = values, outcomes
            every[name] = {**values, "resolved": [float(task in outcomes.resolved) for task in tasks]}
    progress("validity study")
    study = rescored.study(studied, list(tasks), draws)
    quality: Mapping[str, str] = {}
    if ANNOTATIONS in pins:
        quality = reading.read_annotations(contents[ANNOTATIONS], pins[ANNOTATIONS].file)
    strata = rescored.study_strata(studied, list(tasks), quality, draws)
    progress("paired differences")
    differences = paired.compare(every, draws)
    by_length = lengths.score(every, [gold.issue for gold in tasks.values()], draws)
    by_quality = paired.compare_in_strata(every, list(tasks), quality, draws)
    counts = rescored.describe_tasks(tasks)
    finding = (
        f"{counts['of one file']} of {counts['tasks']} tasks of SWE-bench Lite have a patch of one file. "
        f"{len(rows)} published sets of answers are scored. {rescored.answer_of_study(study)}"
    )
    record: records.Rescored = {
        "finding": finding,
        "lite": counts,
        "sets": rows,
        "repositories": [
            row
            for name, values in every.items()
            for row in rescored.count_by_repository(name, values, tasks.values())
        ],
        "study": study,
        "strata": strata,
        "paired": differences,
        "paired_strata": by_quality,
        "lengths": by_length,
    }
    write_atomic(published.report.with_name(scores.PLACE.name), scores.to_csv(every, list(tasks)))
    write_atomic(published.report, json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return Rescored(record, [_shown(row) for row in rows], finding)


def _first_outcomes(
    pins: Mapping[tuple[str, str], Pinned], contents: Mapping[tuple[str, str], bytes], name: str
) -> records.FirstOutcomes:
    """Count what the first of two published evaluations of a set resolved, where there are two."""
    from selu.papers.faun_eval.answers import read_outcomes

    if first := pins.get((FIRST, name)):
        return {"resolved first": len(read_outcomes(contents[FIRST, name], first.file).resolved)}
    return {}


def _shown(row: records.PublishedSet) -> Row:
    """Return what a terminal shows of a set."""
    names = ("exact", "exact_existing", "hit_5", "well_formed", "edit_lines", "bleu_lines", "rouge_l_lines")
    scores = {name: row["scores"].get(name) for name in names}
    return {"system": row["system"], "answered": row["answered"], **scores, "resolved": row.get("resolved")}


def read_tables(root: Path) -> Tables:
    """Read what was found in published answers as tables with places; those of shares are empty without it.

    Raises:
        SeluError: the record is damaged.
    """
    if not (root / PLACE).is_file():
        return {name: {} for name in SHARES}
    return tabulate(read_json(root / PLACE, MADE_BY, FIELDS))


def tabulate(record: records.Rescored) -> Tables:
    """Return the study of all sets together (``study``: metric and column), and shares of tasks.

    The share of a repository's tasks on which a set names the right file (``right_file``) or that it solves
    (``resolved``) stands in the row of the set and the column of the repository. The row ``Tasks`` counts
    them.
    """
    study = {
        (row["metric"], column): Published("study", row["metric"], column, text)
        for row in record["study"]
        if row["system"] == material.ALL_SETS
        for column, text in (
            ("patches", str(row["patches"])),
            ("auc", f"{row['auc']:.4f}"),
            ("low", f"{row['low']:.4f}"),
            ("high", f"{row['high']:.4f}"),
        )
    }
    tables: dict[str, dict[tuple[str, str], Published]] = {"study": study, **{name: {} for name in SHARES}}
    for row in record["repositories"]:
        for name in SHARES:
            if name in row:
                share = f"{row[name] / row['tasks']:.3f}"
                texts = {"Tasks": str(row["tasks"]), row["system"]: share}
                for system, text in texts.items():
                    place = system, row["repository"]
                    tables[name][place] = Published("published answers, counted here", *place, text)
    return tables


def load(root: Path, tables: Tables, _altered: bool) -> material.Material:
    """Read the material of claims: published tables, and the tracked files of a clone beside them."""
    return material.read({**read_tables(root), **tables})
