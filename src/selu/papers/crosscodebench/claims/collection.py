"""The contents of the collection: tasks, types, categories, data sets (sections I to III, Tables I to III)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, unless_known, wording
from selu.papers.crosscodebench.claims._known import CHECK, CONCLUSION, DETAIL, IMPLIED, besides, portion
from selu.papers.crosscodebench.material import SUB_TYPES, TYPES, Material
from selu.vocabulary import Finding

QUESTION = "What does the collection hold?"
OTHERS = ("CodeXGLUE", "CodeTrans", "XLCoST", "CodeNet")


@claim(
    "X01",
    "Abstract, I, Table III",
    "The benchmark has 216 tasks in 28 categories and 7 types.",
    holds="The rows of Table III add up to the tasks and categories that the text states, over as many types.",
    fails="One of the three numbers is another.",
    weight=CONCLUSION,
    quote="end up with 216 tasks across 28 categories, 7 types and 18 programming languages",
    if_it_fails="The benchmark would have another number of tasks, categories or types than its abstract says.",
)
def tasks_categories_types(paper: Material) -> Finding:
    """Add up Table III."""
    sums = [sum(paper.of_type(name, column) for name in TYPES) for column in ("Tasks", "Categories")]
    stated = [paper.count("text", "1", what) for what in ("Tasks", "Categories", "Types")]
    found = [*sums, len(TYPES)]
    because = (
        f"Table III adds up to {found[0]} tasks and {found[1]} categories in {found[2]} types; the text says "
        f"{stated[0]}, {stated[1]} and {stated[2]}."
    )
    return finding(found == stated, because, table=found, text=stated)


@claim(
    "X02",
    "I, III-A",
    "The collection covers 18 programming languages and 66 data sets.",
    holds="The files of the tasks name as many languages and sources.",
    fails="They name other numbers.",
    weight=DETAIL,
    quote="we end up collecting a total of 66 code-related datasets",
)
def languages_and_data_sets(paper: Material) -> Finding:
    """Compare with the files of the tasks, once they are here."""
    columns = ("Programming languages", "Data sets")
    stated = [paper.count("text", "1", columns[0]), paper.count("text", "3", columns[1])]
    missing = (
        f"The text says {stated[0]} languages and {stated[1]} data sets. Each task's file names its own; the "
        f"{paper.count('text', '1', 'Tasks')} files are in the published archive, which is not here"
    )
    if not_checkable := unless_known(paper, "task_files", missing):
        return not_checkable
    found = [paper.count("task_files", "all", column) for column in columns]
    because = (
        f"The files name {found[0]} languages and {found[1]} data sets; the text says {stated[0]} and "
        f"{stated[1]}."
    )
    return finding(found == stated, because, files=found, text=stated)


@claim(
    "X03",
    "Table I",
    "Counted with sub-types there are 10 types.",
    holds="Table III has as many rows without sub-types of their own as Table I says.",
    fails="It has another number of them.",
    weight=DETAIL,
    kind=IMPLIED,
)
def types_with_sub_types(paper: Material) -> Finding:
    """Count the leaves of Table III."""
    rows = {row for row, _ in paper.tables["table3"]} - {"Total"}
    leaves = sorted(row for row in rows if row not in SUB_TYPES)
    stated = paper.published("table1", "CrossCodeBench", "Types")
    found = f"{sum(row in TYPES for row in rows)}/{len(leaves)}"
    return finding(
        found == stated, f"Table III gives {found}; Table I says {stated}.", table3=found, table1=stated
    )


@claim(
    "X04",
    "Table III",
    "The instances of the seven types add up to 54,007,015.",
    holds="The sum is the published total.",
    fails="It is another number.",
    weight=DETAIL,
    kind=IMPLIED,
)
def instances(paper: Material) -> Finding:
    """Add up the instances of Table III."""
    found, total = sum(paper.of_type(name, "Instances") for name in TYPES), paper.of_type("Total", "Instances")
    return finding(found == total, f"The sum is {found:,}; Table III says {total:,}.", found=found, said=total)


@claim(
    "X05",
    "Table III",
    "Sub-types add up to their type.",
    holds="Tasks, categories and instances of both divided types do.",
    fails="One of the six sums is another number.",
    weight=DETAIL,
    kind=IMPLIED,
)
def sub_types(paper: Material) -> Finding:
    """Add up the sub-types of Classification and Generation."""
    wrong = [
        f"{column} of {name}"
        for name, parts in SUB_TYPES.items()
        for column in ("Tasks", "Categories", "Instances")
        if sum(paper.of_type(f"{name}: {part}", column) for part in parts) != paper.of_type(name, column)
    ]
    return finding(not wrong, f"{portion(6 - len(wrong), 6)} sums agree{besides(wrong)}.", wrong=wrong)


@claim(
    "X06",
    "Table III, public code",
    "The categories of each type are those of the authors' code.",
    holds="The code lists as many categories for every type and sub-type as Table III.",
    fails="It lists another number for one of them.",
    weight=DETAIL,
    kind=CHECK,
)
def categories_of_code(paper: Material) -> Finding:
    """Count the categories of each type in the code."""
    types = [paper.published("categories", row, column) for row, column in paper.tables["categories"]]
    leaves = {row for row, _ in paper.tables["table3"]} - {"Total", *SUB_TYPES}
    found = {leaf: sum(name.lower() == leaf.lower() for name in types) for leaf in sorted(leaves)}
    wrong = [
        f"{leaf} ({number} in the code, {paper.of_type(leaf, 'Categories')} published)"
        for leaf, number in found.items()
        if number != paper.of_type(leaf, "Categories")
    ]
    because = (
        f"{portion(len(found) - len(wrong), len(found))} agree{besides(wrong)}. The code lists "
        f"{len(types)} "
        f"categories, Table III {paper.of_type('Total', 'Categories')}."
    )
    return finding(not wrong, because, code=found, wrong=wrong)


@claim(
    "X07",
    "Table II",
    "A task has 250,032.48 instances on average.",
    holds="The total of Table III divided by its tasks is the published mean.",
    fails="Another mean is published.",
    weight=DETAIL,
    quote="# of instances per task 250032.48",
)
def instances_of_a_task(paper: Material) -> Finding:
    """Divide the total by the number of tasks."""
    found = paper.of_type("Total", "Instances") / paper.of_type("Total", "Tasks")
    stated = paper.published("table2", "instances per task", "Average")
    return finding(f"{found:.2f}" == stated, f"The mean is {found:.2f}; Table II says {stated}.", mean=found)


@claim(
    "X09",
    "II-C, Table I",
    "CodeXGLUE has 14 data sets for 10 tasks.",
    holds="CodeXGLUE's own paper and Table I count as many data sets and tasks.",
    caveat="CodeXGLUE's own paper does, and Table I counts others.",
    fails="CodeXGLUE's own paper counts others.",
    weight=DETAIL,
    quote="CodeXGLUE [60], a benchmark which includes 14 datasets for 10 diversified code-related tasks",
)
def codexglue(paper: Material) -> Finding:
    """Compare the text with Table I."""
    found = [paper.count("table1", "CodeXGLUE", column) for column in ("Data sets", "Tasks")]
    stated = [paper.count("text", "2", f"CodeXGLUE: {what}") for what in ("data sets", "tasks")]
    own = [paper.count("others", "CodeXGLUE's own paper", column) for column in ("Data sets", "Tasks")]
    because = (
        f"The text says {stated[0]} data sets and {stated[1]} tasks, CodeXGLUE's own paper {own[0]} and "
        f"{own[1]}."
    )
    caveat = wording(f"Table I has {found[0]} and {found[1]}: it counts a task for each data set and language.")
    return finding(
        own == stated, because, caveat=None if found == stated else caveat, text=stated, table1=found, own=own
    )


@claim(
    "X10",
    "II-C, Table I",
    "XLCoST supports 10 tasks and CodeTrans 6.",
    holds="Their own papers and Table I count as many.",
    caveat="Their own papers do, and Table I counts others.",
    fails="One of their own papers counts another number.",
    weight=DETAIL,
    quote="allow XLCoST to support 10 cross-lingual code-related tasks",
)
def tasks_of_others(paper: Material) -> Finding:
    """Compare the text with Table I."""
    names = ("XLCoST", "CodeTrans")
    found = [paper.count("table1", name, "Tasks") for name in names]
    stated = [paper.count("text", "2", f"{name}: tasks") for name in names]
    own = [paper.count("others", f"{name}'s own paper", "Tasks") for name in names]
    because = f"The text says {stated[0]} and {stated[1]} tasks, their own papers {own[0]} and {own[1]}."
    caveat = wording(f"Table I has {found[0]} and {found[1]}.")
    return finding(
        own == stated, because, caveat=None if found == stated else caveat, text=stated, table1=found, own=own
    )


@claim(
    "X11",
    "II-C, Table I",
    "CrossCodeBench is larger and more diverse than the four other benchmarks.",
    holds="It has the most tasks, categories, data sets and instances of Table I.",
    caveat="Another benchmark has more programming languages.",
    fails="Another benchmark has more of one of these.",
    weight=CONCLUSION,
    quote="our work provides a larger scale and more diverse code-related tasks",
    if_it_fails="Another benchmark would be larger in some count, and size alone would be no reason to prefer "
    "this one.",
)
def larger_and_more_diverse(paper: Material) -> Finding:
    """Compare the columns of Table I."""

    def most(column: str) -> str:
        values = {name: paper.number("table1", name, column) for name in ("CrossCodeBench", *OTHERS)}
        return max((name for name in values if values[name] == values[name]), key=lambda name: values[name])

    first = {column: most(column) for column in ("Tasks", "Categories", "Data sets")}
    sizes = {name: paper.amount("table1", name, "Instances").low for name in ("CrossCodeBench", *OTHERS)}
    first["Instances"] = max(sizes, key=lambda name: sizes[name])
    lost = [f"{column} ({name})" for column, name in first.items() if name != "CrossCodeBench"]
    because = f"It is first in {len(first) - len(lost)} of {len(first)} columns{besides(lost)}."
    languages = most("Programming languages")
    caveat = (
        exceptions(f"{languages} has more programming languages.") if languages != "CrossCodeBench" else None
    )
    return finding(not lost, because, caveat=caveat, first=first, languages=languages)


@claim(
    "X23",
    "III-C",
    "Question Answering is the type with the fewest tasks.",
    holds="No type of Table III has fewer tasks.",
    caveat="Another type has as few.",
    fails="Another type has fewer.",
    weight=DETAIL,
    quote="we choose a type that contains the fewest tasks, i.e., Question Answering",
)
def fewest_tasks(paper: Material) -> Finding:
    """Compare the numbers of tasks of the types."""
    tasks = {name: paper.of_type(name, "Tasks") for name in TYPES}
    own = tasks[paper.published("text", "3", "Type with the fewest tasks")]
    fewer = [name for name in TYPES if tasks[name] < own]
    ties = [name for name in TYPES if tasks[name] == own and name != "Question Answering"]
    because = f"It has {own} tasks; fewer have: {listed(fewer)}."
    caveat = exceptions(f"{listed(ties)} has {own}, too.") if ties else None
    return finding(not fewer, because, caveat=caveat, tasks=tasks)


@claim(
    "X58",
    "Table III",
    "Question Answering has 189,863 instances in two tasks.",
    holds="The Java and Python pairs that CodeQA publishes add up to it.",
    fails="They add up to another number.",
    weight=DETAIL,
    kind=IMPLIED,
)
def question_answering(paper: Material) -> Finding:
    """Add up the published pairs of CodeQA."""
    pairs = [paper.count("codeqa", language, "Pairs") for language in ("Java", "Python")]
    stated = paper.of_type("Question Answering", "Instances")
    because = f"{pairs[0]:,} and {pairs[1]:,} pairs are {sum(pairs):,}; Table III says {stated:,}."
    return finding(sum(pairs) == stated, because, pairs=pairs, said=stated)
