"""Models and metrics (sections 4 and 6.2, Tables 3 to 5), and which metric best predicts passing tests."""

from __future__ import annotations

from itertools import pairwise

from selu.papers.claims import claim, finding, listed, percent, scope, unless_known, unless_rescored
from selu.papers.faun_eval.claims._known import DETAIL, METHOD, OURS, portion
from selu.papers.faun_eval.material import Material
from selu.vocabulary import Finding

QUESTION = "Are models and metrics those that the paper says?"
CODEBLEU = {
    "codebleu_patch": "CodeBLEU of patches",
    "codebleu_blocks": "CodeBLEU of SEARCH/REPLACE blocks",
    "codebleu_after": "CodeBLEU of the code after the change",
}
OF_TEXT = {
    "edit_patch": "edit similarity of patches",
    "edit_lines": "edit similarity of changed lines",
    "bleu_lines": "BLEU of changed lines",
    "rouge_l_lines": "ROUGE-L of changed lines",
    "rouge_1_lines": "ROUGE-1 of changed lines",
}


@claim(
    "F03",
    "Abstract, 4.1",
    "Ten language models are evaluated, four closed and six open ones.",
    holds="Table 3 has as many models of both kinds.",
    fails="It has another number of one kind.",
    weight=METHOD,
    quote="We evaluate ten LLMs with FAUN-Eval, including four closed-source and six open-source models",
)
def models_by_kind(paper: Material) -> Finding:
    """Count the models of Table 3."""
    kinds = ("Models", "Closed models", "Open models")
    stated = [paper.count("text", "Abstract", name) for name in kinds]
    free = sum(paper.open_source(model) for model in paper.models)
    found = [len(paper.models), len(paper.models) - free, free]
    because = f"Table 3 has {found[1]} closed and {found[2]} open models of {found[0]}."
    return finding(found == stated, because, table3=found, text=stated)


@claim(
    "F19",
    "4.4",
    "All metrics range from 0 to 1.",
    holds="Every score of Table 4 and Table 5 lies in the range that the text names.",
    fails="A score lies outside it.",
    weight=DETAIL,
    quote="their ranges are all from 0 to 1",
)
def ranges(paper: Material) -> Finding:
    """Look at every score of both tables."""
    low, high = (paper.number("text", "4.4", f"{end} score") for end in ("Lowest", "Highest"))
    places = [
        (table, row, column)
        for table in ("table4", "table5")
        for row, column in paper.tables[table]
        if not column.endswith(": change")
    ]
    outside = [
        f"{row}, {column}"
        for table, row, column in places
        if not low <= paper.number(table, row, column) <= high
    ]
    because = f"{portion(len(places) - len(outside), len(places))} scores lie in {low:g} to {high:g}."
    return finding(not outside, because, outside=outside, scores=len(places))


@claim(
    "F57",
    "5.3",
    "Entries are sorted by the length of the input and split evenly into three parts.",
    holds="The parts have the same number of entries, and no entry of a part is longer than one of the next.",
    fails="They differ in their number, or a part has an entry that is longer than one of the next.",
    weight=METHOD,
    quote="sort the dataset by the length of the input text",
)
def parts_by_length(paper: Material) -> Finding:
    """Compare the parts, once the lengths of their entries are here."""
    parts = paper.count("text", "5.3", "Parts by length")
    missing = f"Which entries are in which of the {parts} parts, and how long they are, is not available here"
    if not_checkable := unless_known(paper, "parts", missing):
        return not_checkable
    rows = paper.row_names("parts")
    sizes = [paper.count("parts", row, "entries") for row in rows]
    bounds = [(paper.count("parts", row, "shortest"), paper.count("parts", row, "longest")) for row in rows]
    even = len(rows) == parts and len(set(sizes)) == 1
    apart = all(first[1] <= then[0] for first, then in pairwise(bounds))
    because = f"{portion(len(rows), parts)} parts are known, of {listed(map(str, sizes))} entries; they " + (
        "follow each other by length." if apart else "overlap in length."
    )
    return finding(even and apart, because, entries=sizes, bounds=bounds)


