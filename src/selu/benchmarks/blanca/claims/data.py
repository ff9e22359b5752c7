"""What the data sets hold (sections 4.1 to 4.5, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from selu.benchmarks.blanca.claims._known import DETAIL, METHOD, of, unless_rescored, word
from selu.benchmarks.blanca.material import Material
from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.vocabulary import Finding

PARTS = ("Training", "Test")
COLUMN = dict(zip(PARTS, ("Train", "Test"), strict=True))


def _in_table(m: Material, section: str, task: str, unit: str = "pairs") -> dict[str, tuple[int, int]]:
    """Pair the text's numbers of training and test rows with those of Table 2."""
    return {
        part: (m.count("text", section, f"{part} {unit}"), m.count("table2", task, COLUMN[part]))
        for part in PARTS
    }


def _said(pairs: Mapping[str, tuple[int, int]]) -> str:
    return listed(f"{part.lower()} {one:,} and {other:,}" for part, (one, other) in pairs.items())


@claim(
    "B04",
    "4.1",
    "Answer ranking has 450,000 training and 50,000 test questions, a 90-10 split of 500,000.",
    holds="Both are those of Table 2, their sum is the number of all questions, and their shares are the "
    "split.",
    fails="One of the numbers is another.",
    weight=DETAIL,
    quote="The train and test tasks were split 90-10, so the train set had 450,000 questions and test had "
    "50,000",
)
def questions(m: Material) -> Finding:
    """Add the two parts up."""
    pairs = _in_table(m, "4.1", "R", "questions")
    (train, _), (test, _) = pairs.values()
    total, split = m.count("text", "4.1", "Questions"), m.printed("text", "4.1", "Split")
    shares = f"{100 * train / (train + test):g}-{100 * test / (train + test):g}"
    fits = train + test == total and shares == split and all(one == other for one, other in pairs.values())
    because = f"{train:,} and {test:,} questions are {train + test:,} of {total:,}, a split of {shares}."
    return finding(fits, because, text_and_table=pairs, total=total)


@claim(
    "B06",
    "4.1",
    "A question has 4.9 answers and 23.5 votes on average, an answer 12.74 votes.",
    holds="The released questions have these means, rounded.",
    fails="One of the means is another.",
    weight=DETAIL,
    quote="The average number of answers per question in this dataset is 4.9 answers",
)
def votes(m: Material) -> Finding:
    """Compare with counts of the released files, once they are here."""
    names = ("Answers per question", "Votes per question", "Votes per answer")
    said = {name: m.number("text", "4.1", name) for name in names}
    numbers = listed(f"{value:g}" for value in said.values())
    if open_ := unless_known(m, "answers", f"The questions of R are not here, to count {numbers}"):
        return open_
    found = {name: m.number("answers", "all", name) for name in names}
    same = [abs(found[name] - value) <= 0.05 for name, value in said.items()]
    return finding(all(same), f"{of(sum(same), 3)} means are those of the files.", text=said, files=found)


def _halves(m: Material, section: str, part: str, total: int) -> Finding:
    """Add up the positive and the negative examples of a part."""
    one, other = (m.count("text", section, f"{part}: {kind}") for kind in ("positive", "negative"))
    because = (
        f"{one:,} positive and {other:,} negative pairs are {one + other:,}, where the total is {total:,}."
    )
    return finding(one + other == total, because, positive=one, negative=other, total=total)


@claim(
    "B07",
    "4.2",
    "The training set of linked posts has 23,516 pairs, 11,758 of each class.",
    holds="The classes add up to the total of Table 2.",
    fails="They add up to another number.",
    weight=DETAIL,
    quote="23,516 pairs of posts for training (11,758 positive and 11,758 negative)",
)
def linked_training(m: Material) -> Finding:
    """Add the classes up."""
    return _halves(m, "4.2", "Training", m.count("table2", "L", "Train"))


@claim(
    "B08",
    "4.2",
    "The test set of linked posts has 5,854 pairs, 2,727 of each class.",
    holds="The classes add up to the total, and are those of the authors' file of distances.",
    fails="They add up to another number, or the file has other ones.",
    weight=DETAIL,
    quote="5,854 pairs (2,727 positive and 2,727 negative) for testing",
)
def linked_test(m: Material) -> Finding:
    """Add the classes up, and count them in the authors' file where it was scored again."""
    found = _halves(m, "4.2", "Test", m.count("table2", "L", "Test"))
    if not m.has("rescored", "L/USE"):
        return found
    pairs, linked = (m.count("rescored", "L/USE", name) for name in ("pairs", "related"))
    because = f"{found.because} The authors' file of distances has {linked:,} and {pairs - linked:,}."
    said = [found.numbers["positive"], found.numbers["negative"]]
    return finding(said == [linked, pairs - linked], because, text=said, file=[linked, pairs - linked])


