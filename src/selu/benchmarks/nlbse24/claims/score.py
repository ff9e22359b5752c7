"""The score that decides the comment track (3.2)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24 import formulas, linting
from selu.benchmarks.nlbse24.claims._known import BAG_OF_WORDS, of_rule, shown
from selu.benchmarks.nlbse24.material import BASELINE, WINNER, Material, Track
from selu.stats.rounding import agrees, as_printed
from selu.vocabulary import Finding

RUNTIME = "Avg. Inference Runtime (secs.)"


@claim("N46", "3.2, Table 3", "The score is 0.75 times F1 and 0.25 times the share of 5 ms that is saved.")
def score_of_the_formula(m: Material) -> Finding:
    """From Table 3 within rounding; then from its F1 as printed, and from the mean F1 of the categories."""
    entries, wrong = of_rule(linting.scores(m), linting.SCORE)
    plain, finer, ways = {}, {}, {}
    for team in m.teams(Track.COMMENTS):
        runtime, printed = m.comment(team, RUNTIME), m.printed("table3", team, "Ranking Score")
        categories = m.per_category(str(m.entrant(team).results))
        plain[team] = m.formula.of(m.comment(team), runtime)
        finer[team] = m.formula.of(formulas.mean(list(categories.values())), runtime)
        both = {"as printed": plain[team], "of the categories": finer[team]}
        ways[team] = [name for name, value in both.items() if agrees(value, printed)]
    apart = len({tuple(way) for way in ways.values()}) > 1
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} scores are possible for the printed F1 and time.",
        caveat="But they are not of one kind: "
        + "; ".join(f"{team}'s is that of the F1 {listed(way)}" for team, way in ways.items())
        + f". From F1 as printed they would be {_pair(plain)}, from the categories {_pair(finer)}."
        if apart
        else None,
        impossible=shown(wrong),
        of_table3=plain,
        of_categories=finer,
    )


def _pair(scores: dict[str, float]) -> str:
    return " and ".join(as_printed(score, 4) for score in scores.values())


@claim("N61", "3.2", "The score makes participants raise F1 and lower the runtime.")
def score_rewards_both(m: Material) -> Finding:
    """It must rise with F1 and with speed; a model without any runtime may then win with less F1."""
    score = m.formula
    per_point = score.weight_f1 / 100
    per_millisecond = score.weight_runtime / score.longest / 1000
    best = max(m.comment(team, "Ranking Score") for team in (BASELINE, WINNER))
    enough = (best - score.weight_runtime) / score.weight_f1
    run = _bag_of_words(m)
    return finding(
        per_point > 0 and per_millisecond > 0,
        f"A point of F1 is worth {per_point:.4f}, a millisecond {per_millisecond:.4f}.",
        caveat=f"A millisecond weighs as much as {per_millisecond / per_point:.1f} points of F1: a model of no "
        f"runtime beats the winner with an F1 above {enough:.3f}; {_said(run, best)}."
        if enough < m.comment(WINNER)
        else None,
        per_point_of_f1=per_point,
        per_millisecond=per_millisecond,
        f1_that_wins_without_runtime=enough,
        bag_of_words=run,
    )


def _bag_of_words(m: Material) -> dict[str, float] | None:
    """F1, runtime and score of our bag of words over all categories; None where it did not run on each."""
    places = [
        (f"{BAG_OF_WORDS}/{place}", key) for place in m.categories.values() for key in ("f1", "avg_runtime_s")
    ]
    if not all(place in m.tables.get("reruns", {}) for place in places):
        return None
    f1, runtime = (
        formulas.mean([m.number("reruns", row, column) for row, column in places if column == key])
        for key in ("f1", "avg_runtime_s")
    )
    return {"f1": f1, "runtime": runtime, "score": m.formula.of(f1, runtime)}


def _said(run: dict[str, float] | None, best: float) -> str:
    if run is None:
        return "no such model was run yet"
    verdict = "wins" if run["score"] > best else "does not win"
    return (
        f"our bag of words, with an F1 of {run['f1']:.3f} in {1000 * run['runtime']:.3f} ms, scores "
        f"{run['score']:.3f} and {verdict}"
    )