@claim(
    "F59",
    "6.2",
    "The models' sizes range from 6.7B to 236B.",
    holds="The smallest and the largest size of Table 3 are these.",
    caveat="Sizes of some models are not published.",
    fails="One of the two is another.",
    weight=DETAIL,
    quote="with sizes ranging from 6.7B to 236B",
)
def sizes(paper: Material) -> Finding:
    """Compare with the sizes of Table 3."""
    known = [size for model in paper.models if (size := paper.size(model)) == paper.size(model)]
    stated = [
        float(paper.published("text", "6.2", f"{end} model").removesuffix("B"))
        for end in ("Smallest", "Largest")
    ]
    found = [min(known), max(known)]
    hidden = len(paper.models) - len(known)
    because = f"Table 3 has sizes from {found[0]:g}B to {found[1]:g}B."
    caveat = scope(f"{hidden} of {len(paper.models)} models have no published size.") if hidden else None
    return finding(found == stated, because, caveat=caveat, table3=found, text=stated)


@claim(
    "F60",
    "4.1",
    "No input exceeds the input limit of any model.",
    holds="The longest prompt has at most as many tokens as the smallest limit of Table 3.",
    fails="It has more.",
    weight=METHOD,
    quote="it does not exceed the maximum input tokens allowed by the selected models",
)
def inputs_fit(paper: Material) -> Finding:
    """Compare with the longest prompt, once it is here."""
    limits = {model: _tokens(paper.published("table3", model, "Max input tokens")) for model in paper.models}
    smallest = min(limits.values())
    missing = f"The prompts are not published, which would be held to the smallest limit, {smallest:,} tokens"
    if not_checkable := unless_known(paper, "prompts", missing):
        return not_checkable
    longest = paper.count("prompts", "all", "longest")
    because = f"The longest prompt has {longest:,} tokens, the smallest limit is {smallest:,}."
    return finding(longest <= smallest, because, longest=longest, smallest=smallest)


def _tokens(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    return int(number) * {"k": 1_000, "m": 1_000_000}.get(unit, 1)


@claim(
    "F61",
    "Table 3",
    "The open models are versions tuned to follow instructions.",
    holds="Table 3 marks exactly the open models as such.",
    fails="It marks a closed one, or not every open one.",
    weight=DETAIL,
    kind=OURS,
)
def instruct_versions(paper: Material) -> Finding:
    """Compare two columns of Table 3."""
    marked = [model for model in paper.models if paper.published("table3", model, "Instruct") == "yes"]
    free = [model for model in paper.models if paper.open_source(model)]
    because = f"{len(marked)} models are marked, {len(free)} are open."
    return finding(marked == free, because, marked=marked, open=free)


@claim(
    "F63",
    "4.4",
    "CodeBLEU is a more accurate measure for code editing.",
    holds="Of patches whose tests were run, CodeBLEU puts one that passes before one that does not "
    "more often than the metrics of text do.",
    caveat="The patches answer tasks of another benchmark, as all do that the study has.",
    fails="A metric of text does so as often or more often.",
    weight=METHOD,
    quote="we exclusively use CodeBLEU, as it is specifically designed to assess code similarity, providing a "
    "more accurate measure for this particular task",
)
def codebleu_is_more_accurate(paper: Material) -> Finding:
    """Compare the metrics by how often each ranks the passing one of two patches first."""
    missing = (
        "The published answers to the 300 tasks of SWE-bench Lite were not scored again here; "
        "reports/faun_eval/rescored.json, which 'selu rescore --paper faun_eval' makes, decides it."
    )
    if not_checkable := unless_rescored(paper, "study", missing):
        return not_checkable
    shares = {metric: paper.number("study", metric, "auc") for metric in (*CODEBLEU, *OF_TEXT)}
    code, text = (max(names, key=lambda metric: shares[metric]) for names in (CODEBLEU, OF_TEXT))
    low, high = (paper.number("study", code, end) for end in ("low", "high"))
    below = [name for metric, name in CODEBLEU.items() if shares[metric] <= shares[text]]
    because = (
        f"{CODEBLEU[code]} puts the passing one of two patches first in {percent(shares[code])} of pairs "
        f"({percent(low)} to {percent(high)}). The best of {len(OF_TEXT)} metrics of text, {OF_TEXT[text]}, "
        f"does so in {percent(shares[text])}."
    )
    limits = f"The {paper.count('study', code, 'patches'):,} patches answer SWE-bench Lite, not this benchmark."
    if low <= shares[text]:
        limits += " The lead lies inside the interval."
    if below:
        limits += f" Other forms are behind the best metric of text: {listed(below)}."
    return finding(shares[code] > shares[text], because, caveat=scope(limits), shares=shares)
