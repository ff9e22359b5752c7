"""TF-IDF+XGBoost against the other baseline and the prompted systems (V-A, VI)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, percent
from selu.benchmarks.selu.claims._systems import XGBOOST, error, mean_of, name_of, named, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER
from selu.vocabulary import Approach, Finding


@claim("C041", "V-A", "TF-IDF+XGBoost is the better of the baselines.")
def xgboost_is_the_best_baseline(m: Material) -> Finding:
    """By mean, with the test's probability beside it."""
    best, baselines = XGBOOST, m.names(approach=Approach.BASELINE)
    means = {name: float(m.ranking["M"][name]) for name in baselines}
    others = [name for name in baselines if name != best]
    p = {name: m.p_better(best, name) for name in others}
    undecided = [name for name in others if p[name] < m.knobs.threshold]
    return finding(
        all(means[best] > means[name] for name in others),
        f"{m.system(best).name} has a mean of {means[best]:.3f}; "
        + listed(f"{m.system(n).name} {means[n]:.3f} (P = {percent(p[n])})" for n in others)
        + ".",
        caveat=f"The test does not decide it against {named(m, undecided)}." if undecided else None,
        means=means,
        p_better=p,
    )


@claim("C070", "Box V-A, VI", "TF-IDF+XGBoost is better than the prompted proprietary LLMs.")
def xgboost_is_above_prompted_models(m: Material) -> Finding:
    """A higher mean and likelier better than each; pairs not decided, or too few tasks won, are a caveat."""
    prompted = m.names(approach=Approach.PROMPTED)
    gaps = {name: float(m.ranking["M"][XGBOOST] - m.ranking["M"][name]) for name in prompted}
    p = {name: m.p_better(XGBOOST, name) for name in prompted}
    tasks = {name: int((m.ranked[XGBOOST] > m.ranked[name]).sum()) for name in prompted}
    decided = [name for name in prompted if p[name] >= m.knobs.threshold]
    most = [name for name in prompted if 2 * tasks[name] > len(m.ranked)]
    caveat = (
        f"By the threshold of IV-D it outperforms {len(decided)} of the {len(prompted)}, and it wins the "
        f"majority of tasks against {len(most)} "
        f"({listed(f'{tasks[n]} of {len(m.ranked)} {m.system(n).name}' for n in prompted)})."
    )
    return finding(
        all(gaps[name] > 0 and p[name] > m.p_better(name, XGBOOST) for name in prompted),
        "Its lead in mean and its probability are "
        + listed(f"{gaps[n]:+.3f} and {percent(p[n])} ({m.system(n).name})" for n in prompted)
        + ".",
        caveat=caveat if set(decided) != set(prompted) or set(most) != set(prompted) else None,
        lead=gaps,
        p=p,
        tasks_won=tasks,
        error={name: error(m, value) for name, value in p.items()},
    )


@claim("C097", "VI fourth", "Prompted systems can hardly compete with TF-IDF+XGBoost.")
def prompted_hardly_compete_with_the_baseline(m: Material) -> Finding:
    """Hardly: each has the lower mean, and the baseline is likelier than not to be better (P > .5)."""
    prompted = m.names(approach=Approach.PROMPTED)
    wins = {name: int((scores_of(m, name) > scores_of(m, XGBOOST)).sum()) for name in prompted}
    p = {name: m.p_better(XGBOOST, name) for name in prompted}
    decided = [name for name in prompted if m.decisions.loc[XGBOOST, name] == BETTER]
    lower = [name for name in prompted if mean_of(m, name) < mean_of(m, XGBOOST)]
    likely = [name for name in prompted if p[name] > 0.5]
    won, n, most = sum(wins.values()), len(m.ranked), max(prompted, key=lambda name: wins[name])
    caveat = (
        f"But they win {won} of {n * len(prompted)} comparisons task by task, {name_of(m, most)} "
        f"{wins[most]} of {n}, and the test decides {len(decided)} of {len(prompted)} pairs for the baseline."
    )
    return finding(
        len(lower) == len(likely) == len(prompted),
        f"{len(lower)} of {len(prompted)} prompted systems have a lower mean, and the baseline is better with "
        f"a probability of {listed(f'{percent(v)} ({name_of(m, name)})' for name, v in p.items())}.",
        caveat=caveat if 2 * max(wins.values()) >= n or len(decided) < len(prompted) else None,
        means={name: mean_of(m, name) for name in [XGBOOST, *prompted]},
        tasks_won_by_prompted=wins,
        p_baseline_better=p,
        p_baseline_better_error={name: error(m, v) for name, v in p.items()},
        decided_for_the_baseline=decided,
    )
