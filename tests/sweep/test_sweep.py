"""``selu sweep`` on nodes that are folders, with the real functions and trainings that take no time."""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import small_project as small
from helpers import stand_in
from helpers.local_work import GIB, LocalWork, node
from selu.app.running.run import run as run_wanted
from selu.cost import profiles
from selu.cost.schedule import Needs
from selu.execution import plans, results, runner
from selu.execution.planned import Planned, Wanted
from selu.runs import locks, record
from selu.sweep import cells as sweeping_cells
from selu.sweep import gathering, sweep
from selu.sweep import node as sweeping_node
from selu.sweep.cells import Cells
from selu.sweep.messages import Failed
from selu.sweep.needs import Estimator, Ready
from selu.vocabulary import SeluError

ALL = Wanted((small.BINARY,), ("minilm-l6",))  # 4 runs
TWO = Wanted((small.BINARY,), ("minilm-l6",), ("strict",))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the project and the marks lie, for all tests, so that its worker process is started once."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "marks").mkdir()
    project(folder / "project", (small.BINARY, small.LABELS))
    shutil.copytree(folder / "project", folder / "fresh")
    yield folder
    _stop()


@pytest.fixture(autouse=True)
def marks(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Has the stand-in train; the folder in which it leaves its marks."""
    for path in (place / "marks").iterdir():
        path.unlink()
    monkeypatch.setenv("STAND_IN", str(place / "marks"))
    monkeypatch.setenv("SELU_FINETUNE_PYTHON", str(stand_in.interpreter(place / "marks")))
    monkeypatch.setenv("SELU_AUTHORS_PYTHON", sys.executable)
    yield place / "marks"
    _stop([place / "project", place / "theirs"])


def _stop(but: Sequence[Path] = ()) -> None:
    for key in [key for key in sweeping_node._kept if key[0] not in but]:
        sweeping_node._kept.pop(key).stop()


@pytest.fixture
def root(place: Path) -> Path:
    """The project as if it were new."""
    return _anew(place, "project")


@pytest.fixture
def theirs(place: Path) -> Path:
    """A clone of it, of a node."""
    return _anew(place, "theirs")


def _anew(place: Path, name: str) -> Path:
    for path in ("results", "data", ".selu"):
        shutil.rmtree(place / name / path, ignore_errors=True)
    return shutil.copytree(place / "fresh", place / name, dirs_exist_ok=True)


def project(folder: Path, tasks: tuple[str, ...] = (small.BINARY,)) -> Path:
    made = small.make(folder, tasks, alike=True)
    small.alter(made, lambda p: (p["finetune"].update(seeds=[42, 43]), p["sweep"].update(wait_seconds=0.0)))
    return made


def cells(
    root: Path, messages: list[str], wanted: Wanted = ALL, only: str = "missing", **options: Any
) -> Cells:
    runs, settings = plans.plan(root, wanted), profiles.settings_of(root)
    todo = [run for run in runs if runner.to_be_made(run, only)]
    store = options.get("store")
    return Cells(root, todo, only, Estimator(root, runs, settings), settings, store, messages.append)


def swept(
    root: Path, work: LocalWork, wanted: Wanted = ALL, only: str = "missing", **options: Any
) -> tuple[Cells, list[str]]:
    """A sweep to its end on this work."""
    messages: list[str] = []
    found = cells(root, messages, wanted, only, **options)
    mark = root / sweeping_node.SWEEP / "here"
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    try:
        found.fetch()
        found.run(work, mark.name)
    finally:
        found.end()
    return found, messages


def contents(root: Path, wanted: Wanted = ALL) -> dict[str, bytes]:
    """Predictions and scores; run.json holds times."""
    runs = plans.plan(root, wanted)
    return {
        f"{r.name}/{n}": (r.folder / n).read_bytes() for r in runs for n in (record.PREDICTIONS, record.SCORES)
    }


def states(root: Path, wanted: Wanted = ALL) -> list[str]:
    return [record.state(run.folder, run.identity).value for run in plans.plan(root, wanted)]


def leftovers(root: Path) -> list[Path]:
    return [*(root / ".selu" / "sweep").glob("*.sweep"), *(root / ".selu" / "sweep").glob("*.cell")]


@pytest.mark.ci
def test_equal_to_the_sequential_run_with_baselines_among_them(root, theirs):
    wanted = Wanted((small.BINARY, small.LABELS), ("minilm-l6", "fasttext"), ("strict",), (42,))
    first, second = theirs, root
    run_wanted(first, wanted, "missing", 1, lambda _line: None)
    found, messages = swept(second, LocalWork([node("a"), node("b")]), wanted)
    assert found.tally.failed == {}
    assert contents(first, wanted) == contents(second, wanted)
    assert len(found.tally.ran) == len(plans.plan(first, wanted)) == 4
    assert any(line.startswith("[4/4] ") for line in messages)
    assert leftovers(second) == []


@pytest.mark.ci
def test_a_second_sweep_goes_on_where_the_first_was_interrupted(root, marks):
    class Stop(BaseException):
        pass

    def fate(task: str, where: str) -> None:
        if len(stand_in.begun(marks)) == 2:
            raise Stop

    with pytest.raises(Stop):
        swept(root, LocalWork([node("a")], fate=fate))
    assert states(root).count("present") == 2
    assert leftovers(root) == []
    found, _messages = swept(root, LocalWork([node("a")]))
    assert states(root) == ["present"] * 4
    assert (len(found.tally.ran), len(stand_in.begun(marks))) == (2, 4)
    swept(root, LocalWork([node("a")]), only="all")
    assert len(stand_in.begun(marks)) == 8


@pytest.mark.ci
def test_a_cell_whose_node_is_lost_is_begun_again_and_given_up_in_the_end(root, marks):
    twice, always = (f"{small.BINARY}/minilm-l6/{run}" for run in ("strict-s42", "paper-s42"))
    lost = {twice: 2, always: 9}

    def fate(task: str, where: str) -> Failed | None:
        if lost.get(task):
            lost[task] -= 1
            return Failed(task, "OutOfMemoryError", lost=True)
        return None

    found, messages = swept(root, LocalWork([node("a")], fate=fate))
    why = "its node or process was lost 4 times (OutOfMemoryError): find out why."
    assert found.tally.failed == {always: why}
    assert sorted(states(root)) == ["missing", "present", "present", "present"]
    assert len(stand_in.begun(marks)) == 3
    assert found.tally.lost == 6
    assert f"{twice}: lost (OutOfMemoryError); it is started again, 2 of 3 times" in messages


def unreadable(run: Planned) -> None:
    """Put beside a run what a killed writer left, which the disk can't read."""
    left = run.folder.with_name(f".{run.folder.name}.new")
    left.mkdir(parents=True)
    (left / record.RUN).symlink_to(record.RUN)


def test_a_folder_that_cant_be_read_ends_no_other_cell(root):
    """Others are out by then."""
    first, second = plans.plan(root, TWO)

    def fate(task: str, where: str) -> None:
        if task.startswith("node"):
            unreadable(first)

    found, _messages = swept(root, LocalWork([node("a")], fate=fate), TWO)
    assert [*found.tally.failed] == [first.name]
    assert "Too many levels of symbolic links" in found.tally.failed[first.name]
    assert record.state(second.folder, second.identity) is record.State.PRESENT
    assert leftovers(root) == []


def test_a_folder_that_cant_be_read_before_a_sweep_is_one_failure_of_it(root, monkeypatch):
    monkeypatch.setattr(sweep, "Cluster", lambda *_a: nullcontext(LocalWork([node("a")])))
    first, second = plans.plan(root, TWO)
    unreadable(first)
    messages: list[str] = []
    with pytest.raises(SeluError, match=rf"^1 of 2 runs failed, for the reasons above: {first.name}\.$"):
        sweep.sweep(root, TWO, "missing", messages.append)
    (line,) = [line for line in messages if line.startswith(f"{first.name}: ")]
    assert "Too many levels of symbolic links" in line
    assert record.state(second.folder, second.identity) is record.State.PRESENT


def test_a_cells_variables_end_with_it(root, marks, monkeypatch):
    """Ray runs later cells in the same process."""
    monkeypatch.delenv("SELU_GPU_SHARE", raising=False)
    python = marks / "python"
    python.write_text(python.read_text().replace("exec", f'echo "$SELU_GPU_SHARE" >> {marks}/shares\nexec'))
    for run, variables in zip(plans.plan(root, TWO), ({"SELU_GPU_SHARE": "0.2250"}, {}), strict=True):
        common = {"root": str(root), "gather": None, "mark": "here", "only": "missing", "gpus": 1}
        request: Any = {**common, "run": sweeping_cells._asked(run), "environment": variables}
        assert sweeping_node.run_cell(request)["state"] == "present"
    assert (marks / "shares").read_text().splitlines() == ["0.2250", ""]


def test_a_failed_cell_is_recorded_and_the_others_go_on(root, marks):
    (marks / "fail").write_text(f"{small.BINARY} strict 42")
    found, _messages = swept(root, LocalWork([node("a")]))
    assert sorted(states(root)) == ["failed", "present", "present", "present"]
    (why,) = found.tally.failed.values()
    assert why == "on a: the loss is not a number at step 3 of 30: lower the learning rate."
    found, _messages = swept(root, LocalWork([node("a")]))
    assert found.left() == 0
    assert found.tally.ran == []
    (marks / "fail").unlink()
    swept(root, LocalWork([node("a")]), only="failed")
    assert states(root) == ["present"] * 4


@pytest.mark.ci
def test_a_cell_that_another_sweep_has_claimed_is_left_to_it(root, marks, monkeypatch):
    monkeypatch.setattr(sweeping_cells, "_BUSY_SECONDS", 0.0)
    run = plans.plan(root, ALL)[0]
    theirs = locks.take(root / sweeping_node.SWEEP / f"{run.identity}.sweep")
    assert theirs is not None
    wanted = Wanted((run.task.id,), (run.system,), (run.protocol,), (run.seed,))
    begun = []

    def fate(task: str, where: str) -> None:
        if len(begun) == 2:
            run_wanted(root, wanted, "missing", 1, lambda _line: None)  # the other sweep, before it lets go
            theirs.release()
        begun.append(task)

    found, messages = swept(root, LocalWork([node("a")], fate=fate))
    assert found.tally.others == [run.name]
    assert len(stand_in.begun(marks)) == 4
    assert any(f"] {run.name}: done by others" in line for line in messages)


def test_a_cell_that_a_node_is_still_at_is_not_begun_a_second_time(root, marks, monkeypatch):
    """A node that was thought to be lost came back: it holds the cell until it is done."""
    monkeypatch.setattr(sweeping_cells, "_BUSY_SECONDS", 0.0)
    run = plans.plan(root, ALL)[0]
    theirs = locks.take(root / sweeping_node.SWEEP / f"{run.identity}.cell")
    assert theirs is not None
    asked = []

    def fate(task: str, where: str) -> None:
        asked.append(task)
        if asked.count(run.name) == 3:
            theirs.release()

    swept(root, LocalWork([node("a")], fate=fate))
    assert asked.count(run.name) == 3
    assert len(stand_in.begun(marks)) == 4
    assert states(root) == ["present"] * 4


@pytest.mark.ci
@pytest.mark.parametrize("through", ["ray", "folder", "memory"])
def test_runs_of_a_node_with_a_clone_of_its_own_come_home_whole(tmp_path, root, theirs, through):
    url = {"ray": None, "folder": str(tmp_path / "gathered"), "memory": f"memory:/{tmp_path}"}[through]
    store = gathering.Store(url) if url else None
    found, messages = swept(root, LocalWork([node("a")], {"id-a": theirs}), TWO, store=store)
    assert "the node a: 2 CPUs, 64 GiB, a clone of its own" in messages
    assert contents(root, TWO) == contents(theirs, TWO)
    assert len(found.tally.ran) == 2
    if store:
        assert store.held() == {run.identity for run in plans.plan(root, TWO)}


@pytest.mark.ci
@pytest.mark.parametrize("gathered", [False, True])
def test_a_failed_cell_is_run_on_a_node_whose_clone_knows_nothing_of_it(
    tmp_path, root, theirs, marks, gathered
):
    store = gathering.Store(str(tmp_path / "gathered")) if gathered else None
    (marks / "fail").write_text(f"{small.BINARY} strict 42")
    swept(root, LocalWork([node("a")]), TWO)
    assert sorted(states(root, TWO)) == ["failed", "present"]
    (marks / "fail").unlink()
    found, _messages = swept(root, LocalWork([node("a")], {"id-a": theirs}), TWO, only="failed", store=store)
    assert found.tally.failed == {}
    assert states(root, TWO) == ["present"] * 2
    assert sorted(states(theirs, TWO)) == ["missing", "present"]


def test_what_was_gathered_and_not_brought_home_is_taken_before_anything_is_run(tmp_path, root, theirs, marks):
    store = gathering.Store(str(tmp_path / "gathered"))
    swept(root, LocalWork([node("a")], {"id-a": theirs}), TWO, store=store)
    kept = contents(root, TWO)
    shutil.rmtree(root / "results")
    damaged = plans.plan(root, TWO)[0]
    (tmp_path / "gathered" / damaged.identity / record.PREDICTIONS).write_bytes(b"torn")
    shutil.rmtree(theirs / "results")
    found, messages = swept(root, LocalWork([node("a")], {"id-a": theirs}), TWO, store=store)
    assert contents(root, TWO) == kept
    assert (len(found.tally.others), len(found.tally.ran)) == (1, 1)
    assert any(
        line.startswith(f"{damaged.name}: what arrived as {damaged.name} is damaged") for line in messages
    )
    assert len(stand_in.begun(marks)) == 2  # the damaged one was made of the outcome that its node kept


def test_a_gathered_run_that_the_disk_refuses_keeps_no_other_from_being_taken(tmp_path, root, theirs):
    wanted = Wanted((small.BINARY, small.LABELS), ("minilm-l6",), ("strict",), (42,))
    store = gathering.Store(str(tmp_path / "gathered"))
    swept(root, LocalWork([node("a")], {"id-a": theirs}), wanted, store=store)
    first, second = plans.plan(root, wanted)
    shutil.rmtree(root / "results")
    first.folder.parent.parent.mkdir(parents=True)
    first.folder.parent.write_text("a file in the way")
    found, _messages = swept(root, LocalWork([node("a")]), wanted, store=store)
    assert [*found.tally.failed] == [first.name]
    assert "File exists" in found.tally.failed[first.name]
    assert found.tally.others == [second.name]


def test_a_damaged_run_that_arrives_is_not_put_in_place(root, theirs, monkeypatch):
    real = gathering.read_files

    def torn(folder: Path, identity: str) -> dict[str, bytes]:
        return {**real(folder, identity), record.PREDICTIONS: b"torn"}

    monkeypatch.setattr(gathering, "read_files", torn)
    found, _messages = swept(root, LocalWork([node("a")], {"id-a": theirs}), TWO)
    assert states(root, TWO) == ["missing"] * 2
    assert all(
        "is damaged, or another run: nothing was put in place" in why for why in found.tally.failed.values()
    )


def test_a_node_without_the_rows_gets_no_cell_of_that_task(root, theirs):
    wanted = Wanted((small.BINARY, small.LABELS), ("minilm-l6",))
    (theirs / "data" / "clean" / "selu" / f"{small.LABELS}.parquet").unlink()
    work = LocalWork([node("a"), node("b")], {"id-b": theirs})
    found, messages = swept(root, work, wanted)
    assert not found.tally.failed
    assert (
        f"  it has no prepared rows of {small.LABELS}, whose cells go elsewhere: 'selu prepare' there"
        in messages
    )
    assert {where for task, where, _ in work.called if task.startswith(small.LABELS)} == {"id-a"}
    assert "id-b" in {where for task, where, _ in work.called if task.startswith(small.BINARY)}


def test_nodes_that_can_be_given_nothing_are_left_out(root, theirs, tmp_path):
    """Of other runs, without a clone, without the package; the one that is left has all cells."""
    small.alter(theirs, lambda p: p["finetune"].update(epochs=3))
    where = tmp_path / "nowhere"

    def fate(task: str, where: str) -> Exception | None:
        return ModuleNotFoundError("No module named 'selu'") if task == "node id-d" else None

    roots = {"id-b": theirs, "id-c": where}
    found, messages = swept(root, LocalWork([node(name) for name in "abcd"], roots, fate))
    assert not found.tally.failed
    (line,) = [line for line in messages if line.startswith("the node b is left out: ")]
    assert f"{theirs} plans another run as {small.BINARY}/minilm-l6/" in line
    assert (
        f"the node c is left out: {where} is not a project clone: mount it there, or start Ray with "
        "SELU_NODE_ROOT=FOLDER of one." in messages
    )
    assert (
        "the node d can't run this package (No module named 'selu'): install it there as it is here" in messages
    )
    found, _messages = swept(root, LocalWork([node("b")], {"id-b": theirs}), only="all")
    assert set(found.tally.failed.values()) == {"no remaining node can run it, for the reasons above."}


@pytest.mark.ci
def test_what_one_node_cannot_do_another_tries_and_the_first_is_soon_left_alone(root, theirs):
    """A node that fails at once would else draw all cells to itself."""
    (theirs / "data" / "clean" / "selu" / f"{small.BINARY}.parquet").write_bytes(b"other rows")
    work = LocalWork([node("a", cpus=1), node("b", cpus=1)], {"id-b": theirs})
    for folder in (root, theirs):
        small.alter(folder, lambda p: p["finetune"].update(seeds=list(range(42, 48))))
    found, messages = swept(root, work)
    assert not found.tally.failed
    assert len(found.tally.ran) == 12
    assert "the node b is left out: 3 cells in a row failed there" in messages
    assert sum(where == "id-b" for task, where, _ in work.called if not task.startswith("node")) <= 4


def test_a_node_that_goes_and_one_that_comes(root):
    work = LocalWork([node("a", cpus=1)])
    gone = []

    def fate(task: str, where: str) -> Failed | None:
        if where == "id-a" and len(work.called) == 3 and not gone:
            gone.append(task)
            work.set_nodes([node("b")])
            return Failed(task, "NodeDiedError", lost=True)
        return None

    small.alter(root, lambda p: p["sweep"].update(wait_seconds=60.0))
    work.fate = fate
    found, messages = swept(root, work)
    assert "the node a is gone" in messages
    assert not found.tally.failed
    assert len(found.tally.ran) == 4
    assert {where for task, where, _ in work.called[4:] if not task.startswith("node")} == {"id-b"}
    assert set(work.cancelled) <= {task for task, _, _ in work.called}


JOBS = "--jobs takes a number of 1 or more, and no --address beside it: a cluster has its own CPUs."
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"only": "some"}, "--only takes missing, failed, all, none, not 'some'."),
    ({"jobs": 0}, JOBS),
    ({"jobs": 2, "address": "h:1"}, JOBS),
    (
        {"asked": Wanted(systems=("gpt-4o-zero-shot",), tasks=(small.BINARY,))},
        "gpt-4o-zero-shot is prompted: 'selu run' asks it, whose journal keeps it from being paid twice; name "
        "other systems.",
    ),
    ({"gather": "ftps9://x"}, "--gather ftps9://x: give a folder, or a place as s3://, gs:// or ssh://."),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_words_that_are_refused(root, words, sentence):
    arguments = {"root": root, "asked": TWO, "only": "missing", "progress": print, **words}
    with pytest.raises(SeluError) as caught:
        sweep.sweep(**arguments)
    assert str(caught.value) == sentence


