"""Published predictions of an issue baseline against labels of the test file, beside their reported scores."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from selu.metrics.bootstrap import interval
from selu.metrics.evaluate import evaluate
from selu.metrics.percentiles import Resampling
from selu.papers.nlbse24 import formulas
from selu.papers.nlbse24.material import LABELS, METRICS, OF_ALL, REPOSITORIES, Material, Track
from selu.papers.nlbse24.records import (
    KEYS,
    Cell,
    Checked,
    PublishedScore,
    Run,
    Scores,
    SourcedRun,
    measures,
)
from selu.papers.records import bootstrap
from selu.vocabulary import CellState, Evidence, SeluError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

NAMES = tuple(label.lower() for label in LABELS)
COLUMNS = ["test_row", "repo", "label", "predicted"]
DIGITS = 1e-12  # equal to 12 digits: the last bits depend on the order of a sum
KIND = "multi_class"


def rescore(paper: Material, run: str, content: bytes, test: pd.DataFrame, draws: Resampling, name: str) -> Run:
    """Return scores of every repository and overall, compared with the result file and Table 1.

    Args:
        run: the run as the table ``baselines`` names it.
        content: CSV with COLUMNS; ``test_row`` counts the rows of the test file from 0.
        test: the test file; its labels are the truth.
        name: how messages call the predictions.

    Returns:
        ``cells`` (one per repository), ``overall`` and ``table1``, ready for JSON.

    Raises:
        SeluError: the predictions are damaged, or not of these test rows.
    """
    repositories, truth, predicted = _aligned(content, test, name)
    cells: list[Cell] = []
    scores: dict[str, Scores] = {}
    for repository in REPOSITORIES:
        own = repositories == repository
        cells.append(_cell(paper, run, repository, truth[own], predicted[own], draws))
        scores[repository] = cells[-1]["scores"]
    overall = {
        label: measures(formulas.mean([s[label][key] for s in scores.values()]) for key in KEYS)
        for label in (*NAMES, OF_ALL.lower())
    }
    team = next(
        entrant.team for entrant in paper.entrants if entrant.track is Track.ISSUES and entrant.results == run
    )
    return {
        "run": run,
        "team": team,
        "rows": len(truth),
        "cells": cells,
        "overall": {"scores": overall, **_held(paper, f"{run}/overall", overall)},
        "table1": _published(paper, team, overall),
    }


def from_results(content: bytes, test: pd.DataFrame, name: str) -> bytes:
    """Convert the predictions of a result file of the competition's repository to CSV with COLUMNS.

    Args:
        content: JSON; ``label_mapping`` gives each label's index, and each repository has ``predictions``, the
            indices of its test rows in order.

    Raises:
        SeluError: it has another form, or another number of predictions than a repository has test rows.
    """
    try:
        record = json.loads(content)
        labels = {index: label for label, index in record["label_mapping"].items()}
        answers = {repo: [labels[i] for i in record[repo]["predictions"]] for repo in test["repo"].unique()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SeluError(f"{name} is not a result file of the competition: copy it again.") from None
    position = test.groupby("repo").cumcount()
    if any(len(given) != int((test["repo"] == repo).sum()) for repo, given in answers.items()):
        raise SeluError(f"{name} has other than one prediction per test row: copy it again.")
    rows = zip(test["repo"], test["label"], position, strict=True)
    lines = [f"{row},{repo},{label},{answers[repo][i]}" for row, (repo, label, i) in enumerate(rows)]
    return ("\n".join([",".join(COLUMNS), *lines]) + "\n").encode()


def _aligned(
    content: bytes, test: pd.DataFrame, name: str
) -> tuple[NDArray[np.object_], NDArray[np.int64], NDArray[np.int64]]:
    """Return repository, true and predicted label index of each test row; labels are the test file's."""
    try:
        header, *lines = list(csv.reader(content.decode("utf-8").splitlines()))
    except (ValueError, csv.Error):
        raise SeluError(f"{name} is not a CSV table: copy the file again.") from None
    if header != COLUMNS or any(len(line) != len(COLUMNS) for line in lines):
        raise SeluError(
            f"{name} must have the columns {', '.join(COLUMNS)} in every line: copy the file again."
        )
    if [line[0] for line in lines] != [str(row) for row in range(len(test))]:
        raise SeluError(f"{name} has {len(lines)} lines that are not the {len(test)} test rows in order.")
    for row, (line, repo, label) in enumerate(zip(lines, test["repo"], test["label"], strict=True)):
        if line[1:3] != [repo, label]:
            raise SeluError(
                f"{name}, row {row}: predicted for {line[1]}, {line[2]}, where the test file has {repo}, "
                f"{label}; the two are not of the same rows."
            )
        if line[3] not in NAMES:
            raise SeluError(f"{name}, row {row}: {line[3]!r} is none of the labels {', '.join(NAMES)}.")
    repositories = test["repo"].str.rpartition("/")[2].to_numpy()
    truth = np.array([NAMES.index(label) for label in test["label"]], dtype=np.int64)
    return repositories, truth, np.array([NAMES.index(line[3]) for line in lines], dtype=np.int64)


