"""Tier 4: its spread, and why some systems are in it (V-A)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from selu.benchmarks.claims import claim, finding, listed, percent, unless_known
from selu.benchmarks.selu.aggregates import HALF_WIDTH
from selu.benchmarks.selu.claims._constant_answers import constant_answers
from selu.benchmarks.selu.claims._protocol import SMALL_TASK
from selu.benchmarks.selu.claims._scales import MEDIUM
from selu.benchmarks.selu.claims._systems import error, means_of
from selu.benchmarks.selu.claims._tiers import (
    by_name,
    decided_pairs,
    named_tiers,
    pair_name,
    probabilities,
    with_tiers,
)
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER
from selu.stats.effect import cohen_d
from selu.vocabulary import Approach, Finding


@claim("C064", "V-A tier 4", "The test finds no big differences among the systems of tier 4.")
@with_tiers
def tier_4_has_no_big_differences(m: Material) -> Finding:
    """Big: more than half of the pairs decided, or a decided pair with at least a medium effect (d >= .5)."""
    fourth = named_tiers(m)[3]
    pairs = [(a, b) for a in fourth for b in fourth if a != b and str(m.decisions.loc[a, b]) == BETTER]
    d = {(a, b): cohen_d(m.ranked[a].to_numpy(), m.ranked[b].to_numpy()) for a, b in pairs}
    n = len(fourth) * (len(fourth) - 1) // 2
    p = {pair: m.p_better(*pair) for pair in pairs}
    close = [pair for pair in pairs if p[pair] - m.knobs.threshold < 3 * error(m, p[pair])]
    caveat = (
        f"Decided are {listed(f'{pair_name(m, pair)} ({percent(value)})' for pair, value in p.items())}, "
        f"{len(close)} of them within three Monte-Carlo errors of the threshold."
    )
    return finding(
        2 * len(pairs) <= n and all(abs(value) < MEDIUM for value in d.values()),
        f"{len(pairs)} of {n} pairs are decided, with effects of d = {max(d.values(), default=0.0):.2f} at "
        "most.",
        caveat=caveat if pairs else None,
        decided=by_name(m, p),
        d=by_name(m, d),
        pairs=n,
        near_the_threshold=[pair_name(m, pair) for pair in close],
    )


@claim("C065", "V-A tier 4", "The means of tier 4 differ little, seen against a high deviation across tasks.")
@with_tiers
def tier_4_means_differ_little(m: Material) -> Finding:
    """Little: at most a small effect (d below .5) between any two. High: the highest average SD of a tier."""
    groups = named_tiers(m)
    fourth = groups[3]
    means, sds = means_of(m, fourth), [float(m.ranking["SD"][list(names)].mean()) for names in groups]
    d = {
        (a, b): abs(cohen_d(m.ranked[a].to_numpy(), m.ranked[b].to_numpy())) for a, b in combinations(fourth, 2)
    }
    top = max(d, key=lambda pair: d[pair])
    span = max(means.values()) - min(means.values())
    return finding(
        d[top] < MEDIUM and sds[3] == max(sds),
        f"The means span {span:.3f}, the largest effect is d = {d[top]:.2f}, and the average SD is "
        f"{sds[3]:.3f} against {listed(f'{sd:.3f} (tier {i})' for i, sd in enumerate(sds[:3], 1))}.",
        means=means,
        span=span,
        largest_effect=[*top, d[top]],
        mean_sd_by_tier=sds,
    )


def _collapsed(m: Material, constant: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Cells of fine-tuned models no better than a constant answer: system -> task -> score."""
    found: dict[str, dict[str, float]] = {}
    for task in m.ranked.index:
        level = constant.get(str(task))
        for name in m.names(approach=Approach.FINETUNED):
            score = float(m.ranked[name][task])
            if level is not None and score <= level + HALF_WIDTH:
                found.setdefault(name, {})[str(task)] = score
    return found


def _shortfall(m: Material, name: str, tasks: Iterable[str]) -> tuple[str, float]:
    """Smallest model of the same series, and the share of the distance to it that lies in these tasks."""
    series = m.names(approach=Approach.FINETUNED, series=m.system(name).series)
    smaller = min(series, key=lambda other: m.system(other).parameters or 0)
    distance = m.ranked[smaller] - m.ranked[name]
    total = float(distance.sum())
    return smaller, float(distance[list(tasks)].sum()) / total if total > 0 else 0.0