@pytest.mark.ci
def test_nothing_to_do_needs_no_cluster_and_what_failed_before_is_counted(root):
    first, second = plans.plan(root, TWO)
    runner.make(root, [first], "missing", 1, lambda _line: None)
    results.write_failure(second, "the texts ran out.")
    messages: list[str] = []
    assert sweep.sweep(root, TWO, "missing", messages.append) == []
    assert messages[-1] == (
        "0 run, 2 left as they were, 0 failed (1 of those left failed before: '--only failed' runs them again)"
    )


def test_what_has_dvc_track_new_runs_is_said_in_the_end(root, monkeypatch):
    monkeypatch.setattr(sweep, "Cluster", lambda *_a: nullcontext(LocalWork([node("a")])))
    messages: list[str] = []
    assert len(sweep.sweep(root, TWO, "missing", messages.append)) == 2
    assert messages[-1] == "'rm -f results/.dvcignore && dvc commit -f runs@selu' has DVC track them"


def test_without_names_the_profile_decides(root):
    small.alter(
        root, lambda p: p["sweep"]["profiles"]["laptop"].update(systems=["fasttext"], tasks=[small.BINARY])
    )
    assert profiles.wanted(root, Wanted()) == Wanted((small.BINARY,), ("fasttext",))
    named = Wanted((), ("minilm-l6",), ("strict",), (42,))
    assert profiles.wanted(root, named) == Wanted((small.BINARY,), ("minilm-l6",), ("strict",), (42,))


