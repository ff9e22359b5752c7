"""Local repositories of git, written in one stream, so that a history of hundreds of commits takes a second."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    quiet = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "gc.auto=0"]
    done = subprocess.run(
        ["git", "-C", folder, *quiet, *arguments], input=given, capture_output=True, check=True
    )
    return done.stdout.decode()


def make(folder: Path, commits: Iterable[tuple[str, Mapping[str, bytes | None]]]) -> list[str]:
    """Write commits, each a message and files (None: deleted) on top of the one before it; their hashes."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    out, marks = bytearray(), 0
    for marks, (message, files) in enumerate(commits, 1):
        text = message.encode()
        out += b"commit refs/heads/main\nmark :%d\ncommitter a <a@b> %d +0000\n" % (
            marks,
            1_500_000_000 + marks * 86400,
        )
        out += b"data %d\n%s\n" % (len(text), text)
        if marks > 1:
            out += b"from :%d\n" % (marks - 1)
        for path, content in files.items():
            quoted = re.sub(r'["\\]', r"\\\g<0>", path).replace("\n", "\\n").encode()
            if content is None:
                out += b'D "%s"\n' % quoted
            else:
                out += b'M 100644 inline "%s"\ndata %d\n%s\n' % (quoted, len(content), content)
    git(folder, "fast-import", "--quiet", "--export-marks=.git/marks", given=bytes(out))
    git(folder, "reset", "--quiet", "--hard")
    found = dict(line.split() for line in (folder / ".git" / "marks").read_text().splitlines())
    return [found[f":{number}"] for number in range(1, marks + 1)]
