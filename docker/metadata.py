"""Write locks/cuda.json: what the distributions that locks/cuda.txt pins say they require.

By it a test holds them to one another without a network. ``make locks`` calls this; it needs Linux on x86-64,
Python 3.11, pip and the index.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Iterator
from email.parser import HeaderParser
from io import BytesIO
from pathlib import Path
from typing import Any

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")
# Their metadata can only be computed where torch is; the source distributions bring it along.
FROM_SOURCE = ("deepspeed", "flash-attn")
_PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)((?:.*\\\n.*--hash=\S+)+)", re.MULTILINE)


def main(lock: Path) -> None:
    """Write the JSON file beside the lock."""
    pins = {
        name: (version, set(re.findall("sha256:([0-9a-f]{64})", rest))) for name, version, rest in _pins(lock)
    }
    found = dict(_by_pip({name: pins[name][0] for name in pins if name not in FROM_SOURCE}))
    for name in FROM_SOURCE:
        found[name] = _from_source(name, *pins[name])
    lines = (json.dumps({"name": name, **found[name]}, sort_keys=True) for name in sorted(found))
    lock.with_suffix(".json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _pins(lock: Path) -> list[tuple[str, str, str]]:
    return _PIN.findall(lock.read_text("utf-8"))


def _by_pip(versions: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """From pip's report of what it would install; most of it are a few bytes beside the wheel."""
    command = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
        "--no-deps",
    )
    wanted = [f"{name}=={version}" for name, version in versions.items()]
    done = subprocess.run(
        [*command, "--use-pep517", "--report", "-", *wanted], check=True, stdout=subprocess.PIPE, text=True
    )
    for entry in json.loads(done.stdout)["install"]:
        stated = entry["metadata"]
        yield (
            _name(stated["name"]),
            _record(stated["version"], stated.get("requires_python"), stated.get("requires_dist")),
        )


def _from_source(name: str, version: str, hashes: set[str]) -> dict[str, Any]:
    page = urllib.request.urlopen(f"{INDEX}/{name}/").read().decode()
    (link,) = set(re.findall(rf'"([^"#]*{name.replace("-", "[-_]")}-{re.escape(version)}\.tar\.gz)[#"]', page))
    content = urllib.request.urlopen(link).read()
    if hashlib.sha256(content).hexdigest() not in hashes:
        raise SystemExit(f"{link} is not the file that locks/cuda.txt pins.")
    with tarfile.open(fileobj=BytesIO(content)) as archive:
        (member,) = (entry for entry in archive.getmembers() if re.fullmatch(r"[^/]+/PKG-INFO", entry.name))
        stream = archive.extractfile(member)
        assert stream is not None
        stated = HeaderParser().parsestr(stream.read().decode())
    return _record(stated["Version"], stated["Requires-Python"], stated.get_all("Requires-Dist"))


def _record(version: str, python: str | None, requires: list[str] | None) -> dict[str, Any]:
    plain = sorted(line for line in requires or () if "extra ==" not in line.partition(";")[2])
    return {"version": version, "requires_python": python or "", "requires_dist": plain}


def _name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
