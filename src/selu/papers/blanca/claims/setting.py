"""Tasks, models and settings (sections 1 to 4, Tables 1 and 2)."""

from __future__ import annotations

from selu.papers.blanca.claims._known import SETTING
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, finding, listed, portion, unless_known, wording
from selu.vocabulary import Finding

QUESTION = SETTING


@claim(
    "B01",
    "1",
    "BLANCA has five tasks, on which seven language models are compared.",
    holds="Table 2 has as many tasks and Table 1 as many models as the text says.",
    fails="One of the two numbers is another.",
    weight="method",
    quote="We compare performance on these tasks for seven language models",
)
def tasks_and_models(paper: Material) -> Finding:
    """Count the rows of Tables 1 and 2."""
    found = [len({row for row, _ in paper.tables[table]}) for table in ("table2", "table1")]
    stated = [paper.count("text", "1", "Tasks"), paper.count("text", "1", "Language models")]
    because = (
        f"Table 2 has {found[0]} tasks and Table 1 {found[1]} models; the text says {stated[0]} and "
        f"{stated[1]}."
    )
    return finding(found == stated, because, tables=found, text=stated)


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
def names_of_checkpoints(paper: Material) -> Finding:
    """Look for the first part of each name in the name of its checkpoint."""
    places = {e.name: (e.table1 or "", "Source") for e in paper.bases}
    sources = {name: paper.tables["table1"].get(place) for name, place in places.items()}
    checked = {name: s.published for name, s in sources.items() if s and "hub" not in s.published}
    wrong = [
        name
        for name, source in checked.items()
        if not source.rpartition("/")[2].startswith(places[name][0].lower().split("-")[0])
    ]
    because = f"{portion(len(checked) - len(wrong), len(checked))} names begin as their checkpoints do."
    if wrong:
        because += f" The others are {listed(f'{name} ({checked[name]})' for name in wrong)}."
    respelt = [
        f"{e.table1} is {e.name} there" for e in paper.bases if "DistilRoBERTa" in e.name and e.table1 != e.name
    ]
    return finding(not wrong, because, caveat=wording(f"{listed(respelt)}.") if respelt else None, wrong=wrong)


@claim(
    "B03",
    "2",
    "BERTOverflow was trained on 152 million questions of Stack Overflow.",
    holds="The paper on BERTOverflow counts as many questions.",
    fails="It counts another number, or something else than questions.",
    weight="detail",
    quote="BERTOverflow is trained on 152 million StackOverflow questions over a BERT architecture",
)
def bertoverflow_questions(paper: Material) -> Finding:
    """Compare with what the paper on BERTOverflow says, once it is here."""
    stated = paper.published("text", "2", "BERTOverflow: questions")
    missing = f"The paper on BERTOverflow, which would say what its {stated} texts are, is not available here"
    if not_checkable := unless_known(paper, "bertoverflow", missing):
        return not_checkable
    unit, count = (paper.published("bertoverflow", "training corpus", column) for column in ("unit", "count"))
    return finding((unit, count) == ("questions", stated), f"It counts {count} {unit}.", unit=unit, count=count)


@claim(
    "B05",
    "Table 2",
    "The row of answer ranking counts question-answer pairs.",
    holds="Its numbers are not those of questions in section 4.1, each of which has three answers or more.",
    fails="Its numbers are those of questions.",
    weight="detail",
    quote="Question-answer pairs",
)
def question_answer_pairs(paper: Material) -> Finding:
    """Compare Table 2 with the counts of questions in the text."""
    counts = {part: paper.count("table2", "R", part) for part in ("Train", "Test")}
    stated = {"Train": "Training questions", "Test": "Test questions"}
    questions = {part: paper.count("text", "4.1", name) for part, name in stated.items()}
    kind = paper.published("table2", "R", "Data type")
    return finding(
        counts != questions,
        f"Table 2 calls {counts['Train']:,} and {counts['Test']:,} {kind.lower()}; section 4.1 counts "
        f"{questions['Train']:,} and {questions['Test']:,} questions.",
        counts=counts,
        questions=questions,
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
def figure_5(paper: Material) -> Finding:
    """Compare the text with the caption."""
    text, caption = (paper.published("text", "4.4", f"Figure 5, {where}") for where in ("text", "caption"))
    because = f"The text says {text}; the caption of figure 5 says number of {caption}."
    return finding(text == caption, because, text=text, caption=caption)


@claim(
    "B60",
    "4",
    "A search of hyper-parameters brought no gain on answer ranking and link prediction.",
    holds="No result of the search is better than that of the default parameters.",
    fails="One is better.",
    weight="method",
    quote="we did not get better performance compared to using the default parameters",
)
def no_gain_of_the_search(paper: Material) -> Finding:
    """Compare with the results of the search, once they are here."""
    missing = "No result of the search is published, for any of 2 tasks"
    if not_checkable := unless_known(paper, "search", missing):
        return not_checkable
    gains = {
        task: paper.number("search", task, "best") - paper.number("search", task, "default") for task in "RL"
    }
    return finding(
        max(gains.values()) <= 0,
        f"The best of the search is {gains['R']:+.4f} on R and {gains['L']:+.4f} on L from the defaults.",
        gains=gains,
    )
