"""The systems: LLMs and baselines, their sizes and architectures (IV-A, IV-B, Table III)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.claims._printed import printed_column, tallied, tally
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Change, Finding, Kind, System

ARCHITECTURES = ("encoder-only", "decoder-only", "encoder-decoder")
BILLION, UNITS = 1e9, {"M": 1e6, "B": 1e9}


def _size(text: str) -> float:
    """A printed size such as 60.5M as a number of parameters."""
    match = re.fullmatch(r"([\d.]+)([MB])", text)
    return float(match[1]) * UNITS[match[2]] if match else float("nan")


def _open_source(m: Material) -> list[str]:
    """Rows of Table III in an open-source compartment."""
    return [
        row for row, text in printed_column(m, "table3", "Compartment").items() if text.endswith("open-source")
    ]


def _has_cell(m: Material, task: str, system: System) -> bool:
    # read from the table and not from m.cells, which refuses a table that breaks the design
    return m.printed("table6", task, system.name) != ABSENT


def _top_llm(m: Material) -> System:
    return next(s for s in map(m.system, m.order) if s.approach is not Approach.BASELINE)


def _and(numbers: Iterable[int]) -> str:
    return " and ".join(str(number) for number in numbers)


@claim(
    "C003",
    "Abstract, IV-A",
    "The benchmark fine-tunes 22 open-source LLMs.",
    holds="Table III has 22 open-source LLMs, and Table VI has 22 fine-tuned ones with a score on every "
    "classification and regression task.",
    fails="One of the two counts is another.",
)
def twenty_two_open_source_models(m: Material) -> Finding:
    """Rows of Table III's open-source compartments against columns of Table VI."""
    rows = _open_source(m)
    tuned = [m.system(name) for name in m.names(approach=Approach.FINETUNED)]
    tasks = m.task_ids(ranked=True)
    full = [s.name for s in tuned if all(_has_cell(m, task, s) for task in tasks)]
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
    holds="Table III has two proprietary LLMs, and Table VI has scores of two with 0 and with 3 examples on "
    "every classification and regression task.",
    fails="Another number of LLMs, or a score that is missing.",
    thresholds={"two": "Abstract", "0 and 3": "section IV-A"},
)
def two_proprietary_models_two_ways(m: Material) -> Finding:
    """Table III's proprietary rows against the prompted systems with scores on every ranked task."""
    rows = [r for r, text in printed_column(m, "table3", "Compartment").items() if text.endswith("proprietary")]
    shots: dict[str, list[int]] = {}
    for system in (m.system(name) for name in m.names(approach=Approach.PROMPTED)):
        if all(_has_cell(m, task, system) for task in m.task_ids(ranked=True)):
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
    holds="Two baselines have scores in Table VI.",
    fails="Fewer or more baselines have scores in Table VI.",
)
def two_baselines(m: Material) -> Finding:
    """Systems declared as baselines that have scores in Table VI."""
    names = [m.system(name) for name in m.names(approach=Approach.BASELINE)]
    scored = {s.name: sum(_has_cell(m, task.id, s) for task in m.tasks) for s in names}
    return finding(
        sum(cells > 0 for cells in scored.values()) == 2,
        f"Table VI scores {listed(f'{name} on {cells} tasks' for name, cells in scored.items())}.",
        cells=scored,
    )


@claim(
    "C006",
    "IV-A vs IV-B",
    "Two baselines are trained on each of the benchmark's tasks.",
    holds="Each task of Table VI has scores of two baselines.",
    fails="A task has fewer, whether or not another section says so: a sentence that the paper itself "
    "contradicts does not hold (as in C035 and C107).",
    changes=(
        Change(
            "2026-11-23",
            "A gap that section IV-B admits was a caveat here, while C035 and C107 fail for a "
            "contradiction of the same kind. One rule holds for all three now.",
            "holds with caveat: 20 of the 22 tasks have two baseline scores. Without them are se_entities, "
            "requirement_completion, which IV-B leaves out, so IV-A's words say too much.",
        ),
    ),
)
def baselines_on_each_task(m: Material) -> Finding:
    """Scores of Table VI; the tasks without are named with what section IV-B says of them."""
    baselines = [m.system(name) for name in m.names(approach=Approach.BASELINE)]
    cells = {task.id: sum(_has_cell(m, task.id, s) for s in baselines) for task in m.tasks}
    short = [task for task, count in cells.items() if count < 2]
    admitted = [task for task in short if not m.task(task).ranked]
    without = f"; {listed(short)} lack them" if short else ""
    more = ", as section IV-B says itself" if admitted and admitted == short else ""
    return finding(
        not short,
        f"{len(cells) - len(short)} of the {len(cells)} tasks have two baseline scores{without}{more}.",
        baseline_cells=cells,
        short_without_reason=[task for task in short if task not in admitted],
    )


