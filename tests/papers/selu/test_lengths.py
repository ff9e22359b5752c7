"""Texts are cut under the authors' procedure where the authors' scripts cut them."""

from __future__ import annotations

from selu.execution.finetune import hub_models, plan


def test_the_authors_procedure_cuts_texts_where_their_scripts_do(root):
    """A script is of a task and a model; where it gives no length, the tokenizer's is the model's context."""
    settings, systems = hub_models.settings_of(root), plan.known(root)
    lengths = {}
    for line in (root / "data/paper/selu/package_hyperparameters.csv").read_text().splitlines():
        _, row, column, value = line.split(",", 3)
        if column == "max_length":
            lengths[tuple(row.split("/"))] = value
    assert len(lengths) > 100
    for (task, system), value in lengths.items():
        context = systems[system][0].context
        wanted = context if value == "tokenizer default" else min(context, int(value))
        assert settings.find_context(task, system, "paper", context) == wanted, (task, system)
        assert settings.find_context(task, system, "strict", context) == context
