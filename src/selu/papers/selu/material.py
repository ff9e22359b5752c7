"""The material of SELU's claims, tables and figures: declared records, published numbers, posteriors.

Everything derived is computed on first use from the published scores, so an altered score changes whatever
rests on it. ``with_*`` return an altered copy; nothing is changed in place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Gt, Le, Lt

from selu.papers.evidence import Record, Tables
from selu.papers.published import ABSENT, PublishedTables
from selu.papers.selu import design
from selu.papers.selu.unrounded.scores import Key, Refused, Unrounded, read_unrounded
from selu.project import REPORTS, read_settings
from selu.stats.choices import Backend, RopeMode
from selu.vocabulary import Approach, Cell, CellState, Evidence, SeluError, System, Task

if TYPE_CHECKING:  # what is derived imports them when it is asked for: most of what is shown needs no more
    import pandas as pd

    from selu.stats.compare import Posterior

FINER = 4  # as many draws of the test, times this, on unrounded scores
STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}  # how settings are checked


@dataclass(frozen=True)
class Settings:
    """Parameters of the paper's statistics (``data/params/selu.yaml``, statistics).

    ``backend`` is ``matrix`` (all pairs as matrix products) or ``autorank`` (the authors' library, the same
    numbers in minutes).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    alpha: Annotated[float, Gt(0), Lt(1)]
    rope: Annotated[float, Gt(0), Lt(10)]
    threshold: Annotated[float, Gt(0.5), Lt(1)]
    draws: Annotated[int, Ge(1), Le(10_000_000)]
    seed: Annotated[int, Ge(0), Lt(2**32)]
    backend: Backend


