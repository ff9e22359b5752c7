"""buildah with a store of its own: builds and runs images as root, without a daemon, and pulls nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BASE = "localhost/bookworm"
DEBIAN = os.environ.get("SELU_TEST_IMAGES_DEBIAN", "http://deb.debian.org/debian")
# What pip needs of this machine while an image is built, mounted read-only: certificates, wheels, pip.conf.
MOUNTS = [path for path in os.environ.get("SELU_TEST_IMAGES_MOUNTS", "").split(os.pathsep) if path]


class Engine:
    """An empty store in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._policy = folder / "policy.json"
        self._policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')

    def base(
        self,
        name: str = BASE,
        packages: Sequence[str] = (),
        add: Callable[[Path], None] | None = None,
        **environment: str,
    ) -> str:
        """Debian 12 of debootstrap with these packages, without what slim images leave out.

        Args:
            add: what puts more into its folder.

        Returns:
            Its name with its digest.
        """
        folder = self.folder / "base"
        included = ",".join(("ca-certificates", *packages))
        run("debootstrap", "--variant=minbase", f"--include={included}", "bookworm", str(folder), DEBIAN)
        for unneeded in ("var/cache/apt", "usr/share/doc", "usr/share/man", "usr/share/locale"):
            shutil.rmtree(folder / unneeded)
            (folder / unneeded).mkdir()
        if add is not None:
            add(folder)
        container = self("from", "scratch").strip()
        self("add", container, str(folder), "/")
        settings = [f"--env={setting}={value}" for setting, value in environment.items()]
        self("config", *settings, container)
        self("commit", *self._signing, "--format", "docker", container, name)
        self("rm", container)
        shutil.rmtree(folder)
        (image,) = json.loads(self("images", "--json", name))
        return f"{name}@{image['digest']}"

    def build(self, file: str, context: Path, tag: str, *words: str, **arguments: str) -> str:
        """Build an image, keeping each layer; what was said while it was built."""
        given = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
        mounted = [word for path in MOUNTS for word in ("--volume", f"{path}:{path}:ro")]
        how = ("--isolation", "chroot", "--pull-never", "--layers", "--format", "docker", *self._signing)
        return self(
            "bud", *how, *mounted, *given, *words, "--file", file, "--tag", tag, str(context), with_errors=True
        )

    def described(self, image: str) -> dict[str, Any]:
        """The image's configuration."""
        found: dict[str, Any] = json.loads(self("inspect", "--type", "image", image))
        return found["Docker"]["config"]

    def size(self, image: str) -> int:
        """Bytes of all layers, unpacked."""
        (found,) = json.loads(self("images", "--json", image))
        text = found["size"]
        number, unit = text.split()
        return round(float(number) * {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}[unit])

    @contextmanager
    def container(self, image: str) -> Iterator[tuple[str, Path]]:
        """A container of an image, and the folder where its files lie."""
        name = self("from", *self._signing, "--pull-never", image).strip()
        try:
            yield name, Path(self("mount", name).strip())
        finally:
            self("rm", name)

    def run(
        self, container: str, *command: str, user: str = "", volumes: tuple[str, ...] = (), **settings: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command by the image's entry point, as its user or another one."""
        options = [f"--volume={volume}" for volume in volumes] + ([f"--user={user}"] if user else [])
        options += [f"--env={name}={value}" for name, value in settings.items()]
        entry = ("--", "tini", "-s", "--", *command)
        line = [*self._head, "run", "--isolation", "chroot", *options, container, *entry]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    def __call__(self, *words: str, with_errors: bool = False) -> str:
        return run(*self._head, *words, with_errors=with_errors)

    @property
    def _signing(self) -> tuple[str, str]:
        return ("--signature-policy", str(self._policy))

    @property
    def _head(self) -> tuple[str, ...]:
        places = ("--root", str(self.folder / "store"), "--runroot", str(self.folder / "run"))
        return ("buildah", *places, "--storage-driver", os.environ.get("STORAGE_DRIVER", "overlay"))


def copy(root: Path, folder: Path) -> Path:
    """What git would commit of the working tree."""
    command = ("git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, run(*command).split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


@contextmanager
def made(folder: Path, *needed: str) -> Iterator[Engine]:
    """An engine with an empty store, which goes afterwards; ``needed`` are commands beside its own."""
    missing = [name for name in ("buildah", "debootstrap", *needed) if shutil.which(name) is None]
    assert not missing, f"'apt-get install {' '.join(missing)}' brings what these tests need"
    assert os.geteuid() == 0, "debootstrap and buildah's chroot isolation need root"
    engine = Engine(folder)
    yield engine
    engine("rm", "--all")
    engine("rmi", "--all", "--force")
    shutil.rmtree(folder, ignore_errors=True)


def run(*command: str, with_errors: bool = False, folder: Path | None = None) -> str:
    """Output of a command that must not fail."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if with_errors else subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-3000:]}\n{done.stderr or ''}"
    return done.stdout
