"""The runs in the archive's provenance record: ``dvc.yaml`` as the workflow, ``dvc.lock`` as its execution.

A key of ``dvc.yaml`` is a step with the command as its tool; each stage of the lock is one execution of it. DVC
writes no times down: only the run as a whole has one, the date of the commit, by which it had ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from selu.package.crate_files import Entities, Files, Link
from selu.runs.pipeline import Stage, read_lock

_WORKFLOW, _RECORD, _LOCKS = "dvc.yaml", "dvc.lock", "locks"
_CODE = ("src/", "locks/")  # what stages read, but is not given to them as data
_BIOSCHEMAS = "https://bioschemas.org/profiles/"
_DONE = "http://schema.org/CompletedActionStatus"


_ARCHIVE = "https://archive.softwareheritage.org/"  # finds a commit by its id, once it was archived


class Runs:
    """The workflow, its steps and their executions, which are added to a record.

    Args:
        entities: of which the root names the authors, who ran it, and the version.
        folder: the files of the commit.

    Raises:
        SeluError: dvc.yaml or dvc.lock is missing or damaged.
    """

    def __init__(self, entities: Entities, folder: Path) -> None:
        self.entities, self.folder, self.stages = entities, folder, read_lock(folder)
        self.files = Files(entities, folder, self.stages)
        self.version = entities.root["version"]

    def add(self, when: datetime) -> tuple[str, ...]:
        """Add everything with the date of the commit; return the inputs that changed since a stage read them.

        Raises:
            SeluError: an object of the store is missing or damaged.
        """
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
        entities.root["mentions"] += [whole, engine, *runs, *entities.of_type("Collection")]
        return tuple(sorted(self.files.outdated))

    def _workflow(self) -> dict[str, Any]:
        """Add the workflow with its language, the locks of its environments, and the README beside it."""
        entities, root = self.entities, self.entities.root
        root["mainEntity"] = self.files.file(
            _WORKFLOW, kind=["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
        )
        place = "https://dvc.org/doc/user-guide/project-structure/dvcyaml-files"
        known = {"name": "DVC pipelines", "url": place, **self._dvc_version}
        language = entities.add("#dvc.yaml", "ComputerLanguage", **known)
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

    @cached_property
    def _dvc_version(self) -> Mapping[str, str]:
        """The version of DVC as the lock pins it, if it does."""
        lock = self.folder / _LOCKS / "verify.txt"
        pinned = re.search(r"^dvc==([\w.]+)", lock.read_text("utf-8") if lock.is_file() else "", re.MULTILINE)
        return {"version": pinned[1]} if pinned else {}

    def _dvc(self) -> Link:
        place = "https://dvc.org/"
        return self.entities.add(place, "SoftwareApplication", name="DVC", url=place, **self._dvc_version)

    def _action(self, kind: str, identifier: str, name: str, instrument: Link, **properties: object) -> Link:
        known = {"agent": self.entities.root["author"], "actionStatus": _DONE, **properties}
        return self.entities.add(identifier, kind, name=name, instrument=instrument, **known)

    def _run(self, stage: Stage) -> Link:
        """Add what one stage read and wrote."""
        step = stage.name.partition("@")[0]
        root = self.entities.root
        known = {"name": self._commands[step], "url": root.get("url") or f"{_ARCHIVE}{root['identifier']}"}
        known |= {"version": self.version}
        tool = self.entities.add(f"#tool/{quote(step)}", "SoftwareApplication", **known)
        place, name = f"#run/{quote(stage.name)}", f"Run of {stage.name}"
        run = self._action("CreateAction", place, name, tool, description=stage.command)
        reads = [self.files.tracked(path, digest) for path, digest in stage.reads.items()]
        results = [self.files.tracked(path, digest) for path, digest in stage.writes.items()]
        self.entities.known[place] |= {"object": reads, "result": results}
        return run

    def _controls(self, workflow: dict[str, Any], runs: Sequence[Link]) -> list[Link]:
        """Add the steps, in an order in which they can be taken, and that each was taken for its stages."""
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
        """Add data and parameters that no stage makes, each as the example of a formal parameter."""
        given = [
            self._example(self.files.tracked(path, digest), path, "input")
            for stage in self.stages
            for path, digest in stage.reads.items()
            if not (path.startswith(_CODE) or self.files.is_written(path))
        ]
        return list({link["@id"]: link for link in given}.values())

    def _outputs(self) -> list[Link]:
        """Add the outputs that no other stage reads."""
        return [
            self._example(self.files.tracked(path, digest), path, "output")
            for stage in self.stages
            for path, digest in stage.writes.items()
            if not any(self.files.is_part(path, read) for other in self.stages for read in other.reads)
        ]

    def _example(self, link: Link, name: str, side: str) -> Link:
        """Link the entity to a formal parameter (unless its bytes are not in the archive) and return it."""
        entity = self.entities.known[link["@id"]]
        kind = next((kind for kind in ("File", "Dataset", "Collection") if kind in entity["@type"]), None)
        if kind is not None:
            about = {"conformsTo": {"@id": f"{_BIOSCHEMAS}FormalParameter/1.0-RELEASE"}}
            place = f"#{side}/{quote(name)}"
            formal = self.entities.add(place, "FormalParameter", name=name, additionalType=kind, **about)
            if formal not in entity.setdefault("exampleOfWork", []):
                entity["exampleOfWork"].append(formal)
        return link

    @cached_property
    def _commands(self) -> Mapping[str, str]:
        """The command of each step by dvc.yaml, which ``read_lock`` has already read."""
        import yaml

        declared = yaml.safe_load((self.folder / _WORKFLOW).read_text("utf-8"))["stages"]
        return {name: str((stage.get("do") or stage)["cmd"]) for name, stage in declared.items()}
