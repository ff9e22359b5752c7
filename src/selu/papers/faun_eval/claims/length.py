"""Performance by the length of the input (section 5.3, figure 3, which is an image without numbers)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from selu.papers.claims import claim, finding, listed, unless_known
from selu.papers.faun_eval.claims._known import CONCLUSION, DETAIL, all_but, portion
from selu.papers.faun_eval.material import Material
from selu.vocabulary import Finding, Verdict

QUESTION = "Do the models fall with the length of the input (RQ3)?"
PARTS = ("short", "medium", "long")
QA, FL, CE = "question answering", "fault localization", "code editing"
Scores = Mapping[str, float]
Rule = Callable[[Scores], bool]


def _figure(paper: Material, *tasks: str) -> Finding | Mapping[str, Scores]:
    """Return the scores of tasks in figure 3 by model and part, or that they have to be measured.

    A model is named alone if there is one task, and else with its task.
    """
    of_what = "all tasks" if len(tasks) > 1 else tasks[0]
    missing = (
        f"Figure 3 is an image: its 90 scores, of which this claim judges those of {of_what}, are not published"
    )
    if not_checkable := unless_known(paper, "figure3", missing):
        return not_checkable
    rows = paper.row_names("figure3")
    places = [(task, row) for task in tasks for row in rows if row.startswith(f"{task}: ")]
    return {
        row.partition(": ")[2] + (f" in {task}" if len(tasks) > 1 else ""): {
            part: paper.number("figure3", row, part) for part in PARTS
        }
        for task, row in places
    }


NOBODY = Finding(
    Verdict.NOT_CHECKABLE,
    "Figure 3 has 0 models that the claim judges (data/paper/faun_eval/figure3.csv would decide it).",
    {"scores": {}},
)


def _all(found: Mapping[str, Scores], rule: Rule, says: str) -> Finding:
    """Find that a rule holds of all models; not checkable where none is left to judge."""
    if not found:
        return NOBODY
    off = [model for model, scores in found.items() if not rule(scores)]
    because = all_but(off, len(found), f"models {says}")
    return finding(not off, because, scores=found)


@claim(
    "F51",
    "5.3",
    "In question answering all models are worst on long texts.",
    holds="Each model's score is lowest on long texts.",
    fails="One model has a lower score on shorter ones.",
    weight=CONCLUSION,
    quote="In QA tasks, it is observed that all LLMs perform the worst with long texts",
    if_it_fails="Some model would answer long issues as well as shorter ones, and a user of that model need "
    "not shorten them.",
)
def worst_on_long_texts(paper: Material) -> Finding:
    """Compare the parts of each model, once figure 3 is here."""
    found = _figure(paper, QA)
    if isinstance(found, Finding):
        return found
    return _all(found, lambda scores: scores["long"] <= min(scores.values()), "are worst on long texts")


@claim(
    "F52",
    "5.3",
    "In fault localization all models that score above zero fall from short to medium texts.",
    holds="Each model that scores above zero is worse on medium than on short texts.",
    fails="One of them is not.",
    weight=CONCLUSION,
    quote="other models also show a decline in performance with medium texts compared to short texts",
    if_it_fails="Some model would find the faulty file as often for issues of medium length as for short ones.",
)
def fall_to_medium_texts(paper: Material) -> Finding:
    """Compare two parts of each model, once figure 3 is here."""
    found = _figure(paper, FL)
    if isinstance(found, Finding):
        return found
    some = {model: scores for model, scores in found.items() if max(scores.values()) > 0}
    return _all(some, lambda scores: scores["medium"] < scores["short"], "fall from short to medium texts")


@claim(
    "F53",
    "5.3",
    "In code editing all models are worse on long than on medium texts.",
    holds="Each model's score is lower on long than on medium texts.",
    fails="One model's is not.",
    weight=CONCLUSION,
    quote="In Code Editing tasks, all models perform worse with long texts than they do with medium texts",
    if_it_fails="Shortening a long input would not help every model to edit code.",
)
def fall_to_long_texts(paper: Material) -> Finding:
    """Compare two parts of each model, once figure 3 is here."""
    found = _figure(paper, CE)
    if isinstance(found, Finding):
        return found
    return _all(found, lambda scores: scores["long"] < scores["medium"], "fall from medium to long texts")


@claim(
    "F54",
    "5.3",
    "Some models perform better with long texts.",
    holds="In a task a model is better on long than on short texts.",
    fails="In no task any model is.",
    weight=DETAIL,
    quote="there are instances where some models perform better with long texts",
)
def better_on_long_texts(paper: Material) -> Finding:
    """Look for such models in all tasks, once figure 3 is here."""
    found = _figure(paper, QA, FL, CE)
    if isinstance(found, Finding):
        return found
    if not found:
        return NOBODY
    better = [place for place, scores in found.items() if scores["long"] > scores["short"]]
    because = f"{len(better)} pairs of model and task are better on long than on short texts: {listed(better)}."
    return finding(bool(better), because, better=better)


@claim(
    "F55",
    "5.3",
    "In localization GPT-4o is first and Gemini-1.5-Pro second on medium texts; they switch on long ones.",
    holds="The two are first and second in this order on medium texts, and in the other one on long texts.",
    fails="They are not, on one of the two.",
    weight=DETAIL,
    quote="performs the best, followed by Gemini-1.5-Pro in second place; however, their rankings switch",
)
def crossover(paper: Material) -> Finding:
    """Rank the models on two parts, once figure 3 is here."""
    found = _figure(paper, FL)
    if isinstance(found, Finding):
        return found
    first = {part: sorted(found, key=lambda model: -found[model][part])[:2] for part in ("medium", "long")}
    expected = ["GPT-4o", "Gemini-1.5-Pro"]
    because = f"The first 2 are {listed(first['medium'])} on medium and {listed(first['long'])} on long texts."
    return finding(first == {"medium": expected, "long": expected[::-1]}, because, first=first)


@claim(
    "F56",
    "5.3",
    "Performance tends to fall as the input gets longer.",
    holds="More than half of all pairs of model and task are worse on long than on short texts.",
    fails="Half of them or fewer are.",
    thresholds={"half": 'the plain meaning of "generally tends": in more than half of the cases'},
    weight=CONCLUSION,
    quote="The performance of models generally tends to decline as the length of the input text increases",
    if_it_fails="A long issue would be no reason to expect less of a model, or to shorten the prompt.",
)
def falls_with_length(paper: Material) -> Finding:
    """Count the pairs that fall, once figure 3 is here."""
    found = _figure(paper, QA, FL, CE)
    if isinstance(found, Finding):
        return found
    if not found:
        return NOBODY
    falls = [scores["long"] < scores["short"] for scores in found.values()]
    because = (
        f"{portion(sum(falls), len(falls))} pairs of model and task are worse on long than on short texts."
    )
    return finding(2 * sum(falls) > len(falls), because, falling=sum(falls), pairs=len(falls))
