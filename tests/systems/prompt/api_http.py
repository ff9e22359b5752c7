"""The transport: requests read, uploads streamed to the disk, answers sent, and the faults of the wire."""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from api_faults import BEFORE
from api_rules import Answer, Problem

if TYPE_CHECKING:
    from api_server import Asked, Server

PIECE = 1 << 20
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please wait.</body></html>"
WAITS = ("0", "0.02", "0.05")
PROBLEMS = {
    "server_error": (500, "server_error", "api_error"),
    "unavailable": (503, "server_error", "overloaded_error"),
    "overloaded": (529, "overloaded_error", "overloaded_error"),
}


class Broken(Exception):  # noqa: N818
    """The request ended before it was complete."""


@dataclass
class Upload:
    """The parts of a form: text, or a file's name and its path on the disk."""

    parts: dict[str, str | tuple[str, Path]] = field(default_factory=dict)


class Form:
    """Reads multipart/form-data piece by piece; files go to the disk and are never held whole."""

    def __init__(self, pieces: Iterator[bytes], boundary: str, new_path: Any) -> None:
        self.pieces, self.mark, self.new_path = pieces, b"--" + boundary.encode(), new_path
        self.held = b""

    def read(self) -> Upload:
        """All parts."""
        upload = Upload()
        self._until(self.mark, lambda _: None)
        while self._next_two() == b"\r\n":
            head: list[bytes] = []
            self._until(b"\r\n\r\n", head.append)
            text = b"".join(head).decode()
            name = re.search(r'\bname="([^"]*)"', text)
            file = re.search(r'\bfilename="([^"]*)"', text)
            if name is None:
                raise Problem(400, "invalid_request_error", "A part of the form has no name.")
            if file is None:
                value: list[bytes] = []
                self._until(b"\r\n" + self.mark, value.append)
                upload.parts[name[1]] = b"".join(value).decode()
            else:
                path = self.new_path()
                with path.open("wb") as out:
                    self._until(b"\r\n" + self.mark, out.write)
                upload.parts[name[1]] = (file[1], path)
        _drain(self.pieces)  # what follows the last mark
        return upload

    def _next_two(self) -> bytes:
        while len(self.held) < 2:
            self._more()
        two, self.held = self.held[:2], self.held[2:]
        return two

    def _more(self) -> None:
        piece = next(self.pieces, b"")
        if not piece:
            raise Problem(400, "invalid_request_error", "The form ends too early.")
        self.held += piece

    def _until(self, mark: bytes, sink: Any) -> None:
        while (at := self.held.find(mark)) < 0:
            sure = max(0, len(self.held) - len(mark) + 1)
            sink(self.held[:sure])
            self.held = self.held[sure:]
            self._more()
        sink(self.held[:at])
        self.held = self.held[at + len(mark) :]


def _drain(pieces: Iterator[bytes]) -> None:
    for _ in pieces:
        pass


class Handler(BaseHTTPRequestHandler):
    """One connection; ``owner`` is the server."""

    owner: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        try:
            self._serve()
        except Broken:
            self.close_connection = True

    do_POST = do_DELETE = do_GET  # noqa: N815

    # ---- one request

    def _serve(self) -> None:
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        provider, route, ids = self.owner.find(self.command, url.path, headers)
        name = route.name if route else ""
        asked = self.owner.note(self.command, self.path, name, headers)
        request, pieces = self.owner.new_id("req_"), self._pieces()
        try:
            provider.check_key(headers)
            if route is None:
                raise Problem(404, provider.not_found, f"There is no {self.command} {url.path}.")
            asked.fault = self.owner.faults.of_request(name)
            if asked.fault in BEFORE:
                _drain(pieces)
                answer = self._before(str(asked.fault), provider.name)
            else:
                answer = self.owner.call(route, ids, dict(parse_qsl(url.query)), self._body(pieces))
        except Problem as problem:
            _drain(pieces)
            body = json.dumps(provider.refusal(problem, request)).encode()
            answer = Answer(body, problem.status, headers=dict(problem.headers))
        if answer is not None:
            answer.headers = {**provider.headers(request), **answer.headers}
            self._answer(answer, asked)

    def _pieces(self) -> Iterator[bytes]:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                yield self._exactly(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left:
            piece = self._exactly(min(left, PIECE))
            left -= len(piece)
            yield piece

    def _exactly(self, size: int) -> bytes:
        piece = self.rfile.read(size)
        if len(piece) < size:
            raise Broken
        return piece

    def _body(self, pieces: Iterator[bytes]) -> bytes | Upload:
        kind = self.headers.get("Content-Type", "")
        if not kind.startswith("multipart/form-data"):
            return b"".join(pieces)
        boundary = re.search(r'boundary="?([^";]+)"?', kind)
        if boundary is None:
            raise Problem(400, "invalid_request_error", "The form has no boundary.")
        owner = self.owner
        return Form(pieces, boundary[1], lambda: owner.folder / owner.new_id("upload_")).read()

    # ---- answers

    def _answer(self, answer: Answer, asked: Asked) -> None:
        """Send an answer, or what the fault makes of it."""
        if asked.fault in ("lost_reply", "silent"):
            if asked.fault == "silent":
                self.owner.let_go.wait(30)
            self.close_connection = True
            return
        if asked.fault == "slow":
            time.sleep(0.005)
        if asked.fault == "bad_json":
            answer = Answer(b'{"id": "', headers=answer.headers)
        asked.status = answer.status
        self._send(answer, half=asked.fault == "truncated")

    def _send(self, answer: Answer, *, half: bool) -> None:
        size = answer.body.stat().st_size if isinstance(answer.body, Path) else len(answer.body)
        sent = size // 2 if half else size
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.kind, "Content-Length": str(size), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if isinstance(answer.body, bytes):
            self.wfile.write(answer.body[:sent])
        elif sent:
            with answer.body.open("rb") as file:
                self.connection.sendfile(file, 0, sent)
        self.close_connection |= half

    def _before(self, fault: str, provider: str) -> Answer | None:
        """What a request that is not accepted is answered."""
        if fault == "reset":
            self._reset()
            return None
        if fault in ("html_ok", "html_502"):
            return Answer(PAGE, 200 if fault == "html_ok" else 502, "text/html; charset=utf-8")
        if fault in PROBLEMS:
            status, openai, anthropic = PROBLEMS[fault]
            kind = anthropic if provider == "anthropic" else openai
            raise Problem(status, kind, "The service is not available.")
        if fault == "no_credit":
            if provider == "anthropic":
                raise Problem(400, "invalid_request_error", "Your credit balance is too low.")
            raise Problem(429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota")
        kind = "rate_limit_error" if provider == "anthropic" else "requests"
        problem = Problem(429, kind, "Rate limit reached.", "rate_limit_exceeded")
        problem.headers = {
            "rate_limit": {"Retry-After": WAITS[self.owner.faults.happened[fault] % len(WAITS)]},
            "rate_limit_ms": {"retry-after-ms": "15", "Retry-After": "1"},
            "rate_limit_date": {"Retry-After": formatdate(usegmt=True)},
            "rate_limit_bare": {},
        }[fault]
        raise problem

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())  # now, and not with the end of a shutdown before it
        self.close_connection = True
