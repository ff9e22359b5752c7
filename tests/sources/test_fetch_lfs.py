"""Large-file storage, its expiring links, and whom a token goes to."""

from __future__ import annotations

import base64
import json

import pytest
from made import Clock, network, sha256
from one_file import DATA, URL, get, refused, whole
from server import Server

from selu.sources.verify import UnavailableError
from selu.vocabulary import SeluError


def test_a_file_in_large_file_storage(server, folder):
    server.put_lfs(DATA)
    get(server, folder, lfs=True)
    whole(folder)
    post, storage = server.asked
    assert post.path == "/owner/name.git/info/lfs/objects/batch"
    assert post.headers["accept"] == post.headers["content-type"] == "application/vnd.git-lfs+json"
    assert json.loads(post.body)["objects"] == [{"oid": sha256(DATA), "size": len(DATA)}]
    assert storage.path.endswith("?signature=hidden-in-the-link")


def test_the_token_goes_to_the_configured_hosts_only(server, folder, monkeypatch):
    """Another name of this machine is another host."""
    monkeypatch.setenv("SELU_GITHUB_TOKEN", "ghp_hidden")
    with Server("localhost") as other:
        server.put(URL, b"", "redirect", header={"Location": f"{other.url}/elsewhere"})
        other.put("/elsewhere", DATA)
        get(server, folder)
        whole(folder)
        assert server.asked[0].headers["authorization"] == "Bearer ghp_hidden"
        assert "authorization" not in other.asked[0].headers


def test_neither_the_token_nor_a_links_headers_follow_to_another_host(server, folder, monkeypatch):
    monkeypatch.setenv("SELU_GITHUB_TOKEN", "ghp_hidden")
    with Server("localhost") as other:
        link = {"href": f"{server.url}/hop", "header": {"Authorization": "Basic of-the-link"}}
        server.put_lfs(DATA, actions={"download": link})
        server.put("/hop", b"", "redirect", header={"Location": f"{other.url}/kept"})
        other.put("/kept", DATA)
        get(server, folder, lfs=True)
        whole(folder)
        assert server.asked[0].headers["authorization"].startswith("Basic ")
        assert server.gets("/hop")[0].headers["authorization"] == "Basic of-the-link"
        assert "authorization" not in other.asked[0].headers


def test_what_is_asked_of_a_storage_is_not_sent_on_to_another_host(server, folder):
    with Server("localhost") as other:
        server.batch.fault, server.batch.header = (
            "redirect",
            {"Location": f"{other.url}/x.git/info/lfs/objects/batch"},
        )
        refused(server, folder, UnavailableError, "to which nothing is sent", lfs=True)
        assert other.asked == []


def test_no_secret_in_any_line(server, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("SELU_GITHUB_TOKEN", "ghp_hidden")
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hidden-netrc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    server.put_lfs(DATA)
    server.places[f"/storage/{sha256(DATA)}"].fault = "503"
    lines: list[str] = []
    words = refused(server, folder, UnavailableError, "answered 503", lfs=True, lines=lines)
    assert "hidden" not in words + "".join(lines)
    basic = base64.b64encode(b"me:hidden-netrc").decode()
    assert all(basic not in str(asked.headers) for asked in server.asked)


def test_a_token_is_not_sent_unencrypted(monkeypatch):
    monkeypatch.setenv("SELU_GITHUB_TOKEN", "ghp_hidden")
    assert network("http://mirror.example")._credentials("http://mirror.example/x") == {}
    usual = network("https://github.com")
    assert usual._credentials("https://github.com/x")
    assert usual._credentials("https://github.com.evil.example/x") == {}
    monkeypatch.setenv("SELU_GITHUB_TOKEN", "two\nlines")
    with pytest.raises(SeluError, match="SELU_GITHUB_TOKEN has characters"):
        usual._credentials("https://github.com/x")


def error(code, message):
    return {"error": {"code": code, "message": message}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (error(404, "bad\x1b[31m" + "x" * 200), r"refused by its .*storage \(404: bad\[31mx{113}\)"),
        (error(499, ""), r"a.csv is refused by its large-file storage \(499: no reason given\)"),
        ({"size": 5}, "5 bytes where 200000 are pinned"),
        ({"actions": {}}, "no answer of git-LFS"),
        ({"actions": {"download": {"href": "file:///x"}}}, "no answer of git-LFS"),
    ],
)
def test_an_object_that_large_file_storage_refuses_or_gives_wrongly(server, folder, changes, words):
    server.put_lfs(DATA, **changes)
    refused(server, folder, UnavailableError, words, lfs=True)
    assert len(server.asked) == 1


def test_an_object_error_that_may_pass(server, folder):
    server.put_lfs(DATA, **error(500, "busy"))
    refused(server, folder, UnavailableError, r"\(500: busy\) \(tries: 5\)", lfs=True)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("403", "batch answered 403"),
        ("200", "gave no answer of git-LFS's batch protocol"),  # no JSON
    ],
)
def test_large_file_storage_that_is_not_there(server, folder, fault, words):
    server.put_lfs(DATA)
    server.batch.fault = fault
    refused(server, folder, UnavailableError, words, lfs=True)


def test_large_file_storage_that_is_busy(server, folder):
    server.put_lfs(DATA)
    server.batch.fault, server.batch.times, server.batch.header = "429", 1, {"Retry-After": "3"}
    clock = Clock()
    get(server, folder, lfs=True, clock=clock.time, sleep=clock.sleep)
    whole(folder)
    assert clock.slept == [3.0]


def test_a_link_that_expires_while_it_is_read(server, folder):
    place = server.put_lfs(DATA)
    place.fault, place.times = "403", 1
    get(server, folder, lfs=True)
    whole(folder)
    assert [asked.method for asked in server.asked] == ["POST", "GET", "POST", "GET"]
