"""Systems that a benchmark declares in its parameters: a learner, one set of parameters, and its weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from selu import registry
from selu.project import has_section, params_of, read_knobs
from selu.systems import learners
from selu.systems.knobs import Declared
from selu.vocabulary import SeluError

_SECTION = "systems"


def known(root: Path, benchmark: str) -> dict[str, Declared]:
    """Read the declared systems by id; none where the benchmark declares none.

    Raises:
        SeluError: a declaration is wrong, or names a learner or a set that there is not.
    """
    if not has_section(root, benchmark, _SECTION):
        return {}
    found = read_knobs(root, benchmark, _SECTION, dict[str, Declared])
    sets = [name for name, of in registry.sets().items() if of == benchmark]
    place = f"{params_of(benchmark).as_posix()}: {_SECTION}"
    for name, system in found.items():
        if not learners.known(system.learner):
            _check(f"{place}.{name}.learner", [system.learner], list(learners.LEARNERS))
        _check(f"{place}.{name}.sets", system.sets, sets)
    return found


def every(root: Path) -> dict[str, Declared]:
    """Read the declared systems of all benchmarks by id; errors as of ``known``."""
    return {name: system for of in registry.published() for name, system in known(root, of).items()}


def weights(system: Declared) -> tuple[str | None, str]:
    """Find the sha256 of an encoder's weights, and the folder that holds them; none where a package does."""
    if system.encoder is None:
        return None, ""
    packaged = {extra.id: extra for extra in registry.other_systems()}
    if system.encoder in packaged:
        return packaged[system.encoder].revision, ""
    from selu.systems.finetune import sources

    folder = Path(os.environ.get(sources.MODELS, sources.MODELS)) / system.encoder
    return (sources.weights_hash(folder) if folder.is_dir() else None), str(folder)


def _check(place: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SeluError(f"{place}: {name} is none of {', '.join(known)}.")
