from __future__ import annotations

import dataclasses
import os
from collections.abc import Generator
from pathlib import Path

# Tests run in several processes. Libraries read this when they are first imported: numpy by the lines below.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import pytest
from hypothesis import settings

from selu.papers.selu.material import Material
from selu.registry import load

ROOT = Path(__file__).parents[1]
OTHER_PARSER = "html.parser"  # in the reason of skips that depend on the patch release of Python alone

settings.register_profile("same everywhere", deadline=None, derandomize=True)
settings.load_profile("same everywhere")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def material() -> Material:
    """The paper as printed, with the paper's own number of draws."""
    return load(ROOT, "selu")


@pytest.fixture(scope="session")
def quick(material: Material) -> Material:
    """The same with fewer draws, for tests that alter scores and compute the posteriors again."""
    return dataclasses.replace(material, settings=dataclasses.replace(material.settings, draws=5_000))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a plain machine does not hold, unless the environment says that it is there.

    Tests that start Ray nodes take minutes of a machine of their own (``make test-sweep`` asks for them), and
    others weights of hundreds of megabytes, which nothing installs.
    """
    for marker, variable in (("nodes", "SELU_TEST_NODES"), ("weights", "SELU_MODELS")):
        if not os.environ.get(variable):
            away = [item for item in items if item.get_closest_marker(marker)]
            items[:] = [item for item in items if item not in away]
            config.hook.pytest_deselected(items=away)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """What a test's libraries leave in the environment is not there for the next one.

    Training under ZeRO in a test's own process names a rank, which other libraries take for a launcher's.
    """
    before = dict(os.environ)
    try:
        return (yield)
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With SELU_NO_SKIP set (CI, where all that tests need is available), a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("SELU_NO_SKIP") and reporter is not None and exitstatus == 0:
        skipped = [s for s in reporter.stats.get("skipped", []) if OTHER_PARSER not in str(s.longrepr)]
        if skipped:
            reporter.write_line(f"SELU_NO_SKIP is set, but {len(skipped)} tests were skipped", red=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
