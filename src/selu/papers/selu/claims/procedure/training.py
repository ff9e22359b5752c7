"""The course of fine-tuning: convergence, evaluation, early stopping, number of epochs (IV-C, VII)."""

from __future__ import annotations

from collections import Counter
from math import sqrt

from selu.papers.claims import claim, finding, listed, percent, rounding, scope, wording
from selu.papers.selu.analysis.aggregates import HALF_WIDTH
from selu.papers.selu.claims._constant_answers import constant_answers
from selu.papers.selu.claims._protocol import FINAL, PAPER, PREPRINT, TOKEN_KINDS, says
from selu.papers.selu.claims._questions import PROCEDURE
from selu.papers.selu.claims._versions import equal_to_preprint, sampled_epochs, taken_over
from selu.papers.selu.material import Material
from selu.stats.rounding import to_digits
from selu.vocabulary import Approach, Finding

QUESTION = PROCEDURE


@claim(
    "C108",
    "VII-A vs V-A",
    "Every fine-tuning experiment converged stably.",
    weight="method",
    quote="ensure stable convergence behavior for all experiments",
    holds="Every fine-tuned score of a classification task is above the best F1-macro of an answer that "
    "ignores the text (always one class or, for several labels, all of them).",
    caveat="Some scores are equal to that of such an answer within rounding.",
    fails="At least one fine-tuned score is below that of such an answer by more than rounding explains.",
)
def every_run_converged(paper: Material) -> Finding:
    """Compare scores with constant answers; class counts are those of the published confusion matrices."""
    bars = constant_answers(paper)
    tuned = paper.names(approach=Approach.FINETUNED)
    cells = {
        (bar, system): paper.number("table6", bar, paper.system(system).name)
        for bar in bars
        for system in tuned
    }
    stuck = {
        (task, system): score for (task, system), score in cells.items() if score <= bars[task] + HALF_WIDTH
    }
    below = [(task, system) for (task, system), score in stuck.items() if score + HALF_WIDTH < bars[task]]
    equal = [
        f"{task}/{system}"
        for (task, system), score in stuck.items()
        if to_digits(bars[task]) == to_digits(score)
    ]
    systems = Counter(system for _, system in stuck)
    noun = "score is" if len(stuck) == 1 else "scores are"
    who = (
        f" ({listed(f'{n} of {paper.system(system).name}' for system, n in systems.most_common())})"
        if stuck
        else ""
    )
    return finding(
        not below,
        f"{len(stuck) or 'None'} of {len(cells)} fine-tuned classification {noun} no better than the best "
        f"answer that ignores the text{who}; {len(below) or 'none'} of them by more than rounding explains.",
        caveat=rounding(f"{len(stuck)} scores equal it within rounding.") if stuck else None,
        constant_f1=bars,
        no_better={f"{task}/{system}": score for (task, system), score in stuck.items()},
        below=[f"{task}/{system}" for task, system in below],
        equal_to_constant=equal,
    )


@claim(
    "C109",
    "IV-C, VII-D",
    "Fine-tuning uses early stopping, with the data split into 80 % training and 20 % test rows.",
    weight="method",
    quote="Using early stopping and stratified splits might reduce performance variance",
    holds="The authors' scripts stop early by rows that are not test rows, and some recorded runs ended before "
    "their last epoch.",
    caveat="The scripts watch the test rows for the stop.",
    fails="The scripts don't stop early, or no recorded run ended before its last epoch (by more than 0.05).",
    thresholds={"0.05": "our choice: a last step may end a little before the epoch does"},
)
def early_stopping_is_used(paper: Material) -> Finding:
    """Check the last epochs of the preprint's runs."""
    watched = {where: says(paper, "early stopping on", where) for where in (FINAL, PREPRINT)}
    limits = {
        token: paper.number("protocol", "epochs of token tasks" if token else "epochs", PREPRINT)
        for token in (True, False)
    }
    token_tasks = {task.id for task in paper.tasks if task.kind in TOKEN_KINDS}
    tuned = set(paper.names(approach=Approach.FINETUNED))
    ran = {
        row: float(cell.published)
        for (row, column), cell in paper.tables["package_preprint"].items()
        if column == "epoch" and row.split("/")[1] in tuned
    }
    early = [row for row, epoch in ran.items() if epoch < limits[row.split("/")[0] in token_tasks] - 0.05]
    on_test = [where for where, rows in watched.items() if rows == "test"]
    caveat = (
        "There is no third part, so the stop and the kept checkpoint are chosen on the same test rows that the "
        f"scores come from, in {len(on_test)} of {len(watched)} packages. That flatters them."
    )
    return finding(
        bool(early) and "none" not in watched.values(),
        f"The scripts watch the {watched[FINAL]} rows for the stop. In the preprint's package, with at most "
        f"{limits[False]:g} epochs ({limits[True]:g} on NER and MLM), {len(early)} of {len(ran)} runs end "
        "before the last one.",
        caveat=wording(caveat) if on_test else None,
        stopped_on=watched,
        limits={"token tasks": limits[True], "other tasks": limits[False]},
        early=len(early),
        recorded=len(ran),
    )


