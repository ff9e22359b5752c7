"""A real HTTP server on this machine's loopback: plain files with ranges, git-LFS's batch protocol, and every
way of answering badly. It records what it was asked."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class Place:
    """What a path holds, and how it misbehaves. ``times``: how many requests meet the fault (None: all)."""

    content: bytes = b""
    fault: str | None = None
    value: float = 0
    times: int | None = None
    asked: int = 0
    header: dict[str, str] = field(default_factory=dict)

    def faulty(self) -> bool:
        self.asked += 1
        return self.fault is not None and (self.times is None or self.asked <= self.times)


class Server:
    """``with Server() as server:``; ``server.url`` is its address, ``server.asked`` what it was asked."""

    def __init__(self, name: str = "127.0.0.1") -> None:
        self.places: dict[str, Place] = {}
        self.objects: dict[str, dict] = {}
        self.batch: Place = Place()
        self.asked: list[Asked] = []
        self.let_go = threading.Event()
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # a client that goes away is part of the tests
        self.url = f"http://{name}:{self._http.server_port}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go.set()
        self._http.shutdown()
        self._http.server_close()

    def put(self, path: str, content: bytes, fault: str | None = None, value: float = 0, **options) -> Place:
        """Serve content under a path, with a fault."""
        place = self.places[path] = Place(content, fault, value, **options)
        return place

    def put_lfs(self, content: bytes, **changes) -> Place:
        """Keep content in large-file storage; ``changes`` alter the batch answer's object."""
        oid = hashlib.sha256(content).hexdigest()
        found = {"oid": oid, "size": len(content)}
        found["actions"] = {"download": {"href": f"{self.url}/storage/{oid}?signature=hidden-in-the-link"}}
        self.objects[oid] = {**found, **changes}
        return self.put(f"/storage/{oid}", content)

    def gets(self, path: str) -> list[Asked]:
        """Requests for a path, without its query."""
        return [asked for asked in self.asked if asked.path.partition("?")[0] == path]

    def ranges(self, path: str) -> list[str | None]:
        """The range that each request for a path asked for."""
        return [asked.headers.get("range") for asked in self.gets(path)]


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class _Handler(BaseHTTPRequestHandler):
    owner: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.owner.asked.append(Asked(self.command, self.path, _lower(self.headers), body))
        batch = self.owner.batch
        if not self.path.endswith(".git/info/lfs/objects/batch"):
            return self._plain(404, b"no such place")
        if batch.faulty():
            return self._fault(batch)
        asked = json.loads(body)
        assert asked["operation"] == "download"
        assert asked["transfers"] == ["basic"]
        unknown = {"error": {"code": 404, "message": "Object does not exist"}}
        objects = [self.owner.objects.get(entry["oid"], entry | unknown) for entry in asked["objects"]]
        answer = json.dumps({"transfer": "basic", "objects": objects}).encode()
        return self._plain(200, answer, {"Content-Type": "application/vnd.git-lfs+json"})

    def do_GET(self) -> None:
        self.owner.asked.append(Asked(self.command, self.path, _lower(self.headers)))
        place = self.owner.places.get(self.path.partition("?")[0])
        if place is None:
            return self._plain(404, b"no such place")
        if place.faulty():
            return self._fault(place)
        return self._serve(place, place.content)

    def _plain(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, place: Place, content: bytes, *, ranges: bool = True, length: int | None = None) -> bytes:
        """Send the head of a good answer; returns the bytes that belong behind it."""
        wanted, start = self.headers.get("Range"), 0
        if wanted and ranges:
            start = int(wanted.removeprefix("bytes=").partition("-")[0])
            if start >= len(content):
                self._plain(416, b"", {"Content-Range": f"bytes */{len(content)}"})
                return b""
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        for name, value in place.header.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) - start if length is None else length))
        self.end_headers()
        return content[start:]

    def _serve(self, place: Place, content: bytes, *, ranges: bool = True) -> None:
        self.wfile.write(self._begin(place, content, ranges=ranges))

    def _fault(self, place: Place) -> None:
        faults: dict[str, Callable[[Place], None]] = {
            "cut": self._cut,
            "drip": self._drip,
            "head drip": self._head_drip,
            "stall": self._stall,
            "longer": self._longer,
            "endless": self._endless,
            "no length": self._no_length,
            "wrong range": self._wrong_range,
            "wrong bytes": lambda place: self._serve(place, place.content[::-1]),
            "ignores range": lambda place: self._serve(place, place.content, ranges=False),
            "redirect": lambda place: self._plain(302, b"", place.header),
        }
        if place.fault in faults:
            faults[place.fault](place)
        else:
            self._plain(int(str(place.fault)), b"sorry", place.header)

    def _cut(self, place: Place) -> None:
        """Announce all, send ``value`` bytes of it, hang up."""
        self.wfile.write(self._begin(place, place.content)[: int(place.value)])
        self.close_connection = True

    def _drip(self, place: Place) -> None:
        """One byte every ``value`` seconds."""
        for byte in self._begin(place, place.content):
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.owner.let_go.wait(place.value):
                return

    def _head_drip(self, place: Place) -> None:
        """A head without an end, one letter every ``value`` seconds."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length:")
        while not self.owner.let_go.wait(place.value):
            self.wfile.write(b" ")

    def _stall(self, place: Place) -> None:
        """Send ``value`` bytes, then nothing, with the connection open; a negative number: not even a head."""
        if place.value >= 0:
            self.wfile.write(self._begin(place, place.content)[: int(place.value)])
            self.wfile.flush()
        self.owner.let_go.wait(300)
        self.close_connection = True

    def _longer(self, place: Place) -> None:
        """Announce ``value`` bytes more than there are."""
        self.wfile.write(self._begin(place, place.content, length=len(place.content) + int(place.value)))
        self.close_connection = True

    def _endless(self, place: Place) -> None:
        """Chunks that would go on to 20 MB, no length."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(5_000):
            self.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def _no_length(self, place: Place) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(place.content)
        self.close_connection = True

    def _wrong_range(self, place: Place) -> None:
        """Answer every request for a range with the first bytes."""
        if not self.headers.get("Range"):
            return self._serve(place, place.content)
        body = place.content[:10]
        return self._plain(206, body, {"Content-Range": f"bytes 0-9/{len(place.content)}"})
