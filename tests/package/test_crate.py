"""The record of provenance: what the profile demands, and that it says what the lock says."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import small_clone as small
from selu.package import archive, clone, crate
from selu.runs.pipeline import read_lock

Entity = dict[str, Any]
Graph = dict[str, Entity]
ACTIONS = ("CreateAction", "OrganizeAction", "ControlAction")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.make(tmp_path_factory.mktemp("origin") / "clone")


@pytest.fixture(scope="module")
def graph(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return entities(describe(origin, tmp_path_factory.mktemp("commit"))[1])


def describe(root: Path, folder: Path) -> tuple[tuple[str, ...], Path]:
    """Inputs that changed, and the folder with the commit's files and the record of HEAD."""
    commit = clone.read_head(root)
    archive._export(root, clone.list_blobs(root, commit), folder)
    return crate.describe(folder, commit.id, commit.when, str), folder


def entities(folder: Path) -> Graph:
    record = json.loads((folder / crate.RECORD).read_text("utf-8"))
    found = {entity["@id"]: entity for entity in record["@graph"]}
    assert len(found) == len(record["@graph"]), "an @id stands twice"
    demanded(found, record["@context"], folder)
    return found


def several(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def of_type(graph: Graph, *kinds: str) -> list[Entity]:
    return [entity for entity in graph.values() if set(kinds) & set(several(entity["@type"]))]


def links(graph: Graph, entity: Entity, name: str, *kinds: str) -> list[Entity]:
    """What a property points to, each of one of these types."""
    found = [graph[link["@id"]] for link in several(entity.get(name))]
    for other in found:
        assert set(kinds) & set(several(other["@type"])), (entity["@id"], name, other["@id"])
    return found


def demanded(graph: Graph, context: Any, folder: Path) -> None:
    """What RO-Crate 1.2, Workflow RO-Crate 1.0 and Provenance Run Crate 0.5 with its parents say MUST be."""
    assert context == [
        "https://w3id.org/ro/crate/1.2/context",
        "https://w3id.org/ro/terms/workflow-run/context",
    ]
    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    for version in ("1.1", "1.2"):  # the profiles of runs extend 1.1
        assert {"@id": f"https://w3id.org/ro/crate/{version}"} in descriptor["conformsTo"]
    assert root["@type"] == "Dataset"
    assert all(root[name] for name in ("name", "description", "license"))
    assert datetime.fromisoformat(root["datePublished"]).tzinfo is not None
    profiles = {entity["@id"] for entity in links(graph, root, "conformsTo", "Profile")}
    assert {
        f"https://w3id.org/ro/wfrun/{name}/0.5" for name in ("process", "workflow", "provenance")
    } < profiles
    for link in references(graph):
        assert link in graph or link.startswith("https://"), link
    files_are_there(graph, folder)
    runs_are_told(graph)


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.keys() == {"@id"}:
            yield value["@id"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def files_are_there(graph: Graph, folder: Path) -> None:
    from urllib.parse import unquote

    parts = {entity["@id"] for entity in links(graph, graph["./"], "hasPart", "File", "Dataset")}
    assert parts == {entity["@id"] for entity in of_type(graph, "File", "Dataset")} - {"./"}
    for name in parts:
        path = folder / unquote(name)
        if "File" in several(graph[name]["@type"]):
            content = path.read_bytes()
            assert graph[name]["contentSize"] == str(len(content))
            assert graph[name]["sha256"] == hashlib.sha256(content).hexdigest()
            assert graph[name]["md5"] == hashlib.md5(content).hexdigest()
        else:
            assert path.is_dir()


def runs_are_told(graph: Graph) -> None:
    software = ("SoftwareApplication", "SoftwareSourceCode", "ComputationalWorkflow")
    workflow = links(graph, graph["./"], "mainEntity", "ComputationalWorkflow")[0]
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"} == set(workflow["@type"])
    assert links(graph, workflow, "programmingLanguage", "ComputerLanguage")
    tools = links(graph, workflow, "hasPart", "SoftwareApplication")
    steps = links(graph, workflow, "step", "HowToStep")
    actions = of_type(graph, "CreateAction")
    for action in actions:
        assert len(links(graph, action, "instrument", *software)) == 1
        links(graph, action, "object", "File", "Dataset", "Collection", "CreativeWork")
        links(graph, action, "result", "File", "Collection")
        links(graph, action, "agent", "Person", "Organization")
    used = [action["instrument"]["@id"] for action in actions]
    assert {workflow["@id"], *(tool["@id"] for tool in tools)} == set(used)
    assert steps == of_type(graph, "HowToStep")
    assert [int(step["position"]) for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        assert links(graph, step, "workExample", "SoftwareApplication")[0] in tools
    for control in of_type(graph, "ControlAction"):
        assert links(graph, control, "instrument", "HowToStep")
        assert links(graph, control, "object", "CreateAction")
    (engine,) = of_type(graph, "OrganizeAction")
    assert links(graph, engine, "instrument", "SoftwareApplication")
    assert links(graph, engine, "result", "CreateAction")[0]["instrument"] == {"@id": workflow["@id"]}
    assert links(graph, engine, "object", "ControlAction") == of_type(graph, "ControlAction")
    formal = links(graph, workflow, "input", "FormalParameter") + links(
        graph, workflow, "output", "FormalParameter"
    )
    assert {entity["@id"] for entity in formal} == {
        entity["@id"] for entity in of_type(graph, "FormalParameter")
    }
    assert all(entity["additionalType"] for entity in formal)
    examples = {link for entity in graph.values() for link in references(entity.get("exampleOfWork"))}
    assert examples == {entity["@id"] for entity in formal}


def as_the_lock_says(graph: Graph, root: Path) -> None:
    stages = read_lock(root)
    assert len(of_type(graph, "CreateAction")) == len(stages) + 1
    for stage in stages:
        run = graph[f"#run/{stage.name.replace('@', '%40')}"]
        assert run["description"] == stage.command
        for side, paths in (("object", stage.reads), ("result", stage.writes)):
            linked = [graph[link["@id"]] for link in several(run.get(side))]
            named = {
                name: entity.get("md5") or entity["identifier"].removeprefix("md5:")
                for entity in linked
                for name in [entity["name"], *several(entity.get("alternateName"))]
                if name in paths
            }
            assert named == dict(paths)


def test_the_record_is_what_the_profiles_demand_and_says_what_the_lock_says(graph: Graph, origin: Path) -> None:
    as_the_lock_says(graph, origin)
    whole = graph["#run"]
    assert {e["name"] for e in links_of(graph, whole, "object")} == {"data/paper", "data/paper/t1.csv"}
    assert [e["name"] for e in links_of(graph, whole, "result")] == ["reports/site"]
    assert graph["#input/data/paper"]["additionalType"] == "Dataset"


def links_of(graph: Graph, entity: Entity, name: str) -> list[Entity]:
    return [graph[link["@id"]] for link in several(entity[name])]


def test_a_result_is_its_object_in_the_store_under_its_name(graph: Graph) -> None:
    site = next(entity for entity in of_type(graph, "Collection") if entity["name"] == "reports/site")
    assert [entity["name"] for entity in links_of(graph, site, "hasPart")] == [
        "reports/site/index.html",
        "reports/site/more.bin",
    ]
    page = links_of(graph, site, "hasPart")[0]
    digest = hashlib.md5(b"<p>hi</p>\n").hexdigest()
    assert page["@id"] == f"store/files/md5/{digest[:2]}/{digest[2:]}"
    assert page["encodingFormat"] == "text/html"
    same = next(e for e in of_type(graph, "File") if e["name"] == "data/splits/one/ids.csv")
    assert same["alternateName"] == "data/splits/two/ids.csv"  # one object, two results


def test_who_when_and_what_is_cited_come_from_the_commit(graph: Graph, origin: Path) -> None:
    root = graph["./"]
    assert root["datePublished"] == small.WHEN
    assert root["identifier"] == f"swh:1:rev:{clone.read_head(origin).id}"
    assert root["description"] == "A small thing."
    assert graph["#run"]["endTime"] == small.WHEN
    assert [author["name"] for author in links_of(graph, root, "author")] == ["Us", "Jo Doe"]
    assert graph["https://orcid.org/0000-0001-2345-6789"]["@type"] == "Person"
    cited = [work["@id"] for work in links_of(graph, root, "citation")]
    assert len(cited) == len(set(cited))
    works = {work["name"]: work["@id"] for work in links_of(graph, root, "citation")}
    assert works == {"The paper": "https://doi.org/10.1/paper", "On a task": "https://doi.org/10.1/task"}
    assert {"@id": "#work/On%20another"} in root["mentions"]  # a citation is by an address
    assert graph["https://dvc.org/"]["version"] == "3.67.1"
    tools = of_type(graph, "SoftwareApplication", "ComputerLanguage")
    assert [tool["@id"] for tool in tools if not tool.get("url") or not tool.get("version")] == []
    locks = links(graph, graph["dvc.yaml"], "softwareRequirements", "File")
    assert [lock["name"] for lock in locks] == ["locks/verify.txt"]


def edit(path: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda root: small.write(root / path, (root / path).read_text("utf-8").replace(old, new))


@pytest.mark.parametrize(
    ("change", "outdated"),
    [
        (lambda root: None, ()),
        (edit("src/selu/stats/mean.py", "1", "2"), ("src/selu/stats",)),
        (edit("data/paper/t1.csv", "1,2", "1,3"), ("data/paper", "data/paper/t1.csv")),
        (lambda root: (root / "src/selu/stats/mean.py").unlink(), ("src/selu/stats",)),
    ],
    ids=["nothing", "code", "data", "removed"],
)
def test_an_input_that_has_changed_since_is_told_as_it_was(
    change: Callable[[Path], object], outdated: tuple[str, ...], origin: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(origin, tmp_path / "clone")
    change(root)
    if outdated:
        small.commit(root)
    found_outdated, folder = describe(root, tmp_path / "commit")
    assert found_outdated == outdated
    found = entities(folder)
    as_the_lock_says(found, root)
    former = {entity["name"] for entity in found.values() if entity["@id"].startswith("#former/")}
    assert former == set(outdated)


def test_a_result_that_was_made_anew_since_another_stage_read_it_is_told_as_it_was(
    origin: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(origin, tmp_path / "clone")
    small.write(root / "reports" / "s.json", '{"x": 2}\n')
    record = yaml.safe_load((root / "dvc.lock").read_text("utf-8"))
    record["stages"]["stats"]["outs"][0]["md5"] = small.digest(root, "reports/s.json", keep=True)
    small.write(root / "dvc.lock", yaml.safe_dump(record))
    small.commit(root)
    found_outdated, folder = describe(root, tmp_path / "commit")
    assert found_outdated == ("reports/s.json",)
    as_the_lock_says(entities(folder), root)


def test_a_stage_may_read_a_folder_in_a_result(origin: Path, tmp_path: Path) -> None:
    """Else it is said to have changed since, though its bytes are those of the result."""
    root = shutil.copytree(origin, tmp_path / "clone")
    record = yaml.safe_load((root / "dvc.lock").read_text("utf-8"))
    md5 = small.digest(root, "data/splits/one/test")
    record["stages"]["site"]["deps"].append({"path": "data/splits/one/test", "hash": "md5", "md5": md5})
    small.write(root / "dvc.lock", yaml.safe_dump(record))
    small.commit(root)
    found_outdated, folder = describe(root, tmp_path / "commit")
    assert found_outdated == ()
    as_the_lock_says(entities(folder), root)


@pytest.mark.slow
def test_the_record_of_this_project(root: Path, tmp_path: Path) -> None:
    if not (root / ".git").exists():
        pytest.skip("no git clone")
    here = tmp_path / "clone"
    small.git(tmp_path, "clone", "--quiet", f"file://{root}", str(here))
    _, folder = describe(here, tmp_path / "commit")
    found = entities(folder)
    as_the_lock_says(found, folder)
    dois = {e["@id"] for e in of_type(found, "ScholarlyArticle") if e["@id"].startswith("https://doi.org/")}
    assert len(dois) >= 12


if find_spec("rocrate_validator"):  # no lock has it; it gets the profiles' contexts from the network

    @pytest.mark.parametrize("profile", ["ro-crate-1.2", "provenance-run-crate-0.5"])
    def test_the_record_conforms_to_the_profiles_by_roc_validator(
        origin: Path, tmp_path: Path, profile: str
    ) -> None:
        services = import_module("rocrate_validator.services")
        settings = services.ValidationSettings(
            rocrate_uri=describe(origin, tmp_path)[1],
            profile_identifier=profile,
            requirement_severity="REQUIRED",
        )
        assert [issue.message for issue in services.validate(settings).get_issues()] == []


def test_an_address_that_a_fork_fills_in_is_that_of_the_record_and_its_tools(
    origin: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(origin, tmp_path / "clone", symlinks=True)
    path, address = root / "CITATION.cff", "https://github.com/lab/small"
    small.write(path, f"{path.read_text('utf-8')}repository-code: {address}\n")
    small.git(root, "commit", "--quiet", "--all", "--message=address")
    found = entities(describe(root, tmp_path / "commit")[1])
    assert found["./"]["url"] == address
    assert found["./"]["publisher"] == {"@id": "#author/Us"}
    tools = [entity for name, entity in found.items() if name.startswith("#tool/")]
    assert {tool["url"] for tool in tools} == {address}
