"""Results on linked posts, and on posts and classes (Tables 4 and 5)."""

from __future__ import annotations

from selu.papers.blanca.claims._known import BASES, BEST, implied_sd, ordered, p_of_t, tuned
from selu.papers.blanca.material import MEANS, Material
from selu.papers.claims import claim, exceptions, finding, listed, portion, rounding, scope
from selu.vocabulary import Caveat, Finding

QUESTION = "Do language models tell linked posts from others, and the posts on a class?"


def _significant(paper: Material, task: str) -> Finding:
    """Find the p of every t of a table at its number of test pairs."""
    level = paper.number("text", {"L": "4.2", "F": "4.3"}[task], "Significance")
    pairs = paper.count("table2", task, "Test")
    p = {name: p_of_t(score, pairs) for name, score in paper.scores(task).items()}
    low = [name for name, value in p.items() if value <= level]
    least = min(paper.scores(task).values())
    because = f"{portion(len(low), len(p))} models have p of at most {level:g}; the smallest t is {least:.2f}."
    return finding(len(low) == len(p), because, p=p)


@claim(
    "B26",
    "4.2",
    "All models tell linked from unlinked posts (p at most .01).",
    holds="Each t of Table 4 has a two-sided p of at most .01 at the number of test pairs.",
    fails="One of them has not.",
    weight="conclusion",
    quote="all language models showed a statistically significant difference (p ≤ .01) on independent sample "
    "t-tests between linked and unlinked posts",
    if_it_fails="Some model would place linked posts no nearer than unlinked ones, so that it could not find "
    "related posts.",
)
def linked_significant(paper: Material) -> Finding:
    """Compute p from t."""
    return _significant(paper, "L")


def _by_gap(paper: Material, task: str) -> list[str]:
    return ordered({name: paper.gap(task, name) for name in paper.scores(task)})


def _gaps_caveat(paper: Material, first: list[str], wanted: set[str]) -> Caveat | None:
    """State where the largest gaps are others', or lead by no more than two rounded means explain."""
    if set(first) != wanted:
        return exceptions(f"The largest gaps are those of {listed(first)}.")
    second, third = (paper.gap("L", name) for name in _by_gap(paper, "L")[1:3])
    if second - third > 0.01 + 1e-9:
        return None
    return rounding(f"The second gap, {second:.2f}, is ahead of the third, {third:.2f}, within their rounding.")


@claim(
    "B27",
    "4.2",
    "BERTOverflow tuned on linked posts alone, and that tuned on all tasks, pull linked and unlinked posts "
    "apart best.",
    holds="They have the two largest t of Table 4, and the two largest differences of the means.",
    caveat="Only by t, and not by the difference of the means, or that only within the rounding of "
    "the means (.01).",
    fails="Another model has a larger t.",
    thresholds={".01": "Table 4: two means of two digits, each off by at most .005"},
    weight="conclusion",
    quote="BERTOverflow with fine-tuning (both versions tuned on L only and RFLHU) performing the best in "
    "terms of pulling apart linked and unlinked posts",
    if_it_fails="Another model than a tuned BERTOverflow would be the one to take for finding related posts.",
)
def best_on_links(paper: Material) -> Finding:
    """Rank by t and by gap."""
    by_t, by_gap, wanted = ordered(paper.scores("L"))[:2], _by_gap(paper, "L")[:2], {BEST, "FT-BERTOverflow"}
    scores = paper.scores("L")
    return finding(
        set(by_t) == wanted,
        f"The two largest t are those of {listed(f'{name} ({scores[name]:.2f})' for name in by_t)}.",
        caveat=_gaps_caveat(paper, by_gap, wanted),
        by_t=by_t,
        by_gap=by_gap,
    )


@claim(
    "B28",
    "4.2",
    "As base models BERTOverflow and CodeBERT discriminate least between linked and unlinked posts.",
    holds="They have the two smallest t of Table 4, and the two smallest differences of the means.",
    caveat="Only by t, and not by the difference of the means.",
    fails="Another model has a smaller t.",
    weight="conclusion",
    quote="BERTOverflow and CodeBERT as base models discriminated least between linked and unlinked posts",
    if_it_fails="Without fine-tuning, another model than the two of the programming domain would be the "
    "weakest on linked posts.",
)
def worst_on_links(paper: Material) -> Finding:
    """Rank by t and by gap."""
    by_t, by_gap, scores = ordered(paper.scores("L"))[-2:], _by_gap(paper, "L")[-2:], paper.scores("L")
    return finding(
        set(by_t) == set(BASES),
        f"The two smallest t are those of {listed(f'{name} ({scores[name]:.2f})' for name in by_t)}.",
        caveat=None
        if set(by_gap) == set(BASES)
        else exceptions(f"The smallest gaps are those of {listed(by_gap)}."),
        by_t=by_t,
        by_gap=by_gap,
    )


@claim(
    "B29",
    "Table 4",
    "Bold marks the best model of linked posts.",
    holds="The bold row has the largest t, the smallest distance of linked and the largest of unlinked posts.",
    caveat="Other rows have a smaller distance of linked or a larger one of unlinked posts.",
    fails="Another row has a larger t.",
    weight="detail",
    kind="our check",
)
def bold_of_links(paper: Material) -> Finding:
    """Compare the bold row with the best of each column."""
    (bold,) = {paper.published("bold", "table4", column) for column in ("Linked", "Unlinked", "T")}
    rows = paper.scores("L")
    linked, unlinked = ({row: paper.number("table4", row, column) for row in rows} for column in MEANS["L"])
    nearest, farthest = ordered(linked)[-1], ordered(unlinked)[0]
    best = linked[bold] == linked[nearest] and unlinked[bold] == unlinked[farthest]
    other = (
        f"Linked posts are nearest for {nearest} ({linked[nearest]:.2f}), unlinked ones farthest for "
        f"{farthest}."
    )
    because = f"The bold row is {bold}, with t of {rows[bold]:.2f}."
    return finding(bold == ordered(rows)[0], because, caveat=None if best else exceptions(other), bold=bold)


