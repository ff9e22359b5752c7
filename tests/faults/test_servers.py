"""``selu`` against servers that never end, send too much, or redirect: each is refused in its time."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers import asking
from helpers import small_project as small

RUN = ("run", "--task", small.BINARY, "--system", "tiny-zero-shot")
COMPATIBLE, LOCAL = "compatible", "local"
LIMIT, PATIENCE = 1.0, 2.0  # seconds of a call, and of calls in vain
MEMORY = 300_000  # kB


class Raw:
    """A server on the loopback whose requests are all answered by ``answer``, which writes what it likes."""

    def __init__(self, answer: Callable[[Handler], None]) -> None:
        self.answer, self.asked = answer, list[tuple[float, str, bytes]]()
        self.ends = threading.Event()
        kind = type("Bound", (Handler,), {"owner": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), kind)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients hang up
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def __enter__(self) -> Raw:
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ends.set()
        self.http.shutdown()
        self.http.server_close()


class Handler(BaseHTTPRequestHandler):
    owner: Raw
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.owner.asked.append((time.monotonic(), self.path, body))
        self.owner.answer(self)

    do_GET = do_POST  # noqa: N815

    def head(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def blanks(self) -> None:
        """Send a blank every half second, for ever."""
        while not self.owner.ends.wait(0.5):
            self.wfile.write(b" ")


def reply(text: str = "yes", model: str = "tiny") -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"id": "1", "object": "chat.completion", "model": model, "choices": [choice]}).encode()


def sends(body: bytes, status: int = 200, **headers: str) -> Callable[[Handler], None]:
    def answer(handler: Handler) -> None:
        handler.head(status, Content_Length=str(len(body)), Content_Type="application/json", **headers)
        handler.wfile.write(body)

    return answer


def blank_body(handler: Handler) -> None:
    handler.head(Content_Length="1000000", Content_Type="application/json")
    handler.blanks()


def blank_head(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length:")
    handler.blanks()


def huge(status: int = 200) -> Callable[[Handler], None]:
    """Send 3 GiB."""

    def answer(handler: Handler) -> None:
        handler.head(status, Content_Length=str(3 << 30), Content_Type="application/json")
        handler.wfile.write(b'{"choices": "')
        for _ in range(3 << 10):
            handler.wfile.write(b"x" * (1 << 20))

    return answer


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asking.make(tmp_path_factory.mktemp("made") / "project", (small.BINARY,))


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def project(root: Path, url: str, provider: str) -> Path:
    quick = {"timeout_seconds": LIMIT, "patience_seconds": PATIENCE, "poll_seconds": 0.01}
    tiny = {"provider": provider, "model": "tiny", "context": 4096, "base_url": url}
    small.alter(root, lambda p: (p["prompt"].update(quick), p["prompt"]["models"].update(tiny=tiny)))
    return root


def running(root: Path, server: Raw, provider: str = COMPATIBLE) -> Ended:
    return Ended(small.selu(project(root, server.url, provider), *RUN), server)


def busy() -> float:
    """How many times as long a process takes as on a machine that is not overloaded."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Ended:
    """A command to its end, in a process of its own: code, words, seconds since the first request, memory."""

    def __init__(self, process: subprocess.Popen[str], server: Raw) -> None:
        self.memory = 0
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            for line in status.read_text().splitlines():
                if line.startswith("VmHWM"):
                    self.memory = max(self.memory, int(line.split()[1]))
            time.sleep(0.02)
        ended = time.monotonic()
        self.code, self.words = process.returncode, "".join(process.communicate())
        assert server.asked, self.words
        self.seconds = ended - server.asked[0][0]

    def refused(self, words: str, seconds: float = PATIENCE + 2 * LIMIT + 3) -> None:
        assert self.code == 2, self.words
        assert words in self.words
        assert "Traceback" not in self.words
        assert self.seconds < seconds * busy()
        assert self.memory < MEMORY


def kept(root: Path) -> tuple[int, int]:
    """Replies in the journals of a project, and the bytes of the largest file beside them."""
    files = list(root.glob(".selu/prompts/**/*"))
    count = 0
    for path in files:
        if path.name == "journal.sqlite":
            with contextlib.closing(sqlite3.connect(path)) as base:
                count += base.execute("SELECT count(*) FROM reply").fetchone()[0]
    return count, max(path.stat().st_size for path in files)


@pytest.mark.ci
@pytest.mark.parametrize("answer", [blank_body, blank_head])
def test_a_blank_every_half_second_is_waited_for_as_long_as_is_said(root, answer):
    with Raw(answer) as server:
        running(root, server).refused(f"no whole answer within {LIMIT:g} seconds")


@pytest.mark.ci
@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_of_3_gib_is_not_read(root, status):
    with Raw(huge(status)) as server:
        running(root, server).refused("more than 1,048,576 bytes")


@pytest.mark.ci
def test_a_wait_that_is_asked_for_is_cut_to_what_is_left_of_patience(root):
    with Raw(sends(b"{}", 429, Retry_After="99999999")) as server:
        running(root, server).refused("too many requests")


@pytest.mark.ci
def test_a_prompt_goes_to_no_other_server_and_not_round_in_a_circle(root):
    with Raw(sends(reply())) as other:
        with Raw(sends(b"", 307, Location=f"{other.url}/chat/completions")) as server:
            running(root, server).refused(f"redirects to {other.url.removesuffix('/v1')}, and nothing is sent")
        assert other.asked == []
    with Raw(sends(b"", 307, Location="/v1/chat/completions")) as server:
        running(root, server).refused("redirects to itself more than 3 times")
        sent = [body for _, _, body in server.asked]
        assert max(map(sent.count, sent)) == 4


