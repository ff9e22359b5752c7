"""The recipe for Slurm, with stand-ins for what Slurm brings: two Ray nodes on this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import small_project as small
from helpers import stand_in
from selu.execution.planned import Wanted
from selu.execution.plans import plan
from selu.runs import record

pytestmark = [pytest.mark.slow, pytest.mark.nodes]
RECIPE = Path(__file__).parents[2] / "docker" / "sweep.slurm"
WANTED = Wanted((small.BINARY,), ("minilm-l6",))
SRUN = """#!/bin/sh
echo "$@" >> "$SRUN_LOG"
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
"""


@pytest.fixture
def port() -> int:
    """Of the head, by which its processes are known."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def started(tmp_path: Path, port: int) -> subprocess.Popen[str]:
    root, tools = small.make(tmp_path / "clone"), tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "marks").mkdir()
    for name, text in (("srun", SRUN), ("scontrol", "#!/bin/sh\necho 127.0.0.1\necho other\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((str(tools), str(Path(sys.executable).parent), os.environ["PATH"])),
        "SRUN_LOG": str(tmp_path / "srun.log"),
        "SELU_RAY_PORT": str(port),
        "SLURM_JOB_NODELIST": "node[1-2]",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_JOB_ID": f"7{port}",
        "STAND_IN": str(tmp_path / "marks"),
        "SELU_FINETUNE_PYTHON": str(stand_in.interpreter(tmp_path / "marks")),
    }
    words = ["bash", str(RECIPE), "--system", "minilm-l6", "--task", small.BINARY]
    return subprocess.Popen(
        words, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip


def left(clone: Path, port: int) -> list[str]:
    """Processes of this clone or of this head that are still there."""
    found = subprocess.run(
        ["pgrep", "-f", "-a", f"{clone}|{port}"], capture_output=True, text=True, check=False
    )
    return found.stdout.splitlines()


def test_two_nodes_start_and_all_cells_run(started: subprocess.Popen[str], tmp_path: Path, port: int) -> None:
    output, _ = started.communicate(timeout=300)
    assert started.returncode == 0, output
    runs = plan(tmp_path / "clone", WANTED)
    assert [record.state(run.folder, run.identity) for run in runs] == [record.State.PRESENT] * len(runs)
    log = (tmp_path / "srun.log").read_text().splitlines()
    assert [line.split()[:2] for line in log] == [["--nodes=1", "--ntasks=1"]] * 2
    assert "--nodelist=127.0.0.1 ray start --head --node-ip-address=" in log[0]
    assert "--exclude=127.0.0.1 ray start --address=" in log[1]
    folders = {re.search(r"--temp-dir=(\S+)", line)[1] for line in log}
    assert folders == {f"/tmp/ray-{os.getuid()}-7{port}"}  # not /tmp/ray, which may be another user's
    assert not left(tmp_path / "clone", port)


def test_the_signal_before_the_time_limit_ends_the_sweep_in_order(
    started: subprocess.Popen[str], tmp_path: Path, port: int
) -> None:
    until = time.monotonic() + 120
    while not (tmp_path / "clone" / ".selu" / "sweep").is_dir() and time.monotonic() < until:
        time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    output, _ = started.communicate(timeout=120)
    assert started.returncode == 130, output
    assert not left(tmp_path / "clone", port)