@claim(
    "C007",
    "IV-A",
    "The open-source LLMs have at least 60.5 million and at most 7 billion parameters.",
    holds="The smallest and the largest size of Table III are those that section IV-A gives.",
    caveat="The parameters counted in a model's published weights no longer round into that range.",
    fails="The smallest or the largest size of Table III is another.",
)
def sizes_from_60m_to_7b(m: Material) -> Finding:
    """Sizes of the open-source rows of Table III; the stated ends are those of text.csv."""
    smallest, largest = (
        _size(m.printed("text", "IV-A", f"Parameters of the {end} open-source LLM"))
        for end in ("smallest", "largest")
    )
    sizes = {row: _size(m.printed("table3", row, "Size")) for row in _open_source(m)}
    counted = {
        s.name: s.parameters_counted
        for s in m.systems
        if s.approach is Approach.FINETUNED and s.parameters_counted
    }
    low, high = min(sizes, key=lambda row: sizes[row]), max(sizes, key=lambda row: sizes[row])
    beyond = {
        name: n
        for name, n in counted.items()
        if round(n / 1e6, 1) < smallest / 1e6 or round(n / BILLION) > largest / BILLION
    }
    return finding(
        sizes[low] == smallest and sizes[high] == largest,
        f"Table III runs from {m.printed('table3', low, 'Size')} ({low}) to "
        f"{m.printed('table3', high, 'Size')} "
        f"({listed(row for row, size in sizes.items() if size == sizes[high])}).",
        caveat=f"The published weights of {listed(beyond)} lie outside this range." if beyond else None,
        sizes=sizes,
        counted=counted,
    )


@claim(
    "C008",
    "IV-A",
    "The open-source LLMs cover encoder-only, decoder-only and encoder-decoder models.",
    holds="Table III's open-source rows have each of the three architectures and no other.",
    fails="An architecture is missing, or there is another one.",
)
def three_architectures(m: Material) -> Finding:
    """Architectures as Table III prints them."""
    counts = tally(m.printed("table3", row, "Architecture") for row in _open_source(m))
    return finding(
        set(counts) == set(ARCHITECTURES),
        f"The open-source LLMs of Table III are {tallied(counts)}.",
        models=counts,
    )


@claim(
    "C009",
    "Table III",
    "The names and the sizes of Table III fit each other and Table VI's names.",
    holds="Each name with a size in it has that size in Table III, and Table VI has each name.",
    fails="A name and its size differ, or Table VI has no such name.",
)
def names_fit_sizes(m: Material) -> Finding:
    """Open-source rows of Table III against its column Size and against Table VI's columns."""
    columns = {column for _, column in m.tables["table6"]}
    rows, carried = _open_source(m), dict[str, dict[str, str]]()
    for row in rows:
        if match := re.search(r" ([\d.]+[MB])$", row):
            carried[row] = {"in the name": match[1], "Size": m.printed("table3", row, "Size")}
    wrong = [row for row, pair in carried.items() if _size(pair["in the name"]) != _size(pair["Size"])]
    unknown = [row for row in rows if row not in columns]
    off = {
        s.name: s.parameters_counted / s.parameters - 1
        for s in m.systems
        if s.parameters and s.parameters_counted and abs(s.parameters_counted / s.parameters - 1) > 0.05
    }
    shown = "".join(f"; {row} is given {carried[row]['Size']}" for row in wrong)
    instead = [n for n in (m.system(s).name for s in m.names(approach=Approach.FINETUNED)) if n not in rows]
    called = f"and Table VI calls {'it' if unknown == wrong else listed(unknown)} {listed(instead)}"
    return finding(
        not wrong and not unknown,
        f"Of the {len(carried)} names that carry a size {len(carried) - len(wrong)} fit it{shown}"
        f"{f', {called}' if unknown else ''}.",
        names_with_size=carried,
        wrong=wrong,
        not_in_table6=unknown,
        counted_more_than_5_percent_off_printed=off,
    )


@claim(
    "C010",
    "Table III vs VII-A",
    "The top-ranked LLM has 1.6 billion parameters.",
    holds="The parameters in its published weights round to the number of section VII-A, and Table III has it "
    "too.",
    caveat="Table III prints another size for the same model.",
    fails="The parameters in its published weights round to another number.",
)
def top_model_has_1_6_billion(m: Material) -> Finding:
    """The stated number is that of text.csv; the top-ranked LLM is that of the recomputed means."""
    stated = m.printed("text", "VII-A", "Parameters of the top-ranked LLM").removesuffix("B")
    top = _top_llm(m)
    place = m.tables["table3"].get((top.name, "Size"))
    printed = place.printed if place else ABSENT
    counted = top.parameters_counted or _size(printed)
    caveat = f"Table III prints {printed} for the same model." if printed != f"{stated}B" else None
    return finding(
        agrees(counted / BILLION, stated),
        f"The top-ranked LLM is {top.name}, with {counted / BILLION:.3f} billion parameters in its weights.",
        caveat=caveat,
        top=top.name,
        counted=counted,
        printed=printed,
        stated_billion=float(stated),
    )


