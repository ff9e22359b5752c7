"""Processor time of the commands that look at what is tracked: ``python speed/looking.py [--claims]``.

Each is called five times in a process of its own; the median of user and system time is printed. ``--claims``
verifies every claim of every benchmark instead, once each, and prints the slowest ones.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

COMMANDS = (
    "verify --claim C001", "verify --claim C060", "verify --claim N10 --paper nlbse24", "show C001",
    "show bug_issue/bert-base", "show bug_issue", "show bert-base",
)  # fmt: skip
TIMES, SLOWEST = 5, 20


def seconds(command: str) -> float:
    """Measure the processor time of one call of ``selu``; its failure is one here."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "selu", *command.split()], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_claims() -> list[tuple[float, str]]:
    """Measure the verification of each claim."""
    from selu import registry

    claims = [(claim.id, name) for name in registry.published() for claim in registry.claims(name)]
    words = [f"verify --claim {id} --paper {name}" for id, name in claims]
    return sorted(((seconds(command), command) for command in words), reverse=True)


def main() -> None:
    """Print seconds and commands."""
    if "--claims" in sys.argv:
        found = of_claims()
        for taken, command in found[:SLOWEST]:
            print(f"{taken:5.2f} s  {command}")
        print(f"{statistics.median(taken for taken, _ in found):5.2f} s  median of {len(found)} claims")
        return
    for command in COMMANDS:
        print(f"{statistics.median(seconds(command) for _ in range(TIMES)):5.2f} s  {command}")


if __name__ == "__main__":
    main()
