"""``selu rescore --paper crosscodebench``: published outputs for tasks of the collection, scored again.

CrossCodeBench publishes no outputs. Others do for three of its sources: they tell whether our metrics are those
that were used, and how far versions of BLEU lie apart. What is tracked are scores and hashes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import cast

import numpy as np

from selu.files import write_atomic
from selu.metrics.percentiles import Resampling
from selu.papers.crosscodebench import metrics, records
from selu.papers.crosscodebench.material import Material
from selu.papers.evidence import Predictions, Progress, Rescored
from selu.papers.evidence import Record as Row
from selu.papers.pinned import obtain, read_pins
from selu.papers.records import PinnedSource
from selu.stats.rounding import to_digits
from selu.vocabulary import SeluError

PINS = "predictions.csv"
REFERENCE, ALL_ROWS = "reference", "BLEU over all rows"
OTHERS = "others"  # the table of scores that were published with the outputs


def rescore(published: Predictions, progress: Progress = lambda _: None) -> Rescored:
    """Score every pinned set of outputs and write what was found.

    Raises:
        SeluError: a file is not available, damaged, or not the pinned bytes; nothing is written then.
    """
    from selu.papers.crosscodebench.material import read

    if published.tasks or published.systems:
        raise SeluError("crosscodebench scores all published outputs together: leave --task and --system out.")
    material, draws = read(published.evidence.tables()), published.evidence.draws
    pins = {(pin.task, pin.system): pin for pin in read_pins(published.pins / PINS)}
    texts = {place: _lines(obtain(pin, published.folders)) for place, pin in pins.items()}
    rows: list[records.RescoredRow] = []
    for (task, system), given in texts.items():
        if system == REFERENCE:
            continue
        progress(f"{task}: {system}")
        expected = texts[task, REFERENCE]
        if len(given) != len(expected):
            raise SeluError(
                f"{pins[task, system].file} has {len(given)} lines where the references have {len(expected)}: "
                "copy both again."
            )
        row = score(task, system, given, expected, draws)
        rows.append(
            {
                **row,
                "published": beside(material, row),
                "source": cast(PinnedSource, asdict(pins[task, system])),
            }
        )
    record: records.Rescored = {"finding": summary(rows), "rows": rows}
    write_atomic(published.report, json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    return Rescored(record, [_shown(row) for row in rows], record["finding"])


def _lines(content: bytes) -> list[str]:
    """Return the lines of a file, without the empty text after the last line break."""
    lines = content.decode("utf-8").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def score(
    task: str, system: str, given: Sequence[str], expected: Sequence[str], draws: Resampling
) -> records.OutputScores:
    """Score outputs by every metric, those of single rows with an interval over resampled rows."""
    scores: dict[str, records.Score] = {ALL_ROWS: {"value": metrics.corpus_bleu(given, expected)}}
    rng = np.random.default_rng(draws.seed)
    tail = (1 - draws.level) / 2
    chosen = rng.multinomial(len(given), np.full(len(given), 1 / len(given)), size=1000) / len(given)
    for name, metric in metrics.BY_ROW.items():
        values = np.array(metric(given, expected))
        low, high = np.quantile(chosen @ values, [tail, 1 - tail])
        scores[name] = {"value": float(values.mean()), "low": float(low), "high": float(high)}
    return {"task": task, "system": system, "rows": len(given), "scores": scores}


def beside(material: Material, row: records.OutputScores) -> list[records.Met]:
    """Compare with what those who publish the outputs print, at their digits."""
    place = f"{row['task']}: {row['system']}"
    found: list[records.Met] = []
    for name, scores in row["scores"].items():
        published = material.tables[OTHERS].get((place, name))
        if published:
            digits = len(published.published.partition(".")[2])
            ours = to_digits(scores["value"], digits)
            found.append(
                {
                    "metric": name,
                    "published": published.published,
                    "ours": ours,
                    "equal": ours == published.published,
                }
            )
    return found


def summary(rows: Sequence[records.RescoredRow]) -> str:
    """State how many published scores equal ours, and how far the versions of BLEU differ."""
    compared = [entry for row in rows for entry in row["published"]]
    equal = sum(entry["equal"] for entry in compared)
    apart = [
        max(values) - min(values)
        for row in rows
        for values in [[score["value"] for name, score in row["scores"].items() if name.startswith("BLEU")]]
    ]
    return (
        f"{equal} of {len(compared)} published scores equal ours at the published digits. Three versions of "
        f"BLEU lie {min(apart):.1f} to {max(apart):.1f} points apart on the same outputs."
    )


def _shown(row: records.RescoredRow) -> Row:
    """Return a row for a terminal."""
    met = [f"{entry['metric']} {entry['published']}" for entry in row["published"] if entry["equal"]]
    return {
        "task": row["task"],
        "system": row["system"],
        "rows": row["rows"],
        **{name: round(scores["value"], 2) for name, scores in row["scores"].items()},
        "published and equal": ", ".join(met),
    }
