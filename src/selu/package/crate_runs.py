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
from typing import Any
from urllib.parse import quote

from selu.package.crate_files import Entities, Files, Link
from selu.runs.pipeline import Stage, read_lock

_WORKFLOW, _RECORD, _LOCKS = "dvc.yaml", "dvc.lock", "locks"
_CODE = ("src/", "locks/")  # what stages read, but is not given to them as data
_BIOSCHEMAS = "https://bioschemas.org/profiles/"
_TYPES = {bool: "Boolean", int: "Integer", float: "Float"}  # of parameters; any other is Text
_DONE = "http://schema.org/CompletedActionStatus"


def add_runs(entities: Entities, folder: Path, when: datetime) -> tuple[str, ...]:
    """Add the workflow, its steps and their executions to the record.

    Args:
        entities: of which the root names the authors, who ran it, and the version.
        folder: the files of the commit.
        when: the date of the commit.

    Returns:
        the inputs that have changed since a stage read them, sorted.

    Raises:
        SeluError: dvc.yaml or dvc.lock is missing or damaged, or an object of the store is.
    """
    return _Runs(entities, folder, read_lock(folder)).add(when)


class _Runs:
    """What the entities of one record have in common while they are made."""

    def __init__(self, entities: Entities, folder: Path, stages: Sequence[Stage]) -> None:
        declared, locked = (_stages(folder / name) for name in (_WORKFLOW, _RECORD))
        self.entities, self.folder, self.stages = entities, folder, stages
        self.files = Files(entities, folder, stages)
        self.version = entities.root["version"]
        self.commands = {name: str((stage.get("do") or stage)["cmd"]) for name, stage in declared.items()}
        self.params = {name: stage.get("params", {}) for name, stage in locked.items()}

    def add(self, when: datetime) -> tuple[str, ...]:
        """Add everything; returns the inputs that have changed."""
        workflow, entities = self._workflow(), self.entities
        runs = [self._run(stage) for stage in self.stages]
        about: dict[str, Any] = {"description": f"As recorded in {_RECORD}.", "endTime": when.isoformat()}
        about["subjectOf"] = self.files.file(_RECORD)
        whole = self._action("CreateAction", "#run", "Run of all stages", {"@id": _WORKFLOW}, **about)
        entities.known["#run"] |= {"object": self._inputs(), "result": self._outputs()}
        workflow["input"], workflow["output"] = (
            entities.of_type("FormalParameter", f"#{side}/") for side in ("input", "output")
        )
        controls = self._controls(workflow, runs)
        dvc = self._dvc()
        engine = self._action("OrganizeAction", "#engine", "Run of DVC", dvc, result=whole, object=controls)
        entities.root["mentions"] = [whole, engine, *runs, *entities.of_type("Collection")]
        return tuple(sorted(self.files.outdated))

    def _workflow(self) -> dict[str, Any]:
        """The workflow with its language, the locks of its environments, and the README beside it."""
        entities, root = self.entities, self.entities.root
        root["mainEntity"] = self.files.file(
            _WORKFLOW, kind=["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
        )
        place = "https://dvc.org/doc/user-guide/project-structure/dvcyaml-files"
        language = entities.add("#dvc.yaml", "ComputerLanguage", name="DVC pipelines", url={"@id": place})
        locks = sorted((self.folder / _LOCKS).glob("*.txt"))
        workflow = entities.known[_WORKFLOW]
        workflow |= {
            "conformsTo": {"@id": f"{_BIOSCHEMAS}ComputationalWorkflow/1.0-RELEASE"},
            "version": self.version,
            "author": root["author"],
            "license": root["license"],
            "programmingLanguage": language,
            "softwareRequirements": [self.files.file(f"{_LOCKS}/{path.name}") for path in locks],
        }
        if (self.folder / "README.md").is_file():
            self.files.file("README.md")
            entities.known["README.md"]["about"] = {"@id": "./"}
        return workflow

    def _dvc(self) -> Link:
        lock = self.folder / _LOCKS / "verify.txt"
        pinned = re.search(r"^dvc==([\w.]+)", lock.read_text("utf-8") if lock.is_file() else "", re.MULTILINE)
        known = {"softwareVersion": pinned[1]} if pinned else {}
        place = "https://dvc.org/"
        return self.entities.add(place, "SoftwareApplication", name="DVC", url=place, **known)

    def _action(self, kind: str, identifier: str, name: str, instrument: Link, **more: Any) -> Link:
        known = {"agent": self.entities.root["author"], "actionStatus": _DONE, **more}
        return self.entities.add(identifier, kind, name=name, instrument=instrument, **known)

    def _run(self, stage: Stage) -> Link:
        """What one stage read and wrote."""
        step = stage.name.partition("@")[0]
        known = {"name": self.commands[step], "softwareVersion": self.version}
        tool = self.entities.add(f"#tool/{quote(step)}", "SoftwareApplication", **known)
        place, name = f"#run/{quote(stage.name)}", f"Run of {stage.name}"
        run = self._action("CreateAction", place, name, tool, description=stage.command)
        reads = [self.files.tracked(path, digest) for path, digest in stage.reads.items()]
        values = [self._value(name, value) for name, value in self._values(stage)]
        results = [self.files.tracked(path, digest) for path, digest in stage.writes.items()]
        self.entities.known[place] |= {"object": reads + values, "result": results}
        return run

    def _controls(self, workflow: dict[str, Any], runs: Sequence[Link]) -> list[Link]:
        """The steps, in an order in which they can be taken, and that each was taken for its stages."""
        steps: dict[str, Link] = {}
        controls = []
        for stage, run in zip(self.stages, runs, strict=True):
            name = stage.name.partition("@")[0]
            if name not in steps:
                known = {"name": name, "position": str(len(steps) + 1)}
                known["workExample"] = self.entities.known[run["@id"]]["instrument"]
                steps[name] = self.entities.add(f"#step/{quote(name)}", "HowToStep", **known)
            place, about = f"#control/{quote(stage.name)}", {"instrument": steps[name], "object": run}
            controls.append(self.entities.add(place, "ControlAction", name=f"Stage {stage.name}", **about))
        workflow["step"] = list(steps.values())
        workflow["hasPart"] = [self.entities.known[step["@id"]]["workExample"] for step in steps.values()]
        return controls

    def _inputs(self) -> list[Link]:
        """Data and parameters that come from no stage, each the example of a formal parameter."""
        given: dict[str, Link] = {}
        for stage in self.stages:
            for path, digest in stage.reads.items():
                if not (path.startswith(_CODE) or self.files.is_written(path)):
                    link = self.files.tracked(path, digest)
                    given[link["@id"]] = self._example(link, path, "input")
            for name, value in self._values(stage):
                link = self._value(name, value)
                kind = _TYPES.get(type(value), "Text")
                given[link["@id"]] = self._example(link, name, "input", kind)
        return list(given.values())

    def _outputs(self) -> list[Link]:
        """What no other stage reads."""
        return [
            self._example(self.files.tracked(path, digest), path, "output")
            for stage in self.stages
            for path, digest in stage.writes.items()
            if not any(self.files.is_part(path, read) for other in self.stages for read in other.reads)
        ]

    def _example(self, link: Link, name: str, side: str, kind: str | None = None) -> Link:
        """The same entity, once it stands for a formal parameter (unless its bytes are not in the archive)."""
        entity = self.entities.known[link["@id"]]
        kind = kind or next((one for one in ("File", "Dataset", "Collection") if one in entity["@type"]), None)
        if kind is not None:
            about = {"conformsTo": {"@id": f"{_BIOSCHEMAS}FormalParameter/1.0-RELEASE"}}
            place = f"#{side}/{quote(name)}"
            formal = self.entities.add(place, "FormalParameter", name=name, additionalType=kind, **about)
            if formal not in entity.setdefault("exampleOfWork", []):
                entity["exampleOfWork"].append(formal)
        return link

    def _values(self, stage: Stage) -> list[tuple[str, Any]]:
        """Parameters of a stage with their names, which have dots."""
        return [leaf for section in self.params[stage.name].values() for leaf in _leaves(section)]

    def _value(self, name: str, value: Any) -> Link:
        """The value of a parameter; a list stands as JSON."""
        shown = value if isinstance(value, (bool, int, float, str)) else json.dumps(value, ensure_ascii=False)
        identifier = f"#parameter/{quote(name)}={quote(str(shown), safe='')}"
        return self.entities.add(identifier, "PropertyValue", name=name, value=shown)


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