@claim(
    "B09",
    "4.3",
    "The training set of forum posts and classes has 8,827 negative and 2,661 positive examples.",
    holds="They add up to the total of Table 2.",
    fails="They add up to another number.",
    weight=DETAIL,
    quote="we created 8,827 negative examples and 2,661 positives for training",
)
def forum_training(m: Material) -> Finding:
    """Add the classes up."""
    return _halves(m, "4.3", "Training", m.count("table2", "F", "Train"))


@claim(
    "B10",
    "4.3",
    "The test set of forum posts and classes has 980 negative and 295 positive examples.",
    holds="They add up to the total of Table 2, and each is the share of all examples that the script takes.",
    fails="They add up to another number, or are another share.",
    weight=DETAIL,
    quote="and 980 negative examples and 295 positive examples for testing",
)
def forum_test(m: Material) -> Finding:
    """Add the classes up, and take the script's share of each, cut off to whole examples."""
    found = _halves(m, "4.3", "Test", m.count("table2", "F", "Test"))
    share = m.count("scripts", "Split of F", "Test share")
    kinds = ("positive", "negative")
    whole = [sum(m.count("text", "4.3", f"{part}: {kind}") for part in PARTS) for kind in kinds]
    taken = [total * share // 100 for total in whole]
    said = [found.numbers[kind] for kind in kinds]
    fits = found.numbers["total"] == sum(said) and said == taken
    because = f"{found.because} {share} % of {whole[0]:,} and {whole[1]:,} are {taken[0]:,} and {taken[1]:,}."
    return finding(fits, because, text=said, by_the_script=taken)


@claim(
    "B11",
    "4.3",
    "Three annotators found 96.7% of 100 examples right and 3.3% wrong.",
    holds="The two add up to all, each is a share of their judgements, and the judgements are published.",
    caveat="The judgements are not published.",
    fails="They do not add up, or are no such shares.",
    weight=METHOD,
    quote="The average hit and miss rates from the three annotators were 96.7% and 3.3%, respectively",
)
def annotators(m: Material) -> Finding:
    """Look for whole numbers of judgements behind the two shares."""
    hits, misses = (m.number("text", "4.3", name) for name in ("Hits", "Misses"))
    judgements = word(m, "4.3", "Annotators") * word(m, "4.3", "Annotated examples")
    count = round(hits * judgements / 100)
    whole = abs(100 * count / judgements - hits) <= 0.05 + 1e-9
    return finding(
        abs(hits + misses - 100) < 1e-9 and whole,
        f"{hits:g} % and {misses:g} % add up to {hits + misses:g} %; {count} of {judgements} judgements are "
        f"{100 * count / judgements:.1f} %.",
        caveat=None if m.has("annotations") else "The judgements are not published.",
        hits=hits,
        misses=misses,
    )


@claim(
    "B12",
    "4.4",
    "The 257,655 classes are 90,464 canonical ones.",
    holds="The released class map has as many names and as many canonical classes.",
    fails="It has other numbers.",
    weight=DETAIL,
    quote="added in classes that we could not load for some reason, which resulted in 90,464 classes",
)
def canonical_classes(m: Material) -> Finding:
    """Compare with counts of the released class map, once it is here."""
    said = [m.count("text", "4.4", name) for name in ("Classes", "Canonical classes")]
    missing = f"The map of {said[0]:,} names to {said[1]:,} classes is not here"
    if open_ := unless_known(m, "classes", missing):
        return open_
    found = [m.count("classes", "all", name) for name in ("names", "canonical")]
    return finding(found == said, f"It has {found[0]:,} names and {found[1]:,} classes.", text=said, file=found)


def _tenth(total: int, bins: int) -> tuple[int, int]:
    """Return the fewest and the most rows that a tenth of each bin, rounded up, can have together."""
    return ceil(total / 10), (total + 9 * bins) // 10


@claim(
    "B13",
    "4.4",
    "The pairs of the hierarchy are 16,215,400 for training and 1,801,716 for testing.",
    holds="Both are those of Table 2, and a tenth of each distance, rounded up, can give the test part.",
    fails="One of the two is another, or the script cannot give it.",
    weight=DETAIL,
    quote="such that 16,215,400 million pairs of classes were in train",
)
def hierarchy_pairs(m: Material) -> Finding:
    """Compare with Table 2, and with what the script can give over all distances."""
    pairs = _in_table(m, "4.4", "H")
    (train, _), (test, _) = pairs.values()
    low, high = _tenth(train + test, m.count("text", "4.4", "Largest distance"))
    fits = low <= test <= high and all(one == other for one, other in pairs.values())
    because = f"Text and Table 2 say {_said(pairs)}; the script can give {low:,} to {high:,} test pairs."
    return finding(fits, because, text_and_table=pairs, possible=[low, high])


@claim(
    "B15",
    "4.4",
    "Class distances range from 1 to 10.",
    holds="These are the smallest and the largest distance that the authors count, over all pairs of Table 2.",
    caveat="Their counts are of fewer pairs than Table 2 has.",
    fails="They count a smaller or a larger distance, or not so far.",
    weight=METHOD,
    quote="We structured this as a class distance prediction task, with class distances ranging from 1 to 10",
)
def class_distances(m: Material) -> Finding:
    """Compare with the authors' counts of pairs by distance."""
    counts = {int(row): m.count("distances", row, "Pairs") for row, _ in m.tables["distances"]}
    said = [m.count("text", "4.4", f"{which} distance") for which in ("Smallest", "Largest")]
    total, test = sum(counts.values()), m.count("table2", "H", "Test")
    return finding(
        [min(counts), max(counts)] == said,
        f"Their counts go from {min(counts)} to {max(counts)}.",
        caveat=f"They are of {total:,} pairs, where Table 2 has {test:,} for testing."
        if total < test
        else None,
        counts=counts,
    )


@claim(
    "B17",
    "4.5",
    "The pairs of usage are 75,862 for training and 8,439 for testing.",
    holds="Both are those of Table 2, and a tenth of each of ten bins, rounded up, gives the test part.",
    fails="One of the two is another, or the script does not give it.",
    weight=DETAIL,
    quote="The train task contains 75,862 class pairs, and the test task contains 8,439 pairs",
    thresholds={"ten": "the authors' script"},
)
def usage_pairs(m: Material) -> Finding:
    """Compare with Table 2, with the script's rule, and with the authors' usage list where it was counted."""
    pairs = _in_table(m, "4.5", "U")
    (train, _), (test, _) = pairs.values()
    total = train + test
    size = ceil(total / 10)  # of every bin but the last one, which has the rest
    taken = 9 * ceil(size / 10) + ceil((total - 9 * size) / 10)
    fits = taken == test and all(one == other for one, other in pairs.values())
    because = f"Text and Table 2 say {_said(pairs)}; the script gives {taken:,} test pairs."
    numbers: dict[str, Any] = {"text_and_table": pairs, "by_the_script": taken}
    if m.has("usage"):
        counted = m.count("usage", "all", "pairs")
        fits, because = fits and counted == total, f"{because} The usage list has {counted:,} pairs."
        numbers["usage_list"] = counted
    return finding(fits, because, **numbers)


@claim(
    "B18",
    "4.5",
    "The mean distance of usage is 312.21 over training pairs and 312.12 over test pairs.",
    holds="Together they give the mean over all pairs of the authors' usage list.",
    fails="They give another mean, whatever digits were left out.",
    weight=DETAIL,
    quote="with an average distance of 312.21 for train pairs and an average distance of 312.12 for test pairs",
)
def mean_usage_distance(m: Material) -> Finding:
    """Weigh the two means by their pairs."""
    if open_ := unless_rescored(m, "usage"):
        return open_
    means = [m.number("text", "4.5", f"Mean distance: {part.lower()}") for part in PARTS]
    sizes = [m.count("text", "4.5", f"{part} pairs") for part in PARTS]
    both = sum(mean * size for mean, size in zip(means, sizes, strict=True)) / sum(sizes)
    found = m.number("usage", "all", "mean distance")
    return finding(
        abs(found - both) <= 0.005,
        f"Weighed by their pairs the two means give {both:.2f}; the {m.count('usage', 'all', 'pairs'):,} "
        "pairs of "
        f"the list have a mean distance of {found:.2f}.",
        stated=both,
        usage_list=found,
    )


@claim(
    "B19",
    "4.5",
    "The distance of usage is Euclidean, of methods and classes that share them to the largest M and smallest "
    "C.",
    holds="This formula gives every distance of the authors' test pairs from their usage list.",
    caveat="One of M and C spans less than half of the other's range, and so decides less.",
    fails="It gives another distance for a pair.",
    weight=METHOD,
    quote="We used the Euclidean distance of each class pair from this ideal vector as the dissimilarity "
    "metric",
)
def usage_formula(m: Material) -> Finding:
    """Compare with the distances that were computed from the usage list."""
    if open_ := unless_rescored(m, "usage"):
        return open_
    names = ("recomputed distances", "test pairs with distances", "largest M", "smallest C", "largest C")
    same, pairs, most, least, largest = (m.count("usage", "all", name) for name in names)
    spans = sorted((most, largest - least))
    return finding(
        same == pairs,
        f"{of(same, pairs)} distances follow from [{most}, {least}], unscaled.",
        caveat=f"M spans {most} and C {largest - least}." if 2 * spans[0] < spans[1] else None,
        recomputed=same,
        pairs=pairs,
        spans=spans,
    )
