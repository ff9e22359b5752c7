from __future__ import annotations

import pytest
import yaml
from pydantic import ValidationError

from selu import registry
from selu.benchmarks.api import read_tasks
from selu.benchmarks.selu import design
from selu.vocabulary import Kind, Metric


def test_labels_are_declared_in_full():
    for task in registry.tasks("selu"):
        names = [label.name for label in task.labels]
        assert len(set(names)) == len(names)
        assert all(len(label.means.split()) >= 3 for label in task.labels)
        if task.kind in (Kind.REGRESSION, Kind.MASKED):
            assert names == []
        else:
            assert len(names) == int(task.targets)


def test_metric_follows_from_the_kind():
    metrics = {
        Kind.REGRESSION: Metric.ONE_MINUS_SMAPE,
        Kind.ENTITIES: Metric.F1_MICRO,
        Kind.MASKED: Metric.ACCURACY,
    }
    for task in registry.tasks("selu"):
        assert task.metric is metrics.get(task.kind, Metric.F1_MACRO)


def test_absence_by_design_leaves_580_of_616_cells():
    tasks, systems = registry.tasks("selu"), registry.systems("selu")
    absent = [(t.id, s.id) for t in tasks for s in systems if registry.absence(s, t)]
    assert len(tasks) * len(systems) - len(absent) == 580


def test_a_record_with_an_unknown_field_is_refused(monkeypatch):
    real = yaml.load

    def misspelt(text, loader):
        records = real(text, loader)
        records[0]["labls"] = []
        return records

    monkeypatch.setattr(yaml, "load", misspelt)
    with pytest.raises(ValidationError, match="labls"):
        read_tasks.__wrapped__(design.PACKAGE)


def test_every_task_has_its_cleaning_in_the_authors_order():
    from selu.text.steps import check_steps

    found = design.cleaning()
    assert set(found) == {task.id for task in registry.tasks("selu")}
    for task in registry.tasks("selu"):
        assert check_steps(found[task.id], "paper") == found[task.id]
        assert bool(found[task.id]) is task.ranked, task.id
    assert found["story_points"] == ("whitespace", "jira", "markdown", "url", "user")


def test_systems_that_are_not_in_the_paper_stand_apart():
    (extra,) = registry.other_systems()
    assert extra.id == extra.system.id == "minilm-l6"
    papers = registry.systems("selu")
    assert len(papers) == 28
    assert extra.id not in {system.id for system in papers}
    assert len(extra.revision) == 64
