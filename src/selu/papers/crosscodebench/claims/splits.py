"""The ten splits: their counts and what they evaluate (section III-C, Table IV)."""

from __future__ import annotations

from selu.boards.rounding import linear
from selu.papers.claims import claim, finding, listed
from selu.papers.crosscodebench.claims._known import DETAIL, IMPLIED, METHOD, besides, portion
from selu.papers.crosscodebench.material import PAIRS, TYPES, Material
from selu.vocabulary import Finding

QUESTION = "Are the splits those that the paper describes?"
PARTS = ("Training", "Evaluation")
MISPRINT, COUNTED = "Cat-Intra-CD", "Evaluation instances"  # the cell that X19 judges, and X20 does not again


def type_of(paper: Material, split: str) -> str:
    """Name the whole type that a split's evaluation tasks are of."""
    return paper.evaluated(split).partition(":")[0]


def tasks(paper: Material, split: str) -> list[int]:
    """Read the numbers of training and evaluation tasks."""
    return [paper.count("table4", split, f"{part} tasks") for part in PARTS]


def total(paper: Material, split: str) -> tuple[int, int]:
    """Find how many tasks and instances a split has to divide: all, or those of the type."""
    of_all = "Total" if paper.is_inter(split) else type_of(paper, split)
    return paper.of_type(of_all, "Tasks"), paper.of_type(of_all, "Instances")


@claim(
    "X16",
    "III-C",
    "There are 10 splits: 4 across categories, 4 across sub-types and 2 across types.",
    holds="Table IV has as many of each.",
    fails="Table IV has another number of one kind.",
    weight=METHOD,
    quote="By now, we create 10 training/evaluation splits of different difficulty levels",
)
def ten_splits(paper: Material) -> Finding:
    """Count the rows of Table IV by level."""
    levels = [paper.published("table4", split, "Level") for split in paper.splits]
    names = ("Cross-Category", "Cross-Sub-Type", "Cross-Type")
    found = [len(levels), *(levels.count(name) for name in names)]
    stated = [
        paper.count("text", "3", what)
        for what in ("Splits", *(f"{name.capitalize()} splits" for name in names))
    ]
    because = (
        f"Table IV has {found[0]} splits, {', '.join(map(str, found[1:]))} by level; the text says "
        f"{stated[0]}, {', '.join(map(str, stated[1:]))}."
    )
    return finding(found == stated, because, table=found, text=stated)


@claim(
    "X17",
    "Table IV",
    "Inter splits train on all other tasks.",
    holds="Training and evaluation tasks of every Inter split add up to all tasks.",
    fails="Those of one split add up to another number.",
    weight=METHOD,
    quote="the training set includes all other tasks (Inter-Type)",
)
def inter_splits(paper: Material) -> Finding:
    """Add up the tasks of each Inter split."""
    return _adding_up(paper, [split for split in paper.splits if paper.is_inter(split)])


@claim(
    "X18",
    "Table IV",
    "Intra splits train on all other tasks of the same type.",
    holds="Training and evaluation tasks of every Intra split add up to the tasks of the type.",
    fails="Those of one split add up to another number.",
    weight=METHOD,
    quote="the training set includes only tasks of the same task type as the evaluation task",
)
def intra_splits(paper: Material) -> Finding:
    """Add up the tasks of each Intra split."""
    return _adding_up(paper, [split for split in paper.splits if not paper.is_inter(split)])


def _adding_up(paper: Material, splits: list[str]) -> Finding:
    wrong = [split for split in splits if sum(tasks(paper, split)) != total(paper, split)[0]]
    because = f"{portion(len(splits) - len(wrong), len(splits))} splits add up{besides(wrong)}."
    return finding(not wrong, because, splits=splits, wrong=wrong)


@claim(
    "X19",
    "Table IV",
    "Cat-Intra-CD and Cat-Inter-CD evaluate the same task, with the same instances.",
    holds="Table IV prints the same number for both.",
    fails="It prints two numbers.",
    weight=DETAIL,
    kind=IMPLIED,
)
def clone_detection_instances(paper: Material) -> Finding:
    """Compare the two cells."""
    splits = (MISPRINT, PAIRS[MISPRINT])
    found = [paper.published("table4", split, COUNTED) for split in splits]
    rest = paper.of_type("Classification", "Instances") - float(
        paper.amount("table4", splits[0], "Training instances").low
    )
    because = (
        f"Table IV has {found[0]} for Intra and {found[1]} for Inter; Classification without the training "
        f"tasks leaves at most {rest / 1e6:.2f} million."
    )
    if found[0] != found[1]:
        because += " X20 does not count this again."
    return finding(found[0] == found[1], because, intra=found[0], inter=found[1])