@claim(
    "C110",
    "IV-C",
    "Every fine-tuned score in Table VI comes from the protocol of up to 10 epochs.",
    weight="method",
    quote="We run the fine-tuning experiments for 10 epochs (enough for most of them to reach convergence)",
    holds="No score of Table VI is that of a result file which the final package took over from the preprint, "
    "whose runs had fewer epochs. Scores of NER and MLM, with the same epochs in both, are left out.",
    caveat="A score equals the preprint's at three digits and no result file of the final package is available "
    "here that could tell the two runs apart.",
    fails="A score equals the preprint's, and the final package's result file has its score to the last digit.",
    thresholds={"three digits": "Table VI"},
)
def no_score_is_from_the_preprint(paper: Material) -> Finding:
    """Compare test_results.json of both packages: a score is the preprint's if three digits are equal."""
    equal, compared = equal_to_preprint(paper)
    old, new = paper.tables["package_preprint"], paper.tables["package_final"]
    available, same = [row for row, metric in equal.items() if (row, metric) in new], taken_over(paper)
    last = {
        row: [table[row, "epoch"].published for table in (old, new) if (row, "epoch") in table]
        for row in available
    }
    epochs = [row for row in same if len(last[row]) == 2 and len(set(last[row])) == 1]
    ran = [
        paper.number("package_final", row, "epoch")
        for row in available
        if row not in same and (row, "epoch") in new
    ]
    limit = says(paper, "epochs", PREPRINT)
    unavailable = [row for row in equal if row not in available]
    others = (
        f" The other {len(available) - len(same)} come from new runs, of {min(ran):g} to {max(ran):g} epochs."
        if ran
        else ""
    )
    which = f" ({listed(same)}); {len(epochs)} of these also have its last epoch" if same else ""
    return finding(
        not same,
        f"{len(equal) or 'None'} of {compared} scores equal those of the preprint, which trained for {limit} "
        f"epochs, at three digits. For {len(same) or 'none'} of them the final package's result file has the "
        f"preprint's score to the last digit{which}.{others}",
        caveat=scope(f"For {listed(unavailable)} no result file is available here.") if unavailable else None,
        compared=compared,
        equal=list(equal),
        taken_over=same,
        taken_over_with_the_same_epoch=epochs,
        epochs_of_new_runs=ran,
    )


@claim(
    "C134",
    "IV-C",
    "Models are evaluated every 10 % of the steps, and training stops after 3 intervals without improvement.",
    weight="method",
    quote="setting an evaluation interval to 10% of the total calculated steps with an early stopping "
    "criterion of 3 intervals",
    holds="The authors' scripts have these settings, and each last epoch in a random sample of their result "
    "files is one that they allow: a whole tenth of the epochs (within 0.05 epochs), and the 4th or a later "
    "one.",
    fails="The scripts have other settings, or a last epoch of the sample is none of these.",
    thresholds={
        "0.05": "our choice: a last step may end a little before the epoch does",
        "4th": "a first evaluation and the 3 that bring no improvement",
    },
)
def evaluated_every_tenth(paper: Material) -> Finding:
    """Check a random sample: 30 of the 440 scores of classification and regression, drawn beforehand."""
    steps = {
        step: (says(paper, step, PAPER), says(paper, step, FINAL)) for step in ("evaluation every", "patience")
    }
    other = [step for step, (stated, done) in steps.items() if stated != done]
    tenth = paper.number("protocol", "epochs", PAPER) / 10
    first = (1 + paper.number("protocol", "patience", PAPER)) * tenth
    epochs = sampled_epochs(paper)
    odd = [row for row, epoch in epochs.items() if abs(epoch - round(epoch / tenth) * tenth) > 0.05]
    soon = [row for row, epoch in epochs.items() if epoch < first - 0.05]
    fit = len(epochs) - len({*odd, *soon})
    return finding(
        not other and fit == len(epochs),
        f"The scripts evaluate every {steps['evaluation every'][1]} and stop after {steps['patience'][1]} "
        f"evaluations without improvement; {fit} of the {len(epochs)} last epochs in a random sample of the "
        "result files are ones that the paper's settings allow.",
        scripts={step: done for step, (_, done) in steps.items()},
        not_allowed=sorted({*odd, *soon}),
        last_epochs=epochs,
    )


def _wilson(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z, share = 1.959964, count / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return middle - half, middle + half


@claim(
    "C136",
    "IV-C",
    "Ten epochs are enough for most fine-tuning runs to reach convergence.",
    weight="method",
    quote="10 epochs (enough for most of them to reach convergence)",
    holds="In a random sample of the authors' result files, early stopping ended more than half of the runs "
    "before the last epoch (by more than 0.05 epochs).",
    caveat="The 95 % interval of that share (Wilson) has one half inside.",
    fails="Half of the runs or more ran to the last epoch.",
    thresholds={
        "half": "most",
        "0.05": "our choice: a last step may end a little before the epoch does",
        "95 %": "section IV-D, the level of its intervals",
    },
)
def ten_epochs_are_enough(paper: Material) -> Finding:
    """Count converged runs: by the authors' scripts, three evaluations in a row brought no lower loss."""
    limit, epochs = paper.number("protocol", "epochs", PAPER), sampled_epochs(paper)
    early = [row for row, epoch in epochs.items() if epoch < limit - 0.05]
    low, high = _wilson(len(early), len(epochs)) if epochs else (0.0, 1.0)
    return finding(
        2 * len(early) > len(epochs),
        f"Early stopping ended {len(early) or 'none'} of the {len(epochs)} runs of a random sample before "
        f"epoch {limit:g} (95 % interval of the share {percent(low)} to {percent(high)}).",
        caveat=scope("The sample is too small to tell it from one half.") if low <= 0.5 else None,
        stopped_early=len(early),
        sampled=len(epochs),
        interval=[low, high],
        last_epochs=epochs,
    )
