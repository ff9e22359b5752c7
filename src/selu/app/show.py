"""``selu show``: one score, task, system or claim of any benchmark: found by name, then read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from selu import registry
from selu.app import card, findings
from selu.app.ranking import scores
from selu.boards.declared import UNKNOWN
from selu.evidence import cell_runs
from selu.evidence.tracked import availability_of, tracked_claims
from selu.execution.finetune import plan as finetune_plan
from selu.execution.grids import plan as grids_plan
from selu.execution.prompt import plan as prompt_plan
from selu.names import WORDING, nearest
from selu.papers.api import Scored
from selu.project import PINS, REPORTS
from selu.runs import store
from selu.runs.record import State
from selu.sources.models import read_model
from selu.vocabulary import Cell, CellState, ClaimFound, SeluError, System, Task

OUTSIDE = "not in the paper"
NO_WEIGHTS = "no published weights: it is fitted here"
NONE_YET = "none yet: 'selu run' makes them"
Row = dict[str, Any]


def record(root: Path, name: str, paper: str | None = None) -> Row:
    """Read a cell (TASK/SYSTEM), a task, a system or a claim, of whichever paper has it.

    A system of a ranking has its licence, as far as it is known.

    Args:
        name: after the id of a paper and a slash, or without it; the id alone is the paper.
        paper: whose it is; by default the one that has it.

    Raises:
        SeluError: there is none of this name, with the nearest one; rankings of several papers have it, and
            none is named; or a file that tells of it is damaged.
    """
    found = _found(root, name, paper)
    if "benchmark" in found:
        return _with_licence(found)
    return {key: _with_licence(row) if isinstance(row, dict) else row for key, row in found.items()}


def _with_licence(row: Row) -> Row:
    """Add licence and address of the weights to a ranking's record of a system, before its scores."""
    if not row.keys() >= {"benchmark", "mean", "name"}:
        return row
    paper = registry.benchmark(row["benchmark"]).paper()
    known, weights = (paper.licence(row["name"]), paper.weights(row["name"])) if paper else (None, "")
    about = {"licence": known.text if known else UNKNOWN}
    about |= {"licence stated at": known.source} if known and known.source not in ("", weights) else {}
    about |= {"weights": weights} if weights else {}
    return {**{key: value for key, value in row.items() if key != "scores"}, **about, "scores": row["scores"]}


def _found(root: Path, name: str, paper: str | None) -> Row:
    head, slash, tail = name.partition("/")
    if published := scores.load(root, registry.known(paper) if paper else head.lower()):
        if paper and registry.of_claim(name) == paper and (claim := _claim(root, name)):
            return claim
        inside = tail if slash and head.lower() == published.benchmark else name
        return scores.record(published, inside) if paper or slash else scores.about(root, published.benchmark)
    if paper is None and head.lower() in registry.published():
        return _of_paper(root, tail, head.lower()) if slash else scores.about(root, head.lower())
    if paper is not None:
        return _of_paper(root, name, registry.known(paper))
    if registry.of_claim(name) or head.lower() in registry.local_names(root):
        return _declared(root, name)
    found, asked = scores.elsewhere(root, name), name
    try:
        declared = _declared(root, name)
    except SeluError:
        if not found and slash and _task(root, head) is None:
            found = scores.elsewhere(root, head)
            asked = head
        if not found:
            raise
        papers = [*found]
    else:
        papers = list(dict.fromkeys((_owner(head), *found)))
        if len(papers) == 1:
            return declared
    if len(papers) > 1:
        several = " or ".join(f"--paper {owner}" for owner in papers)
        raise SeluError(f"{len(papers)} papers have {asked}: give {several}.")
    return scores.record(next(iter(found.values())), name)


def _owner(name: str) -> str:
    """Return the paper that declares a task or has a system; the default one for all others."""
    for paper in registry.published():
        named = (word.lower() for system in registry.systems(paper) for word in (system.id, system.name))
        if registry.declared().get(name.lower()) == paper or name.lower() in named:
            return paper
    return registry.DEFAULT


def _of_paper(root: Path, name: str, paper: str) -> Row:
    """Return the record of what a paper with rows or runs declares, or has in a ranking."""
    head = name.partition("/")[0].lower()
    owner = registry.declared().get(head) or registry.of_claim(name)
    if owner and owner != paper:
        raise SeluError(f"{name} is of {owner}, not of {paper}: give --paper {owner}.")
    try:
        return _declared(root, name)
    except SeluError:
        rankings = scores.ranked(root, paper)
        if rankings is None:
            raise
    return scores.record(rankings, name, list(grids_plan.declared(root, paper)))


