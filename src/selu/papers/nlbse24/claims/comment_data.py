"""The comment sentences: how many, from which projects and classes, how split (abstract, 3.1)."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.claims import claim, finding, listed, percent, portion, scope, wording
from selu.papers.nlbse24.claims._known import DATA, FILES, unless_counted
from selu.papers.nlbse24.material import LANGUAGES, PARTS, TOTAL, Material
from selu.vocabulary import Finding

QUESTION = DATA
ALL = PARTS[2]


def _sentences(paper: Material) -> Mapping[str, int]:
    """Count the sentences of each language: each category of Table 2 has all, as belonging or not."""
    return {
        language: paper.distribution(paper.categories_of(language)[0], ALL, "Total") for language in LANGUAGES
    }


@claim(
    "N02",
    "Abstract, 3.1",
    "The models were fine-tuned and evaluated on 82 thousand code comments.",
    weight="detail",
    quote="fine-tuned and evaluated on a benchmark dataset of 3 thousand issue reports or 82 thousand code "
    "comments",
    holds="Rounded to thousands, this is the number of rows in Table 2 (training and testing), or of sentences "
    "in section 3.1.",
    caveat="It is the number of rows of training alone, or of testing alone.",
    fails="It is none of these numbers.",
)
def eighty_two_thousand(paper: Material) -> Finding:
    """Compare the unnamed rows of Table 2 with the number of section 3.1."""
    stated = paper.text("Abstract", "Code comments")
    totals = {
        part: sum(paper.distribution(f"{language}/{TOTAL}", part, "Total") for language in LANGUAGES)
        for part in PARTS
    }
    train, test, rows = (totals[part] for part in PARTS)
    totals["sentences"] = sentences = int(paper.text("3.1", "Sentences"))
    fitting = [name for name, total in totals.items() if round(total / 1000) == stated]
    whole = [name for name in fitting if name in (ALL, "sentences")]
    return finding(
        bool(fitting),
        f"Table 2 has {rows:,} rows ({train:,} of training, {test:,} of testing), and section 3.1 has "
        f"{sentences:,} sentences. {len(fitting) or 'None'} of these {len(totals)} numbers is {stated:.0f} "
        "thousand.",
        caveat=None if whole else scope("It is that of one part alone."),
        totals=totals,
    )


@claim(
    "N30",
    "3.1",
    "The set has 14,875 sentences in 19 categories.",
    weight="detail",
    quote="a dataset composed of 14,875 manually labeled comment sentences in 19 categories",
    holds="Table 2 has as many sentences and categories as section 3.1 states, and the files as many sentence "
    "ids, each with a text of its own.",
    caveat="The numbers agree, but several ids have the same text, or the files were not counted here.",
    fails="Table 2 has other numbers, or the files have another number of ids.",
)
def sentences_and_categories(paper: Material) -> Finding:
    """Compare Table 2 with the ids and texts of the files (``sentence_ids``), if they were counted."""
    sentences = _sentences(paper)
    stated = paper.text("3.1", "Sentences"), paper.text("3.1", "Categories")
    files = "sentence_ids" in paper.tables
    unique, texts = (
        sum(paper.by_language("sentence_ids", column).values()) if files else 0
        for column in ("unique", "texts")
    )
    repeated = f"The files have {unique:,} ids, but only {texts:,} different texts."
    return finding(
        stated == (float(sum(sentences.values())), float(len(paper.categories)))
        and (not files or unique == stated[0]),
        f"Table 2 has {sum(sentences.values()):,} sentences and {len(paper.categories)} categories.",
        caveat=(wording(repeated) if texts < unique else None)
        if files
        else scope(f"{FILES}: whether sentences differ from each other is open."),
        sentences=sentences,
        categories=len(paper.categories),
        unique=unique if files else None,
        texts=texts if files else None,
    )


@claim(
    "N31",
    "3.1",
    "The sentences come from 1,733 classes: 1,049 Java, 340 Pharo, 344 Python.",
    weight="detail",
    quote="The 19 categories are found in 1,049 class-level comments for Java, 340 for Pharo, and 344 for "
    "Python, for a total of 1,733",
    holds="The three numbers add up to the stated whole, and the file of each language has as many class names "
    "as stated.",
    caveat="They add up, but a file has fewer class names than stated: several classes can have the same name, "
    "so that names are only a lower bound. Or the files were not counted here.",
    fails="They do not add up, a file has more class names than stated, or a language has fewer sentences than "
    "stated classes.",
)
def classes(paper: Material) -> Finding:
    """Check the sum, and the class names of the files (``class_counts``) if they were counted.

    A place is a run of sentences of one class name; a name in several places is that of several files.
    """
    parts = {language: int(paper.text("3.1", f"Classes: {language}")) for language in LANGUAGES}
    stated, total, sentences = paper.text("3.1", "Classes"), sum(parts.values()), _sentences(paper)
    files = "class_counts" in paper.tables
    found = paper.by_language("class_counts", "classes") if files else {}
    places = max(paper.by_language("class_counts", "most places of a name").values()) if files else 1
    over = [name for name in found if found[name] > parts[name]]
    few = [name for name in parts if sentences[name] < parts[name]]
    counted = listed(f"{name} {found[name]:,} of {parts[name]:,}" for name in found)
    because = (
        f"{' + '.join(f'{count:,}' for count in parts.values())} = {total:,}, and {stated:,.0f} are stated."
    )
    shared = f" One name is in {places} separate places of its file." if places > 1 else ""
    return finding(
        total == stated and not over and not few,
        f"{because} The files have {sum(found.values()):,} class names: {counted}." if files else because,
        caveat=(None if found == parts else scope(f"Names are only a lower bound of the classes.{shared}"))
        if files
        else scope(f"{FILES}, so that no class was counted."),
        classes=parts,
        in_the_files=found,
        more_than_stated=over,
    )


@claim(
    "N32",
    "3.1",
    "The comments belong to 20 projects.",
    weight="detail",
    quote="belong to 20 open-source projects written in three different programming languages",
    holds="In section 3.1 as many projects are named as are stated.",
    fails="More or fewer are named.",
)
def projects(paper: Material) -> Finding:
    """Count the projects that section 3.1 names."""
    named = {
        language: paper.published("text", "3.1", f"Projects: {language}").replace(" and ", " ").split(", ")
        for language in LANGUAGES
    }
    found, stated = sum(map(len, named.values())), paper.text("3.1", "Projects")
    return finding(found == stated, f"Section 3.1 names {found} projects and states {stated:.0f}.", named=named)


@claim(
    "N33",
    "3.1",
    "Each category has at least 50 sentences.",
    weight="detail",
    quote="we focused on the most frequent categories, i.e., with 50+ comment sentences per category",
    holds="Each category has at least the stated number of positive sentences in Table 2 (training and "
    "testing).",
    fails="A category has fewer.",
)
def fifty_sentences(paper: Material) -> Finding:
    """Find the fewest positive sentences of a category, over both parts."""
    positives = {row: paper.distribution(row, ALL, "Positive") for row in paper.categories}
    rarest, least = min(positives, key=lambda row: positives[row]), paper.text("3.1", "Sentences of a category")
    return finding(
        positives[rarest] >= least,
        f"{rarest} has the fewest sentences, {positives[rarest]}; {least:.0f} are stated.",
        positives=positives,
    )


@claim(
    "N34",
    "3.1",
    "A sentence belongs to one category or more, up to a maximum of 5 to 7 that depends on the language.",
    weight="detail",
    quote="Each comment sentence can belong to one or more categories, to a maximum of 5 to 7 categories, "
    "depending on the language.",
    holds="Every sentence belongs to one category at least. The languages have from 5 to 7 categories in Table "
    "2, and no sentence belongs to more than the stated maximum.",
    fails="A sentence belongs to no category, the languages have other numbers of categories, or a sentence "
    "belongs to more than the stated maximum.",
)
def few_categories_each(paper: Material) -> Finding:
    """Compare the memberships in the files (``sentence_categories``) with section 3.1 and Table 2."""
    if missing := unless_counted(paper, "sentence_categories"):
        return missing
    text = paper.published("text", "3.1", "Most categories of a sentence")
    ends = [int(end) for end in text.split(" to ")]
    names = {language: len(paper.categories_of(language)) for language in LANGUAGES}
    most, none = (paper.by_language("sentence_categories", column) for column in ("most", "in 0"))
    without = sum(none.values())
    short = [language for language in LANGUAGES if most[language] < names[language]]
    shown = listed(f"{most[language]} of {names[language]} in {language}" for language in LANGUAGES)
    return finding(
        not without and [min(names.values()), max(names.values())] == ends and max(most.values()) <= max(ends),
        f"{f'{without:,} sentences belong to no' if without else 'Every sentence belongs to a'} category. "
        f"The most categories of one sentence are {shown}; section 3.1 says {text}.",
        remark=f"No sentence reaches the maximum in {listed(short)}." if short else None,
        most=most,
        categories=names,
        without_category=without,
    )


@claim(
    "N35",
    "3.1",
    "The split is 80 to 20, with similar shares of positive and negative sentences.",
    weight="method",
    quote="We randomly partitioned the comment sentence dataset into training (80%) and testing (20%) "
    "sets, both containing a similar proportion of positive and negative sentences",
    holds="Of each category's positive and of its negative sentences, 80 % train, within 2.5 points: in Table "
    "2, and in the files where they were counted.",
    fails="One of these shares is further away.",
    thresholds={"2.5 points": "our choice: nearest to 80 % among steps of 5 %"},
)
def eighty_twenty(paper: Material) -> Finding:
    """Compute the share of training rows of each category and class, published and counted."""
    tables = {"published": "table2"} | ({"counted": "comment_rows"} if "comment_rows" in paper.tables else {})
    shares = {
        f"{row}, {column} ({how})": paper.number(table, row, f"{PARTS[0]}: {column}")
        / (paper.number(table, row, f"{ALL}: {column}") or 1)
        for how, table in tables.items()
        for row in paper.categories
        for column in ("Positive", "Negative")
    }
    stated = paper.text("3.1", "Training share") / 100
    off = {place: share for place, share in shares.items() if abs(share - stated) > 0.025}
    far = max(shares, key=lambda place: abs(shares[place] - stated))
    return finding(
        not off,
        f"{portion(len(shares) - len(off), len(shares))} shares lie within 2.5 points of {percent(stated)}. "
        f"Furthest is {far} with {percent(shares[far])}.",
        furthest={far: shares[far]},
        off=off,
    )
