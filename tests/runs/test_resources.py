from __future__ import annotations

import json
import os
import platform

import pytest

from selu.runs import resources


@pytest.fixture
def power(tmp_path, monkeypatch):
    """Two packages of processors, one of which has a part that is counted in it already."""
    monkeypatch.setattr(resources, "_POWER", tmp_path)
    for name, used in (("intel-rapl:0", 5_000_000), ("intel-rapl:1", 1_000_000), ("intel-rapl:0:0", 9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text(f"{used}\n")
    return tmp_path


def test_energy_is_the_sum_over_packages_and_joules_are_what_came_since(power):
    before = resources.energy()
    assert before == 6_000_000
    (power / "intel-rapl:1" / "energy_uj").write_text("3500000\n")
    assert resources.joules(before, 10) == 2.5


def test_a_counter_that_wrapped_or_may_have_is_not_believed(power):
    before = resources.energy()
    assert resources.joules(before, 300) is None
    (power / "intel-rapl:0" / "energy_uj").write_text("0\n")
    assert resources.joules(before, 10) is None


@pytest.mark.parametrize("content", ["", "many\n"])
def test_a_counter_that_cant_be_read_is_none(power, content):
    (power / "intel-rapl:0" / "energy_uj").write_text(content)
    assert resources.energy() is None
    assert resources.joules(1, 10) is None


def test_the_machine_is_said_in_plain_words():
    found = resources.machine()
    assert json.loads(json.dumps(found)) == found
    assert found["cores"] == os.cpu_count()
    assert found["memory_bytes"] > 1 << 28
    assert all(found[name] for name in ("processor", "system", "architecture"))


@pytest.mark.parametrize(
    ("content", "processor", "extensions"),
    [
        ("processor\t: 0\nmodel name\t: A B\nflags\t\t: fpu avx avx2 avx512f\n\nprocessor\t: 1\n", "A B",
         ["avx2", "avx512f"]),
        ("processor\t: 0\nFeatures\t: fp asimd bf16\nCPU part\t: 0xd40\n", None, ["asimd", "bf16"]),
        ("", None, []),
    ],
)  # fmt: skip
def test_vector_extensions_are_those_of_the_first_processor(
    tmp_path, monkeypatch, content, processor, extensions
):
    (tmp_path / "cpuinfo").write_text(content)
    monkeypatch.setattr(resources, "_INFO", tmp_path / "cpuinfo")
    found = resources.machine()
    assert found["extensions"] == extensions
    assert found["processor"] == (processor or platform.processor() or "unknown")
