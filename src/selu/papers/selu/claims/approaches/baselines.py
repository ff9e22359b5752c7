"""TF-IDF+XGBoost against the other baseline and the prompted systems (V-A, VI)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, joined, listed, percent, rounding, wording
from selu.papers.selu.claims._questions import PROMPTING
from selu.papers.selu.claims._sources import BEYOND, OFF_BY, OUTPERFORMS
from selu.papers.selu.claims._systems import XGBOOST, error, mean_of, name_of, named
from selu.papers.selu.claims._unrounded import MEANS
from selu.papers.selu.material import Material
from selu.vocabulary import Approach, Caveat, Finding

QUESTION = PROMPTING
TURNS = "Rounding of the scores or Monte-Carlo error could turn one of these comparisons."


def _likelier(paper: Material, a: str, b: str) -> tuple[bool, bool]:
    """Return whether a is more likely better than b: beyond three Monte-Carlo errors, and at least within."""
    p, q = paper.p_better(a, b), paper.p_better(b, a)
    margin = 3 * (error(paper, p) + error(paper, q))
    return p - q > margin, p - q > -margin


def _clear(paper: Material, a: str, b: str) -> bool:
    """Return whether the test finds a better than b, even with three Monte-Carlo errors."""
    p = paper.p_better(a, b)
    return p - 3 * error(paper, p) >= paper.settings.threshold


@claim(
    "C041",
    "V-A",
    "TF-IDF+XGBoost is the better of the baselines.",
    weight="detail",
    quote="our best performing baseline TF-IDF+XGBoost",
    holds="Its mean is higher. That the test finds no clear winner would be a remark.",
    fails="Its mean is lower by more than rounding explains (.001).",
    caveat="Its mean is higher or lower by no more than rounding explains.",
    thresholds={".001": OFF_BY},
)
def xgboost_is_the_best_baseline(paper: Material) -> Finding:
    """Judge by mean and show the test's probability."""
    best, baselines = XGBOOST, paper.names(approach=Approach.BASELINE)
    means = {name: mean_of(paper, name) for name in baselines}
    others = [name for name in baselines if name != best]
    p = {name: paper.p_better(best, name) for name in others}
    undecided = [name for name in others if not _clear(paper, best, name)]
    lead = min(means[best] - means[name] for name in others)
    return finding(
        lead >= -MEANS,
        f"{name_of(paper, best)} has a mean of {means[best]:.3f}; "
        + listed(f"{name_of(paper, n)} {means[n]:.3f} (P = {percent(p[n])})" for n in others)
        + ".",
        caveat=rounding("The scores' rounding could turn the order of the means.") if lead <= MEANS else None,
        remark=f"The test finds no clear winner against {named(paper, undecided)}." if undecided else None,
        means=means,
        p_better=p,
    )


@claim(
    "C070",
    "Box V-A, VI",
    "TF-IDF+XGBoost is better than the prompted proprietary LLMs.",
    weight="conclusion",
    if_it_fails="Prompting a proprietary model would be at least as good as a classical baseline.",
    quote="Proprietary LLMs using zero-shot or 3-shot prompting strategies are inferior and even "
    "outperformed by TF-IDF+XGBoost models.",
    holds="Against each prompted system its mean is higher, the test finds it better (P from .95 up), and it "
    "wins most of the tasks.",
    fails="Against at least one its mean is lower by more than rounding explains (.001), or the other is the "
    "likelier to be better, beyond three Monte-Carlo errors.",
    caveat="Its mean is higher and it is the likelier to be better, but the test finds no clear winner in a "
    "pair, or it wins no more than half of the tasks against one; or rounding or those errors could turn the "
    "verdict.",
    thresholds={
        ".95": OUTPERFORMS,
        ".001": OFF_BY,
        "most": "our choice: more than half of the tasks",
        "three Monte-Carlo errors": BEYOND,
    },
)
def xgboost_is_above_prompted_models(paper: Material) -> Finding:
    """Judge each prompted system."""
    prompted = paper.names(approach=Approach.PROMPTED)
    gaps = {name: mean_of(paper, XGBOOST) - mean_of(paper, name) for name in prompted}
    p = {name: paper.p_better(XGBOOST, name) for name in prompted}
    tasks = {name: int((paper.ranked[XGBOOST] > paper.ranked[name]).sum()) for name in prompted}
    decided = [name for name in prompted if _clear(paper, XGBOOST, name)]
    most = [name for name in prompted if 2 * tasks[name] > len(paper.ranked)]
    likely = [_likelier(paper, XGBOOST, name) for name in prompted]
    caveats: list[Caveat] = []
    if set(decided) != set(prompted) or set(most) != set(prompted):
        sentence = (
            f"By the threshold of IV-D it outperforms {len(decided) or 'none'} of the {len(prompted)}, and "
            f"it wins most of the tasks against {len(most) or 'none'} "
            f"({listed(f'{tasks[n]} of {len(paper.ranked)} {name_of(paper, n)}' for n in prompted)})."
        )
        caveats.append(exceptions(sentence))
    if min(gaps.values()) <= MEANS or not all(sure for sure, _ in likely):
        caveats.append(rounding(TURNS))
    return finding(
        min(gaps.values()) >= -MEANS and all(possible for _, possible in likely),
        "Its lead in mean, and its probability to be better, are "
        + listed(f"{gaps[n]:+.3f} and {percent(p[n])} ({name_of(paper, n)})" for n in prompted)
        + ".",
        caveat=joined(caveats),
        lead=gaps,
        p=p,
        tasks_won=tasks,
        error={name: error(paper, value) for name, value in p.items()},
    )


