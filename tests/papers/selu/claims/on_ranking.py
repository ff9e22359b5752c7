"""What flips claims on Table IV, on how sure the ranking is, and on its tiers, and their random evidence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from tests.papers.redrawn import Draw, nearby, sometimes, together

from selu import registry
from selu.papers.selu.claims._large_group import large_group
from selu.papers.selu.claims._tiers import named_tiers
from selu.papers.selu.claims.ranking import evidence, uncertainty
from selu.papers.selu.material import Material
from selu.stats.compare import Posterior
from selu.stats.intervals import t_interval
from selu.stats.rounding import to_digits
from selu.vocabulary import Verdict

from .alterations import Alter, columns, published, raised, scaled, shift, symmetric, xgboost_dominates
from .draws import published_table4, scores, tiers, two_kinds


def bonferroni_intervals(m: Material) -> Material:
    for name, row in m.ranking.iterrows():
        for column in ("lower", "upper"):
            text = to_digits(row[f"bonferroni_{column}"])
            m = m.with_published("table4", m.system(str(name)).name, f"CI {column}", text)
    return m


def two_ranks_swapped(m: Material) -> Material:
    return published(("table4", "GPT-2 xl", "Rank", "2"))(published(("table4", "Llama 3.2 3B", "Rank", "1"))(m))


def far_apart(m: Material) -> Material:
    """Every mean is further from the next than rounding could explain."""
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.004 * i) for i, name in enumerate(m.order)})


def corrected_some_times(m: Material, rng: np.random.Generator) -> Material:
    """Intervals at a level that was divided by the number of systems not at all or up to three times."""
    m, k = scores(m, rng), len(m.systems)
    lower, upper = t_interval(m.ranked.to_numpy(), m.settings.alpha / k ** rng.integers(0, 4))
    return m.with_places(
        {
            ("table4", m.system(str(name)).name, f"CI {end}"): to_digits(float(bound))
            for end, bounds in (("lower", lower), ("upper", upper))
            for name, bound in zip(m.ranked, bounds, strict=True)
        },
    )


def deviation_grows_with_the_mean(m: Material) -> Material:
    k = len(m.order)
    return columns(
        m, {name: 0.7 - 0.01 * i + (0.1 + 0.005 * (k - i)) * symmetric(m) for i, name in enumerate(m.order)}
    )


MEANS = [("table4", system.name, "M") for system in registry.systems("selu")]


def steps_move(m: Material, rng: np.random.Generator) -> Material:
    """The large group and the next two move as a whole, sometimes also against each other."""
    group, after = m.order[:18], m.order[18:20]
    wobble = rng.choice([0, 0.001, 0.03])
    shifts = dict.fromkeys(group, rng.uniform(-0.02, 0.03)) | dict.fromkeys(after, 0.0)
    return published_table4(
        columns(m, {n: m.ranked[n].to_numpy() + s + rng.normal(0, wobble) for n, s in shifts.items()})
    )


def ladder(m: Material) -> Material:
    """Each model of the large group beats the next on every task by far more than the tasks differ."""
    group = large_group(m)
    return columns(m, {name: 0.95 - 0.03 * i + 0.001 * symmetric(m) for i, name in enumerate(group)})


def tasks_equally_hard(m: Material) -> Material:
    level = m.ranked.sub(m.ranked.mean(axis=1), axis=0) + 0.5
    return columns(m, {str(name): level[name].to_numpy() for name in level.columns})


def said(m: Material, result: Posterior) -> Material:
    """V-A's percentages as it would print them of this posterior."""
    places = uncertainty.percentages(m, result).items()
    return m.with_places({("text", "V-A", name): to_digits(100 * p, 0) for name, p in places})


def under_one_of_the_thresholds(m: Material, rng: np.random.Generator) -> Material:
    """Random scores, and the percentages that a paper would print of them under one of the two thresholds."""
    m = scores(m, rng)
    return said(m, m.posterior_paper_rope if rng.random() < 0.5 else m.posterior)