@claim(
    "X20",
    "Table IV",
    "Training and evaluation instances add up to the instances of Table III.",
    holds="In every split they do, within the rounding of the two numbers; Cat-Intra-CD has the evaluation "
    "instances of Cat-Inter-CD.",
    fails="In one split they don't.",
    weight=DETAIL,
    kind=IMPLIED,
)
def instances_add_up(paper: Material) -> Finding:
    """Add up the ranges that the two rounded numbers allow."""
    wrong = []
    for split in paper.splits:
        parts = [paper.amount("table4", split, "Training instances"), paper.amount(*_evaluation(split))]
        if not linear((1, part) for part in parts).reaches(total(paper, split)[1]):
            wrong.append(split)
    published, read = (
        paper.published(*place) for place in (("table4", MISPRINT, COUNTED), _evaluation(MISPRINT))
    )
    because = f"{portion(len(paper.splits) - len(wrong), len(paper.splits))} splits add up{besides(wrong)}."
    if published != read:
        because += f" The {published} of {MISPRINT} is read as {read}; X19 counts it."
    return finding(not wrong, because, wrong=wrong)


def _evaluation(split: str) -> tuple[str, str, str]:
    """Name the cell that has a split's evaluation instances; that of X19's misprint is the one beside it."""
    return "table4", PAIRS[split] if split == MISPRINT else split, COUNTED


@claim(
    "X21",
    "Table IV",
    "The evaluation instances of the sub-type and type splits are those of Table III.",
    holds="Table III has the number for each of these splits.",
    fails="It has another number for one of them.",
    weight=DETAIL,
    kind=IMPLIED,
)
def evaluation_instances(paper: Material) -> Finding:
    """Compare with the rows of Table III."""
    splits = [split for split in paper.splits if not split.startswith("Cat")]
    wrong = [
        split
        for split in splits
        if not paper.amount("table4", split, "Evaluation instances").reaches(
            paper.of_type(paper.evaluated(split), "Instances")
        )
    ]
    because = f"{portion(len(splits) - len(wrong), len(splits))} agree{besides(wrong)}."
    return finding(not wrong, because, wrong=wrong)


@claim(
    "X22",
    "III-C2",
    "The two sub-types evaluated are multi-label classification and rewrite generation.",
    holds="The splits across sub-types in Table IV evaluate these.",
    fails="They evaluate another sub-type.",
    weight=METHOD,
    quote="we select two sub-types for each of them, namely Multi-label Classification and Rewrite Generation",
)
def sub_type_targets(paper: Material) -> Finding:
    """Compare with the names of the splits."""
    splits = [split for split in paper.splits if paper.published("table4", split, "Level") == "Cross-Sub-Type"]
    found = sorted({paper.evaluated(split) for split in splits})
    stated = paper.published("text", "3", "Cross-sub-type targets")
    parts = {name: name.partition(": ")[2] for name in found}
    lost = [name for name, part in parts.items() if part not in stated]
    because = f"Table IV evaluates {listed(found)}; the text says {stated}."
    return finding(not lost, because, table=found, text=stated)


@claim(
    "X60",
    "III-C1",
    "The two categories evaluated are clone detection and bug fixing.",
    holds="The code lists both, and the sub-type of each has as many tasks as the split evaluates, or more.",
    fails="One of them is not listed, or has fewer tasks.",
    weight=METHOD,
    quote="i.e., clone detection [73] and a rewrite generation task, bug fixing [71] as evaluation task "
    "categories",
)
def category_targets(paper: Material) -> Finding:
    """Compare with the code's categories and with Table III."""
    names = {"CD": "Clone Detection", "BF": "Bug Fixing"}
    here = {row.rpartition(" -> ")[2] for row, _ in paper.tables["categories"]}
    stated = paper.published("text", "3", "Cross-category targets").lower()
    lost = [name for name in names.values() if name not in here or name.lower() not in stated]
    room = {
        split: (tasks(paper, split)[1], paper.of_type(paper.evaluated(split), "Tasks"))
        for split in (*PAIRS, *PAIRS.values())
        if split.startswith("Cat")
    }
    lost += [split for split, (evaluated, of_type) in room.items() if evaluated > of_type]
    because = (
        f"Of {room['Cat-Intra-BF'][1]} rewriting tasks {room['Cat-Intra-BF'][0]} are evaluated, of "
        f"{room['Cat-Intra-CD'][1]} binary ones {room['Cat-Intra-CD'][0]}{besides(lost)}."
    )
    return finding(not lost, because, tasks=room, lost=lost)


@claim(
    "X33",
    "V-A2",
    "Only Cat-Intra-CD and Sub-Intra-ML evaluate classification.",
    holds="No other split of Table IV does.",
    fails="Another one does.",
    weight=DETAIL,
    quote="only the evaluation sets of these two splits contain the classification tasks",
)
def classification_splits(paper: Material) -> Finding:
    """List the splits whose evaluation tasks are classifications."""
    found = [split for split in paper.splits if type_of(paper, split) == TYPES[0]]
    stated = paper.published("text", "5", "Shortcuts win on").split(" and ")
    others = [split for split in found if split not in stated]
    because = f"{portion(len(found), len(paper.splits))} splits do: {listed(found)}."
    return finding(not others, because, splits=found, others=others)
