"""The data sets of questions and posts (sections 4.1 to 4.3, Table 2)."""

from __future__ import annotations

from selu.papers.blanca.claims._known import HOLDINGS, PARTS, in_table
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, finding, listed, portion, scope, unless_known
from selu.vocabulary import Finding

QUESTION = HOLDINGS


@claim(
    "B04",
    "4.1",
    "Answer ranking has 450,000 training and 50,000 test questions, a 90-10 split of 500,000.",
    holds="Both are those of Table 2, their sum is the number of all questions, and their shares are the "
    "split.",
    fails="One of the numbers is another.",
    weight="detail",
    quote="The train and test tasks were split 90-10, so the train set had 450,000 questions and test had "
    "50,000",
)
def questions(paper: Material) -> Finding:
    """Add the two parts up."""
    pairs = in_table(paper, "4.1", "R", "questions")
    (train, _), (test, _) = pairs.values()
    total, split = paper.count("text", "4.1", "Questions"), paper.published("text", "4.1", "Split")
    shares = f"{100 * train / (train + test):g}-{100 * test / (train + test):g}"
    fits = (
        train + test == total and shares == split and all(stated == other for stated, other in pairs.values())
    )
    because = f"{train:,} and {test:,} questions are {train + test:,} of {total:,}, a split of {shares}."
    return finding(fits, because, text_and_table=pairs, total=total)


@claim(
    "B06",
    "4.1",
    "A question has 4.9 answers and 23.5 votes on average, an answer 12.74 votes.",
    holds="The released questions have these means, rounded.",
    fails="One of the means is another.",
    weight="detail",
    quote="The average number of answers per question in this dataset is 4.9 answers",
)
def votes(paper: Material) -> Finding:
    """Compare with counts of the released files, once they are here."""
    names = ("Answers per question", "Votes per question", "Votes per answer")
    stated = {name: paper.number("text", "4.1", name) for name in names}
    numbers = listed(f"{value:g}" for value in stated.values())
    missing = f"The questions of answer ranking are not available here, to count {numbers}"
    if not_checkable := unless_known(paper, "answers", missing):
        return not_checkable
    found = {name: paper.number("answers", "all", name) for name in names}
    same = [abs(found[name] - value) <= 0.05 for name, value in stated.items()]
    return finding(
        all(same), f"{portion(sum(same), 3)} means are those of the files.", text=stated, files=found
    )


def _halves(paper: Material, section: str, part: str, total: int) -> Finding:
    """Add up the positive and the negative examples of a part."""
    positive, negative = (paper.count("text", section, f"{part}: {kind}") for kind in ("positive", "negative"))
    because = (
        f"{positive:,} positive and {negative:,} negative pairs are {positive + negative:,}, where the total "
        f"is {total:,}."
    )
    return finding(positive + negative == total, because, positive=positive, negative=negative, total=total)


@claim(
    "B07",
    "4.2",
    "The training set of linked posts has 23,516 pairs, 11,758 of each class.",
    holds="The classes add up to the total of Table 2.",
    fails="They add up to another number.",
    weight="detail",
    quote="23,516 pairs of posts for training (11,758 positive and 11,758 negative)",
)
def linked_training(paper: Material) -> Finding:
    """Add the classes up."""
    return _halves(paper, "4.2", "Training", paper.count("table2", "L", "Train"))


@claim(
    "B08",
    "4.2",
    "The test set of linked posts has 5,854 pairs, 2,727 of each class.",
    holds="The classes add up to the total, and are those of the authors' file of distances.",
    fails="They add up to another number, or the file has other ones.",
    weight="detail",
    quote="5,854 pairs (2,727 positive and 2,727 negative) for testing",
)
def linked_test(paper: Material) -> Finding:
    """Add the classes up, and count them in the authors' file where it was scored again."""
    found = _halves(paper, "4.2", "Test", paper.count("table2", "L", "Test"))
    if not paper.has("rescored", "L/USE"):
        return found
    pairs, linked = (paper.count("rescored", "L/USE", name) for name in ("pairs", "related"))
    because = f"{found.because} The authors' file of distances has {linked:,} and {pairs - linked:,}."
    stated = [found.numbers["positive"], found.numbers["negative"]]
    return finding(stated == [linked, pairs - linked], because, text=stated, file=[linked, pairs - linked])


@claim(
    "B09",
    "4.3",
    "The training set of forum posts and classes has 8,827 negative and 2,661 positive examples.",
    holds="They add up to the total of Table 2.",
    fails="They add up to another number.",
    weight="detail",
    quote="we created 8,827 negative examples and 2,661 positives for training",
)
def forum_training(paper: Material) -> Finding:
    """Add the classes up."""
    return _halves(paper, "4.3", "Training", paper.count("table2", "F", "Train"))


@claim(
    "B10",
    "4.3",
    "The test set of forum posts and classes has 980 negative and 295 positive examples.",
    holds="They add up to the total of Table 2, and each is the share of all examples that the script takes.",
    fails="They add up to another number, or are another share.",
    weight="detail",
    quote="and 980 negative examples and 295 positive examples for testing",
)
def forum_test(paper: Material) -> Finding:
    """Add the classes up, and take the script's share of each, cut off to whole examples."""
    found = _halves(paper, "4.3", "Test", paper.count("table2", "F", "Test"))
    share = paper.count("scripts", "Split of F", "Test share")
    kinds = ("positive", "negative")
    whole = [sum(paper.count("text", "4.3", f"{part}: {kind}") for part in PARTS) for kind in kinds]
    taken = [total * share // 100 for total in whole]
    stated = [found.numbers[kind] for kind in kinds]
    fits = found.numbers["total"] == sum(stated) and stated == taken
    because = f"{found.because} {share} % of {whole[0]:,} and {whole[1]:,} are {taken[0]:,} and {taken[1]:,}."
    return finding(fits, because, text=stated, by_the_script=taken)


@claim(
    "B11",
    "4.3",
    "Three annotators found 96.7% of 100 examples right and 3.3% wrong.",
    holds="The two add up to all, each is a share of their judgements, and the judgements are published.",
    caveat="The judgements are not published.",
    fails="They do not add up, or are no such shares.",
    weight="method",
    quote="The average hit and miss rates from the three annotators were 96.7% and 3.3%, respectively",
)
def annotators(paper: Material) -> Finding:
    """Look for whole numbers of judgements behind the two shares."""
    hits, misses = (paper.number("text", "4.3", name) for name in ("Hits", "Misses"))
    judgements = paper.count("text", "4.3", "Annotators") * paper.count("text", "4.3", "Annotated examples")
    count = round(hits * judgements / 100)
    whole = abs(100 * count / judgements - hits) <= 0.05 + 1e-9
    return finding(
        abs(hits + misses - 100) < 1e-9 and whole,
        f"{hits:g} % and {misses:g} % add up to {hits + misses:g} %; {count} of {judgements} judgements are "
        f"{100 * count / judgements:.1f} %.",
        caveat=None if paper.has("annotations") else scope("The judgements are not published."),
        hits=hits,
        misses=misses,
    )
