"""Domain-adapted models against generalists of the same architecture and near size (VI, VIII)."""

from __future__ import annotations

from math import log

import numpy as np

from selu.benchmarks.claims import claim, finding, listed, percent, signed
from selu.benchmarks.selu.aggregates import COMMUNICATION, gain_by_task, tasks_of
from selu.benchmarks.selu.claims._scales import NO_DIFFERENCE
from selu.benchmarks.selu.claims._systems import against, mean_of, scores_of
from selu.benchmarks.selu.material import Material
from selu.stats.compare import BETTER, EQUAL, rope_width
from selu.vocabulary import Approach, Finding


def _parameters(m: Material, system: str) -> float:
    """Counted from the weights where known, else as printed."""
    record = m.system(system)
    return float(record.parameters_counted or record.parameters or 0)


def _matched_pairs(m: Material) -> dict[str, str]:
    """Domain-adapted system -> generalist of the same architecture nearest in size, within a factor of 1.5."""
    factor = 1.5
    generalists = m.names(approach=Approach.FINETUNED, adaptation="generalist")
    pairs = {}
    for adapted in m.names(approach=Approach.FINETUNED, adaptation="domain-adapted"):
        ratios = {
            name: abs(log(_parameters(m, name) / _parameters(m, adapted)))
            for name in generalists
            if m.system(name).architecture == m.system(adapted).architecture
        }
        nearest = min(ratios, key=lambda name: ratios[name], default=None)
        if nearest and ratios[nearest] <= log(factor):
            pairs[adapted] = nearest
    return pairs


@claim("C094", "Abstract, VI third, VI-A, VIII", "Pre-training on code brings no gain over all tasks together.")
def code_pretraining_brings_no_gain(m: Material) -> Finding:
    """Pairs of one architecture and near size: none decided for the code model, mean gain within the rope."""
    pairs = _matched_pairs(m)
    gains = {against(m, a, g): mean_of(m, a) - mean_of(m, g) for a, g in pairs.items()}
    p = {
        against(m, a, g): {"better": m.p_better(a, g), "equal": m.p_equal(a, g), "worse": m.p_better(g, a)}
        for a, g in pairs.items()
    }
    decided = [against(m, a, g) for a, g in pairs.items() if m.decisions.loc[a, g] == BETTER]
    equal = [against(m, a, g) for a, g in pairs.items() if m.decisions.loc[a, g] == EQUAL]
    rope = max(
        (rope_width(scores_of(m, a), scores_of(m, g), "autorank") for a, g in pairs.items()), default=0.0
    )
    average = float(np.mean(list(gains.values()))) if gains else float("nan")
    groups = {
        kind: float(m.ranked[m.names(approach=Approach.FINETUNED, adaptation=kind)].to_numpy().mean())
        for kind in ("domain-adapted", "generalist")
    }
    whole = groups["domain-adapted"] - groups["generalist"]
    caveat = (
        f"No gain is shown, but equality is not either: {len(equal)} of the {len(gains)} pairs are decided as "
        f"equivalent (P(equal) at most {percent(max((q['equal'] for q in p.values()), default=0.0))})."
    )
    return finding(
        not decided and average < rope,
        f"The {len(gains)} matched pairs differ by {signed(gains)}, on average {average:+.3f} "
        f"(whole groups {whole:+.3f}), and {len(decided)} are decided for "
        "the code model.",
        caveat=caveat if len(equal) < len(gains) else None,
        gains=gains,
        posterior=p,
        widest_rope=rope,
        group_means=groups,
        unmatched=[
            name
            for name in m.names(approach=Approach.FINETUNED, adaptation="domain-adapted")
            if name not in pairs
        ],
    )


@claim("C095", "Abstract, VIII", "Domain adaptation can lower performance on developer communication tasks.")
def adaptation_can_hurt_communication(m: Material) -> Finding:
    """Lower in the family's mean and in most pairs matched by architecture and size."""
    gains = gain_by_task(m, COMMUNICATION)
    average = float(np.mean(list(gains.values())))
    tasks = tasks_of(m, COMMUNICATION)
    pairs = {
        against(m, a, g): m.ranked.loc[tasks, a] - m.ranked.loc[tasks, g] for a, g in _matched_pairs(m).items()
    }
    matched = {key: float(gap.mean()) for key, gap in pairs.items()}
    lower = [key for key, gap in matched.items() if gap < 0]
    hit = sorted(gains, key=lambda task: gains[task])[:2]
    rest = float(np.mean([gain for task, gain in gains.items() if task not in hit]))
    caveat = (
        f"It comes from {listed(f'{task} ({gains[task]:+.3f})' for task in hit)}; over the other "
        f"{len(gains) - 2} tasks the difference is {rest:+.4f}."
    )
    return finding(
        average < 0 and 2 * len(lower) > len(matched),
        f"The family's mean differs by {average:+.3f}, and {len(lower)} of {len(matched)} matched pairs lose "
        f"({signed(matched)}).",
        caveat=caveat if rest > -NO_DIFFERENCE else None,
        gain_by_task=gains,
        matched_pairs={key: {str(t): float(v) for t, v in gap.items()} for key, gap in pairs.items()},
        without_the_two_worst=rest,
    )
