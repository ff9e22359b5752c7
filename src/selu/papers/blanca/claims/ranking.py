"""Results on answer ranking (Table 3)."""

from __future__ import annotations

from math import sqrt

from selu.papers.blanca.claims._known import BASES, BEST, MANY, MOST, named, ordered, tuned
from selu.papers.blanca.material import TASKS, Material
from selu.papers.claims import claim, finding, portion, scope, unless_known
from selu.vocabulary import Finding

QUESTION = "Do language models rank the answers to a question well, and does fine-tuning help?"


@claim(
    "B20",
    "4.1",
    "Most language models do reasonably well on answer ranking.",
    holds="More than half of the base models rank better than a random order of the same answers would.",
    fails="Half of them or fewer do.",
    weight="conclusion",
    thresholds={
        "half": MOST,
        "random order": "our choice: a model that ranks no better does not do reasonably well",
    },
    quote="most language models do reasonably well on this task, which is not surprising",
    if_it_fails="Most models without tuning would order answers no better than chance, although posts are "
    "mostly natural language.",
)
def better_than_random_order(paper: Material) -> Finding:
    """Compare with the expected MRR of a random order, once the answers are counted."""
    scores = paper.chosen("R", paper.bases)
    ends = f"{min(scores.values()):.4f} to {max(scores.values()):.4f}"
    missing = f"What {len(scores)} MRR of {ends} are worth depends on how many answers each question has"
    if not_checkable := unless_known(paper, "answers", missing):
        return not_checkable
    random = paper.number("answers", "all", "MRR of a random order")
    above = [name for name, score in scores.items() if score > random]
    because = (
        f"{portion(len(above), len(scores))} base models have an MRR above {random:.4f}, that of a random "
        "order."
    )
    return finding(2 * len(above) > len(scores), because, random=random, scores=scores)


@claim(
    "B21",
    "4.1",
    "Base BERTOverflow has no benefit over the other models without tuning on answer ranking.",
    holds="Its MRR and its NDCG are at most the mean of the other base models.",
    fails="One of the two is above.",
    weight="conclusion",
    quote="there is no benefit for the base BERTOverflow model that has been tuned on StackOverflow posts",
    if_it_fails="Pre-training on Stack Overflow would by itself help to rank its answers, without fine-tuning.",
)
def no_benefit_of_bertoverflow(paper: Material) -> Finding:
    """Compare MRR and NDCG."""
    others = [encoder.name for encoder in paper.bases if encoder.name != BASES[0]]
    means = {c: sum(paper.number("table3", name, c) for name in others) / len(others) for c in ("MRR", "NDCG")}
    own = {column: paper.number("table3", BASES[0], column) for column in means}
    return finding(
        all(own[column] <= mean for column, mean in means.items()),
        f"It has an MRR of {own['MRR']:.4f} and an NDCG of {own['NDCG']:.4f}; the mean of the other "
        f"{len(others)} is {means['MRR']:.4f} and {means['NDCG']:.4f}.",
        own=own,
        others=means,
    )


@claim(
    "B22",
    "4.1",
    "Fine-tuned BERTOverflow does much better on answer ranking.",
    holds="It gains more MRR than the base models differ among themselves, and more than noise explains.",
    fails="It gains less.",
    weight="conclusion",
    quote="fine-tuned BERTOverflow does much better",
    if_it_fails="Training on ranked answers would not give a better model of forum posts, which is what the "
    "task is for.",
)
def tuning_on_ranking(paper: Material) -> Finding:
    """Compare the gain with the spread of base models and with its standard error."""
    base, own = tuned(paper, "R")[BASES[0]]
    scores = paper.chosen("R", paper.bases).values()
    spread = max(scores) - min(scores)
    error = sqrt(
        sum(paper.number("table3", name, "MRR: standard error") ** 2 for name in (BASES[0], "FT-BERTOverflow"))
    )
    return finding(
        own - base > max(spread, 3 * error),
        f"It gains {own - base:.4f} MRR; the base models differ by {spread:.4f}, and the standard error of the "
        f"gain is {error:.4f}.",
        gain=own - base,
        spread=spread,
    )


@claim(
    "B23",
    "4.1",
    "Fine-tuning BERTOverflow is better than fine-tuning CodeBERT on many tasks.",
    holds="It is on more than half of the five tasks.",
    fails="It is on half of them or fewer.",
    weight="conclusion",
    thresholds={"half": MANY},
    quote="Across many tasks, fine-tuning on BERTOverflow produced better performance than fine-tuning on "
    "CodeBERT",
    if_it_fails="CodeBERT would be the base to fine-tune, and forum posts would not be the better text to "
    "pre-train on.",
)
def better_base(paper: Material) -> Finding:
    """Compare the two tuned rows of Tables 3 to 7."""
    pairs = {task: [paper.scores(task)[f"FT-{base}"] for base in BASES] for task in TASKS}
    won = [task for task, (pair, other) in pairs.items() if pair > other]
    because = f"BERTOverflow is better on {portion(len(won), len(pairs)).lower()} tasks: {named(won)}."
    return finding(2 * len(won) > len(pairs), because, scores=pairs)


@claim(
    "B24",
    "4.1",
    "Multi-task RFLHU-BERTOverflow is best on answer ranking.",
    holds="It has the highest MRR and the highest NDCG of Table 3, and the highest MRR of Table 8.",
    fails="Another model has one of these.",
    weight="conclusion",
    quote="the best performance was achieved with multi-task finetuning (RFLHU-BERTOverflow)",
    if_it_fails="A model tuned on answer ranking alone would be enough, and the four other tasks would add "
    "nothing to it.",
)
def best_on_ranking(paper: Material) -> Finding:
    """Look for the highest scores."""
    rows = paper.scores("R")
    best = {
        "MRR": ordered(rows)[0],
        "NDCG": ordered({row: paper.number("table3", row, "NDCG") for row in rows})[0],
        "MRR of Table 8": ordered(paper.multitask("R: MRR"))[0],
    }
    right = [name for name in best.values() if name == BEST]
    because = f"{BEST} is highest in {portion(len(right), len(best)).lower()} columns."
    return finding(len(right) == len(best), because, best=best)


@claim(
    "B25",
    "Table 3",
    "The standard errors of MRR and NDCG are .001.",
    holds="All are published so, scores between 0 and 1 can have such errors, and each question's score is "
    "published.",
    caveat="The scores of single questions are not published.",
    fails="One is published otherwise, or scores between 0 and 1 cannot have it.",
    weight="detail",
    quote="The numbers in parentheses are the standard errors of the sample mean",
    thresholds={"0": "range of MRR and NDCG", "1": "range of MRR and NDCG"},
)
def standard_errors(paper: Material) -> Finding:
    """Compare each error with the largest one that a mean of scores in 0..1 can have."""
    questions = paper.count("table2", "R", "Test")
    places = [(row, column) for row in paper.scores("R") for column in ("MRR", "NDCG")]
    published = {(row, c): paper.number("table3", row, f"{c}: standard error") for row, c in places}
    means = {place: paper.number("table3", *place) for place in published}
    most = {place: sqrt(mean * (1 - mean) / questions) for place, mean in means.items()}
    fine = [place for place, error in published.items() if error == 0.001 and error - 0.0005 < most[place]]
    because = (
        f"{portion(len(fine), len(published))} errors are .001; with {questions:,} questions none can exceed "
    )
    return finding(
        len(fine) == len(published),
        f"{because}{max(most.values()):.4f}.",
        caveat=None
        if paper.has("question_scores")
        else scope("The scores of single questions are not published."),
        errors={f"{row}, {column}": error for (row, column), error in published.items()},
    )
