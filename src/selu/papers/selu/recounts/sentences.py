"""Findings of the authors' counts, in computed sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from statistics import median

from selu.names import word
from selu.papers.selu.recounts.pairs import ALIKE, DIFFERENT, OPEN
from selu.papers.selu.recounts.view import BASELINE, LEVEL, View, cell_name, label_of
from selu.stats.rounding import to_digits

HALF = 0.5


def listed(names: Iterable[str]) -> str:
    """Join names with commas and an ``and``."""
    found = list(names)
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def findings(view: View) -> list[str]:
    """Return every sentence, in the order of the notebook."""
    writers = (left_out, wrong, versions, constant, epochs, shares, one_answer, dead, baseline, pairs, widths)
    return [sentence for write in writers if (sentence := write(view))]


def left_out(view: View) -> str:
    """State which published scores do not count all test rows."""
    found = [row for row in view.left_out if not row.spans]
    if not found:
        return f"All {view.scores} recounted scores count all test rows"
    tasks = listed(word(task) for task in dict.fromkeys(row.task for row in found))
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in found:
        groups[row.counted, row.expected].append(view.material.system(row.system).name)
    parts = [
        f"{len(names)} {'counts' if len(names) == 1 else 'count'} {counted:,} of {expected:,} ({listed(names)})"
        for (counted, expected), names in sorted(groups.items())
    ]
    moved = [
        abs(row.score - row.as_wrong) for row in found if row.score is not None and row.as_wrong is not None
    ]
    most = f". Rows that a few leave out move their scores by at most {max(moved):.4f}" if moved else ""
    return (
        f"{len(found)} of {view.scores} recounted scores leave out test rows, all in {tasks}. "
        f"{'. '.join(parts)}{most}"
    )


def wrong(view: View) -> str:
    """State which files contradict themselves."""
    if not view.wrong:
        return f"None of {view.files} result files contradicts itself"
    each = [
        f"{view.material.system(row.system).name} on {word(row.task)} (its field {', '.join(row.fields)}; "
        f"published {row.published or 'nowhere'}, by its counts {to_digits(row.counted)})"
        for row in view.wrong
    ]
    verb = "contradicts itself" if len(each) == 1 else "contradict themselves"
    return f"{len(each)} of {view.files} result files {verb}: {listed(each)}"


def versions(view: View) -> str:
    """State which version of a training that was run again is the published one."""
    found = view.twice
    if not found:
        return "No training was published in two versions"
    first = [row for row in found if row.reads == (True, False)]
    second = [row for row in found if row.reads == (False, True)]
    where = f", all of {word(first[0].task)}" if len({row.task for row in first}) == 1 else ""
    higher = sum(row.difference > 0 for row in found)
    neither = [row for row in found if row not in first and row not in second]
    rest = f"; of {len(neither)} neither or both read as published" if neither else ""
    return (
        f"The package holds two versions of {len(found)} trainings. Table VI has the second of "
        f"{len(second)} and the first of {len(first)}{where}{rest}. The second scores higher in {higher} of "
        f"{len(found)}, in the median by {median(row.difference for row in found):.3f}"
    )


def constant(view: View) -> str:
    """State which trainings with one answer to all rows were run again."""
    again = [system for (_, system), repeated in view.constant.items() if repeated]
    kept = Counter(system for (_, system), repeated in view.constant.items() if not repeated)
    if not view.constant:
        return "No first training gives all rows of a task one answer"
    series = sorted({str(view.material.system(system).series) for system in again})
    names = [f"{view.material.system(system).name} {count}" for system, count in kept.most_common()]
    return (
        f"{len(view.constant)} first training{'s give' if len(view.constant) != 1 else ' gives'} all rows of a "
        f"task one answer. {len(again)} of them {'were' if len(again) != 1 else 'was'} "
        f"run again ({listed(series or ['none'])}); {kept.total()} were not ({listed(names or ['none'])})"
    )


def epochs(view: View) -> str:
    """State how many trainings ended where the paper's settings allow."""
    odd = [row for row in view.lengths if not row.allowed]
    older = sum(row.older for row in odd)
    last = sum(row.last for row in view.lengths)
    text = (
        f"{len(view.lengths) - len(odd)} of {len(view.lengths)} trainings end where the paper's settings allow "
        f"it, {last} of them at the last epoch"
    )
    if not odd:
        return text
    tasks = listed(word(task) for task in dict.fromkeys(row.task for row in odd))
    return (
        f"{text}. {len(odd)} end too early ({tasks}: {min(row.epoch for row in odd):.1f} to "
        f"{max(row.epoch for row in odd):.1f} epochs); {'all' if older == len(odd) else older or 'none'} of "
        "these fit the settings of the preprint"
    )


