"""Domain-adapted models against generalists, by task family and task type (V-B, VI)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, signed
from selu.benchmarks.selu.aggregates import (
    CLASSIFICATION_ROWS,
    CODE,
    COMMUNICATION,
    CORE,
    FAMILY_ROWS,
    GENERALIST,
    MULTI_LABEL,
    TYPE_ROWS,
    contrast,
    contrasts,
    gain_by_task,
    largest,
    outlying_cells,
    outlying_models,
    systems_of,
    tasks_of,
)
from selu.benchmarks.selu.claims._scales import MEDIUM, NO_DIFFERENCE, SMALL
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding, Kind


def _far_behind(m: Material) -> list[str]:
    """Core tasks of other types where BERT large or RoBERTa large is .2 below the other generalists' mean."""
    far, two = 0.2, largest(m)
    others = [name for name in systems_of(m, GENERALIST) if name not in two]
    scores = m.scores.loc[[task for task in tasks_of(m, CORE) if m.task(task).kind is not Kind.MULTI_LABEL]]
    behind = scores[two].min(axis=1) < scores[others].mean(axis=1) - far
    return [str(task) for task in scores.index[behind]]


def _score(m: Material, task: str, system: str) -> float:
    return m.number("table6", task, m.system(system).name)


@claim(
    "C078",
    "V-B",
    "On core non-code and on code-adjacent tasks, domain-adapted models have a slightly higher mean and a "
    "lower SD.",
)
def adaptation_helps_a_little_on_code_and_core(m: Material) -> Finding:
    """Slightly: |d| below .5, Cohen's medium. Checked against the footnote's outliers in both families."""
    rows = [CODE, CORE]
    found, trimmed = contrasts(m, rows), contrasts(m, rows, outlying_cells(m))
    tasks = {row: gain_by_task(m, row) for row in rows}
    holds = all(c["difference"] > 0 and c["SD difference"] < 0 and c["d"] < MEDIUM for c in found.values())
    negligible = [f"{row} d = {c['d']:.2f}" for row, c in found.items() if c["d"] < SMALL]
    wins = {row: sum(gain > 0 for gain in gains.values()) for row, gains in tasks.items()}
    caveats = []
    if negligible:
        caveats.append(
            f"By Table IV's own scale that is negligible ({listed(negligible)}); domain-adapted models lead on "
            f"{' and '.join(f'{wins[row]} of {len(tasks[row])} {row.lower()} tasks' for row in rows)}."
        )
    if any(c["difference"] < NO_DIFFERENCE or c["SD difference"] > 0 for c in trimmed.values()):
        left = listed(
            f"{r.lower()} M {c['difference']:+.4f}, SD {c['SD difference']:+.3f}" for r, c in trimmed.items()
        )
        caveats.append(f"Without BERT large and RoBERTa large on multi-label tasks it reads {left}.")
    return finding(
        holds,
        "Domain-adapted minus generalist: "
        + "; ".join(
            f"{r.lower()} M {c['difference']:+.3f}, SD {c['SD difference']:+.3f}" for r, c in found.items()
        )
        + ".",
        caveat=" ".join(caveats),
        contrasts=found,
        without_outlying_cells=trimmed,
        gain_by_task=tasks,
    )


@claim(
    "C079",
    "V-B footnote",
    "The core non-code difference is due to BERT large and RoBERTa large on multi-label tasks, none without.",
)
def core_difference_is_two_outliers(m: Material) -> Finding:
    """Gone means below .005. Read literally (their multi-label cells) and widely (both models)."""
    full, literal, wide = (
        contrast(m, CORE, without) for without in ((), outlying_cells(m), outlying_models(m))
    )
    code = contrast(m, CODE, outlying_cells(m))
    gone = abs(literal["difference"]) < NO_DIFFERENCE
    rope = "inside" if abs(literal["difference"]) < literal["rope"] else "outside"
    caveat = (
        f"Only the wide reading removes it: without their multi-label cells {literal['difference']:+.3f} is "
        f"left ({rope} a rope of a tenth of the SD, {literal['rope']:.3f}), as the two are far behind on "
        f"{listed(_far_behind(m))} too; code-adjacent tasks, which the footnote does not name, fall to "
        f"{code['difference']:+.4f}."
    )
    cells = {task: {name: _score(m, task, name) for name in largest(m)} for task in tasks_of(m, CORE)}
    return finding(
        abs(full["difference"]) >= NO_DIFFERENCE and (gone or abs(wide["difference"]) < NO_DIFFERENCE),
        f"The core difference of {full['difference']:+.3f} becomes {literal['difference']:+.4f} without "
        f"the two models' multi-label cells and {wide['difference']:+.4f} without the two models.",
        caveat=None if gone else caveat,
        all_cells=full,
        without_multi_label_cells=literal,
        without_models=wide,
        scores_of_the_two=cells,
        far_behind_on_other_types=_far_behind(m),
        code_adjacent_without_multi_label_cells=code,
    )


