"""A real server of the S3 protocol on this machine's loopback, and a line to it that can be cut."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import boto3
import requests

OPEN, CLOSED = "public", "private"  # buckets
ACTIONS = {"writer": ["s3:*"], "reader": ["s3:GetObject", "s3:ListBucket"], "nobody": ["sns:*"]}
_PATIENCE = 30  # seconds


class Server:
    """``with Server(log) as server:``; users by name of what they may do, each with a key of its own."""

    def __init__(self, log: Path) -> None:
        self._log, self.keys = log, {}

    def __enter__(self) -> Server:
        command = [sys.executable, "-m", "moto.server", "-p", "0"]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self.url = self._address()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.terminate()
        self._process.wait()

    def _address(self) -> str:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            if found := re.search(r"Running on (http://\S+)", self._log.read_text()):
                return found[1]
            time.sleep(0.02)
        raise RuntimeError(self._log.read_text())

    def empty(self) -> None:
        """Two empty buckets, and the three users; keys are not asked for."""
        self._tell("reset")
        self.ask_for_keys(False)
        for name in (OPEN, CLOSED):
            self.client("s3").create_bucket(Bucket=name)
        for user, actions in ACTIONS.items():
            statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
            policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            iam = self.client("iam")
            iam.create_user(UserName=user)
            iam.put_user_policy(UserName=user, PolicyName=user, PolicyDocument=policy)
            key = iam.create_access_key(UserName=user)["AccessKey"]
            self.keys[user] = (key["AccessKeyId"], key["SecretAccessKey"])

    def ask_for_keys(self, ask: bool) -> None:
        """Whether every request must be signed with a user's key, whose rights count."""
        self._tell("reset-auth", "0" if ask else "inf")

    def client(self, service: str) -> Any:
        """boto3's client of a user with all rights."""
        key, secret = self.keys.get("writer", ("any", "any"))
        return boto3.client(
            service, "us-east-1", endpoint_url=self.url, aws_access_key_id=key, aws_secret_access_key=secret
        )

    def objects(self, bucket: str) -> dict[str, int]:
        """Size of each object of a bucket by its key."""
        listed = self.client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])
        return {item["Key"]: item["Size"] for item in listed}

    def publish(self, bucket: str) -> None:
        """Let everybody read what is in a bucket."""
        for key in self.objects(bucket):
            self.client("s3").put_object_acl(Bucket=bucket, Key=key, ACL="public-read")

    def _tell(self, what: str, content: str = "") -> None:
        plain = {"Content-Type": "text/plain"}
        requests.post(
            f"{self.url}/moto-api/{what}", content, headers=plain, timeout=_PATIENCE
        ).raise_for_status()


class Line:
    """Carries bytes to a server and back, and breaks where it is told to, in the middle of whatever it is."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._to = (host, int(port))
        self._left: int | None = None
        self._count = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._listening.close()

    def cut(self, after: int) -> None:
        """Break once so many bytes went either way, and stay broken until it is fixed."""
        with self._count:
            self._left = after

    def mend(self) -> None:
        """Carry everything from now on."""
        with self._count:
            self._left = None

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                here, _ = self._listening.accept()
                there = socket.create_connection(self._to)
                for first, second in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(first, second), daemon=True).start()

    def _carry(self, first: socket.socket, second: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while block := first.recv(1 << 14):
                allowed = self._allowed(len(block))
                second.sendall(block[:allowed])
                if allowed < len(block):
                    break
        for end in (first, second):  # with a reset, as a lost line does
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _allowed(self, size: int) -> int:
        with self._count:
            if self._left is None or size < self._left:
                self._left = None if self._left is None else self._left - size
                return size
            allowed, self._left = self._left, 0
            return min(allowed, size - 1)