# what cells take


def ready(name: str, gpus: int = 0, gib: float = 0, cpus: float = 16, memory: float = 256) -> Ready:
    bare = node(name, cpus, gpus, round(memory * GIB))
    return Ready(
        **asdict(bare), gpu="NVIDIA A100-SXM4-80GB", gpu_memory=round(gib * GIB), lacks=frozenset(), shared=True
    )


def planned(root: Path, system: str, protocol: str = "paper") -> tuple[Estimator, Planned]:
    runs = plans.plan(root, Wanted((small.BINARY,), (system,), (protocol,)))
    return Estimator(root, runs, profiles.settings_of(root)), runs[0]


@pytest.fixture
def a100(root: Path) -> Path:
    (root / "data" / "pins" / "selu" / "models").mkdir(parents=True)
    shutil.copy(
        small.ROOT / "data" / "pins" / "selu" / "models" / "revisions.yaml", root / "data/pins/selu/models"
    )
    params = yaml.safe_load((root / "params.yaml").read_text())
    (root / "params.yaml").write_text(yaml.safe_dump(params, default_flow_style=None, width=10_000))
    profiles.set_profile(root, "a100")
    return root


def test_small_models_take_one_gpu_each_and_large_ones_several(a100):
    nodes = [ready("a", gpus=8, gib=79)]
    for system, protocol, gpus in (
        ("minilm-l6", "paper", 1),
        ("bert-base", "strict", 1),
        ("codellama-7b", "paper", 2),  # bf16 under ZeRO-2, with fp32 masters
        ("starcoder2-7b", "strict", 4),  # fp32 weights whole on each
    ):
        estimator, run = planned(a100, system, protocol)
        suited = estimator.suited(run, nodes)
        assert (suited.why, suited.needs.gpus, suited.nodes) == (None, gpus, ("id-a",)), system
        assert suited.needs.memory > gpus * 2 * GIB


