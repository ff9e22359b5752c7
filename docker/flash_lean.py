"""Compile what the models call of flash-attn: 12 of 72 kernel files, without ALiBi, soft caps and odd widths.

    python docker/flash_lean.py SOURCES BUILD            SOURCES: flash-attn's source distribution, unpacked
    python docker/flash_lean.py SOURCES BUILD --archs 80 --jobs 1 --dry-run

ninja runs the compilers and keeps what is whole, so that a build that was stopped goes on where it was. A
backward kernel takes up to 6 GiB: by default as many are compiled at once as memory holds. Needs g++, nvcc (on
PATH or of CUDA_HOME), and torch's build for CUDA. Writes the module ``flash_attn_2_cuda`` into BUILD.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

MODULE = "flash_attn_2_cuda"
WIDTHS = (64, 128, 32)  # of the heads of all models whose texts are packed; the most used first
GIB = 6  # of memory, for a kernel
# flash-attn's own flags, and what no model here needs
NVCC = (
    *("-O3", "-std=c++17", "--use_fast_math", "-Xcompiler", "-fPIC"),
    *("--expt-relaxed-constexpr", "--expt-extended-lambda"),
    *(f"-U__CUDA_NO_{what}__" for what in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS")),
    "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-w",  # torch's headers have bit-fields of C++20, CUTLASS's old names of types
)
LEFT_OUT = tuple(f"-DFLASHATTENTION_DISABLE_{what}" for what in ("ALIBI", "SOFTCAP", "UNEVEN_K"))
LIBRARIES = ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch", "torch_python", "cudart")


class Step(NamedTuple):
    """A command, what it reads, and the file that it makes."""

    made: Path
    read: tuple[Path, ...]
    command: tuple[str, ...]


def kernels() -> list[str]:
    """Name the twelve files: forward and backward, three widths, causal or not, in bf16."""
    return [
        f"flash_{way}_hdim{width}_bf16{causal}_sm80.cu"  # their name for every architecture
        for width in WIDTHS
        for causal in ("", "_causal")
        for way in ("fwd", "bwd")
    ]


def steps(sources: Path, build: Path, archs: Sequence[int], torch: Path, cuda: Path) -> list[Step]:
    """List the commands: an object of each kernel for all architectures, one of the entry points, the module.

    Args:
        archs: compute capabilities without their dot.
        torch: folder of the package; its headers and libraries are used.
        cuda: folder of the toolkit.
    """
    own, entry = sources / "csrc" / "flash_attn", Path(__file__).resolve().with_suffix(".cpp")
    headers = (
        *(own, own / "src", sources / "csrc" / "cutlass" / "include", cuda / "include"),
        *(torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include"),
        Path(sysconfig.get_path("include")),
    )
    common = (*LEFT_OUT, *(f"-I{folder}" for folder in headers))
    devices = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in archs]
    nvcc, gcc = (str(cuda / "bin" / "nvcc"), "-c"), ("g++", "-c", "-O3", "-w", "-std=c++17", "-fPIC")
    found = []
    for name in kernels():
        made, read = build / Path(name).with_suffix(".o"), own / "src" / name
        found.append(Step(made, (read,), (*nvcc, *NVCC, *devices, *common, str(read), "-o", str(made))))
    made, name = build / "flash_api.o", f"-DTORCH_EXTENSION_NAME={MODULE}"
    found.append(Step(made, (entry,), (*gcc, name, *common, str(entry), "-o", str(made))))
    objects, module = tuple(step.made for step in found), build / f"{MODULE}.so"
    places = (f"-L{torch / 'lib'}", f"-L{cuda / 'lib64'}", *(f"-l{library}" for library in LIBRARIES))
    link = ("g++", "-shared", "-s", *map(str, objects), *places, "-o", str(module))
    return [*found, Step(module, objects, link)]


def to_ninja(listed: Sequence[Step]) -> str:
    """Write the steps in ninja's language."""
    lines = ["rule run", "  command = $run", "  description = $out"]
    for step in listed:
        made, *read = (str(path).replace(" ", "$ ").replace(":", "$:") for path in (step.made, *step.read))
        lines += [
            f"build {made}: run {' '.join(read)}",
            f"  run = {shlex.join(step.command).replace('$', '$$')}",
        ]
    return "\n".join(lines) + "\n"


def main(given: Sequence[str] | None = None) -> None:
    """Make what is not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--archs", type=int, nargs="+", default=[80, 90], help="80: A100; 90: H100, H200")
    parser.add_argument("--jobs", type=int, help="kernels at once; by default as memory holds them")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and run none")
    asked = parser.parse_args(given)
    nvcc, torch = shutil.which("nvcc"), find_spec("torch")
    cuda = Path(os.environ.get("CUDA_HOME") or (Path(nvcc).parents[1] if nvcc else "/usr/local/cuda"))
    sources, build = asked.sources.resolve(), asked.build.resolve()
    if missing := [
        name for name in kernels() if not (sources / "csrc" / "flash_attn" / "src" / name).is_file()
    ]:
        sys.exit(f"{sources} lacks {missing[0]}: unpack flash-attn's source distribution there.")
    if (
        torch is None
        or torch.origin is None
        or not (Path(torch.origin).parent / "lib" / "libc10_cuda.so").is_file()
    ):
        sys.exit("this environment has no torch built for CUDA, whose headers and libraries are needed.")
    listed = steps(sources, build, asked.archs, Path(torch.origin).parent, cuda)
    if asked.dry_run:
        print("\n".join(shlex.join(step.command) for step in listed))
        return
    if not (cuda / "bin" / "nvcc").is_file():
        sys.exit("there is no nvcc: put that of torch's CUDA on PATH, or name its toolkit in CUDA_HOME.")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    jobs = asked.jobs or max(1, min(os.cpu_count() or 1, int(memory / GIB)))
    build.mkdir(parents=True, exist_ok=True)
    (build / "build.ninja").write_text(to_ninja(listed), "utf-8")
    sys.exit(subprocess.run(["ninja", "-C", str(build), f"-j{jobs}"], check=False).returncode)


if __name__ == "__main__":
    main()
