"""How the tasks were described: patterns, coders, examples and their agreement (section III-B)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, scope, unless_known, wording
from selu.papers.crosscodebench.claims._known import DETAIL, METHOD, besides, portion
from selu.papers.crosscodebench.material import Material
from selu.vocabulary import Finding

QUESTION = "How were the tasks annotated?"
BANDS = {"almost perfect": (81.0, 100.0), "substantial": (61.0, 81.0)}


@claim(
    "X08",
    "III-B",
    "The examples of a task were written by coders and voted for.",
    holds="The released examples have explanations, and are not among the shortest instances of their task.",
    fails="They have none, as those that the authors' public script draws.",
    weight=METHOD,
    quote="we first put together a total of 10 examples they written, vote on the most representative 4",
)
def written_examples(paper: Material) -> Finding:
    """Compare with the files of the tasks, once they are here."""
    drawn, explanation = (
        paper.published("scripts", "Examples", what) for what in ("Drawn from", "Explanation")
    )
    missing = (
        f"The public script draws examples from {drawn} and leaves the explanation {explanation}; which ones "
        "were released, the published archive would show"
    )
    if not_checkable := unless_known(paper, "examples", missing):
        return not_checkable
    explained, shortest = (paper.count("examples", "all", what) for what in ("explained", "among the shortest"))
    total = paper.count("examples", "all", "examples")
    because = (
        f"{portion(explained, total)} examples are explained; {shortest:,} are among the shortest instances."
    )
    return finding(explained == total and shortest < total, because, explained=explained, shortest=shortest)


@claim(
    "X12",
    "III-B2",
    "The pilot study ends with four initial types.",
    holds="As many types are listed.",
    fails="Another number is listed.",
    weight=DETAIL,
    quote="The work ends with the definition of four initial classifications",
)
def initial_types(paper: Material) -> Finding:
    """Compare the number with the list below it."""
    stated = paper.count("text", "3", "Initial classifications")
    found = paper.count("text", "3", "Initial types listed")
    return finding(stated == found, f"The text says {stated} and lists {found}.", said=stated, listed=found)


@claim(
    "X13",
    "III-B2",
    "There are 14 patterns of descriptions and 5 of definitions.",
    holds="Both places of the section give the two numbers in the same order.",
    caveat="One place has them the other way round.",
    fails="They have other numbers.",
    weight=DETAIL,
    quote="specifications for writing task descriptions (14 patterns), task definitions (5 patterns)",
)
def patterns(paper: Material) -> Finding:
    """Compare the two places."""
    first = "/".join(
        paper.published("text", "3", f"{what} patterns, pilot study") for what in ("Description", "Definition")
    )
    later = paper.published("text", "3", "Patterns of description and definition, completion")
    because = f"For descriptions and definitions the pilot study gives {first}, the completion {later}."
    turned = sorted(first.split("/")) == sorted(later.split("/"))
    caveat = wording("The completion has the two numbers the other way round.") if first != later else None
    return finding(turned, because, caveat=caveat, pilot=first, completion=later)


@claim(
    "X14",
    "III-B2",
    "Five coders give 10 examples, of which 4 are chosen.",
    holds="Coders times examples of each are the examples put together, and the chosen ones are fewer.",
    fails="The product is another number, or more are chosen.",
    weight=METHOD,
    quote="We invite 1 Ph.D. student and 4 M.S. students mentioned in Section III-A to participate",
)
def examples_chosen(paper: Material) -> Finding:
    """Multiply."""
    coders, each, total, chosen = (
        paper.count("text", "3", what)
        for what in ("Coders", "Examples written by each coder", "Examples put together", "Examples chosen")
    )
    because = (
        f"{coders} coders with {each} examples make {coders * each}; the text says {total} and chooses "
        f"{chosen}."
    )
    return finding(coders * each == total >= chosen, because, product=coders * each, said=total, chosen=chosen)


@claim(
    "X15",
    "III-B2",
    "Agreement is almost perfect on the type and substantial on the other three.",
    holds="The four values lie in the bands that the cited scale has for these words, 0.81 to 1 and 0.61 to "
    "0.80.",
    caveat="Cohen's kappa is of two raters, and there are more coders.",
    fails="One of them lies in another band.",
    thresholds={"0.81 to 1 and 0.61 to 0.80": "Viera and Garrett (2005), cited by the paper"},
    weight=METHOD,
    quote="“almost perfect agreement” on the task type and “substantial agreement” on the other three",
)
def agreement(paper: Material) -> Finding:
    """Look up the bands."""
    perfect = paper.published("text", "3", "Almost perfect agreement on")
    names = ("task type", "description", "definition", "examples")
    kappas = {name: paper.number("text", "3", f"Kappa: {name}") for name in names}
    wrong = []
    for name, kappa in kappas.items():
        low, high = BANDS["almost perfect" if name == perfect else "substantial"]
        if not low <= kappa < high:
            wrong.append(name)
    coders = paper.count("text", "3", "Coders")
    caveat = scope(f"Cohen's kappa compares two raters; there are {coders} coders.") if coders > 2 else None
    because = f"{portion(len(names) - len(wrong), len(names))} values lie in the band named{besides(wrong)}."
    return finding(not wrong, because, caveat=caveat, kappas=kappas)
