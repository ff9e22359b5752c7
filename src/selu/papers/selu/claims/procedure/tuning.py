"""How settings were chosen and runs made: tuning, repeats, grids, optimiser, libraries (IV-C, IV-E, VII)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from selu.papers.claims import claim, exceptions, finding, listed, scope
from selu.papers.selu.claims._protocol import FINAL, PAPER, PREPRINT, in_scripts, record, says
from selu.papers.selu.claims._questions import PROCEDURE
from selu.papers.selu.claims._systems import XGBOOST
from selu.papers.selu.claims._versions import preprint_scores, taken_over
from selu.papers.selu.material import Material
from selu.stats.rounding import to_digits
from selu.vocabulary import Finding

QUESTION = PROCEDURE
NONE = "none"
LIBRARIES = ("Transformers", "PyTorch", "DeepSpeed")
GRIDS = {  # setting -> the baseline whose grid it is of
    **dict.fromkeys(("maximum depth", "minimum child weight"), XGBOOST),
    **dict.fromkeys(("learning rate", "epochs"), "fasttext"),
}


@claim(
    "C131",
    "IV-C",
    "No additional hyper-parameter tuning is performed for fine-tuning.",
    weight="method",
    quote="we do not perform additional hyper-parameter tuning to ensure fairer comparisons",
    holds="No fine-tuned model was trained a second time with another learning rate, as far as the authors' "
    "scripts tell.",
    caveat="The scripts of some scores are not available here, or models were trained again at the same rate.",
    fails="Some models were trained again with another learning rate than in the first runs.",
)
def no_additional_tuning(paper: Material) -> Finding:
    """Compare the first rate (version 3 of the final package's scripts) with the second (last version)."""
    again, tasks = says(paper, "series trained again", FINAL), says(paper, "tasks trained again", FINAL)
    first, last = in_scripts(paper, "learning_rate_v3"), in_scripts(paper, "learning_rate_in_script")
    rows = [row for row in last if paper.system(row.split("/")[1]).series in again.split(" and ")]
    changed = [row for row in rows if Decimal(first[row]) != Decimal(last[row])]
    rates = listed(dict.fromkeys(f"from {first[row]} to {last[row]}" for row in changed))
    held, gaps = record(paper, rows if again != NONE else last)
    repeated = f"{again} were trained again." if again != NONE else ""
    note = " ".join(text for text in (repeated, gaps) if text)
    trained = (
        f"The final package has second runs of {again}, on {tasks} tasks. Of these scores, scripts "
        f"are available here for {len(rows)}, and {len(changed) or 'none'} of these changed the learning rate"
        f"{f' {rates}' if changed else ''}."
        if again != NONE
        else f"The final package has no second runs; scripts are available here for {held}."
    )
    return finding(
        not changed,
        trained,
        caveat=scope(note) if note else None,
        trained_again=again,
        changed=changed,
    )


@claim(
    "C132",
    "VII-A, VII-D",
    "No repeated runs are used to select the best fine-tuned model.",
    weight="method",
    quote="we do not use repeated runs to select the best model",
    holds="The authors published no second result of a fine-tuned score that differs from Table VI at three "
    "digits; or they did (the preprint's, with other settings), and Table VI has the lower of the two in at "
    "least 5 % of cases, so that it doesn't pick the better one. That there are second results is "
    "a remark then.",
    fails="They published differing second results, and Table VI has the better one in more than 95 % of "
    "cases.",
    thresholds={
        "three digits": "Table VI",
        "5 %": "our choice: a few slips don't hide a choice of the better run",
        "95 %": "the complement",
    },
)
def no_repeated_runs(paper: Material) -> Finding:
    """Compare with scores of the preprint's package, without tasks that had the same epochs in both."""
    pairs = {row: (to_digits(float(older)), now) for row, (_, older, now) in preprint_scores(paper).items()}
    second = {row: values for row, values in pairs.items() if values[0] != values[1]}
    lower = [row for row, (older, now) in second.items() if Decimal(now) < Decimal(older)]
    shown = f"; Table VI has the lower one for {len(lower) or 'none'} of them" if second else ""
    return finding(
        not second or len(lower) >= 0.05 * len(second),
        f"The preprint's package has a different result for {len(second) or 'none'} of {len(pairs)} fine-tuned "
        f"scores{shown}.",
        remark="Each of these has two runs, with different settings." if second else None,
        compared=len(pairs),
        different=len(second),
        lower_in_table_6=len(lower),
    )


def _ends(paper: Material, setting: str) -> tuple[float, float]:
    low, _, high = says(paper, f"grid of {setting}", PAPER).partition(" to ")
    return float(low), float(high)


@claim(
    "C133",
    "IV-C",
    "The baselines' search ranges partially cover the bias-variance trade-off.",
    weight="method",
    quote="Search ranges partially cover the bias-variance trade-off and one known interaction.",
    holds="For at least one of the four settings, more than half of the values picked lie inside the range "
    "that IV-C names. That half of the picks or more lie at an end of another range, where a better value may "
    "lie outside, is a remark: the sentence says partially.",
    fails="For none of the settings do more than half of the picks lie inside, or a pick lies outside the "
    "range.",
    thresholds={"half": "our choice: most"},
)
def grids_cover_the_optimum(paper: Material) -> Finding:
    """Check the picks in best_model.json of the authors' packages (some tasks: of an older commit only)."""
    at_end, outside, picks = {}, [], {}
    for setting, system in GRIDS.items():
        low, high = _ends(paper, setting)
        rows = [
            row
            for row, column in paper.tables["package_grids"]
            if column == setting and row.endswith(f"/{system}")
        ]
        picks[setting] = {row: paper.number("package_grids", row, setting) for row in rows}
        at_end[setting] = [row for row, value in picks[setting].items() if value in (low, high)]
        outside += [row for row, value in picks[setting].items() if not low <= value <= high]
    inside = [name for name, rows in at_end.items() if 2 * len(rows) < len(picks[name])]
    others = [name for name in GRIDS if name not in inside]
    shown = listed(
        f"the {name} of {paper.system(GRIDS[name]).name} for {len(rows)} of {len(picks[name])} tasks"
        for name, rows in at_end.items()
    )
    return finding(
        bool(inside) and not outside,
        "The value picked lies at an end of its range for "
        f"{shown}.{f' Outside of it lie {listed(outside)}.' if outside else ''}",
        remark=f"For the {' and the '.join(others)} that is half of the tasks or more." if others else None,
        at_an_end={name: {row: picks[name][row] for row in rows} for name, rows in at_end.items()},
        picks={name: dict(Counter(f"{value:g}" for value in found.values())) for name, found in picks.items()},
    )


@claim(
    "C135",
    "IV-C",
    "The optimiser is AdamW, with a weight decay of 0.01.",
    weight="method",
    quote="AdamW as optimizer, weight decay of 0.01",
    holds="The authors' scripts and their DeepSpeed configuration name this optimiser and this weight decay.",
    fails="They name another optimiser or another weight decay.",
)
def adamw_with_weight_decay(paper: Material) -> Finding:
    """Compare the optimisers and weight decays in protocol.csv."""
    optimiser, stated = says(paper, "optimiser", FINAL), says(paper, "optimiser", PAPER)
    decay, written = (paper.number("protocol", "weight decay", where) for where in (FINAL, PAPER))
    return finding(
        optimiser == stated and decay == written,
        f"The scripts use {optimiser} with a weight decay of {decay:g}.",
        optimiser=optimiser,
        weight_decay=decay,
    )


@claim(
    "C137",
    "VII-B",
    "All fine-tuning experiments run on the same hardware and use the same libraries.",
    weight="method",
    quote="All the fine-tuning experiments run on the same hardware, use the same libraries",
    holds="The authors' two packages name the same versions of Transformers, PyTorch and DeepSpeed, and their "
    "scripts use the number of GPUs that IV-E names. (The kind of GPU is not known.)",
    caveat="The versions differ, but no score of Table VI is known to come from the older package's runs.",
    fails="The versions differ and Table VI has scores from the runs of both packages, or the number of GPUs "
    "differs.",
)
def same_hardware_and_libraries(paper: Material) -> Finding:
    """Compare versions in the packages' requirement files; scores of older runs are those of claim C110."""
    versions = {
        name: tuple(says(paper, f"version of {name}", where) for where in (PREPRINT, FINAL))
        for name in LIBRARIES
    }
    other = {name: pair for name, pair in versions.items() if pair[0] != pair[1]}
    mixed = taken_over(paper)
    gpus, stated = says(paper, "GPUs", FINAL), says(paper, "GPUs", PAPER)
    shown = listed(f"{name} {old} and {new}" for name, (old, new) in other.items())
    differences = (
        f" ({shown}), and {len(mixed) or 'no'} scores of Table VI come from the preprint's runs"
        if other
        else ""
    )
    return finding(
        gpus == stated and not (other and mixed),
        f"The packages of preprint and paper name different versions of {len(other) or 'none'} of the "
        f"{len(LIBRARIES)} libraries{differences}. The scripts use {gpus} GPUs, the paper names {stated}.",
        caveat=scope("The runs of Table VI may have used either.") if other else None,
        versions=versions,
        scores_from_the_preprint=mixed,
        gpus=gpus,
    )


@claim(
    "C138",
    "VII-B",
    "The baselines' model selection is simplified but robust.",
    weight="method",
    quote="for training the baselines, we follow a simplified but robust model selection process",
    holds="The authors' scripts pick a baseline's settings on rows other than the test rows, and keep the "
    "best.",
    caveat="They pick on other rows, but keep the worst candidate for regression.",
    fails="They pick the settings by the scores on the test rows, which Table VI reports.",
)
def baselines_are_picked_robustly(paper: Material) -> Finding:
    """Check how settings were picked: scores on the rows used for it are too high (Cawley and Talbot 2010)."""
    rows, kept = says(paper, "baseline picked on", FINAL), says(paper, "XGBoost regression keeps", FINAL)
    worst = kept != says(paper, "XGBoost regression keeps", PAPER)
    grids = {name: says(paper, f"grid of {name}", PAPER) for name in GRIDS}
    regression = f"For regression, they keep the {kept} candidate of {paper.system(XGBOOST).name}."
    return finding(
        rows != "test",
        "The scripts pick the settings "
        f"({listed(f'{name} {span}' for name, span in grids.items())}) by the score on the {rows} rows"
        f"{', which is also the score of Table VI' if rows == 'test' else ''}."
        f"{f' {regression}' if worst and rows == 'test' else ''}",
        caveat=exceptions(regression) if worst else None,
        picked_on=rows,
        regression_keeps=kept,
    )