def tasks_and_systems(m: Material, rng: np.random.Generator) -> Material:
    """Scores from leads of systems, difficulties of tasks that weigh unlike for each system, and noise."""
    n, tasks = len(m.order), len(m.ranked)
    level = rng.normal(0, rng.uniform(0, 0.3), tasks)
    lead = rng.normal(0, rng.uniform(0, 0.03), n)
    weight = rng.uniform(0.3, 1) + rng.random() * np.minimum(rng.exponential(rng.uniform(0, 0.3), n), 1)
    noise = rng.normal(0, 1, (n, tasks)) * rng.uniform(0, rng.uniform(0, 0.03), (n, 1))
    table = 0.5 + lead[:, None] + weight[:, None] * level + noise
    return columns(m, dict(zip(m.order, table, strict=True)))


PERCENTAGES = [
    ("text", "V-A", name) for name in (uncertainty.LEAST, uncertainty.HIGHEST, uncertainty.LEAST_OF_TIER3)
]


def with_factors(m: Material, factors: np.ndarray) -> Material:
    """A table of Bayes factors, one for each pair of the large group."""
    pairs = [[m.system(name).name for name in pair] for pair in combinations(large_group(m), 2)]
    places = {(evidence.FACTORS, *pair): f"{f:.3g}" for pair, f in zip(pairs, factors, strict=False)}
    return m.with_places(places)


def factors(*first: float) -> Alter:
    """All factors are 4 but for the first ones."""
    return lambda m: with_factors(m, np.array([*first, *[4.0] * 200]))


def any_factors(m: Material, rng: np.random.Generator) -> Material:
    """Bayes factors of random sizes."""
    return with_factors(m, np.exp(rng.normal(rng.uniform(-1, 3), rng.uniform(0, 2), 200)))


def steady_systems_in_steps(m: Material) -> Material:
    """The systems of lower deviation are far apart on every task, the others swing."""
    tasks = len(m.ranked)
    swing = np.where(np.arange(tasks) % 2, 0.3, -0.3)
    return columns(
        m,
        {
            name: 0.9 - 0.02 * i + 0.01 * np.linspace(-1, 1, tasks) if i < 14 else 0.5 + np.roll(swing, i)
            for i, name in enumerate(m.order)
        },
    )


def tier_1_dominates(m: Material) -> Material:
    first, *rest = named_tiers(m)
    return raised(m, first, [name for names in rest for name in names])


def gpt2_xl_dominates(m: Material) -> Material:
    return raised(m, ["gpt2-xl"], [name for name in m.order if name != "gpt2-xl"])


def t5_base_and_t5_3b_swapped(m: Material) -> Material:
    return columns(m, {"t5-base": m.ranked["t5-3b"].to_numpy(), "t5-3b": m.ranked["t5-base"].to_numpy()})


HARD_TO_BEAT = ("t5-large", "t5-base", "codellama-7b", "modernbert-large")  # by GPT-2 xl, as V-A says


def copied(m: Material, source: str, name: str, by: float = 0.0) -> Material:
    return columns(m, {name: m.ranked[source].to_numpy() + by})


def tier_3_is_level(m: Material) -> Material:
    return copied(m, "tfidf-xgboost", "starcoder2-7b", 0.002)


def tier_3_dominates_tier_4(m: Material) -> Material:
    _, _, third, fourth = named_tiers(m)
    return raised(m, third, fourth)


def tier_4_fans_out(m: Material) -> Material:
    fourth = named_tiers(m)[3]
    return columns(m, {name: m.ranked[name].to_numpy() * (1 - 0.1 * i) for i, name in enumerate(fourth)})


def t5_small_leads(m: Material) -> Material:
    return raised(m, ["t5-small"], m.order)


