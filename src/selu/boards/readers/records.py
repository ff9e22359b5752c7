"""Scores as JSON: Every Eval Ever, a folder of MTEB results, or a list of plain records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from selu.boards.board import Board, Score, board_of
from selu.boards.readers.grid import MOST, Grid, text_of
from selu.boards.readers.numbers import number
from selu.boards.readers.shape import shape
from selu.files import read_given
from selu.vocabulary import SeluError

FILES, LARGEST = 50_000, 1 << 30  # files of a folder, and their bytes
_META = "model_meta.json"
_SHOWN = 80
_METRIC = ("metric_name", "metric_id", "metric_kind")
_SHARES = ("accuracy", "exact_match", "pass_rate", "pass@1", "pass_at_1", "resolved", "recall")
Record = Mapping[str, Any]


def of_json(content: bytes) -> Board:
    """Read a JSON text, or an object a line: Every Eval Ever, or records with system, task and score.

    Raises:
        SeluError: it is not valid JSON, or holds no scores.
    """
    found = _objects(text_of(content))
    if any("evaluation_results" in record for record in found):
        return _eee([(f"record {place}", record) for place, record in enumerate(found, 1)])
    if any("scores" in record and "task_name" in record for record in found):
        raise SeluError("a result of MTEB does not name its model: give the folder of results.")
    return shape(_grid(found))


def of_folder(folder: Path) -> Board:
    """Read a folder of JSON files: results of MTEB (MODEL/REVISION/TASK.json), or of Every Eval Ever.

    Raises:
        SeluError: it holds neither, or a file of it can't be read.
    """
    paths = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if len(paths) > FILES:
        raise SeluError(f"{folder} holds {len(paths):,} JSON files: at most {FILES:,} are read.")
    read: list[tuple[Path, Record]] = []
    size = 0
    for path in paths:
        content = read_given(path, MOST)
        size += len(content)
        if size > LARGEST:
            raise SeluError(
                f"{folder} holds more than {LARGEST:,} bytes of JSON: give results without answers."
            )
        if len(content) > MOST:
            raise SeluError(f"{path} has more than {MOST:,} bytes: give results without answers.")
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            raise SeluError(f"{path} is not valid JSON: remove it, or get it again.") from None
        read += [(path, found)] if isinstance(found, dict) else []
    eee = [(str(path.relative_to(folder)), record) for path, record in read if "evaluation_results" in record]
    if eee:
        return _eee(eee)
    mteb = [
        (path, record)
        for path, record in read
        if "mteb_version" in record and (_task(record) or "scores" in record)
    ]
    if not mteb:
        raise SeluError(
            f"{folder} holds no results of MTEB (MODEL/REVISION/TASK.json) and none of Every Eval Ever: give "
            "a file of scores."
        )
    return _mteb(folder, mteb)


def _objects(text: str) -> list[Record]:
    try:
        found = json.loads(text)
    except RecursionError:
        raise SeluError("the file is nested too deeply: give a list of records.") from None
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            found = [json.loads(line) for line in lines] if lines[1:] else None
        except (ValueError, RecursionError):
            found = None
        if found is None:
            row = getattr(error, "lineno", 1)
            raise SeluError(
                f"row {row} is not valid JSON: give an object, a list, or an object a line."
            ) from None
    listed = found if isinstance(found, list) else [found]
    if not any(listed) or not all(isinstance(record, dict) for record in listed):
        raise SeluError("the JSON holds no records: give objects with system, task and score.")
    return listed


def _grid(records: Iterable[Record]) -> Grid:
    """Return plain records as a table with one row each."""
    records = list(records)
    head = list(dict.fromkeys(str(key) for record in records for key in record))
    for place, record in enumerate(records, 1):
        for key, value in record.items():
            if isinstance(value, (dict, list)):
                raise SeluError(
                    f"record {place}, field {key[:_SHOWN]}: a list or an object is not a score; give objects "
                    "with system, task and score."
                )
    rows = [
        (place, ["" if (value := record.get(key)) is None else _text(value) for key in head])
        for place, record in enumerate(records, 1)
    ]
    return Grid(head, rows, 1, "JSON")


def _text(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value).strip()


def _score(system: str, task: str, value: object, place: str, rows: int = 0) -> Score | None:
    """Return the score that a JSON number holds; None for null and nan."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SeluError(f"{place}: {str(value)[:_SHOWN]!r} is not a number; write it like 0.81.")
    try:
        found = number(repr(value))
    except ValueError:
        raise SeluError(f"{place}: {value!r} is not a score; write it like 0.81.") from None
    return None if found is None else Score(system, task, found.value, found.digits, place, rows)


# -- Every Eval Ever -------------------------------------------------------------------------------


class _Result(NamedTuple):
    """A score of a record, with what distinguishes it from others of the same name, and the record's date."""

    score: Score
    dataset: str
    metric: str
    is_lower: bool
    when: str


