"""A prompted system at the size of issue_type: 160,683 rows planned, sent in batches, collected and parsed.

The rows are made up: words of our own, with the lengths of issues. They are prepared rows of a project of their
own, whose prompts come from the real template and go over the official SDK to a local server that speaks the
provider's batch protocol. The server is a process of its own, so that the client's memory and processor time
are measured alone; its wall time holds the server's work too.

Prints (and writes with ``--out``) per provider and phase wall and processor seconds and the highest resident
memory. Ends with an error where a row is not answered and paid for exactly once, or has another row's reply.

    python speed/prompt.py
    python speed/prompt.py --rows 20000 --requests 5000 --provider anthropic
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "src"), str(HERE.parent / "tests" / "systems" / "prompt")]

from timing import heading, print_lines  # noqa: E402

from selu.data.prepared import FIELDS  # noqa: E402
from selu.execution import plans  # noqa: E402
from selu.execution.prompt import plan as prompt_plan  # noqa: E402
from selu.execution.prompt import requests  # noqa: E402
from selu.files import to_json  # noqa: E402
from selu.project import (  # noqa: E402
    CLEAN,
    SPLITS,
    find_root,
)
from selu.registry import DEFAULT  # noqa: E402
from selu.systems.prompt import parse, wire  # noqa: E402
from selu.systems.prompt.drive import Drive  # noqa: E402
from selu.systems.prompt.hiding import Hidden  # noqa: E402
from selu.systems.prompt.journal import Journal  # noqa: E402

TASK, ROWS, OTHERS = "issue_type", 160_683, 4  # rows that are not tested beside each one that is
SYSTEMS = {"openai": "gpt-4o", "anthropic": "claude-3.7"}
ANSWERS = ("bug", "enhancement", "question", "**Bug**", "Label: question", "It is hard to say.")
SEED = 42


def texts(rows: int, short: int) -> Iterator[str]:
    """So many short texts, then issues in words of our own: some 1,400 characters each, lognormally."""
    draw = random.Random(SEED)
    parts = ("ka", "lo", "mi", "ten", "sur", "ve", "do", "ran", "pi", "el", "qua", "zü", "—", '"', "\\", "\n")
    words = ["".join(draw.choices(parts, k=draw.randint(1, 5))) for _ in range(3_000)]
    sentences = [" ".join(draw.choices(words, k=draw.randint(3, 20))) + "." for _ in range(5_000)]
    yield from (f"{row}: {draw.choice(sentences)}" for row in range(short))
    for row in range(rows):
        wanted, found = min(draw.lognormvariate(6.8, 0.85), 30_000), [f"{row}:"]
        while wanted > 0:
            found.append(draw.choice(sentences))
            wanted -= len(found[-1]) + 1
        yield " ".join(found)


def prepare_rows(root: Path, rows: int) -> None:
    """Make a project with so many test rows, prepared and recorded."""
    import pandas as pd

    from selu.data import prepared
    from selu.splits import files

    others, draw = rows * OTHERS, random.Random(SEED)
    every, parts = rows + others, ["train"] * others + ["test"] * rows
    ids = [f"r{number:06}" for number in range(every)]
    labels = [draw.randrange(3) for _ in range(every)]
    columns = {"id": ids, "text": [""] * every, "paper": list(texts(rows, others)), "sound": [""] * every}
    table = pd.DataFrame({**columns, "label": labels, "group": [None] * every, "source": ["made"] * every})
    split = files.to_bytes(pd.DataFrame({"id": ids, "paper": parts, "strict": parts, "grouped": parts}))
    names = ("id", "shot_1", "shot_2", "shot_3")
    drawn = [[row, *draw.sample(range(others), 3)] for row in ids[others:]]
    shots = files.to_bytes(
        pd.DataFrame([[row, *(ids[shot] for shot in three)] for row, *three in drawn], columns=names)
    )
    for folder in (CLEAN / DEFAULT, SPLITS / DEFAULT / TASK, Path("reports") / DEFAULT / "data" / TASK):
        (root / folder).mkdir(parents=True)
    (root / CLEAN / DEFAULT / f"{TASK}.parquet").write_bytes(prepared.to_parquet(table))
    (root / SPLITS / DEFAULT / TASK / "split.csv").write_bytes(split)
    (root / SPLITS / DEFAULT / TASK / "shots.csv").write_bytes(shots)
    hashes = {"clean": prepared.fingerprint(table), "split": files.sha256(split), "shots": files.sha256(shots)}
    record = dict.fromkeys(FIELDS) | {"task": TASK, "standing": "equal", "rows": every, "hashes": hashes}
    record["audit"] = {"parts": {"strict": {"test": rows}}}
    (root / "reports" / DEFAULT / "data" / TASK / "record.json").write_text(to_json(record), "utf-8")
    (root / "data" / "paper").mkdir()
    for name in ("params.yaml", "locks"):
        (root / name).symlink_to(find_root(HERE) / name)


def serve() -> None:
    """Be the server until the input ends: says its URLs and keys, and at the end what was paid."""
    from api_server import Server

    with Server(answers=ANSWERS) as server:
        about = {
            "openai": [server.openai_url, server.openai_key],
            "anthropic": [server.url, server.anthropic_key],
        }
        print(json.dumps(about), flush=True)
        sys.stdin.read()
        paid = server.paid.values()
        print(json.dumps({"batches": len(server.batches), "paid": sum(paid), "once": Counter(paid)[1]}))


class Phases:
    """Wall and processor seconds, and the highest resident memory in MB, of phases by name."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = defaultdict(float)
        self.processor: dict[str, float] = defaultdict(float)
        self.memory: dict[str, float] = defaultdict(float)

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Measure what is done within; a phase may come several times."""
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # from here on a new highest
        began = time.perf_counter(), time.process_time()
        yield
        self.wall[name] += time.perf_counter() - began[0]
        self.processor[name] += time.process_time() - began[1]
        self.memory[name] = max(self.memory[name], resident())


def resident() -> float:
    """Return the highest resident memory of this process in MB."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


