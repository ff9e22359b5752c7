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


def bonferroni_intervals(paper: Material) -> Material:
    for name, row in paper.ranking.iterrows():
        for column in ("lower", "upper"):
            text = to_digits(row[f"bonferroni_{column}"])
            paper = paper.with_published("table4", paper.system(str(name)).name, f"CI {column}", text)
    return paper


def two_ranks_swapped(paper: Material) -> Material:
    return published(("table4", "GPT-2 xl", "Rank", "2"))(
        published(("table4", "Llama 3.2 3B", "Rank", "1"))(paper)
    )


def far_apart(paper: Material) -> Material:
    """Every mean is further from the next than rounding could explain."""
    return columns(
        paper, {name: paper.ranked[name].to_numpy() * (1 - 0.004 * i) for i, name in enumerate(paper.order)}
    )


def corrected_some_times(paper: Material, rng: np.random.Generator) -> Material:
    """Intervals at a level that was divided by the number of systems not at all or up to three times."""
    paper, k = scores(paper, rng), len(paper.systems)
    lower, upper = t_interval(paper.ranked.to_numpy(), paper.settings.alpha / k ** rng.integers(0, 4))
    return paper.with_places(
        {
            ("table4", paper.system(str(name)).name, f"CI {end}"): to_digits(float(bound))
            for end, bounds in (("lower", lower), ("upper", upper))
            for name, bound in zip(paper.ranked, bounds, strict=True)
        },
    )


def deviation_grows_with_the_mean(paper: Material) -> Material:
    k = len(paper.order)
    return columns(
        paper,
        {
            name: 0.7 - 0.01 * i + (0.1 + 0.005 * (k - i)) * symmetric(paper)
            for i, name in enumerate(paper.order)
        },
    )


MEANS = [("table4", system.name, "M") for system in registry.systems("selu")]


def steps_move(paper: Material, rng: np.random.Generator) -> Material:
    """The large group and the next two move as a whole, sometimes also against each other."""
    group, after = paper.order[:18], paper.order[18:20]
    wobble = rng.choice([0, 0.001, 0.03])
    shifts = dict.fromkeys(group, rng.uniform(-0.02, 0.03)) | dict.fromkeys(after, 0.0)
    return published_table4(
        columns(paper, {n: paper.ranked[n].to_numpy() + s + rng.normal(0, wobble) for n, s in shifts.items()})
    )


def ladder(paper: Material) -> Material:
    """Each model of the large group beats the next on every task by far more than the tasks differ."""
    group = large_group(paper)
    return columns(paper, {name: 0.95 - 0.03 * i + 0.001 * symmetric(paper) for i, name in enumerate(group)})


def tasks_equally_hard(paper: Material) -> Material:
    level = paper.ranked.sub(paper.ranked.mean(axis=1), axis=0) + 0.5
    return columns(paper, {str(name): level[name].to_numpy() for name in level.columns})


def with_percentages(paper: Material, result: Posterior) -> Material:
    """V-A's percentages as it would print them of this posterior."""
    places = uncertainty.percentages(paper, result).items()
    return paper.with_places({("text", "V-A", name): to_digits(100 * p, 0) for name, p in places})


def under_one_of_the_thresholds(paper: Material, rng: np.random.Generator) -> Material:
    """Random scores, and the percentages that a paper would print of them under one of the two thresholds."""
    paper = scores(paper, rng)
    return with_percentages(paper, paper.posterior_paper_rope if rng.random() < 0.5 else paper.posterior)