def _eee(files: Iterable[tuple[str, Record]]) -> Board:
    """Read records of Every Eval Ever (0.2, 0.3); the last of several runs of one evaluation counts.

    An evaluation that several data sets have (as ``choice``), or several metrics, is named with them.
    """
    results = [result for file, record in files for result in _results(file, record)]
    datasets: dict[str, set[str]] = {}
    for result in results:
        datasets.setdefault(result.score.task, set()).add(result.dataset)
    named = [
        f"{result.dataset}/{task}" if datasets[task := result.score.task] - {result.dataset} else task
        for result in results
    ]
    metrics: dict[str, set[str]] = {}
    for name, result in zip(named, results, strict=True):
        metrics.setdefault(name, set()).add(result.metric)
    scores: dict[tuple[str, str], tuple[str, Score]] = {}
    lower: dict[str, None] = {}
    again = 0
    for name, result in zip(named, results, strict=True):
        task = f"{name} ({result.metric})" if result.metric and metrics[name] - {result.metric} else name
        key, score = (result.score.system, task), result.score._replace(task=task)
        if result.is_lower:
            lower[task] = None
        if kept := scores.get(key):
            if kept[1].place.rpartition(",")[0] == score.place.rpartition(",")[0]:
                raise SeluError(f"{score.place}: the score of {key[0]} on {task} is in {kept[1].place}, too.")
            again += 1
        if kept is None or kept[0] <= result.when:
            scores[key] = (result.when, score)
    notes = [f"{again:,} scores of earlier runs are left out."] if again else []
    if not scores:
        raise SeluError("the records of Every Eval Ever hold no score.")
    found = [score for _, score in scores.values()]
    return board_of(found, lower=lower, source="Every Eval Ever", notes=notes)


def _results(file: str, record: Record) -> Iterator[_Result]:
    """Read the scores of one record, which are all of one model."""
    model, results = record.get("model_info"), record.get("evaluation_results")
    system = model.get("id") or model.get("name") if isinstance(model, dict) else None
    if not isinstance(system, str) or not system or not isinstance(results, list):
        raise SeluError(
            f"{file}: a record of Every Eval Ever has model_info with an id, and evaluation_results."
        )
    when = str(record.get("retrieved_timestamp") or "").rjust(20)
    for place, result in enumerate(results, 1):
        at = f"{file}, result {place}"
        try:
            task, details = str(result["evaluation_name"]), result["score_details"]
            value, config = details["score"], result.get("metric_config") or {}
            samples = (details.get("uncertainty") or {}).get("num_samples")
            metric = next((str(config[key]) for key in _METRIC if config.get(key)), "")
            is_lower = config.get("lower_is_better") is True
            dataset = str((result.get("source_data") or {}).get("dataset_name") or "")
        except (KeyError, TypeError, AttributeError):
            raise SeluError(f"{at} has no evaluation_name with score_details and a score.") from None
        is_share = metric.lower().replace(" ", "_") in _SHARES
        rows = samples if isinstance(samples, int) and samples > 0 and is_share else 0
        if (score := _score(system, task, value, at, rows)) is not None:
            yield _Result(score, dataset, metric, is_lower, when)


# -- MTEB ------------------------------------------------------------------------------------------


def _task(record: Record) -> str:
    return str(record.get("task_name") or record.get("mteb_dataset_name") or "")


def _mteb(folder: Path, files: Iterable[tuple[Path, Record]]) -> Board:
    """Read results of MTEB: the main score, the mean over the subsets of the test split.

    A model with a task in several revisions is a system for each of them.
    """
    found: dict[tuple[str, str, str], Score] = {}
    for path, record in files:
        file, task = str(path.relative_to(folder)), _task(record) or path.stem
        system, revision = _model(folder, path), path.parent.name
        score = _score(system, task, _main(record, file), file)
        if score is None:
            continue
        key = (system, revision, task)
        if key in found:
            raise SeluError(
                f"{file}: the score of {system} on {task} is in {found[key].place}, too; keep one of them."
            )
        found[key] = score
    if not found:
        raise SeluError(f"the results in {folder} hold no main score.")
    runs = Counter((system, task) for system, _, task in found)
    several = {system for (system, _), count in runs.items() if count > 1}
    scores = [
        score._replace(system=f"{system} ({revision})") if system in several else score
        for (system, revision, _), score in found.items()
    ]
    return board_of(scores, source="a folder of MTEB results")


def _model(folder: Path, path: Path) -> str:
    """Return the model's name: from its record, else from the folder, in which MODEL may hold a REVISION."""
    for parent in (path.parent, path.parent.parent):
        meta = parent / _META
        if meta.is_file() and parent.is_relative_to(folder):
            try:
                name = json.loads(read_given(meta, MOST)).get("name")
            except (ValueError, AttributeError, RecursionError):
                name = None
            if isinstance(name, str) and name:
                return name
    parts = path.relative_to(folder).parts[:-1]
    name = parts[-2] if len(parts) > 1 else parts[-1] if parts else folder.name
    return name.replace("__", "/")


def _main(record: Record, file: str) -> float | None:
    splits = record.get("scores")
    if splits is None:  # as versions before 1.11 wrote it
        splits = {key: [value] for key, value in record.items() if isinstance(value, dict)}
    try:
        name = next((split for split in ("test", "validation", "dev") if split in splits), next(iter(splits)))
        values = [subset["main_score"] for subset in splits[name]]
        return float(sum(values) / len(values))
    except (KeyError, TypeError, AttributeError, StopIteration, ZeroDivisionError):
        raise SeluError(
            f"{file} has no scores with a main_score: write it again with MTEB 1.11 or later."
        ) from None
