"""The tasks: how many, of which types, families and activities, from which sources (I, III, Tables I, II)."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.claims import claim, finding, listed, percent, wording
from selu.papers.selu.analysis.aggregates import FAMILY_ROWS
from selu.papers.selu.claims._published import published_column, tallied, tally
from selu.papers.selu.claims._questions import CONTENT
from selu.papers.selu.material import Material
from selu.papers.selu.words import TYPES
from selu.stats.rounding import agrees
from selu.vocabulary import Activity, Finding, Kind, SeluError

QUESTION = CONTENT
KINDS = {name: Kind(kind) for kind, name in TYPES.items()}
CLASSIFICATION = ("Binary", "Multi-class", "Multi-label")
FORUMS, TRACKERS, MAILING = "Developer forums", "Issue tracking systems", "Mailing lists"


def _sources(paper: Material) -> Mapping[str, set[str]]:
    """Map each task to the data sources under which Table II lists it."""
    sources: dict[str, set[str]] = {}
    for (source, _), cell in paper.tables["table2"].items():
        for task in cell.published.split(", "):
            sources.setdefault(task, set()).add(source)
    return sources


@claim(
    "C001",
    "Abstract, I, III-A",
    "The benchmark has 22 tasks.",
    weight="method",
    quote="the first comprehensive benchmark for evaluating LLMs on 22 SE textual artifacts NLU tasks",
    holds="Tables I, II and VI list the same 22 tasks, which are those of this package's records.",
    fails="One of the lists has another number of tasks, or a task that another list lacks.",
)
def twenty_two_tasks(paper: Material) -> Finding:
    """Compare the tasks' names in Tables I, II and VI and in our records."""
    lists = {
        "Table I": set(published_column(paper, "table1", "Type")),
        "Table II": set(_sources(paper)),
        "Table VI": {row for row, _ in paper.tables["table6"]},
        "records": {task.id for task in paper.tasks},
    }
    known = {task for tasks in lists.values() for task in tasks}
    differing = sorted(task for task in known if any(task not in tasks for tasks in lists.values()))
    counts = {name: len(tasks) for name, tasks in lists.items()}
    return finding(
        set(counts.values()) == {22} and not differing,
        f"Tables I, II and VI and our records list {listed(str(n) for n in counts.values())} tasks; not in all "
        f"of them are {listed(differing)}."
        if differing
        else f"Tables I, II and VI and our records list the same {len(known)} tasks.",
        tasks=counts,
        not_in_all=differing,
    )


@claim(
    "C002",
    "III-A",
    "The tasks are binary, multi-class or multi-label classification, regression, NER or MLM.",
    weight="method",
    quote="a total of 22 tasks of type classification (including binary, multi-class and multi-label), "
    "regression, Named Entity Recognition (NER), and Masked Language Modeling (MLM)",
    holds="Table I has tasks of each of the six types and of no other, and our records agree with it.",
    fails="A type has no task, a task has another type, or our records differ from Table I.",
)
def six_task_types(paper: Material) -> Finding:
    """Count the types that Table I gives."""
    types = published_column(paper, "table1", "Type")
    counts = tally(types.values())
    differing = [task.id for task in paper.tasks if KINDS.get(types.get(task.id, "")) is not task.kind]
    return finding(
        set(counts) == set(KINDS) and not differing,
        f"Table I lists {tallied(counts)} tasks.",
        tasks=counts,
        records_differ=differing,
    )


@claim(
    "C014",
    "I, III-A",
    "The tasks cover five life-cycle activities and three families.",
    weight="method",
    quote="we group them in two different taxonomies: SE life cycle activity ... and task family "
    "(code-adjacent metadata, core non-code, and developer communication tasks)",
    holds="Appendix A assigns tasks to each of the five activities that section I names and to no other, and "
    "Table II has the three families.",
    fails="An activity or a family that section I names has no task, or there is one more.",
)
def five_activities_three_families(paper: Material) -> Finding:
    """Count activities as read from Appendix A (appendix.csv), and families as in Table II.

    The appendix names the activity of ten tasks in these words; that of the others is our reading of it.
    """
    named = {a for a in Activity if a is not Activity.SOFTWARE_DESIGN}
    activities = tally(
        text.replace(" ", "_") for text in published_column(paper, "appendix", "Activity").values()
    )
    families = {column for _, column in paper.tables["table2"]}
    return finding(
        set(activities) == {str(a) for a in named} and families == set(FAMILY_ROWS),
        f"By activity the tasks are {tallied(activities)}, and they are of {len(families)} families "
        f"({listed(sorted(families))}).",
        activities=activities,
        families=sorted(families),
    )


@claim(
    "C015",
    "III-A",
    "No task belongs to software design.",
    weight="method",
    quote="We do not find any NLU tasks related to software design with a publicly available dataset.",
    holds="Appendix A assigns no task to software design.",
    fails="Appendix A assigns a task to software design.",
)
def no_design_task(paper: Material) -> Finding:
    """Count activities as read from Appendix A (appendix.csv)."""
    activities = published_column(paper, "appendix", "Activity")
    design = [task for task, text in activities.items() if text == "software design"]
    return finding(
        not design,
        f"{len(design) or 'None'} of the {len(activities)} tasks {'are' if len(design) > 1 else 'is'} "
        f"assigned to software design{f' ({listed(design)})' if design else ''}.",
        design_tasks=design,
    )


