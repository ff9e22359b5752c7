"""Domain-adapted models against generalists, by task family (V-B)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, joined, listed, rounding, signed, wording
from selu.papers.selu.analysis.aggregates import (
    CODE,
    COMMUNICATION,
    CORE,
    FAMILY_ROWS,
    GENERALIST,
    contrast,
    contrasts,
    gain_by_task,
    largest,
    outlying_cells,
    outlying_models,
    systems_of,
    tasks_of,
)
from selu.papers.selu.claims._questions import ADAPTATION
from selu.papers.selu.claims._scales import MEDIUM, NO_DIFFERENCE, SMALL
from selu.papers.selu.claims._sources import COHEN, ROUNDING
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.vocabulary import Caveat, Finding, Kind

QUESTION = ADAPTATION


def _far_behind(paper: Material) -> list[str]:
    """List core tasks of other types where BERT or RoBERTa large is .2 below the other generalists' mean."""
    far, two = 0.2, largest(paper)
    others = [name for name in systems_of(paper, GENERALIST) if name not in two]
    scores = paper.scores.loc[
        [task for task in tasks_of(paper, CORE) if paper.task(task).kind is not Kind.MULTI_LABEL]
    ]
    behind = scores[two].min(axis=1) < scores[others].mean(axis=1) - far
    return [str(task) for task in scores.index[behind]]


def _score(paper: Material, task: str, system: str) -> float:
    return paper.number("table6", task, paper.system(system).name)


@claim(
    "C078",
    "V-B",
    "On core non-code and on code-adjacent tasks, domain-adapted models have a slightly higher mean and a "
    "lower SD.",
    weight="conclusion",
    if_it_fails="Pre-training on code would not help on these two families of tasks.",
    quote="For code-adjacent and core non-code tasks, we see small improvements on mean performance and "
    "variance in favor of domain adoption via code-focused pre-training.",
    holds="In both families, domain-adapted models have the higher mean and the lower SD, the effect is at "
    "least small and below medium (d from .2 to below .5), and the differences remain without the footnote's "
    "outliers.",
    fails="In at least one of the two families, the mean is not higher, or the SD not lower, or d is .5 or "
    "more, whatever the rounding of the scores.",
    caveat="An effect is below .2; or without BERT large and RoBERTa large on multi-label tasks a gain in mean "
    "is below .005, or an SD is higher; or rounding (.001) can turn a comparison.",
    thresholds={
        ".2": COHEN,
        ".5": COHEN,
        ".005": "our choice: a smaller difference reads .00 at two digits",
        **ROUNDING,
    },
)
def adaptation_helps_a_little_on_code_and_core(paper: Material) -> Finding:
    """Leave the footnote's outliers out in both families, though it names one."""
    rows = [CODE, CORE]
    found, trimmed = contrasts(paper, rows), contrasts(paper, rows, outlying_cells(paper))
    tasks = {row: gain_by_task(paper, row) for row in rows}
    possible, sure = (
        all(
            c["difference"] > -slack
            and c["SD difference"] < slack
            and c["d"] - slack / (10 * c["rope"]) < MEDIUM
            for c in found.values()
        )
        for slack in (MEANS, -MEANS)
    )
    negligible = [f"{row} d = {c['d']:.2f}" for row, c in found.items() if c["d"] < SMALL]
    wins = {row: sum(gain > 0 for gain in gains.values()) for row, gains in tasks.items()}
    caveats: list[Caveat] = []
    if negligible:
        sentence = (
            f"By Table IV's own scale that is negligible ({listed(negligible)}); domain-adapted models lead on "
            f"{' and '.join(f'{wins[row]} of {len(tasks[row])} {row.lower()} tasks' for row in rows)}."
        )
        caveats.append(wording(sentence))
    if any(c["difference"] < NO_DIFFERENCE or c["SD difference"] > 0 for c in trimmed.values()):
        left = listed(
            f"{r.lower()} M {c['difference']:+.4f}, SD {c['SD difference']:+.3f}" for r, c in trimmed.items()
        )
        sentence = f"Without BERT large and RoBERTa large on multi-label tasks the differences are {left}."
        caveats.append(exceptions(sentence))
    if not sure:
        caveats.append(rounding("Rounding of the scores could turn a comparison."))
    return finding(
        possible,
        "Domain-adapted minus generalist: "
        + "; ".join(
            f"{r.lower()} M {c['difference']:+.3f}, SD {c['SD difference']:+.3f}" for r, c in found.items()
        )
        + ".",
        caveat=joined(caveats),
        contrasts=found,
        without_outlying_cells=trimmed,
        gain_by_task=tasks,
    )


