"""The systems: LLMs and baselines, their sizes and architectures (IV-A, IV-B, Table III)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.claims._printed import printed_column, tallied, tally
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Approach, Finding, Kind, System

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


@claim("C003", "Abstract, IV-A", "The benchmark fine-tunes 22 open-source LLMs.")
def twenty_two_open_source_models(m: Material) -> Finding:
    """Rows of Table III's open-source compartments; fine-tuned systems with a score on every ranked task."""
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


@claim("C004", "Abstract, IV-A", "Two proprietary LLMs are prompted, each without examples and with three.")
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


@claim("C005", "VIII", "The LLMs are compared with two classical machine-learning baselines.")
def two_baselines(m: Material) -> Finding:
    """Systems declared as baselines that have scores in Table VI."""
    names = [m.system(name) for name in m.names(approach=Approach.BASELINE)]
    scored = {s.name: sum(_has_cell(m, task.id, s) for task in m.tasks) for s in names}
    return finding(
        sum(cells > 0 for cells in scored.values()) == 2,
        f"Table VI scores {listed(f'{name} on {cells} tasks' for name, cells in scored.items())}.",
        cells=scored,
    )


@claim("C006", "IV-A vs IV-B", "Two baselines are trained on each of the benchmark's tasks.")
def baselines_on_each_task(m: Material) -> Finding:
    """Gaps on NER and MLM, which IV-B admits, are a caveat; a gap on any other task refutes the claim."""
    baselines = [m.system(name) for name in m.names(approach=Approach.BASELINE)]
    cells = {task.id: sum(_has_cell(m, task.id, s) for s in baselines) for task in m.tasks}
    short = [task for task, count in cells.items() if count < 2]
    unexplained = [task for task in short if m.task(task).ranked]
    caveat = f"Without them are {listed(short)}, which IV-B leaves out, so IV-A's words say too much."
    return finding(
        not unexplained,
        f"{len(cells) - len(short)} of the {len(cells)} tasks have two baseline scores.",
        caveat=caveat if short else None,
        baseline_cells=cells,
        short_without_reason=unexplained,
    )


@claim("C007", "IV-A", "The open-source LLMs have at least 60.5 million and at most 7 billion parameters.")
def sizes_from_60m_to_7b(m: Material) -> Finding:
    """Table III's sizes; a counted size that no longer rounds to an end of the range would be a caveat."""
    smallest, largest = 60.5e6, 7e9
    sizes = {row: _size(m.printed("table3", row, "Size")) for row in _open_source(m)}
    counted = {
        s.name: s.parameters_counted
        for s in m.systems
        if s.approach is Approach.FINETUNED and s.parameters_counted
    }
    low, high = min(sizes, key=lambda row: sizes[row]), max(sizes, key=lambda row: sizes[row])
    beyond = {
        name: n for name, n in counted.items() if round(n / 1e6, 1) < smallest / 1e6 or round(n / BILLION) > 7
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


@claim("C008", "IV-A", "The open-source LLMs cover encoder-only, decoder-only and encoder-decoder models.")
def three_architectures(m: Material) -> Finding:
    """All three occur among Table III's open-source rows, and no fourth."""
    counts = tally(m.printed("table3", row, "Architecture") for row in _open_source(m))
    return finding(
        set(counts) == set(ARCHITECTURES),
        f"Of the open-source LLMs in Table III, {tallied(counts)} are there.",
        models=counts,
    )


@claim("C009", "Table III", "The names and the sizes of Table III fit each other and Table VI's names.")
def names_fit_sizes(m: Material) -> Finding:
    """A name that carries a size must carry the printed one, and Table VI must know every open-source name."""
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


@claim("C010", "Table III vs VII-A", "The top-ranked LLM has 1.6 billion parameters.")
def top_model_has_1_6_billion(m: Material) -> Finding:
    """The count of the published weights decides at one digit; another size in Table III is a caveat."""
    stated = "1.6"
    top = _top_llm(m)
    place = m.tables["table3"].get((top.name, "Size"))
    printed = place.printed if place else ABSENT
    counted = top.parameters_counted or _size(printed)
    caveat = f"Table III prints {printed} for the same model." if _size(printed) != 1.6e9 else None
    return finding(
        as_printed(counted / BILLION, 1) == stated,
        f"The top-ranked LLM is {top.name}, with {counted / BILLION:.3f} billion parameters in its weights.",
        caveat=caveat,
        top=top.name,
        counted=counted,
        printed=printed,
        stated_billion=float(stated),
    )


@claim("C011", "VII-A", "The top-ranked LLM is not the largest of those selected.")
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
)
def who_runs_on_what(m: Material) -> Finding:
    """Every cell of Table VI is present or a dash exactly as the architectures say."""
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


@claim("C111", "IV-A", "The proprietary LLMs are at least ten times as large as the open-source ones.")
def proprietary_models_are_far_larger(m: Material) -> Finding:
    """Needs proprietary_sizes.csv: rows as Table III names the two, column parameters; against the largest."""
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
