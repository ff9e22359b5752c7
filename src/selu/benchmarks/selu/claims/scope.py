"""What the benchmark covers (abstract, I-III, IV-A, IV-B, Tables I-III)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal

from selu.benchmarks.selu.aggregates import FAMILY_ROWS, recompute
from selu.benchmarks.selu.claims._claim import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.material import ABSENT, Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Activity, Approach, Finding, Kind, System

KINDS = {
    "Binary": Kind.BINARY,
    "Multi-class": Kind.MULTI_CLASS,
    "Multi-label": Kind.MULTI_LABEL,
    "Regr.": Kind.REGRESSION,
    "NER": Kind.ENTITIES,
    "MLM": Kind.MASKED,
}
CLASSIFICATION = ("Binary", "Multi-class", "Multi-label")
ARCHITECTURES = ("encoder-only", "decoder-only", "encoder-decoder")
FORUMS, TRACKERS, MAILING = "Developer forums", "Issue tracking systems", "Mailing lists"
SMALL_TASK = 10_000  # instances; IV-C's limit between the two learning rates
BILLION, UNITS = 1e9, {"M": 1e6, "B": 1e9}


def _column(m: Material, table: str, column: str) -> dict[str, str]:
    """One column of a printed table, row by row."""
    return {row: cell.printed for (row, name), cell in m.tables[table].items() if name == column}


def _size(text: str) -> float:
    """A printed size such as 60.5M as a number of parameters."""
    match = re.fullmatch(r"([\d.]+)([MB])", text)
    return float(match[1]) * UNITS[match[2]] if match else float("nan")


def _open_source(m: Material) -> list[str]:
    """Rows of Table III in an open-source compartment."""
    return [row for row, text in _column(m, "table3", "Compartment").items() if text.endswith("open-source")]


def _sources(m: Material) -> dict[str, set[str]]:
    """Task -> the data sources that Table II lists it under."""
    sources: dict[str, set[str]] = {}
    for (source, _), cell in m.tables["table2"].items():
        for task in cell.printed.split(", "):
            sources.setdefault(task, set()).add(source)
    return sources


def _has_cell(m: Material, task: str, system: System) -> bool:
    # read from the table and not from m.cells, which refuses a table that breaks the design
    return m.printed("table6", task, system.name) != ABSENT


def _top_llm(m: Material) -> System:
    return next(s for s in map(m.system, m.order) if s.approach is not Approach.BASELINE)


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(str(value) for value in values))


def _and(numbers: Iterable[int]) -> str:
    return " and ".join(str(number) for number in numbers)


def _shown(counts: Mapping[str, int]) -> str:
    return listed(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())


@claim("C001", "Abstract, I, III-A", "The benchmark has 22 tasks.")
def twenty_two_tasks(m: Material) -> Finding:
    """Table I, Table II, Table VI and our records must list the same 22."""
    lists = {
        "Table I": set(_column(m, "table1", "Type")),
        "Table II": set(_sources(m)),
        "Table VI": {row for row, _ in m.tables["table6"]},
        "records": {task.id for task in m.tasks},
    }
    known = {task for tasks in lists.values() for task in tasks}
    differing = sorted(task for task in known if any(task not in tasks for tasks in lists.values()))
    counts = {name: len(tasks) for name, tasks in lists.items()}
    return finding(
        set(counts.values()) == {22} and not differing,
        f"Tables I, II and VI and our records list {listed(str(n) for n in counts.values())} tasks; "
        f"in some but not all of them stand: {listed(differing)}.",
        tasks=counts,
        not_in_all=differing,
    )


@claim(
    "C002",
    "III-A",
    "The tasks are binary, multi-class or multi-label classification, regression, NER or masked words.",
)
def six_task_types(m: Material) -> Finding:
    """Each of the six types has a task, no task has another type, and our records agree with Table I."""
    types = _column(m, "table1", "Type")
    counts = _counts(types.values())
    differing = [task.id for task in m.tasks if KINDS.get(types.get(task.id, "")) is not task.kind]
    return finding(
        set(counts) == set(KINDS) and not differing,
        f"Table I lists {_shown(counts)} tasks.",
        tasks=counts,
        records_differ=differing,
    )


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
    rows = [r for r, text in _column(m, "table3", "Compartment").items() if text.endswith("proprietary")]
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


@claim("C007", "IV-A", "The open-source LLMs have from 60.5 million to 7 billion parameters.")
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
    counts = _counts(m.printed("table3", row, "Architecture") for row in _open_source(m))
    return finding(
        set(counts) == set(ARCHITECTURES),
        f"Of the open-source LLMs in Table III, {_shown(counts)} are there.",
        models=counts,
    )


@claim("C009", "Table III", "The names and the sizes of Table III fit each other and Table VI's names.")
def names_fit_sizes(m: Material) -> Finding:
    """A name that carries a size must carry the printed one, and Table VI must know every open-source name."""
    columns = {column for _, column in m.tables["table6"]}
    carried: dict[str, dict[str, str]] = {}
    for row in _open_source(m):
        if match := re.search(r" ([\d.]+[MB])$", row):
            carried[row] = {"in the name": match[1], "Size": m.printed("table3", row, "Size")}
    wrong = [row for row, pair in carried.items() if _size(pair["in the name"]) != _size(pair["Size"])]
    unknown = [row for row in _open_source(m) if row not in columns]
    off = {
        s.name: s.parameters_counted / s.parameters - 1
        for s in m.systems
        if s.parameters and s.parameters_counted and abs(s.parameters_counted / s.parameters - 1) > 0.05
    }
    shown = (f"{row} is given {carried[row]['Size']}" for row in wrong)
    return finding(
        not wrong and not unknown,
        f"{len(carried) - len(wrong)} of the {len(carried)} names that carry a size fit it (wrong: "
        f"{listed(shown)}), and names that Table VI does not have are: {listed(unknown)}.",
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
        f"and regression, {present[Kind.ENTITIES]} on NER and {present[Kind.MASKED]} on masked words; "
        f"against this design stand: {listed(wrong)}.",
        present=dict(present),
        against_design=wrong,
    )


@claim("C013", "Table VI caption", "Table VI's rows by task family leave out NER and masked words.")
def family_rows_leave_out_token_tasks(m: Material) -> Finding:
    """Every family number fits the cells without them and, where they would change it, not those with them."""
    rows = recompute(m, ["table6_aggregates"])
    rows = rows[rows["row"].isin(FAMILY_ROWS) & (rows["printed"] != ABSENT)]
    off = rows[~rows["explained_by_rounding"].astype(bool)]
    with_token = rows["with_token_tasks"].map(as_printed)
    telling = rows[(rows["with_token_tasks"] - rows["computed"]).abs() > 1e-9]
    also = telling[with_token[telling.index] == telling["printed"].map(lambda text: as_printed(float(text)))]
    evidence = {
        f"{place['row']}, {place['column']}": {
            "printed": float(str(place["printed"])),
            "without": float(str(place["computed"])),
            "with": float(str(place["with_token_tasks"])),
        }
        for place in telling.to_dict("records")
    }
    shown = (f"{k} {v['printed']:.3f} ({v['with']:.3f} with them)" for k, v in evidence.items())
    return finding(
        off.empty and also.empty and not telling.empty,
        f"{len(rows) - len(off)} of the {len(rows)} family numbers fit the cells without the two tasks; "
        f"telling are {listed(shown)}.",
        telling=evidence,
        off_without=[f"{row}, {column}" for row, column in zip(off["row"], off["column"], strict=True)],
        fit_with_too=[f"{row}, {column}" for row, column in zip(also["row"], also["column"], strict=True)],
    )


@claim("C014", "I, III-A", "The tasks cover five life-cycle activities and three families.")
def five_activities_three_families(m: Material) -> Finding:
    """Activities as Appendix A assigns them (our records), families as Table II prints them."""
    named = {a for a in Activity if a is not Activity.SOFTWARE_DESIGN}
    activities = _counts(task.activity for task in m.tasks)
    families = {column for _, column in m.tables["table2"]}
    return finding(
        set(activities) == {str(a) for a in named} and families == set(FAMILY_ROWS),
        f"The tasks spread over {_shown(activities)} and over {len(families)} families "
        f"({listed(sorted(families))}).",
        activities=activities,
        families=sorted(families),
    )


@claim("C015", "III-A", "No task belongs to software design.")
def no_design_task(m: Material) -> Finding:
    """Activities as our records take them from Appendix A."""
    design = m.task_ids(activity=Activity.SOFTWARE_DESIGN)
    return finding(
        not design,
        f"Of the {len(m.tasks)} tasks {len(design)} are assigned to software design ({listed(design)}).",
        design_tasks=design,
    )


@claim("C016", "III-A", "Classification is by far the most frequent kind of task.")
def classification_predominates(m: Material) -> Finding:
    """Highly predominant is read as at least three quarters of the tasks."""
    predominant = 0.75
    types = _column(m, "table1", "Type")
    number = sum(text in CLASSIFICATION for text in types.values())
    share = number / len(types)
    return finding(
        share >= predominant,
        f"{number} of the {len(types)} tasks ({percent(share)}) are classification.",
        tasks=_counts(types.values()),
        share=share,
        at_least=predominant,
    )


@claim("C017", "III-A", "Most classification data sets come from issue trackers and developer forums.")
def most_data_from_trackers_and_forums(m: Material) -> Finding:
    """Most is more than half; a majority that rests on tasks with a further source is a caveat."""
    sources = _sources(m)
    tasks = [task for task, text in _column(m, "table1", "Type").items() if text in CLASSIFICATION]
    some = [task for task in tasks if sources.get(task, set()) & {TRACKERS, FORUMS}]
    only = [task for task in some if sources[task] <= {TRACKERS, FORUMS}]
    caveat = f"Only {len(only)} of them have no further source." if 2 * len(only) <= len(tasks) else None
    return finding(
        2 * len(some) > len(tasks),
        f"Table II puts {len(some)} of the {len(tasks)} classification tasks under issue tracking systems or "
        f"developer forums, {len(only)} of them under nothing else.",
        caveat=caveat,
        from_them=some,
        from_nothing_else=only,
        others=[task for task in tasks if task not in some],
    )


@claim("C018", "VII-C", "The data of seven tasks come from developer forums and mailing lists.")
def seven_tasks_from_forums_and_lists(m: Material) -> Finding:
    """Tasks that Table II lists under either source, whether or not under another one too."""
    sources = _sources(m)
    found = [task for task, names in sources.items() if names & {FORUMS, MAILING}]
    shared = [task for task in found if not sources[task] <= {FORUMS, MAILING}]
    return finding(
        len(found) == 7,
        f"Table II has {len(found)} such tasks ({listed(found)}), {len(shared)} of them with a further source.",
        tasks={task: sorted(sources[task]) for task in found},
        with_further_source=shared,
    )


@claim("C019", "VII-A", "The data sets together hold millions of instances.")
def millions_of_instances(m: Material) -> Finding:
    """One million decides (the sentence's number is garbled); less than two is no plural, so a caveat."""
    million = 1e6
    instances = {task: m.number("table1", task, "Instances") for task in _column(m, "table1", "Instances")}
    total = sum(instances.values())
    top = max(instances, key=lambda task: instances[task])
    caveat = f"That is one million and not several, and {top} alone makes up {percent(instances[top] / total)}."
    return finding(
        total >= million,
        f"Table I's instances sum to {total:,.0f}.",
        caveat=caveat if total < 2 * million else None,
        total=total,
        instances=instances,
        without_largest=total - instances[top],
    )


@claim("C020", "IV-C", "The learning rate is 1e-4 for tasks below 10,000 instances and 1e-5 otherwise.")
def learning_rate_follows_task_size(m: Material) -> Finding:
    """The package's first scripts (v3) decide; other rates in the scripts as last published are a caveat."""
    exempt = ("Llama 3.2", "StarCoder2")  # the series that IV-C keeps at the low rate
    places = m.tables["package_hyperparameters"]
    small = [task.id for task in m.tasks if m.number("table1", task.id, "Instances") < SMALL_TASK]
    broken, last, known = [], [], set[str]()
    for cell in sorted({row for row, _ in places}):
        task, system = cell.split("/")
        known.add(task)
        rule = Decimal("1e-4") if task in small else Decimal("1e-5")
        first, final = (
            Decimal(places[cell, column].printed) for column in ("learning_rate_v3", "learning_rate_in_script")
        )
        broken += [cell] if first != rule else []
        last += [cell] if final != rule and m.system(system).series not in exempt else []
    total = len({row for row, _ in places})
    caveat = (
        f"In the scripts as last published {len(last)} cells have another rate, although they belong to no "
        "series that IV-C exempts."
    )
    return finding(
        not broken,
        f"{len(small)} of the {len(m.tasks)} tasks lie below 10,000 instances, and {total - len(broken)} of "
        f"the {total} cells whose first script is on record ({listed(sorted(known))}) have the rule's rate.",
        caveat=caveat if last else None,
        small_tasks=small,
        against_rule_in_first_scripts=broken,
        against_rule_in_last_scripts=last,
    )


@claim("C021", "II, III-A", "About 79 % of the surveyed works are about development or maintenance.")
def surveyed_works_on_development(m: Material) -> Finding:
    """Needs figure1.csv: a row per activity (our fixed words), column works; about means within 1 point."""
    if missing := unless_known(m, "figure1", "The counts behind Figure 1 are not printed in the paper"):
        return missing
    stated, margin = 0.79, 0.01
    works = {row: m.number("figure1", row, "works") for row in _column(m, "figure1", "works")}
    both = sum(works.get(a, 0.0) for a in (Activity.SOFTWARE_DEVELOPMENT, Activity.SOFTWARE_MAINTENANCE))
    share = both / sum(works.values())
    return finding(
        abs(share - stated) <= margin,
        f"{both:g} of {sum(works.values()):g} works ({percent(share)}) are about development or maintenance.",
        works=works,
        share=share,
    )


@claim("C022", "II-A, II-B", "Five shares cited on productivity are as printed (35, 50, 15, 14 and 59 %).")
def cited_productivity_shares(m: Material) -> Finding:
    """Needs cited_shares.csv: rows as in ``stated``, column percent; equal means within 1 point."""
    if missing := unless_known(m, "cited_shares", "The five percentages stand in the cited works only"):
        return missing
    stated = {
        "effort saved": 35.0,
        "time saved on routine tasks": 50.0,
        "time spent on code": 15.0,
        "time spent on debugging": 14.0,
        "review studies with machine learning": 59.0,
    }
    source = {row: m.number("cited_shares", row, "percent") for row in stated}
    off = [row for row in stated if not abs(source[row] - stated[row]) <= 1.0]
    return finding(
        not off,
        f"{len(stated) - len(off)} of the {len(stated)} shares are as the cited works say ({listed(off)} not).",
        stated=stated,
        in_source=source,
    )
