"""Names, sizes and architectures of the LLMs (IV-A, VII-A, Table III)."""

from __future__ import annotations

import re

from selu.papers.claims import claim, exceptions, finding, listed, unless_known, wording
from selu.papers.published import ABSENT
from selu.papers.selu.claims._published import UNITS, open_source_rows, tallied, tally
from selu.papers.selu.claims._questions import CONTENT
from selu.papers.selu.material import Material
from selu.stats.rounding import agrees
from selu.vocabulary import Approach, Finding, System

QUESTION = CONTENT
ARCHITECTURES = ("encoder-only", "decoder-only", "encoder-decoder")
BILLION = 1e9


def _size(text: str) -> float:
    """Convert a published size such as 60.5M to a number of parameters."""
    match = re.fullmatch(r"([\d.]+)([MB])", text)
    return float(match[1]) * UNITS[match[2]] if match else float("nan")


def _top_llm(paper: Material) -> System:
    return next(s for s in map(paper.system, paper.order) if s.approach is not Approach.BASELINE)


@claim(
    "C007",
    "IV-A",
    "The open-source LLMs have at least 60.5 million and at most 7 billion parameters.",
    weight="detail",
    quote="a range from 60.5 million to 7 billion parameters",
    holds="The smallest and the largest size of Table III are those that section IV-A gives.",
    caveat="The parameters counted in a model's published weights no longer round into that range.",
    fails="The smallest or the largest size of Table III is another.",
)
def sizes_from_60m_to_7b(paper: Material) -> Finding:
    """Check the open-source sizes of Table III; the stated smallest and largest are in text.csv."""
    smallest, largest = (
        _size(paper.published("text", "IV-A", f"Parameters of the {end} open-source LLM"))
        for end in ("smallest", "largest")
    )
    sizes = {row: _size(paper.published("table3", row, "Size")) for row in open_source_rows(paper)}
    counted = {
        s.name: s.parameters_counted
        for s in paper.systems
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
        f"Table III runs from {paper.published('table3', low, 'Size')} ({low}) to "
        f"{paper.published('table3', high, 'Size')} "
        f"({listed(row for row, size in sizes.items() if size == sizes[high])}).",
        caveat=exceptions(f"The published weights of {listed(beyond)} lie outside this range.")
        if beyond
        else None,
        sizes=sizes,
        counted=counted,
    )


@claim(
    "C008",
    "IV-A",
    "The open-source LLMs cover encoder-only, decoder-only and encoder-decoder models.",
    weight="method",
    quote="All of these 22 open-source LLMs cover the main architectures (encoder-only, decoder-only, and "
    "encoder-decoder)",
    holds="Table III's open-source rows have each of the three architectures and no other.",
    fails="An architecture is missing, or there is another one.",
)
def three_architectures(paper: Material) -> Finding:
    """Count the architectures that Table III gives."""
    counts = tally(paper.published("table3", row, "Architecture") for row in open_source_rows(paper))
    return finding(
        set(counts) == set(ARCHITECTURES),
        f"The open-source LLMs of Table III are {tallied(counts)}.",
        models=counts,
    )


@claim(
    "C009",
    "Table III",
    "The names and the sizes of Table III fit each other and Table VI's names.",
    weight="detail",
    kind="our check",
    holds="Each name with a size in it has that size in Table III, and Table VI has each name.",
    fails="A name and its size differ, or Table VI has no such name.",
)
def names_fit_sizes(paper: Material) -> Finding:
    """Compare Table III's open-source rows with its column Size and with Table VI's columns."""
    columns = {column for _, column in paper.tables["table6"]}
    rows, carried = open_source_rows(paper), dict[str, dict[str, str]]()
    for row in rows:
        if match := re.search(r" ([\d.]+[MB])$", row):
            carried[row] = {"in the name": match[1], "Size": paper.published("table3", row, "Size")}
    wrong = [row for row, pair in carried.items() if _size(pair["in the name"]) != _size(pair["Size"])]
    unknown = [row for row in rows if row not in columns]
    off = {
        s.name: s.parameters_counted / s.parameters - 1
        for s in paper.systems
        if s.parameters and s.parameters_counted and abs(s.parameters_counted / s.parameters - 1) > 0.05
    }
    shown = "".join(f"; {row} has the size {carried[row]['Size']}" for row in wrong)
    instead = [
        n for n in (paper.system(s).name for s in paper.names(approach=Approach.FINETUNED)) if n not in rows
    ]
    called = f"and Table VI calls {'it' if unknown == wrong else listed(unknown)} {listed(instead)}"
    return finding(
        not wrong and not unknown,
        f"{len(carried) - len(wrong)} of the {len(carried)} names that have a size in them fit it{shown}"
        f"{f', {called}' if unknown else ''}.",
        names_with_size=carried,
        wrong=wrong,
        not_in_table6=unknown,
        counted_more_than_5_percent_off_published=off,
    )


