"""The rows of a fine-tuned system: to learn from, to pick a checkpoint on, to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from selu.execution import protocols
from selu.execution.planned import Planned
from selu.systems.finetune.job import Job, Rows
from selu.vocabulary import Kind

if TYPE_CHECKING:
    import pandas as pd


def job(planned: Planned, rows: pd.DataFrame) -> Job:
    """Build the training of a run. Its model is looked up later, where it is trained.

    Under protocol ``paper`` the rows on which a checkpoint is picked are the test rows themselves; under
    ``strict`` they are the validation rows, which are not learnt from afterwards either.

    Args:
        rows: as ``prepared.rows_of`` gives them; texts and labels of token tasks are lists per word.
    """
    learnt, held = protocols.candidates(rows, planned.protocol)
    test = rows[rows["part"] == "test"]
    masked = planned.task.kind is Kind.MASKED
    return Job(
        task=planned.task.id,
        kind=str(planned.task.kind),
        labels=[label.name for label in planned.task.labels],
        system=planned.system,
        architecture=planned.fields["model"]["architecture"],
        context=planned.fields["model"]["context"],
        seed=planned.seed,
        model={},
        train=_rows(learnt),
        held=_rows(held),
        questions=_plain(test["text"].tolist()),
        params=dict(planned.grid[0]),
        question_tags=_plain(test["label"].tolist()) if masked else [],
    )


def _rows(rows: pd.DataFrame) -> Rows:
    return Rows(_plain(rows["text"].tolist()), _plain(rows["label"].tolist()))


def _plain(values: list[Any]) -> list[Any]:
    """Return lists in place of the arrays that a file format gives."""
    return [value.tolist() if hasattr(value, "tolist") else value for value in values]
