"""The location of a model's files: a local folder, an installed package, or the hub; safetensors, no code.

The folder is looked up, and its weights are held to the pinned hash, by the process that trains.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from selu.files import sha256_of
from selu.vocabulary import MachineError

MODELS = "SELU_MODELS"  # environment variable: a folder with one folder per model
FILES = ("*.safetensors", "*.json", "*.txt", "*.model")  # that are taken from a hub; no pickle, no program
# One of them holds a vocabulary.
_WORDS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")
_SHA256 = 64  # digits; a commit of the hub has 40
_OF_THE_DISK = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Wanted:
    """A system's model. ``package`` and ``inside`` name a folder in an installed package, where there is one;
    ``revision`` is a commit of the hub, the sha256 of the weights, or None where neither is pinned."""

    system: str
    hub: str
    package: str
    inside: str
    revision: str | None


@dataclass(frozen=True)
class Found:
    """A local folder, the revision that stands for it, the sha256 of its weights, and where it comes from:
    folder, package or hub."""

    folder: Path
    revision: str
    weights: str
    origin: str

    def record(self) -> Mapping[str, str]:
        """Return all but the folder, which is of this machine."""
        return {name: value for name, value in asdict(self).items() if name != "folder"}


def find(wanted: Wanted, say: Callable[[str], None], environment: Mapping[str, str] = os.environ) -> Found:
    """Find the model's folder and hold it to its pin; a model of the hub is downloaded where it is not there.

    Raises:
        MachineError: it is not available, has no safetensors, or is another one than the pinned one.
    """
    origin, commit = "folder", None
    folder = _local(wanted, environment)
    if folder is None and wanted.package:
        folder, origin = _packaged(wanted), "package"
    elif folder is None:
        folder, origin = _downloaded(wanted, environment), "hub"
        commit = folder.name
    weights = weights_hash(folder)
    pin = wanted.revision
    if pin is not None and len(pin) == _SHA256 and weights != pin:
        raise MachineError(
            f"{folder} holds other weights than those of {wanted.system} (sha256 {weights}, {pin} expected): "
            + ("install the package anew." if origin == "package" else "get them anew, or pin these.")
        )
    if pin is None:
        taken = f"that of its {origin} is taken and recorded, {commit or weights}"
        say(f"no revision of {wanted.system} is pinned: {taken}")
    elif len(pin) != _SHA256 and origin == "folder":
        say(f"{folder} can't be held to the pinned commit {pin}; the sha256 of its weights is recorded")
    return Found(folder, commit or pin or weights, weights, origin)


def _local(wanted: Wanted, environment: Mapping[str, str]) -> Path | None:
    named = environment.get(MODELS)
    if not named:
        return None
    models = Path(named).expanduser()
    if not models.is_dir():
        raise MachineError(f"{MODELS} names {models}, which is no folder: name the one with the models in it.")
    places = (models / wanted.system, models / wanted.hub) if wanted.hub else (models / wanted.system,)
    return next((place for place in places if place.is_dir()), None)


def _packaged(wanted: Wanted) -> Path:
    from importlib.util import find_spec

    spec = find_spec(wanted.package)
    place = Path(next(iter(spec.submodule_search_locations or ()), "")) if spec else None
    if place is None or not (place / wanted.inside).is_dir():
        raise MachineError(
            f"the package {wanted.package} with the weights of {wanted.system} is not installed: "
            "'make finetune-environment' installs it."
        )
    return place / wanted.inside


def _downloaded(wanted: Wanted, environment: Mapping[str, str]) -> Path:
    """Download the hub's snapshot, whose folder is named by the commit."""
    import huggingface_hub
    from huggingface_hub import errors

    name = wanted.hub
    here = f"put its folder into {MODELS}, as {' or '.join(dict.fromkeys((wanted.system, name)))}"
    commit = wanted.revision if wanted.revision and len(wanted.revision) != _SHA256 else None
    try:
        with _bounded_calls():
            folder = huggingface_hub.snapshot_download(
                name, revision=commit, allow_patterns=list(FILES), cache_dir=environment.get("HF_HUB_CACHE"),
                token=environment.get("HF_TOKEN", "").strip() or False, endpoint=environment.get("HF_ENDPOINT"),
            )  # fmt: skip
            return Path(folder)
    except errors.GatedRepoError:
        why = "is gated: accept its licence on the hub and give a token of yours as HF_TOKEN"
    except errors.RevisionNotFoundError:
        why = f"has no revision {commit} on the hub: correct its pin in data/pins"
    except errors.RepositoryNotFoundError:
        why = "is not on the hub, or not without a token (HF_TOKEN)"
    except OSError as error:  # other refusals of the hub are such, too
        if error.errno in _OF_THE_DISK:
            cache = environment.get("HF_HUB_CACHE") or huggingface_hub.constants.HF_HUB_CACHE
            raise MachineError(_not_kept(name, Path(error.filename or cache), error)) from None
        refusal = getattr(error, "response", None) or getattr(error.__cause__, "response", None)
        status = getattr(refusal, "status_code", None)
        why = f"was not downloaded from the hub ({f'status {status}' if status else 'no connection'})"
    except Exception as error:  # its text may quote what was sent, a token with it
        why = f"was not downloaded from the hub ({type(error).__name__})"
    named = name if wanted.system == name else f"{wanted.system}: {name}"
    raise MachineError(f"{named} {why}; or {here}.") from None


