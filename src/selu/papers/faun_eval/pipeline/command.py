"""``selu prepare --paper faun_eval --repository OWNER/NAME``: tasks made of any repository.

With a token in the environment its issues and pull requests are crawled; with a clone its commits are read,
and the edited files and folder trees. Without a token, pairs come from commit messages alone.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from selu.files import write_csv
from selu.papers.api import Mined, Source
from selu.papers.evidence import Progress
from selu.papers.faun_eval.pipeline import known
from selu.papers.faun_eval.pipeline.crawling.assemble import Fault, assemble
from selu.papers.faun_eval.pipeline.crawling.crawl import Crawl
from selu.papers.faun_eval.pipeline.crawling.github import ADDRESS, TOKEN, Client, Clock, token_of
from selu.papers.faun_eval.pipeline.crawling.journal import Journal
from selu.papers.faun_eval.pipeline.history import History
from selu.papers.faun_eval.pipeline.judge import Judge, Prompted, open_file
from selu.papers.faun_eval.pipeline.make import Pipeline
from selu.papers.faun_eval.pipeline.pairs import Side
from selu.papers.faun_eval.pipeline.records import Thread
from selu.papers.faun_eval.pipeline.reviewers import Reviewers
from selu.papers.pinned import is_here, obtain, read_pins
from selu.vocabulary import SeluError

SERVER = "GITHUB_API_URL"  # as GitHub's own programs name it
PINS = "pairs.csv"
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9_.-]{1,100}")


def mine(
    source: Source,
    progress: Progress,
    environment: Mapping[str, str] = os.environ,
    clock: Clock = time,
) -> Mined:
    """Build pairs, funnels and tasks from a repository.

    Raises:
        SeluError: a wrong name, neither token nor clone, or as in the crawl, the clone and the verdicts.
    """
    if not NAME.fullmatch(source.repository):
        raise SeluError(f"{source.repository!r} is not a repository of GitHub: name it as OWNER/NAME.")
    prompted = Prompted(source.judge) if source.judge else None
    reviewers = Reviewers(_read_verdicts(source.verdicts)) if source.verdicts else None
    judge: Judge | None = reviewers or prompted
    online = bool(environment.get(TOKEN, "").strip())
    if not online and source.clone is None:
        raise SeluError(f"Set {TOKEN} in the environment, or name a clone with --clone, or both.")
    history = _open(source, online, progress)
    entries: list[Thread] = []
    faults: list[Fault] = []
    name, branch = source.repository.lower(), None
    if online:
        client = Client(token_of(environment), environment.get(SERVER) or ADDRESS, clock, progress)
        with Journal(source.work / "pages.jsonl") as journal:
            crawl = Crawl(client, journal, progress)
            found = crawl.run(source.repository, source.renew)
            entries, faults = assemble(crawl, found)
        name, branch = found.name, found.branch
    pipeline = Pipeline(name, entries, history, branch, judge, progress)
    sides = [*([Side.COMMIT] if history else []), *([Side.PULL, Side.COMMENTS, Side.ISSUE] if online else [])]
    made = pipeline.make(sides)
    if prompted:
        made.texts["answers.jsonl"] = prompted.to_lines()
        made.says.append(f"{len(prompted.answers):,} records are judged by {prompted.id}: answers.jsonl")
    if reviewers and len(source.verdicts) > 1:
        made.tables["agreement.csv"], says = reviewers.agreement()
        made.says += [f"{line}: agreement.csv" for line in says]
    if faults:
        made.tables["faults.csv"] = write_csv([("record", "reason"), *faults])
        made.says.append(f"{len(faults):,} records were left out or are not whole: faults.csv names them")
    if not online:
        made.says.append(f"{TOKEN} is not set: pairs come from commit messages, without the issues' texts")
    if compared := pipeline.compare(_published(source)):
        made.tables["published.csv"], found_again = compared
        made.says.append(found_again)
    return made


def _read_verdicts(paths: Sequence[Path]) -> Mapping[str, Judge]:
    """Read each reviewer's file; two files are distinguished by their paths."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise SeluError("--verdicts names a file twice: name one file of each reviewer.")
    return {str(path): open_file(path) for path in paths}


def _open(source: Source, online: bool, progress: Progress) -> History | None:
    """Open the clone; one that can't be used ends a call that has nothing else."""
    if source.clone is None:
        return None
    try:
        return History(source.clone)
    except SeluError as error:
        if not online:
            raise
        progress(f"{error} Its files and trees are left out.")
        return None


def _published(source: Source) -> list[known.Known]:
    """Return the published pairs of seven repositories, if a copy is here; else an empty list."""
    (pin,) = read_pins(source.pins / PINS)
    return known.read(obtain(pin, source.folders), pin.file) if is_here(pin, source.folders) else []
