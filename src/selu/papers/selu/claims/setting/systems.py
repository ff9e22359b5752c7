"""The systems: LLMs, baselines, and the hardware they run on (IV-A, IV-B, Table III)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from selu.papers.claims import claim, finding, listed
from selu.papers.published import ABSENT
from selu.papers.selu.claims._published import open_source_rows, published_column, tally
from selu.papers.selu.claims._questions import CONTENT
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Finding, Kind, System

QUESTION = CONTENT


def _has_cell(paper: Material, task: str, system: System) -> bool:
    # read from the table and not from m.cells, which refuses a table that breaks the design
    return paper.published("table6", task, system.name) != ABSENT


def _and(numbers: Iterable[int]) -> str:
    return " and ".join(str(number) for number in numbers)


@claim(
    "C003",
    "Abstract, IV-A",
    "The benchmark fine-tunes 22 open-source LLMs.",
    weight="method",
    quote="We fine-tune 22 open-source LLMs, both generalist and domain-adapted",
    holds="Table III has 22 open-source LLMs, and Table VI has 22 fine-tuned ones with a score on every "
    "classification and regression task.",
    fails="One of the two counts is another.",
)
def twenty_two_open_source_models(paper: Material) -> Finding:
    """Compare the open-source rows of Table III with the columns of Table VI."""
    rows = open_source_rows(paper)
    tuned = [paper.system(name) for name in paper.names(approach=Approach.FINETUNED)]
    tasks = paper.task_ids(ranked=True)
    full = [s.name for s in tuned if all(_has_cell(paper, task, s) for task in tasks)]
    return finding(
        len(rows) == len(tuned) == len(full) == 22,
        f"Table III has {len(rows)} open-source LLMs, and {len(full)} of the {len(tuned)} fine-tuned systems "
        f"have a score on each of the {len(tasks)} classification and regression tasks.",
        open_source_in_table3=rows,
        complete_in_table6=full,
    )


@claim(
    "C004",
    "Abstract, IV-A",
    "Two proprietary LLMs are prompted, each without examples and with three.",
    weight="method",
    quote="prompt two proprietary alternatives using zero-shot a 3-shot prompting strategies",
    holds="Table III has two proprietary LLMs, and Table VI has scores of two with 0 and with 3 examples on "
    "every classification and regression task.",
    fails="Another number of LLMs, or a score that is missing.",
    thresholds={"two": "Abstract", "0 and 3": "section IV-A"},
)
def two_proprietary_models_two_ways(paper: Material) -> Finding:
    """Compare Table III's proprietary rows with the prompted systems that have scores on every ranked task."""
    rows = [
        r
        for r, text in published_column(paper, "table3", "Compartment").items()
        if text.endswith("proprietary")
    ]
    shots: dict[str, list[int]] = {}
    for system in (paper.system(name) for name in paper.names(approach=Approach.PROMPTED)):
        if all(_has_cell(paper, task, system) for task in paper.task_ids(ranked=True)):
            shots.setdefault(str(system.series), []).append(int(system.shots or 0))
    return finding(
        len(rows) == len(shots) == 2 and all(sorted(numbers) == [0, 3] for numbers in shots.values()),
        f"Table III has {len(rows)} proprietary LLMs, and Table VI scores "
        f"{listed(f'{name} with {_and(numbers)} shots' for name, numbers in shots.items())}.",
        proprietary_in_table3=rows,
        shots=shots,
    )


@claim(
    "C005",
    "VIII",
    "The LLMs are compared with two classical machine-learning baselines.",
    weight="method",
    quote="while comparing them against two ML baselines",
    holds="Two baselines have scores in Table VI.",
    fails="Fewer or more baselines have scores in Table VI.",
)
def two_baselines(paper: Material) -> Finding:
    """Count systems declared as baselines that have scores in Table VI."""
    names = [paper.system(name) for name in paper.names(approach=Approach.BASELINE)]
    scored = {s.name: sum(_has_cell(paper, task.id, s) for task in paper.tasks) for s in names}
    return finding(
        sum(cells > 0 for cells in scored.values()) == 2,
        f"Table VI scores {listed(f'{name} on {cells} tasks' for name, cells in scored.items())}.",
        cells=scored,
    )


