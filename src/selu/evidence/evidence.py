"""The input of a benchmark report's parts (``papers.evidence``), read from a clone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from selu import registry
from selu.data import prepared
from selu.data.prepared import tracked_record
from selu.evidence import tracked
from selu.evidence.recomputing import Scores
from selu.execution import plans, results
from selu.execution.planned import Planned, Wanted
from selu.files import read_json
from selu.metrics.percentiles import Resampling
from selu.papers.evidence import Progress, RunSeen, Tables
from selu.project import PINS, REPORTS, RESULTS, SHARED, read_settings
from selu.registry import DEFAULT
from selu.runs import record
from selu.sources.copies import copies
from selu.sources.published import read_tables
from selu.vocabulary import ClaimFound, SeluError, System, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from selu.contents import Answer, RunContent, ScoresContent
    from selu.papers.costs import AskingCost, TrainingCost
    from selu.splits.record import DataRecord

_PLAIN_TOKENS = 512  # of a model that says no length of its own
MEASUREMENTS = Path("docs") / "measurements"
_KEPT = (record.State.PRESENT, record.State.FAILED)  # states of runs whose record is of the present parameters
K = TypeVar("K")


class Evidence:
    """The evidence of one benchmark.

    Args:
        bounds: whether intervals of scores are drawn again too; that takes most of the time.
        mirror: folder with local copies of the data sets, tried first.
        say: called with what is fetched.
    """

    def __init__(
        self,
        root: Path,
        benchmark: str = DEFAULT,
        bounds: bool = True,
        mirror: Path | None = None,
        say: Progress = lambda _: None,
    ) -> None:
        self._root, self._id, self._mirror, self._say = root, benchmark, mirror, say
        self._scores = Scores(root, bounds)
        self._planned: dict[str, Planned] = {}

    @property
    def id(self) -> str:
        """The benchmark's id."""
        return self._id

    @property
    def name(self) -> str:
        """The benchmark's name, as people read it."""
        return registry.benchmark(self._id).name

    @cached_property
    def draws(self) -> Resampling:
        """The settings by which intervals are drawn."""
        settings = results.read_bootstrap(self._root)
        return Resampling(settings.draws, settings.seed, settings.level)

    def settings(self, section: str, kind: type[K], shared: bool = False) -> K:
        """Read a section of the parameters, the benchmark's own or one that all share, as a record."""
        return read_settings(self._root, SHARED if shared else self._id, section, kind)

    def tables(self) -> Tables:
        """Read the published tables."""
        return read_tables(self._root, self._id)

    def published(self) -> Any:
        """Read the benchmark's material."""
        return registry.load(self._root, self._id)

    def claims(self) -> list[ClaimFound]:
        """Read the tracked findings of all claims."""
        return list(tracked.tracked_claims(self._root, self._id))

    def read(self, file: str, made_by: str, fields: Collection[str] = (), needed: bool = True) -> object:
        """Read a record that another part wrote; None where it is neither needed nor here."""
        return tracked.read_report(self._root, self._id, file, made_by, fields, needed)

    def content(self, file: str, made_by: str) -> bytes:
        """Read any other file that another part wrote."""
        return self._there(file, made_by).read_bytes()

    def measured(self, name: str, made_by: str, fields: Collection[str] = ()) -> object:
        """Read a record of ``docs/measurements``; ``made_by`` is the command that measures."""
        return read_json(self._root / MEASUREMENTS / f"{name}.json", made_by, fields)

    def notebooks(self, needed: bool = True) -> Mapping[str, Path]:
        """Find every executed notebook by its name; those that were not run are left out or refused."""
        from selu.report.notebooks import executing

        here = {name: f"notebooks/{name}.ipynb" for name in executing.names(self._root, self._id)}
        return {
            name: self._there(file, f"report notebook {name}")
            for name, file in here.items()
            if needed or (self._root / REPORTS / self._id / file).is_file()
        }

    def figures(self) -> Mapping[str, bytes]:
        """Read the figures of the notebooks, each as SVG, PNG and PDF, by the name of the file."""
        drawn = sorted((self._root / REPORTS / self._id / "figures").glob("*.svg"))
        paths = [path.with_suffix(f".{form}") for path in drawn for form in ("svg", "png", "pdf")]
        return {path.name: path.read_bytes() for path in paths if path.is_file()}

    def _there(self, file: str, made_by: str) -> Path:
        path = self._root / REPORTS / self._id / file
        if not path.is_file():
            command = tracked.command_of(made_by, self._id)
            raise SeluError(f"{path} is missing: run 'dvc pull', or '{command}'.")
        return path

    def data(self, task: str) -> DataRecord:
        """Read the tracked record of a task's rows."""
        return tracked_record(self._root, task)

    def raw(self, set_: str) -> Mapping[str, pd.DataFrame]:
        """Read the pinned files of a set as tables, by their names without endings."""
        from selu.data.inputs import read_raw

        found = read_raw(self._root, set_, self._mirror, self._say)
        return {file.partition(".")[0]: table for file, table in found.items()}

    def pins(self) -> Path:
        """Find the folder of the benchmark's pins."""
        return self._root / PINS / self._id

    def copies(self) -> Sequence[Path]:
        """List the folders that may have copies of published files, in search order."""
        return copies(self._root, self._id, None, self._mirror)

    def embed(self, encoder: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts by a sentence encoder that a package brings or ``data/pins/models`` pins."""
        from selu.execution.grids.given import find_encoder
        from selu.sources.models import read_model
        from selu.systems.embed.sentences import loaded

        pins = self._root / PINS / "models"
        pin = read_model(pins, encoder) if (pins / f"{encoder}.yaml").is_file() else None
        found = find_encoder(pin.publisher if pin else encoder, self._say)
        if pin and found.weights != pin.weights.sha256:
            raise SeluError(
                f"{found.folder} holds other weights than {pins / encoder}.yaml pins: remove it, and fetch "
                f"{pin.publisher} again."
            )
        return loaded(Path(found.folder), _PLAIN_TOKENS, found.files).embed(texts)

    def rows(self, task: str) -> pd.DataFrame:
        """Read all prepared rows of a task, in the published order."""
        expected = tracked_record(self._root, task)["hashes"]["clean"]
        return prepared.read(registry.rows_of(self._root, task), expected, f"selu prepare {task}")

    def runs(
        self, tasks: Sequence[str] = (), systems: Sequence[str] = (), protocols: Sequence[str] = ()
    ) -> list[RunSeen]:
        """Plan runs, with filters as in ``selu plan``, and look up the state of each."""
        wanted = Wanted(registry.of_benchmark(tasks, self._id), systems, protocols)
        return [self._seen(planned) for planned in plans.plan(self._root, wanted)]

    def _seen(self, planned: Planned) -> RunSeen:
        self._planned[planned.name] = planned
        state = record.state(planned.folder, planned.identity)
        return RunSeen(
            task=planned.task,
            system=planned.system,
            protocol=planned.protocol,
            seed=planned.seed,
            environment=planned.environment,
            name=planned.name,
            availability=planned.availability,
            fields=planned.fields,
            state=state,
            **({"record": record.read_run(planned.folder)} if state in _KEPT else {}),
        )

    def stored(self) -> list[str]:
        """List the runs that are here, planned or not, as TASK/SYSTEM/RUN."""
        folder = self._root / RESULTS / self._id
        paths = folder.glob(f"*/*/[!.]*/{record.RUN}")
        return sorted(path.parent.relative_to(folder).as_posix() for path in paths)

    def result(self, name: str) -> tuple[RunContent, ScoresContent | None]:
        """Read what a run that is here (TASK/SYSTEM/RUN) wrote of itself, and its scores where it has any."""
        folder = self._root / RESULTS / self._id / name
        if (folder / record.SCORES).is_file():
            return record.read_scored(folder)
        return record.read_run(folder), None

    def predictions(self, name: str) -> Mapping[str, object]:
        """Read the answers of a run that is here (TASK/SYSTEM/RUN), by the ids of its test rows."""
        table = record.read_predictions(self._root / RESULTS / self._id / name)
        return dict(zip(table["id"], table["prediction"], strict=True))

    def prompt(self, task: Task, text: str) -> str | None:
        """Render the prompt of a text without examples; None where the task has no template."""
        from selu.systems.prompt.template import Prompts

        folder = registry.benchmark(task.benchmark).prompts
        if folder is None or not (folder / f"{task.id}.j2").is_file():
            return None
        return Prompts(folder, task).render(text)

    def scores(self, run: RunSeen) -> ScoresContent | None:
        """Read a run's scores, checked against its predictions; None unless current metrics made them."""
        planned = self._planned[run.name]
        return self._scores.read(planned.folder) if results.has_scores(self._root, planned) else None

    def note(self) -> str | None:
        """Describe which scores could not be checked against their predictions; None if all were."""
        return self._scores.note()

    def test_rows(self, run: RunSeen) -> pd.DataFrame:
        """Read the test rows of a run: id, label, grouped, and text and group as they were before cleaning."""
        import pandas as pd
        import pyarrow.parquet as pq

        # Refuses what the record does not vouch for.
        rows = results.read_rows(self._root, self._planned[run.name])
        with pq.ParquetFile(registry.rows_of(self._root, run.task.id)) as file:
            names = [name for name in ("text", "group") if name in file.schema_arrow.names]
            table = pd.DataFrame(file.read(names, use_threads=False).to_pydict())
        return rows.assign(**{name: table[name] for name in names})[rows["part"] == "test"]

    def answers(self, run: RunSeen, rows: pd.DataFrame | None = None) -> Mapping[str, Answer]:
        """Read a run's answers by row, in the order of the test rows; checked against these if given."""
        planned = self._planned[run.name]
        if rows is not None:
            given = results.read_answers(planned.folder, rows, planned.identity)
            return dict(zip(rows["id"], given, strict=True))
        table = record.read_predictions(planned.folder, planned.identity)
        return dict(zip(table["id"], table["prediction"], strict=True))

    def prompted(self) -> list[System]:
        """List the prompted systems whose models params.yaml names."""
        from selu.execution.prompt import plan

        return [model.system for model in plan.known(self._root).values()]

    def heads(self) -> Sequence[Mapping[str, object]]:
        """Build the heads of fine-tuned models, small, and say what each consists of.

        Raises:
            SeluError: the libraries of fine-tuning are not here.
        """
        from selu.systems.finetune.settings import FinetuneSettings

        settings = self.settings("finetune", FinetuneSettings, shared=True)
        try:
            from selu.systems.finetune import anatomy
        except ModuleNotFoundError as error:
            raise SeluError(
                f"heads are built with {error.name}, which is not here: 'make finetune-environment' installs "
                "it; 'dvc pull' brings the tracked record."
            ) from None
        return anatomy.record(settings.dropout)

    def training_cost(
        self, systems: Sequence[str], profile: str, protocols: Sequence[str] = (), padded: int | None = None
    ) -> TrainingCost:
        """Calculate the cost of training these systems on a machine of params.yaml, padded to ``padded``."""
        from selu.cost import training

        wanted = Wanted(registry.of_benchmark((), self._id), systems, protocols)
        return training.cost(self._root, wanted, profile, padded, self._id)

    def asking_cost(self, systems: Sequence[str]) -> AskingCost:
        """Count the requests of these prompted systems on all real rows, and calculate the price."""
        from selu.cost import prices

        return prices.whole(self._root, systems, registry.of_benchmark((), self._id))
