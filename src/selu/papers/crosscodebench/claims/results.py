"""Table V on models and methods (section V-A, V-E)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, scope
from selu.papers.crosscodebench.claims._known import CONCLUSION, DETAIL, named, portion
from selu.papers.crosscodebench.material import OFF_THE_SHELF, PAIRS, SHORTCUTS, SUPERVISED, Column, Material
from selu.vocabulary import Finding

QUESTION = "Which models generalise to an unseen task?"
LANGUAGE = ("C2T", "QA")  # ends of the splits whose output is natural language


def apart(paper: Material, better: float, worse: float) -> bool:
    """Return whether two scores differ by more than the width that the paper counts as close."""
    return better > worse * (1 + paper.number("text", "5", "Underlined within, percent") / 100)


@claim(
    "X31",
    "V-A1",
    "The supervised model is far above everything else.",
    holds="In every column it is above the best other row by more than the 5% that the paper counts as close.",
    fails="In one column it is not.",
    thresholds={"5%": "the width of the paper's underlines in Table V"},
    weight=CONCLUSION,
    quote="supervised fine-tuned CodeT5 following the classical “pre-train then fine-tune” paradigm has very "
    "significant advantages over any other methods",
    if_it_fails="On some split, learning across tasks would be nearly as good as training on the task itself, "
    "with little left to improve.",
)
def supervised_ahead(paper: Material) -> Finding:
    """Compare it with the best other row of each column."""
    others = [*SHORTCUTS, *OFF_THE_SHELF, *paper.fine_tuned]
    ratios = {
        column: paper.score(SUPERVISED, column) / paper.best(others, column)[0] for column in paper.columns
    }
    close = [
        column
        for column in paper.columns
        if not apart(paper, paper.score(SUPERVISED, column), paper.best(others, column)[0])
    ]
    least = min(ratios, key=lambda column: ratios[column])
    because = (
        f"It is clearly ahead in {len(ratios) - len(close)} of {len(ratios)} columns; the smallest lead is "
        f"{100 * (ratios[least] - 1):.1f} % in {named([least])}."
    )
    return finding(not close, because, close=[column.name for column in close])


@claim(
    "X32",
    "V-A2",
    "The best fine-tuned model beats the shortcuts everywhere but in Cat-Intra-CD and Sub-Intra-ML.",
    holds="It has the higher score in all columns of the other splits, and the lower in these two.",
    fails="One column is otherwise.",
    weight=CONCLUSION,
    quote="the best fine-tuned model outperforms shortcut methods on all metrics for all splits except "
    "Cat-Intra-CD and Sub-Intra-ML",
    if_it_fails="On another split too, copying an example or the input would do as well as learning across "
    "tasks, or the two exceptions would be none.",
)
def above_shortcuts(paper: Material) -> Finding:
    """Compare the two best rows of each column."""
    stated = paper.published("text", "5", "Shortcuts win on").split(" and ")
    lost = [
        column
        for column in paper.columns
        if paper.best(SHORTCUTS, column)[0] >= paper.best(paper.fine_tuned, column)[0]
    ]
    wrong = [column for column in paper.columns if (column in lost) != (column.split in stated)]
    because = (
        f"A shortcut is ahead in {named(lost)}; {portion(len(paper.columns) - len(wrong), len(paper.columns))} "
        "columns are as stated."
    )
    return finding(not wrong, because, shortcuts=[column.name for column in lost])


@claim(
    "X34",
    "V-A2",
    "More training data of other types help within a type.",
    holds="The best fine-tuned model is better in every Inter split than in the Intra split of the same tasks.",
    fails="In one column it is not.",
    weight=CONCLUSION,
    quote="having more data for other types of tasks could improve the cross-task performance on tasks of a "
    "certain type",
    if_it_fails="Who has data of the task's own type could leave out the data of other types.",
)
def other_types_help(paper: Material) -> Finding:
    """Compare the best scores of both halves."""
    gains = {
        column: paper.best(paper.fine_tuned, Column(PAIRS[column.split], column.metric))[0]
        - paper.best(paper.fine_tuned, column)[0]
        for column in paper.columns
        if column.split in PAIRS
    }
    lost = [column for column, gain in gains.items() if gain <= 0]
    because = (
        f"The best fine-tuned model is better with other types in {len(gains) - len(lost)} of {len(gains)} "
        f"columns, by {min(gains.values()):.2f} to "
        f"{max(gains.values()):.2f} points."
    )
    return finding(not lost, because, gains={column.name: round(gain, 4) for column, gain in gains.items()})


@claim(
    "X35",
    "V-A2",
    "In classification, models often answer with text that is not a label.",
    holds="The best fine-tuned model is below the shortcut that copies a label in both Intra splits.",
    caveat="The outputs themselves are not published.",
    fails="In one of them it is above.",
    weight=CONCLUSION,
    quote="the model often generates text outside the output range, leading to a low performance",
    if_it_fails="Low scores in classification would have another reason than answers outside the labels, and "
    "limiting the output would not fix them.",
)
def answers_outside_labels(paper: Material) -> Finding:
    """Compare with the shortcut, which always gives a label."""
    columns = [column for column in paper.columns if column.split in ("Cat-Intra-CD", "Sub-Intra-ML")]
    scores = {
        column: (paper.best(paper.fine_tuned, column)[0], paper.score(SHORTCUTS[0], column))
        for column in columns
    }
    above = [column for column, (model, copied) in scores.items() if model >= copied]
    pairs = [
        f"{model:.2f} against {copied:.2f} in {column.split}" for column, (model, copied) in scores.items()
    ]
    caveat = scope("How many outputs are no label can't be counted: they are not published.")
    because = f"The best model has {listed(pairs)}."
    return finding(not above, because, caveat=None if "outputs" in paper.tables else caveat, above=len(above))


@claim(
    "X36",
    "V-A3",
    "Fine-tuned models are clearly better than off-the-shelf ones.",
    holds="The best fine-tuned row is above the best off-the-shelf row in every column, by more than 5%.",
    caveat="Some fine-tuned rows are below an off-the-shelf one.",
    fails="In one column it is not.",
    thresholds={"5%": "the width of the paper's underlines in Table V"},
    weight=CONCLUSION,
    quote="It is clear that the fine-tuned model has a significant performance advantage over the "
    "off-the-shelf model",
    if_it_fails="On some split an instruction model off the shelf would do, without the cost of fine-tuning on "
    "code.",
)
def fine_tuning_helps(paper: Material) -> Finding:
    """Compare the best rows, and count fine-tuned rows that are below."""
    best = {column: paper.best(OFF_THE_SHELF, column)[0] for column in paper.columns}
    close = [
        column
        for column in paper.columns
        if not apart(paper, paper.best(paper.fine_tuned, column)[0], best[column])
    ]
    below = [
        f"{row} in {column.name}"
        for row in paper.fine_tuned
        for column in paper.columns
        if paper.score(row, column) < best[column]
    ]
    total = len(paper.fine_tuned) * len(paper.columns)
    because = (
        f"The best row is clearly ahead in {len(paper.columns) - len(close)} of {len(paper.columns)} columns."
    )
    caveat = exceptions(f"{portion(len(below), total)} fine-tuned scores are below the best off-the-shelf one.")
    return finding(not close, because, caveat=caveat if below else None, below=len(below), close=len(close))


def _best_of(paper: Material, model: str, column: Column) -> float:
    return paper.best(paper.rows_of(model), column)[0]


@claim(
    "X37",
    "V-A4",
    "CodeT5 is better than Tk-Instruct in most cases.",
    holds="The best row of CodeT5 is above that of Tk-Instruct in more than half of the columns.",
    fails="It is in half of them or fewer.",
    thresholds={"half": "the plain meaning of most: more than half"},
    weight=CONCLUSION,
    quote="is able to achieve better results than Tk-Instruct, a model trained to follow task instructions, "
    "in most tasks",
    if_it_fails="A model of general instructions would be as good to start from as one that is pre-trained on "
    "code.",
)
def codet5_ahead(paper: Material) -> Finding:
    """Compare the best rows of both models."""
    ahead = [
        column
        for column in paper.columns
        if _best_of(paper, "CodeT5", column) > _best_of(paper, "Tk-Instruct", column)
    ]
    because = f"It is ahead in {len(ahead)} of {len(paper.columns)} columns."
    return finding(2 * len(ahead) > len(paper.columns), because, ahead=[column.name for column in ahead])


@claim(
    "X38",
    "V-A4",
    "Tk-Instruct wins in code-to-text and question answering.",
    holds="Its best row is above those of the two other models in all columns of these splits.",
    caveat="It is in more than half of them.",
    fails="It is in half of them or fewer.",
    thresholds={"half": "our choice: a system that loses most columns does not win"},
    weight=CONCLUSION,
    quote="Tk-Instruct wins in the task of generating natural language, such as Code-to-Text and Question "
    "Answering",
    if_it_fails="For tasks that ask for natural language, a model pre-trained on code would be as good a "
    "choice as Tk-Instruct.",
)
def tk_instruct_ahead(paper: Material) -> Finding:
    """Compare the best rows of the three models."""
    columns = [column for column in paper.columns if column.split.endswith(LANGUAGE)]
    lost = [
        column
        for column in columns
        if max(_best_of(paper, other, column) for other in ("PLBART", "CodeT5"))
        >= _best_of(paper, "Tk-Instruct", column)
    ]
    because = f"It is ahead in {len(columns) - len(lost)} of {len(columns)} columns."
    caveat = exceptions(f"It is not in {named(lost)}.") if lost else None
    return finding(2 * len(lost) < len(columns), because, caveat=caveat, lost=[column.name for column in lost])


@claim(
    "X43",
    "V-A, Table V",
    "The best scores are bold, and those within 5% below are underlined.",
    holds="Apart from the supervised model, the marks of every column are these, for 5 percent of the best "
    "score.",
    caveat="Underlines are missing, and no mark is too many: a conversion of the paper to text may lose them.",
    fails="A bold mark is missing, or a mark is too many.",
    thresholds={
        "5%": "section V-A",
        "5 percent": "the same, of the best score; our choice, since points would mark more",
    },
    weight=DETAIL,
    quote="the best scores are bolded and those within 5% below the best scores are underlined",
)
def marks(paper: Material) -> Finding:
    """Compare the marks of the rows that learn nothing twice only once."""
    rows = [*SHORTCUTS, *OFF_THE_SHELF, *paper.fine_tuned]
    width = paper.number("text", "5", "Underlined within, percent") / 100
    bold = missing = superfluous = 0
    for column in paper.columns:
        best = paper.best(rows, column)[0]
        for row in rows:
            place, score = paper.tables["marks"].get((row, column.name)), paper.score(row, column)
            mark = place.published if place else ""
            bold += ("bold" in mark) != (score == best)
            close = best * (1 - width) <= score < best
            missing += close and "underline" not in mark
            superfluous += score < best and not close and "underline" in mark
    because = (
        f"{bold or 'None'} of the bold marks and {superfluous or 'none'} of the underlines are too many or "
        "misplaced."
    )
    caveat = exceptions(f"{missing} underlines are missing.") if missing else None
    return finding(not bold + superfluous, because, caveat=caveat, bold=bold, missing=missing, more=superfluous)


@claim(
    "X53",
    "V-E",
    "All models are poor at classification across tasks.",
    holds="In each split with classification the best model is nearer to the shortcut than to the supervised "
    "one.",
    fails="In one of them it is nearer to the supervised one.",
    weight=CONCLUSION,
    quote="all models performs very poorly on the classification task in the cross-task setting",
    if_it_fails="A model that was never trained on a classification task could be used for it as it is.",
)
def poor_at_classification(paper: Material) -> Finding:
    """Place the best fine-tuned model between shortcut and supervised model."""
    shares = {}
    for column in paper.columns:
        if column.metric == "EM":
            low, high = paper.score(SHORTCUTS[0], column), paper.score(SUPERVISED, column)
            shares[column.split] = (paper.best(paper.fine_tuned, column)[0] - low) / (high - low)
    near = [split for split, share in shares.items() if share > 0.5]
    sentences = [f"{100 * share:.0f} % in {split}" for split, share in shares.items()]
    because = f"Of the way from the shortcut to the supervised model the best one goes {listed(sentences)}."
    return finding(not near, because, shares=shares)