@claim(
    "C006",
    "IV-A vs IV-B",
    "Two baselines are trained on each of the benchmark's tasks.",
    weight="method",
    quote="we train two baseline models on each SELU task using classical ML approaches such as "
    "TF-IDF+XGBoost [11] and FastText [40]",
    holds="Each task of Table VI has scores of two baselines.",
    fails="A task has fewer, whether or not another section says so: a sentence that the paper itself "
    "contradicts does not hold (as in C035 and C107).",
)
def baselines_on_each_task(paper: Material) -> Finding:
    """Scores of Table VI; the tasks without are named with what section IV-B says of them."""
    baselines = [paper.system(name) for name in paper.names(approach=Approach.BASELINE)]
    cells = {task.id: sum(_has_cell(paper, task.id, s) for s in baselines) for task in paper.tasks}
    short = [task for task, count in cells.items() if count < 2]
    admitted = [task for task in short if not paper.task(task).ranked]
    without = f" The others are {listed(short)}" if short else ""
    admission = ", as section IV-B says itself" if admitted and admitted == short else ""
    return finding(
        not short,
        f"{len(cells) - len(short)} of the {len(cells)} tasks have two baseline scores."
        + (f"{without}{admission}." if short else ""),
        baseline_cells=cells,
        short_without_reason=[task for task in short if task not in admitted],
    )


@claim(
    "C012",
    "IV-B",
    "All systems have scores on classification and regression, LLMs with an encoder on NER, "
    "encoder-only LLMs on MLM.",
    weight="method",
    quote="the classification and regression tasks are used to evaluate the entire set of LLMs, the NER "
    "task is intended for the encoder-only and encoder-decoder subset",
    holds="Table VI has a score exactly where the sentence says so, and a dash elsewhere.",
    fails="A score is missing, or is where the sentence has none.",
)
def who_runs_on_what(paper: Material) -> Finding:
    """Places of Table VI against the architectures of Table III."""
    with_encoder = ("encoder-only", "encoder-decoder")
    token = (Kind.ENTITIES, Kind.MASKED)
    wrong, present = [], Counter[str]()
    for task in paper.tasks:
        for system in paper.systems:
            allowed = task.ranked or (
                system.approach is Approach.FINETUNED
                and system.architecture in (with_encoder if task.kind is Kind.ENTITIES else with_encoder[:1])
            )
            found = _has_cell(paper, task.id, system)
            present[str(task.kind)] += found
            if found != allowed:
                wrong.append(f"{task.id}/{system.id}")
    return finding(
        not wrong,
        f"Table VI has {sum(n for kind, n in present.items() if kind not in token)} scores on classification "
        f"and regression, {present[Kind.ENTITIES]} on NER and {present[Kind.MASKED]} on MLM, "
        f"{f'not as section IV-B says in {listed(wrong)}' if wrong else 'each where section IV-B says so'}.",
        present=dict(present),
        against_design=wrong,
    )


@claim(
    "C129",
    "Abstract, VIII",
    "The open-source LLMs are both generalist and domain-adapted.",
    weight="method",
    quote="they are generalist and domain-adapted via code-focused pre-training",
    holds="Table III has open-source LLMs in a generalist and in a domain-adapted compartment, and Table VI "
    "has scores of each.",
    fails="One compartment is empty, or Table VI has no scores of an LLM.",
)
def generalist_and_adapted_models(paper: Material) -> Finding:
    """Count the groups of Table III among the names of Table VI; C009 covers a misprinted name."""
    compartments = published_column(paper, "table3", "Compartment")
    groups = tally(compartments[row].removesuffix(" open-source") for row in open_source_rows(paper))
    scored = [paper.system(name) for name in paper.names(approach=Approach.FINETUNED)]
    tasks = paper.task_ids(ranked=True)
    without = [s.name for s in scored if not any(_has_cell(paper, task, s) for task in tasks)]
    total = sum(groups.values())
    return finding(
        set(groups) == {"Generalist", "Domain-adapted"} and not without and len(scored) == total,
        f"Table III has {listed(f'{count} {name.lower()}' for name, count in groups.items())} open-source "
        f"LLMs, and Table VI has scores of {len(scored) - len(without)} of {total}.",
        groups=groups,
        without_scores=without,
    )