@claim(
    "B30",
    "4.2",
    "The t statistics agree with the means and the sizes of the two groups.",
    holds="Gap, t and group sizes imply a spread that distances from 0 to 2 can have, and that of the "
    "authors' files.",
    caveat="The files were not scored again here.",
    fails="They imply another spread for a model.",
    weight="detail",
    kind="our check",
    thresholds={"0": "range of cosine distance", "2": "range of cosine distance"},
)
def t_and_means(paper: Material) -> Finding:
    """Compare implied standard deviations with those of the re-scored files."""
    half = paper.count("table2", "L", "Test") // 2
    implied = {name: implied_sd(paper, "L", name, half, half) for name in paper.scores("L")}
    wrong = [name for name, (low, _) in implied.items() if low > 1]
    files = {name: _spread(paper, f"L/{name}") for name in implied if paper.has("rescored", f"L/{name}")}
    wrong += [name for name, sd in files.items() if not implied[name][0] <= sd <= implied[name][1]]
    return finding(
        not wrong,
        f"{portion(len(implied) - len(set(wrong)), len(implied))} rows agree, {len(files)} of them with files.",
        caveat=None if files else scope("The files were not scored again here."),
        implied={name: list(ends) for name, ends in implied.items()},
        files=files,
    )


def _spread(paper: Material, row: str) -> float:
    return paper.number("rescored", row, "gap") / paper.number("rescored", row, "effect")


@claim(
    "B34",
    "4.3",
    "All models tell related from unrelated pairs of post and class (p at most .01).",
    holds="Each t of Table 5 has a two-sided p of at most .01 at the number of test pairs.",
    fails="One of them has not.",
    weight="conclusion",
    quote="all language models showed a statistically significant difference (p ≤ .01) on independent sample "
    "t-tests between positive and negative class-post examples",
    if_it_fails="Some model could not tell whether a post is about a class, and could not link posts to "
    "documentation.",
)
def forum_significant(paper: Material) -> Finding:
    """Compute p from t."""
    return _significant(paper, "F")


@claim(
    "B35",
    "4.3",
    "Fine-tuning improves the task of forum posts and classes.",
    holds="Both tuned models have a larger t than their bases, and a larger difference of the means.",
    caveat="Only by t, and not by the difference of the means.",
    fails="One of them has a smaller t.",
    weight="conclusion",
    quote="fine-tuning helps improving the performance on this task significantly",
    if_it_fails="Training on pairs of posts and classes would be of no use for linking posts to documentation.",
)
def tuning_on_forum(paper: Material) -> Finding:
    """Compare t and gap of both bases."""
    pairs = tuned(paper, "F")
    wider = all(paper.gap("F", f"FT-{base}") > paper.gap("F", base) for base in BASES)
    return finding(
        all(own > base for base, own in pairs.values()),
        f"t goes {listed(f'from {base:.2f} to {own:.2f} for {name}' for name, (base, own) in pairs.items())}.",
        caveat=None if wider else exceptions("The means do not move apart."),
        t=pairs,
    )


@claim(
    "B36",
    "4.3",
    "Multi-task RFLHU-CodeBERT is better than the models tuned on posts and classes alone.",
    holds="It has a larger t than both, and a larger difference of the means.",
    caveat="Only by t, and not by the difference of the means.",
    fails="One of the two has a larger t.",
    weight="conclusion",
    quote="RFLHU-CodeBERT, gave better performance compared to the single-task tuned models",
    if_it_fails="A model tuned on posts and classes alone would be enough to link the two, and the four other "
    "tasks would not be needed.",
)
def multitask_on_forum(paper: Material) -> Finding:
    """Compare t and gap."""
    names = ("RFLHU-CodeBERT", "FT-CodeBERT", "FT-BERTOverflow")
    statistics = {name: paper.scores("F")[name] for name in names}
    gaps = {name: paper.gap("F", name) for name in names}
    behind = ordered(gaps)[0] != names[0]
    return finding(
        ordered(statistics)[0] == names[0],
        f"t is {listed(f'{value:.2f} for {name}' for name, value in statistics.items())}.",
        caveat=exceptions(f"The means are {listed(f'{gap:.2f}' for gap in gaps.values())} apart.")
        if behind
        else None,
        t=statistics,
        gaps=gaps,
    )


@claim(
    "B37",
    "Table 8",
    "The best multi-task model on forum posts and classes is RFLHU-CodeBERT.",
    holds="It has the largest t of its column.",
    fails="Another model has a larger one.",
    weight="conclusion",
    kind="implied",
    if_it_fails="Table 5 would not show the best multi-task model, as the paper says that its tables do.",
)
def best_multitask_on_forum(paper: Material) -> Finding:
    """Look for the largest t."""
    scores = paper.multitask("F")
    best = ordered(scores)[0]
    return finding(best == "RFLHU-CodeBERT", f"The largest t is {scores[best]:.2f}, of {best}.", best=best)
