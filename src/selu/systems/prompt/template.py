"""Prompts of rows, from Jinja templates: a task's own file extends that of its form and the base form.

Templates run in Jinja's sandbox, and a variable that nobody set is an error. Texts of rows are values, so that
nothing in them is read as a template.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from selu.vocabulary import Kind, SeluError, Task

if TYPE_CHECKING:
    from jinja2 import Environment

T = TypeVar("T")
NONE = "none"  # the answer that no label applies


class Shot(NamedTuple):
    """A demonstration: a text and its answer in words."""

    text: str
    target: str


class Prompts:
    """The template of a task, ready to be filled with rows."""

    def __init__(self, folder: Path, task: Task) -> None:
        """Read ``folder``/TASK.j2 and the files that it extends.

        Raises:
            SeluError: one of them is missing or no template; names the file, and the line.
        """
        self._name, self._folder = f"{task.id}.j2", folder
        self._values: dict[str, Any] = {"labels": task.labels}
        if task.range is not None:
            self._values |= {"low": number(task.range[0]), "high": number(task.range[1])}
        environment = _environment(folder)
        for name in _made_of(folder, environment, self._name):
            _with_place(folder, name, partial(environment.get_template, name))
        self._template = environment.get_template(self._name)

    def render(self, text: str, shots: Iterable[tuple[str, str]] = ()) -> str:
        """Render the prompt of a row (SELU Figure 4); it ends with the row's text, as it is.

        Args:
            shots: texts with their answers in words (see ``words``); none for a zero-shot prompt.

        Raises:
            SeluError: the template uses a variable that is not set; names the file, the line and the variable.
        """
        given = [Shot(*shot) for shot in shots]
        fill_in = partial(self._template.render, self._values, text=text, shots=given)
        return _with_place(self._folder, self._name, fill_in)


def fill(folder: Path, name: str, values: Mapping[str, Any]) -> str:
    """Fill a template with all its variables, to show the base form; raises the errors of ``Prompts``."""
    return _with_place(folder, name, lambda: _environment(folder).get_template(name).render(values))


def words(task: Task, answer: Any) -> str:
    """Write an answer as prompts show it and as a system should give it.

    Args:
        answer: index of a label; a 0 or 1 for each label; or a number.

    Returns:
        The label's name; the names in the order of the labels, separated by commas, or ``none``; the number.
    """
    if task.kind is Kind.REGRESSION:
        return number(answer)
    if task.kind is Kind.MULTI_LABEL:
        names = [label.name for label, applies in zip(task.labels, answer, strict=True) if applies]
        return ", ".join(names) or NONE
    return task.labels[int(answer)].name


def number(value: float) -> str:
    """Write a number in as few digits as tell it from others, without an exponent: 3, 0.5."""
    whole = int(value)
    return str(whole) if whole == value else format(Decimal(repr(float(value))), "f")


def source_hash(folder: Path, task_id: str) -> str:
    """Hash the lines ``<sha256>  <name>`` of the files that a task's prompts are made of (sha256), by name.

    Labels, their meanings and the range come from the task's record and are not among them.

    Raises:
        SeluError: a file is missing or no template.
    """
    names = sorted(_made_of(folder, _environment(folder), f"{task_id}.j2"))
    lines = (f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _made_of(folder: Path, environment: Environment, first: str) -> list[str]:
    """Names of a template and of those that it extends or includes."""
    names = [first]
    for name in names:  # grows on the way
        found = _with_place(folder, name, partial(_referred, environment, name))
        if None in found:
            raise _refused(str(folder / name), "it refers to a template by a variable")
        names += [other for other in found if other is not None and other not in names]
    return names


def _referred(environment: Environment, name: str) -> list[str | None]:
    from jinja2 import meta

    assert environment.loader is not None
    source, path, _ = environment.loader.get_source(environment, name)
    return list(dict.fromkeys(meta.find_referenced_templates(environment.parse(source, name, path))))


def _environment(folder: Path) -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        keep_trailing_newline=True,
    )


def _with_place(folder: Path, name: str, do: Callable[[], T]) -> T:
    """Run ``do``; raise any error of a template as one sentence with its place."""
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    try:
        return do()
    except (TemplateNotFound, FileNotFoundError) as error:
        missing = folder / ((error.name if isinstance(error, TemplateNotFound) else None) or name)
        raise SeluError(f"{missing} is missing: restore it with 'git checkout -- {missing}'.") from None
    except TemplateSyntaxError as error:
        raise _refused(f"{folder / (error.name or name)}, line {error.lineno}", error.message) from None
    except Exception as error:  # templates compute, so they can fail in any way
        raise _refused(_place(folder, name, error), str(error)) from None


def _place(folder: Path, name: str, error: Exception) -> str:
    """Return file and line of the innermost template that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.endswith(".j2")]
    return f"{inside[-1].filename}, line {inside[-1].lineno}" if inside else str(folder / name)


def _refused(place: str, what: str | None) -> SeluError:
    reason = ((what or "").splitlines() or ["it fails"])[0].rstrip(".")
    return SeluError(f"{place}: {reason}: mend the template, or restore it from git.")
