"""The data sets of classes: hierarchy and usage (sections 4.4 and 4.5, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from selu.papers.blanca.claims._known import HOLDINGS, NO_DISTANCES, PARTS, in_table
from selu.papers.blanca.material import Material
from selu.papers.claims import claim, finding, listed, portion, scope, unless_known, unless_rescored, wording
from selu.vocabulary import Finding

QUESTION = HOLDINGS


def _counts(pairs: Mapping[str, tuple[int, int]]) -> str:
    return listed(f"{part.lower()} {pair:,} and {other:,}" for part, (pair, other) in pairs.items())


@claim(
    "B12",
    "4.4",
    "The 257,655 classes are 90,464 canonical ones.",
    holds="The released class map has as many names and as many canonical classes.",
    fails="It has other numbers.",
    weight="detail",
    quote="We collected the documentation associated with 257,655 classes ... which resulted in 90,464 classes",
)
def canonical_classes(paper: Material) -> Finding:
    """Compare with counts of the released class map, once it is here."""
    stated = [paper.count("text", "4.4", name) for name in ("Classes", "Canonical classes")]
    missing = f"The map of {stated[0]:,} names to {stated[1]:,} classes is not available here"
    if not_checkable := unless_known(paper, "classes", missing):
        return not_checkable
    found = [paper.count("classes", "all", name) for name in ("names", "canonical")]
    return finding(
        found == stated, f"It has {found[0]:,} names and {found[1]:,} classes.", text=stated, file=found
    )


@claim(
    "B13",
    "4.4",
    "The pairs of the hierarchy are 16,215,400 for training and 1,801,716 for testing.",
    holds="Both are those of Table 2, and a tenth of each distance, rounded up, can give the test part.",
    caveat="The text puts another word after the numbers.",
    fails="One of the two is another, or the script cannot give it.",
    weight="detail",
    quote="such that 16,215,400 million pairs of classes were in train, and 1,801,716 million pairs were in "
    "test",
)
def hierarchy_pairs(paper: Material) -> Finding:
    """Compare with Table 2, and with what the script can give over all distances."""
    pairs = in_table(paper, "4.4", "H")
    (train, _), (test, _) = pairs.values()
    # A tenth of each bin, rounded up, has together at least a tenth of all, and at most nine tenths a bin more.
    low = ceil((train + test) / 10)
    high = (train + test + 9 * paper.count("text", "4.4", "Largest distance")) // 10
    fits = low <= test <= high and all(stated == tabulated for stated, tabulated in pairs.values())
    because = f"Text and Table 2 say {_counts(pairs)}; the script can give {low:,} to {high:,} test pairs."
    word = paper.published("text", "4.4", "Word after the numbers of pairs")
    caveat = wording(f'The text puts "{word}" after both numbers.') if word != "-" else None
    return finding(fits, because, caveat=caveat, text_and_table=pairs, possible=[low, high])


@claim(
    "B15",
    "4.4",
    "Class distances range from 1 to 10.",
    holds="These are the smallest and the largest distance that the authors count, over all pairs of Table 2.",
    caveat="Their counts are of fewer pairs than Table 2 has.",
    fails="They count a smaller or a larger distance, or not so far.",
    weight="method",
    quote="We structured this as a class distance prediction task, with class distances ranging from 1 to 10",
)
def class_distances(paper: Material) -> Finding:
    """Compare with the authors' counts of pairs by distance."""
    counts = {int(row): paper.count("distances", row, "Pairs") for row, _ in paper.tables["distances"]}
    stated = [paper.count("text", "4.4", f"{which} distance") for which in ("Smallest", "Largest")]
    total, test = sum(counts.values()), paper.count("table2", "H", "Test")
    return finding(
        [min(counts), max(counts)] == stated,
        f"The authors' counts go from {min(counts)} to {max(counts)}.",
        caveat=scope(f"They are of {total:,} pairs, where Table 2 has {test:,} for testing.")
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
    weight="detail",
    quote="The train task contains 75,862 class pairs, and the test task contains 8,439 pairs",
    thresholds={"ten": "the authors' script"},
)
def usage_pairs(paper: Material) -> Finding:
    """Compare with Table 2, with the script's rule, and with the authors' usage list where it was counted."""
    pairs = in_table(paper, "4.5", "U")
    (train, _), (test, _) = pairs.values()
    total = train + test
    size = ceil(total / 10)  # of every bin but the last one, which has the rest
    taken = 9 * ceil(size / 10) + ceil((total - 9 * size) / 10)
    fits = taken == test and all(stated == tabulated for stated, tabulated in pairs.values())
    because = f"Text and Table 2 say {_counts(pairs)}; the script gives {taken:,} test pairs."
    numbers: dict[str, Any] = {"text_and_table": pairs, "by_the_script": taken}
    if paper.has("usage"):
        counted = paper.count("usage", "all", "pairs")
        fits, because = fits and counted == total, f"{because} The usage list has {counted:,} pairs."
        numbers["usage_list"] = counted
    return finding(fits, because, **numbers)


@claim(
    "B18",
    "4.5",
    "The mean distance of usage is 312.21 over training pairs and 312.12 over test pairs.",
    holds="Together they give the mean over all pairs of the authors' usage list.",
    fails="They give another mean, whatever digits were left out.",
    weight="detail",
    quote="with an average distance of 312.21 for train pairs and an average distance of 312.12 for test pairs",
)
def mean_usage_distance(paper: Material) -> Finding:
    """Weigh the two means by their pairs."""
    if not_checkable := unless_rescored(paper, "usage", NO_DISTANCES):
        return not_checkable
    means = [paper.number("text", "4.5", f"Mean distance: {part.lower()}") for part in PARTS]
    sizes = [paper.count("text", "4.5", f"{part} pairs") for part in PARTS]
    weighed = sum(mean * size for mean, size in zip(means, sizes, strict=True)) / sum(sizes)
    found = paper.number("usage", "all", "mean distance")
    return finding(
        abs(found - weighed) <= 0.005,
        f"Weighed by their pairs the two means give {weighed:.2f}; the "
        f"{paper.count('usage', 'all', 'pairs'):,} pairs of the list have a mean distance of {found:.2f}.",
        stated=weighed,
        usage_list=found,
    )


@claim(
    "B19",
    "4.5",
    "The distance of usage is Euclidean, of methods and classes that share them to the largest M and smallest "
    "C.",
    holds="This formula gives every distance of the authors' test pairs from their usage list.",
    caveat="M and C have different ranges and are not scaled, so that the one with the wider range "
    "decides more.",
    fails="It gives another distance for a pair.",
    weight="method",
    quote="We used the Euclidean distance of each class pair from this ideal vector as the dissimilarity "
    "metric",
)
def usage_formula(paper: Material) -> Finding:
    """Compare with the distances that were computed from the usage list."""
    if not_checkable := unless_rescored(paper, "usage", NO_DISTANCES):
        return not_checkable
    names = ("recomputed distances", "test pairs with distances", "largest M", "smallest C", "largest C")
    same, pairs, most, least, largest = (paper.count("usage", "all", name) for name in names)
    spans = sorted((most, largest - least))
    return finding(
        same == pairs,
        f"{portion(same, pairs)} distances follow from [{most}, {least}], unscaled.",
        caveat=scope(f"M spans {most} and C {largest - least}, and neither is scaled.")
        if spans[0] < spans[1]
        else None,
        recomputed=same,
        pairs=pairs,
        spans=spans,
    )
