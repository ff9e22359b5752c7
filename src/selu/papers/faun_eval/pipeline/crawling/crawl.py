"""All issues and pull requests of a repository, by REST, and their cross-references, by GraphQL.

Each page is on the disk before the next one is asked for, and a later call goes on after the last one. A
second crawl asks for what changed: GitHub does not count answers that a page is as it was. Addresses hold the
repository's number, not its name, so that they stay right when it moves.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from selu.papers.evidence import Progress
from selu.papers.faun_eval.pipeline.crawling.github import Client, RefusedError
from selu.papers.faun_eval.pipeline.crawling.journal import Journal, Page
from selu.vocabulary import SeluError

PAGE = 100  # records, GitHub's most
_START = "repository"
_SORTED = f"per_page={PAGE}&sort=created&direction=asc"
LISTS = {
    "issues": f"/issues?state=all&{_SORTED}",
    "comments": f"/issues/comments?{_SORTED}",
    "reviews": f"/pulls/comments?{_SORTED}",
}
FIELDS = {
    "issues": ("number", "title", "user", "author_association", "state", "created_at", "updated_at", "body"),
    "comments": ("id", "issue_url", "user", "body"),
    "reviews": ("id", "pull_request_url", "user", "body"),
}
_ABOUT = ("full_name", "id", "node_id", "default_branch")
_SOURCE = "number repository { nameWithOwner }"
_CROSSED = (
    "pageInfo { hasNextPage endCursor } nodes { ... on CrossReferencedEvent { source { "
    f"... on Issue {{ {_SOURCE} }} ... on PullRequest {{ {_SOURCE} }} }} }} }}"
)
_ITEMS = "timelineItems(itemTypes: [CROSS_REFERENCED_EVENT], first: 100"
_NODE = (
    "id number comments { totalCount } all: timelineItems { totalCount } "
    f"crossed: {_ITEMS}) {{ {_CROSSED} }}"
)
_PULL = (
    "merged baseRefOid baseRefName headRefOid mergeCommit { oid } "
    "files(first: 5) { totalCount nodes { path changeType } }"
)


def _listed(name: str, fields: str, first: int) -> str:
    return (
        f"query($id: ID!, $after: String) {{ node(id: $id) {{ ... on Repository {{ {name}(first: {first}, "
        "after: $after, orderBy: {field: CREATED_AT, direction: ASC}) { pageInfo { hasNextPage endCursor } "
        f"nodes {{ {_NODE} {fields} }} }} }} }} }}"
    )


GRAPHS = {"issues": _listed("issues", "", PAGE), "pullRequests": _listed("pullRequests", _PULL, PAGE)}
_REST = (
    "query($id: ID!, $after: String) { node(id: $id) { "
    f"... on Issue {{ {_ITEMS}, after: $after) {{ {_CROSSED} }} }} "
    f"... on PullRequest {{ {_ITEMS}, after: $after) {{ {_CROSSED} }} }} }} }}"
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository's current name on GitHub, its number and its default branch."""

    name: str
    number: int
    node: str
    branch: str


class User(TypedDict, total=False):
    """An account, by REST."""

    login: str
    type: str


class Item(TypedDict, total=False):
    """An issue, a pull request, or a comment on one, by REST."""

    id: int
    number: int
    title: str | None
    body: str | None
    user: User | None
    author_association: str
    state: str
    created_at: str
    updated_at: str
    issue_url: str
    pull_request_url: str
    pull_request: Mapping[str, str | None]


class PageInfo(TypedDict):
    """Where the next page begins, by GraphQL."""

    hasNextPage: bool
    endCursor: str


class Named(TypedDict):
    """The repository of a reference."""

    nameWithOwner: str


class Source(TypedDict, total=False):
    """The issue or pull request that names another one; empty where it is not public."""

    number: int
    repository: Named


class Event(TypedDict, total=False):
    """A cross-reference."""

    source: Source | None


class Crossed(TypedDict):
    """The first page of the cross-references to an issue."""

    pageInfo: PageInfo
    nodes: Sequence[Event]


class Total(TypedDict):
    """How many there are."""

    totalCount: int


class Change(TypedDict):
    """A file that a pull request changes."""

    path: str
    changeType: str


class Files(Total):
    """How many files a pull request changes, and the first of them."""

    nodes: Sequence[Change]


class Node(TypedDict, total=False):
    """An issue or a pull request, by GraphQL; fields as the queries above ask for them."""

    id: str
    number: int
    comments: Total
    all: Total
    crossed: Crossed
    merged: bool
    baseRefOid: str
    baseRefName: str
    headRefOid: str
    mergeCommit: Mapping[str, str] | None
    files: Files | None