def tasks_and_systems(paper: Material, rng: np.random.Generator) -> Material:
    """Scores from leads of systems, difficulties of tasks that weigh unlike for each system, and noise."""
    n, tasks = len(paper.order), len(paper.ranked)
    level = rng.normal(0, rng.uniform(0, 0.3), tasks)
    lead = rng.normal(0, rng.uniform(0, 0.03), n)
    weight = rng.uniform(0.3, 1) + rng.random() * np.minimum(rng.exponential(rng.uniform(0, 0.3), n), 1)
    noise = rng.normal(0, 1, (n, tasks)) * rng.uniform(0, rng.uniform(0, 0.03), (n, 1))
    table = 0.5 + lead[:, None] + weight[:, None] * level + noise
    return columns(paper, dict(zip(paper.order, table, strict=True)))


PERCENTAGES = [
    ("text", "V-A", name) for name in (uncertainty.LEAST, uncertainty.HIGHEST, uncertainty.LEAST_OF_TIER3)
]


def with_factors(paper: Material, factors: np.ndarray) -> Material:
    """A table of Bayes factors, one for each pair of the large group."""
    pairs = [[paper.system(name).name for name in pair] for pair in combinations(large_group(paper), 2)]
    places = {(evidence.FACTORS, *pair): f"{f:.3g}" for pair, f in zip(pairs, factors, strict=False)}
    return paper.with_places(places)


def factors(*first: float) -> Alter:
    """All factors are 4 but for the first ones."""
    return lambda paper: with_factors(paper, np.array([*first, *[4.0] * 200]))


def any_factors(paper: Material, rng: np.random.Generator) -> Material:
    """Bayes factors of random sizes."""
    return with_factors(paper, np.exp(rng.normal(rng.uniform(-1, 3), rng.uniform(0, 2), 200)))


def steady_systems_in_steps(paper: Material) -> Material:
    """The systems of lower deviation are far apart on every task, the others swing."""
    tasks = len(paper.ranked)
    swing = np.where(np.arange(tasks) % 2, 0.3, -0.3)
    return columns(
        paper,
        {
            name: 0.9 - 0.02 * i + 0.01 * np.linspace(-1, 1, tasks) if i < 14 else 0.5 + np.roll(swing, i)
            for i, name in enumerate(paper.order)
        },
    )


def tier_1_dominates(paper: Material) -> Material:
    first, *rest = named_tiers(paper)
    return raised(paper, first, [name for names in rest for name in names])


def gpt2_xl_dominates(paper: Material) -> Material:
    return raised(paper, ["gpt2-xl"], [name for name in paper.order if name != "gpt2-xl"])


def t5_base_and_t5_3b_swapped(paper: Material) -> Material:
    return columns(
        paper, {"t5-base": paper.ranked["t5-3b"].to_numpy(), "t5-3b": paper.ranked["t5-base"].to_numpy()}
    )


HARD_TO_BEAT = ("t5-large", "t5-base", "codellama-7b", "modernbert-large")  # by GPT-2 xl, as V-A says


def copied(paper: Material, source: str, name: str, by: float = 0.0) -> Material:
    return columns(paper, {name: paper.ranked[source].to_numpy() + by})


def tier_3_is_level(paper: Material) -> Material:
    return copied(paper, "tfidf-xgboost", "starcoder2-7b", 0.002)


def tier_3_dominates_tier_4(paper: Material) -> Material:
    _, _, third, fourth = named_tiers(paper)
    return raised(paper, third, fourth)


def tier_4_fans_out(paper: Material) -> Material:
    fourth = named_tiers(paper)[3]
    return columns(
        paper, {name: paper.ranked[name].to_numpy() * (1 - 0.1 * i) for i, name in enumerate(fourth)}
    )


def t5_small_leads(paper: Material) -> Material:
    return raised(paper, ["t5-small"], paper.order)


def four_clean_tiers(paper: Material) -> Material:
    spread = 0.05 * np.linspace(-1, 1, len(paper.ranked))
    return columns(
        paper,
        {
            name: 0.9 - 0.2 * tier - 0.0001 * i + spread
            for tier, names in enumerate(named_tiers(paper))
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
    "C051": (lambda paper: with_percentages(paper, paper.posterior_paper_rope), Verdict.HOLDS),
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