class Watched(Drive):
    """A drive that is watched by phases."""

    phases: Phases

    def _send(self) -> bool:
        with self.phases("send"):
            return super()._send()

    def _collect(self) -> None:
        with self.phases("collect"):
            super()._collect()


def carry(root: Path, provider: str, shots: int, batch: tuple[int, int], server: Any) -> dict[str, Any]:
    """Plan, send, collect and parse; what was measured."""
    phases, (url, key) = Phases(), server[provider]
    with phases("start"):  # what is loaded once, whatever the number of rows
        from selu.systems.prompt.provider_anthropic import Anthropic
        from selu.systems.prompt.provider_openai import OpenAI

        system = f"{SYSTEMS[provider]}-{f'{shots}-shot' if shots else 'zero-shot'}"
        kind = OpenAI if provider == "openai" else Anthropic
        settings = replace(
            prompt_plan.settings_of(root), poll_seconds=0.1, batch_requests=batch[0], batch_megabytes=batch[1]
        )
        over = kind(key, url, settings.timeout_seconds, Hidden([key]))
    with phases("plan"):
        run = plans.plan(root, plans.Wanted((TASK,), (system,), ("strict",)))[0]
        model = prompt_plan.known(root)[system]
        cell = requests.CellRequests(root, run, model, settings, lambda _: None)
    path = cell.folder / requests.JOURNAL
    with Journal(path, cell.key, len(cell.ids)) as journal:
        drive = Watched(journal, over, cell.requests(), settings, lambda _: None)
        drive.phases = phases
        drive.run()
        with phases("parse"):
            replies, reasons = read(cell, journal)
        check(cell, replies)
        found: dict[str, Any] = {"rows": len(cell.ids), "twice": journal.paid_again()}
        found |= {"failed": len(journal.failures()), "batches": len(journal.sendings())}
        found["answered"] = journal.answered()
    cell.close()
    for name in (requests.PROMPTS, requests.JOURNAL):
        found[name] = (cell.folder / name).stat().st_size / 1e6
    measured = {"wall": phases.wall, "processor": phases.processor, "memory": phases.memory}
    return {**found, **measured, "reasons": reasons}


