"""``selu fetch``: one row per task, the others go on when one fails."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from made import content, mirrored, pin, pinned, raw_path, remote

from selu.app.datasets.fetch import failed, fetch_tasks, summary
from selu.sources.pins import Availability, Origin
from selu.vocabulary import SeluError

DATA = content(2_000)


def write_pin(root: Path, task: str, *origins: Origin, **changes) -> None:
    path = root / "data" / "pins" / "selu" / f"{task}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(pin(*origins, task=task, **changes))))  # every JSON text is YAML


@pytest.fixture
def clone(tmp_path: Path, server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with four tasks: mirrored, without a pinned hash, with wrong bytes, with nothing."""
    monkeypatch.setenv("SELU_RAW_HOST", server.url)
    monkeypatch.setenv("SELU_LFS_HOST", server.url)
    (tmp_path / "mirror" / "set").mkdir(parents=True)
    (tmp_path / "mirror" / "set" / "a.csv").write_bytes(DATA)
    (tmp_path / "mirror" / "set" / "wrong.csv").write_bytes(DATA[::-1])
    loose = pinned("loose.csv", DATA, known=False)
    server.put(raw_path(loose), DATA)
    write_pin(tmp_path, "incivility", mirrored(pinned("a.csv", DATA, "set/a.csv")))
    write_pin(tmp_path, "sentiment", remote("original", loose))
    write_pin(tmp_path, "smell_doc", mirrored(pinned("wrong.csv", DATA, "set/wrong.csv")))
    write_pin(tmp_path, "bug_issue", availability=Availability.ABSENT)
    return tmp_path


def states(rows) -> dict[str, str]:
    return {row["task"]: row["state"].partition(":")[0] for row in rows}


def fetched(clone, tasks, every=False, mirror=None, origin=None):
    return fetch_tasks(clone, tasks, every, mirror, origin, lambda _: None)


def test_all(clone):
    rows = fetched(clone, [], every=True, mirror=clone / "mirror")
    assert states(rows) == {
        "bug_issue": "absent",
        "incivility": "verified",
        "sentiment": "unverified",
        "smell_doc": "refused",
    }
    assert list(rows[1]) == ["task", "standing", "origin", "files", "bytes", "seconds", "state"]
    assert (rows[1]["origin"], rows[1]["files"], rows[1]["bytes"]) == ("mirror", 1, 2_000)
    assert "By hand: Ask the authors for the file." in rows[0]["state"]
    assert "wrong.csv" in rows[3]["state"]
    words = "2 of 4 tasks are here (0.0 MB); refused: smell_doc; absent: bug_issue."
    assert summary(rows) == words
    assert failed(rows)
    assert (clone / "data" / "raw" / "selu" / "incivility" / "mirror" / "a.csv").read_bytes() == DATA
    again = fetched(clone, ["incivility", "bug_issue", "incivility"], mirror=clone / "mirror")
    assert states(again) == {"incivility": "already here", "bug_issue": "absent"}
    assert not failed(again, every=True)
    assert failed(again)  # a task asked for by its name


def test_the_mirror_of_the_environment(clone, monkeypatch):
    assert states(fetched(clone, ["incivility"])) == {"incivility": "absent"}
    assert failed(fetched(clone, ["incivility"]))
    monkeypatch.setenv("SELU_MIRROR", str(clone / "mirror"))
    assert states(fetched(clone, ["incivility"])) == {"incivility": "verified"}


@pytest.mark.parametrize(
    ("tasks", "options", "words"),
    [
        (["incivilty"], {}, "there is no pinned task 'incivilty'; did you mean 'incivility'?"),
        ([], {}, "name at least one task, or give --all"),
        (["incivility"], {"every": True}, "name tasks or give --all, not both"),
        (["incivility"], {"origin": "miror"}, "there is no origin 'miror'; did you mean 'mirror'?"),
        (["incivility"], {"mirror": Path("nowhere")}, "the mirror nowhere is not a folder"),
    ],
)
def test_a_users_mistake(clone, tasks, options, words):
    with pytest.raises(SeluError) as caught:
        fetched(clone, tasks, **options)
    assert words in str(caught.value)


def test_a_mirror_of_the_environment_that_is_no_folder(clone, monkeypatch):
    monkeypatch.setenv("SELU_MIRROR", str(clone / "nowhere"))
    with pytest.raises(SeluError, match="nowhere is not a folder"):
        fetched(clone, ["incivility"])


def test_a_folder_that_cannot_be_written(clone):
    """One task's trouble with the disk does not end the others."""
    folder = clone / "data" / "raw" / "selu"
    folder.mkdir(parents=True)
    (folder / "incivility").write_text("a file where the folder must be")
    rows = fetched(clone, ["incivility", "sentiment"], mirror=clone / "mirror")
    assert states(rows) == {"incivility": "absent", "sentiment": "unverified"}
    assert "incivility: File exists" in rows[0]["state"]