def _declared(root: Path, name: str) -> Row:
    head, slash, tail = name.partition("/")
    task = _task(root, head)
    if slash and task is None:
        raise registry.unknown_task(root, head)
    if task is not None and slash:
        shown = _cell(root, task, tail)
        return shown | _untracked(root, task, shown["cell"].partition("/")[2])
    if task is not None:
        return _of_task(root, task)
    found = _system(root, name) or _claim(root, name)
    if found is None:
        raise nearest(name, _names(root), "task, system, claim or TASK/SYSTEM")
    return found


def lines(found: Row) -> list[str]:
    """Format a system's or a claim's record for people; an empty list for records shown field by field."""
    if "approach" in found:
        return card.lines(found)
    return findings.claim(cast(ClaimFound, found)) if "rule" in found else []


def _task(root: Path, name: str) -> Task | None:
    known = name.lower() in registry.declared() or name.lower() in registry.local_names(root)
    return registry.task_of(root, name) if known else None


def _of_task(root: Path, task: Task) -> Row:
    if local := registry.local_tasks(task.id):
        return {"id": task.id, "state": local.state, **local.about(root, task)}
    owner = {} if task.benchmark == registry.DEFAULT else {"benchmark": task.benchmark}
    shown = {name: value for name, value in asdict(task).items() if name not in ("benchmark", "sets")}
    return {**owner, **shown, "data": availability_of(root, task.id)}


def _system(root: Path, name: str) -> Row | None:
    """Return a declared system, one that is run beside the papers' systems, or one of a paper."""
    id = name.lower()
    for benchmark in registry.published():
        if declared := grids_plan.declared(root, benchmark).get(id):
            found = cell_runs.read_system(root, benchmark, id)
            about = {"paper": OUTSIDE, "licence": _licence(root, benchmark, id, declared.encoder)}
            return {"id": id, **asdict(declared), **about, **({"scores": found} if found else {})}
    for extra in finetune_plan.extras(root).values():
        if id in (extra.id.lower(), extra.system.name.lower()):
            packaged = {"package": extra.package, "sha256": extra.revision}
            weights = packaged if extra.package else {"hub": extra.system.hub, "revision": extra.revision}
            outside = {"paper": OUTSIDE, "weights": weights}
            return {**asdict(extra.system), **outside, **card.own_scores(root, extra.id)}
    for system in registry.paper_systems():
        if id in (system.id.lower(), system.name.lower()):
            return {**asdict(system), **card.scores(root, system)}
    asked = {model_id.lower(): model for model_id, model in prompt_plan.known(root).items()}
    if id not in asked:
        return None
    wording = WORDING[asked[id].settings.prompts]
    return {**asdict(asked[id].system), "paper": OUTSIDE, "prompts": wording}


def _licence(root: Path, benchmark: str, id: str, encoder: str | None) -> str:
    """Return the licence of the weights of a declared system, and what has it."""
    paper = registry.benchmark(benchmark).paper()
    if paper and (known := paper.licence(id)):
        return known.text
    if encoder is None:
        return NO_WEIGHTS
    if extra := finetune_plan.extras(root).get(encoder):
        return f"{extra.system.licence} (weights of {extra.system.hub})"
    pin = encoder.rpartition("/")[2]
    if (root / PINS / "models" / f"{pin}.yaml").is_file():
        weights = read_model(root / PINS / "models", pin)
        return f"{weights.licence} (weights of {weights.publisher})"
    return UNKNOWN


def _claim(root: Path, name: str) -> Row | None:
    paper = registry.of_claim(name)
    if paper is None:
        return None
    claims = {claim["id"]: claim for claim in tracked_claims(root, paper)}
    if name.upper() not in claims:
        raise nearest(name.upper(), claims, "claim")
    return dict(claims[name.upper()])


def _names(root: Path) -> Iterator[str]:
    """Yield the names of everything that has a record."""
    yield from registry.declared()
    yield from registry.local_names(root)
    yield from grids_plan.all_declared(root)
    yield from (system.id for system in registry.paper_systems())
    yield from finetune_plan.extras(root)
    yield from (claim["id"] for claim in tracked_claims(root))


