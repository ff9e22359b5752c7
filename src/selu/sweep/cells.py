"""The cells of a sweep: submitted while nodes have room, collected as they end, resubmitted when lost."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from selu.cost.profiles import SweepSettings
from selu.cost.schedule import Needs, Room
from selu.execution import results, runner
from selu.execution.planned import Planned, Wanted
from selu.execution.plans import family_of
from selu.runs import locks, record
from selu.sweep import gathering
from selu.sweep.cluster import Cluster
from selu.sweep.fleet import NODE, Fleet
from selu.sweep.messages import (
    Answer,
    AskedRun,
    CellAnswer,
    CellRequest,
    Event,
    Failed,
    NodeQuestion,
    Nodes,
    Sweep,
)
from selu.sweep.needs import Estimator, Ready
from selu.sweep.node import BUSY, LACKING, SWEEP
from selu.sweep.tally import Tally
from selu.vocabulary import SeluError

Progress = Callable[[str], None]
_BUSY_SECONDS = 5.0  # until a cell that another process is at is looked at again
_SEEN_SECONDS = 10.0  # for a file to be seen through a shared file system


class Cells:
    """Runs to be made, until each is present or failed.

    Args:
        only: missing, failed or all, by which the runs were chosen.
        store: where nodes that do not see this folder bring their runs.
    """

    def __init__(
        self,
        root: Path,
        runs: Sequence[Planned],
        only: str,
        estimates: Estimator,
        settings: SweepSettings,
        store: gathering.Store | None,
        progress: Progress,
    ) -> None:
        self._root, self._only, self._settings, self._store = root, only, settings, store
        self._estimates = estimates
        self._runs = {run.name: run for run in runs}
        self.tally = Tally({run.name: estimates.seconds(run) for run in runs}, progress)
        self._waiting = list(self._runs)
        self._known: frozenset[str] = frozenset()  # nodes by which those that wait are in order
        self._away: dict[str, tuple[Needs, str]] = {}  # with their node
        self._locks: dict[str, locks.Lock] = {}
        self._not_before: dict[str, float] = {}
        self._avoid: defaultdict[str, set[str]] = defaultdict(set)  # nodes on which a cell could not be run
        self._lost: Counter[str] = Counter()

    def left(self) -> int:
        """Count those that are neither done nor failed."""
        return len(self._waiting) + len(self._away)

    def fetch(self) -> None:
        """Collect what an earlier sweep gathered and did not copy.

        Raises:
            MachineError: the place can't be read.
        """
        if self._store is None or self._only != "missing":
            return
        held = self._store.held()
        for name in [name for name in self._waiting if self._runs[name].identity in held]:
            run = self._runs[name]
            try:
                files = self._store.get(run.identity) if self._lock(name) else None
                if files:
                    gathering.put_in_place(run.folder, files, run.identity)
                    self._done_by_others(name, "was gathered before")
            except SeluError as error:
                self.tally.say(f"{name}: {results.sentence(error)}")
            except OSError as error:  # of this disk: no node can mend it
                self._fail(name, results.sentence(error))
            finally:
                self._release(name)

    def run(self, work: Cluster, mark: str) -> None:
        """Work until all are done; ``mark`` is a file in this folder by which nodes know it.

        Raises:
            MachineError: the cluster was lost.
        """
        url = self._store.url if self._store else None
        common: Sweep = {"root": str(self._root), "gather": url, "mark": mark}
        runs = list(self._runs.values())
        # one of each task and of each system: whoever plans them as here has the same sources, locks and rows
        some = {key: run for run in runs for key in (run.task.id, (run.system, run.protocol, run.environment))}
        question: NodeQuestion = {
            **common,
            "tasks": sorted({run.task.id for run in runs}),
            "runs": [_asked(run) for run in {run.name: run for run in some.values()}.values()],
        }
        weights = self._estimates.weights_gb(runs)
        fleet = Fleet(question, self._settings.wait_seconds, weights, self.tally.say)
        self.tally.begin()
        while self.left():
            self._submit(work, fleet, common)
            if self.left() and (event := work.next(1.0)):
                self._heed(work, fleet, event)
            self.tally.still(len(self._away), len(self._waiting))

    def end(self) -> None:
        """Release all locks."""
        for name in list(self._locks):
            self._release(name)

    def _submit(self, work: Cluster, fleet: Fleet, common: Sweep) -> None:
        """Submit those that have room, the longest first (``cost.schedule``)."""
        nodes = fleet.ready()
        if not nodes and fleet.undecided():
            return
        self._sort(nodes)
        room = Room({node.id: Needs(node.cpus, node.gpus, node.memory) for node in nodes})
        for needs, node in self._away.values():
            if node in room.free:
                room.take(node, needs)
        now, devices = time.monotonic(), any(node.gpus for node in nodes)
        for name in list(self._waiting):
            run = self._runs[name]
            if nodes and room.full(devices and family_of(run).trains):
                continue
            if self._not_before.get(name, now) > now:
                continue
            suited = self._estimates.suited(run, fleet.ready(self._avoid[name]))
            if suited.why:
                if not fleet.undecided():
                    self._fail(name, suited.why)
                continue
            found = room.find(suited.needs, suited.nodes)
            if found is not None and self._begun(work, name, suited.needs, found, common):
                room.take(found, suited.needs)

    def _sort(self, nodes: Sequence[Ready]) -> None:
        """Order those that wait by what they take on these nodes."""
        known = frozenset(node.id for node in nodes)
        if known != self._known:
            self._known = known
            self._estimates.share([self._runs[name] for name in self._waiting], nodes)
            self._waiting.sort(key=lambda name: self._estimates.order(self._runs[name]))

    def _begun(self, work: Cluster, name: str, needs: Needs, node: str, common: Sweep) -> bool:
        """Lock a cell and submit it, unless others are at it or have done it."""
        run = self._runs[name]
        try:
            if not self._lock(name):
                self._not_before[name] = time.monotonic() + _BUSY_SECONDS
                return False
            if not runner.to_be_made(run, self._only):
                self._done_by_others(name, "done by others")
                return False
        except OSError as error:  # the others are out, or go on
            self._fail(name, results.sentence(error))
            return False
        request: CellRequest = {
            **common,
            "run": _asked(run),
            "only": self._only,
            "gpus": needs.gpus,
            "environment": self._estimates.environment(needs),
        }
        self._waiting.remove(name)
        self._away[name] = needs, node
        work.submit(name, f"{NODE}:run_cell", request, needs, node)
        return True

    def _lock(self, name: str) -> bool:
        """Return whether this process holds the lock of a cell."""
        if name not in self._locks:
            lock = locks.take(self._root / SWEEP / f"{self._runs[name].identity}.sweep")
            if lock is None:
                return False
            self._locks[name] = lock
        return True

    def _release(self, name: str) -> None:
        if lock := self._locks.pop(name, None):
            lock.release()

    def _heed(self, work: Cluster, fleet: Fleet, event: Event) -> None:
        if isinstance(event, Nodes):
            alive = fleet.meet(work, event.nodes)
            for name, (_, node) in self._away.items():
                if node not in alive:
                    work.cancel(name)  # it would wait for ever
        elif not fleet.take_in(event) and event.task in self._away:
            del self._away[event.task]
            if isinstance(event, Answer):
                self._answered(fleet, event.task, cast("CellAnswer", event.value), event.node)
            else:
                self._ended(event)

    def _answered(self, fleet: Fleet, name: str, answer: CellAnswer, node: str) -> None:
        run, state, why = self._runs[name], answer["state"], answer["why"]
        if state == BUSY:
            self._waiting.append(name)
            self._not_before[name] = time.monotonic() + _BUSY_SECONDS
            return
        if state in (record.State.PRESENT, record.State.FAILED):
            try:
                self._bring(run, answer)
            except (SeluError, OSError) as error:
                state, why = LACKING, results.sentence(error)
        where = fleet.name(node)
        fleet.did(node, well=state != LACKING)
        if state == LACKING and self._another(fleet, name, node, why):
            return
        self.tally.worked(name, answer["seconds"])
        if state != record.State.PRESENT:
            self._fail(name, f"on {where}: {why or f'its run is {state}'}")
            return
        self.tally.ran.append(run.folder / record.SCORES)
        line = results.score_line(run, record.read_scores(run.folder))
        self._over(name, f"{line}, {answer['seconds']:.1f} s on {where}")

    def _another(self, fleet: Fleet, name: str, node: str, why: str | None) -> bool:
        """Let another node try what this one could not do, if there is one."""
        avoid = self._avoid[name]
        avoid.add(node)
        others = self._estimates.suited(self._runs[name], fleet.ready(avoid))
        if len(avoid) > self._settings.retries or others.why:
            return False
        self.tally.say(f"{name}: on {fleet.name(node)}: {why} Another node is tried")
        self._waiting.insert(0, name)
        return True

    def _bring(self, run: Planned, answer: CellAnswer) -> None:
        """Put a run in place that was made without access to this folder; refuse one that is not whole."""
        if not answer["shared"]:
            files = answer["files"] or (self._store.get(run.identity) if self._store else None)
            if not files:
                raise SeluError("its gathered files are missing: run the sweep again.")
            gathering.put_in_place(run.folder, files, run.identity)
        until = time.monotonic() + _SEEN_SECONDS
        while record.state(run.folder, run.identity) != answer["state"] and time.monotonic() < until:
            time.sleep(0.2)
        record.read_run(run.folder, run.identity)
        if answer["state"] == record.State.PRESENT:
            record.read_scores(run.folder)

    def _ended(self, event: Failed) -> None:
        name = event.task
        if not event.lost:
            self._fail(name, event.why)
            return
        self._lost[name] += 1
        self.tally.lost += 1
        count, most = self._lost[name], self._settings.retries
        if count > most:
            self._fail(name, f"its node or process was lost {count} times ({event.why}): find out why.")
            return
        self.tally.say(f"{name}: lost ({event.why}); it is started again, {count} of {most} times")
        self._waiting.insert(0, name)

    def _done_by_others(self, name: str, how: str) -> None:
        self.tally.others.append(name)
        self._over(name, how)

    def _fail(self, name: str, why: str) -> None:
        self.tally.failed[name] = why
        self._over(name, why)

    def _over(self, name: str, how: str) -> None:
        self._release(name)
        if name in self._waiting:
            self._waiting.remove(name)
        self.tally.ended(name, how, self.left())


def _asked(run: Planned) -> AskedRun:
    """Return a run in the form in which a node looks it up."""
    which = Wanted(
        (run.task.id,), (run.system,), (run.protocol,), (run.seed,), (run.environment,), encoder=run.encoder
    )
    return AskedRun(run.name, run.identity, which)
