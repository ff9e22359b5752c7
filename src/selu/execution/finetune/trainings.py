"""One training on the disk: its job while it is trained, its checkpoint, its outcome, and its model."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from selu.execution.environments import SCRATCH
from selu.execution.finetune import jobs
from selu.execution.planned import Planned
from selu.files import write_atomic
from selu.runs import identity as identities
from selu.runs import record, seals
from selu.runs.workers import TrainRequest, Workers
from selu.vocabulary import MachineError, SeluError

if TYPE_CHECKING:
    import pandas as pd

    from selu.contents import Trained
    from selu.runs.workers import ModelWanted

_SIGNED = "run.json"  # in a model's folder, of the run that it is of
_JOB = ".job-"  # in the names of files with the rows of others


class Training:
    """The training of a run on these rows.

    Its key is a hash of all that its answers depend on, so it does not hang on how runs are planned, recorded
    or scored; only where the score picks a checkpoint, on how that one is made.
    """

    def __init__(self, root: Path, run: Planned, rows: pd.DataFrame) -> None:
        self._root, self._run = root, run
        job = jobs.job(run, rows)
        self._job, self._asked = identities.canonical(job.to_json()), len(job.questions)
        fields = run.fields
        depends = {
            "job": hashlib.sha256(self._job).hexdigest(),
            "model": fields["model"],
            "source": run.source,
            "picking": fields["source"]["picking"] if fields["params"]["criterion"] == "score" else None,
            "packages": fields["packages"],
        }
        self._key = identities.identity(depends)
        name = self._key[:32]
        self._unit = root / SCRATCH / "units" / name / "outcome.json"
        self.scratch = root / SCRATCH / "training" / name

    def kept(self) -> Trained | None:
        """Read the outcome where it is there whole; a damaged or foreign one is as good as none."""
        try:
            unit = cast("Trained", seals.read_sealed(self._unit, "a unit"))
        except SeluError:
            return None
        same = unit.get("key") == self._key and len(unit["outcome"]["answers"]) == self._asked
        return unit if same else None

    def learn(self, workers: Workers, anew: bool, heard: Callable[[str], None]) -> Trained:
        """Train the model, from its checkpoint if there is one and ``anew`` is false.

        Raises:
            SeluError: the training failed, for a reason of the cell.
            MachineError: for one of the machine, or its outcome was taken away.
        """
        file = self.scratch.with_name(f"{self.scratch.name}{_JOB}{os.getpid()}.json")
        write_atomic(file, self._job)
        run, revision = self._run, self._run.fields["model"]["revision"]
        model = cast("ModelWanted", {"system": run.system, "revision": revision, **run.local})
        request: TrainRequest = {
            "job": str(file),
            "source": run.source,
            "model": model,
            "scratch": str(self.scratch),
            "unit": str(self._unit),
            "key": self._key,
            "anew": anew,
        }
        try:
            workers.ask(request, heard)
        finally:
            file.unlink(missing_ok=True)  # the rows of others are kept in one place only
        unit = self.kept()
        if unit is None:
            raise MachineError(f"{self._unit} was removed while the run went on: run it again.")
        return unit

    def sign(self) -> None:
        """Write into the model's folder which run made it and which rows picked it, as folders lose their path.

        Done before the run is written, so that the model is found again if the process dies between the two.
        """
        model, run, on = self.scratch / "model", self._run, self._run.fields["pick"]["on"]
        if not model.is_dir():
            return
        flat = ", so that its score there is too high" if on == "test" else ""
        line = f"\nRun {run.name}, protocol {run.protocol}: its weights were picked on {on} rows{flat}.\n"
        card = model / "README.md"
        write_atomic(card, card.read_text("utf-8").removesuffix(line) + line)
        about = {
            "identity": run.identity,
            "run": run.name,
            "results": run.folder.relative_to(self._root).as_posix(),
            "protocol": run.protocol,
            "picked_on": on,
        }
        write_atomic(model / _SIGNED, json.dumps(about, indent=1) + "\n")


def put_away(root: Path, scratch: Path, name: str) -> None:
    """Move the trained model of a written run to its place, and remove the rest of its training.

    It first goes beside its place, which may be another disk: an old one gives way to a whole one.
    """
    model = root / SCRATCH / "models" / name
    if (scratch / "model").is_dir():
        new = model.with_name(f".{model.name}.new")
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(new, ignore_errors=True)
        shutil.move(scratch / "model", new)
        shutil.rmtree(model, ignore_errors=True)
        new.rename(model)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.with_name(f"{scratch.name}.lock").unlink(missing_ok=True)


def settle(root: Path) -> None:
    """Move the models of present runs, which a killed process left where they were trained, to their place."""
    for path in (root / SCRATCH / "training").glob(f"*/model/{_SIGNED}"):
        try:
            about = json.loads(path.read_text("utf-8"))
            name, folder, identity = (about[key] for key in ("run", "results", "identity"))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if record.state(root / folder, identity) is record.State.PRESENT:
            put_away(root, path.parents[1], name)
