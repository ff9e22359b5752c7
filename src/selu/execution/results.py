"""The result of a run, however it learnt: its predictions, its scores with intervals, or why it failed.

Predictions are a parquet file with the columns ``id`` and ``prediction``. A score is made of them and of the
labels in the prepared rows, and never kept without them. What decides it are functions of ``metrics``
(in the modules that ``measured.DECIDING`` names); here it is read and written.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selu.data import prepared
from selu.execution import protocols
from selu.execution.planned import Orders, Planned
from selu.files import explain
from selu.metrics import kinds
from selu.project import SHARED, read_settings
from selu.runs import identity as identities
from selu.runs import record, resources
from selu.splits.sampling import draw_sample
from selu.systems.baseline.settings import BootstrapSettings
from selu.vocabulary import Kind, MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd

    from selu.contents import Answering, Details, Points, RunContent, ScoresContent

SCORING = (("measured", "points"), ("measured", "intervals"))  # what scores and intervals begin with
BY_ROWS = (("by_rows", "points"), ("by_rows", "intervals"))  # the same of a further score, beside its metric
PLACE = ("position", "truth", "answer", "log_probability")  # of a masked token, as outcomes give them


def sentence(error: Exception) -> str:
    """Return an error's message as one sentence."""
    if isinstance(error, OSError) and error.errno:
        return explain(error)
    return (str(error).splitlines() or [type(error).__name__])[0]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a run.

    Attributes:
        answers: to the test rows.
        versions: of what it was made with.
        started: when, in seconds since 1970.
        says: what its record says beside what all say.
        files: beside its predictions.
    """

    answers: Sequence[Any]
    versions: Mapping[str, Any]
    started: float
    says: Details
    files: Mapping[str, bytes] = field(default_factory=dict)


def write_run(
    orders: Orders, run: Planned, rows: pd.DataFrame, made: Made, before: Callable[[], None] = lambda: None
) -> Path:
    """Write a run and score it; returns the path of its scores.

    Sources are hashed when a run is planned and again here; one that changed in between is refused.

    Args:
        before: called between the hashing and the writing.

    Raises:
        SeluError, ValueError, OSError: it can't be written or scored; a MachineError says nothing of the cell.
    """
    ids = rows.loc[rows["part"] == "test", "id"].tolist()
    predictions = to_parquet(ids, made.answers, run.task.kind)
    content: RunContent = {
        **_about(run),
        "picked_on": run.fields["pick"]["on"],
        "versions": dict(made.versions),
        "machine": resources.machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made.started)),
        "state": "present",
        **made.says,
    }
    try:
        same = run.identity == orders.again(run).identity
    except SeluError:
        same = False
    if not same:
        raise MachineError(f"the sources or parameters changed while {run.name} ran: run it again.")
    before()
    record.write_run(run.folder, {record.PREDICTIONS: predictions, **made.files}, content)
    return score_run(orders.root, run, rows)


def score_line(run: Planned, scores: ScoresContent) -> str:
    """Return a run's score as text, with its rows if these are not all of the paper's."""
    notes = {
        "synthetic": " on synthetic rows",
        "partial": " on part of the rows",
        "stand-in": " on stand-in rows",
    }
    rows = notes.get(run.availability, "")
    if sample := run.fields["data"].get("sample"):
        rows += f" on a sample of {sample['rows']:,} test rows"
    return f"{scores['metric']} {scores['value']:.4f}{rows}"


def _about(run: Planned) -> RunContent:
    return {
        "identity": run.identity,
        "fields": dict(run.fields),
        "standing": run.availability,
        "environment": run.environment,
    }


def write_failure(run: Planned, error: str) -> None:
    """Write that a cell failed; a present run of the same identity stays."""
    record.write_failed(run.folder, {"error": error, **_about(run)})


# -- predictions ------------------------------------------------------------------------------------


def read_rows(root: Path, run: Planned) -> pd.DataFrame:
    """Read the rows of a run's task as its protocol sees them; fields and errors as ``prepared.rows_of``."""
    rows = prepared.rows_of(root, run.task, run.fields["data"]["text"], run.protocol)
    return asked_rows(rows, run.fields)