@claim("C080", "V-B", "On developer communication, generalists lead by about as much as they trail elsewhere.")
def communication_favours_generalists(m: Material) -> Finding:
    """About as much: within a factor of two of the difference of each of the other two families."""
    factor = 2.0
    found = contrasts(m, list(FAMILY_ROWS))
    lead = -found[COMMUNICATION]["difference"]
    others = {row: found[row]["difference"] for row in (CODE, CORE)}
    similar = all(other > 0 and lead > 0 and 1 / factor <= lead / other <= factor for other in others.values())
    gains = gain_by_task(m, COMMUNICATION)
    against = {task: gain for task, gain in gains.items() if gain >= 0}
    caveat = (
        f"Of its {len(gains)} tasks, {len(gains) - len(against)} favour generalists; {listed(against)} do not."
    )
    return finding(
        similar and found[COMMUNICATION]["SD difference"] > 0,
        f"On developer communication generalists lead by {lead:.3f} in mean and by "
        f"{found[COMMUNICATION]['SD difference']:.3f} in SD; elsewhere they trail in M by {others[CODE]:.3f} "
        f"(code-adjacent) and {others[CORE]:.3f} (core).",
        caveat=caveat if against else None,
        contrasts=found,
        gain_by_task=gains,
    )


@claim("C082", "V-B", "Of the three families, code-adjacent tasks show the smallest difference in mean.")
def code_adjacent_difference_is_smallest(m: Material) -> Finding:
    """Compared by absolute difference; the footnote's outliers are then left out in all three families."""
    rows = list(FAMILY_ROWS)
    found = {row: c["difference"] for row, c in contrasts(m, rows).items()}
    trimmed = {
        "wide": {r: c["difference"] for r, c in contrasts(m, rows, outlying_models(m)).items()},
        "literal": {r: c["difference"] for r, c in contrasts(m, rows, outlying_cells(m)).items()},
    }
    smallest = {name: min(values, key=lambda r: abs(values[r])) for name, values in trimmed.items()}
    reads = {
        name: f"{row.lower()} {'stays' if row == CODE else 'becomes'} the smallest ({trimmed[name][row]:+.4f})"
        for name, row in smallest.items()
    }
    caveat = (
        f"On the footnote's wide reading (both models left out) {reads['wide']}; on the literal one (their "
        f"multi-label cells) {reads['literal']}."
    )
    return finding(
        min(found, key=lambda row: abs(found[row])) == CODE,
        f"Domain-adapted minus generalist is {signed(found)}.",
        caveat=caveat if set(smallest.values()) != {CODE} else None,
        differences=found,
        without_outliers=trimmed,
    )


@claim("C085", "V-B", "Of the classification types, multi-label tasks gain most from domain adaptation.")
def multi_label_tasks_gain_most(m: Material) -> Finding:
    """Compared by difference in mean; the gain must be there without the footnote's outliers, too."""
    rows = list(CLASSIFICATION_ROWS)
    found = {row: c["difference"] for row, c in contrasts(m, rows).items()}
    trimmed = {row: c["difference"] for row, c in contrasts(m, rows, outlying_cells(m)).items()}
    best = max(found, key=lambda row: found[row])
    weak = max(trimmed, key=lambda r: trimmed[r]) != best or trimmed[best] < found[best] / 2
    caveat = (
        f"Without the cells of BERT large and RoBERTa large on multi-label tasks the gain falls to "
        f"{trimmed[MULTI_LABEL]:+.3f}, and the largest is {max(trimmed.values()):+.3f} "
        f"({max(trimmed, key=lambda r: trimmed[r]).lower()})."
    )
    return finding(
        best == MULTI_LABEL and found[best] > 0,
        f"Domain-adapted minus generalist is {signed(found)}.",
        caveat=caveat if weak else None,
        differences=found,
        without_outlying_cells=trimmed,
    )


@claim(
    "C093",
    "VI third",
    "The largest, still small, effects of domain adaptation are its gain on multi-label tasks and its loss on "
    "developer communication.",
)
def largest_adaptation_effects(m: Material) -> Finding:
    """Compared over the six rows of Table V by absolute difference in mean; small: |d| below .5."""
    found = contrasts(m, [*FAMILY_ROWS, *CLASSIFICATION_ROWS])
    ranked = sorted(found, key=lambda row: -abs(found[row]["difference"]))
    signs = found[MULTI_LABEL]["difference"] > 0 > found[COMMUNICATION]["difference"]
    small = all(abs(found[row]["d"]) < MEDIUM for row in ranked[:2])
    rest = {row: contrast(m, row)["difference"] for row in TYPE_ROWS if row not in CLASSIFICATION_ROWS}
    larger = {row: gap for row, gap in rest.items() if abs(gap) > abs(found[ranked[1]]["difference"])}
    trimmed = contrast(m, MULTI_LABEL, outlying_cells(m))["difference"]
    caveats = []
    if larger:
        caveats.append(f"Table VI has larger ones that Table V leaves out: {signed(larger)}.")
    if trimmed < abs(found[ranked[2]]["difference"]):
        caveats.append(f"Without BERT large and RoBERTa large the multi-label gain is {trimmed:+.3f}.")
    return finding(
        set(ranked[:2]) == {MULTI_LABEL, COMMUNICATION} and signs and small,
        f"Domain-adapted minus generalist, by size: {signed({r: found[r]['difference'] for r in ranked})}; "
        f"the first two have d = {found[ranked[0]]['d']:.2f} and {found[ranked[1]]['d']:.2f}.",
        caveat=" ".join(caveats),
        contrasts=found,
        other_types=rest,
        multi_label_without_outlying_cells=trimmed,
    )