def test_as_many_small_models_share_a_gpu_as_are_wanted_and_its_memory_holds(a100):
    small.alter(a100, lambda p: p["sweep"]["profiles"]["a100"].update(cells_per_gpu=4))
    for system, nodes, gpus in (
        ("minilm-l6", [ready("a", gpus=8, gib=79)], 0.25),
        ("gpt2-xl", [ready("a", gpus=8, gib=139)], 0.5),
        ("minilm-l6", [ready("a", gpus=8, gib=79), ready("b", gpus=1, gib=1)], 1),  # wherever it is placed
        ("codellama-7b", [ready("a", gpus=8, gib=79)], 2),
    ):
        estimator, run = planned(a100, system)
        assert estimator.suited(run, nodes).needs.gpus == gpus, system
    assert estimator.environment(Needs(1, 0.25)) == {"SELU_GPU_SHARE": "0.2250"}
    assert estimator.environment(Needs(1, 1)) == {}


def test_the_gpus_that_need_the_fewest_are_taken(a100):
    nodes = [ready("small", gpus=8, gib=22), ready("large", gpus=8, gib=139), ready("cpu")]
    estimator, run = planned(a100, "codellama-7b")
    assert estimator.suited(run, nodes).nodes == ("id-large",)
    estimator, run = planned(a100, "minilm-l6")
    assert estimator.suited(run, nodes).nodes == ("id-small", "id-large")


