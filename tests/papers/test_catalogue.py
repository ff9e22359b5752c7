from __future__ import annotations

import pytest
import yaml

from selu import registry
from selu.papers.declared import read_tasks
from selu.papers.selu import design
from selu.vocabulary import Kind, SeluError


def test_labels_are_declared_in_full():
    for task in registry.tasks("selu"):
        names = [label.name for label in task.labels]
        assert len(set(names)) == len(names)
        assert all(len(label.means.split()) >= 3 for label in task.labels)
        if task.kind in (Kind.REGRESSION, Kind.MASKED):
            assert names == []
        else:
            assert len(names) == int(task.targets)


def test_a_record_with_an_unknown_field_is_refused(monkeypatch):
    real = yaml.load

    def misspelt(text, loader):
        records = real(text, loader)
        records[0]["labls"] = []
        return records

    monkeypatch.setattr(yaml, "load", misspelt)
    with pytest.raises(SeluError, match=r"tasks\.yaml can't be read .*labls"):
        read_tasks.__wrapped__(design.PACKAGE)


def test_every_task_has_its_cleaning_in_the_authors_order():
    from selu.text.steps import check_steps

    found = design.cleaning()
    assert set(found) == {task.id for task in registry.tasks("selu")}
    for task in registry.tasks("selu"):
        assert check_steps(found[task.id], "paper") == found[task.id]
        assert bool(found[task.id]) is task.ranked, task.id
    assert found["story_points"] == ("whitespace", "jira", "markdown", "url", "user")
