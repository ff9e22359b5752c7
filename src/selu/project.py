"""Where the project's files lie, and how its commands read and write them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from selu.vocabulary import SeluError

if TYPE_CHECKING:
    from selu.benchmarks.printed import Printed
    from selu.benchmarks.selu.material import Material
    from selu.vocabulary import Published

T = TypeVar("T")
BENCHMARKS = ("selu", "nlbse24")
FACTS = Path("reports") / "nlbse24" / "data" / "facts"
RERUNS = Path("reports") / "nlbse24" / "reruns.csv"


def find_root(start: Path | None = None) -> Path:
    """The project's root: the nearest folder, upwards, that holds params.yaml and data/paper.

    Raises:
        SeluError: none of them does.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "params.yaml").is_file() and (folder / "data" / "paper").is_dir():
            return folder
    raise SeluError(f"{start} is not inside a clone of the project: change into it, or give --root FOLDER.")


def read_knobs(root: Path, benchmark: str, section: str, kind: type[T]) -> T:
    """One section of params.yaml as the record that declares its knobs.

    Raises:
        SeluError: the file is not YAML, the section is missing, or a knob is unknown, missing or out of range.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    path = root / "params.yaml"
    try:
        # libyaml's parser, ten times as quick: every planned run reads its knobs
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        params = yaml.load(path.read_text("utf-8"), loader)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SeluError(f"{path} can't be read ({reason}): restore it from git.") from None
    entry = params.get(benchmark) if isinstance(params, dict) else None
    if not isinstance(entry, dict) or section not in entry:
        raise SeluError(f"{path} has no entry {benchmark}.{section}: restore it from git.")
    try:
        text = json.dumps(entry[section], default=str)
    except (TypeError, ValueError, RecursionError) as error:  # a date as a key, a section that holds itself
        raise SeluError(
            f"{path} is damaged: {benchmark}.{section} is no record ({error}); restore it from git."
        ) from None
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join([benchmark, section, *map(str, first["loc"])])
        raise SeluError(f"params.yaml: {name}: {first['msg']}; restore it from git.") from None


def read_tables(
    root: Path, benchmark: str, what_if: Path | None = None
) -> dict[str, dict[tuple[str, str], Published]]:
    """Published tables of a benchmark, checked against the pins; arguments and errors as ``load``."""
    from selu.sources import published

    folder = what_if or root / "data" / "paper" / benchmark
    tables = published.read_all(folder)
    pins = published.read_pins(root / "data" / "pins" / benchmark / "paper.csv")
    if what_if is None:
        published.check_pins(tables, pins, folder)
    for name in pins:
        if name not in tables:
            raise SeluError(f"{folder} has no {name}.csv: copy it from data/paper/{benchmark}.")
    return tables


def load(root: Path, benchmark: str, what_if: Path | None = None) -> Printed:
    """Material of any benchmark; arguments and errors as ``load_selu``."""
    if benchmark == "selu":
        return load_selu(root, what_if)
    from selu.benchmarks.nlbse24 import material
    from selu.sources.facts import read_facts, read_reruns

    found = read_facts(root / FACTS, f"selu prepare --benchmark {benchmark}")
    found |= read_reruns(root / RERUNS, f"selu report reruns --benchmark {benchmark}")
    return material.read({**found, **read_tables(root, benchmark, what_if)})


def load_selu(root: Path, what_if: Path | None = None) -> Material:
    """Material of SELU from the project's files, checked against the pins.

    Args:
        what_if: folder with altered tables, read instead of data/paper/selu and not held to the pins.

    Raises:
        SeluError: a table is damaged, differs from its pin unless it is altered, or a knob of params.yaml is
            wrong.
    """
    from selu.benchmarks import catalogue
    from selu.benchmarks.selu.material import Knobs, Material

    tables = read_tables(root, "selu", what_if)
    knobs = read_knobs(root, "selu", "statistics", Knobs)
    material = Material(tables, catalogue.tasks("selu"), catalogue.systems("selu"), knobs)
    if what_if is None:  # altered scores are refused by the claims that can't be computed from them, not before
        material.cells  # noqa: B018  (every score is in its range before anything is computed)
    return material


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file so that the old or the new content stands, whatever happens in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def to_json(record: Any) -> str:
    """JSON text that is the same on every machine: floats at 10 significant digits, nan as null.

    Sums can differ in their last bits between processors; ten digits lie far above that and far below
    any number shown.
    """
    return json.dumps(_plain(record), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Real):  # numpy's numbers too
        number = float(value)
        if not math.isfinite(number):
            return None
        short = float(f"{number:.10g}")
        return 0.0 if short == 0 else short
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no JSON form")


def read_json(path: Path, made_by: str, fields: Collection[str] = ()) -> Any:
    """Read a tracked result: an object with these fields, or a list of such objects, not empty.

    Raises:
        SeluError: the file is missing, not whole JSON, or of another shape; names the command that brings it
            back.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device would be read for ever
            raise ValueError
        record = json.loads(path.read_text("utf-8"))
        entries = record if isinstance(record, list) else [record]
        if not entries or not all(isinstance(e, dict) and set(fields) <= e.keys() for e in entries):
            raise ValueError
        return record
    except FileNotFoundError:
        raise SeluError(f"{path} is missing: run 'dvc pull' to get it, or '{made_by}' to compute it.") from None
    except (ValueError, RecursionError):
        raise SeluError(f"{path} is damaged: run 'dvc checkout --force {path}', or '{made_by}'.") from None
