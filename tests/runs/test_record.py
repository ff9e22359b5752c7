from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selu.runs import atomic, record, seals
from selu.runs.record import State
from selu.vocabulary import SeluError

FILES = {"predictions.parquet": b"P" * 5_000, "more.bin": b"M" * 700}
PREDICTIONS = hashlib.sha256(FILES["predictions.parquet"]).hexdigest()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.dictionaries(st.text(max_size=5), JSON, max_size=4)


def run(identity: str = "a", **changes: Any) -> dict[str, Any]:
    fields = {"task": "flakiness", "system": "fasttext", "run": "strict-s7"}
    return {
        "state": "present",
        "identity": identity,
        "fields": fields,
        "grid": [{"c": 0.1, "score": 1 / 3}],
        **changes,
    }


def scores(identity: str = "a", predictions: str = PREDICTIONS) -> dict[str, Any]:
    return {"identity": identity, "value": 2 / 3, "predictions": predictions}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "results" / "selu" / "flakiness" / "fasttext" / "strict-s7"


@pytest.fixture
def there(folder: Path) -> Path:
    record.write_run(folder, FILES, run())
    record.write_scores(folder, scores())
    return folder


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


class TestSeal:
    def test_it_is_the_hash_of_the_canonical_json(self):
        sealed = seals.seal({"b": [1.5, None, 1e-7], "a": {"z": "ä\n", "y": True}})
        assert list(sealed) == ["b", "a", "seal"]
        text = '{"a":{"y":true,"z":"ä\\n"},"b":[1.5,null,1e-07]}'
        assert sealed["seal"] == hashlib.sha256(text.encode("utf-8")).hexdigest()

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
    def test_no_number_is_refused(self, number):
        for content in ({"a": number}, {"a": [{"b": number}]}, {number: 1}):
            with pytest.raises(ValueError):
                seals.to_bytes(content)

    @pytest.mark.parametrize(
        ("content", "error"),
        [({"a": {1: 2, "1": 3}}, ValueError), ({"a": "\ud800"}, ValueError), ({"a": {1}}, TypeError)],
    )
    def test_what_json_cannot_hold_is_refused_before_anything_is_written(self, tmp_path, content, error):
        with pytest.raises(error):
            seals.write_unit(tmp_path / "new" / "unit.json", content)
        assert not (tmp_path / "new").exists()

    @pytest.mark.ci
    @given(RECORDS)
    def test_reading_gives_back_what_was_written(self, tmp_path_factory, content):
        path = tmp_path_factory.getbasetemp() / "units" / "unit.json"
        seals.write_unit(path, content)
        assert seals.read_sealed(path, "a unit") == seals.seal(content)
        assert path.read_bytes() == seals.to_bytes(content) == seals.to_bytes(seals.seal(content))
        assert [item.name for item in path.parent.iterdir()] == ["unit.json"]

    @given(RECORDS, RECORDS)
    def test_an_edit_is_noticed(self, tmp_path_factory, content, other):
        path = tmp_path_factory.getbasetemp() / "edited.json"
        seal = seals.seal(content)["seal"]
        path.write_text(json.dumps({**other, "seal": seal}), "utf-8")
        if seals.seal(other)["seal"] == seal:
            assert seals.read_sealed(path, "a unit") == seals.seal(content)
        else:
            with pytest.raises(SeluError, match="was edited or is damaged"):
                seals.read_sealed(path, "a unit")

    def test_any_flipped_bit_or_lost_end_is_refused_or_harmless(self, tmp_path):
        path = tmp_path / "unit.json"
        seals.write_unit(
            path, {"name": "é", "values": [1.25, -3e-9, 12345678901234567890], "deep": {"a": None}}
        )
        whole, content = path.read_bytes(), seals.read_sealed(path, "a unit")
        refused = 0
        for bit in range(0, 8 * len(whole), 5):
            changed = bytearray(whole)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            try:
                assert seals.read_sealed(path, "a unit") == content  # white space
            except SeluError:
                refused += 1
        assert refused > 0.9 * 8 * len(whole) / 5
        for size in range(len(whole) - 1):  # the last byte is the end of the line
            path.write_bytes(whole[:size])
            with pytest.raises(SeluError, match="damaged or was edited"):
                seals.read_sealed(path, "a unit")

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "3", "null", '{"a": NaN}', '{"a": 1, "a": 1}', "[" * 100_000, "\ufeff{}", '{"a": 1e999}'],
    )
    def test_what_is_no_record_is_refused(self, tmp_path, text):
        path = tmp_path / "unit.json"
        path.write_text(text, "utf-8")
        with pytest.raises(
            SeluError, match=r"unit\.json, a unit, is damaged or was edited.*dvc checkout --force"
        ):
            seals.read_sealed(path, "a unit")

    def test_refusals_name_the_file_both_hashes_and_the_remedy(self, tmp_path):
        path = tmp_path / "unit.json"
        seals.write_unit(path, {"a": 1})
        seal = json.loads(path.read_text())["seal"]
        path.write_text(path.read_text().replace("1", "2", 1))
        found = hashlib.sha256(b'{"a":2}').hexdigest()
        with pytest.raises(SeluError) as caught:
            seals.read_sealed(path, "a unit")
        for word in (str(path), "a unit", seal, found, f"'dvc checkout --force {path}'"):
            assert word in str(caught.value)
        path.write_text('{"a": 2}')
        with pytest.raises(SeluError, match="its seal says nothing"):
            seals.read_sealed(path, "a unit")
        with pytest.raises(SeluError, match=r"none\.json, a unit, is missing"):
            seals.read_sealed(tmp_path / "none.json", "a unit")


