"""What a benchmark exports. Shared rooms know these records, but not which benchmarks exist.

A package below ``selu.papers`` exports one name, ``BENCHMARK``; ``selu.registry`` finds it. Its hooks are
imported when they are called, so that a package imports nothing heavy before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, resources
from pathlib import Path
from pkgutil import resolve_name
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Protocol,
    Self,
    TypeVar,
    cast,
    overload,
    runtime_checkable,
)

from selu.metrics.kinds import KindSpec
from selu.names import nearest
from selu.papers.declared import read_paper
from selu.papers.evidence import Evidence, Part, Predictions, Progress, Rescored, RunScored, Tables
from selu.papers.paper import Paper
from selu.papers.published import PublishedTables
from selu.vocabulary import Cell, Claim, KnownFields, SeluError, System, Task

if TYPE_CHECKING:
    import pandas as pd

    from selu.boards.choosing import Bench
    from selu.papers.asked import Forms, Given, Learner
    from selu.papers.page import Section

Raw = Mapping[str, Any]  # file name -> what sources.tables read from it
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Extra(KnownFields):
    """A system that is not in the paper.

    Its weights lie in ``folder`` of an installed ``package``, or on the hub where there is none. ``revision``
    is a commit of the hub or the sha256 of the weights; None: not pinned.
    """

    id: str
    system: System
    package: str
    folder: str
    revision: str | None


@dataclass(frozen=True, slots=True)
class TaskRows:
    """The rows of one task, cut out of its sets.

    Attributes:
        table: in the form of ``sources.rows``.
        test: whether each row is for testing, where the data say so; None: a published split file, or drawn.
    """

    table: pd.DataFrame
    test: Sequence[bool] | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """Rows made from an installed package, and a sentence that describes them."""

    rows: TaskRows
    says: str


@runtime_checkable
class Scored(Protocol):
    """The additional fields of a material whose paper publishes one score per task and system.

    Then its cells are listed and shown, its systems have a mean, and systems that are not in the paper are told
    from those that are.
    """

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The records in the paper's order."""

    @property
    def systems(self) -> tuple[System, ...]:
        """The records in the paper's order."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All scores with their state, task by task."""

    def mean(self, system: str) -> float:
        """Average a system's scores over the tasks that all systems answer."""

    def place(self, cell: Cell) -> str:
        """Return where the paper has the score."""

    def neighbours(self, cell: Cell) -> Record:
        """Return how a published score compares with those of the task and of the system."""


class Renders(Protocol):
    """The renderer of a prompt."""

    def render(self, text: str, shots: Sequence[tuple[str, str]] = ()) -> str:
        """Fill it with a row's text, and with the texts and answers of its shots."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The authors' prompt of a task, and how their scripts read the replies to it.

    Attributes:
        sha256: of the template's bytes; ``program``: the file of what fills it and reads replies.
        labels: as the prompt names them, in our order.
        template: reads it from the first of these folders that has its bytes.
        words: writes an answer as the examples show it.
        read: the answer of a reply in the form of predictions; None where there is no reply.
        finds: whether a reply holds an answer for them at all.
    """

    sha256: str
    program: Path
    labels: tuple[str, ...]
    template: Callable[[Sequence[Path]], Renders]
    words: Callable[[Task, Any], str]
    read: Callable[[Task, str | None], int | list[int] | float | None]
    finds: Callable[[Task, str], bool]


class Local(Protocol):
    """Tasks that the user of a clone declares in its folder, where they may be added and removed.

    ``state`` says how their cells stand to those of the papers.
    """

    state: ClassVar[str]
    prompted_as: ClassVar[str]  # the benchmark whose templates theirs extend

    def names(self, root: Path) -> list[str]:
        """List the ids of all that are declared, whether their records are sound or not."""

    def task(self, root: Path, name: str, instances: int) -> Task:
        """Read one task, which has a known number of rows; a SeluError names file and field."""

    def steps(self, root: Path, name: str) -> Sequence[str]:
        """Name the steps by which its texts are cleaned."""

    def rows(self, root: Path, name: str) -> TaskRows:
        """Read its rows; a SeluError names file and line."""

    def check_parts(self, root: Path, name: str, table: pd.DataFrame, parts: Sequence[str]) -> None:
        """Refuse a split (the part of each row under protocol ``strict``) in which a label is missing."""

    def fingerprint(self, root: Path, name: str) -> Mapping[str, str]:
        """Hash what the task is made of: kept in its record."""

    def check_current(self, root: Path, name: str, made_of: Mapping[str, str]) -> None:
        """Refuse prepared rows that are made of something else."""

    def files(self, root: Path, name: str, templates: Path) -> Mapping[str, bytes]:
        """Return all files of its prompts, by name in one folder, made from these templates."""

    def about(self, root: Path, task: Task) -> Record:
        """Return what ``selu show`` says of it."""