def asked_rows(rows: pd.DataFrame, fields: Mapping[str, Any]) -> pd.DataFrame:
    """Drop test rows that a run was not asked, if it was asked a sample of them."""
    sample = fields["data"].get("sample")
    if not sample:
        return rows
    tested = rows["part"] == "test"
    return rows[~tested | rows["id"].isin(draw_sample(rows.loc[tested, "id"], **sample))]


def read_answers(folder: Path, rows: pd.DataFrame, identity: str | None = None) -> list[object]:
    """Read the answers of a run, in the order of the test rows; of this identity, where one is given.

    Raises:
        SeluError: the run is missing or damaged, or its ids are not those of the test rows.
    """
    table = record.read_predictions(folder, identity)
    if table["id"] != rows.loc[rows["part"] == "test", "id"].tolist():
        raise SeluError(
            f"{folder} answers other rows than the split's test rows: run it again with 'selu run'."
        )
    answers: list[Any] = table["prediction"]
    return answers


def to_parquet(ids: Sequence[str], answers: Sequence[Any], kind: str) -> bytes:
    """Write predictions as the bytes of a parquet file, those of token tasks as a list per row.

    Entities: one BIO tag per word. Masked verbs: one record per masked token, with the position of its word in
    the row, the true and the answered token of the model's vocabulary, and the natural logarithm of the
    probability that the model gave to the true one.
    """
    spec = kinds.added(kind)
    if not spec and kind not in (Kind.ENTITIES, Kind.MASKED):
        return protocols.to_parquet(ids, answers, Kind(kind))
    import pyarrow as pa
    import pyarrow.parquet as pq

    form: Any
    rows: list[Any]
    if spec:
        form, rows = spec.arrow(), list(answers)
    elif kind == Kind.ENTITIES:
        form, rows = pa.list_(pa.string()), [list(tags) for tags in answers]
    else:
        types = (pa.int32(), pa.int32(), pa.int32(), pa.float64())
        form = pa.list_(pa.struct(list(zip(PLACE, types, strict=True))))
        rows = [[dict(zip(PLACE, place, strict=True)) for place in row] for row in answers]
    buffer = io.BytesIO()
    columns = {"id": pa.array(ids, pa.string()), "prediction": pa.array(rows, form)}
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


# -- scores ------------------------------------------------------------------------------------------


def has_scores(root: Path, planned: Planned) -> bool:
    """Return whether a run's scores exist, belong to its predictions, and are made by current metrics."""
    try:
        scores = record.read_scores(planned.folder)
    except SeluError:
        return False
    current = made_with(read_bootstrap(root), planned.task.kind, scores.get("scores", ()))
    return bool(scores.get("made_with") == current)


def is_current(root: Path, planned: Planned) -> bool:
    """Return whether a run is present as planned now, with current scores."""
    present = record.state(planned.folder, planned.identity) is record.State.PRESENT
    return present and has_scores(root, planned)


def score_run(root: Path, planned: Planned, rows: pd.DataFrame) -> Path:
    """Score a run from its predictions and write scores.json; returns its path.

    Raises:
        SeluError: the run is missing or damaged.
    """
    settings = read_bootstrap(root)
    run = record.read_run(planned.folder, planned.identity)
    answers = read_answers(planned.folder, rows, planned.identity)
    found = compute_scores(run, rows, answers)
    intervals = draw_intervals(run, rows, answers, settings)
    content: ScoresContent = {
        "task": planned.task.id,
        "system": planned.system,
        "run": planned.folder.name,
        "protocol": planned.protocol,
        "seed": planned.seed,
        "environment": planned.environment,
        "identity": run["identity"],
        "standing": planned.availability,
        "metric": found["metric"],
        "value": found["value"],
        "rows": found["rows"],
        "scores": found["scores"],
        "intervals": intervals,
        "grouped": found["grouped"],
        "constant": found["constant"],
        "bootstrap": {"draws": settings.draws, "seed": settings.seed, "level": settings.level},
        "made_with": made_with(settings, planned.task.kind, found["scores"]),
        "predictions": run["files"][record.PREDICTIONS],
    }
    record.write_scores(planned.folder, content)
    return planned.folder / record.SCORES