class TestRun:
    def test_what_is_written_is_read(self, folder):
        record.write_run(folder, FILES, run(machine={"cores": 2}))
        found = record.read_run(folder, "a")
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(FILES.items())}
        assert found == seals.seal({"format": 1, **run(machine={"cores": 2}), "files": hashes})
        assert {name: record.read_file(folder, name, "a") for name in FILES} == FILES
        assert (folder / "run.json").read_bytes() == seals.to_bytes(found)
        assert set(snapshot(folder.parent)) == {
            folder.name,
            *(f"{folder.name}/{n}" for n in (*FILES, "run.json")),
        }

    def test_the_same_run_gives_the_same_bytes(self, folder):
        record.write_run(folder, FILES, run())
        before = snapshot(folder)
        record.write_run(folder, dict(reversed(FILES.items())), run())
        assert snapshot(folder) == before

    def test_a_new_run_leaves_nothing_of_the_old(self, there):
        record.write_run(there, {"predictions.parquet": b"new"}, run("b"))
        assert set(snapshot(there)) == {"predictions.parquet", "run.json"}
        with pytest.raises(SeluError, match="a run's scores, is missing"):
            record.read_scores(there)

    @pytest.mark.parametrize("name", ["", "run.json", "scores.json", "a/b", "../x", ".hidden", "a\\b", "a\0"])
    def test_names_that_are_not_a_runs_to_give_are_refused(self, folder, name):
        with pytest.raises(ValueError, match="plain names"):
            record.write_run(folder, {name: b""}, run())
        assert not folder.exists()

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"state": "done"}, "its state is 'done'"),
            ({"identity": None}, "no identity"),
            (
                {"fields": {"task": "flakiness", "system": "fasttext", "run": "paper-s7"}},
                "flakiness/fasttext/paper-s7",
            ),
        ],
    )
    def test_a_record_that_could_not_be_read_is_not_written(self, folder, change, words):
        with pytest.raises(ValueError, match=words):
            record.write_run(folder, FILES, {**run(), **change})

    def test_it_is_written_under_a_relative_name(self, there, monkeypatch):
        monkeypatch.chdir(there.parents[2])
        record.write_run(Path("flakiness/fasttext/strict-s7"), FILES, run("b"))
        assert record.read_run(there, "b") == record.read_run(Path("flakiness/fasttext/strict-s7"))

    def test_links_to_the_store_are_replaced_never_written_through(self, there, tmp_path):
        stored = tmp_path / "object"
        stored.write_bytes(FILES["predictions.parquet"])
        for name, link in (("predictions.parquet", os.link), ("scores.json", os.symlink)):
            (there / name).unlink()
            link(stored, there / name)
        stored.chmod(0o444)
        record.write_scores(there, scores())
        record.write_run(there, {"predictions.parquet": b"new"}, run("b"))
        assert stored.read_bytes() == FILES["predictions.parquet"]
        assert record.read_file(there, "predictions.parquet", "b") == b"new"

    def test_a_new_one_that_is_not_whole_does_not_stand(self, there):
        new = Path(shutil.copytree(there, there.with_name(f".{there.name}.new")))
        (new / "more.bin").unlink()
        before = snapshot(there.parent)
        assert record.read_file(there, "more.bin") == FILES["more.bin"]
        assert snapshot(there.parent) == before  # a reader changes nothing
        record.settle(there)
        assert [path.name for path in there.parent.iterdir()] == [there.name]

    def test_the_other_runs_leftovers_are_theirs(self, there):
        mine = there.parent / ".strict-s70.new.tmp-7"
        mine.mkdir()
        record.write_run(there, FILES, run("b"))
        assert mine.is_dir()

    def test_a_failed_read_is_no_permission_to_replace(self, there):
        (there.parent / ".strict-s7.new").mkdir()
        (there.parent / ".strict-s7.new" / "run.json").symlink_to("run.json")  # ELOOP
        before = snapshot(there)
        with pytest.raises(OSError, match="symbolic links"):
            record.write_failed(there, run(error="x"))
        assert snapshot(there) == before


