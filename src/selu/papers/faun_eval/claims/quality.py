"""How good the answers are (section 5.1, Table 4): the scores that the text names, and Finding 2."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, scope
from selu.papers.faun_eval.claims._known import CONCLUSION, DETAIL, METHOD, joined_scores, names, portion
from selu.papers.faun_eval.material import MEAN, TASKS, Material
from selu.vocabulary import Finding

QUESTION = "How good are the answers of the best models (RQ1)?"
PRO = "Gemini-1.5-Pro"
LOW = 0.5


@claim(
    "F32",
    "5.1",
    "Gemini-1.5-Pro has a combined score of 0.1826 in question answering and a BLEU of 0.1208.",
    holds="Table 4 has both numbers.",
    fails="It has another number.",
    weight=DETAIL,
    quote="The combined score across four metrics is only 0.1826, with a BLEU score of just 0.1208",
)
def scores_of_gemini_pro(paper: Material) -> Finding:
    """Compare two cells of Table 4 with the text."""
    places = {"Combined QA score": MEAN, "BLEU": "BLEU"}
    text = {metric: paper.number("text", "5.1", what) for what, metric in places.items()}
    found = {metric: paper.scores(metric)[PRO] for metric in text}
    because = f"Table 4 has {joined_scores(found)}; the text says {joined_scores(text)}."
    return finding(found == text, because, table4=found, text=text)


@claim(
    "F33",
    "5.1",
    "Gemini-1.5-Pro has the highest ROUGE-L (0.1551) and ROUGE-1 (0.2470).",
    holds="Its scores in Table 4 are these, and the highest.",
    fails="One is another number, or another model's is higher.",
    weight=DETAIL,
    quote="Gemini-1.5-Pro achieved the highest scores in ROUGE-L and ROUGE-1, with scores of 0.1551 and 0.2470",
)
def highest_rouge(paper: Material) -> Finding:
    """Compare with the highest scores of both rows."""
    metrics = ("ROUGE-L", "ROUGE-1")
    text = {metric: paper.number("text", "5.1", metric) for metric in metrics}
    found = {metric: paper.scores(metric)[PRO] for metric in metrics}
    best = {metric: max(paper.scores(metric).values()) for metric in metrics}
    because = f"Its scores are {joined_scores(found)}; the highest are {joined_scores(best)}."
    return finding(found == text == best, because, table4=found, text=text, highest=best)


@claim(
    "F34",
    "5.1",
    "CodeQwen-1.5-Chat and DeepSeek-Coder 33B have an exact match of zero.",
    holds="These models and no others score 0 in fault localization.",
    fails="One of them scores more, or another model scores 0.",
    thresholds={"0": "zero"},
    weight=DETAIL,
    quote="CodeQwen-1.5-Chat and DeepSeek-Coder 33B recorded EM of zero",
)
def zero_exact_match(paper: Material) -> Finding:
    """Look for the zeros of the row."""
    named = names(paper, "5.1", "EM of zero")
    zero = [model for model, score in paper.scores("EM").items() if score == 0]
    because = f"{len(zero)} models score 0: {listed(zero)}."
    return finding(set(named) == set(zero), because, zero=zero, text=named)


@claim(
    "F35",
    "5.1, Finding 2",
    "Models are limited in real question answering, and some do not follow the instructions.",
    holds="The best average in question answering is below half of the range, and a model has an EM of 0.",
    caveat="A score of 0 says that no path is exact; whether a model wrote more than a path needs its outputs.",
    fails="The best average is above half of the range, or every model has exact matches.",
    thresholds={
        "half": "our choice: more than half of what can be reached is not a sign of a limit",
        "0": "the paper's sign of answers that are no bare path",
    },
    weight=CONCLUSION,
    quote="LLMs exhibit limitations in real-world QA scenarios and some models fail to adhere to "
    "specified requirements",
    if_it_fails="Models would answer real issues much as maintainers do, or each could be relied on to give a "
    "path alone.",
)
def finding_2(paper: Material) -> Finding:
    """Compare the best average, and look for models without a match."""
    best = paper.ranked(MEAN)[0]
    score = paper.scores(MEAN)[best]
    zero = [model for model, match in paper.scores("EM").items() if match == 0]
    none = portion(len(zero), len(paper.models)).lower()
    because = f"The best average is {score:.4f} ({best}); {none} models have no match."
    known = paper.has("outputs")
    caveat = None if known else scope("The outputs are not available here (F62).")
    return finding(score < LOW and bool(zero), because, caveat=caveat, best=score, zero=zero)


@claim(
    "F36",
    "5.2",
    "The ablation takes one closed and two open models that performed well.",
    holds="It takes as many of both kinds, each of them among the best three of a task.",
    caveat="One of them is last in another task, alone or with others.",
    fails="It takes others, or one that is among the best three nowhere.",
    weight=METHOD,
    quote="two open-source models that performed well in RQ1 for further investigation",
)
def models_of_the_ablation(paper: Material) -> Finding:
    """Find the places of the three models in Table 4."""
    kinds = [paper.count("text", "5.2", f"{kind} models of the ablation") for kind in ("Closed", "Open")]
    free = sum(paper.open_source(model) for model in paper.ablated)
    good = [
        model for model in paper.ablated if any(model in paper.ranked(metric)[:3] for metric in TASKS.values())
    ]
    last = [
        f"{model} in {task}"
        for task, metric in TASKS.items()
        for model in paper.ablated
        if paper.scores(metric)[model] == min(paper.scores(metric).values())
    ]
    because = f"{portion(len(good), len(paper.ablated))} models of Table 5 are among the best 3 of a task."
    right = [len(paper.ablated) - free, free] == kinds and good == paper.ablated
    caveat = exceptions(f"Last is {listed(last)}.") if last else None
    return finding(right, because, caveat=caveat, good=good, last=last, closed_and_open=kinds)