@claim(
    "C016",
    "III-A",
    "Classification is by far the most frequent kind of task.",
    weight="detail",
    quote="classification tasks are highly predominant in comparison with any other task type",
    holds="At least 75 % of the tasks of Table I are classification.",
    fails="Fewer than 75 % of the tasks of Table I are classification.",
    thresholds={"75 %": 'our choice: the paper says "highly predominant" without a number'},
)
def classification_predominates(paper: Material) -> Finding:
    """Count classification tasks: binary, multi-class and multi-label."""
    predominant = 0.75
    types = published_column(paper, "table1", "Type")
    number = sum(text in CLASSIFICATION for text in types.values())
    share = number / len(types)
    return finding(
        share >= predominant,
        f"{number} of the {len(types)} tasks ({percent(share)}) are classification.",
        tasks=tally(types.values()),
        share=share,
        at_least=predominant,
    )


@claim(
    "C017",
    "III-A",
    "Most classification data sets come from issue trackers and developer forums.",
    weight="detail",
    quote="most of their datasets come from issue tracking systems and developer forums",
    holds="Table II lists more than half of the classification tasks under these two sources and no other.",
    caveat="More than half of the tasks have one of these sources, but only with tasks that have a further "
    "one.",
    fails="Half of the classification tasks, or fewer, have one of these sources.",
    thresholds={"half": 'the plain meaning of "most"'},
)
def most_data_from_trackers_and_forums(paper: Material) -> Finding:
    """Check the sources of tasks that Table II shows."""
    sources = _sources(paper)
    tasks = [task for task, text in published_column(paper, "table1", "Type").items() if text in CLASSIFICATION]
    some = [task for task in tasks if sources.get(task, set()) & {TRACKERS, FORUMS}]
    only = [task for task in some if sources[task] <= {TRACKERS, FORUMS}]
    mixed = wording(f"Only {len(only)} of them have no further source.")
    return finding(
        2 * len(some) > len(tasks),
        f"Table II puts {len(some)} of the {len(tasks)} classification tasks under issue tracking systems or "
        f"developer forums, {len(only)} of them under nothing else.",
        caveat=mixed if 2 * len(only) <= len(tasks) else None,
        from_them=some,
        from_nothing_else=only,
        others=[task for task in tasks if task not in some],
    )


@claim(
    "C018",
    "VII-C",
    "The data of seven tasks come from developer forums and mailing lists.",
    weight="detail",
    quote="7 task datasets derive from developer forums (e.g., Stack Overflow) and mailing lists (e.g., "
    "Linux Kernel)",
    holds="Table II lists seven tasks under either source, whether or not under another one too.",
    fails="Table II lists another number of tasks under either source.",
    thresholds={"seven": "section VII-C"},
)
def seven_tasks_from_forums_and_lists(paper: Material) -> Finding:
    """Check the sources of tasks that Table II shows."""
    sources = _sources(paper)
    found = [task for task, names in sources.items() if names & {FORUMS, MAILING}]
    shared = [task for task in found if not sources[task] <= {FORUMS, MAILING}]
    return finding(
        len(found) == 7,
        f"Table II has {len(found)} such tasks ({listed(found)}), {len(shared)} of them with a further source.",
        tasks={task: sorted(sources[task]) for task in found},
        with_further_source=shared,
    )


@claim(
    "C019",
    "VII-A",
    'The data sets sum up "million instances".',
    weight="detail",
    quote="existing datasets of different sizes, summing up million instances",
    holds="The sentence names a number of millions, and Table I's instances sum to it at its digits.",
    caveat='No number is before "million": only the order of magnitude can be checked, at least one and '
    "less than ten million instances.",
    fails="The sum is another than the named number, or, where none is named, of another order of magnitude.",
    thresholds={"one and ten million": "the order of magnitude that the word gives"},
)
def millions_of_instances(paper: Material) -> Finding:
    """Compare the number in the text (text.csv) with the sum of Table I."""
    million = 1e6
    instances = {
        task: paper.number("table1", task, "Instances")
        for task in published_column(paper, "table1", "Instances")
    }
    total = sum(instances.values())
    top = max(instances, key=lambda task: instances[task])
    text = paper.published("text", "VII-A", "Instances of all data sets")
    number = text.removesuffix("million").strip()
    return finding(
        agrees(total / million, number) if number else million <= total < 10 * million,
        f"Table I's instances sum to {total:,.0f}; {top} alone makes up {percent(instances[top] / total)}.",
        caveat=None
        if number
        else wording('The sentence has a gap before "million", where the number should be.'),
        total=total,
        instances=instances,
        without_largest=total - instances[top],
    )


@claim(
    "C126",
    "IV-B",
    "Verbs make up some 9 % of the tokens of requirement_completion.",
    weight="detail",
    quote="POS verbs only represent about 9% of the tokens",
    holds="The shares of verbs in the training and in the test part, as the authors' notebook has them, both "
    "lie within 1 point of 9 %.",
    fails="One of the two shares is further away.",
    thresholds={"1 point": 'our choice: "about" one unit of the last published digit'},
)
def verbs_are_few(paper: Material) -> Finding:
    """Compare verb_share.csv: rows are the two parts, tagged by spaCy's en_core_web_trf, column percent."""
    stated, within = 9.0, 1.0
    shares = {part: paper.number("verb_share", part, "percent") for part in ("train", "test")}
    for part, share in shares.items():
        if not 0 <= share <= 100:
            raise SeluError(f"verb_share.csv, row {part!r}: {share:g} % is not a share; correct it.")
    return finding(
        all(abs(share - stated) <= within for share in shares.values()),
        f"Verbs are {shares['train']:g} % of the tokens for training and {shares['test']:g} % of "
        f"those for test.",
        percent=shares,
        stated=stated,
    )
