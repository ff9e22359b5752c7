from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import selu
from helpers.scored import CASES
from helpers.watching import called_in
from selu.execution import protocols
from selu.execution.finetune.plan import _OF_TOKENS
from selu.execution.grids import plan
from selu.runs import identity
from selu.vocabulary import Kind


@pytest.mark.parametrize("kind", CASES)
def test_what_picks_a_candidate_is_all_that_is_called_for_it(kind: str) -> None:
    """A function that picks and is not hashed would leave runs of another pick among the tracked ones."""
    here = Path(selu.__file__).parent / "metrics"
    truth, answers, labels, metric = CASES[kind]
    if kind == Kind.MASKED:  # a checkpoint is picked by single words
        truth, answers = [3, 2], [3, 1]
    called = called_in(here, lambda: protocols.primary(Kind(kind), labels, metric, truth, answers))
    tokens = [_OF_TOKENS[Kind(kind)]] if kind in _OF_TOKENS else []
    modules = {name: here / f"{name}.py" for name in (*plan._PICKING, *tokens)}
    assert ("evaluate", "evaluate") in called
    hashed = {place for place, _ in identity.reached("selu.metrics", modules, [("evaluate", "evaluate")])}
    assert called <= hashed


def test_a_metric_beside_those_that_pick_leaves_all_runs_up_to_date(tmp_path, monkeypatch):
    """Hundreds of runs of the baselines would be made again for a function that none of them calls."""
    package = tmp_path / "selu"
    shutil.copytree(Path(selu.__file__).parent, package, ignore=shutil.ignore_patterns("papers", "__pycache__"))
    monkeypatch.setattr(selu, "__file__", str(package / "__init__.py"))
    before = plan.picking_source()
    module = package / "metrics" / "classification.py"
    text = module.read_text()
    module.write_text(f"{text}\n\ndef kappa(truth, predicted):\n    return table(truth, predicted, 2)\n")
    assert plan.picking_source() == before
    module.write_text(text.replace("cell += 1\n", "cell += 2\n"))
    assert plan.picking_source() != before