def _earlier(m: Material, cells: dict[tuple[str, str], float]) -> dict[str, list[float]]:
    """Cells (task, system) that the authors' preprint has as well: its score, the printed one, its epochs."""
    known = m.tables.get("package_preprint", {})
    return {
        f"{task} of {m.system(name).name}": [
            m.number("package_preprint", f"{task}/{name}", "f1_macro"),
            score,
            m.number("package_preprint", f"{task}/{name}", "epoch"),
        ]
        for (task, name), score in cells.items()
        if (f"{task}/{name}", "f1_macro") in known
    }


@claim(
    "C066",
    "V-A tier 4",
    "BERT large and RoBERTa large are in tier 4 because their fine-tuning failed, perhaps for want of fitting "
    "hyper-parameters.",
)
@with_tiers
def two_large_models_failed_in_training(m: Material) -> Finding:
    """Most of their distance to the base version lies in cells no better than a constant answer.

    Where not nearly all of it (90 %) does, that is a caveat. A higher score of the authors' preprint, after
    fewer epochs, speaks for hyper-parameters other than the number of steps.
    """
    if missing := unless_known(m, "package_baselines", "The class counts of the test splits are not known"):
        return missing
    nearly_all, constant = 0.9, constant_answers(m)
    collapsed, two, fourth = _collapsed(m, constant), ["bert-large", "roberta-large"], named_tiers(m)[3]
    share = {name: _shortfall(m, name, collapsed.get(name, {})) for name in two}
    cells = {(task, name): v for name in two for task, v in collapsed.get(name, {}).items()}
    early = _earlier(m, cells)
    better = [place for place, (before, now, _) in early.items() if before > now + HALF_WIDTH]
    largest = max((m.task(task).instances for task, _ in cells), default=0)
    others = {name: len(found) for name, found in collapsed.items() if name not in two}
    epochs = max((early[place][2] for place in better), default=0.0)
    rate = " (all on small tasks, for which IV-C sets the high learning rate)" if largest < SMALL_TASK else ""
    cure = (
        f"; more steps would not be the cure: {len(better)} of the {len(early)} such cells that the authors' "
        f"preprint has score higher there, after at most {epochs:.1f} epochs{rate}"
    )
    partly = {m.system(name).name: part for name, (_, part) in share.items() if part < nearly_all}
    left = listed(f"{percent(1 - part)} of the distance of {name}" for name, part in partly.items())
    return finding(
        all(name in fourth and share[name][1] > 0.5 for name in two),
        "No better than a constant answer are "
        + listed(
            f"{len(collapsed.get(n, {}))} cells of {m.system(n).name}, {percent(part)} of its distance to "
            f"{m.system(base).name}"
            for n, (base, part) in share.items()
        )
        + "; other fine-tuned models with such cells are "
        + listed(f"{m.system(n).name} ({v})" for n, v in others.items())
        + f"{cure if better else ''}.",
        caveat=f"Cells that failed leave {left} unexplained." if partly else None,
        collapsed=collapsed,
        share_of_distance={name: [base, part] for name, (base, part) in share.items()},
        preprint_printed_epochs=early,
        higher_in_preprint=better,
        constant_scores={str(task): constant.get(str(task)) for task in m.ranked.index},
    )


@claim("C118", "V-A tier 4", "T5 small and FastText may rank so low because they are too small.")
@with_tiers
def smallest_models_are_in_tier_4(m: Material) -> Finding:
    """Judged for T5 small: the smallest LLM, decided worse than all its larger siblings, in tier 4."""
    small, fourth = "t5-small", named_tiers(m)[3]
    tuned = m.names(approach=Approach.FINETUNED)
    sizes = sorted(tuned, key=lambda name: m.system(name).parameters or 0)
    siblings = [n for n in tuned if m.system(n).series == m.system(small).series and n != small]
    wins, pairs = decided_pairs(m, siblings, [small])
    following = sizes[1]
    ratio = (m.system(following).parameters or 0) / (m.system(small).parameters or 1)
    unknown = m.system("fasttext").parameters is None
    caveat = (
        f"The next smallest, {m.system(following).name}, has {ratio:.1f} times its size and a mean of "
        f"{m.ranking['M'][following]:.3f}" + ("; the paper gives no size for FastText." if unknown else ".")
    )
    return finding(
        sizes[0] == small and wins == pairs and {small, "fasttext"} <= set(fourth),
        f"{m.system(sizes[0]).name} is the smallest of {len(tuned)} fine-tuned LLMs; T5 small has a mean of "
        f"{m.ranking['M'][small]:.3f} and is decided worse than {wins} of its {pairs} siblings.",
        caveat=caveat if following not in fourth or unknown else None,
        sizes={name: m.system(name).size_printed for name in sizes[:4]},
        means=means_of(m, [*sizes[:4], *siblings, "fasttext"]),
        p_sibling_better=by_name(m, probabilities(m, siblings, [small])),
    )