@claim(
    "C011",
    "VII-A",
    "The top-ranked LLM is not the largest of those selected.",
    holds="Table III has a larger LLM than the one with the highest mean.",
    fails="The LLM with the highest mean is the largest, or has no size in Table III.",
)
def top_model_is_not_the_largest(m: Material) -> Finding:
    """Table III's sizes; the proprietary LLMs have none."""
    sizes = {s.name: s.parameters for s in m.systems if s.parameters}
    top = _top_llm(m)
    larger = [name for name, size in sizes.items() if size > (top.parameters or 0)]
    return finding(
        top.parameters is not None and bool(larger),
        f"{len(larger)} LLMs are larger than the top-ranked {top.name} ({top.size_printed}): {listed(larger)}.",
        top=top.name,
        sizes=sizes,
        larger=larger,
    )


@claim(
    "C012",
    "IV-B",
    "All systems have scores on classification and regression, models with an encoder on NER, "
    "encoder-only models on masked words.",
    holds="Table VI has a score exactly where the sentence says so, and a dash elsewhere.",
    fails="A score is missing, or stands where the sentence has none.",
)
def who_runs_on_what(m: Material) -> Finding:
    """Places of Table VI against the architectures of Table III."""
    with_encoder = ("encoder-only", "encoder-decoder")
    token = (Kind.ENTITIES, Kind.MASKED)
    wrong, present = [], Counter[str]()
    for task in m.tasks:
        for system in m.systems:
            allowed = task.ranked or (
                system.approach is Approach.FINETUNED
                and system.architecture in (with_encoder if task.kind is Kind.ENTITIES else with_encoder[:1])
            )
            found = _has_cell(m, task.id, system)
            present[str(task.kind)] += found
            if found != allowed:
                wrong.append(f"{task.id}/{system.id}")
    return finding(
        not wrong,
        f"Table VI has {sum(n for kind, n in present.items() if kind not in token)} scores on classification "
        f"and regression, {present[Kind.ENTITIES]} on NER and {present[Kind.MASKED]} on masked words, "
        f"{f'against the design in {listed(wrong)}' if wrong else 'each where the design has one'}.",
        present=dict(present),
        against_design=wrong,
    )


@claim(
    "C129",
    "Abstract, VIII",
    "The open-source LLMs are both generalist and domain-adapted.",
    holds="Table III has open-source LLMs in a generalist and in a domain-adapted compartment, and Table VI "
    "has scores of each.",
    fails="One compartment is empty, or Table VI has no scores of an LLM.",
)
def generalist_and_adapted_models(m: Material) -> Finding:
    """Compartments as Table III prints them, names as Table VI has them; a misprinted name is C009's matter."""
    compartments = printed_column(m, "table3", "Compartment")
    groups = tally(compartments[row].removesuffix(" open-source") for row in _open_source(m))
    scored = [m.system(name) for name in m.names(approach=Approach.FINETUNED)]
    tasks = m.task_ids(ranked=True)
    without = [s.name for s in scored if not any(_has_cell(m, task, s) for task in tasks)]
    total = sum(groups.values())
    return finding(
        set(groups) == {"Generalist", "Domain-adapted"} and not without and len(scored) == total,
        f"Table III has {listed(f'{count} {name.lower()}' for name, count in groups.items())} open-source "
        f"LLMs, and Table VI has scores of {len(scored) - len(without)} of {total}.",
        groups=groups,
        without_scores=without,
    )


@claim(
    "C111",
    "IV-A",
    "The proprietary LLMs are at least ten times as large as the open-source ones.",
    holds="Each proprietary LLM, once its size is known, has ten times the parameters of the largest "
    "open-source one.",
    fails="One of them is smaller than that.",
    thresholds={"ten": "section IV-A"},
)
def proprietary_models_are_far_larger(m: Material) -> Finding:
    """Needs proprietary_sizes.csv: rows as Table III names the two, column parameters."""
    if missing := unless_known(m, "proprietary_sizes", "The makers have not said how large the two models are"):
        return missing
    sizes = {row: m.number("proprietary_sizes", row, "parameters") for row in ("GPT-4o", "Claude 3.7 Sonnet")}
    largest = max(s.parameters or 0 for s in m.systems if s.approach is Approach.FINETUNED)
    return finding(
        min(sizes.values()) >= 10 * largest,
        f"Against {largest:.3g} parameters of the largest open-source LLM stand "
        f"{listed(f'{size:.3g} of {name}' for name, size in sizes.items())}.",
        proprietary=sizes,
        largest_open_source=largest,
    )
