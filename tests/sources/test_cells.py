"""Published predictions, cell by cell: what the pins may hold, and where the bytes come from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from made import COMMIT, sha256

from selu import registry
from selu.sources.cells import PREDICTIONS, RESULTS, obtain, read_cells
from selu.sources.network import Network
from selu.sources.verify import RefusedError, UnavailableError
from selu.vocabulary import Approach, Kind, SeluError

ROOT = Path(__file__).parents[2]
ANSWERS, SCORES = b"0,1\n0.5,0.5\n", b'{"eval_accuracy": 1.0}'
GOOD = f"""task: incivility
repository: owner/name
commit: "{COMMIT}"
folder: results/incivility
cells:
  bert-base:
    version: v3
    predictions: {{sha256: "{sha256(ANSWERS)}", bytes: {len(ANSWERS)}}}
    results: {{sha256: "{sha256(SCORES)}", bytes: {len(SCORES)}}}
  llama3.2-3b: {{version: v4}}
"""


def pins(tmp_path: Path, text: str = GOOD):
    folder = tmp_path / "pins"
    folder.mkdir(exist_ok=True)
    (folder / "incivility.yaml").write_text(text)
    return read_cells(folder)


def put(folder: Path, system: str, answers: bytes = ANSWERS, scores: bytes | None = SCORES) -> Path:
    place = folder / "incivility" / system
    place.mkdir(parents=True)
    (place / PREDICTIONS).write_bytes(answers)
    if scores is not None:
        (place / RESULTS).write_bytes(scores)
    return folder


@pytest.fixture
def get(tmp_path: Path, server, monkeypatch):
    """Obtains a cell; ``messages`` holds what was printed."""
    monkeypatch.setenv("SELU_RAW_HOST", server.url)
    network = Network()
    network.patience = type(network.patience)(sleep=lambda _: None)

    def call(system: str, *local: Path):
        return obtain(
            pins(tmp_path)["incivility"], system, tmp_path / "raw", local, network, call.messages.append
        )

    call.messages = []
    return call


def serve(server, version: str, system: str, answers: bytes = ANSWERS) -> None:
    place = f"/owner/name/{COMMIT}/results/incivility/{version}/{system}"
    server.put(f"{place}/{PREDICTIONS}", answers)
    server.put(f"{place}/{RESULTS}", SCORES)


def test_the_tracked_pins_hold_finetuned_cells_of_every_task():
    found = read_cells(ROOT / "data" / "pins" / "selu" / "predictions")
    tasks = {task.id: task for task in registry.tasks("selu")}
    finetuned = {s.id for s in registry.systems("selu") if s.approach is Approach.FINETUNED}
    assert set(found) == set(tasks)
    for name, cells in found.items():
        assert set(cells.cells) <= finetuned
        assert bool(cells.cells) != (tasks[name].kind in (Kind.ENTITIES, Kind.MASKED))
        assert set(cells.cells) == finetuned or cells.note
        paths = [cells.file(system, file).path for system in cells.cells for file in (PREDICTIONS, RESULTS)]
        assert len(paths) == len(set(paths))
    known = [
        (task, system)
        for task, cells in found.items()
        for system, run in cells.cells.items()
        if run.predictions
    ]
    assert len(known) == 8
    assert sum(len(cells.cells) for cells in found.values()) == 414


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (COMMIT, "main", "commit: String should match pattern"),
        ("folder: results/incivility", "folder: ../secret", "stays inside its folder"),
        ("version: v4", "version: v4, sha: x", "cells.llama3.2-3b.sha"),
        (sha256(ANSWERS), "ABC", "cells.bert-base.predictions.sha256"),
        (f"bytes: {len(ANSWERS)}", "bytes: 0", "cells.bert-base.predictions.bytes"),
    ],
)
def test_a_bad_pin_is_refused_with_file_and_field(tmp_path, old, new, message):
    assert old in GOOD
    with pytest.raises(SeluError, match="holds no pin"):
        read_cells(tmp_path)
    with pytest.raises(SeluError, match=re.escape(message)) as caught:
        pins(tmp_path, GOOD.replace(old, new))
    assert "incivility.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_local_folder_goes_first_and_asks_nobody(tmp_path, get, server):
    empty = tmp_path / "empty"
    empty.mkdir()
    had = get("bert-base", empty, put(tmp_path / "local", "bert-base"))
    assert had == (ANSWERS, SCORES)
    assert server.asked == []
    assert not (tmp_path / "raw").exists()


def test_local_bytes_that_are_not_the_pinned_ones_are_refused_and_nothing_else_is_tried(tmp_path, get, server):
    serve(server, "v3", "bert-base")
    with pytest.raises(RefusedError, match=f"{sha256(ANSWERS)} expected"):
        get("bert-base", put(tmp_path / "local", "bert-base", ANSWERS[::-1]))
    with pytest.raises(RefusedError, match=RESULTS):
        get("bert-base", put(tmp_path / "other", "bert-base", ANSWERS, SCORES[::-1]))
    assert server.asked == []


def test_local_predictions_without_a_report_are_taken(tmp_path, get):
    assert get("llama3.2-3b", put(tmp_path / "local", "llama3.2-3b", b"any", None)) == (b"any", None)


@pytest.mark.parametrize(("system", "version"), [("bert-base", "v3"), ("llama3.2-3b", "v4")])
def test_what_is_nowhere_local_is_fetched_once(tmp_path, get, server, system, version):
    with pytest.raises(UnavailableError, match=f"download results/incivility/{version}/{system}/{PREDICTIONS}"):
        get(system)
    server.asked.clear()
    serve(server, version, system)
    assert get(system) == (ANSWERS, SCORES)
    asked = len(server.asked)
    assert get(system) == (ANSWERS, SCORES)
    assert len(server.asked) == asked == 2
    assert (tmp_path / "raw" / "incivility" / system / "package" / PREDICTIONS).read_bytes() == ANSWERS


def test_a_pinned_file_that_was_changed_is_fetched_anew_and_must_be_the_pinned_one(tmp_path, get, server):
    serve(server, "v3", "bert-base", ANSWERS[::-1])
    with pytest.raises(RefusedError, match="bert-base"):
        get("bert-base")
    serve(server, "v3", "bert-base")
    get("bert-base")
    (tmp_path / "raw" / "incivility" / "bert-base" / "package" / PREDICTIONS).write_bytes(b"changed")
    assert get("bert-base") == (ANSWERS, SCORES)
    assert "run 'selu rescore incivility/bert-base'" in " ".join(get.messages)


def test_an_unpinned_file_that_was_changed_is_refused_until_its_folder_is_removed(tmp_path, get, server):
    serve(server, "v4", "llama3.2-3b")
    get("llama3.2-3b")
    folder = tmp_path / "raw" / "incivility" / "llama3.2-3b"
    (folder / "package" / PREDICTIONS).write_bytes(b"changed")
    with pytest.raises(RefusedError, match="remove that folder"):
        get("llama3.2-3b")
    shutil.rmtree(folder)
    assert get("llama3.2-3b") == (ANSWERS, SCORES)