def four_clean_tiers(m: Material) -> Material:
    spread = 0.05 * np.linspace(-1, 1, len(m.ranked))
    return columns(
        m,
        {
            name: 0.9 - 0.2 * tier - 0.0001 * i + spread
            for tier, names in enumerate(named_tiers(m))
            for i, name in enumerate(names)
        },
    )


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C028": (published(("table4", "GPT-2 xl", "M", "0.756")), Verdict.FAILS),
    "C029": (published(("table4", "GPT-2 xl", "SD", "0.133")), Verdict.FAILS),
    "C030": (bonferroni_intervals, Verdict.HOLDS),
    "C031": (published(("table4", "Llama 3.2 3B", "d", "0.052")), Verdict.FAILS),
    "C032": (published(("table4", "ModernBERT large", "Mag.", "neg.")), Verdict.FAILS),
    "C033": (two_ranks_swapped, Verdict.FAILS),
    "C039": (published(("table4", "RoBERTa base", "M", "0.707")), Verdict.FAILS),
    "C040": (shift("starcoder2-7b", 0.02), Verdict.FAILS),
    "C046": (deviation_grows_with_the_mean, Verdict.FAILS),
    "C047": (shift("modernbert-base", -0.05), Verdict.FAILS),
    "C117": (published(("table4", "T5 base", "M", "0.700")), Verdict.FAILS),
    "C048": (ladder, Verdict.FAILS),
    "C050": (tasks_equally_hard, Verdict.FAILS),
    "C051": (lambda m: said(m, m.posterior_paper_rope), Verdict.HOLDS),
    "C049": (factors(), Verdict.HOLDS),
    "C139": (steady_systems_in_steps, Verdict.HOLDS),
    "C052": (tier_1_dominates, Verdict.HOLDS),
    "C053": (tier_1_dominates, Verdict.HOLDS),
    "C054": (gpt2_xl_dominates, Verdict.HOLDS),
    "C055": (t5_base_and_t5_3b_swapped, Verdict.CAVEAT),
    "C119": (tier_1_dominates, Verdict.FAILS),
    "C056": (scaled("roberta-large", 0.5), Verdict.HOLDS),
    "C057": (published(("table4", "BERT large", "M", "0.624")), Verdict.HOLDS),
    "C058": (scaled("starcoder2-7b", 0.5), Verdict.HOLDS),
    "C059": (xgboost_dominates, Verdict.FAILS),
    "C140": (
        published(
            *(("table4", name, "M", "0.700") for name in ("T5 base", "BERT base", "T5 3B", "CodeLlama 7B"))
        ),
        Verdict.FAILS,
    ),
    "C060": (tier_3_is_level, Verdict.HOLDS),
    "C061": (tier_3_dominates_tier_4, Verdict.HOLDS),
    "C062": (scaled("tfidf-xgboost", 0.9), Verdict.FAILS),
    "C063": (scaled("starcoder2-7b", 0.5), Verdict.FAILS),
    "C064": (tier_4_fans_out, Verdict.FAILS),
    "C065": (tier_4_fans_out, Verdict.FAILS),
    "C141": (t5_small_leads, Verdict.FAILS),
    "C071": (scaled("t5-base", 0.8), Verdict.FAILS),
    "C072": (four_clean_tiers, Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C033", far_apart, Verdict.HOLDS),
    ("C049", factors(*[20.0] * 5), Verdict.CAVEAT),
    ("C049", factors(120.0), Verdict.FAILS),
    ("C049", factors(*[20.0] * 100), Verdict.FAILS),
)
DRAWS: dict[str, Draw] = {
    "C030": corrected_some_times,
    "C040": steps_move,
    "C117": nearby(MEANS, 0.02, 0, 1),
    "C050": tasks_and_systems,
    "C051": together(under_one_of_the_thresholds, sometimes(nearby(PERCENTAGES, 20, 0, 100, 0))),
    "C049": any_factors,
    "C055": two_kinds("gpt2-xl", HARD_TO_BEAT),
    **dict.fromkeys(("C064", "C119"), tiers),
}