@pytest.mark.ci
def test_a_training_on_a_cpu_takes_what_a_like_one_took(root):
    estimator, run = planned(root, "minilm-l6", "strict")
    guessed = estimator.suited(run, [ready("a")]).needs
    assert (guessed.cpus, guessed.gpus) == (1, 0)
    assert 2 * GIB < guessed.memory < 4 * GIB
    run_wanted(root, TWO, "missing", 1, lambda _line: None)
    estimator, run = planned(root, "minilm-l6", "strict")
    assert estimator.suited(run, [ready("a")]).needs.memory == stand_in.COST["peak_memory_bytes"]


@pytest.mark.parametrize(
    ("system", "nodes", "why"),
    [
        (
            "codellama-7b",
            [ready("a", gpus=1, gib=22), ready("b", gpus=2, gib=22)],
            "it does not fit into the GPU memory of any node: the largest, b, has 2 GPUs of 22 GiB, and a cell "
            "may take 2 (shared.sweep.profiles.a100.devices): 'selu plan --system codellama-7b --profile a100' "
            "tells what it takes.",
        ),
        (
            "minilm-l6",
            [ready("a", memory=1.5), ready("b", memory=1)],
            " GiB of memory; the largest node here, a, gives 16 and 1.5: add a larger one.",
        ),
        (
            "minilm-l6",
            [replace(ready(name), lacks=frozenset({small.BINARY})) for name in "ba"],
            f"no node (a, b) has the prepared rows of {small.BINARY}: run 'selu prepare {small.BINARY}' there.",
        ),
    ],
)
def test_what_no_node_has_is_said(a100, system, nodes, why):
    estimator, run = planned(a100, system)
    suited = estimator.suited(run, nodes)
    assert suited.nodes == ()
    assert str(suited.why).endswith(why)


