"""Where a model's files come from, and every way in which they can be missing or wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from werkzeug import Request, Response
from werkzeug.serving import make_server

from selu.systems import bounded
from selu.systems.finetune import sources
from selu.systems.finetune.sources import Found, Wanted
from selu.vocabulary import MachineError

COMMIT = "c" * 40
FILES = {
    "model.safetensors": b"weights",
    "config.json": b"{}",
    "tokenizer.json": b"{}",
    "pytorch_model.bin": b"pickle",
    "code.py": b"import os",
}
WHOLE = ("model.safetensors", "config.json", "tokenizer.json")
DIGEST = hashlib.sha256(b"weights").hexdigest()


def folder(place: Path, names: tuple[str, ...] = WHOLE) -> Path:
    place.mkdir(parents=True)
    for name in names:
        (place / name).write_bytes(FILES.get(name, name.encode()))
    return place


def wanted(revision: str | None = None, package: str = "", hub: str = "org/small") -> Wanted:
    return Wanted("small", hub, package, "model" if package else "", revision)


def find(want: Wanted, **environment: str) -> tuple[Found, list[str]]:
    messages: list[str] = []
    return sources.find(want, messages.append, environment), messages


def refused(want: Wanted, **environment: str) -> str:
    with pytest.raises(MachineError) as caught:
        sources.find(want, print, environment)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["small", "org/small"])
def test_a_local_folder_by_the_systems_id_or_the_hubs(name, tmp_path):
    place = folder(tmp_path / name)
    found, messages = find(wanted(), SELU_MODELS=str(tmp_path))
    assert found == Found(place, DIGEST, DIGEST, "folder")
    assert messages == [f"no revision of small is pinned: that of its folder is taken and recorded, {DIGEST}"]
    assert found.record() == {"revision": DIGEST, "weights": DIGEST, "origin": "folder"}


def test_pins_of_a_local_folder(tmp_path):
    place = folder(tmp_path / "small")
    assert find(wanted(DIGEST), SELU_MODELS=str(tmp_path)) == (Found(place, DIGEST, DIGEST, "folder"), [])
    found, messages = find(wanted(COMMIT), SELU_MODELS=str(tmp_path))
    assert (found.revision, found.weights) == (COMMIT, DIGEST)
    assert "can't be held to the pinned commit" in messages[0]
    text = refused(wanted("d" * 64), SELU_MODELS=str(tmp_path))
    assert text.startswith(f"{place} holds other weights than those of small (sha256 {DIGEST}, {'d' * 64}")


def test_several_files_count_together(tmp_path):
    names = ("b.safetensors", "a.safetensors", "config.json", "vocab.txt")
    folder(tmp_path / "small", names)
    each = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in sorted(names[:2])]
    found, _ = find(wanted(), SELU_MODELS=str(tmp_path))
    assert found.weights == hashlib.sha256("".join(each).encode()).hexdigest()


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (
            ("pytorch_model.bin", "config.json"),
            "holds no weights as safetensors (other forms can hold programs)",
        ),
        (("model.safetensors",), "holds no config.json"),
        (("model.safetensors", "config.json"), "holds no tokenizer (tokenizer.json, vocab.txt"),
    ],
)
def test_a_folder_that_lacks_something(names, says, tmp_path):
    folder(tmp_path / "small", names)
    assert says in refused(wanted(), SELU_MODELS=str(tmp_path))
    assert "SELU_MODELS names" in refused(wanted(), SELU_MODELS=str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("index", "lacks"),
    [
        ('{"weight_map": {"a": "a.safetensors", "b": "b.safetensors"}}', "b.safetensors"),
        ('{"weight_map": {"a": "a.saf', "a readable model.safetensors.index.json"),
    ],
)
def test_a_download_that_stopped_between_two_files_is_named(index, lacks, tmp_path):
    """Else it ended in a traceback, once everything else was ready."""
    made = tmp_path / "small"
    folder(made, ("a.safetensors", "config.json", "vocab.txt"))
    (made / "model.safetensors.index.json").write_text(index)
    sentence = refused(wanted(), SELU_MODELS=str(tmp_path))
    assert (
        sentence
        == f"{made} lacks {lacks}, so its weights are not whole: 'rm -r {made}' and get the model anew."
    )


def test_a_package(tmp_path, monkeypatch):
    folder(tmp_path / "packed_model" / "model")
    (tmp_path / "packed_model" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    found, messages = find(wanted(DIGEST, package="packed_model"))
    assert (found.origin, found.weights, messages) == ("package", DIGEST, [])
    text = refused(wanted("d" * 64, package="packed_model"))
    assert text.endswith("install the package anew.")
    text = refused(wanted(DIGEST, package="no_such_package"))
    assert text.endswith("is not installed: 'make finetune-environment' installs it.")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The few pages of a hub that a snapshot takes."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    found = SimpleNamespace(asked=[], refusal=None, instead=None, moved=False)

    @Request.application
    def page(request: Request) -> Response:
        found.asked.append((request.path, request.headers.get("authorization")))
        if found.instead:
            return found.instead()
        if found.refusal:
            status, code = found.refusal
            return Response("{}", status, {"x-error-code": code, "x-error-message": "no"})
        if "/tree/" in request.path:
            entries = [{"type": "file", "path": n, "size": len(c), "oid": "0"} for n, c in FILES.items()]
            return Response(json.dumps(entries))
        if request.path.startswith("/api/models/"):
            names = [{"rfilename": name} for name in FILES]
            return Response(json.dumps({"id": "org/small", "sha": COMMIT, "siblings": names}))
        content = FILES[request.path.rpartition("/")[2]]
        tag = hashlib.sha1(content).hexdigest()
        if found.moved and request.host.startswith("127."):
            to = f"http://localhost:{server.server_port}{request.path}"
            size = {"x-linked-size": str(len(content)), "x-linked-etag": f'"{tag}"'}
            return Response("", 302, {"location": to, "x-repo-commit": COMMIT, **size})
        return Response(content, headers={"x-repo-commit": COMMIT, "etag": f'"{tag}"'})

    server = make_server("127.0.0.1", 0, page, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.settings = {
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HUB_CACHE": str(tmp_path / "cache"),
    }
    yield found
    server.shutdown()


def test_the_hub_gives_the_pinned_revision_without_programs(hub):
    found, messages = find(wanted(COMMIT), **hub.settings)
    assert (found.origin, found.revision, found.weights, messages) == ("hub", COMMIT, DIGEST, [])
    assert sorted(path.name for path in found.folder.iterdir()) == sorted(WHOLE)
    assert not any(name in path for path, _ in hub.asked for name in ("pytorch_model", "code.py"))
    assert {token for _, token in hub.asked} == {None}


def test_a_hub_may_keep_its_files_on_another_host(hub):
    hub.moved = True
    found, _ = find(wanted(COMMIT), HF_TOKEN="hf_secret", **hub.settings)
    assert found.weights == DIGEST
    assert None in {token for _, token in hub.asked}  # which is sent no token


@pytest.mark.ci
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])  # a line break behind a token is no part of it
def test_what_the_hub_gives_without_a_pin_is_recorded(end, hub):
    found, messages = find(wanted(), HF_TOKEN=f"hf_secret{end}", **hub.settings)
    assert found.revision == COMMIT
    assert messages == [f"no revision of small is pinned: that of its hub is taken and recorded, {COMMIT}"]
    assert {token for _, token in hub.asked} == {"Bearer hf_secret"}


@pytest.mark.parametrize("token", ["hf_\u2019secret", "hf_sec\nret"])
def test_no_token_is_ever_quoted(token, hub):
    """Libraries refuse such a header, and quote it."""
    text = refused(wanted(), HF_TOKEN=token, **hub.settings)
    assert token not in text
    assert "was not downloaded from the hub" in text


@pytest.mark.ci
@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (403, "GatedRepo", "is gated: accept its licence on the hub and give a token of yours as HF_TOKEN"),
        (404, "RevisionNotFound", f"has no revision {COMMIT} on the hub"),
        (404, "RepoNotFound", "is not on the hub, or not without a token (HF_TOKEN)"),
        (418, "", "was not downloaded from the hub (status 418)"),
    ],
)
def test_a_hub_that_refuses(status, code, says, hub):
    hub.refusal = (status, code)
    text = refused(wanted(COMMIT), HF_TOKEN="hf_secret", **hub.settings)
    assert text.startswith("small: org/small ")
    assert says in text
    assert text.endswith("; or put its folder into SELU_MODELS, as small or org/small.")
    assert "hf_secret" not in text


def test_a_hub_that_is_out_of_reach(hub, monkeypatch):
    from huggingface_hub import constants
    from huggingface_hub.utils import _http

    monkeypatch.setattr(_http.time, "sleep", lambda _: None)  # between its tries
    settings = {**hub.settings, "HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "was not downloaded from the hub (no connection)" in refused(wanted(COMMIT), **settings)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "was not downloaded from the hub (no connection)" in refused(wanted(COMMIT), **hub.settings)
    assert not hub.asked


@pytest.mark.parametrize("code", [errno.EACCES, errno.ENOSPC])
def test_a_cache_that_takes_nothing_is_named_and_is_no_lack_of_a_connection(code, hub, monkeypatch, tmp_path):
    """In a container whose volume belonged to root, users searched for a fault of their network."""
    import huggingface_hub

    def refuse(*_: object, cache_dir: str, **__: object) -> None:
        raise OSError(code, os.strerror(code), f"{cache_dir}/models--org--small")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    mend = {
        errno.EACCES: f"give it to this user ('chown --recursive {os.geteuid()}:{os.getegid()} {tmp_path}')",
        errno.ENOSPC: "make room there",
    }
    assert refused(wanted(COMMIT), **hub.settings) == (
        f"{tmp_path} can't be written ({os.strerror(code)}), so org/small can't be kept: {mend[code]}, or name "
        "another folder as HF_HUB_CACHE."
    )


def test_a_hub_that_asks_to_wait_for_years_is_not_waited_for(hub, monkeypatch):
    from huggingface_hub.utils import _http

    slept: list[float] = []
    monkeypatch.setattr(_http.time, "sleep", slept.append)
    hub.instead = lambda: Response("{}", 429, {"Retry-After": "99999999"})
    assert "was not downloaded from the hub" in refused(wanted(COMMIT), **hub.settings)
    assert sum(slept) < 60


@pytest.mark.ci
@pytest.mark.parametrize("head", [{}, {"Content-Length": "1000000"}])
def test_a_hub_that_sends_blanks_for_ever_is_given_up(head, hub, monkeypatch):
    def blanks() -> Iterator[bytes]:
        while not ended.wait(0.2):
            yield b" "

    ended = threading.Event()
    monkeypatch.setattr(bounded.HubClient, "seconds", 1.0)
    hub.instead = lambda: Response(blanks(), headers=head)
    began = time.monotonic()
    assert "was not downloaded from the hub (EndlessError)" in refused(wanted(COMMIT), **hub.settings)
    assert time.monotonic() - began < 10
    ended.set()
