"""Which systems are best, and who is close behind (V-A, VI)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, joined, listed, percent, rounding
from selu.papers.selu.claims._followers import followers, lost_to, shown
from selu.papers.selu.claims._questions import LEADERS
from selu.papers.selu.claims._scales import MEDIUM
from selu.papers.selu.claims._sources import COHEN, OFF_BY, OUTPERFORMS
from selu.papers.selu.claims._systems import (
    LEADING_SERIES,
    XGBOOST,
    error,
    finetuned,
    mean_of,
    name_of,
    named,
    scores_of,
    size_of,
)
from selu.papers.selu.claims._unrounded import MEANS, d_range, margin, settled
from selu.papers.selu.material import Material
from selu.stats.effect import cohen_d
from selu.vocabulary import Approach, Caveat, Finding

QUESTION = LEADERS
OLD_SERIES = ("GPT-2", "T5", "BERT")  # the ones that VI calls outdated
NEW_SERIES = ("ModernBERT", "Llama 3.2", "CodeLlama", "StarCoder2", "CodeT5+")  # released 2023 and 2024


@claim(
    "C038",
    "V-A",
    "No other series reach the means of GPT-2 and Llama 3.2.",
    weight="conclusion",
    if_it_fails="GPT-2 and Llama 3.2 would share the best means with another series, and a reader could "
    "choose that one as well.",
    quote="the LLMs from the GPT-2 and Llama 3.2 series have the highest mean performance",
    holds="Every fine-tuned model of the two series has a higher mean than every other system.",
    fails="Another system has a mean that is higher than that of one of them by more than rounding explains "
    "(.001).",
    caveat="The smallest lead lies within that rounding.",
    thresholds={".001": OFF_BY},
)
@settled
def top_series_have_the_highest_means(paper: Material) -> Finding:
    """Compare the last of the two series with the first of the rest."""
    top = finetuned(paper, *LEADING_SERIES)
    rest = [name for name in paper.order if name not in top]
    last = min(top, key=lambda name: paper.means[name])
    lead = mean_of(paper, last) - mean_of(paper, rest[0])
    p, q = paper.p_better(last, rest[0]), paper.p_better(rest[0], last)
    a, b = name_of(paper, last), name_of(paper, rest[0])
    return finding(
        lead >= -margin(paper, last, rest[0]),
        f"The {len(top)} best means belong to {named(paper, paper.order[: len(top)])}. {a} has a lead of "
        f"{lead:+.5f} "
        f"on {b}.",
        caveat=rounding("Rounding of the scores (.001) could turn that.")
        if lead <= margin(paper, last, rest[0])
        else None,
        remark=f"By the test, {b} is better than {a} with a probability of {percent(q)}, and worse with "
        f"{percent(p)}."
        if lead <= margin(paper, last, rest[0])
        else None,
        first=paper.order[: len(top)],
        top_series=top,
        lead=lead,
        p_last_better=p,
        p_next_better=q,
        error=error(paper, q),
    )


@claim(
    "C067",
    "Box V-A",
    "The best results come from fine-tuned LLMs.",
    weight="conclusion",
    if_it_fails="Fine-tuning an LLM would not be the way to the best results.",
    quote="Fine-tuned LLMs perform best on the SELU tasks",
    holds="Fine-tuned models fill the first half of the ranks, have the best score of every task and all rank "
    "above every other system.",
    fails="A prompted system or a baseline is in the first half of the ranks by more than rounding explains "
    "(.001), or fine-tuned models have the best score of half of the tasks or fewer.",
    caveat="They fill the first half and are best on most tasks, but another system is best on a task, or "
    "ranks above a fine-tuned model, or rounding could turn the first half.",
    thresholds={".001": OFF_BY, "half": "our choice: the least of ranks and tasks that best can mean"},
)
def finetuned_models_perform_best(paper: Material) -> Finding:
    """Count a task as shared where the best published scores are equal."""
    tuned = paper.names(approach=Approach.FINETUNED)
    others = [name for name in paper.order if name not in tuned]
    ours, theirs = paper.ranked[tuned].max(axis=1), paper.ranked[others].max(axis=1)
    lost = {
        str(task): [n for n in others if paper.ranked[n][task] == theirs[task]]
        for task in paper.ranked.index[theirs > ours]
    }
    shared = [str(task) for task in paper.ranked.index[theirs == ours]]
    first_other = paper.order.index(others[0])
    below = [name for name in paper.order[first_other:] if name in tuned]
    middle = finetuned(paper)[len(paper.order) // 2 - 1]
    lead = mean_of(paper, middle) - mean_of(paper, others[0])
    n = len(paper.ranked)
    caveats: list[Caveat] = []
    if lost:
        where = listed(f"{task} ({named(paper, names)})" for task, names in lost.items())
        caveats.append(exceptions(f"On {where} another system is best."))
    if shared:
        caveats.append(exceptions(f"On {listed(shared)} another system shares the best published score."))
    if below:
        caveats.append(exceptions(f"{named(paper, below)} rank below {name_of(paper, others[0])}."))
    if lead <= MEANS:
        caveats.append(rounding("Rounding of the scores could bring another system into the first half."))
    return finding(
        lead >= -MEANS and 2 * len(lost) < n,
        f"Fine-tuned LLMs hold the first {first_other} ranks and the best score of {n - len(lost)} of the {n} "
        f"tasks.",
        caveat=joined(caveats),
        first_ranks=first_other,
        tasks_lost=lost,
        tasks_shared=shared,
        below_another_system=below,
    )


@claim(
    "C090",
    "VI second",
    "The fine-tuned large decoder-only GPT-2 and Llama 3.2 models have the best means.",
    weight="conclusion",
    if_it_fails="Another group of models would be the first choice.",
    quote="fine-tuning large decoder-only models from the GPT-2 and Llama 3.2 series yield the best mean "
    "performance",
    holds="The large models of the two series (500M parameters or more) have higher means than all other "
    "systems.",
    fails="A system of another series has a higher mean than one of them by more than rounding explains "
    "(.001).",
    caveat="No other series reaches them, but a smaller model of the two series does; or rounding could turn "
    "one of these comparisons.",
    thresholds={
        "500M": "our choice: between GPT-2 medium (355M) and GPT-2 large (774M) of Table III",
        ".001": OFF_BY,
    },
)
def leading_series_have_the_best_means(paper: Material) -> Finding:
    """Compare the last of the large models with the best of other series and of the smaller models."""
    large = 5e8
    members = finetuned(paper, *LEADING_SERIES)
    big = [name for name in members if size_of(paper, name) >= large]
    last = big[-1]
    rival = next(name for name in paper.order if name not in members)
    margin = mean_of(paper, last) - mean_of(paper, rival)
    small = [
        name for name in members if name not in big and mean_of(paper, name) >= mean_of(paper, last) - MEANS
    ]
    caveats: list[Caveat] = []
    if small:
        sentence = (
            f"Smaller models of the two series reach the last of them: {named(paper, small)} "
            f"({listed(f'{mean_of(paper, n):.4f}' for n in small)} against {mean_of(paper, last):.4f})."
        )
        caveats.append(exceptions(sentence))
    if margin <= MEANS:
        caveats.append(rounding("Rounding of the scores could turn the order."))
    return finding(
        margin >= -MEANS,
        f"The {len(big)} large models of the two series take ranks "
        f"{listed(f'{paper.order.index(name) + 1} ({name_of(paper, name)})' for name in big)}. The last "
        "of them is "
        f"{margin:+.4f} from the best system of another series, {name_of(paper, rival)}.",
        caveat=joined(caveats),
        means={name: mean_of(paper, name) for name in [*members, rival]},
        smaller_models_that_reach_them=small,
        margin_to_next=margin,
    )


@claim(
    "C091",
    "VI second",
    "Many other fine-tuned LLMs of all kinds are only a small distance behind the best.",
    weight="conclusion",
    if_it_fails="The best models would be clearly ahead, and the others no alternative.",
    quote="the difference to a large variety of other LLMs is relatively small",
    holds="Most fine-tuned models outside GPT-2 and Llama 3.2, from all three architectures, are less than a "
    "medium effect (d below .5) behind the best system. That the test finds it better than one of them is a "
    "remark: a small distance can be a clear one.",
    fails="Half of them or fewer are, or not all three architectures are among them, whatever the rounding.",
    caveat="They are, but rounding of the scores could turn that.",
    thresholds={".5": COHEN},
)
def many_others_are_close(paper: Material) -> Finding:
    """Count models on either side of .5 where rounding allows both."""
    best, others = paper.order[0], followers(paper)
    d = {name: cohen_d(scores_of(paper, best), scores_of(paper, name)) for name in others}
    ends = {n: d_range(paper, best, n) if abs(d[n] - MEDIUM) < 0.1 else (d[n], d[n]) for n in others}
    sure, close, maybe = (
        [n for n in others if value[n] < MEDIUM]
        for value in ({n: e[1] for n, e in ends.items()}, d, {n: e[0] for n, e in ends.items()})
    )
    many = [
        2 * len(names) > len(others) and len({paper.system(n).architecture for n in names}) == 3
        for names in (sure, maybe)
    ]
    lost = lost_to(paper, best, close)
    kinds = sorted({str(paper.system(n).architecture) for n in close})
    return finding(
        many[1],
        f"{len(close)} of the {len(others)} fine-tuned models outside the two series are within d = .5 of "
        f"{name_of(paper, best)} ({listed(kinds)}), at most {max((d[n] for n in close), default=0):.2f}.",
        caveat=None if many[0] else rounding("Rounding of the scores could turn that."),
        remark=f"By the test, {name_of(paper, best)} outperforms {shown(lost)}." if lost else None,
        d=d,
        close=close,
        decided_against=lost,
    )


@claim(
    "C092",
    "VI second",
    "The older series GPT-2, T5 and BERT keep up with newer LLMs.",
    weight="conclusion",
    if_it_fails="Older series would be out of date as a choice.",
    quote="outdated LLMs such as GPT-2, T5, and BERT remain competitive",
    holds="The best model of each of the three is less than a medium effect (d below .5) behind the best model "
    "of the series of 2023 and 2024, the test does not find it worse (P below .95), and every model of the "
    "three has at least the mean of TF-IDF+XGBoost.",
    fails="The best model of one of the three is .5 or more behind, by more than the rounding of the scores "
    "explains.",
    caveat="None is so far behind, but the test finds one worse, or a model of the three ranks below "
    "TF-IDF+XGBoost, or rounding of the scores or three Monte-Carlo errors could turn one of these.",
    thresholds={".5": COHEN, ".95": OUTPERFORMS, "2023": "Table III's sources", "2024": "Table III's sources"},
)
def old_series_remain_competitive(paper: Material) -> Finding:
    """Compare the best of each series."""
    new = finetuned(paper, *NEW_SERIES)[0]
    old = {series: finetuned(paper, series)[0] for series in OLD_SERIES}
    d = {series: cohen_d(scores_of(paper, new), scores_of(paper, name)) for series, name in old.items()}
    ends = [d_range(paper, new, name) for name in old.values()]
    lost = lost_to(paper, new, list(old.values()))
    baseline = mean_of(paper, XGBOOST)
    weak = [name for name in finetuned(paper, *OLD_SERIES) if mean_of(paper, name) < baseline + MEANS]
    caveats: list[Caveat] = []
    if lost:
        caveats.append(exceptions(f"{name_of(paper, new)} outperforms {shown(lost)}."))
    if weak:
        caveats.append(exceptions(f"Not every model keeps up: {named(paper, weak)} rank below TF-IDF+XGBoost."))
    if max(high for _, high in ends) >= MEDIUM:
        caveats.append(rounding("Rounding of the scores could make one of these effects a medium one."))
    means = {name: mean_of(paper, name) for name in old.values()}
    older = listed(f"{name_of(paper, name)} ({means[name]:.3f}, d = {d[s]:.2f})" for s, name in old.items())
    return finding(
        max(low for low, _ in ends) < MEDIUM,
        f"The best of the newer series is {name_of(paper, new)} (M = {mean_of(paper, new):.3f}). The best of "
        f"the older ones are {older}.",
        caveat=joined(caveats),
        d=d,
        means={new: mean_of(paper, new), **means},
        decided_against=lost,
        below_the_baseline=weak,
    )
