"""The transport: requests read, answers sent, and the faults of the wire."""

from __future__ import annotations

import json
import os
import re
import socket
import struct
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from api_faults import BEFORE
from api_rules import Answer, Problem

if TYPE_CHECKING:
    from api_server import Asked, Server

PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please wait.</body></html>"


def parts_of(form: bytes, kind: str) -> dict[str, Any]:
    """The parts of multipart/form-data: texts, or a file's name and content."""
    parts: dict[str, Any] = {}
    for part in form.split(b"--" + kind.partition("boundary=")[2].encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        names = dict(re.findall(r'\b(name|filename)="([^"]*)"', head.decode()))
        content = content.removesuffix(b"\r\n")
        parts[names["name"]] = (names["filename"], content) if "filename" in names else content.decode()
    return parts


class Handler(BaseHTTPRequestHandler):
    """One connection; ``owner`` is the server."""

    owner: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        url, size = urlsplit(self.path), int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        if len(body) < size:  # the client was killed while it sent
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        provider, route, ids = self.owner.find(self.command, url.path)
        asked = self.owner.note(self.command, route, headers)
        request = self.owner.new_id("req_")
        try:
            provider.check_key(headers)
            if not route:
                raise Problem(404, provider.not_found, f"There is no {self.command} {url.path}.")
            asked.fault = self.owner.faults.of_request(route)
            if asked.fault in BEFORE:
                answer = self._before(str(asked.fault), provider.name)
            else:
                kind = self.headers.get("Content-Type", "")
                content = parts_of(body, kind) if kind.startswith("multipart/") else body
                answer = self.owner.call(route, ids, dict(parse_qsl(url.query)), content)
        except Problem as problem:
            text = json.dumps(provider.refusal(problem.failure, request)).encode()
            answer = Answer(text, problem.failure.status, headers=dict(problem.headers))
        if answer is not None:
            answer.headers = {provider.id_header: request, **answer.headers}
            self._answer(answer, asked)

    do_POST = do_DELETE = do_GET  # noqa: N815

    def _answer(self, answer: Answer, asked: Asked) -> None:
        """Send an answer, or what the fault makes of it."""
        if asked.fault in ("lost_reply", "silent"):
            if asked.fault == "silent":
                self.owner.let_go.wait(30)
            self.close_connection = True
            return
        if asked.fault == "bad_json":
            answer = Answer(b'{"id": "', headers=answer.headers)
        asked.status = answer.status
        size = len(answer.body)
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.kind, "Content-Length": str(size), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        half = asked.fault == "truncated"
        self.wfile.write(answer.body[: size // 2] if half else answer.body)
        self.close_connection |= half

    def _before(self, fault: str, provider: str) -> Answer | None:
        """What a request that is not accepted is answered."""
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())  # now, and not with the end of a shutdown before it
            self.close_connection = True
            return None
        if fault == "html_ok":
            return Answer(PAGE, kind="text/html; charset=utf-8")
        if fault == "server_error":
            raise Problem(500, "server_error", "The service is not available.")
        if fault == "no_credit":
            if provider == "anthropic":
                raise Problem(400, "invalid_request_error", "Your credit balance is too low.")
            raise Problem(429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota")
        problem = Problem(429, "requests", "Rate limit reached.", "rate_limit_exceeded")
        problem.headers = {"Retry-After": "0.02"}
        raise problem
