"""A project of a few files in a git repository, with stages, their lock and their results in the store."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from selu.runs import store

WHEN = "2020-02-03T04:05:06+00:00"  # of the commit; nothing else is of this day
ODD = "docs/größe 1 & 2.md"
FILES = {
    ".gitignore": "/build/\n/reports/\n/data/splits/\n/data/raw/\n.venv/\n",
    ".gitattributes": "* text=auto eol=lf\n/store/** -text\n",
    ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n",
    ".dvc/config": "[core]\n    analytics = false\n    remote = store\n"
    "['remote \"store\"']\n    url = ../store\n",
    "CITATION.cff": "cff-version: 1.2.0\ntitle: A small package\nmessage: cite it\ntype: software\n"
    "license: Apache-2.0\nversion: 0.1.0\nauthors:\n  - name: Us\n  - {family-names: Doe, given-names: Jo,"
    " orcid: 'https://orcid.org/0000-0001-2345-6789'}\nreferences:\n  - {type: article, title: The paper,"
    " doi: 10.1/paper, authors: [{family-names: Roe, given-names: Al}]}\n",
    "LICENSE": "Apache\n",
    "README.md": "# small\n",
    "bin/run": "#!/bin/sh\n",
    "data/paper/t1.csv": "a,b\n1,2\n",
    "data/paper/t2.csv": "a,b\n3,4\n",
    ODD: "Maß\n",
    "locks/verify.txt": "dvc==3.67.1 \\\n    --hash=sha256:0\n",
    "params.yaml": "selu: {}\n",
    "pyproject.toml": "[project]\nname = 'small'\ndescription = 'A small thing.'\n",
    "src/selu/papers/selu/tasks.yaml": "- id: t\n  citation:\n    - {title: On a task, authors: A. Uthor,"
    " year: 2019, doi: 10.1/task}\n    - {title: On another, authors: B. Uthor, year: 2018, venue: MSR}\n"
    "- id: u\n  citation:\n    - {title: On a task, authors: A. Uthor, year: 2019, doi: 10.1/task}\n",
    "src/selu/stats/mean.py": "x = 1\n",
}
RESULTS = {
    "data/splits/one": {"ids.csv": "1\n", "test/ids.csv": "2\n"},
    "data/splits/two": {"ids.csv": "1\n"},
    "reports/s.json": {"": '{"x": 1}\n'},
    "reports/site": {"index.html": "<p>hi</p>\n", "more.bin": "\0\1\r\n"},
}


def git(folder: Path, *arguments: str, at: str = WHEN) -> str:
    """What git answers, whatever the settings of who runs the tests."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_COMMITTER_DATE": at}
    people = {f"GIT_{who}_{what}": "u@x.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *arguments]
    environment = {**os.environ, **own, **people, "GIT_AUTHOR_DATE": at}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def make(folder: Path) -> Path:
    """Write the project, pulled, and commit it."""
    for path, text in FILES.items():
        write(folder / path, text)
    (folder / "bin" / "run").chmod(0o755)
    for path, members in RESULTS.items():
        for relative, text in members.items():
            write(folder / path / relative, text)
    locked = lock(folder)
    declared = {
        "split": {
            "foreach": ["one", "two"],
            "do": {"cmd": "split ${item}", "deps": ["data/paper"], "outs": ["data/splits/${item}"]},
        },
        **{
            name: {"cmd": locked[name]["cmd"], "outs": [locked[name]["outs"][0]["path"]]}
            for name in ("stats", "site")
        },
    }
    write(folder / "dvc.yaml", yaml.safe_dump({"stages": declared}))
    write(folder / "dvc.lock", yaml.safe_dump({"schema": "2.0", "stages": locked}))
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


def commit(folder: Path, at: str = WHEN) -> str:
    git(folder, "add", "--all", at=at)
    git(folder, "commit", "--quiet", "--message=x", at=at)
    return git(folder, "rev-parse", "HEAD").strip()


def lock(folder: Path) -> dict[str, Any]:
    """The stages as DVC locks them, with every result in the store."""

    def stage(command: str, reads: list[str], writes: str) -> dict[str, Any]:
        entries = [[{"path": path, "hash": "md5", "md5": digest(folder, path)} for path in paths]
                   for paths in (reads, [writes])]  # fmt: skip
        return {"cmd": command, "deps": entries[0], "outs": entries[1]}

    for path in RESULTS:
        digest(folder, path, keep=True)
    return {
        "split@one": stage("split one", ["data/paper"], "data/splits/one"),
        "split@two": stage("split two", ["data/paper"], "data/splits/two"),
        "stats": stage("stats", ["data/paper/t1.csv", "data/splits", "src/selu/stats"], "reports/s.json"),
        "site": stage("site", ["reports/s.json"], "reports/site"),
    }


def digest(folder: Path, path: str, keep: bool = False) -> str:
    """DVC's digest of a file or folder, and its objects in the store where they are to be kept."""
    found = {name: (folder / path / name).read_bytes() for name in store.fingerprints(folder / path)}
    md5s = {name: hashlib.md5(content).hexdigest() for name, content in found.items()}
    listing = json.dumps([{"md5": md5s[name], "relpath": name} for name in sorted(md5s)]).encode()
    whole = f"{hashlib.md5(listing).hexdigest()}.dir"
    if keep:
        for name, content in found.items():
            write(store.object_path(folder, md5s[name]), content)
        if "" not in found:
            write(store.object_path(folder, whole), listing)
    return md5s.get("", whole)


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