def compute_scores(run: Answering, rows: pd.DataFrame, answers: Sequence[object]) -> Points:
    """Compute all scores of a run, by its record, that need no draws; answers as from ``read_answers``."""
    from selu.metrics import by_rows, measured
    from selu.metrics.further import FURTHER

    kind, truth, given, labels = _asked(run, rows, answers)
    kept = (rows.loc[rows["part"] == "test", "grouped"] == "test").tolist()
    found = measured.points(kind, truth, given, kept, labels, kinds.metric(kind)[0], kinds.added(kind))
    found["scores"] |= by_rows.points(FURTHER.get(kind, {}), truth, given, labels)
    return cast("Points", found)


def draw_intervals(
    run: Answering,
    rows: pd.DataFrame,
    answers: Sequence[object],
    settings: BootstrapSettings,
    names: tuple[str, ...] = (),
) -> Mapping[str, Mapping[str, float]]:
    """Draw the bounds of a run's scores of these names, or of all; arguments as in ``compute_scores``."""
    from selu.metrics import by_rows, measured
    from selu.metrics.further import FURTHER
    from selu.metrics.percentiles import Resampling

    kind, truth, given, labels = _asked(run, rows, answers)
    drawn = Resampling(settings.draws, settings.seed, settings.level)
    found = measured.intervals(kind, truth, given, labels, drawn, names, kinds.added(kind))
    if names:
        return found
    return found | by_rows.intervals(FURTHER.get(kind, {}), truth, given, labels, drawn)


def read_bootstrap(root: Path) -> BootstrapSettings:
    """Read how intervals are drawn."""
    return read_settings(root, SHARED, "bootstrap", BootstrapSettings)


def _asked(
    run: Answering, rows: pd.DataFrame, answers: Sequence[object]
) -> tuple[str, Sequence[object], Sequence[object], object]:
    """Return kind, truth, answers and labels in the form that metrics take."""
    kind, names = run["fields"]["kind"], run["fields"]["labels"]
    by_kind = {Kind.ENTITIES: names, Kind.MASKED: run.get("vocabulary")}
    labels = names if kinds.added(kind) else by_kind.get(kind, len(names))
    return kind, rows.loc[rows["part"] == "test", "label"].tolist(), answers, labels


def made_with(settings: BootstrapSettings, kind: str, stored: Collection[str]) -> str:
    """Hash the functions that decide the scores of this kind, and the settings of the intervals.

    Of a kind that a benchmark brings, the modules that it names are hashed as a whole. A further score counts
    where it is stored: a run that lacks it is up to date, and has it once it is scored again.
    """
    import selu
    from selu.metrics import measured
    from selu.metrics.further import FURTHER

    here = Path(selu.__file__).parent / "metrics"
    deciding = {name: here / f"{name}.py" for name in measured.DECIDING.get(kind, ("measured", "percentiles"))}
    if spec := kinds.added(kind):
        brought = [Path(str(import_module(name).__file__)) for name in spec.made_with]
        source = identities.source([*deciding.values(), *brought])
    else:
        source = identities.source_of("selu.metrics", deciding, SCORING)
    decided = [source, kinds.metric(kind)[0], settings.draws, settings.seed, settings.level]
    modules = {path.stem: path for path in here.glob("*.py")}
    beside = {
        name: identities.source_of(
            "selu.metrics", modules, [(metric.__module__.rpartition(".")[2], metric.__name__), *BY_ROWS]
        )
        for name, metric in FURTHER.get(kind, {}).items()
        if name in stored
    }
    if beside:
        decided.append(beside)
    return hashlib.sha256(identities.canonical(decided)).hexdigest()
