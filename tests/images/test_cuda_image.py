"""docker/Dockerfile built on bases made here, and the one command of docs/RUNNING.md run in it, without a GPU.

Its named bases lie in a registry. Debian 12 takes their place; the stage that compiles also has nvcc 12.4 of
Debian 13's non-free packages, and this machine's Python 3.11. More than an hour of a processor, and 40 GB.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import engine as engines
import pytest
import yaml
from engine import Engine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * 3600)]
IMAGE = "selu:cuda"
TOOLKIT = ("nvidia-cuda-toolkit", "nvidia-cuda-dev", "libcudart12", "libnvvm4")
TOOLKIT_HEADERS = ("libcu++-dev", "libcub-dev", "libthrust-dev")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LIBRARIES = (
    "libsqlite3-0",
    "libffi8",
    "libssl3",
    "libbz2-1.0",
    "liblzma5",
    "libreadline8",
    "libuuid1",
)  # of a Python
PYTHON = "opt/python/here"  # below the folder that the Dockerfile copies into the final stage
PATH = f"/{PYTHON}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MODELS = {"bert-base": ("bert", 512), "gpt2-small": ("gpt2", 1024), "t5-small": ("t5", 512)}
TRIAL = {
    "tasks": ["review_type"],
    "systems": list(MODELS),
    "repro": True,
    "devices": [1],
    "micro_batch_tokens": 8192,
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engines.made(tmp_path_factory.mktemp("images"), "patchelf") as made:
        yield made


@pytest.fixture(scope="module")
def built(engine: Engine, root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the image; return what was said."""
    context = engines.copy(root, tmp_path_factory.mktemp("context") / "selu")
    base = engine.base("localhost/base", LIBRARIES)
    devel = engine.base("localhost/devel", LIBRARIES, add_compilers, PATH=PATH)
    started = time.monotonic()
    output = engine.build(
        "docker/Dockerfile", context, IMAGE, DEVEL=devel, BASE=base, MAX_JOBS=os.environ.get("MAX_JOBS", "")
    )
    print(f"\nbuilt in {time.monotonic() - started:.0f} s, {engine.size(IMAGE) / 1e9:.2f} GB")
    return output


def add_compilers(base: Path) -> None:
    """Put nvcc, CUDA's headers and a Python 3.11 that is newer than Debian's into a base."""
    add_toolkit(base)
    add_python(base / PYTHON)


def add_toolkit(base: Path) -> None:
    """Unpack Debian 13's packages; of their static libraries, gigabytes, only the runtime's is linked."""
    work = base.with_name("toolkit")
    for name in ("lists/partial", "cache/archives/partial", "files"):
        (work / name).mkdir(parents=True)
    (work / "sources").write_text(f"deb [signed-by={KEYRING}] {engines.DEBIAN} trixie main contrib non-free\n")
    options = {
        "Dir::Etc::SourceList": work / "sources",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": work / "lists",
        "Dir::Cache": work / "cache",
        "APT::Sandbox::User": "root",
    }
    apt = ("apt-get", "--quiet", *(f"--option={name}={value}" for name, value in options.items()))
    engines.run(*apt, "update")
    engines.run(*apt, "download", *(f"{name}/trixie" for name in (*TOOLKIT, *TOOLKIT_HEADERS)), folder=work)
    for package in work.glob("*.deb"):
        engines.run("dpkg-deb", "--extract", str(package), str(work / "files"))
    for library in (work / "files").rglob("*.a"):
        if not library.name.startswith(("libcudart", "libcudadevrt")):
            library.unlink()
    for name in ("etc", "usr"):  # not as root of a file system: /lib would take the place of a link
        shutil.copytree(work / "files" / name, base / name, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(work)


def add_python(folder: Path) -> None:
    """Copy the Python that runs the tests, which finds its library beside it wherever it lies."""
    unneeded = shutil.ignore_patterns("site-packages", "__pycache__", "test", "*.a")
    for name in ("bin", "lib", "include"):
        shutil.copytree(Path(sys.base_prefix) / name, folder / name, symlinks=True, ignore=unneeded)
    engines.run("patchelf", "--set-rpath", "$ORIGIN/../lib", str(folder / "bin" / "python3.11"))


def test_its_kernels_are_compiled_and_all_of_it_loads(engine, built):
    """What `stack.sh check` prints, and what `selu doctor` finds without a GPU."""
    assert "No broken requirements found." in built
    assert "flash-attn and DeepSpeed 0.19.8 load" in built
    config = engine.described(IMAGE)
    assert (config["User"], config["Entrypoint"]) == ("1000:1000", ["tini", "-s", "--"])
    with engine.container(IMAGE) as (name, _):
        done = engine.run(name, "selu", "doctor")
    assert "differences: 0" in done.stdout
    assert "flash-attn: 2.8.3, built for torch 2.8.0 with CUDA 12.8" in done.stdout
    assert done.returncode == 1
    assert "no NVIDIA driver answers here" in done.stderr


def test_one_command_trains_and_reports_in_a_mounted_clone(engine, built, root, tmp_path):
    """By the image's user, with tiny weights of three architectures under the names of real ones.

    Without a GPU `selu doctor` ends the command, so that its other lines are run without this one.
    """
    mirror = os.environ.get("SELU_MIRROR")
    assert mirror, (
        "SELU_MIRROR must name a folder with copies of all data sets, commit_intention's messages too"
    )
    clone, models = tmp_path / "clone", tmp_path / "models"
    engines.run("git", "clone", "--quiet", str(root), str(clone))
    params = yaml.safe_load((clone / "params.yaml").read_text("utf-8"))
    params["shared"]["sweep"]["profiles"]["trial"] = TRIAL
    (clone / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    models.mkdir()
    engines.run("chown", "--recursive", "1000:1000", str(clone), str(models))
    volumes = (f"{clone}:/home/selu/selu", f"{models}:/models", f"{mirror}:/mirror:ro")
    started = time.monotonic()
    with engine.container(IMAGE) as (name, _):
        for system, (family, length) in MODELS.items():
            tiny = "import sys; sys.path.append('tests/systems/finetune'); import tiny"
            code = f"{tiny}; tiny.CONTEXT = {length}; tiny.make('{family}', tiny.Path('/models/{system}'))"
            made = engine.run(name, "python", "-c", code, volumes=volumes)
            assert made.returncode == 0, made.stderr
        settings = {"SELU_MIRROR": "/mirror", "SELU_MODELS": "/models"}
        refused = engine.run(name, "make", "paper", "PROFILE=trial", volumes=volumes, **settings)
        assert refused.returncode == 2
        assert "no NVIDIA driver answers here" in refused.stderr
        dry = engine.run(name, "make", "--dry-run", "paper", "PROFILE=trial", volumes=volumes, **settings)
        lines = dry.stdout.splitlines()
        lines.remove("selu doctor")
        done = engine.run(name, "sh", "-ec", "\n".join(lines), volumes=volumes, **settings)
    print(f"\n'make paper' inside without 'selu doctor': {time.monotonic() - started:.0f} s")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for system in MODELS:
        for protocol in ("paper", "strict"):
            folder = clone / "results" / "selu" / "review_type" / system / f"{protocol}-s42-cuda"
            run = json.loads((folder / "run.json").read_text())
            assert (run["state"], run["environment"]) == ("present", "cuda")
            assert folder.stat().st_uid == 1000
    assert (clone / "reports" / "site" / "index.html").is_file()
    assert not (clone / ".venv").exists()
