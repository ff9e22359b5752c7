"""The comment sentences: how many, from which projects, how split and cleaned (abstract, 3.1)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.nlbse24.claims._known import FILES, known, unless_counted
from selu.benchmarks.nlbse24.material import LANGUAGES, PARTS, TOTAL, Material
from selu.vocabulary import Finding

ALL = PARTS[2]


@claim("N02", "Abstract, 3.1", "The models were evaluated on 82 thousand code comments.")
def eighty_two_thousand(m: Material) -> Finding:
    """Some total that the paper gives must be 82 thousand when rounded to thousands."""
    stated = m.text("Abstract", "Code comments")
    totals = {
        part: sum(m.distribution(f"{language}/{TOTAL}", part, "Total") for language in LANGUAGES)
        for part in PARTS
    }
    totals["sentences"] = int(m.text("3.1", "Sentences"))
    fitting = [name for name, total in totals.items() if round(total / 1000) == stated]
    return finding(
        bool(fitting),
        f"Table 2 sums to {totals[PARTS[0]]:,} rows of training, {totals[PARTS[1]]:,} of testing and "
        f"{totals[ALL]:,} in all, of {totals['sentences']:,} sentences: {len(fitting)} are "
        f"{stated:.0f} thousand.",
        totals=totals,
    )


@claim("N30", "3.1", "The set has 14,875 sentences in 19 categories.")
def sentences_and_categories(m: Material) -> Finding:
    """A category of Table 2 has every sentence of its language, as belonging or not."""
    sentences = {language: m.distribution(m.categories_of(language)[0], ALL, "Total") for language in LANGUAGES}
    stated = m.text("3.1", "Sentences"), m.text("3.1", "Categories")
    files = known(m, "sentence_ids")
    unique, texts = (
        int(sum(m.number("sentence_ids", language, column) for language in LANGUAGES)) if files else None
        for column in ("unique", "texts")
    )
    return finding(
        stated == (float(sum(sentences.values())), float(len(m.categories))) and unique in (None, stated[0]),
        f"Table 2 has {sum(sentences.values()):,} sentences and {len(m.categories)} categories.",
        caveat=f"The files have {unique:,} ids, but only {texts:,} different texts."
        if files
        else f"{FILES}: whether sentences differ from each other is open.",
        sentences=sentences,
        categories=len(m.categories),
        unique=unique,
        texts=texts,
    )


@claim("N31", "3.1", "The sentences come from 1,733 classes: 1,049 Java, 340 Pharo, 344 Python.")
def classes(m: Material) -> Finding:
    """The sum, and the different class names of the files (``class_counts``) where they were counted.

    Section 3.1 keeps one file of each name, so that names tell classes apart.
    """
    parts = {language: m.text("3.1", f"Classes: {language}") for language in LANGUAGES}
    stated, total = m.text("3.1", "Classes"), sum(parts.values())
    files = known(m, "class_counts")
    shown = " + ".join(f"{count:.0f}" for count in parts.values())
    found = {name: int(m.number("class_counts", name, "classes")) for name in LANGUAGES if files}
    off = [name for name in found if found[name] != parts[name]]
    counted = (
        f"the files have {sum(found.values()):,} class names, {listed(f'{k} {v:,}' for k, v in found.items())}"
    )
    return finding(
        total == stated and not off,
        f"{shown} = {total:,.0f}; {counted if files else 'no language is known to differ'}.",
        caveat=None if files else f"{FILES}, so that no class was counted.",
        classes=parts,
        in_the_files=found,
        differing=off,
    )


@claim("N32", "3.1", "The comments belong to 20 projects.")
def projects(m: Material) -> Finding:
    """Projects that section 3.1 names."""
    named = {
        language: m.printed("text", "3.1", f"Projects: {language}").replace(" and ", " ").split(", ")
        for language in LANGUAGES
    }
    found, stated = sum(map(len, named.values())), m.text("3.1", "Projects")
    return finding(found == stated, f"{found} projects are named, {stated:.0f} are stated.", named=named)


@claim("N33", "3.1", "Each category has at least 50 sentences.")
def fifty_sentences(m: Material) -> Finding:
    """The fewest positive sentences of a category, over both parts."""
    positives = {row: m.distribution(row, ALL, "Positive") for row in m.categories}
    rarest, least = min(positives, key=lambda row: positives[row]), m.text("3.1", "Sentences of a category")
    return finding(
        positives[rarest] >= least, f"{rarest} has the fewest, {positives[rarest]}.", positives=positives
    )


@claim("N34", "3.1", "A sentence belongs to no more than 5 to 7 categories, by language.")
def few_categories_each(m: Material) -> Finding:
    """The most categories of one sentence; a language has 5 or 7 categories."""
    if missing := unless_counted(m, "sentence_categories"):
        return missing
    most = {language: m.number("sentence_categories", language, "most") for language in LANGUAGES}
    over = [language for language, count in most.items() if count > len(m.categories_of(language))]
    return finding(
        not over,
        f"The most categories of one sentence: {listed(f'{k} {v:.0f}' for k, v in most.items())}.",
        most=most,
    )


@claim("N35", "3.1", "The split is 80 to 20, with similar shares of positive and negative sentences.")
def eighty_twenty(m: Material) -> Finding:
    """Share of training rows of each category and class, printed and counted: 80 % to the next 5 %."""
    tables = {"printed": "table2"} | ({"counted": "comment_rows"} if known(m, "comment_rows") else {})
    shares = {
        f"{row}, {column} ({how})": m.number(table, row, f"{PARTS[0]}: {column}")
        / m.number(table, row, f"{ALL}: {column}")
        for how, table in tables.items()
        for row in m.categories
        for column in ("Positive", "Negative")
    }
    stated = m.text("3.1", "Training share") / 100
    off = {place: share for place, share in shares.items() if abs(share - stated) > 0.025}
    far = max(shares, key=lambda place: abs(shares[place] - stated))
    return finding(
        not off,
        f"{len(shares) - len(off)} of {len(shares)} shares lie within 2.5 points of {percent(stated)}; "
        f"furthest is {far} with {percent(shares[far])}.",
        furthest={far: shares[far]},
        off=off,
    )


@claim("N36", "3.1", "In the files, partition 1 is training and 0 is testing.")
def partition_one_trains(m: Material) -> Finding:
    """The larger partition trains."""
    if missing := unless_counted(m, "partition_rows"):
        return missing
    rows = {name: m.number("partition_rows", name, "rows") for name in ("0", "1")}
    trains = f"{m.text('3.1', 'Partition of training'):.0f}"
    return finding(
        rows[trains] > rows["0" if trains == "1" else "1"],
        f"Partition 0 has {rows['0']:,.0f} rows, partition 1 has {rows['1']:,.0f}.",
        rows=rows,
    )


@claim("N37", "3.1", "The released files have the columns ID, class, sentence, partition and category.")
def released_columns(m: Material) -> Finding:
    """Names as printed, whatever their case; a longer name that ends so is a caveat, as is one not told of."""
    if missing := unless_counted(m, "comment_columns"):
        return missing
    names = m.printed("comment_columns", "all", "columns").lower().split(", ")
    stated = ("id", "class", "sentence", "partition", "category")
    longer = {name: [n for n in names if n.endswith(f"_{name}")] for name in stated if name not in names}
    absent = [name for name, fitting in longer.items() if not fitting]
    untold = [n for n in names if n not in stated and not any(n in fitting for fitting in longer.values())]
    renamed = [f"{name} as {listed(fitting)}" for name, fitting in longer.items()]
    return finding(
        not absent,
        f"Of the {len(stated)} columns {len(absent)} are absent: {listed(absent)}.",
        caveat=f"Some have other names ({listed(renamed)}), and the text leaves out {listed(untold)}."
        if longer or untold
        else None,
        columns=names,
    )


def _share_with(m: Material, column: str) -> Finding:
    if missing := unless_counted(m, "comment_characters"):
        return missing
    shares = {
        language: m.number("comment_characters", language, column)
        / m.number("comment_characters", language, "sentences")
        for language in LANGUAGES
    }
    return finding(
        max(shares.values()) == 0,
        f"Sentences with {column}: {listed(f'{k} {percent(v)}' for k, v in shares.items())}.",
        shares=shares,
    )


@claim("N38", "3.1", "Sentences were turned to lower case.")
def lower_case(m: Material) -> Finding:
    """Sentences with a capital letter."""
    return _share_with(m, "capital letters")


@claim("N39", "3.1", "Special characters and line ends were taken out of the sentences.")
def no_special_characters(m: Material) -> Finding:
    """Sentences with one of those that section 3.1 lists."""
    return _share_with(m, "special characters")


@claim("N40", "3.1", "Each sentence is in one part only.")
def one_part_each(m: Material) -> Finding:
    """Ids that are in both parts, over all categories of a language."""
    if missing := unless_counted(m, "sentence_parts"):
        return missing
    both, every = (
        {language: int(m.number("sentence_parts", language, column)) for language in LANGUAGES}
        for column in ("in both", "sentences")
    )
    shown = listed(f"{k} {v:,} ({percent(v / every[k])})" for k, v in both.items())
    return finding(
        not sum(both.values()),
        f"Sentences that train one category and test another: {shown}.",
        both=both,
        sentences=every,
    )