@claim(
    "C010",
    "Table III vs VII-A",
    "The top-ranked LLM has 1.6 billion parameters.",
    weight="detail",
    quote="our top-ranked LLM has 1.6B parameters",
    holds="The parameters in its published weights round to the number of section VII-A, and Table III has it "
    "too.",
    caveat="Table III gives another size for the same model.",
    fails="The parameters in its published weights round to another number.",
)
def top_model_has_1_6_billion(paper: Material) -> Finding:
    """Compare the stated number (text.csv) with the top-ranked LLM by recomputed means."""
    stated = paper.published("text", "VII-A", "Parameters of the top-ranked LLM").removesuffix("B")
    top = _top_llm(paper)
    place = paper.tables["table3"].get((top.name, "Size"))
    published = place.published if place else ABSENT
    counted = top.parameters_counted or _size(published)
    other = wording(f"Table III gives {published} for the same model.")
    return finding(
        agrees(counted / BILLION, stated),
        f"The top-ranked LLM is {top.name}, with {counted / BILLION:.3f} billion parameters in its weights.",
        caveat=other if published != f"{stated}B" else None,
        top=top.name,
        counted=counted,
        published=published,
        stated_billion=float(stated),
    )


@claim(
    "C011",
    "VII-A",
    "The top-ranked LLM is not the largest of those selected.",
    weight="detail",
    quote="our top-ranked LLM has 1.6B parameters, not being the largest one from those selected to run "
    "our experiments",
    holds="Table III has a larger LLM than the one with the highest mean.",
    fails="The LLM with the highest mean is the largest, or has no size in Table III.",
)
def top_model_is_not_the_largest(paper: Material) -> Finding:
    """Compare Table III's sizes; the proprietary LLMs have none."""
    sizes = {s.name: s.parameters for s in paper.systems if s.parameters}
    top = _top_llm(paper)
    larger = [name for name, size in sizes.items() if size > (top.parameters or 0)]
    return finding(
        top.parameters is not None and bool(larger),
        f"{len(larger)} LLMs are larger than the top-ranked {top.name} ({top.size_published}): "
        f"{listed(larger)}.",
        top=top.name,
        sizes=sizes,
        larger=larger,
    )


@claim(
    "C111",
    "IV-A",
    "The proprietary LLMs are at least ten times as large as the open-source ones.",
    weight="detail",
    quote="they are generally considered to be at least one magnitude larger than the selected open-source "
    "LLMs",
    holds="Each proprietary LLM, once its size is known, has ten times the parameters of the largest "
    "open-source one.",
    fails="One of them is smaller than that.",
    thresholds={"ten": "section IV-A"},
)
def proprietary_models_are_far_larger(paper: Material) -> Finding:
    """Compare sizes; needs proprietary_sizes.csv: rows as Table III names the two, column parameters."""
    if missing := unless_known(
        paper, "proprietary_sizes", "The makers have not said how large the two models are"
    ):
        return missing
    sizes = {
        row: paper.number("proprietary_sizes", row, "parameters") for row in ("GPT-4o", "Claude 3.7 Sonnet")
    }
    largest = max(s.parameters or 0 for s in paper.systems if s.approach is Approach.FINETUNED)
    return finding(
        min(sizes.values()) >= 10 * largest,
        f"Against {largest:.3g} parameters of the largest open-source LLM stand "
        f"{listed(f'{size:.3g} of {name}' for name, size in sizes.items())}.",
        proprietary=sizes,
        largest_open_source=largest,
    )