@pytest.mark.ci
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (blank_body, f"no whole answer within {LIMIT:g} seconds"),
        (huge(), "more than 1,048,576 bytes"),
        (sends(b"", 307, Location="http://127.0.0.1:9/v1/models"), "redirects to http://127.0.0.1:9"),
    ],
)
def test_the_list_of_models_ends(root, answer, words):
    def versions_are_unknown(handler: Handler) -> None:
        (answer if handler.path == "/v1/models" else sends(b"{}", 404))(handler)

    with Raw(versions_are_unknown) as server:
        running(root, server, LOCAL).refused(words)
        assert server.asked[-1][1] == "/v1/models"


@pytest.mark.ci
def test_replies_of_30_mb_are_not_kept(root):
    with Raw(sends(reply("yes" * 10_000_000))) as server:
        running(root, server).refused("more than 1,048,576 bytes")
    count, largest = kept(root)
    assert count == 0
    assert largest < 1 << 20


@pytest.mark.ci
def test_a_redirect_on_the_same_server_is_followed(root):
    def answer(handler: Handler) -> None:
        if handler.path == "/v1/chat/completions":
            sends(b"", 307, Location="/v1/chat/completions/")(handler)
        else:
            sends(reply())(handler)

    with Raw(answer) as server:
        assert running(root, server).code == 0


@pytest.fixture
def silent() -> Iterator[Raw]:
    """A server that answers its first two requests, and then sends blanks."""

    def answer(handler: Handler) -> None:
        (sends(reply()) if len(server.asked) <= 2 else blank_body)(handler)

    with Raw(answer) as server:
        yield server


@pytest.mark.ci
@pytest.mark.parametrize("pauses", [(), (0.0,), (0.3,)], ids=["once", "twice at once", "twice"])
def test_ctrl_c_ends_it_within_a_second(root, silent, pauses):
    project(root, silent.url, COMPATIBLE)
    small.alter(root, lambda p: p["prompt"].update(timeout_seconds=300.0, patience_seconds=3600.0))
    errors = interrupted(small.selu(root, *RUN), silent, 8, pauses)
    assert errors[-1] == "selu: interrupted; no file is half-written: run it again."
    assert kept(root)[0] == 2  # what was answered is kept


@pytest.mark.ci
@pytest.mark.parametrize(
    ("provider", "model", "path"),
    [("openai", "gpt-4o", "/v1/files"), ("anthropic", "claude-3.7", "/v1/v1/messages/batches")],
)
def test_ctrl_c_ends_a_batch_within_a_second(root, provider, model, path):
    with Raw(blank_body) as server:
        small.alter(root, lambda p: p["prompt"]["models"][model].update(base_url=server.url))
        keys = {"OPENAI_API_KEY": "sk-test-0001", "ANTHROPIC_API_KEY": "sk-ant-test-0001"}
        words = ("run", "--task", small.BINARY, "--system", f"{model}-zero-shot")
        interrupted(small.selu(root, *words, environment=keys), server, 1, (0.0,))
        assert server.asked[0][1] == path
    assert not list(root.glob(".selu/prompts/**/*.jsonl"))


def interrupted(process: subprocess.Popen[str], server: Raw, asked: int, pauses: Sequence[float]) -> list[str]:
    """Press Ctrl-C once so many requests came, and again after pauses; returns what it says."""
    deadline = time.monotonic() + 60
    while len(server.asked) < asked:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    for pause in pauses:
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    took = time.monotonic() - began
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert took < 1.0 * busy()
    return errors.splitlines()


# ---- data


def fetching(folder: Path, server: Raw, origin: str, *options: str) -> subprocess.Popen[str]:
    """``selu fetch`` of a task whose hosts are the server."""
    for name in ("pins/selu", "paper"):
        (folder / "data" / name).mkdir(parents=True)
    shutil.copy(small.ROOT / "params.yaml", folder)
    shutil.copy(small.ROOT / "data" / "pins" / "selu" / "incivility.yaml", folder / "data" / "pins" / "selu")
    host = server.url.removesuffix("/v1")
    hosts = {"SELU_RAW_HOST": host, "SELU_LFS_HOST": host, "SELU_MIRROR": ""}
    return small.selu(folder, "fetch", "incivility", "--origin", origin, *options, environment=hosts)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("origin", "words"),
    [("package", "gave an answer without an end"), ("original", f"{3 << 30} bytes are announced")],
    ids=["large-file storage", "plain file"],
)
def test_a_file_of_3_gib_instead_of_a_small_one_is_not_read(tmp_path, origin, words):
    with Raw(huge()) as server:
        ended = Ended(fetching(tmp_path, server, origin, "--json"), server)
        assert ended.code == 1  # as of each task that was not fetched
        assert words in " ".join(ended.words.split())
        assert ended.memory < MEMORY
        assert "Traceback" not in ended.words
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size > 1 << 20]


@pytest.mark.ci
@pytest.mark.parametrize("answer", [blank_head, blank_body])
def test_ctrl_c_ends_a_download_within_a_second(tmp_path, answer):
    with Raw(answer) as server:
        interrupted(fetching(tmp_path, server, "original"), server, 1, ())