@pytest.mark.ci
@pytest.mark.parametrize("gpus", [0, 1])
def test_a_model_of_unknown_size_fails_by_its_name_and_the_others_go_on(root, tmp_path, monkeypatch, gpus):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SELU_MODELS", raising=False)
    model = {"hub": "google/bert", "architecture": "encoder-only", "context": 512}
    small.alter(root, lambda p: p["finetune"].update(models={"mine": model}, seeds=[42]))
    work = LocalWork([node("a", gpus=gpus)], gpus={"id-a": [("NVIDIA A100-SXM4-80GB", 79 * GIB)] * gpus})
    found, _messages = swept(root, work, Wanted((small.BINARY,), ("minilm-l6", "mine")))
    assert found.tally.failed == {
        f"{small.BINARY}/mine/{protocol}-s42": "the size of mine is stated in its config.json, which is "
        "missing here: 'hf download google/bert config.json' gets it, or put the model's folder into "
        "SELU_MODELS."
        for protocol in ("paper", "strict")
    }
    assert states(root, Wanted((small.BINARY,), ("minilm-l6",))) == ["present"] * 2


def test_only_cells_on_several_gpus_are_told_how_much_to_compute_at_once(a100):
    requests: dict[str, Any] = {}

    class Seen(LocalWork):
        def submit(self, task: str, call: str, request: Any, needs: Any, node: str) -> None:
            requests[task] = request
            super().submit(task, call, request, needs, node)

    small.alter(a100, lambda p: p["finetune"].update(seeds=[42]))
    work = Seen(
        [node("a", cpus=64, gpus=2, memory=512 * GIB)], gpus={"id-a": [("NVIDIA A100-SXM4-80GB", 79 * GIB)] * 2}
    )
    work.fate = lambda task, _w: None if task.startswith("node") else Failed(task, "seen", lost=False)
    swept(a100, work, Wanted((small.BINARY,), ("codellama-7b", "minilm-l6"), ("paper",)))
    assert {name: (each["gpus"], each["environment"]) for name, each in requests.items() if "gpus" in each} == {
        f"{small.BINARY}/codellama-7b/paper-s42": (2, {"SELU_MICRO_BATCH_TOKENS": "65536"}),
        f"{small.BINARY}/minilm-l6/paper-s42": (1, {}),
    }