@dataclass(frozen=True, slots=True)
class Audited:
    """The findings in a folder with a benchmark's published files.

    Attributes:
        record: for JSON.
        parts: for a terminal, each with its title.
        failed: whether something is wrong.
    """

    record: Mapping[str, Any]
    parts: Sequence[tuple[str, Mapping[str, Any] | Sequence[Mapping[str, Any]]]]
    failed: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A repository of the user's choice, of which a benchmark makes records.

    Attributes:
        repository: OWNER/NAME.
        clone: folder of its history, where it is here.
        verdicts: files of what judges say of its records, one of each.
        judge: a model that is asked instead.
        renew: whether to ask for what changed since an earlier call.
        work: folder of what a later call goes on from.
        pins, folders: the benchmark's pins, and where copies of pinned files may lie.
    """

    repository: str
    clone: Path | None
    verdicts: Sequence[Path]
    judge: Given | None
    renew: bool
    work: Path
    pins: Path
    folders: Sequence[Path]


@dataclass(slots=True)
class Mined:
    """What a benchmark made of a repository, and what to say of it.

    Contents by file name: tables of names, numbers and reasons, and texts of others.
    """

    tables: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    says: list[str] = field(default_factory=list)


def never_absent(_system: System, _task: Task) -> str | None:
    """Return None: every system answers every task."""
    return None


H = TypeVar("H")


def later(package: str, place: str) -> Callable[..., Any]:
    """Return a function of a package, given as ``module:name``, that is imported when it is first called."""

    def call(*given: object, **named: object) -> Any:
        return resolve_name(f"{package}.{place}")(*given, **named)

    return call


class Hook(Generic[H]):
    """A function that a package may offer: where ``Benchmark.hooks`` has one of this name, else None."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, benchmark: None, owner: type) -> Self: ...
    @overload
    def __get__(self, benchmark: Benchmark, owner: type) -> H | None: ...
    def __get__(self, benchmark: Benchmark | None, owner: type) -> Self | H | None:
        if benchmark is None:
            return self
        place = benchmark.hooks.get(self._name)
        return None if place is None else cast("H", later(benchmark.package, place))


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A published benchmark: what its paper states, and how its data are read.

    Its claims are the modules of its package ``claims``, the parts of its report ``PARTS`` of its module
    ``parts``; ``paper.yaml`` says which paper it is and which tables rank its systems. What else it offers are
    hooks, each imported when it is called.

    Attributes:
        id: the package's name, and the name of its folders in the clone.
        name, about: for people.
        claim_prefix: the letters that its claims' ids begin with.
        tasks, systems: declared, in the paper's order; a task's ``benchmark`` is this one.
        others: systems that are run beside the paper's and are in none of its tables.
        asked: whether shared systems run on its tasks only where they are named.
        absence: why a system has no score on a task by the paper's design, or None.
        kinds: of tasks, beyond the shared ones.
        made_of: tasks without pinned files whose rows are made of an installed package: id -> the package's
            import name, where nobody names another.
        local: where its tasks are declared in the clone.
        prompts: folder of the templates, or None: its tasks have no prompts.
        hooks: name of a hook -> ``module:function`` of its package.

    Hooks:
        read: reader's name, its pinned files as tables, id of the set -> all rows of the set.
        rows: a task cut out of its sets (id of the set -> rows).
        steps: of ``selu.text``, by which the texts of a task are cleaned.
        clean: makes the text that protocols see, where no steps do.
        make: rows of a task of ``made_of``: task, import name.
        stand_in: rows written for this project, where a task's own are not available: task, folder -> rows.
        material: what claims, tables and figures are computed from, given the published tables; the flag says
            whether somebody altered them. It may be ``Scored``.
        cell_now: the entry of ``reports/ID/cells.json`` of a cell as its runs stand now, or None where none is
            here that counts: root, material, task, system. Without it, no cells are collected in such a file.
        authors_prompt: the authors' own prompt of a task, whether their package is here or not: root, task,
            shots.
        bench: its systems, tasks and scores to choose from, where it prints one score per task and system.
        compare: two of its systems side by side: root, material, their names. A mapping with ``a`` and ``b``,
            their ids, ``tasks``, a row for each task or track, and ``sentence``.
        page: what the site shows of it.
        prepared: what else is counted when all its data are prepared: contents by file below ``reports/ID``.
        rescore: scores the authors' published predictions, and writes what it found.
        audit: checks the files of a folder in the form in which the benchmark is published.
        cut: writes the rows of one of its splits from such a folder into a new one: folder, split, new folder.
        mine: tables and texts made of a repository of the user's choice.
        placed: pages on an encoder of the user's own beside the paper's, given its id and its runs.
        answered: the same on a file of answers of the user's own: a name for them, and contents by file.
        ask: asks a model of the user's own what these tasks ask (those of its parameters where none is named):
            contents by file.
        show_prompt: how ``ask`` asks a task, for a reader: its id, or its name in a ranking; the id of a row to
            fill in, or None; folders with the authors' words, which are shown instead of ours.
    """

    id: str
    name: str
    about: str
    claim_prefix: str
    tasks: Callable[[], tuple[Task, ...]] = tuple
    systems: Callable[[], tuple[System, ...]] = tuple
    others: Callable[[], tuple[Extra, ...]] = tuple
    asked: bool = True
    absence: Callable[[System, Task], str | None] = never_absent
    kinds: tuple[KindSpec, ...] = ()
    made_of: Mapping[str, str] = field(default_factory=dict)
    local: Local | None = None
    prompts: Path | None = None
    hooks: Mapping[str, str] = field(default_factory=dict)

    read: ClassVar[Hook[Callable[[str, Raw, str], pd.DataFrame]]] = Hook()
    rows: ClassVar[Hook[Callable[[Task, Mapping[str, pd.DataFrame]], TaskRows]]] = Hook()
    steps: ClassVar[Hook[Callable[[Task], Sequence[str]]]] = Hook()
    clean: ClassVar[Hook[Callable[[str, Task], str]]] = Hook()
    make: ClassVar[Hook[Callable[[Task, str], Made]]] = Hook()
    stand_in: ClassVar[Hook[Callable[[Task, Path], pd.DataFrame]]] = Hook()
    material: ClassVar[Hook[Callable[[Path, Tables, bool], PublishedTables]]] = Hook()
    cell_now: ClassVar[Hook[Callable[[Evidence, Any, Task, System], Record | None]]] = Hook()
    authors_prompt: ClassVar[Hook[Callable[[Path, Task, int], Wording]]] = Hook()
    bench: ClassVar[Hook[Callable[[Evidence], Bench]]] = Hook()
    compare: ClassVar[Hook[Callable[[Path, Any, str, str], Record]]] = Hook()
    page: ClassVar[Hook[Callable[[Evidence], Section]]] = Hook()
    prepared: ClassVar[Hook[Callable[[Evidence, Progress], Mapping[str, str | bytes]]]] = Hook()
    rescore: ClassVar[Hook[Callable[[Predictions, Progress], Rescored]]] = Hook()
    audit: ClassVar[Hook[Callable[[Path, Progress], Audited]]] = Hook()
    cut: ClassVar[Hook[Callable[[Path, str, Path], Record]]] = Hook()
    mine: ClassVar[Hook[Callable[[Source, Progress], Mined]]] = Hook()
    placed: ClassVar[Hook[Callable[[Evidence, str, Sequence[RunScored]], Mapping[str, str | bytes]]]] = Hook()
    answered: ClassVar[Hook[Callable[[Predictions, Path, Progress], tuple[str, Mapping[str, str | bytes]]]]] = (
        Hook()
    )
    ask: ClassVar[Hook[Callable[[Evidence, Learner, Sequence[str]], Mapping[str, str | bytes]]]] = Hook()
    show_prompt: ClassVar[Hook[Callable[[Evidence, str, str | None, Sequence[Path]], Forms]]] = Hook()

    @property
    def package(self) -> str:
        """Name its package."""
        return f"{__package__}.{self.id}"

    @property
    def has_claims(self) -> bool:
        """Return whether the paper has claims, without importing them."""
        return _is_there(self.package, "claims")

    def claims(self) -> tuple[Claim, ...]:
        """Return all claims, in order of id."""
        from selu.papers.claims import declared_in

        return declared_in(f"{self.package}.claims") if self.has_claims else ()

    def claim(self, id: str) -> Claim | None:
        """Find one claim by its id, without the work that the others take."""
        from selu.papers.claims import declared_as

        return declared_as(f"{self.package}.claims", id) if self.has_claims else None

    def parts(self) -> Mapping[str, Part]:
        """Return the parts of its report, by name."""
        if not _is_there(self.package, "parts"):
            return {}
        found: Mapping[str, Part] = resolve_name(f"{self.package}.parts:PARTS")
        return found

    def paper(self) -> Paper | None:
        """Read which paper it is; None where it says nothing of it."""
        there = (resources.files(self.package) / "paper.yaml").is_file()
        return read_paper(self.package) if there else None


_HOOKS = frozenset(name for name, value in vars(Benchmark).items() if isinstance(value, Hook))


def check_whole(found: object, name: str) -> Benchmark:
    """Validate the exported record of a paper's package against its tasks and claims.

    Raises:
        SeluError: something is lacking, or is another benchmark's.
    """
    if not isinstance(found, Benchmark):
        raise SeluError("its package exports no BENCHMARK (selu.papers.api)")
    if found.id != name:
        raise SeluError(f"its BENCHMARK is named {found.id}, its package {name}")
    for hook, place in found.hooks.items():
        if hook not in _HOOKS:
            raise nearest(hook, sorted(_HOOKS), "hook")
        module, _, function = place.partition(":")
        if not function or not _is_there(found.package, module):
            raise SeluError(f"its hook {hook} names {place}, and there is no such module: give MODULE:FUNCTION")
    tasks = found.tasks()
    if tasks and not {"read", "rows"} <= found.hooks.keys():
        raise SeluError("it has tasks, but lacks read or rows, by which their data are read")
    if "material" not in found.hooks and found.has_claims:
        raise SeluError("it has claims, but lacks material, from which they are computed")
    if strange := [task.id for task in tasks if task.benchmark != name]:
        raise SeluError(f"its task {strange[0]} names another benchmark")
    return found


def _is_there(package: str, module: str) -> bool:
    """Return whether a package has a module of this name, without importing it."""
    place = Path(str(import_module(package).__file__)).parent.joinpath(*module.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()
