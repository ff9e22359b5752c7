"""``selu fetch result_files``: a stranger gets the authors' result files by their hashes, or one sentence."""

from __future__ import annotations

import csv
from dataclasses import fields
from pathlib import Path

import pytest
from made import COMMIT, content, network, sha256

from selu.app.datasets import fetch_published
from selu.app.datasets.fetch import failed, fetch_named
from selu.papers.pinned import Pinned, obtain, read_pins
from selu.sources.copies import copies
from selu.vocabulary import SeluError

FILES = {f"results/{name}/test results.json": content(300, seed) for seed, name in enumerate("abc")}
LIST = "result_files"


@pytest.fixture
def clone(tmp_path: Path, server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that pins three files of a repository, which the server has."""
    monkeypatch.setenv("SELU_RAW_HOST", server.url)
    monkeypatch.delenv("SELU_PREDICTIONS", raising=False)
    path = tmp_path / "data" / "pins" / "selu" / f"{LIST}.csv"
    path.parent.mkdir(parents=True)
    with path.open("w", newline="") as lines:
        rows = [
            ("t", file[8], file, sha256(data), len(data), "o/n", COMMIT, file) for file, data in FILES.items()
        ]
        csv.writer(lines).writerows([[field.name for field in fields(Pinned)], *rows])
    for file, data in FILES.items():
        server.put(f"/o/n/{COMMIT}/{file.replace(' ', '%20')}", data)
    return tmp_path


def fetched(clone: Path, mirror: Path | None = None) -> dict:
    ((row,), rest) = fetch_named(clone, [LIST], "selu", False, mirror, None, lambda _: None)
    assert rest == []
    return row


def test_from_the_repository_at_its_commit_and_once(clone, server):
    row = fetched(clone)
    assert (row["state"], row["origin"], row["files"], row["bytes"]) == ("verified", "o/n", 3, 900)
    pins = read_pins(clone / "data" / "pins" / "selu" / f"{LIST}.csv")
    folders = copies(clone, "selu", None, None)  # where the commands look that read these files
    assert [obtain(pin, folders) for pin in pins] == list(FILES.values())
    asked = len(server.asked)
    assert fetched(clone)["state"] == "already here"
    (folders[0] / pins[1].file).write_bytes(b"damaged")
    assert fetched(clone)["state"] == "verified"
    assert len(server.asked) == asked + 1


def test_from_the_mirror_without_a_request(clone, server, tmp_path):
    for file, data in FILES.items():
        place = tmp_path / "mirror" / "selu" / "predictions" / file
        place.parent.mkdir(parents=True)
        place.write_bytes(data)
    row = fetched(clone, tmp_path / "mirror")
    assert (row["state"], row["origin"], server.asked) == ("verified", "copies", [])
    assert not list((clone / "data").rglob("*.part"))


def test_other_bytes_are_refused_and_the_other_files_come(clone, server):
    file = list(FILES)[1]
    server.put(f"/o/n/{COMMIT}/{file.replace(' ', '%20')}", FILES[file][::-1])
    row = fetched(clone)
    assert row["state"].startswith(f"refused: 1 of 3 files are not here ({LIST}: {file} is not the pinned")
    assert (row["files"], failed([row])) == (2, True)
    assert not (clone / "data" / "raw" / "selu" / "published" / file).exists()


def test_without_mirror_and_network_one_sentence(clone, server):
    nowhere = network("http://127.0.0.1:9")
    lines: list[str] = []
    row = fetch_published.fetch_list(clone, "selu", LIST, None, nowhere, lines.append)
    assert row["state"].startswith("absent: 3 of 3 files are not here (127.0.0.1:9 can't be reached from this")
    assert f"they are in o/n at {COMMIT}." in row["state"]
    assert len(lines) <= 3  # not one for each of 656 files


def test_a_list_that_leads_out_of_its_folder_and_options_of_tasks(clone):
    path = clone / "data" / "pins" / "selu" / f"{LIST}.csv"
    with pytest.raises(SeluError, match="result_files is a list of published files: name it without --all"):
        fetch_named(clone, [LIST], "selu", False, None, "package", lambda _: None)
    path.write_text(path.read_text().replace("results/a/", "../../a/"))
    with pytest.raises(SeluError, match="points outside its folder"):
        fetched(clone)
