"""Runs of prompted systems: replies are got once and kept, and read by both protocols.

Prompts and the journal of a cell lie below ``.selu/prompts``; the raw replies come into the run's folder beside
its predictions (``replies``), with what was made of each.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from selu.data.prepared import truth_of
from selu.execution import results
from selu.execution.environments import check_versions, installed
from selu.execution.planned import REFUSALS, Orders, Planned, Progress
from selu.execution.prompt import replies as kept
from selu.execution.prompt.local import serving, version_of
from selu.execution.prompt.plan import LOCAL, Model, known, settings_of, tell, variant_of
from selu.execution.prompt.requests import JOURNAL, CellRequests, cells_of
from selu.runs import record
from selu.systems.prompt import parse, wire
from selu.systems.prompt.asking import OneByOne
from selu.systems.prompt.budget import Budget, prices
from selu.systems.prompt.drive import REFUSED, Drive
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.journal import ANNOUNCED, LOST, SENT, Journal
from selu.systems.prompt.settings import PromptSettings
from selu.systems.prompt.tidying import Tidy
from selu.vocabulary import Kind, MachineError, SeluError, Task

if TYPE_CHECKING:
    from selu.contents import Details
    from selu.systems.prompt.providers import Provider

_SERVERS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_OTHERS = ("ANTHROPIC_AUTH_TOKEN", "HF_TOKEN")  # keys that are not ours to send, nor to show
_IN_NO_KEY = set(" \"'\\")  # and would be written otherwise in JSON and in logs
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def make(orders: Orders, runs: Sequence[Planned]) -> None:
    """Ask for the missing replies of these runs, one cell after the other: both protocols share replies."""
    if not runs:
        return
    models, settings, progress = known(orders.root), settings_of(orders.root), orders.progress
    cells = cells_of(runs)
    for number, ((task, system), cell_runs) in enumerate(cells.items(), start=1):
        progress(f"[{number}/{len(cells)}] {task}/{system}")
        try:
            replies = _got(orders.root, cell_runs[0], models[system], settings, orders.budget, progress)
        except REFUSALS as error:
            for run in cell_runs:
                orders.ended(run, error)
            continue
        for run in cell_runs:
            try:
                path = _write(orders, run, replies)
                line = results.score_line(run, record.read_scores(run.folder))
                progress(f"{run.name}: {line}, invalid replies: {tell(record.read_run(run.folder))['invalid']}")
                orders.ended(run, path)
            except REFUSALS as error:
                orders.ended(run, error)


class _Replies:
    """Replies of a cell, by row, their meaning by the strict grammar, and their cost."""

    def __init__(
        self, cell: CellRequests, journal: Journal, structured: bool, started: float, before: int,
        served_by: str | None,
    ) -> None:  # fmt: skip
        self.ids, self.started, self.served_by = cell.ids, started, served_by
        self.timed = journal.answered() - before
        self.replies: dict[int, wire.Reply] = {}
        for row, body in journal.replies():
            try:
                self.replies[row] = wire.read(cell.protocol, body, structured)
            except ValueError:
                continue
        self.failures, self.paid_again = journal.failures(), journal.paid_again()
        self.taken_over = journal.taken_over()
        self.labels, self.wording = cell.labels, cell.wording
        found = [self.replies.get(row) for row in range(len(self.ids))]
        self.outcomes = _outcomes(cell.run.task, self.labels, found)
        reasons = [outcome.reason and str(outcome.reason) for outcome in self.outcomes]
        self.reasons = Counter(reason for reason in reasons if reason)
        self.file = kept.to_parquet(cell, journal, self.replies, reasons)
        price, models = prices(cell.model.settings), set()
        self.asked, self.answered, self.usd = 0, 0, 0.0
        for body in journal.bodies():
            reply = wire.read(cell.protocol, body)
            self.asked, self.answered = self.asked + reply.asked, self.answered + reply.answered
            self.usd += price.cost(reply)
            models.add(reply.model)
        self.prices = {"asked": price.asked, "answered": price.answered}
        self.models = sorted(model for model in models if model)

    def check(self) -> None:
        """Raise MachineError where rows have no reply for a reason that another attempt may fix."""
        lacking = [row for row in range(len(self.ids)) if row not in self.replies]
        left = [row for row in lacking if not self.failures.get(row, "").startswith(REFUSED)]
        if left or len(lacking) == len(self.ids):
            why = self.failures.get((left or lacking)[0], "a reply of another shape")
            raise MachineError(
                f"{len(left or lacking):,} of {len(self.ids):,} rows have no reply ({why}): all others are "
                "kept, run it again."
            )


def _got(
    root: Path, run: Planned, model: Model, settings: PromptSettings, budget: Budget, progress: Progress
) -> _Replies:
    started = time.time()
    cell = CellRequests(root, run, model, settings, progress)
    try:
        with Journal(cell.folder / JOURNAL, cell.key, len(cell.ids)) as journal:
            kept.take_over(cell, journal, lambda line: progress(f"  {line}"))
            before = journal.answered()
            served_by = _ask(root, cell, journal, budget, lambda line: progress(f"  {line}"))
            structured = variant_of(model.settings, settings) == "structured"
            found = _Replies(cell, journal, structured, started, before, served_by)
            found.check()
            return found
    except sqlite3.Error as error:
        raise MachineError(
            f"the journal in {cell.folder} can't be used ({error}): fix that, and run it again."
        ) from None
    finally:
        cell.close()


def _ask(root: Path, cell: CellRequests, journal: Journal, budget: Budget, say: Progress) -> str | None:
    """Ask for what the journal lacks; return the version of the server, if it reports one."""
    left = journal.pending()
    say(
        f"{journal.size:,} requests, {journal.answered():,} answered before; {len(left):,} to be asked, at "
        f"most {cell.asked(left):,} tokens and {cell.bound(left):.2f} USD"
    )
    if journal.answered() < journal.size or journal.sendings(ANNOUNCED, SENT, LOST):
        pinned = cell.run.fields["packages"]
        check_versions(cell.run.environment, pinned, installed(Path(sys.executable), tuple(pinned)))
        drive = Drive if cell.model.settings.batched else OneByOne
        settings = cell.settings.for_model(cell.model.settings)
        with _asked(root, cell, say) as provider:
            drive(journal, provider, cell.requests(), settings, say, budget).run()
            return getattr(provider, "version", None)
    elif cell.model.settings.provider == "openai" and cell.model.settings.batched and journal.untidy():
        with contextlib.suppress(SeluError, ImportError):  # as without a key: no reply depends on it
            Tidy(journal, connect(cell.model, cell.settings)).all()
    return version_of(cell.run)


def _asked(root: Path, cell: CellRequests, say: Progress) -> contextlib.AbstractContextManager[Provider]:
    if cell.model.settings.own_server:
        return serving(root, cell.run, cell.model, cell.settings, say)
    return contextlib.nullcontext(connect(cell.model, cell.settings))


def connect(model: Model, settings: PromptSettings) -> Provider:
    """Open the provider of a model.

    Raises:
        MachineError: its key is not in the environment, or a local server does not answer as told.
    """
    from selu.systems.prompt.provider_anthropic import Anthropic
    from selu.systems.prompt.provider_local import Local
    from selu.systems.prompt.provider_openai import OpenAI

    name, wanted = model.settings.provider, KEYS.get(model.settings.provider, model.settings.key)
    key = os.environ.get(wanted, "").strip() if wanted else ""
    if wanted and not key:
        raise MachineError(f"{model.system.id} needs a key: give it as {wanted} in the environment.")
    if not (key.isascii() and key.isprintable() and not set(key) & _IN_NO_KEY):
        raise MachineError(f"{wanted} holds no key: it has a blank, a line break or a letter that no key has.")
    url = model.settings.base_url or _SERVERS.get(name, "")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise SeluError(
            f"params.yaml: the base_url of {model.system.id} must be http:// or https://, a host and a path, "
            "without a name or a password."
        )
    kind = Anthropic if name == "anthropic" else OpenAI
    named = (*KEYS.values(), *_OTHERS, *(each.key for each in settings.models.values()))
    secrets = [key, *(os.environ.get(name) for name in named if name)]
    asked = (key or "none", url, settings.timeout_seconds, Hidden(secrets))
    return Local(*asked, model.settings.model, model.settings.version) if name == LOCAL else kind(*asked)


def _write(orders: Orders, run: Planned, replies: _Replies) -> Path:
    """Write the run, its replies and its scores."""
    rows = results.asked_rows(truth_of(orders.root, run.task, run.protocol), run.fields)
    if rows["id"].tolist() != replies.ids:
        raise MachineError(f"{run.name}: the test rows changed while it was asked: run it again.")
    answers = _answers(run, replies)
    if run.task.kind is Kind.REGRESSION and all(math.isnan(answer) for answer in answers):
        count = len(replies.ids)
        raise SeluError(f"none of the {count:,} replies to {run.name} holds a number, so it has no score.")
    says: Details = {
        "model": {"answered": replies.models, **({"server": replies.served_by} if replies.served_by else {})},
        "invalid": dict(sorted(replies.reasons.items())),
        "cost": {
            "wall_seconds": time.time() - replies.started,
            "timed_requests": replies.timed,  # that were answered in these seconds; the others before
            "requests": len(replies.ids),
            "asked_tokens": replies.asked,
            "answered_tokens": replies.answered,
            "usd": replies.usd,
            "usd_per_token": replies.prices,
            "paid_again": replies.paid_again,
            "taken_over": replies.taken_over,
        },
    }
    if theirs := replies.wording:
        texts = [reply.text for row in range(len(replies.ids)) if (reply := replies.replies.get(row))]
        unread = sum(text is not None and not theirs.finds(run.task, text) for text in texts)
        lacking = len(replies.ids) - sum(text is not None for text in texts)
        says["invalid_as_authors"] = {"no answer": unread, str(parse.Reason.MISSING): lacking}
    files = {record.REPLIES: replies.file}
    versions = run.fields["packages"]
    made = results.Made(answers, versions, replies.started, says, files)
    return results.write_run(orders, run, rows, made)


def _outcomes(task: Task, labels: Sequence[str], found: Sequence[wire.Reply | None]) -> list[parse.Outcome]:
    none = wire.Reply(None, False, False, 0, 0, None)
    return [
        parse.parse(reply.text, str(task.kind), labels, reply.cut, reply.refused)
        for reply in (reply or none for reply in found)
    ]


def _answers(run: Planned, found: _Replies) -> list[Any]:
    """Return the answers as they are stored, read by the protocol's way to read replies."""
    kind, labels = str(run.task.kind), found.labels
    if run.protocol == "strict":
        return [parse.stored(outcome, kind, labels) for outcome in found.outcomes]
    none = parse.stored(parse.Outcome(None, parse.Reason.MISSING), kind, labels)
    answers: list[Any] = []
    for row in range(len(found.ids)):
        reply = found.replies.get(row)
        text = reply.text if reply else None
        answer = found.wording.read(run.task, text) if found.wording else parse.as_authors(text, kind, labels)
        answers.append(none if answer is None else answer)  # which they leave out of the score
    return answers