class TestRefusals:
    def refusal(self, folder: Path, identity: str | None = None) -> str:
        with pytest.raises(SeluError) as caught:
            record.read_run(folder, identity)
        words = str(caught.value)
        assert words.count("\n") == 0
        assert "'selu run --task flakiness --system fasttext'" in words
        assert f"'dvc checkout --force {folder}'" in words
        return words

    def test_torn(self, there):
        path = there / "predictions.parquet"
        path.write_bytes(b"other")
        found = hashlib.sha256(b"other").hexdigest()
        assert f"{path} is damaged (sha256 {found})" in self.refusal(there)
        assert PREDICTIONS in self.refusal(there)
        path.unlink()
        assert f"{path} is missing" in self.refusal(there)
        path.mkdir()
        assert f"{path} is missing" in self.refusal(there)
        assert record.state(there, "a") is State.DAMAGED

    def test_edited(self, there):
        path = there / "run.json"
        path.write_text(path.read_text().replace("0.3333", "0.4333"))
        assert f"{path}, the record of a run, was edited" in self.refusal(there)
        assert record.state(there, "a") is State.DAMAGED
        path.unlink()
        assert f"{path}, the record of a run, is missing" in self.refusal(there)
        assert record.state(there, "a") is State.DAMAGED

    @pytest.mark.parametrize("part", [0, 1, 2])
    def test_foreign(self, there, part):
        names = list(there.parts[-3:])
        names[part] = "other"
        other = there.parents[2].joinpath(*names)
        shutil.copytree(there, other)
        with pytest.raises(SeluError, match=r"it is of flakiness/fasttext/strict-s7"):
            record.read_run(other)
        assert record.state(other, "a") is State.DAMAGED

    def test_stale(self, there):
        assert "(identity a, b expected)" in self.refusal(there, "b")
        assert record.state(there, "b") is State.STALE
        with pytest.raises(record.StaleRunError):
            record.read_file(there, "predictions.parquet", "b")

    def test_missing(self, folder):
        assert f"{folder} holds no run" in self.refusal(folder)
        folder.parent.mkdir(parents=True)
        assert f"{folder} holds no run" in self.refusal(folder)
        for read in (record.read_scores, lambda place: record.read_file(place, "predictions.parquet")):
            with pytest.raises(record.MissingRunError):
                read(folder)
        with pytest.raises(record.MissingRunError):
            record.write_scores(folder, scores())
        assert list(folder.parent.iterdir()) == []
        assert record.state(folder, "a") is State.MISSING

    def test_state_of_what_cannot_be_read(self, there):
        (there / "run.json").unlink()
        (there / "run.json").symlink_to("run.json")
        with pytest.raises(OSError):
            record.read_run(there)
        assert record.state(there, "a") is State.DAMAGED


class TestFailed:
    def failed(self, identity: str = "a") -> dict[str, Any]:
        return {key: value for key, value in run(identity, error="no memory").items() if key != "state"}

    def test_it_is_recorded(self, folder):
        record.write_failed(folder, self.failed())
        assert record.read_run(folder, "a")["error"] == "no memory"
        assert (record.state(folder, "a"), record.state(folder, "b")) == (State.FAILED, State.STALE)
        with pytest.raises(SeluError, match=r"has no predictions\.parquet \(its run is failed\)"):
            record.read_file(folder, "predictions.parquet")
        with pytest.raises(SeluError, match="holds None"):
            record.write_scores(folder, scores())

    def test_it_never_replaces_a_present_run_of_the_same_identity(self, there):
        before = snapshot(there.parent)
        record.write_failed(there, self.failed())
        assert snapshot(there.parent) == before

    def test_it_replaces_any_other(self, there):
        record.write_failed(there, self.failed("b"))
        assert record.state(there, "b") is State.FAILED
        assert set(snapshot(there)) == {"run.json"}
        record.write_failed(there, {**self.failed("b"), "error": "again"})
        assert record.read_run(there)["error"] == "again"
        record.write_run(there, FILES, run("b"))
        (there / "more.bin").unlink()
        record.write_failed(there, self.failed("b"))
        assert record.state(there, "b") is State.FAILED

    def test_replies_that_were_paid_for_stay(self, folder):
        record.write_run(folder, {**FILES, record.REPLIES: b"paid"}, run())
        for identity in "bbc":
            record.write_failed(folder, self.failed(identity))
            assert record.state(folder, identity) is State.FAILED
            assert set(snapshot(folder)) == {"run.json", record.REPLIES}
            assert record.read_alone(folder, record.REPLIES) == b"paid"
        (folder / record.REPLIES).write_bytes(b"edited")
        record.write_failed(folder, self.failed("d"))
        assert set(snapshot(folder)) == {"run.json"}
        assert record.read_alone(folder, record.REPLIES) is None