def _cell(
    paper: Material,
    run: str,
    repository: str,
    truth: NDArray[np.int64],
    predicted: NDArray[np.int64],
    draws: Resampling,
) -> Cell:
    found = evaluate(KIND, truth, predicted, len(NAMES))
    scores = {
        label: measures(float(found[f"{key}_per_class"][index]) for key in KEYS)
        for index, label in enumerate(NAMES)
    }
    support = np.bincount(truth, minlength=len(NAMES)).tolist()
    scores[OF_ALL.lower()] = measures(
        formulas.weighted([scores[label][key] for label in NAMES], support) for key in KEYS
    )
    low, high, error = interval(KIND, truth, predicted, len(NAMES), "f1_macro", draws)
    return {
        "task": f"issue_{repository}",
        "system": run,
        "state": str(CellState.PRESENT),
        "evidence": str(Evidence.RE_SCORED),
        "rows": len(truth),
        "support": dict(zip(NAMES, support, strict=True)),
        "scores": scores,
        **_held(paper, f"{run}/{repository}", scores),
        "interval_of_f1": {"low": float(low), "high": float(high), "error": float(error), **bootstrap(draws)},
        "confusion_matrix": found["confusion_matrix"],
    }


def _held(paper: Material, place: str, scores: Scores) -> Checked:
    """Count the equal numbers of the result file, and find the largest difference."""
    off = {
        f"{label}/{key}": row[key] - paper.number("baselines", f"{place}/{label}", key)
        for label, row in scores.items()
        for key in KEYS
    }
    apart = [name for name, difference in off.items() if abs(difference) > DIGITS]
    return {
        "verdict": "differs" if apart else "equal",
        "compared": len(off),
        "apart": apart,
        "largest_difference": round(max(map(abs, off.values())), 12),
    }


def _published(paper: Material, team: str, overall: Scores) -> list[PublishedScore]:
    """Compare each entry of Table 1 with the re-scored number: equal if rounded, if cut off, or not."""
    found: list[PublishedScore] = []
    for metric, key in zip(METRICS, KEYS, strict=True):
        for label in (*LABELS, OF_ALL):
            value, published = overall[label.lower()][key], paper.published("table1", f"{team}/{metric}", label)
            ways = formulas.ways(value, published)
            found.append(
                {
                    "metric": metric,
                    "label": label,
                    "printed": published,
                    "value": value,
                    "printed_as": ways,
                    "equal": bool(ways),
                }
            )
    return found


def summary(records: Sequence[SourcedRun]) -> str:
    """Summarize each re-scored run in a sentence."""
    sentences = []
    for record in records:
        parts = [*record["cells"], record["overall"]]
        compared = sum(part["compared"] for part in parts)
        apart = sum(len(part["apart"]) for part in parts)
        wrong = [
            f"{e['metric']} {e['label']} ({e['printed']} for {e['value']:.4f})"
            for e in record["table1"]
            if not e["equal"]
        ]
        f1 = record["overall"]["scores"][OF_ALL.lower()]["f1"]
        sentences.append(
            f"{record['run']}: {record['rows']:,} predictions against labels of the test file give an average "
            f"F1 of {f1:.4f}; {compared - apart} of {compared} numbers equal the result file to 12 digits; of "
            f"Table 1's {len(record['table1'])} entries {len(wrong) or 'none'} do not follow from them"
            f"{': ' if wrong else ''}{', '.join(wrong)}."
        )
    return " ".join(sentences)
