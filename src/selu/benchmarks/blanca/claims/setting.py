"""Tasks, models, and what the authors' scripts do (sections 1 to 4, Tables 1 and 2)."""

from __future__ import annotations

from selu.benchmarks.blanca.claims._known import of, word
from selu.benchmarks.blanca.material import Material
from selu.benchmarks.claims import claim, finding, listed, scope, unless_known, wording
from selu.vocabulary import Change, Finding

QUESTION = "What was compared, and how?"
# Of B57 to B59, read at both commits: tetherless-world/CodeGraph 35a38a8 and wala/blanca b0d6bfe.
VERSIONS = "The script is that of 2021-05-04 (35a38a8); the one released on 2021-09-16 does the same."
_DATED = "The scripts are of the repository in which the authors worked; their date was not said. "


def _dated(was: str, why: str = "") -> tuple[Change, ...]:
    return (Change("2026-11-27", f"{_DATED}{why}".strip(), was),)


@claim(
    "B01",
    "1",
    "BLANCA has five tasks, on which seven language models are compared.",
    holds="Table 2 has as many tasks and Table 1 as many models as the text says.",
    fails="One of the two numbers is another.",
    weight="method",
    quote="We compare performance on these tasks for seven language models",
)
def tasks_and_models(m: Material) -> Finding:
    """Count the rows of Tables 1 and 2."""
    found = [len({row for row, _ in m.tables[table]}) for table in ("table2", "table1")]
    said = [word(m, "1", "Tasks"), word(m, "1", "Language models")]
    because = (
        f"Table 2 has {found[0]} tasks and Table 1 {found[1]} models; the text says {said[0]} and {said[1]}."
    )
    return finding(found == said, because, tables=found, text=said)


@claim(
    "B02",
    "Table 1",
    "The names of the base models are those of their checkpoints.",
    holds="Each name begins with the architecture that its checkpoint names.",
    caveat="Table 1 spells a name otherwise than the tables of results.",
    fails="A name begins with another architecture.",
    weight="detail",
    quote="using the names from the sentence-transformers",
)
def names_of_checkpoints(m: Material) -> Finding:
    """Look for the first part of each name in the name of its checkpoint."""
    sources = {e.name: m.printed("table1", e.table1 or "", "Source") for e in m.bases if m_has(m, e.table1)}
    firsts = {e.name: str(e.table1).lower().split("-")[0] for e in m.bases if e.name in sources}
    checked = {name: source for name, source in sources.items() if "hub" not in source}
    wrong = [name for name, source in checked.items() if not source.rpartition("/")[2].startswith(firsts[name])]
    because = f"{of(len(checked) - len(wrong), len(checked))} names begin as their checkpoints do."
    if wrong:
        because += f" The others are {listed(f'{name} ({checked[name]})' for name in wrong)}."
    respelt = [
        f"{e.table1} is {e.name} there" for e in m.bases if "DistilRoBERTa" in e.name and e.table1 != e.name
    ]
    return finding(not wrong, because, caveat=wording(f"{listed(respelt)}.") if respelt else None, wrong=wrong)


def m_has(m: Material, row: str | None) -> bool:
    """Tell whether Table 1 names a checkpoint."""
    return (row or "", "Source") in m.tables["table1"]


@claim(
    "B03",
    "2",
    "BERTOverflow was trained on 152 million questions of Stack Overflow.",
    holds="The paper on BERTOverflow counts as many questions.",
    fails="It counts another number, or something else than questions.",
    changes=(
        Change(
            "2026-11-26",
            "The abstract and the model card of BERTOverflow, which are public, say 152 million sentences.",
            "not checkable: The paper on BERTOverflow, which would say what its 152 million "
            "texts are, is not available here (data/paper/blanca/bertoverflow.csv would "
            "decide it).",
        ),
    ),
    weight="detail",
    quote="BERTOverflow is trained on 152 million StackOverflow questions over a BERT architecture",
)
def bertoverflow_questions(m: Material) -> Finding:
    """Compare with what the paper on BERTOverflow says, once it is here."""
    said = m.printed("text", "2", "BERTOverflow: questions")
    missing = f"The paper on BERTOverflow, which would say what its {said} texts are, is not available here"
    if open_ := unless_known(m, "bertoverflow", missing):
        return open_
    unit, count = (m.printed("bertoverflow", "training corpus", column) for column in ("unit", "count"))
    return finding((unit, count) == ("questions", said), f"It counts {count} {unit}.", unit=unit, count=count)


@claim(
    "B05",
    "Table 2",
    "The row of answer ranking counts question-answer pairs.",
    holds="Its numbers are not those of questions in section 4.1, each of which has three answers or more.",
    fails="Its numbers are those of questions.",
    weight="detail",
    quote="Question-answer pairs",
)
def question_answer_pairs(m: Material) -> Finding:
    """Compare Table 2 with the counts of questions in the text."""
    counts = {part: m.count("table2", "R", part) for part in ("Train", "Test")}
    questions = {
        "Train": m.count("text", "4.1", "Training questions"),
        "Test": m.count("text", "4.1", "Test questions"),
    }
    kind, same = m.printed("table2", "R", "Data type"), counts == questions
    return finding(
        not same,
        f"Table 2 calls {counts['Train']:,} and {counts['Test']:,} {kind.lower()}; section 4.1 counts "
        f"{questions['Train']:,} and {questions['Test']:,} questions.",
        counts=counts,
        questions=questions,
    )