@claim(
    "C079",
    "V-B footnote",
    "The core non-code difference may come from BERT large and RoBERTa large on multi-label tasks; without "
    "them none remains.",
    weight="detail",
    quote="may be attributed to the low performance of largest versions of BERT and RoBERTa for individual "
    "multi-label tasks ... Without these outliers, no difference remains.",
    holds="There is a difference in mean (.005 or more), and without the two models' scores on multi-label "
    "tasks it is gone (below .005).",
    fails="There is none, or it remains even without all scores of the two models, by more than rounding "
    "explains (.001).",
    caveat="It remains without their scores on multi-label tasks, but is gone without all their scores; or "
    "rounding can turn a comparison.",
    thresholds={".005": "our choice: a smaller difference reads .00 at two digits", **ROUNDING},
)
def core_difference_is_two_outliers(paper: Material) -> Finding:
    """Read the footnote literally (their multi-label scores) and widely (both models)."""
    full, literal, wide = (
        contrast(paper, CORE, without) for without in ((), outlying_cells(paper), outlying_models(paper))
    )
    code = contrast(paper, CODE, outlying_cells(paper))
    there, gone, gone_widely = (abs(c["difference"]) for c in (full, literal, wide))
    low, high = NO_DIFFERENCE - MEANS, NO_DIFFERENCE + MEANS
    rope = "inside" if abs(literal["difference"]) < literal["rope"] else "outside"
    widely = (
        "It is gone only without all scores of the two models: without those on multi-label tasks "
        f"{literal['difference']:+.3f} is left ({rope} an equivalence threshold (ROPE) of a tenth of the SD, "
        f"{literal['rope']:.3f}), as the two are far behind on {listed(_far_behind(paper))} too."
    )
    caveats = [wording(widely)] if gone >= NO_DIFFERENCE else []
    if there < high or low <= gone < high or (gone >= high and low <= gone_widely < high):
        caveats.append(rounding("Rounding of the scores could turn a comparison."))
    cells = {
        task: {name: _score(paper, task, name) for name in largest(paper)} for task in tasks_of(paper, CORE)
    }
    return finding(
        there >= low and min(gone, gone_widely) < high,
        f"The difference of {full['difference']:+.3f} on core non-code tasks becomes "
        f"{literal['difference']:+.4f} without the two models' multi-label scores and "
        f"{wide['difference']:+.4f} without the two models.",
        caveat=joined(caveats),
        remark="On code-adjacent tasks, which the footnote does not name, the difference without the two "
        f"models' multi-label scores is {code['difference']:+.4f}.",
        all_cells=full,
        without_multi_label_cells=literal,
        without_models=wide,
        scores_of_the_two=cells,
        far_behind_on_other_types=_far_behind(paper),
        code_adjacent_without_multi_label_cells=code,
    )