class TestOneFile:
    def test_it_is_read_whatever_became_of_the_others(self, there):
        (there / "more.bin").unlink()
        (there / record.SCORES).write_bytes(b"?")
        assert record.state(there, "a") is State.DAMAGED
        assert record.read_alone(there, "predictions.parquet") == FILES["predictions.parquet"]
        assert record.read_alone(there, "replies.parquet") is None
        with pytest.raises(
            SeluError, match=r"more\.bin is missing, its run was .*: make it again with 'selu run"
        ):
            record.read_alone(there, "more.bin")

    def test_it_is_refused_where_nobody_vouches_for_it(self, there, tmp_path):
        (there / "more.bin").write_bytes(b"edited")
        with pytest.raises(SeluError, match=r"more\.bin is damaged"):
            record.read_alone(there, "more.bin")
        other = Path(shutil.copytree(there, there.with_name("strict-s8")))
        with pytest.raises(SeluError, match="is not the record of this folder's run, it is of "):
            record.read_alone(other, "predictions.parquet")
        (there / record.RUN).write_text((there / record.RUN).read_text().replace('"a"', '"b"'))
        with pytest.raises(SeluError, match="was edited or is damaged"):
            record.read_alone(there, "predictions.parquet")
        for gone in (there.with_name("none"), tmp_path / "a" / "b" / "c"):
            with pytest.raises(record.MissingRunError):
                record.read_alone(gone, "predictions.parquet")


class TestScores:
    def test_they_are_written_and_read(self, there):
        assert record.read_scores(there) == seals.seal(scores())
        before = (there / "run.json").read_bytes()
        record.write_scores(there, {**scores(), "value": 0.5})
        assert record.read_scores(there)["value"] == 0.5
        assert (there / "run.json").read_bytes() == before
        assert record.read_run(there, "a")

    @pytest.mark.parametrize("other", [scores("b"), scores("a", "0" * 64), {"identity": "a"}, {}])
    def test_of_other_predictions_they_are_refused(self, there, other):
        with pytest.raises(SeluError, match="the scores are of"):
            record.write_scores(there, other)
        assert record.read_scores(there) == seals.seal(scores())
        (there / "scores.json").write_bytes(seals.to_bytes(other))
        with pytest.raises(SeluError, match=f"but {there} holds"):
            record.read_scores(there)

    def test_edited_or_of_a_damaged_run_they_are_refused(self, there):
        path = there / "scores.json"
        content = path.read_text()
        path.write_text(content.replace("0.6", "0.9"))
        with pytest.raises(SeluError, match=r"scores\.json, a run's scores, was edited"):
            record.read_scores(there)
        path.write_text(content)
        (there / "predictions.parquet").write_bytes(b"other")
        for use in (record.read_scores, lambda folder: record.write_scores(folder, scores())):
            with pytest.raises(SeluError, match=r"predictions\.parquet is damaged"):
                use(there)
        assert path.read_text() == content


class TestTogether:
    def test_a_process_forked_meanwhile_keeps_no_lock(self, there):
        with atomic.locked(there, alone=True):
            child = os.fork()
            if child == 0:
                signal.pause()
        number = os.open(there.parent, os.O_RDONLY)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(number)

    def test_readers_share_and_a_writer_waits_for_them(self, there):
        done = threading.Event()

        def write() -> None:
            record.write_run(there, FILES, run("b"))
            done.set()

        with atomic.locked(there, alone=False):
            assert record.read_run(there, "a")
            thread = threading.Thread(target=write)
            thread.start()
            assert not done.wait(0.2)
        thread.join(30)
        assert record.read_run(there, "b")