def shares(view: View) -> str:
    """State how often one class makes most of the differences between systems, and how often it is rare."""
    tasks = [list(group) for _, group in groupby(view.shares, key=lambda share: share.task)]
    if not tasks:
        return "No class makes systems differ"
    largest = [(max(task, key=lambda share: share.share), task) for task in tasks]
    over = sum(top.share > HALF for top, _ in largest)
    common = sum(
        top.support == max(sizes) > min(sizes)
        for top, task in largest
        for sizes in [[share.support for share in task]]
    )
    top, _ = max(largest, key=lambda pair: pair[0].share / pair[0].rows)
    name, how_often = (
        label_of(view.material, top.task, top.label),
        f"the most frequent one on {common or 'none'}",
    )
    return (
        f"On {over} of {len(tasks)} tasks one class makes more than half of the differences between systems. "
        f"The class that matters most is {how_often}. In {word(top.task)}, {name} is "
        f"{100 * top.rows:.1f} % of the rows and makes {100 * top.share:.0f} % of the differences"
    )


def one_answer(view: View) -> str:
    """State how many published scores are of systems that give all rows one answer."""
    by_system = Counter(view.material.system(row.system).name for row in view.one_answer)
    names = [f"{name} {count}" for name, count in by_system.most_common()]
    return (
        f"{len(view.one_answer) or 'None'} of {view.scores} published scores "
        f"{'is' if len(view.one_answer) == 1 else 'are'} those of one answer to all rows"
        + (f" ({listed(names)})" if names else "")
    )


def dead(view: View) -> str:
    """State how often a system never answers a class, and which class is missed by most systems."""
    if not view.dead:
        return "No system leaves a class without an answer"
    scores = {(row.task, row.system) for row in view.dead}
    (task, label), count = Counter((row.task, row.label) for row in view.dead).most_common(1)[0]
    total = sum(row.task == task and row.label == label for row in view.per_class)
    name = label_of(view.material, task, label)
    return (
        f"{len(scores)} more published scores are of systems that never find some class of the task, "
        f"{len(view.dead)} classes in all. {count} of {total} systems never find {name} in {word(task)}"
    )


def baseline(view: View) -> str:
    """State in which cells the baseline's matrices differ from ours."""
    tasks = list(dict.fromkeys(part.task for part in view.parts if part.task in view.differ))
    name = view.material.system(BASELINE).name
    if not tasks:
        return f"No score of {name} that has counts differs from ours"
    found = [part for part in view.parts if part.task in tasks]
    same = [part for part in found if part.totals[0] == part.totals[1]]
    largest = max(same or found, key=lambda part: abs(part.shift))
    return (
        f"{len(tasks)} scores of {name} with counts differ from ours. The largest shift is in "
        f"{word(largest.task)} ({cell_name(view.material, largest)}): {largest.theirs:,} of "
        f"{largest.totals[0]:,} rows there, {largest.ours:,} here"
    )


def pairs(view: View) -> str:
    """State how many pairs McNemar's test decides by the matrices alone."""
    unsure = sum(row.outcome(LEVEL) == OPEN for row in view.bounds)
    top = Counter(row.outcome(LEVEL) for row in view.leaders)
    return (
        f"The matrices alone decide McNemar's test for {len(view.bounds) - unsure:,} of "
        f"{len(view.bounds):,} pairs of systems on one task. The first and the second system of a task clearly "
        f"differ on {top[DIFFERENT] or 'none'} of {top.total()} tasks; on {top[ALIKE]} they are not told apart "
        f"whichever rows they have right, and {top[OPEN]} are open"
    )


def widths(view: View) -> str:
    """State how accurate intervals with independent labels are."""
    if not view.widths:
        return ""
    ratios = [row.ratio for row in view.widths]
    return (
        f"With labels taken as independent, intervals of multi-label scores are {min(ratios):.2f} to "
        f"{max(ratios):.2f} times as wide as those from rows, in the median {median(ratios):.2f} (our "
        f"{len(ratios)} runs)"
    )
