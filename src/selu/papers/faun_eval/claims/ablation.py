"""Which parts of the input matter (section 5.2, Table 5); the direction of a change follows from the scores."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, scope, wording
from selu.papers.faun_eval.claims._known import CONCLUSION, DETAIL, all_but, changes, portion, without
from selu.papers.faun_eval.material import AVERAGE, MEAN, QA, TASKS, Material
from selu.stats.rounding import agrees
from selu.vocabulary import Finding

QUESTION = "Which parts of the input matter (RQ2)?"
TITLE, BODY = "issue title", "issue body"
PT, PB = "pull request's title", "pull request's body"
V2 = "DeepSeek-Coder-V2"


def _mean(paper: Material, metric: str, part: str) -> float:
    """Return how the average column changes without a part of the input, in percent."""
    return paper.change(paper.without(metric, part), AVERAGE)


@claim(
    "F40",
    "5.2",
    "In question answering most metrics fall by more than 10 % without the issue's body.",
    holds="More than half of the four metrics fall by more, on average over the models.",
    fails="Half of them or fewer do.",
    thresholds={"half": "the plain meaning of most: more than half"},
    weight=CONCLUSION,
    quote="removing the body from an issue results in a noticeable decline in most metrics, with reductions "
    "exceeding 10%",
    if_it_fails="A model would answer nearly as well from the title of an issue alone.",
)
def answers_without_the_body(paper: Material) -> Finding:
    """Compute the changes of the average column."""
    least = paper.number("text", "5.2", "Least fall in QA")
    found = {metric: _mean(paper, metric, BODY) for metric in QA}
    steeper = [metric for metric, change in found.items() if change < -least]
    because = f"{portion(len(steeper), len(found))} metrics fall by more than {least:g} %: {changes(found)}."
    return finding(2 * len(steeper) > len(found), because, changes=found)


@claim(
    "F41",
    "5.2",
    "Edit similarity hardly changes without the issue's body.",
    holds="It changes by less than 10 % for each model.",
    caveat="It changes by less on average, and by more for one model.",
    fails="It changes by more on average.",
    thresholds={"10": "the text's own bound of a noticeable decline"},
    weight=CONCLUSION,
    quote="except for Edit Similarity, which shows minimal change",
    if_it_fails="Edit similarity would fall like the other metrics, and the body would matter by all four of "
    "them.",
)
def edit_similarity_without_the_body(paper: Material) -> Finding:
    """Compute the changes of each model and of the average."""
    least = paper.number("text", "5.2", "Least fall in QA")
    found, average = without(paper, "ES", BODY), _mean(paper, "ES", BODY)
    larger = {model: change for model, change in found.items() if abs(change) >= least}
    caveat = exceptions(f"It changes by more for {len(larger)} of {len(found)} models: {changes(larger)}.")
    because, some = f"It changes by {average:+.2f} % on average.", caveat if larger else None
    return finding(abs(average) < least, because, caveat=some, average=average, changes=found)


@claim(
    "F42",
    "5.2",
    "Without the body exact match falls by 35.93 % on average, and by 42.14 % for DeepSeek-Coder-V2.",
    holds="Both changes follow from the scores of Table 5.",
    fails="One of them is another number.",
    weight=CONCLUSION,
    quote="an average decline of 35.93% in the Exact Match metric for output paths",
    if_it_fails="The body would matter less or more for finding the faulty file than the two percentages say.",
)
def localization_without_the_body(paper: Material) -> Finding:
    """Compute both changes."""
    text = {name: paper.published("text", "5.2", name) for name in ("Mean fall of EM", f"Fall of EM of {V2}")}
    row = paper.without("EM", BODY)
    found = {"average": -paper.change(row, AVERAGE), V2: -paper.change(row, V2)}
    right = all(agrees(change, stated) for change, stated in zip(found.values(), text.values(), strict=True))
    because = f"It falls by {found['average']:.2f} % on average and by {found[V2]:.2f} % for {V2}."
    return finding(right, because, changes=found, text=text)


@claim(
    "F43",
    "5.2",
    "A fall of 42.14 % is nearly a half.",
    holds="It is between 40 % and 50 %.",
    fails="It is smaller, or more than a half.",
    thresholds={"40": "our choice: within ten points of a half", "50": "a half"},
    weight=DETAIL,
    quote="the Exact Match of predictions fell by 42.14%, nearly halving",
)
def nearly_halving(paper: Material) -> Finding:
    """Compute the fall."""
    fall = -paper.change(paper.without("EM", BODY), V2)
    return finding(40 <= fall <= 50, f"It falls by {fall:.2f} %.", fall=fall)


@claim(
    "F44",
    "5.2",
    "In code editing CodeBLEU changes by 0.85 % on average without the issue's body.",
    holds="The change follows from the row of Table 5 that lacks the body.",
    fails="It is another number.",
    weight=DETAIL,
    quote="removing the body of an issue has a minimal impact on CodeBLEU, with the models’ average change "
    "being only 0.85%",
    if_it_fails="The number that shows the body to be unimportant in code editing would be wrong, and the body "
    "could be worth keeping.",
)
def editing_without_the_body(paper: Material) -> Finding:
    """Compute the changes of the rows without body and without title."""
    text = paper.published("text", "5.2", "Change without the issue body")
    body, title = (_mean(paper, "CodeBLEU", part) for part in (BODY, TITLE))
    because = (
        f"Without the body it changes by {body:+.2f} %, without the title by {title:+.2f} %; "
        f"the text says {text} %."
    )
    return finding(agrees(abs(body), text), because, body=body, title=title, text=text)


@claim(
    "F45",
    "5.2",
    "In question answering all models are better without the issue's title.",
    holds="Each model's score is higher without it, in each metric.",
    fails="One score is not.",
    weight=CONCLUSION,
    quote="the removal of the issue’s title leads to improved performance across all models",
    if_it_fails="Leaving out the title would be no safe advice for question answering, because some model gets "
    "worse.",
)
def answers_without_the_title(paper: Material) -> Finding:
    """Compute the changes of each model and metric."""
    found = {metric: without(paper, metric, TITLE) for metric in (*QA, MEAN)}
    every = {f"{metric}, {model}": change for metric, each in found.items() for model, change in each.items()}
    worse = [place for place, change in every.items() if change <= 0]
    because = all_but(worse, len(every), "scores are higher")
    return finding(not worse, because, changes=found)


@claim(
    "F46",
    "5.2",
    "In fault localization some models, such as DeepSeek-Coder-V2, are better without the issue's body.",
    holds="Its exact match is higher without the part that the text names.",
    fails="It is not.",
    weight=DETAIL,
    quote="some models like DeepSeek-Coder-V2 show enhanced Exact Match scores after discarding the body",
    if_it_fails="DeepSeek-Coder-V2 would be no example of a model that finds more faulty files without the "
    "body.",
)
def better_after_discarding(paper: Material) -> Finding:
    """Compute its changes without the body and without the title."""
    named = paper.published("text", "5.2", "Better after discarding")
    found = {part: without(paper, "EM", f"issue {part}").get(V2, 0.0) for part in ("body", "title")}
    because = (
        f"EM changes by {found['body']:+.2f} % without the body and {found['title']:+.2f} % without the title."
    )
    return finding(found[named] > 0, because, changes=found, text=named)


@claim(
    "F47",
    "5.2",
    "In code editing title and body of the pull request are worth 4.95 % and 5.96 % of CodeBLEU on average.",
    holds="Both falls follow from Table 5, and each model falls without each of the two.",
    fails="One is another number, or a model does not fall.",
    weight=CONCLUSION,
    quote="removing the title and body of a PR results in a respective decrease of 4.95% and 5.96%",
    if_it_fails="The text of a pull request would be worth more or less in code editing than the two "
    "percentages say.",
)
def editing_without_the_pull_request(paper: Material) -> Finding:
    """Compute both falls."""
    text = {part: paper.published("text", "5.2", f"Fall without the {part}") for part in (PT, PB)}
    found = {part: -_mean(paper, "CodeBLEU", part) for part in text}
    all_fall = all(change < 0 for part in text for change in without(paper, "CodeBLEU", part).values())
    right = all(agrees(max(found[part], 0.0), stated) for part, stated in text.items())
    because = f"It falls by {found[PT]:.2f} % without the title and by {found[PB]:.2f} % without the body."
    return finding(right and all_fall, because, falls=found, text=text)


@claim(
    "F48",
    "5.2, Finding 3",
    "The issue's body is crucial in answering and localization, and less important in editing.",
    holds="Without it the averages of the former two fall by more than that of the latter.",
    caveat="In editing it costs nine tenths or more of what the pull request's title does, called significant.",
    thresholds={"nine tenths": "our choice: about as much"},
    fails="One of the former two falls by less.",
    weight=CONCLUSION,
    quote="the body is crucial for model performance in QA and fault localization tasks, but less important "
    "for code editing",
    if_it_fails="The body would matter as much for editing as for answering or for finding the file, and no "
    "prompt should leave it out.",
)
def finding_3_body(paper: Material) -> Finding:
    """Compare the changes of the three averages."""
    found = {task: _mean(paper, metric, BODY) for task, metric in TASKS.items()}
    *others, editing = found.values()
    pull = {part: _mean(paper, "CodeBLEU", part) for part in (PT, PB)}
    close = editing <= max(pull.values()) * 0.9
    caveat = wording(f"The parts of the pull request cost {changes(pull)}.") if close and editing < 0 else None
    return finding(max(others) < min(0, editing), f"{changes(found)}.", caveat=caveat, changes=found, pull=pull)


@claim(
    "F49",
    "5.2, Finding 3",
    "The issue's title can hurt.",
    holds="In one task or more the average is higher without it.",
    fails="In every task the average is lower, or the same.",
    weight=CONCLUSION,
    quote="the title of a GitHub issue can negatively impact LLM performance",
    if_it_fails="The title of an issue would never do harm, and there would be no reason to leave it out of a "
    "prompt.",
)
def finding_3_title(paper: Material) -> Finding:
    """Compute the changes of the three averages."""
    found = {task: _mean(paper, metric, TITLE) for task, metric in TASKS.items()}
    better = [task for task, change in found.items() if change > 0]
    because = (
        f"In {portion(len(better), len(found)).lower()} tasks the average is higher without it: "
        f"{changes(found)}."
    )
    return finding(bool(better), because, changes=found)


@claim(
    "F50",
    "5.2, Finding 3",
    "Information of the pull request is significant in code editing.",
    holds="The average falls without its title and without its body, by more than without a part of the issue.",
    caveat="A test over the entries is not published.",
    fails="It falls by less than without a part of the issue.",
    weight=CONCLUSION,
    quote="the information in a PR plays a significant role in code editing tasks",
    if_it_fails="A model would edit code as well without the text of the pull request, from the issue alone.",
)
def finding_3_pull_request(paper: Material) -> Finding:
    """Compare the changes without each of the four parts."""
    found = {part: _mean(paper, "CodeBLEU", part) for part in (TITLE, BODY, PT, PB)}
    issue, pull = min(found[TITLE], found[BODY]), max(found[PT], found[PB])
    caveat = None if paper.has("tests") else scope("No test over the 300 entries is published.")
    return finding(pull < min(issue, 0), f"CodeBLEU: {changes(found)}.", caveat=caveat, changes=found)


@claim(
    "F58",
    "6.1",
    "GPT-4o loses 1.54 % of its exact matches without the issue's title.",
    holds="The fall follows from the scores of Table 5.",
    fails="It is another number.",
    weight=DETAIL,
    quote="decreases by 1.54% under the condition of only retaining the issue body",
)
def gpt4o_without_the_title(paper: Material) -> Finding:
    """Compute the fall."""
    text = paper.published("text", "6.1", "Fall of EM of GPT-4o")
    fall = -without(paper, "EM", TITLE).get("GPT-4o", 0.0)
    because = f"It falls by {fall:.2f} %; the text says {text} %."
    return finding(fall >= 0 and agrees(fall, text), because, fall=fall, text=text)