@pytest.mark.ci
def test_what_a_cell_is_sent_with_does_not_grow_with_the_nodes_and_one_folder_of_weights_is_asked_for(a100):
    """57 kB of node names went with each cell, and each of the nodes fetched all weights."""
    sent: list[int] = []

    class Measured(LocalWork):
        def submit(self, task: str, call: str, request: Any, needs: Any, node: str) -> None:
            sent.append(len(pickle.dumps((task, call, request, needs, node))))
            super().submit(task, call, request, needs, node)

    nodes = [node(f"n{number}", cpus=64, gpus=8, memory=512 * GIB) for number in range(100)]
    work = Measured(nodes, gpus={machine.id: [("NVIDIA A100-SXM4-80GB", 79 * GIB)] * 8 for machine in nodes})
    work.fate = lambda task, _w: None if task.startswith("node") else Failed(task, "seen", lost=False)
    _, messages = swept(a100, work, Wanted((small.BINARY,), ("codellama-7b", "minilm-l6"), ("paper",)))
    assert len(sent) == 100 + 4
    assert max(sent) < 3000
    asks = [line for line in messages if "HF_HOME" in line]
    assert asks == [
        "  each node fetches up to 28 GB of published weights: set HF_HOME on all of them to one folder "
        "that they share, and they are fetched once"
    ]