@claim(
    "C080",
    "V-B",
    "On developer communication, generalists lead by about as much as they trail elsewhere.",
    weight="conclusion",
    if_it_fails="Domain adaptation would have a net gain or a net loss, rather than about as much of both.",
    quote="for developer communication tasks, a similar improvement is observed this time in favor of "
    "generalist LLMs",
    holds="Generalists have the higher mean and the lower SD on developer communication, with a lead between "
    "half and twice their lag in each of the other two families, and the higher mean on each of its tasks.",
    fails="They have the lower mean, or the higher SD, or lag in none of the others, or the lead is less than "
    "half or more than twice as large, whatever the rounding of the scores.",
    caveat="Domain-adapted models have the higher mean on some of its tasks; or rounding (.001) can turn a "
    "comparison.",
    thresholds={
        "half and twice": "our choice: 'a similar improvement' is of the same size, roughly",
        **ROUNDING,
    },
)
def communication_favours_generalists(paper: Material) -> Finding:
    """Compare with each of the other two families."""
    factor = 2.0
    found = contrasts(paper, list(FAMILY_ROWS))
    lead = -found[COMMUNICATION]["difference"]
    others = {row: found[row]["difference"] for row in (CODE, CORE)}
    fewer = found[COMMUNICATION]["SD difference"]
    possible, sure = (
        fewer > -slack
        and all(
            min(lead, other) > -slack
            and lead + slack >= (other - slack) / factor
            and lead - slack <= factor * (other + slack)
            for other in others.values()
        )
        for slack in (MEANS, -MEANS)
    )
    gains = gain_by_task(paper, COMMUNICATION)
    against = {task: gain for task, gain in gains.items() if gain >= 0}
    caveats: list[Caveat] = []
    if against:
        sentence = (
            f"Of its {len(gains)} tasks, {len(gains) - len(against) or 'none'} favour generalists; "
            f"{listed(against)} do not."
        )
        caveats.append(exceptions(sentence))
    if not sure:
        caveats.append(rounding("Rounding of the scores could turn a comparison."))
    return finding(
        possible,
        f"On developer communication generalists lead by {lead:.3f} in mean and by "
        f"{fewer:.3f} in SD. Elsewhere they trail in mean by {others[CODE]:.3f} (code-adjacent) and "
        f"{others[CORE]:.3f} (core).",
        caveat=joined(caveats),
        contrasts=found,
        gain_by_task=gains,
    )


@claim(
    "C082",
    "V-B",
    "Of the three families, code-adjacent tasks show the smallest difference in mean.",
    weight="detail",
    quote="the mean difference on code-adjacent metadata tasks being the lowest",
    holds="The difference of domain-adapted and generalist models is smallest there by size. That another "
    "family has the smallest without the outliers (BERT large and RoBERTa large, altogether or on multi-label "
    "tasks) is a remark: the sentence does not leave them out.",
    fails="Another family's difference is smaller by more than rounding explains (.002).",
    caveat="Rounding can turn the order.",
    thresholds={".002": "Table VI: scores have three digits, so that each of four means may be off by .0005"},
)
def code_adjacent_difference_is_smallest(paper: Material) -> Finding:
    """Compare absolute differences."""
    rows = list(FAMILY_ROWS)
    found = {row: c["difference"] for row, c in contrasts(paper, rows).items()}
    trimmed = {
        "wide": {r: c["difference"] for r, c in contrasts(paper, rows, outlying_models(paper)).items()},
        "literal": {r: c["difference"] for r, c in contrasts(paper, rows, outlying_cells(paper)).items()},
    }
    smallest = {name: min(values, key=lambda r: abs(values[r])) for name, values in trimmed.items()}
    reads = {
        name: f"{row.lower()} {'stays' if row == CODE else 'becomes'} the smallest ({trimmed[name][row]:+.4f})"
        for name, row in smallest.items()
    }
    readings = (
        f"If both models of the footnote are left out, {reads['wide']}; if only their multi-label scores are, "
        f"{reads['literal']}."
    )
    lead = min(abs(gap) for row, gap in found.items() if row != CODE) - abs(found[CODE])
    return finding(
        lead >= -2 * MEANS,
        f"Domain-adapted minus generalist is {signed(found)}.",
        caveat=rounding("Rounding of the scores could turn the order.") if lead <= 2 * MEANS else None,
        remark=readings if set(smallest.values()) != {CODE} else None,
        differences=found,
        without_outliers=trimmed,
    )