# -- cells -----------------------------------------------------------------------------------------


def _cell(root: Path, task: Task, name: str) -> Row:
    scored = registry.scored(root, task.benchmark)
    id = _answering(root, task, scored, name)
    published = next((c for c in scored.cells if (c.task, c.system) == (task.id, id)), None) if scored else None
    if scored and published:
        return _published(root, scored, published, task)
    head: Row = {"cell": f"{task.id}/{id}"}
    if local := registry.local_tasks(task.id):
        head |= {"state": local.state}
    else:
        head |= {"state": OUTSIDE} if scored else {"benchmark": task.benchmark}
    head |= {"metric": task.metric, "question": task.question}
    if why := _absence(root, task, id):
        return head | {"state": CellState.ABSENT_BY_DESIGN, "reason": why}
    availability, runs = cell_runs.read_runs(root, task, id)
    if id not in prompt_plan.known(root):
        return head | {"data": availability, "runs": runs}
    return head | {"runs": runs if any(row["state"] != State.MISSING for row in runs) else NONE_YET}


def _untracked(root: Path, task: Task, system: str) -> Row:
    """Describe which runs or reports of a score differ from the tracked ones."""
    if registry.local_tasks(task.id):
        return {}
    runs = sorted((registry.results_of(root, task.id) / system).glob("[!.]*"))
    reports = [root / REPORTS / task.benchmark / name for name in ("cells.json", "recounted.json")]
    changed, own = store.untracked(root, [path for path in runs or reports if path.exists()])
    sentences = (
        [f"{', '.join(changed)} changed here: '{store.way_back(changed)}' brings it back"] if changed else []
    )
    sentences += [f"{', '.join(Path(name).name for name in own)}: made here, and not tracked"] if own else []
    return {"not the tracked score": "; ".join(sentences)} if sentences else {}


def _answering(root: Path, task: Task, scored: Scored | None, name: str) -> str:
    """Return the id of a system that the paper has or that can be run on the task, by id or published name."""
    benchmark = registry.benchmark(task.benchmark)
    models = [system for system, _ in finetune_plan.known(root).values()]
    papers = list(scored.systems) if scored else []
    ids = [system.id for system in papers]
    ids += [*grids_plan.declared(root, benchmark.id), *grids_plan.SYSTEMS, *(model.id for model in models)]
    if benchmark.prompts or benchmark.local:
        ids += prompt_plan.known(root)
    names = {system.name.lower(): system.id for system in (*papers, *models)} | {id.lower(): id for id in ids}
    if name.lower() not in names:
        raise nearest(name, dict.fromkeys(ids), "system" if scored else "system that can be run")
    return names[name.lower()]


def _absence(root: Path, task: Task, id: str) -> str | None:
    """Return why a system that is in no table does not answer the task by design; None if it does."""
    if declared := grids_plan.declared(root, task.benchmark).get(id):
        here = set(task.sets) & set(declared.sets)
        return None if here else f"it is declared for these sets alone: {', '.join(declared.sets)}"
    system = _runnable(root).get(id)
    return registry.absence(system, task) if system else None


def _runnable(root: Path) -> Mapping[str, System]:
    """Return the systems that are fine-tuned or prompted, by id."""
    tuned = {id: system for id, (system, _) in finetune_plan.known(root).items()}
    return tuned | {id: model.system for id, model in prompt_plan.known(root).items()}


def _published(root: Path, scored: Scored, cell: Cell, task: Task) -> Row:
    """Return a score of a paper's table, with its neighbours there and the result of its re-run."""
    shown: Row = {
        "cell": cell.id,
        "state": cell.state,
        "score": cell.published,
        "metric": task.metric,
        "place": scored.place(cell),
        "evidence": cell.evidence,
        "question": task.question,
    }
    present = cell.state is CellState.PRESENT
    shown |= scored.neighbours(cell) if present else {"reason": cell.reason}
    folder = registry.results_of(root, task.id) / cell.system
    here = folder.is_dir() and any(folder.iterdir())
    shown |= cell_runs.find_again(root, scored, cell, here)
    if here and present and cell.system in _runnable(root):
        _, runs = cell_runs.read_runs(root, task, cell.system)
        shown |= {"runs": runs} if any(row["state"] != State.MISSING for row in runs) else {}
    return shown