@claim(
    "B14",
    "4.4",
    "Fine-tuning on the hierarchy used a random sample of 100,000 pairs, 10,000 of them for validation.",
    holds="The authors' script draws samples of these sizes, in the pinned version as in that of "
    "the paper's time.",
    caveat="It does in the version of the paper's time, and the pinned one draws others.",
    fails="In the version of the paper's time it draws samples of other sizes.",
    weight="method",
    changes=(
        Change(
            "2026-11-26",
            "The numbers belonged to no version: the pinned script cuts to 23,000 before it "
            "takes a tenth, that of January 2021 does what the paper says.",
            "holds with caveat: The script samples 100,000 pairs with 10,000 for validation. "
            "It then keeps at most 23,000 examples of a task.",
        ),
    ),
    quote="we trained it on a random sample of 100,000 training examples, 10,000 of which was used for "
    "validation",
)
def sample_of_hierarchy(m: Material) -> Finding:
    """Compare with the public training script."""
    names = ("Sample", "Validation")
    said, early = (
        [m.count(*place, name) for name in names]
        for place in (("text", "4.4"), ("scripts", "Fine-tuning on H"))
    )
    most = min(m.count("scripts", "Fine-tuning", "Most examples of a task"), early[0])
    pinned = [most, most * early[1] // early[0]]  # it cuts first and takes the same share for validation
    caveat = scope(f"The pinned version samples {pinned[0]:,} with {pinned[1]:,} for validation.")
    return finding(
        said == early,
        f"The script of 2021-01-14 (991e6f7) samples {early[0]:,} pairs with {early[1]:,} for validation.",
        caveat=None if pinned == said else caveat,
        text=said,
        script=early,
        pinned=pinned,
    )


@claim(
    "B16",
    "4.4",
    "Figure 5 shows embedding distances for each class distance.",
    holds="Its caption names what the text says.",
    fails="Its caption names something else.",
    weight="detail",
    quote="Figure 5 shows the distribution of embedding distances for each class distance (1-10)",
)
def figure_5(m: Material) -> Finding:
    """Compare the text with the caption."""
    text, caption = (m.printed("text", "4.4", f"Figure 5, {where}") for where in ("text", "caption"))
    because = f"The text says {text}; the caption of figure 5 says number of {caption}."
    return finding(text == caption, because, text=text, caption=caption)


@claim(
    "B57",
    "4.1",
    "Answers are ranked by the cosine distance of question and answer.",
    holds="The authors' evaluation script ranks by that distance.",
    fails="It ranks by another distance.",
    weight="method",
    changes=_dated(
        "fails: Section 4.1 says cosine distance; the script of answer ranking takes the squared Euclidean "
        "distance."
    ),
    quote="ranked answers by nearest in cosine distance to furthest",
)
def ranked_by_cosine(m: Material) -> Finding:
    """Compare with the public evaluation script."""
    said, done = m.printed("text", "4.1", "Ranked by"), m.printed("scripts", "Evaluation of R", "Distance")
    because = f"Section 4.1 says {said} distance; the script of answer ranking takes the {done} distance."
    because += f" {VERSIONS}"
    return finding(said == done, because, text=said, script=done)


@claim(
    "B58",
    "4.1",
    "Ranks of answers are turned into scores from 0, the worst, to 1, the best.",
    holds="The formula of the authors' script gives both numbers.",
    caveat="It misses one of the two: position over number reaches 0 or 1, whichever way it counts, and not "
    "both.",
    fails="It gives the worst answer the higher score.",
    weight="method",
    changes=_dated(
        "holds with caveat: The script takes the position from the bottom / n; the text says 0 to 1. Caveat "
        "(wording): Both ends are not reached."
    ),
    quote="The ranks were then converted to a score between 0 (worst rank) and 1 (best rank)",
)
def scores_of_ranks(m: Material) -> Finding:
    """Compare with the formula of the public training script."""
    low, high = (m.printed("text", "4.1", name) for name in ("Lowest score", "Highest score"))
    formula = m.printed("scripts", "Fine-tuning on R", "Score")
    return finding(
        "from the top" not in formula,
        f"The script takes the {formula}; the text says {low} to {high}. {VERSIONS}",
        caveat=wording("Both ends are not reached.") if formula.endswith("/ n") else None,
        formula=formula,
    )


@claim(
    "B59",
    "4.4",
    "Fine-tuning on hierarchy and usage is given the documentation of classes.",
    holds="The authors' script reads a field of documentation.",
    fails="It reads the names of the classes, which the scripts of the two data sets write.",
    weight="method",
    kind="implied",
    changes=_dated(
        "fails: The script reads the field class1 and its partner, which are names.",
        "That the fields hold names is said by the two files that write them.",
    ),
)
def tuned_on_documentation(m: Material) -> Finding:
    """Compare with the fields that the public training script reads."""
    field = m.printed("scripts", "Fine-tuning on H and U", "Texts")
    because = f"The script reads the field {field} and its partner."
    if "doc" not in field:
        because += (
            " hierarchyAnalysis/dataset.py and usageAnalysis/dataset.py write names of classes into them."
        )
    return finding("doc" in field, f"{because} {VERSIONS}", field=field)


@claim(
    "B60",
    "4",
    "A search of hyper-parameters brought no gain on answer ranking and link prediction.",
    holds="No result of the search is better than that of the default parameters.",
    fails="One is better.",
    weight="method",
    quote="we did not get better performance compared to using the default parameters",
)
def no_gain_of_the_search(m: Material) -> Finding:
    """Compare with the results of the search, once they are here."""
    missing = "No result of the search is published, for any of 2 tasks"
    if open_ := unless_known(m, "search", missing):
        return open_
    gains = {task: m.number("search", task, "best") - m.number("search", task, "default") for task in "RL"}
    return finding(
        max(gains.values()) <= 0,
        f"The best of the search is {gains['R']:+.4f} on R and {gains['L']:+.4f} on L from the defaults.",
        gains=gains,
    )
