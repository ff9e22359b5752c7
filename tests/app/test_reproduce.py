from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from selu.app.reproduce import Stages, kind_of, reproduce
from selu.package import stages as stages_of
from selu.package.stages import _waiting
from selu.runs import store
from selu.vocabulary import SeluError

CLAIMS = '[{"id": "C1", "verdict": "holds"}]\n'


def lock(root: Path, stages: dict[str, tuple[str, list[str], str, str]]) -> None:
    """Write a lock and its store: name -> (command line, reads, path written, content tracked)."""
    record: dict[str, object] = {}
    for name, (line, reads, written, content) in stages.items():
        digest = hashlib.md5(content.encode()).hexdigest()
        path = store.object_path(root, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        (root / written).parent.mkdir(parents=True, exist_ok=True)
        (root / written).write_text(content)
        record[name] = {
            "cmd": line,
            "deps": [{"path": read, "md5": 32 * "0"} for read in reads],
            "outs": [{"path": written, "md5": digest}],
        }
    declared = {name: {"outs": [stage[2]]} for name, stage in stages.items()}
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": declared}))
    (root / "dvc.lock").write_text(yaml.safe_dump({"stages": record}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("data/paper", "data/pins", "notebooks"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "params.yaml").write_text("selu: {}\n")
    (tmp_path / "data" / "paper" / "x.csv").write_text("7\n")
    return tmp_path


def stages(second: str = "7\n7\n") -> dict[str, tuple[str, list[str], str, str]]:
    return {
        "twice": (
            "cat reports/a.txt reports/a.txt > reports/b.txt",
            ["reports/a.txt"],
            "reports/b.txt",
            second,
        ),
        "once": (
            "mkdir -p reports && cp data/paper/x.csv reports/a.txt",
            ["data/paper"],
            "reports/a.txt",
            "7\n",
        ),
        "claims": (
            'mkdir -p reports/selu && printf \'%s\\n\' \'[{"id": "C1", "verdict": "holds"}]\' > '
            "reports/selu/claims.json",
            ["data/paper"],
            "reports/selu/claims.json",
            CLAIMS,
        ),
    }


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".reproduce" not in str(path.relative_to(root))
    }


def test_equal_bytes_give_no_difference(project, monkeypatch, tmp_path_factory):
    another = '[{"id": "N1", "verdict": "fails"}]\n'
    write = f"mkdir -p reports/nlbse24 && printf '%s' '{another}' > reports/nlbse24/claims.json"
    made = {"another": (write, ["data/paper"], "reports/nlbse24/claims.json", another)}
    lock(project, stages() | made)
    before, lines = snapshot(project), []
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert reproduce(project, lines.append) == []
    assert list(Path.cwd().iterdir()) == []  # stages do not see the caller's folder
    assert snapshot(project) == before
    assert any("every byte equals" in line for line in lines)
    assert any("index.html" in line for line in lines)
    assert [line for line in lines if " claims" in line][-2:] == [
        "1 claims of nlbse24: 1 fails",
        "1 claims: 1 holds",
    ]


def test_a_difference_is_named_and_nothing_is_overwritten(project):
    lock(project, stages(second="7\n8\n"))
    before = snapshot(project)
    found = reproduce(project, lambda _: None)
    assert found == ["reports/b.txt: its bytes differ from the tracked ones (stage twice)."]
    assert snapshot(project) == before


@pytest.fixture
def tracked(project: Path) -> Path:
    """The project as DVC has it, with a result that its command does not make."""
    lock(project, stages(second="7\n8\n"))
    declared = yaml.safe_load((project / "dvc.lock").read_text())["stages"]
    whole = {
        name: {
            "cmd": stage["cmd"],
            "deps": [d["path"] for d in stage["deps"]],
            "outs": [stage["outs"][0]["path"]],
        }
        for name, stage in declared.items()
    }
    (project / "dvc.yaml").write_text(yaml.safe_dump({"stages": whole}))
    (project / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": declared}))
    subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "--quiet"], cwd=project, check=True)
    return project


@pytest.mark.ci
def test_an_update_takes_over_what_differs_and_leaves_the_rest(tracked):
    """The one command after a change of the program; DVC alone would not know of it."""
    (tracked / "reports" / ".b.txt.before" / "left").mkdir(parents=True)  # by a killed command
    lines: list[str] = []
    assert reproduce(tracked, lines.append, update=True) == []
    assert (tracked / "reports" / "b.txt").read_text() == "7\n7\n"
    assert (tracked / "reports" / "a.txt").read_text() == "7\n"
    assert sum(line.startswith("updated: ") for line in lines) == 1
    locked = yaml.safe_load((tracked / "dvc.lock").read_text())["stages"]
    assert locked["twice"]["outs"][0]["md5"] == hashlib.md5(b"7\n7\n").hexdigest()
    assert not list((tracked / "reports").glob(".*.before"))
    status = [sys.executable, "-m", "dvc", "status"]
    done = subprocess.run(status, cwd=tracked, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Data and pipelines are up to date.")


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_update_that_is_ended_in_its_commit_leaves_the_old_lock_and_the_old_results(tracked, number):
    """DVC writes the lock in place, stage by stage: half of one fits neither results nor stages."""
    kept = [tracked / "dvc.lock", tracked / "reports"]
    before = [store.fingerprints(path) for path in kept]
    process = subprocess.Popen(
        [sys.executable, "-m", "selu", "reproduce", "--update"],
        cwd=tracked, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while not (tracked / ".reproduce" / ".dvc" / "config.local").exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, number)  # as a terminal does: DVC is among them
    process.communicate(timeout=20)
    assert [store.fingerprints(path) for path in kept] == before
    assert reproduce(tracked, lambda _: None, update=True) == []
    assert (tracked / "reports" / "b.txt").read_text() == "7\n7\n"


@pytest.mark.ci
def test_an_update_overwrites_no_lock_that_another_command_wrote(tracked, monkeypatch):
    commit = stages_of._commit

    def slow(root, scratch, given):
        commit(root, scratch, given)
        (root / "dvc.lock").write_text((root / "dvc.lock").read_text() + "# another's\n")

    monkeypatch.setattr(stages_of, "_commit", slow)
    with pytest.raises(SeluError, match=r"another command changed dvc\.lock meanwhile, and nothing was taken"):
        reproduce(tracked, lambda _: None, update=True)
    assert (tracked / "dvc.lock").read_text().endswith("# another's\n")
    assert (tracked / "reports" / "b.txt").read_text() != "7\n7\n"


def test_a_fork_that_fills_in_its_address_reproduces_the_site(project):
    (project / "CITATION.cff").write_text("7\n")
    site = ("cat CITATION.cff > reports/site.txt", ["CITATION.cff", "reports/a.txt"], "reports/site.txt", "7\n")
    lock(project, stages() | {"site": site})
    assert reproduce(project, lambda _: None) == []


def test_a_failing_stage_is_named_with_its_last_words(project):
    broken = stages()
    broken["twice"] = ("echo no disk >&2; exit 3", ["reports/a.txt"], "reports/b.txt", "x")
    lock(project, broken)
    with pytest.raises(SeluError, match=r"stage twice failed .*no disk"):
        reproduce(project, lambda _: None)


def test_a_damaged_store_stops_it_before_anything_runs(project):
    lock(project, stages())
    digest = hashlib.md5(b"7\n7\n").hexdigest()
    store.object_path(project, digest).write_text("damaged")
    with pytest.raises(SeluError, match=r"reports/b\.txt, is damaged"):
        reproduce(project, lambda _: None)
    assert not (project / ".reproduce").exists()


def test_a_changed_result_stops_it_before_anything_is_pulled(project):
    lock(project, stages())
    (project / "reports" / "a.txt").write_text("8\n")
    (project / "reports" / "b.txt").unlink()
    with pytest.raises(
        SeluError, match=r"reports/a\.txt: its bytes differ .* 'dvc checkout --force reports/a.txt'"
    ):
        reproduce(project, lambda _: None)
    assert not (project / "reports" / "b.txt").exists()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_running_stages(project, number, code):
    slow = stages()
    slow["once"] = ("touch started && sleep 60", ["data/paper"], "reports/a.txt", "7\n")
    lock(project, slow)
    before = snapshot(project)
    process = subprocess.Popen(
        [sys.executable, "-m", "selu", "reproduce"], cwd=project, stderr=subprocess.PIPE, text=True
    )
    while not (project / ".reproduce" / "started").exists():
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert errors.strip().splitlines()[-1].startswith("selu: interrupted")
    assert snapshot(project) == before


def test_a_second_run_waits_for_no_one(project):
    """It refuses instead of taking the scratch folder away from the first."""
    lock(project, stages())
    with (project / ".reproduce.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SeluError, match="another 'selu reproduce'"):
            reproduce(project, lambda _: None)
    assert reproduce(project, lambda _: None) == []


def with_data(root: Path, making: str, content: str = "7\n") -> None:
    """The stages of above and one data stage, declared by a ``foreach``, whose output the first stage reads."""
    lock(
        root,
        {
            **stages(),
            "data@x": (
                f": -m selu prepare x; mkdir -p reports/data/x && {making} > reports/data/x/record",
                ["data/pins"],
                "reports/data/x/record",
                content,
            ),
            "once": (
                "mkdir -p reports && cp reports/data/x/record reports/a.txt",
                ["reports/data/x/record"],
                "reports/a.txt",
                "7\n",
            ),
        },
    )
    declared = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    del declared["data@x"]
    declared["data"] = {
        "foreach": {"x": "data/pins"},
        "do": {"cmd": "x", "deps": ["${item}"], "outs": ["reports/data/${key}/record"]},
    }
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": declared}))


def test_data_stages_are_taken_as_tracked_unless_asked_for(project):
    with_data(project, "touch ran && cat data/paper/x.csv")
    lines: list[str] = []
    assert reproduce(project, lines.append) == []
    assert not (project / ".reproduce" / "ran").exists()
    assert any("recomputed 3 stages" in line for line in lines)
    assert "1 data stages taken as tracked; 'selu reproduce --data' runs them" in lines
    lines.clear()
    assert reproduce(project, lines.append, data=True) == []
    assert (project / ".reproduce" / "ran").exists()
    assert any("recomputed 1 stages" in line for line in lines)
    assert "3 other stages taken as tracked; 'selu reproduce' runs them" in lines
    assert not any(" claims" in line for line in lines)


def test_the_mirror_reaches_the_stages(project, monkeypatch, tmp_path_factory):
    monkeypatch.delenv("SELU_MIRROR", raising=False)
    mirror = tmp_path_factory.mktemp("mirror ü")
    (mirror / "rows").write_text("7\n")
    with_data(project, 'cat "$SELU_MIRROR/rows"')
    with pytest.raises(SeluError, match=r"stage data@x failed"):
        reproduce(project, lambda _: None, data=True)
    assert reproduce(project, lambda _: None, data=True, mirror=mirror) == []
    monkeypatch.chdir(mirror.parent)  # a relative path is the caller's, not the stage's
    assert reproduce(project, lambda _: None, data=True, mirror=Path(mirror.name)) == []


def test_fetched_bytes_are_used_and_survive(project):
    raw = project / "data" / "raw" / "x"
    raw.mkdir(parents=True)
    (raw / "rows").write_text("7\n")
    with_data(project, "cat data/raw/x/rows")
    before = snapshot(project)
    for _ in range(2):  # the second run takes the scratch folder of the first away
        assert reproduce(project, lambda _: None, data=True) == []
    assert snapshot(project) == before


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("report cells", Stages.FREE),
        ("report cells finetuned", Stages.FREE),
        ("report cells prices", Stages.DATA),
        ("report notebook table1 --paper nlbse24", Stages.FREE),
        ("report notebook retrieval --paper faun_eval", Stages.FREE),
        ("report site", Stages.FREE),
        ("report comparisons", Stages.DATA),
        ("report comparisons --paper nlbse24", Stages.DATA),
        ("report prices", Stages.DATA),
        ("prepare bug_issue", Stages.DATA),
        ("report heads", Stages.TAKEN),
        ("report retrieval --paper faun_eval", Stages.TAKEN),
        ("report baselines --paper crosscodebench", Stages.TAKEN),
        ("run --system fasttext", Stages.TAKEN),
        ("rescore --paper nlbse24", Stages.TAKEN),
    ],
)
def test_a_stage_is_made_as_its_part_says_that_it_can_be(words, kind):
    assert kind_of(f"python -m selu {words}") is kind


def test_the_stage_that_most_wait_for_begins_first():
    needs = {"lone": set(), "a": set(), "b": {"a"}, "side": {"a"}, "c": {"b", "lone"}}
    assert _waiting(needs) == {"lone": 1, "a": 2, "b": 1, "side": 0, "c": 0}