@contextmanager
def _bounded_calls() -> Iterator[None]:
    """Make the hub's library use a client of ours, whose calls end in time and at Ctrl-C."""
    import huggingface_hub

    from selu.systems.bounded import HubClient

    hooks, made = huggingface_hub.get_session().event_hooks, list[HubClient]()

    def make() -> HubClient:
        made.append(HubClient(event_hooks=hooks))
        return made[-1]

    huggingface_hub.set_client_factory(make)
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception):
            for client in made:
                client.stop()
        raise


def _not_kept(name: str, path: Path, error: OSError) -> str:
    """Describe why a file of the hub can't be written, and what to do about the folder."""
    folder = next(place for place in (path, *path.parents) if os.path.isdir(place))  # noqa: PTH112 - above it may be closed
    what, mend = f"{folder} can't be written ({error.strerror})", "make room there"
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        mend = f"give it to this user ('chown --recursive {os.geteuid()}:{os.getegid()} {folder}')"
    return f"{what}, so {name} can't be kept: {mend}, or name another folder as HF_HUB_CACHE."


def weights_hash(folder: Path) -> str:
    """Hash a folder's safetensors (sha256); of several files the lines ``<sha256>  <name>``, by name.

    Raises:
        MachineError: there are none or not all that their index names, or no configuration or tokenizer.
    """
    files = sorted(folder.glob("*.safetensors"))
    if not files or not (folder / "config.json").is_file():
        what = "no config.json" if files else "no weights as safetensors (other forms can hold programs)"
        mend = "get the model anew" if files else f"'selu convert {folder}' makes them of pytorch_model.bin"
        raise MachineError(f"{folder} holds {what}: {mend}.")
    if not any((folder / name).is_file() for name in _WORDS):  # the library would make one without any word
        raise MachineError(f"{folder} holds no tokenizer ({', '.join(_WORDS)}): save the model's beside it.")
    if missing := _missing(folder):
        raise MachineError(
            f"{folder} lacks {missing}, so its weights are not whole: 'rm -r {folder}' and get the model anew."
        )
    hashes = [(sha256_of(path), path.name) for path in files]
    if len(hashes) == 1:
        return hashes[0][0]
    lines = "".join(f"{digest}  {name}\n" for digest, name in hashes)
    return hashlib.sha256(lines.encode()).hexdigest()


def _missing(folder: Path) -> str | None:
    """Return the first missing file that an index of weight files names, or the index if it can't be read."""
    for index in sorted(folder.glob("*.safetensors.index.json")):
        try:
            names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return f"a readable {index.name}"
        if missing := sorted(name for name in names if not (folder / str(name)).is_file()):
            return str(missing[0])
    return None
