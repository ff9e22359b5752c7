"""Learning methods, models and how they are scored (section IV)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, scope, unless_known, wording
from selu.benchmarks.crosscodebench.claims._known import (
    CHECK,
    DETAIL,
    IMPLIED,
    METHOD,
    STATED,
    besides,
    of,
    whole,
)
from selu.benchmarks.crosscodebench.material import (
    MODELS,
    OFF_THE_SHELF,
    PAIRS,
    SHORTCUTS,
    SUPERVISED,
    Material,
)
from selu.vocabulary import Change, Finding

QUESTION = "What is compared, and how is it scored?"


@claim(
    "X26",
    "IV-A",
    "There are seven learning methods.",
    holds="Table V has as many for its fine-tuned models.",
    fails="It has another number.",
    weight=METHOD,
    kind=STATED,
    quote="Finally, we derive 7 cross-task learning methods",
)
def learning_methods(m: Material) -> Finding:
    """Count the methods of Table V."""
    found = list(dict.fromkeys(method for model in MODELS for method in m.methods_of(model)))
    said = whole(m, "4", "Learning methods")
    because = f"Table V has {len(found)}; the text says {said}."
    return finding(len(found) == said, because, methods=found)


@claim(
    "X27",
    "IV-B",
    "There are 2 shortcuts, 2 off-the-shelf models, 3 fine-tuned models and 1 supervised model.",
    holds="Table V has as many of each.",
    caveat="The off-the-shelf ones are versions of one model.",
    fails="Table V has another number of one kind.",
    weight=METHOD,
    kind=STATED,
    quote="we end up with 2 shortcut methods, 2 off-the-shelf models, 3 fine-tuned models and 1 supervised "
    "model",
)
def models(m: Material) -> Finding:
    """Count the rows and models of Table V."""
    rows = {row for row, _ in m.tables["table5"]}
    fine_tuned = [model for model in MODELS if m.methods_of(model)]
    found = [
        len(rows & set(SHORTCUTS)),
        len(rows & set(OFF_THE_SHELF)),
        len(fine_tuned),
        len(rows & {SUPERVISED}),
    ]
    kinds = ("Shortcut methods", "Off-the-shelf models", "Fine-tuned models", "Supervised models")
    said = [whole(m, "4", what) for what in kinds]
    because = f"Table V has {', '.join(map(str, found))}; the text says {', '.join(map(str, said))}."
    one = m.printed("text", "4", "Off-the-shelf versions")
    caveat = wording(f"The off-the-shelf ones are {one} versions of Tk-Instruct.") if one != "-" else None
    return finding(found == said, because, caveat=caveat, table=found, text=said)


@claim(
    "X28",
    "IV-B",
    "The large version of each model is fine-tuned.",
    holds="The authors' configuration names large versions of all three, and no other.",
    caveat="It offers several versions of one of them, the large one among these.",
    fails="It offers no large version of one of them.",
    weight=METHOD,
    changes=(
        Change(
            "2026-11-26",
            "The repository names no large version as the one that was used: it offers all "
            "sizes, the base one by default.",
            "holds: 3 of 3 are large.",
        ),
    ),
    kind=STATED,
    quote="we use the official “large” version of all three models",
)
def versions(m: Material) -> Finding:
    """Compare with the configuration."""
    said = m.printed("text", "4", "Version of the fine-tuned models")
    found = {model: m.printed("scripts", "Fine-tuning", model) for model in MODELS}
    others = [f"{model} ({version})" for model, version in found.items() if said not in version.split(", ")]
    open_ = [model for model, version in found.items() if version != said and model not in others]
    because = f"{of(len(found) - len(others), len(found))} can be {said} by the configuration{besides(others)}."
    caveat = scope(f"It offers other versions, too, and which were used is not on record: {listed(open_)}.")
    return finding(not others, because, caveat=caveat if open_ else None, versions=found)


@claim(
    "X29",
    "IV-D",
    "A split is scored on 500 instances of each task, as the mean of three runs.",
    holds="Each exact match on the one task of clone detection is a share of three times 500 instances.",
    fails="Some are no such share, whether rounded or cut off.",
    weight=METHOD,
    kind=STATED,
    quote="we select a fixed number of 500 evaluation instances from each task",
)
def attainable_scores(m: Material) -> Finding:
    """Look for a whole number of right answers behind each exact match on clone detection."""
    size = m.count("text", "4", "Evaluation instances of a task") * whole(m, "4", "Runs")
    columns = [column for column in m.columns if column.split in ("Cat-Intra-CD", "Cat-Inter-CD")]
    rows = [*SHORTCUTS, *OFF_THE_SHELF, *m.fine_tuned, SUPERVISED]
    scores = {m.printed("table5", row, column.name) for row in rows for column in columns}
    lost = sorted((text for text in scores if not _is_share(text, size)), key=float)
    because = (
        f"{of(len(scores) - len(lost), len(scores))} different scores are shares of {size:,} answers"
        f"{'; not so: ' + listed(lost[:5]) if lost else ''}{' and others' if len(lost) > 5 else ''}."
    )
    return finding(not lost, because, size=size, lost=lost)


def _is_share(text: str, size: int) -> bool:
    """Tell whether a percentage is printed so for some number of right answers, rounded or cut off."""
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
def same_in_both(m: Material) -> Finding:
    """Compare the cells of both halves."""
    rows = (*SHORTCUTS, *OFF_THE_SHELF, SUPERVISED)
    pairs = [
        (column, column._replace(split=PAIRS[column.split])) for column in m.columns if column.split in PAIRS
    ]
    lost = [
        f"{row}, {intra.name}"
        for row in rows
        for intra, inter in pairs
        if m.printed("table5", row, intra.name) != m.printed("table5", row, inter.name)
    ]
    total = len(rows) * len(pairs)
    return finding(not lost, f"{of(total - len(lost), total)} pairs are equal{besides(lost)}.", lost=lost)


@claim(
    "X57",
    "Table V",
    "Supervised CodeT5 is an upper limit of clone detection, with an exact match of 78.49.",
    holds="Published results of supervised models on BigCloneBench are not higher.",
    fails="They are higher.",
    weight=DETAIL,
    kind=CHECK,
)
def supervised_clone_detection(m: Material) -> Finding:
    """Compare with published results, once they are here."""
    own = m.number("table5", SUPERVISED, "Cat-Intra-CD: EM")
    missing = f"Table V has {own:.2f}; what others publish on BigCloneBench is not here"
    if open_ := unless_known(m, "bigclonebench", missing):
        return open_
    others = {row: m.number("bigclonebench", row, "Accuracy") for row, _ in m.tables["bigclonebench"]}
    above = [name for name, accuracy in others.items() if accuracy > own]
    because = f"{of(len(above), len(others))} published results are above {own:.2f}: {listed(above)}."
    return finding(not above, because, own=own, others=others)