@dataclass(frozen=True)
class Material(PublishedTables):
    """Tasks, systems and published tables of SELU, and what the paper's method derives from them.

    ``recounts`` is where recounted.json may lie, ``exact`` are the cells whose score is not rounded.
    """

    benchmark = "selu"

    tasks: tuple[Task, ...]
    systems: tuple[System, ...]
    settings: Settings
    recounts: Path | None = None
    exact: frozenset[Key] = frozenset()

    # -- lookups -----------------------------------------------------------------------------------

    def task(self, task_id: str) -> Task:
        """Return the task of that id."""
        return next(task for task in self.tasks if task.id == task_id)

    def system(self, system_id: str) -> System:
        """Return the system of that id."""
        return next(system for system in self.systems if system.id == system_id)

    def names(self, *, approach: Approach | None = None, **attributes: object) -> list[str]:
        """Return ids of the systems with these attributes, in the paper's column order."""
        return [
            system.id
            for system in self.systems
            if (approach is None or system.approach is approach)
            and all(getattr(system, key) == value for key, value in attributes.items())
        ]

    def task_ids(self, **attributes: object) -> list[str]:
        """List the ids of tasks with these attributes (kind, family, activity, ranked ...), as in Table I."""
        return [
            task.id
            for task in self.tasks
            if all(getattr(task, key) == value for key, value in attributes.items())
        ]

    # -- scores ------------------------------------------------------------------------------------

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All 22 x 28 cells with their state.

        Raises:
            SeluError: a score is missing, out of 0..1, or printed where the paper's design has none.
        """
        return tuple(self._cell(task, system) for task in self.tasks for system in self.systems)

    def _cell(self, task: Task, system: System) -> Cell:
        text = self.published("table6", task.id, system.name)
        place = f"table6.csv, row {task.id!r}, column {system.name!r}"
        absence = design.absence(system, task)
        if absence is not None:
            if text != ABSENT:
                raise SeluError(f"{place}: reads {text}, but the cell is absent by design ({absence}).")
            return Cell(task.id, system.id, CellState.ABSENT_BY_DESIGN, None, None, absence)
        score = self.number("table6", task.id, system.name)
        if math.isnan(score):
            raise SeluError(f"{place}: the score is missing, but the paper's design has this cell.")
        if not 0.0 <= score <= 1.0:
            raise SeluError(
                f"{place}: the score {text} is outside 0..1; every metric of Table VI lies in 0..1."
            )
        return Cell(task.id, system.id, CellState.PRESENT, text, Evidence.PUBLISHED)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Published scores, 22 tasks x 28 systems, nan where absent by design."""
        import numpy as np
        import pandas as pd

        values = [float(cell.published) if cell.published else np.nan for cell in self.cells]
        shape = (len(self.tasks), len(self.systems))
        return pd.DataFrame(
            np.array(values).reshape(shape),
            index=[task.id for task in self.tasks],
            columns=[system.id for system in self.systems],
        )

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Scores of the 20 classification and regression tasks, complete for all 28 systems."""
        return self.scores.loc[self.task_ids(ranked=True)]

    # -- scores before rounding --------------------------------------------------------------------

    @cached_property
    def known(self) -> tuple[Mapping[Key, Unrounded], Mapping[Key, Refused]]:
        """Unrounded scores, and values that are given and not used; as ``read_unrounded``."""
        ids = {system.name: system.id for system in self.systems}
        places = self.tables.get("table6", {}).items()
        published = {(task, ids[name]): cell.published for (task, name), cell in places if name in ids}
        return read_unrounded(published, self.recounts)

    @cached_property
    def unrounded(self) -> Material | None:
        """The material with scores before rounding, where known, and more draws; None if none is known."""
        found, _ = self.known
        if not found:
            return None
        finer = replace(self.settings, draws=FINER * self.settings.draws)
        scores = self.with_scores({key: score.value for key, score in found.items()})
        return replace(scores, settings=finer, recounts=None, exact=frozenset(found))

    # -- what is shown of a cell -------------------------------------------------------------------

    def mean(self, system: str) -> float:
        """Return the mean of a system's scores over the ranked tasks."""
        import numpy as np

        ranked = self.task_ids(ranked=True)
        cells = (cell for cell in self.cells if cell.system == system and cell.task in ranked)
        return float(np.mean([float(cell.published or "nan") for cell in cells]))

    def place(self, cell: Cell) -> str:
        """Return where Table VI has the score."""
        return f"Table VI, row {cell.task}, column {self.system(cell.system).name}"

    def neighbours(self, cell: Cell) -> Record:
        """Return a published score's rank, the best score of its task, the next ones, and the system's mean."""
        column = {
            other.system: float(other.published)
            for other in self.cells
            if other.task == cell.task and other.published
        }
        best = max(reversed(column), key=lambda system: column[system])
        own = column[cell.system]
        above = [score for score in column.values() if score > own]
        below = [score for score in column.values() if score < own]
        ranked = len(self.task_ids(ranked=True))
        return {
            "rank in task": f"{len(above) + 1} of {len(column)}",
            "best in task": f"{self.system(best).name} ({column[best]:.3f})",
            **({"next above": self._with_score(column, min(above))} if above else {}),
            **({"next below": self._with_score(column, max(below))} if below else {}),
            "system's mean": f"{self.mean(cell.system):.4f} over the {ranked} ranked tasks",
        }

    def _with_score(self, column: Mapping[str, float], score: float) -> str:
        """Name the systems that have this score."""
        names = [self.system(system).name for system, other in column.items() if other == score]
        return f"{', '.join(names)} ({score:.3f})"

    # -- statistics --------------------------------------------------------------------------------

    @cached_property
    def normality(self) -> pd.Series:
        """Shapiro-Wilk p-value per system over the ranked tasks."""
        from scipy import stats

        return self.ranked.apply(lambda scores: float(stats.shapiro(scores).pvalue))

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """Table IV recomputed, best first: rank, M, SD, median, both intervals, d and magnitude."""
        import pandas as pd

        from selu.stats.effect import cohen_d, magnitude
        from selu.stats.intervals import autorank_level, bonferroni, t_interval

        scores = self.ranked
        k = scores.shape[1]
        wide = t_interval(scores.to_numpy(), autorank_level(self.settings.alpha, k))
        plain = t_interval(scores.to_numpy(), bonferroni(self.settings.alpha, k))
        frame = pd.DataFrame(
            {
                "M": scores.mean(),
                "SD": scores.std(ddof=1),
                "ci_lower": wide[0],
                "ci_upper": wide[1],
                "bonferroni_lower": plain[0],
                "bonferroni_upper": plain[1],
                "median": scores.median(),
            },
            index=scores.columns,
        )
        frame = frame.loc[self.order]
        best = scores[self.order[0]].to_numpy()
        frame["d"] = [cohen_d(best, scores[name].to_numpy()) for name in frame.index]
        frame["magnitude"] = [magnitude(d) for d in frame["d"]]
        frame.insert(0, "rank", range(1, k + 1))
        return frame

    @cached_property
    def means(self) -> pd.Series:
        """Mean of each system over the ranked tasks, best first."""
        import pandas as pd

        scores = self.ranked
        # Two published means are equal (14.278 / 20); the smaller spread goes first, as in the paper.
        ties = pd.DataFrame({"M": -scores.mean().round(12), "SD": scores.std(ddof=1)})
        return scores.mean().loc[ties.sort_values(["M", "SD"], kind="stable").index]

    @cached_property
    def order(self) -> list[str]:
        """System ids by falling mean."""
        return list(self.means.index)

    @cached_property
    def posterior(self) -> Posterior:
        """Signed-rank posteriors in rank order, with autorank's equivalence threshold (as published)."""
        return self.posterior_of("autorank")

    @cached_property
    def posterior_paper_rope(self) -> Posterior:
        """Signed-rank posteriors with the equivalence threshold of 0.1 d, as section IV-D writes it."""
        return self.posterior_of("paper")

    def posterior_of(self, mode: RopeMode, systems: Sequence[str] = ()) -> Posterior:
        """Return signed-rank posteriors of all pairs under one equivalence threshold (ROPE).

        Args:
            systems: ids in the order of the result; by default all, in rank order.
        """
        from selu.stats.compare import compare_all

        settings = self.settings
        scores = self.ranked[list(systems) or self.order].to_numpy()
        backend: Backend = "matrix" if mode == "paper" else settings.backend  # autorank has no rope of 0.1 d
        try:
            return compare_all(
                scores, mode=mode, rope=settings.rope, draws=settings.draws, seed=settings.seed, backend=backend
            )
        except ValueError as error:
            raise SeluError(f"the signed-rank test can't be run on these scores: {error}.") from None

    def p_better(self, a: str, b: str) -> float:
        """Return P(system a better than system b)."""
        return self.chances([a], [b])[a, b]

    def chances(self, upper: Sequence[str], lower: Sequence[str]) -> Mapping[tuple[str, str], float]:
        """Return P(upper better than lower) of every pair.

        On scores before rounding, which take more draws, only these systems are compared, since claims ask for
        few, unless all of them were.
        """
        if self.exact and "posterior" not in self.__dict__:
            among = tuple(name for name in self.order if name in {*upper, *lower})
            found = self._among(among)
        else:
            among, found = tuple(self.order), self.posterior
        return {(a, b): float(found.better[among.index(a), among.index(b)]) for a in upper for b in lower}

    @cached_property
    def _among(self) -> Callable[[Sequence[str]], Posterior]:
        return cache(partial(self.posterior_of, "autorank"))

    def p_equal(self, a: str, b: str) -> float:
        """Return P(systems a and b practically equal)."""
        return float(self.posterior.equal[self.order.index(a), self.order.index(b)])

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decision of the row system against the column system, in rank order."""
        import pandas as pd

        return pd.DataFrame(
            self.posterior.decisions(self.settings.threshold), index=self.order, columns=self.order
        )

    # -- alterations -------------------------------------------------------------------------------

    def with_scores(self, scores: Mapping[tuple[str, str], float | str]) -> Material:
        """Return a copy with other Table VI scores; keys are (task id, system id)."""
        names = {system.id: system.name for system in self.systems}
        return self.with_places(
            {("table6", task, names[system]): str(score) for (task, system), score in scores.items()}
        )


def read(root: Path, tables: Tables, altered: bool) -> Material:
    """Build the material from the declared tasks and systems, and these tables.

    Raises:
        SeluError: a setting of params.yaml is wrong, or a score is out of its range; an altered score is
            refused by the claims that can't be computed from it, not before.
    """
    settings = read_settings(root, "selu", "statistics", Settings)
    recounts = root / REPORTS / "selu" / "recounted.json"
    material = Material(tables, design.tasks(), design.systems(), settings, recounts)
    if not altered:
        material.cells  # noqa: B018  (every score is in its range before anything is computed)
    return material
