"""A server on loopback that speaks as much of GitHub's REST and GraphQL as a crawl asks, and fails as told."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

NAME, OLD_NAME, NUMBER, NODE = "Some-Owner/some.name", "some-owner/before", 4711, "R_4711"
TOKEN = "ghp_thisIsNoTokenOfAnybody0123456789abcd"
PAGE = 100
PLAIN = {  # faults that are an answer alone
    "429": (429, {"message": "too many"}),
    "502": (502, b"<html>Bad gateway</html>"),
    "wrong": (200, {"message": "no list"}),
    "graph fault": (200, {"data": None, "errors": [{"message": "Something went wrong"}, {}]}),
}


class FakeClock:
    """Time that goes on when somebody waits, and at no other time."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now, self.slept = now, []

    def time(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.slept.append(seconds)
        self._now += seconds


class World:
    """A repository of so many issues and pull requests; every fifth refers to the one before it."""

    def __init__(self, records: int, pulls: float = 0.4, comments: int = 0, seed: int = 0) -> None:
        draw = random.Random(seed)
        self.numbers = range(1, records + 1)
        self.is_pull = {number: draw.random() < pulls for number in self.numbers}
        self.titles = {number: f"record {number} \u00e9" for number in self.numbers}
        self.sources = {
            number: [number + 1] if number % 5 == 4 and number < records else [] for number in self.numbers
        }
        self.comments = [(index, draw.randint(1, records), f"said {index}") for index in range(1, comments + 1)]
        pulls_only = [number for number in self.numbers if self.is_pull[number]]
        self.reviews = [
            (index, draw.choice(pulls_only), f"review {index}") for index in range(1, comments // 3 + 1)
        ]
        self.crossed_page = 100
        self.pages: dict[tuple[str, int, int], bytes] = {}

    @cached_property
    def graph(self) -> dict[str, list[dict[str, Any]]]:
        every = {number: self.node(number) for number in self.numbers}
        return {
            "issues": [node for number, node in every.items() if not self.is_pull[number]],
            "pullRequests": [node for number, node in every.items() if self.is_pull[number]],
        }

    def issue(self, number: int) -> dict[str, Any]:
        record = {
            "number": number, "title": self.titles[number], 
            "body": f"See #{number - 1}" if number % 5 == 0 else None,
            "user": {"login": f"user{number % 7}", "type": "User"}, "author_association": "NONE",
            "state": "closed", "created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-02T00:00:00Z",
        }  # fmt: skip
        if self.is_pull[number]:
            record["pull_request"] = {"merged_at": "2020-01-02T00:00:00Z"}
        return record

    def remark(self, remark: tuple[int, int, str], field: str) -> dict[str, Any]:
        index, number, body = remark
        kind = "pulls" if field == "pull_request_url" else "issues"
        return {
            "id": index, "body": body, "user": {"login": "somebody", "type": "User"},
            "author_association": "MEMBER", field: f"http://api/repos/{NAME}/{kind}/{number}",
        }  # fmt: skip

    @cached_property
    def lists(self) -> dict[str, list[dict[str, Any]]]:
        return {
            "issues": [self.issue(number) for number in self.numbers],
            "issues/comments": [self.remark(comment, "issue_url") for comment in self.comments],
            "pulls/comments": [self.remark(review, "pull_request_url") for review in self.reviews],
        }

    def events(self, number: int, after: str | None) -> dict[str, Any]:
        start = int(after or 0)
        sources = self.sources[number]
        shown = sources[start : start + self.crossed_page]
        end = start + len(shown)
        return {
            "pageInfo": {"hasNextPage": end < len(sources), "endCursor": str(end)},
            "nodes": [
                {"source": {"number": source, "repository": {"nameWithOwner": NAME}}} for source in shown
            ],
        }

    def node(self, number: int) -> dict[str, Any]:
        node = {
            "id": f"N_{number}", "number": number, "comments": {"totalCount": 1}, "all": {"totalCount": 4},
            "crossed": self.events(number, None),
        }  # fmt: skip
        if self.is_pull[number]:
            node |= {
                "merged": number % 2 == 0, "baseRefOid": "a" * 40, "baseRefName": "main",
                "headRefOid": "b" * 40, "mergeCommit": {"oid": "c" * 40} if number % 2 == 0 else None,
                "files": {"totalCount": 1, "nodes": [{"path": "src/a.py", "changeType": "MODIFIED"}]},
            }  # fmt: skip
        return node


@dataclass
class Schedule:
    """Which request fails and how; at most so many times in a row. ``broken`` counts early requests."""

    seed: int
    rate: float = 0.1
    faults: tuple[str, ...] = (
        "limit", "secondary", "429", "500", "502", "cut", "torn", "hang up", "shift", "drop", "wrong",
        "graph limit", "graph fault",
    )  # fmt: skip
    moved: bool = True
    most_in_a_row: int = 4
    in_a_row: int = 0
    closed_until: float = 0.0
    early: int = 0
    seen: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)

    def pick(self, post: bool) -> str:
        if self.in_a_row >= self.most_in_a_row or self._draw.random() >= self.rate:
            self.in_a_row = 0
            return ""
        fault = self._draw.choice(self.faults)
        if (fault.startswith("graph") and not post) or (fault in ("shift", "drop", "wrong") and post):
            return ""
        self.in_a_row += fault not in ("shift", "drop")
        self.seen[fault] = self.seen.get(fault, 0) + 1
        return fault

    def below(self, number: int) -> int:
        return self._draw.randrange(number)


@dataclass
class Served:
    """What a server answered: addresses in order, and how many of them said that nothing changed."""

    address: str
    asked: list[str] = field(default_factory=list)
    unchanged: int = 0


@contextmanager
def github(world: World, schedule: Schedule, clock: FakeClock) -> Iterator[Served]:
    """Serve a world under a schedule, in a thread of its own."""
    lists, pages, graph = world.lists, world.pages, world.graph

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *_: Any) -> None:
            pass

        def say(self, status: int, data: Any, headers: dict[str, str] | None = None, fault: str = "") -> None:
            body = data if isinstance(data, bytes) else json.dumps(data).encode()
            size = len(body)
            if fault == "torn":
                body = body[: len(body) // 2]
                size = len(body)
            self.send_response_only(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)
            self.wfile.flush()
            if fault == "cut":
                self.close_connection = True

        def fails(self, fault: str) -> bool:
            now = clock.time()
            if now < schedule.closed_until:
                schedule.early += 1
                fault = "limit"
            if fault == "limit":
                schedule.closed_until = max(schedule.closed_until, now + 600)
                reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(schedule.closed_until))}
                self.say(403, {"message": "API rate limit exceeded for user"}, reset)
            elif fault == "secondary":
                schedule.closed_until = now + 30
                message = {"message": "You have exceeded a secondary rate limit."}
                self.say(403, message, {"Retry-After": "30"})
            elif fault == "500":
                self.say(500, {"message": f"you sent {self.headers['Authorization']}"})
            elif fault in PLAIN:
                self.say(*PLAIN[fault])
            elif fault == "graph limit":
                schedule.closed_until = now + 900
                reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(now + 900))}
                self.say(200, {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "limit"}]}, reset)
            elif fault == "hang up":
                self.close_connection = True
            elif fault == "blanks":
                self.send_response_only(200)
                self.send_header("Content-Length", "1000000")
                self.end_headers()
                for _ in range(100):  # 20 seconds; nobody waits for them
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.2)
            else:
                return False
            return True

        def do_GET(self) -> None:
            served.asked.append(self.path)
            if self.headers["Authorization"] != f"token {TOKEN}":
                self.say(401, {"message": "Bad credentials"})
                return
            fault = schedule.pick(post=False)
            if self.fails(fault):
                return
            place = urlsplit(self.path)
            if place.path == f"/repos/{OLD_NAME}" and schedule.moved:
                self.say(
                    301,
                    {"message": "Moved Permanently"},
                    {"Location": f"{served.address}/repositories/{NUMBER}"},
                )
                return
            if place.path in (f"/repositories/{NUMBER}", f"/repos/{NAME}", f"/repos/{NAME.lower()}"):
                self.say(
                    200,
                    {"id": NUMBER, "node_id": NODE, "full_name": NAME, "default_branch": "main"},
                    fault=fault,
                )
                return
            single = re.fullmatch(rf"/repositories/{NUMBER}/issues/(\d+)", place.path)
            if single and int(single[1]) in world.titles:
                self.say(200, world.issue(int(single[1])), fault=fault)
                return
            name = place.path.removeprefix(f"/repositories/{NUMBER}/")
            if name not in lists:
                self.say(404, {"message": "Not Found"})
                return
            self.page(name, {key: value[0] for key, value in parse_qs(place.query).items()}, fault)

        def page(self, name: str, asked: dict[str, str], fault: str) -> None:
            number, size = int(asked.get("page", 1)), int(asked.get("per_page", 30))
            records, start = lists[name], (number - 1) * size
            if (name, number, size) not in pages:
                pages[name, number, size] = json.dumps(records[start : start + size]).encode()
            body = pages[name, number, size]
            etag = f'W/"{hash(body)}"'
            links = []
            query = "&".join(f"{key}={value}" for key, value in asked.items() if key != "page")
            for word, other in (("prev", number - 1), ("next", number + 1)):
                if other > 0 and (other - 1) * size < len(records):
                    links.append(
                        f'<{served.address}/repositories/{NUMBER}/{name}?{query}&page={other}>; rel="{word}"'
                    )
            headers = {"ETag": etag} | ({"Link": ", ".join(links)} if links else {})
            if self.headers["If-None-Match"] == etag:
                served.unchanged += 1
                self.say(304, b"", headers)
                return
            if fault == "shift" and start:
                body = json.dumps([records[start - 1], *records[start : start + size]]).encode()
            if fault == "drop" and name == "issues":
                kept = records[start : start + size]
                kept.pop(schedule.below(len(kept)))
                body = json.dumps(kept).encode()
            self.say(200, body, headers, fault)

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append("graphql")
            fault = schedule.pick(post=True)
            if self.fails(fault):
                return
            node, after = asked["variables"]["id"], asked["variables"]["after"]
            if node != NODE:
                found = {"timelineItems": world.events(int(node.removeprefix("N_")), after)}
            else:
                name = "pullRequests" if "pullRequests(" in asked["query"] else "issues"
                start = int(after or 0)
                end = start + PAGE
                if ("graphql " + name, start, 0) not in pages:
                    page = {"hasNextPage": end < len(graph[name]), "endCursor": str(end)}
                    listed = {name: {"pageInfo": page, "nodes": graph[name][start:end]}}
                    pages["graphql " + name, start, 0] = json.dumps({"data": {"node": listed}}).encode()
                body = pages["graphql " + name, start, 0]
                if fault == "graph hidden":
                    body = body[:-1] + b', "errors": [{"type": "FORBIDDEN", "message": "closed"}]}'
                self.say(200, body, fault=fault)
                return
            self.say(200, {"data": {"node": found}}, fault=fault)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Served(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