@claim(
    "C097",
    "VI fourth",
    "Prompted systems can hardly compete with TF-IDF+XGBoost.",
    weight="conclusion",
    if_it_fails="Prompting would be at least as good as a classical baseline that costs nothing to ask.",
    quote="they can hardly compete with simpler models such as those based on TF-IDF+XGBoost",
    holds="Each prompted system has a lower mean and wins fewer than half of the tasks, and the test finds "
    "TF-IDF+XGBoost better than each (P from .95 up).",
    fails="At least one has a mean that is higher by more than rounding explains (.001), or TF-IDF+XGBoost is "
    "better with a probability below .5, beyond three Monte-Carlo errors.",
    caveat="Each has a lower mean and is likelier worse than not, but one wins half of the tasks or more, or "
    "the test finds no clear winner in a pair; or rounding or those errors could turn the verdict.",
    thresholds={
        "half": "our choice: who wins half of the tasks competes",
        ".95": OUTPERFORMS,
        ".001": OFF_BY,
        ".5": "our choice: hardly competing is at least being more likely worse than not",
        "three Monte-Carlo errors": BEYOND,
    },
)
def prompted_hardly_compete_with_the_baseline(paper: Material) -> Finding:
    """Judge each prompted system."""
    prompted = paper.names(approach=Approach.PROMPTED)
    wins = {name: int((paper.ranked[name] > paper.ranked[XGBOOST]).sum()) for name in prompted}
    p = {name: paper.p_better(XGBOOST, name) for name in prompted}
    margin = {name: 3 * error(paper, value) for name, value in p.items()}
    decided = [name for name in prompted if _clear(paper, XGBOOST, name)]
    lead = {name: mean_of(paper, XGBOOST) - mean_of(paper, name) for name in prompted}
    won, n, most = sum(wins.values()), len(paper.ranked), max(prompted, key=lambda name: wins[name])
    caveats: list[Caveat] = []
    if 2 * max(wins.values()) >= n or len(decided) < len(prompted):
        sentence = (
            f"They win {won} of {n * len(prompted)} comparisons task by task, {name_of(paper, most)} "
            f"{wins[most]} of {n}, and the test finds the baseline better in {len(decided) or 'none'} of "
            f"{len(prompted)} pairs."
        )
        caveats.append(wording(sentence))
    if min(lead.values()) <= MEANS or any(p[name] <= 0.5 + margin[name] for name in prompted):
        caveats.append(rounding(TURNS))
    return finding(
        min(lead.values()) >= -MEANS and all(p[name] > 0.5 - margin[name] for name in prompted),
        f"{sum(value > 0 for value in lead.values())} of {len(prompted)} prompted systems have a lower "
        "mean. The baseline is better with a probability of "
        f"{listed(f'{percent(v)} ({name_of(paper, name)})' for name, v in p.items())}.",
        caveat=joined(caveats),
        means={name: mean_of(paper, name) for name in [XGBOOST, *prompted]},
        tasks_won_by_prompted=wins,
        p_baseline_better=p,
        p_baseline_better_error={name: error(paper, v) for name, v in p.items()},
        decided_for_the_baseline=decided,
    )
