"""Learning methods, models and how they are scored (section IV)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, scope, unless_known, wording
from selu.papers.crosscodebench.claims._known import CHECK, DETAIL, IMPLIED, METHOD, besides, portion
from selu.papers.crosscodebench.material import (
    MIXED,
    MODELS,
    OFF_THE_SHELF,
    PAIRS,
    POSITIVE,
    SHORTCUTS,
    SUPERVISED,
    Column,
    Material,
)
from selu.papers.published import ABSENT
from selu.vocabulary import Finding

QUESTION = "What is compared, and how is it scored?"


@claim(
    "X26",
    "IV-A",
    "There are seven learning methods.",
    holds="Table V has as many for its fine-tuned models.",
    fails="It has another number.",
    weight=METHOD,
    quote="Finally, we derive 7 cross-task learning methods",
)
def learning_methods(paper: Material) -> Finding:
    """Count the methods of Table V."""
    found = list(dict.fromkeys(method for model in MODELS for method in paper.methods_of(model)))
    stated = paper.count("text", "4", "Learning methods")
    because = f"Table V has {len(found)}; the text says {stated}."
    return finding(len(found) == stated, because, methods=found)


@claim(
    "X27",
    "IV-B",
    "There are 2 shortcuts, 2 off-the-shelf models, 3 fine-tuned models and 1 supervised model.",
    holds="Table V has as many of each.",
    caveat="The off-the-shelf ones are versions of one model.",
    fails="Table V has another number of one kind.",
    weight=METHOD,
    quote="we end up with 2 shortcut methods, 2 off-the-shelf models, 3 fine-tuned models and 1 supervised "
    "model",
)
def models(paper: Material) -> Finding:
    """Count the rows and models of Table V."""
    rows = {row for row, _ in paper.tables["table5"]}
    fine_tuned = [model for model in MODELS if paper.rows_of(model)]
    shortcuts, off_the_shelf, supervised = (
        len(rows & set(names)) for names in (SHORTCUTS, OFF_THE_SHELF, (SUPERVISED,))
    )
    found = [shortcuts, off_the_shelf, len(fine_tuned), supervised]
    kinds = ("Shortcut methods", "Off-the-shelf models", "Fine-tuned models", "Supervised models")
    stated = [paper.count("text", "4", what) for what in kinds]
    because = f"Table V has {', '.join(map(str, found))}; the text says {', '.join(map(str, stated))}."
    version_count = paper.published("text", "4", "Off-the-shelf versions")
    caveat = wording(f"The off-the-shelf ones are {version_count} versions of Tk-Instruct.")
    some = caveat if version_count != ABSENT else None
    return finding(found == stated, because, caveat=some, table=found, text=stated)


@claim(
    "X28",
    "IV-B",
    "The large version of each model is fine-tuned.",
    holds="The authors' configuration names large versions of all three, and no other.",
    caveat="It offers several versions of one of them, the large one among these.",
    fails="It offers no large version of one of them.",
    weight=METHOD,
    quote="we use the official “large” version of all three models",
)
def versions(paper: Material) -> Finding:
    """Compare with the configuration."""
    stated = paper.published("text", "4", "Version of the fine-tuned models")
    found = {model: paper.published("scripts", "Fine-tuning", model) for model in MODELS}
    others = [f"{model} ({version})" for model, version in found.items() if stated not in version.split(", ")]
    undetermined = [model for model, version in found.items() if version != stated and model not in others]
    because = (
        f"{portion(len(found) - len(others), len(found))} can be {stated} by the "
        f"configuration{besides(others)}."
    )
    caveat = scope(
        f"It offers other versions, too, and which were used is not on record: {listed(undetermined)}."
    )
    return finding(not others, because, caveat=caveat if undetermined else None, versions=found)


@claim(
    "X29",
    "IV-D",
    "A split is scored on 500 instances of each task, as the mean of three runs.",
    holds="Each exact match on the one task of clone detection is a share of three times 500 instances.",
    fails="Some are no such share, whether rounded or cut off.",
    weight=METHOD,
    quote="we select a fixed number of 500 evaluation instances from each task",
)
def attainable_scores(paper: Material) -> Finding:
    """Look for a whole number of right answers behind each exact match on clone detection."""
    size = paper.count("text", "4", "Evaluation instances of a task") * paper.count("text", "4", "Runs")
    columns = [column for column in paper.columns if column.split in ("Cat-Intra-CD", "Cat-Inter-CD")]
    rows = [*SHORTCUTS, *OFF_THE_SHELF, *paper.fine_tuned, SUPERVISED]
    scores = {paper.published("table5", row, column.name) for row in rows for column in columns}
    lost = sorted((text for text in scores if not _is_share(text, size)), key=float)
    because = (
        f"{portion(len(scores) - len(lost), len(scores))} different scores are shares of {size:,} answers"
        f"{'; not so: ' + listed(lost[:5]) if lost else ''}{' and others' if len(lost) > 5 else ''}."
    )
    return finding(not lost, because, size=size, lost=lost)


def _is_share(text: str, size: int) -> bool:
    """Return whether a percentage is published so for some number of correct answers, rounded or cut off."""
    step = 10 ** -len(text.partition(".")[2])
    near = round(float(text) * size / 100)
    return any(
        -step / 2 - 1e-9 <= 100 * k / size - float(text) < step - 1e-9 for k in (near - 1, near, near + 1)
    )


@claim(
    "X56",
    "Table V",
    "What does not learn from the training tasks scores the same in Intra and Inter splits.",
    holds="Shortcuts, off-the-shelf models and the supervised model have equal scores in both.",
    fails="One score differs.",
    weight=DETAIL,
    kind=IMPLIED,
)
def same_in_both(paper: Material) -> Finding:
    """Compare the cells of both halves."""
    rows = (*SHORTCUTS, *OFF_THE_SHELF, SUPERVISED)
    equal = {
        f"{row}, {column.name}": paper.published("table5", row, column.name)
        == paper.published("table5", row, Column(PAIRS[column.split], column.metric).name)
        for row in rows
        for column in paper.columns
        if column.split in PAIRS
    }
    lost = [place for place, is_equal in equal.items() if not is_equal]
    because = f"{portion(len(equal) - len(lost), len(equal))} pairs are equal{besides(lost)}."
    return finding(not lost, because, lost=lost)


@claim(
    "X57",
    "Table V",
    "Supervised CodeT5 is an upper limit of clone detection, with an exact match of 78.49.",
    holds="Published results of supervised models on BigCloneBench are not higher.",
    fails="They are higher.",
    weight=DETAIL,
    kind=CHECK,
)
def supervised_clone_detection(paper: Material) -> Finding:
    """Compare with published results, once they are here."""
    own = paper.number("table5", SUPERVISED, "Cat-Intra-CD: EM")
    missing = f"Table V has {own:.2f}; what others publish on BigCloneBench is not here"
    if not_checkable := unless_known(paper, "bigclonebench", missing):
        return not_checkable
    others = {row: paper.number("bigclonebench", row, "Accuracy") for row, _ in paper.tables["bigclonebench"]}
    above = [name for name, accuracy in others.items() if accuracy > own]
    because = f"{portion(len(above), len(others))} published results are above {own:.2f}: {listed(above)}."
    return finding(not above, because, own=own, others=others)


@claim(
    "X63",
    "IV-B2",
    "Off the shelf, Tk-Instruct is used in two 3B versions: def-pos and def-pos-neg.",
    holds="The authors' configuration offers both versions.",
    caveat="It offers one of the two.",
    fails="It offers neither.",
    weight=METHOD,
    quote="we use the “Tk-Instruct-3b-def-pos” and “Tk-Instruct-3b-def-pos-neg” versions of the model",
)
def off_the_shelf_versions(paper: Material) -> Finding:
    """Compare with the configuration, which lists all models that the code accepts."""
    stated = [paper.published("text", "4", f"Off-the-shelf version, {method}") for method in (POSITIVE, MIXED)]
    offered = paper.published("scripts", "Off-the-shelf", "Tk-Instruct, 3B").split(", ")
    lost = [version for version in stated if version.lower() not in offered]
    because = (
        f"{portion(len(stated) - len(lost), len(stated))} versions are offered; at 3B the configuration of "
        f"{paper.published('scripts', 'All', 'Code of')} has: {listed(offered)}."
    )
    caveat = scope(f"It does not offer {listed(lost)}.") if lost else None
    return finding(len(lost) < len(stated), because, caveat=caveat, text=stated, offered=offered)


@claim(
    "X64",
    "IV-D",
    "Fine-tuning takes 3 epochs, with a learning rate of 5e-5 for CodeT5 and PLBART and 1e-5 for Tk-Instruct.",
    holds="The settings on record of the published runs are these.",
    fails="One of them is another.",
    weight=METHOD,
    quote="a total fine-tuning epochs of 3 ... an initial learning rate of 5e-5 for CodeT5 and PLBART, and "
    "1e-5 for Tk-Instruct",
)
def training_settings(paper: Material) -> Finding:
    """Compare with the settings of the runs, once they are here."""
    epochs, rate = (
        [paper.published("scripts", "Fine-tuning", f"{what}, {of_what}") for of_what in ("default", "command")]
        for what in ("Epochs", "Learning rate")
    )
    missing = (
        f"The code of {paper.published('scripts', 'All', 'Code of')} takes both as arguments: by default "
        f"{epochs[0]} "
        f"epochs and {rate[0]}, in its one command that sets them, for CodeT5, {epochs[1]} and {rate[1]}. With "
        "which the published runs were made is not on record"
    )
    if not_checkable := unless_known(paper, "runs", missing):
        return not_checkable
    stated = {
        (model, what): paper.number("text", "4", name)
        for model in MODELS
        for what, name in (("Epochs", "Epochs"), ("Learning rate", f"Learning rate: {model}"))
    }
    lost = [
        f"{what} of {model}"
        for (model, what), text in stated.items()
        if paper.number("runs", model, what) != text
    ]
    return finding(
        not lost, f"{portion(len(stated) - len(lost), len(stated))} settings agree{besides(lost)}.", lost=lost
    )
