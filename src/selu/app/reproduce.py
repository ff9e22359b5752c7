"""``selu reproduce``: run every tracked stage in a scratch copy and compare its bytes with the tracked ones.

``dvc repro`` would restore what the cache has and overwrite what it recomputes. Here nothing that is tracked is
written unless an update is asked for: inputs are copied to ``.reproduce``, the commands of ``dvc.lock`` run
there, independent ones side by side, and each output is compared with the tracked object, file by file.

The ``data@TASK`` stages, and what compares runs on their rows, need the third-party rows and the libraries of
the data extra. They run on request and then alone, for what the others read of them is tracked: bytes that are
equal here and there give all that rests on them. Files missing from ``data/raw``, which is tracked nowhere,
are fetched into it as ``selu fetch`` does. Runs of systems, which take hours, the heads, which need the
libraries of fine-tuning, and scores of the authors' predictions are taken as tracked: ``selu run``, ``selu
report heads`` and ``selu rescore`` make them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from selu.app.report import NOTEBOOK, parts
from selu.files import read_json
from selu.package import stages as stages_of
from selu.papers.evidence import Need
from selu.registry import DEFAULT, check_none_refused, published
from selu.report.verdicts import verdicts_told
from selu.runs.pipeline import read_lock
from selu.runs.store import changed, check_results, check_store, fingerprints
from selu.vocabulary import SeluError

_CALL = re.compile(
    r"-m selu (?P<verb>[a-z]+)(?P<names>(?: [a-z][a-z-]*)*)(?:.*? --(?:paper|benchmark) (?P<benchmark>\w+))?"
)
Progress = Callable[[str], None]


def reproduce(
    root: Path, progress: Progress, data: bool = False, mirror: Path | None = None, update: bool = False
) -> list[str]:
    """Recompute tracked results.

    Args:
        update: put what differs in the place of the tracked files and commit it to ``dvc.lock``; what is equal
            stays as it is.
        data: the stages that need the data sets, instead of the others: read, clean and split them again, from
            ``data/raw``, the mirror or their sources, and compare runs on their rows.

    Returns:
        one sentence per difference; empty when all bytes are equal or were updated.

    Raises:
        SeluError: an object of the store or a pulled result is damaged or missing, or a stage failed.
    """
    if mirror is not None and not mirror.is_dir():
        raise SeluError(f"the mirror {mirror} is not a folder: give the one that holds the files, or none.")
    check_none_refused()
    with stages_of.alone(root):
        return _reproduce(root, progress, data, mirror, update)


def _reproduce(root: Path, progress: Progress, data: bool, mirror: Path | None, update: bool) -> list[str]:
    started = time.monotonic()
    progress(f"store: {check_store(root)} tracked files, all undamaged")
    stages_of.pull(root, progress)
    locked = read_lock(root)
    kinds = {stage.name: kind_of(stage.command) for stage in locked}
    makeable = [stage for stage in locked if kinds[stage.name] is not Stages.TAKEN]
    stages = [stage for stage in makeable if (kinds[stage.name] is Stages.DATA) == data]
    # An update replaces all outputs of these.
    check_results(root, stages=[stage for stage in locked if stage not in stages] if update else None)
    scratch = stages_of.copy_inputs(root, [stage for stage in locked if stage not in stages])
    if data and (root / "data" / "raw").is_dir():  # verified again by every reader
        (scratch / "data" / "raw").symlink_to((root / "data" / "raw").resolve())
    settings = {} if mirror is None else {"SELU_MIRROR": str(mirror.resolve())}
    stages_of.run_all(stages, scratch, progress, settings)
    differences = changed(root, scratch, stages)
    files = sum(len(fingerprints(scratch / path)) for stage in stages for path in stage.writes)
    progress(
        f"recomputed {len(stages)} stages, {files} files, in {time.monotonic() - started:.0f} s: "
        + ("every byte equals the tracked one" if not differences else f"{len(differences)} differ")
    )
    if others := len(makeable) - len(stages):
        what, how = ("other", "selu reproduce") if data else ("data", "selu reproduce --data")
        progress(f"{others} {what} stages taken as tracked; '{how}' runs them")
    if rest := len(locked) - len(makeable):
        progress(
            f"{rest} stages taken as tracked, which take hours, published predictions or the libraries of "
            "fine-tuning; 'selu run', 'selu rescore' and 'selu report' make them"
        )
    if not data:
        _summarise(scratch, root, progress)
    if update:
        for sentence in differences:
            progress(f"updated: {sentence}")
        stages_of.take_over(root, scratch, stages)
        return []
    return differences


class Stages(Enum):
    """How this command treats a stage."""

    FREE = "made from tracked files"
    DATA = "made from third-party rows, on request"
    TAKEN = "taken as tracked"


def kind_of(command: str) -> Stages:
    """Return how a stage with this command is reproduced; parts of a report declare what they need."""
    call = _CALL.search(command)
    if call is None:
        return Stages.FREE
    if call["verb"] == "prepare":
        return Stages.DATA
    if call["verb"] in ("run", "rescore"):
        return Stages.TAKEN
    needs: frozenset[Need] = frozenset()
    if call["verb"] == "report":
        known = parts(call["benchmark"] or DEFAULT)
        names = [] if NOTEBOOK in (named := call["names"].split()) else named
        needs = needs.union(*(known[name].needs for name in names if name in known))
    return Stages.FREE if not needs else Stages.DATA if needs == {Need.ROWS} else Stages.TAKEN


def _summarise(scratch: Path, root: Path, progress: Progress) -> None:
    for benchmark in reversed(published()):  # the first paper's verdicts come last, above the site
        path = scratch / "reports" / benchmark / "claims.json"
        if path.is_file() or benchmark == DEFAULT:
            claims = read_json(path, "selu report claims")
            whose = "" if benchmark == DEFAULT else f" of {benchmark}"
            progress(f"{len(claims)} claims{whose}: {verdicts_told(claims)}")
    progress(f"site: {root / 'reports' / 'site' / 'index.html'}")
