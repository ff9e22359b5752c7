"""Entries of Table 2, put together from the pages of a crawl."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Literal

from selu.papers.faun_eval.pipeline import records
from selu.papers.faun_eval.pipeline.crawling.crawl import Crawl, Files, Item, Node, Repository
from selu.papers.faun_eval.pipeline.records import Changed, Comment, Place, Pull, Thread

Fault = tuple[str, str]  # a record, and what was wrong with it
NOT_LISTED = "issue without a node of GraphQL"
_LETTERS = {"ADDED": "A", "DELETED": "D", "RENAMED": "R", "COPIED": "A", "MODIFIED": "M", "CHANGED": "T"}


def assemble(crawl: Crawl, found: Repository) -> tuple[list[Thread], list[Fault]]:
    """Assemble each issue and pull request, in order of their numbers; report what was left out, and why.

    Of a number that two pages have, the first record counts.
    """
    faults: list[Fault] = []
    comments = _by_number(crawl.listed("comments", found), "issue_url", faults)
    reviews = _by_number(crawl.listed("reviews", found), "pull_request_url", faults)
    nodes: dict[int, Node] = {}
    sources: dict[int, frozenset[Place]] = {}
    for node in crawl.nodes():
        if node["number"] not in nodes:
            nodes[node["number"]] = node
            sources[node["number"]] = frozenset(_sources(crawl, node))
    entries: dict[int, Thread] = {}
    for record in chain(crawl.listed("issues", found), crawl.single()):
        try:
            number = int(record["number"])
            if number in entries:
                faults.append((f"#{number}", records.DUPLICATE))
                continue
            about = nodes.get(number)
            faults += [(f"#{number}", NOT_LISTED)] if about is None else []
            entries[number] = Thread(
                Place(found.name, number), record["title"] or "", record["body"] or "", *_person(record),
                record["author_association"], record["state"], record["created_at"], record["updated_at"],
                tuple(comments.get(number, ())), _events(about), sources.get(number),
                _pull(record, about, tuple(reviews.get(number, ()))),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError):
            faults.append((f"#{record.get('number', '?')}", records.MALFORMED))
    return [entries[number] for number in sorted(entries)], faults


def _person(record: Item) -> tuple[str, bool]:
    """Return the author of a record, and whether it is a program; empty if the account is gone."""
    user = record.get("user") or {}
    return str(user.get("login") or ""), user.get("type") == "Bot"


def _by_number(
    items: Iterator[Item], address: Literal["issue_url", "pull_request_url"], faults: list[Fault]
) -> Mapping[int, list[Comment]]:
    """Group comments by the number of their issue or pull request, each once, in the order of their pages."""
    found: dict[int, list[Comment]] = defaultdict(list)
    seen = set()
    for record in items:
        try:
            number = int(record[address].rpartition("/")[2])
            if record["id"] in seen:
                faults.append((f"comment {record['id']}", records.DUPLICATE))
                continue
            seen.add(record["id"])
            association = str(record.get("author_association") or "")
            found[number].append(Comment(*_person(record), association, record["body"] or ""))
        except (KeyError, TypeError, ValueError, AttributeError):
            faults.append((f"comment {record.get('id', '?')}", records.MALFORMED))
    return found


def _sources(crawl: Crawl, node: Node) -> Iterator[Place]:
    for event in crawl.crossed(node):
        source = event.get("source") or {}
        if "number" in source:
            yield Place(source["repository"]["nameWithOwner"].lower(), int(source["number"]))


def _events(node: Node | None) -> int | None:
    return None if node is None else int(node["all"]["totalCount"]) - int(node["comments"]["totalCount"])


def _pull(record: Item, node: Node | None, reviews: tuple[Comment, ...]) -> Pull | None:
    if "pull_request" not in record:
        return None
    if node is None or "merged" not in node:
        return Pull(bool(record["pull_request"].get("merged_at")), "", "", "", "", None, (), reviews)
    files: Files = node["files"] or {"totalCount": 0, "nodes": []}
    changes = tuple(Changed(_LETTERS.get(file["changeType"], "?"), file["path"]) for file in files["nodes"])
    commit = (node["mergeCommit"] or {}).get("oid") or ""
    return Pull(
        bool(node["merged"]), node["baseRefOid"], node["baseRefName"], node["headRefOid"], commit,
        int(files["totalCount"]), changes, reviews,
    )  # fmt: skip
