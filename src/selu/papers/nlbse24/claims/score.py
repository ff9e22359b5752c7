"""The score that decides the comment track (3.2)."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.claims import claim, finding, portion, scope, wording
from selu.papers.nlbse24 import formulas, linting
from selu.papers.nlbse24.claims._known import BAG_OF_WORDS, RULES, RUNTIME, of_rule, shown
from selu.papers.nlbse24.material import BASELINE, WINNER, Material, Track
from selu.stats.rounding import to_digits
from selu.vocabulary import Finding

QUESTION = RULES


@claim(
    "N46",
    "3.2, Table 3",
    "The score is 0.75 times F1 plus 0.25 times the share of 5 ms that is saved.",
    weight="method",
    quote="The winner of the competition was the model with the highest score as determined by the "
    "following formula",
    holds="Both scores of Table 3 follow, rounded or cut off, from the published time and one kind of F1: that "
    "of Table 3, or the mean of the published categories.",
    caveat="Both are possible for the published F1 and time, but no one kind of F1 gives both.",
    fails="A score is impossible for the published F1 and time, whatever digits were left out.",
)
def score_of_the_formula(paper: Material) -> Finding:
    """Compute the score from Table 3 within rounding, from its unrounded F1, and from the categories' mean."""
    entries, wrong = of_rule(linting.scores(paper), linting.SCORE)
    by_kind: dict[str, dict[str, float]] = {"Table 3": {}, "the categories": {}}
    for team in paper.teams(Track.COMMENTS):
        runtime, results = paper.comment(team, RUNTIME), str(paper.entrant(team).results)
        by_kind["Table 3"][team] = paper.formula.compute(paper.comment(team), runtime)
        by_kind["the categories"][team] = paper.formula.compute(
            formulas.mean(list(paper.per_category(results).values())), runtime
        )
    published = {team: paper.published("table3", team, "Ranking Score") for team in paper.teams(Track.COMMENTS)}
    fitting = {
        kind: [team for team, score in scores.items() if formulas.ways(score, published[team])]
        for kind, scores in by_kind.items()
    }
    given = " and ".join(
        f"{' and '.join(to_digits(score, 4) for score in scores.values())} from the F1 of {kind}"
        for kind, scores in by_kind.items()
    )
    return finding(
        not wrong,
        f"{portion(len(entries) - len(wrong), len(entries))} scores are possible for the published F1 and "
        "time.",
        caveat=None
        if any(len(teams) == len(published) for teams in fitting.values())
        else wording(
            f"No one kind of F1 gives both. Published are {' and '.join(published.values())}. The formula "
            f"gives {given}."
        ),
        impossible=shown(wrong),
        by_kind_of_f1=by_kind,
        fitting=fitting,
    )


@claim(
    "N61",
    "3.2",
    "The score makes participants raise F1 and lower the runtime.",
    weight="method",
    quote="With this formula, we encourage the participants to maximize the overall classification "
    "effectiveness and minimize the runtime of their models",
    holds="The score rises with F1 and with every millisecond saved, and our fast bag of words, with less F1 "
    "than both published systems, does not win by its speed.",
    caveat="The score rises with both, but the bag of words wins so, or was not run here.",
    fails="The score does not rise with F1, or not with speed.",
)
def score_rewards_both(paper: Material) -> Finding:
    """Check the weights of the formula, and the score of our bag of words (``reruns``)."""
    score, teams = paper.formula, (BASELINE, WINNER)
    per_point = score.weight_f1 / 100
    per_millisecond = score.weight_runtime / score.longest / 1000
    best = max(paper.comment(team, "Ranking Score") for team in teams)
    run = _bag_of_words(paper)
    wins = run is not None and run["score"] > best and run["f1"] < min(paper.comment(team) for team in teams)
    worth = f"One point of F1 (0.01) is worth {per_point:.4f}, and one millisecond {per_millisecond:.4f}."
    sentence = ""
    if run is not None:
        sentence = (
            f" Our bag of words, with an F1 of {run['f1']:.3f} in {1000 * run['runtime']:.3f} ms, scores "
            f"{run['score']:.3f} and {'wins' if run['score'] > best else 'does not win'}: the best published "
            f"system has {best:.3f}."
        )
    return finding(
        per_point > 0 and per_millisecond > 0,
        worth + sentence,
        caveat=scope("No fast model was run here.")
        if run is None
        else wording("It wins by its speed, with less F1.")
        if wins
        else None,
        per_point_of_f1=per_point,
        per_millisecond=per_millisecond,
        best_published=best,
        bag_of_words=run,
    )


def _bag_of_words(paper: Material) -> Mapping[str, float] | None:
    """Return F1, runtime and score of our bag of words over all categories; None unless it ran on each."""
    places = [
        (f"{BAG_OF_WORDS}/{place}", key)
        for place in paper.categories.values()
        for key in ("f1", "avg_runtime_s")
    ]
    if not all(place in paper.tables.get("reruns", {}) for place in places):
        return None
    f1, runtime = (
        formulas.mean([paper.number("reruns", row, column) for row, column in places if column == key])
        for key in ("f1", "avg_runtime_s")
    )
    return {"f1": f1, "runtime": runtime, "score": paper.formula.compute(f1, runtime)}
