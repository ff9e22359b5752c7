"""A benchmark that nobody's code knows: a package in a folder, a few files of data, and every verb serves it.

``third/toy`` is the whole of it. If this test needs a change of ``src``, a shared room knows its tenants.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from selu import registry

ROOT = Path(__file__).parents[2]
THIRD = Path(__file__).parent / "third"
PAIRS = """task,one,other,distance,part
near_pairs,open the file,open the file now,0.2,train
near_pairs,close the socket,close that socket,0.4,test
near_pairs,read a line,read one line,0.4,test
near_pairs,write the log,write a log,0.5,train
near_pairs,start the server,start a server,0.4,test
near_pairs,stop the clock,stop the clock,0.0,train
near_pairs,one more row,one more pair,0.5,train
near_pairs,two more rows,two more pairs,0.5,train
near_pairs,three more rows,three more pairs,0.5,train
far_pairs,open the file,parse some dates,1.0,train
far_pairs,close the socket,draw a circle,1.0,test
far_pairs,read a line,send mails,1.0,test
far_pairs,write the log,sort numbers,1.0,train
far_pairs,start the server,count words,0.9,test
far_pairs,stop the clock,merge branches,0.9,train
far_pairs,one more row,another pair,1.0,train
far_pairs,two more rows,other pairs,1.0,train
far_pairs,three more rows,any pairs,1.0,train
"""
PIN = """task: pairs
availability: equal
cite: "made for a test"
licence: "Apache-2.0"
access: open
by_hand: "Copy pairs.csv to data/raw/toy/pairs/mirror/."
rows: 18
table: {table}
origins:
  - name: mirror
    reader: pairs
    files:
      - {{name: pairs.csv, path: toy/pairs.csv, sha256: "{sha256}", bytes: {bytes},
         form: {{kind: csv, columns: [task, one, other, distance, part]}}}}
  - name: original
    repository: toy/pairs
    commit: "0000000000000000000000000000000000000000"
    reader: pairs
    files:
      - {{name: pairs.csv, path: pairs.csv, sha256: "{sha256}", bytes: {bytes},
         form: {{kind: csv, columns: [task, one, other, distance, part]}}}}