def read(cell: requests.CellRequests, journal: Journal) -> tuple[list[str | None], Counter[str]]:
    """Count replies by row, and invalid ones by reason."""
    labels, kind = [label.name for label in cell.run.task.labels], str(cell.run.task.kind)
    replies: list[str | None] = [None] * len(cell.ids)
    reasons: Counter[str] = Counter()
    for row, body in journal.replies():
        reply = wire.read(cell.protocol, body)
        outcome = parse.parse(reply.text, kind, labels, reply.cut, reply.refused)
        replies[row] = reply.text
        reasons[str(outcome.reason)] += outcome.reason is not None
    return replies, +reasons


def check(cell: requests.CellRequests, replies: Sequence[str | None]) -> None:
    """Refuse a reply that is another row's."""
    from api_rules import one_of

    rule = one_of(ANSWERS)
    wrong = [row for row, reply in enumerate(replies) if reply != rule(cell.prompt(row))]
    if wrong:
        raise SystemExit(f"{len(wrong)} rows have another reply than theirs, the first is {wrong[0]}")


def measure(provider: str, rows: int, shots: int, batch: tuple[int, int]) -> dict[str, Any]:
    """Lay the project, start the server, carry all rows to their replies."""
    itself = [sys.executable, str(Path(__file__).resolve())]
    with tempfile.TemporaryDirectory(prefix="prompt-") as name:
        subprocess.run([*itself, "--rows", str(rows), "--lay", name], check=True)
        server = subprocess.Popen(
            [*itself, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": name},
        )
        assert server.stdin
        assert server.stdout
        try:
            found = carry(Path(name), provider, shots, batch, json.loads(server.stdout.readline()))
            server.stdin.close()
            found["server"] = json.loads(server.stdout.readline())
        finally:
            server.kill()
            server.wait()
    once = found["server"]["once"], found["server"]["paid"], found["answered"], found["rows"]
    if len({*once}) > 1 or found["twice"] or found["failed"]:
        raise SystemExit(f"{provider}: rows were not answered once each: {found}")
    return found


def lines(provider: str, found: dict[str, Any]) -> Iterator[str]:
    """Tabulate what was measured."""
    yield (
        f"{provider}: {found['rows']:,} rows, {found['batches']} batches, {found['answered']:,} answered and "
        f"paid for once; prompts {found[requests.PROMPTS]:.0f} MB, journal {found[requests.JOURNAL]:.0f} MB, "
        f"invalid replies {sum(found['reasons'].values()):,}"
    )
    yield "  phase      wall: s  processor: s  memory: MB"
    for phase in found["wall"]:
        each = (found["wall"][phase], found["processor"][phase], found["memory"][phase])
        yield f"  {phase:8}  {each[0]:8.1f}  {each[1]:12.1f}  {each[2]:10.0f}"
    wall, processor = sum(found["wall"].values()), sum(found["processor"].values())
    yield f"  {'together':8}  {wall:8.1f}  {processor:12.1f}  {max(found['memory'].values()):10.0f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--provider", choices=SYSTEMS, help="one of them alone")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--shots", type=int, choices=prompt_plan.SHOTS, default=0)
    parser.add_argument("--requests", type=int, default=50_000, help="in a batch at most")
    parser.add_argument("--megabytes", type=int, default=200, help="of a batch at most")
    parser.add_argument("--out", type=Path, help="also write the text there")
    parser.add_argument("--json", type=Path, help="write all figures there")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--lay", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.serve:
        return serve()
    if chosen.lay:
        return prepare_rows(chosen.lay, chosen.rows)
    every, batch = {}, (chosen.requests, chosen.megabytes)
    load, cores = os.getloadavg()[0], os.cpu_count()

    def shown() -> Iterator[str]:
        conditions = (f"{cores} cores", f"load {load:.1f} before", f"{chosen.shots} shots")
        yield heading("prompt.py", conditions, ("openai", "anthropic"))
        for provider in [chosen.provider] if chosen.provider else SYSTEMS:
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:  # a memory of its own
                every[provider] = alone.submit(measure, provider, chosen.rows, chosen.shots, batch).result()
            yield from lines(provider, every[provider])

    print_lines(shown(), chosen.out)
    if chosen.json:
        chosen.json.write_text(json.dumps(every), "utf-8")
    return None


if __name__ == "__main__":
    main()