class Crawl:
    """A crawl of one repository into one journal."""

    def __init__(self, client: Client, journal: Journal, progress: Progress = lambda _: None) -> None:
        self._client, self._journal, self._progress = client, journal, progress

    def run(self, repository: str, renew: bool = False) -> Repository:
        """Crawl what is not in the journal yet; with ``renew`` also later changes.

        Raises:
            SeluError: no such repository, another one's journal, or no whole answer from GitHub.
        """
        found = self._find(repository, renew)
        for name, address in LISTS.items():
            self._list(name, f"/repositories/{found.number}{address}", FIELDS[name], renew)
        for name, query in GRAPHS.items():
            self._graph(name, query, found.node, renew)
        numbers = set()
        for node in self.nodes():
            numbers.add(node["number"])
            if (page := node["crossed"]["pageInfo"])["hasNextPage"]:
                self._rest(node["id"], page["endCursor"], renew)
        self._fill(found, numbers)
        return found

    def nodes(self) -> Iterator[Node]:
        """Yield what GraphQL says of each issue and pull request; one that shifted may come twice."""
        for name in GRAPHS:
            yield from self._journal.chain(_key(name, None))

    def crossed(self, node: Node) -> Iterator[Event]:
        """Yield the cross-references to an issue or pull request, those of later pages too."""
        yield from node["crossed"]["nodes"]
        if (page := node["crossed"]["pageInfo"])["hasNextPage"]:
            yield from self._journal.chain(_key(node["id"], page["endCursor"]))

    def listed(self, name: str, found: Repository) -> Iterator[Item]:
        """Yield the records of a list of the REST interface."""
        yield from self._journal.chain(f"/repositories/{found.number}{LISTS[name]}")

    def single(self) -> Iterator[Item]:
        """Yield the issues that were on no page and were requested singly."""
        yield from self._journal.chain("single")

    def _find(self, repository: str, renew: bool) -> Repository:
        if not self._journal.has(_START) or renew:
            data = self._client.get(f"/repos/{repository}", _ABOUT).records
            record = {"asked": repository.lower(), **{name: data[name] for name in _ABOUT}}
            kept = list(self._journal.chain(_START))
            if kept and kept[0]["id"] != record["id"]:
                raise SeluError(
                    f"{repository} is another repository than was crawled here: name another folder."
                )
            if data["full_name"].lower() != repository.lower():
                self._progress(f"{repository} is {data['full_name']} now")
            if kept != [record]:
                self._journal.add(Page(_START, None, "", [record]))
        (record,) = self._journal.chain(_START)
        if repository.lower() not in (record["asked"], record["full_name"].lower()):
            raise SeluError(f"{record['full_name']} was crawled here, not {repository}: name another folder.")
        return Repository(
            record["full_name"].lower(), record["id"], record["node_id"], record["default_branch"]
        )

    def _list(self, name: str, first: str, fields: Collection[str], renew: bool) -> None:
        key: str | None = first
        records = 0
        while key is not None:
            known = self._journal.has(key)
            if not known or renew:
                # A full last page is as it was, too, when there is one behind it since.
                full = known and self._journal.next(key) is None and self._journal.count(key) == PAGE
                answer = self._client.get(key, fields, self._journal.etag(key) if known and not full else "")
                if answer.records is not None:
                    self._journal.add(Page(key, answer.next, answer.etag, answer.records))
            records += self._journal.count(key)
            key = self._journal.next(key)
            if not known:
                self._progress(f"{name}: {records:,} records")

    def _graph(self, name: str, query: str, node: str, renew: bool) -> None:
        after: str | None = None
        records = 0
        while True:
            key = _key(name, after)
            if not self._journal.has(key) or renew:
                self._page(key, query, node, after, name, name)
                self._progress(f"{name}, cross-references: {records + self._journal.count(key):,} records")
            records += self._journal.count(key)
            following = self._journal.next(key)
            if following is None:
                return
            after = json.loads(following)[1]

    def _rest(self, node: str, after: str, renew: bool) -> None:
        while True:
            key = _key(node, after)
            if not self._journal.has(key) or renew:
                self._page(key, _REST, node, after, "timelineItems", node)
            following = self._journal.next(key)
            if following is None:
                return
            after = json.loads(following)[1]

    def _page(self, key: str, query: str, node: str, after: str | None, field: str, chain: str) -> None:
        data = self._client.query(query, {"id": node, "after": after})
        try:
            found = data["node"][field]
            page = found["pageInfo"]
            following = _key(chain, page["endCursor"]) if page["hasNextPage"] else None
            if following == key:
                raise KeyError
            self._journal.add(Page(key, following, "", [record for record in found["nodes"] if record]))
        except (KeyError, TypeError):
            raise SeluError(f"GitHub's answer of {chain} lacks {field}: run the same command again.") from None

    def _fill(self, found: Repository, numbers: set[int]) -> None:
        """Request the issues that GraphQL names but no page had: pages shift when an issue is deleted."""
        had = {record["number"] for record in (*self.listed("issues", found), *self.single())}
        filled = []
        for number in sorted(numbers - had):
            address = f"/repositories/{found.number}/issues/{number}"
            try:
                filled.append(self._client.get(address, FIELDS["issues"]).records)
            except RefusedError:
                self._progress(f"#{number} is gone")
        if filled:
            self._journal.add(Page("single", None, "", [*self.single(), *filled]))


def _key(chain: str, after: str | None) -> str:
    return json.dumps([chain, after])