"""
SYSTEM = {
    "learner": "selu.papers.toy.learners:Overlap",
    "sets": ["pairs"],
    "text": "row",
    "seeds": [42],
    "params": {"factor": 1.0},
}
TABLE = "table,row,column,printed\nI,overlap,Error,0.1\nI,chance,Error,0.5\n"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the two papers' tracked files and the toy's few."""
    root = tmp_path_factory.mktemp("clone")
    for place in ("reports", "notebooks"):
        shutil.copytree(ROOT / place, root / place)
    shutil.copytree(ROOT / "locks", root / "locks")
    for place in ("data/paper", "data/params", "data/pins", "data/splits", "docs/measurements"):
        shutil.copytree(ROOT / place, root / place)
    (root / "dvc.yaml").write_text("stages: {}\n", "utf-8")
    (root / "dvc.lock").write_text("schema: '2.0'\nstages: {}\n", "utf-8")
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["shared"]["bootstrap"]["draws"] = 100
    (root / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    toy = yaml.safe_dump({"systems": {"overlap": SYSTEM}})
    (root / "data" / "params" / "toy.yaml").write_text(toy, "utf-8")
    content = PAIRS.encode()
    (root / "mirror" / "toy").mkdir(parents=True)
    (root / "mirror" / "toy" / "pairs.csv").write_bytes(content)
    pins = root / "data" / "pins" / "toy"
    pins.mkdir()
    table = "f" * 64  # replaced by what the refusal names
    pin = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (pins / "pairs.yaml").write_text(PIN.format(table=table, **pin), "utf-8")
    (pins / "paper.csv").write_text(
        "file,row,column,printed\ntable1,overlap,Error,0.1\ntable1,chance,Error,0.5\n", "utf-8"
    )
    (root / "data" / "paper" / "toy").mkdir()
    (root / "data" / "paper" / "toy" / "table1.csv").write_text(TABLE, "utf-8")
    (root / "notebooks" / "toy").mkdir()
    shutil.copy(THIRD / "errors.ipynb", root / "notebooks" / "toy")
    return root


def selu(clone: Path, *words: str, code: int = 0) -> str:
    environment = {**os.environ, "SELU_BENCHMARKS": str(THIRD), "SELU_MIRROR": str(clone / "mirror")}
    done = subprocess.run(
        [sys.executable, "-m", "selu", "--root", str(clone), *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.mark.slow
def test_a_third_benchmark_needs_no_line_of_src(clone: Path) -> None:
    tasks = json.loads(selu(clone, "list", "tasks", "--paper", "toy", "--json"))
    assert [task["id"] for task in tasks] == ["near_pairs", "far_pairs"]
    systems = json.loads(selu(clone, "list", "systems", "--paper", "toy", "--json"))
    assert [system["id"] for system in systems] == ["overlap"]

    # Rows other than the pinned ones are refused; the refusal names the hash that these have.
    message = selu(clone, "prepare", "near_pairs", code=2)
    found = message.partition("have the hash ")[2][:64]
    pin = clone / "data" / "pins" / "toy" / "pairs.yaml"
    pin.write_text(pin.read_text("utf-8").replace("f" * 64, found), "utf-8")
    selu(clone, "prepare", "--paper", "toy")
    record = json.loads((clone / "reports" / "toy" / "data" / "near_pairs" / "record.json").read_text())
    assert (record["standing"], record["rows"], record["kind"]) == ("equal", 9, "pair_distance")

    selu(clone, "run", "--paper", "toy")
    scores = clone / "results" / "toy" / "near_pairs" / "overlap" / "paper-s42" / "scores.json"
    near = json.loads(scores.read_text())
    errors = [abs(0.5 - 0.4), abs(0.5 - 0.4), abs(0.5 - 0.4)]
    assert near["metric"] == "mean_error"
    assert near["value"] == pytest.approx(sum(errors) / 3)
    assert near["intervals"]["mean_error"]["low"] <= near["value"] <= near["intervals"]["mean_error"]["high"]
    selu(clone, "score", "--paper", "toy")
    assert "near_pairs" in selu(clone, "show", "near_pairs")
    shown = json.loads(selu(clone, "show", "near_pairs/overlap", "--json"))
    assert "0.1" in json.dumps(shown)

    selu(clone, "report", "errors", "--paper", "toy")
    assert (clone / "reports" / "toy" / "errors.csv").read_text().splitlines()[1] == "near_pairs,0.100000"
    selu(clone, "report", "claims", "--paper", "toy")
    assert "2 claims: 1 holds" in selu(clone, "verify", "--paper", "toy")
    assert json.loads(selu(clone, "show", "T02", "--json"))["verdict"] == "fails"
    selu(clone, "report", "notebook", "errors", "--paper", "toy")
    assert (clone / "reports" / "toy" / "notebooks" / "errors.ipynb").is_file()
    selu(clone, "report", "rules")
    assert "Overlap is better than chance." in (clone / "docs" / "CLAIMS.md").read_text("utf-8")
    selu(clone, "report", "site")


def package(name: str, prefix: str, fields: str = "", before: str = "") -> str:
    """The text of a package whose record has these further fields."""
    record = f"BENCHMARK = Benchmark(id='{name}', name='x', about='x', claim_prefix='{prefix}', {fields})\n"
    return f"from dataclasses import replace\nfrom selu.papers.api import Benchmark\n{before}{record}"


DESIGN = "from selu.papers.selu import design\n"
HOOKS = "hooks={'read': 'here:read', 'rows': 'here:read'}"
OTHER_TASK = "TASKS = tuple(replace(task, benchmark='no_reader', id='other') for task in design.tasks()[:1])\n"
SAME_TASK = "from selu.papers.crosscodebench import BENCHMARK as OTHER\n"
SAME_TASK += "TASKS = tuple(replace(task, benchmark='a_same_task') for task in OTHER.tasks()[:1])\n"
BROKEN = {
    "without": "x = 1\n",
    "raises": "raise RuntimeError('boom')\n",
    "same_prefix": package("same_prefix", "N"),
    "no_reader": package("no_reader", "X", "tasks=lambda: TASKS", DESIGN + OTHER_TASK),
    # Before those that are built in, by its name.
    "a_same_task": package("a_same_task", "Y", f"tasks=lambda: TASKS, {HOOKS}", SAME_TASK),
    "a_same_system": package("a_same_system", "V", "systems=design.systems", DESIGN),
    "no_module": package("no_module", "Z", "hooks={'page': 'pages.home:read'}"),
    "no_hook": package("no_hook", "W", "hooks={'pages': 'here:read'}"),
}
MESSAGES = {
    "no_module": "its hook page names pages.home:read, and there is no such module: give MODULE:FUNCTION",
    "no_hook": "page",
    "without": "exports no BENCHMARK",
    "raises": "RuntimeError: boom",
    "same_prefix": "claims of nlbse24 begin with N, too",
    "no_reader": "lacks read or rows",
    "a_same_task": "crosscodebench has a task cosqa, too: call it a_same_task_cosqa",
    "a_same_system": "selu has a system bert-base, too: call it a_same_system-bert-base",
}


def test_a_package_that_is_not_whole_is_refused_by_its_name_and_the_others_go_on(tmp_path: Path) -> None:
    for name, text in BROKEN.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text, "utf-8")
        (tmp_path / name / "here.py").write_text("def read() -> None: ...\n", "utf-8")
    code = (
        "import json; from selu import registry; found = registry.find();"
        "print(json.dumps([registry.published(), found.refused]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SELU_BENCHMARKS": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    published, refused = json.loads(done.stdout)
    assert published == list(registry.published())  # those that are whole, as without the broken ones
    assert sorted(refused) == sorted(BROKEN)
    for name, message in MESSAGES.items():
        assert refused[name].startswith(f"the paper {name} is left out: ")
        assert message in refused[name]


@pytest.mark.ci
def test_each_command_says_which_package_is_left_out_and_the_site_is_not_made_without_it(
    tmp_path: Path,
) -> None:
    """Else somebody's paper is missing from every page, and no command says so."""
    (tmp_path / "a_same_task").mkdir()
    (tmp_path / "a_same_task" / "__init__.py").write_text(BROKEN["a_same_task"], "utf-8")
    (tmp_path / "a_same_task" / "here.py").write_text("def read() -> None: ...\n", "utf-8")
    for words, code in ((("list", "papers"), 0), (("report", "site"), 2), (("report", "documents"), 2)):
        done = subprocess.run(
            [sys.executable, "-m", "selu", "--root", str(ROOT), *words],
            env={**os.environ, "SELU_BENCHMARKS": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "the paper a_same_task is left out: crosscodebench has a task" in done.stderr
        assert code or "CrossCodeBench" in done.stdout
