"""The runs in the archive's record of provenance: ``dvc.yaml`` as the workflow, ``dvc.lock`` as its execution.

A key of ``dvc.yaml`` is a step with the command as its tool; each stage of the lock is one execution of it. DVC
writes no times down: only the run as a whole has one, the date of the commit, by which it had ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from selu.package.crate_files import Files, context
from selu.runs.store import Stage, read_lock

if TYPE_CHECKING:
    from rocrate.model.entity import Entity
    from rocrate.rocrate import ROCrate

_WORKFLOW, _RECORD, _LOCKS = "dvc.yaml", "dvc.lock", "locks"
_CODE = ("src/", "locks/")  # what stages read, but is not given to them as data
_BIOSCHEMAS = "https://bioschemas.org/profiles/"
_DONE = "http://schema.org/CompletedActionStatus"


def add_runs(
    crate: ROCrate, folder: Path, agents: Sequence[Entity], version: str, when: datetime
) -> tuple[str, ...]:
    """Add the workflow, its steps and their executions to the record.

    Args:
        folder: the files of the commit.
        agents: who ran it.
        version: of the package.
        when: the date of the commit.

    Returns:
        the inputs that have changed since a stage read them, sorted.

    Raises:
        SeluError: dvc.yaml or dvc.lock is missing or damaged, or an object of the store is.
    """
    stages = read_lock(folder)
    return _Runs(crate, folder, stages, agents, version).add(when)


class _Runs:
    """What the entities of one record have in common while they are made."""

    def __init__(
        self, crate: ROCrate, folder: Path, stages: Sequence[Stage], agents: Sequence[Entity], version: str
    ) -> None:
        declared, locked = (_stages(folder / name) for name in (_WORKFLOW, _RECORD))
        self.crate, self.folder, self.stages = crate, folder, stages
        self.files = Files(crate, folder, stages)
        self.agents, self.version = list(agents), version
        self.commands = {name: str((stage.get("do") or stage)["cmd"]) for name, stage in declared.items()}
        self.params = {name: stage.get("params", {}) for name, stage in locked.items()}

    def add(self, when: datetime) -> tuple[str, ...]:
        """Add everything; returns the inputs that have changed."""
        workflow = self._workflow()
        runs = [self._run(stage) for stage in self.stages]
        whole = self._action(
            "CreateAction",
            "#run",
            "Run of all stages",
            workflow,
            description=f"As recorded in {_RECORD}.",
            endTime=when.isoformat(),
            subjectOf=self.files.file(_RECORD),
        )
        whole["object"], whole["result"] = self._inputs(workflow), self._outputs(workflow)
        controls = self._controls(workflow, runs)
        engine = self._action("OrganizeAction", "#engine", "Run of DVC", self._engine(), result=whole)
        engine["object"] = controls
        collections = [entity for entity in self.crate.contextual_entities if entity.type == "Collection"]
        self.crate.root_dataset["mentions"] = [whole, engine, *runs, *collections]
        return tuple(sorted(self.files.outdated))

    def _workflow(self) -> Entity:
        """The workflow with its language, the locks of its environments, and the README beside it."""
        crate = self.crate
        workflow = self.files.file(_WORKFLOW, ("File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"))
        workflow["conformsTo"] = {"@id": f"{_BIOSCHEMAS}ComputationalWorkflow/1.0-RELEASE"}
        workflow["version"] = self.version
        workflow["author"] = self.agents
        workflow["license"] = crate.root_dataset["license"]
        place = "https://dvc.org/doc/user-guide/project-structure/dvcyaml-files"
        workflow["programmingLanguage"] = context(
            crate, "#dvc.yaml", "ComputerLanguage", name="DVC pipelines", url={"@id": place}
        )
        locks = sorted((self.folder / _LOCKS).glob("*.txt"))
        workflow["softwareRequirements"] = [self.files.file(f"{_LOCKS}/{path.name}") for path in locks]
        if (self.folder / "README.md").is_file():
            self.files.file("README.md")["about"] = crate.root_dataset
        crate.root_dataset["mainEntity"] = workflow
        return workflow

    def _engine(self) -> Entity:
        lock = self.folder / _LOCKS / "verify.txt"
        pinned = re.search(r"^dvc==([\w.]+)", lock.read_text("utf-8") if lock.is_file() else "", re.MULTILINE)
        known = {"softwareVersion": pinned[1]} if pinned else {}
        return context(
            self.crate, "https://dvc.org/", "SoftwareApplication", name="DVC", url="https://dvc.org/", **known
        )

    def _action(self, kind: str, identifier: str, name: str, instrument: Entity, **properties: Any) -> Entity:
        return context(
            self.crate,
            identifier,
            kind,
            name=name,
            instrument=instrument,
            agent=self.agents,
            actionStatus=_DONE,
            **properties,
        )

    def _run(self, stage: Stage) -> Entity:
        """What one stage read and wrote."""
        step = stage.name.partition("@")[0]
        tool = context(
            self.crate,
            f"#tool/{quote(step)}",
            "SoftwareApplication",
            name=self.commands[step],
            softwareVersion=self.version,
        )
        run = self._action(
            "CreateAction", f"#run/{quote(stage.name)}", f"Run of {stage.name}", tool, description=stage.command
        )
        reads = [self.files.tracked(path, digest) for path, digest in stage.reads.items()]
        run["object"] = reads + [self._value(name, value) for name, value in self._values(stage)]
        run["result"] = [self.files.tracked(path, digest) for path, digest in stage.writes.items()]
        return run

    def _controls(self, workflow: Entity, runs: Sequence[Entity]) -> list[Entity]:
        """The steps, in an order in which they can be taken, and that each was taken for its stages."""
        steps: dict[str, Entity] = {}
        controls = []
        for stage, run in zip(self.stages, runs, strict=True):
            name = stage.name.partition("@")[0]
            if name not in steps:
                steps[name] = context(
                    self.crate,
                    f"#step/{quote(name)}",
                    "HowToStep",
                    name=name,
                    position=str(len(steps) + 1),
                    workExample=run["instrument"],
                )
            controls.append(
                context(
                    self.crate,
                    f"#control/{quote(stage.name)}",
                    "ControlAction",
                    name=f"Stage {stage.name}",
                    instrument=steps[name],
                    object=run,
                )
            )
        workflow["step"] = list(steps.values())
        workflow["hasPart"] = [step["workExample"] for step in steps.values()]
        return controls

    def _inputs(self, workflow: Entity) -> list[Entity]:
        """Data and parameters that come from no stage, with the workflow's formal parameters for them."""
        given: dict[str, Entity] = {}
        for stage in self.stages:
            for path, digest in stage.reads.items():
                if not (path.startswith(_CODE) or self.files.is_written(path)):
                    entity = self.files.tracked(path, digest)
                    given.setdefault(entity.id, self._example(entity, path, "input"))
            for name, value in self._values(stage):
                entity = self._value(name, value)
                given.setdefault(entity.id, self._example(entity, name, "input", _type(value)))
        workflow["input"] = [self.crate.get(name) for name in self._formal("input")]
        return list(given.values())

    def _outputs(self, workflow: Entity) -> list[Entity]:
        """What no other stage reads."""
        ends = [
            self._example(self.files.tracked(path, digest), path, "output")
            for stage in self.stages
            for path, digest in stage.writes.items()
            if not any(self.files.is_part(path, read) for other in self.stages for read in other.reads)
        ]
        workflow["output"] = [self.crate.get(name) for name in self._formal("output")]
        return ends

    def _example(self, entity: Entity, name: str, side: str, kind: str | None = None) -> Entity:
        """The same entity, once it stands for a formal parameter (unless its bytes are not in the archive)."""
        kind = kind or next((one for one in ("File", "Dataset", "Collection") if one in _types(entity)), None)
        if kind is not None:
            formal = context(
                self.crate,
                f"#{side}/{quote(name)}",
                "FormalParameter",
                name=name,
                additionalType=kind,
                conformsTo={"@id": f"{_BIOSCHEMAS}FormalParameter/1.0-RELEASE"},
            )
            if formal not in _list(entity.get("exampleOfWork")):
                entity.append_to("exampleOfWork", formal, compact=True)
        return entity

    def _formal(self, side: str) -> Iterator[str]:
        entities = self.crate.contextual_entities
        return (e.id for e in entities if e.type == "FormalParameter" and e.id.startswith(f"#{side}/"))

    def _values(self, stage: Stage) -> Iterator[tuple[str, Any]]:
        for section in self.params[stage.name].values():
            yield from _leaves(section)

    def _value(self, name: str, value: Any) -> Entity:
        """The value of a parameter; a list stands as JSON."""
        shown = value if isinstance(value, (bool, int, float, str)) else json.dumps(value, ensure_ascii=False)
        identifier = f"#parameter/{quote(name)}={quote(str(shown), safe='')}"
        return context(self.crate, identifier, "PropertyValue", name=name, value=shown)


def _stages(path: Path) -> dict[str, dict[str, Any]]:
    """The stages of a file that ``read_lock`` has already read."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stages: dict[str, dict[str, Any]] = yaml.load(path.read_text("utf-8"), loader)["stages"]
    return stages


def _leaves(section: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        name = f"{above}.{key}" if above else str(key)
        if isinstance(value, Mapping):
            yield from _leaves(value, name)
        else:
            yield name, value


def _type(value: Any) -> str:
    kinds = {bool: "Boolean", int: "Integer", float: "Float"}
    return kinds.get(type(value), "Text")


def _types(entity: Entity) -> list[Any]:
    return _list(entity.type)


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
