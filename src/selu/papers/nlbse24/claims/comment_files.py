"""The released files of comments: columns, partitions, and what was done to the sentences (3.1)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, percent, wording
from selu.papers.nlbse24.claims._known import DATA, unless_counted
from selu.papers.nlbse24.material import Material
from selu.vocabulary import Finding

QUESTION = DATA
COLUMNS = ("ID", "class", "sentence", "partition", "category")


@claim(
    "N36",
    "3.1",
    "In the files, partition 1 is training and 0 is testing.",
    weight="detail",
    quote="partition denotes the dataset it belongs to, i.e., one for training and zero for testing",
    holds="The partition that section 3.1 calls training has more rows than the other.",
    fails="It has no more rows.",
)
def partition_one_trains(paper: Material) -> Finding:
    """Check that the larger partition trains: four fifths of the sentences do."""
    if missing := unless_counted(paper, "partition_rows"):
        return missing
    rows = {name: paper.number("partition_rows", name, "rows") for name in ("0", "1")}
    trains = f"{paper.text('3.1', 'Partition of training'):.0f}"
    return finding(
        rows[trains] > rows["0" if trains == "1" else "1"],
        f"Partition 0 has {rows['0']:,.0f} rows, partition 1 has {rows['1']:,.0f}.",
        rows=rows,
    )


@claim(
    "N37",
    "3.1",
    "The released files have the columns ID, class, sentence, partition and category.",
    weight="detail",
    quote="The dataset was provided in CSV files where the attribute ID represents the unique sentence ID",
    holds="The files have these columns, in capital or small letters, and no other.",
    caveat="They have them, but some by a longer name that ends so, or they have further columns.",
    fails="One of the columns is not there.",
)
def released_columns(paper: Material) -> Finding:
    """Compare the columns that the files of all languages have (``comment_columns``)."""
    if missing := unless_counted(paper, "comment_columns"):
        return missing
    names = paper.published("comment_columns", "all", "columns").split(", ")
    lower = {name.lower(): name for name in names}
    as_named = {name: lower[name.lower()] for name in COLUMNS if name.lower() in lower}
    longer = {
        name: [lower[other] for other in lower if other.endswith(f"_{name.lower()}")]
        for name in COLUMNS
        if name not in as_named
    }
    absent = [name for name, fitting in longer.items() if not fitting]
    used = {*as_named.values(), *(name for fitting in longer.values() for name in fitting)}
    renamed = [f"{name} is called {' or '.join(fitting)}" for name, fitting in longer.items() if fitting]
    untold = [f"the text leaves out {name}" for name in names if name not in used]
    count = f"The files have {len(COLUMNS) - len(absent)} of the {len(COLUMNS)} columns."
    return finding(
        not absent,
        f"{count} There is no {listed(absent)}." if absent else count,
        caveat=wording(f"But {'; '.join([*renamed, *untold])}.") if renamed or untold else None,
        columns=names,
    )


def _share_with(paper: Material, column: str) -> Finding:
    if missing := unless_counted(paper, "comment_characters"):
        return missing
    counts, sentences = (paper.by_language("comment_characters", name) for name in (column, "sentences"))
    shares = {language: count / sentences[language] for language, count in counts.items()}
    shown = (f"{language} {percent(share) if share else 'none'}" for language, share in shares.items())
    return finding(
        max(shares.values()) == 0,
        f"Of the sentences, these shares have {column}: {listed(shown)}.",
        shares=shares,
    )


@claim(
    "N38",
    "3.1",
    "Sentences were turned to lower case.",
    weight="method",
    quote="changed the sentences to lowercase",
    holds="No sentence in the files has a capital letter.",
    fails="Some have one.",
)
def lower_case(paper: Material) -> Finding:
    """Count sentences with a capital letter."""
    return _share_with(paper, "capital letters")


@claim(
    "N39",
    "3.1",
    "Special characters and line ends were taken out of the sentences.",
    weight="method",
    quote="transformed multiple line endings into one ending, and removed special characters",
    holds="No sentence in the files has one of the characters that section 3.1 lists, or a line end.",
    fails="Some have one.",
)
def no_special_characters(paper: Material) -> Finding:
    """Count sentences with a character that section 3.1 lists."""
    return _share_with(paper, "special characters")


@claim(
    "N40",
    "3.1",
    "Each sentence is in one part only.",
    weight="method",
    quote="We randomly partitioned the comment sentence dataset into training (80%) and testing (20%) sets",
    holds="In the files, each sentence is in the same part in all categories of its language.",
    fails="Some sentences train one category and test another.",
)
def one_part_each(paper: Material) -> Finding:
    """Count ids that are in both parts, over all categories of a language."""
    if missing := unless_counted(paper, "sentence_parts"):
        return missing
    in_both, every = (paper.by_language("sentence_parts", column) for column in ("in both", "sentences"))
    shown = listed(f"{k} {f'{v:,} ({percent(v / every[k])})' if v else 'none'}" for k, v in in_both.items())
    return finding(
        not sum(in_both.values()),
        f"Sentences that train one category and test another: {shown}.",
        both=in_both,
        sentences=every,
    )
