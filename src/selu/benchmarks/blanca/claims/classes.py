"""Results on classes: hierarchy and usage (Tables 6 and 7)."""

from __future__ import annotations

from selu.benchmarks.blanca.claims._known import HALF, counted_in, of, once, ordered, other_r, own_r, tuned
from selu.benchmarks.blanca.evaluators.correlation import significance
from selu.benchmarks.blanca.material import Material
from selu.benchmarks.claims import claim, exceptions, finding, listed, noted
from selu.vocabulary import Change, Finding

QUESTION = "Do language models reflect how classes are derived and used?"

HU, FT = "HU-BERTOverflow", "FT-BERTOverflow"
_ONE_RULE = (
    "B38, B40, B43 and B44 have one rule for the authors' own r: of their distances, scored again, or of their "
    "log where no distances are published. "
)


def _one_rule(why: str, was: str) -> tuple[Change, ...]:
    return (Change("2026-11-27", _ONE_RULE + why, was),)


def _range(m: Material, section: str, task: str, lowest: str, highest: str) -> Finding:
    """Compare the ends of a table with the two numbers of the text and their models."""
    scores = m.scores(task)
    low, high = ordered(scores)[-1], ordered(scores)[0]
    said = [m.number("text", section, f"{which} r") for which in ("Lowest", "Highest")]
    because = f"r goes from {scores[low]:.2f} ({low}) to {scores[high]:.2f} ({high})."
    fits = (low, high) == (lowest, highest) and said == [scores[low], scores[high]]
    other = other_r(m, task, (lowest, highest))
    return noted(fits, because, note=exceptions(other) if other else None, lowest=low, highest=high, text=said)


@claim(
    "B38",
    "4.4",
    "On the hierarchy r goes from 0.17 (BERTOverflow) to 0.34 (fine-tuned BERTOverflow).",
    holds="These are the smallest and the largest r of Table 6, of these models, and the authors' files give "
    "no other number for them.",
    caveat="The authors' files give another number for one of the two.",
    fails="Another model has a smaller or a larger one.",
    weight="detail",
    changes=_one_rule(
        "The paper prints .34 where the log has .3302.",
        "fails: r goes from -0.01 (CodeBERT) to 0.34 (FT-BERTOverflow).",
    ),
    quote="varied from 0.17 (for BERTOverflow) to 0.34 (for Fine-tuned- ... BERTOverflow)",
    if_it_fails="A model would be weaker or stronger on the hierarchy than the range tells a reader of the "
    "text.",
)
def range_of_hierarchy(m: Material) -> Finding:
    """Look for the ends of Table 6."""
    return _range(m, "4.4", "H", m.printed("text", "4.4", "Model of the lowest r"), FT)


@claim(
    "B39",
    "4.4",
    "All correlations with the hierarchy are significant (p at most .01).",
    holds="Each r of Table 6 has a two-sided p of at most .01 at the number of test pairs, whatever digits "
    "were cut.",
    caveat="One of them has the wrong sign: farther classes are nearer.",
    fails="One of them has not.",
    weight="conclusion",
    quote="all are statistically significant at p ≤ 0.01",
    if_it_fails="For some model, the distance of two embeddings would say nothing about the distance of the "
    "classes in the hierarchy.",
)
def hierarchy_significant(m: Material) -> Finding:
    """Compute p from the smallest r that rounds to the printed one."""
    scores, pairs = m.scores("H"), m.count("table2", "H", "Test")
    p = {name: significance(max(0.0, abs(r) - HALF), pairs) for name, r in scores.items()}
    low = [name for name, value in p.items() if value <= 0.01]
    wrong = [name for name, r in scores.items() if r < 0]
    because = (
        f"{of(len(low), len(p))} r have p of at most 0.01 at {pairs:,} pairs; the smallest is "
        f"{min(scores.values()):.2f}."
    )
    caveat = exceptions(f"Farther classes are nearer for {listed(wrong)}.") if wrong else None
    return finding(len(low) == len(p), because, caveat=caveat, p=p)


@claim(
    "B40",
    "4.4",
    "Fine-tuning helps BERTOverflow on the hierarchy.",
    holds="Its r in Table 6 is larger than that of the base, and so it is in the authors' files.",
    caveat="In the authors' files it is no larger.",
    fails="In Table 6 it is no larger.",
    weight="conclusion",
    changes=_one_rule(
        "The sentence names no number: another gain is a remark, no gain a caveat.",
        "holds: r goes from 0.17 to 0.34.",
    ),
    quote="The improvement from fine-tuning for BERTOverflow showed that the task is useful for building "
    "better embeddings",
    if_it_fails="Training on the hierarchy would not give better embeddings of class documentation.",
)
def tuning_on_hierarchy(m: Material) -> Finding:
    """Compare the two rows."""
    base, own = tuned(m, "H")["BERTOverflow"]
    files = [own_r(m, "H", name) for name in ("BERTOverflow", FT)]
    before, after = files
    gains = before is None or after is None or after > before
    other = other_r(m, "H", ("BERTOverflow", FT))
    return finding(
        own > base,
        f"r goes from {base:.2f} to {own:.2f}.",
        caveat=None if gains else exceptions(f"The authors' files give {before:.4f} and {after:.4f}."),
        remark=other if gains else None,
        base=base,
        tuned=own,
        files=files,
    )


@claim(
    "B41",
    "4.4",
    "xlm-r-paraphrase (0.27) and USE (0.28) do reasonably well on the hierarchy without tuning.",
    holds="Table 6 has these numbers, and no other base model has a larger one.",
    fails="A number is another, or another base model is ahead.",
    weight="detail",
    quote="Some other models showed reasonable performance with no tuning (xlm-r-paraphrase at 0.27, and USE "
    "at 0.28 respectively)",
    if_it_fails="Models without tuning would do worse on the hierarchy, or another one would be the best to "
    "start from.",
)
def best_bases_of_hierarchy(m: Material) -> Finding:
    """Compare with the base models of Table 6."""
    names = ("xlm-r-paraphrase-v1", "USE")
    scores = m.chosen("H", m.bases)
    said = {name: m.number("text", "4.4", name) for name in names}
    best = ordered(scores)[:2]
    fits = set(best) == set(names) and all(scores[name] == value for name, value in said.items())
    because = f"The best base models are {listed(f'{name} ({scores[name]:.2f})' for name in best)}."
    return finding(fits, because, best=best, text=said)


@claim(
    "B42",
    "Table 6",
    "Multi-task training is not better than training on the hierarchy alone.",
    holds="HU-BERTOverflow has a smaller r than the tuned models' best, and so has every model of Table 8.",
    fails="A multi-task model has a larger one.",
    weight="detail",
    kind="implied",
    changes=once(
        "B54",
        "holds: The largest r of a multi-task model is 0.29 (HU-BERTOverflow), that of single tasks 0.34.",
    ),
    if_it_fails="One model trained on several tasks could replace the one that is trained on the hierarchy "
    "alone.",
)
def multitask_on_hierarchy(m: Material) -> Finding:
    """Compare the multi-task models with the best of single-task training."""
    single = max(own for _, own in tuned(m, "H").values())
    multi = {**m.multitask("H"), **m.chosen("H", [e for e in m.encoders if e.multi])}
    best = ordered(multi)[0]
    because = (
        f"The largest r of a multi-task model is {multi[best]:.2f} ({best}), that of single tasks {single:.2f}."
    )
    return finding(multi[best] <= single, because, remark=counted_in("B54"), multi=multi, single=single)


@claim(
    "B43",
    "4.5",
    "On usage r goes from 0.17 (BERT-NLI) to 0.61 (HU-BERTOverflow).",
    holds="These are the smallest and the largest r of Table 7, of these models, and the authors' files give "
    "no other number for them.",
    caveat="The authors' files give another number for one of the two.",
    fails="Another model has a smaller or a larger one.",
    weight="detail",
    changes=_one_rule(
        "They have BERT-NLI alone of the two.",
        "holds: r goes from 0.17 (BERT-NLI) to 0.61 (HU-BERTOverflow).",
    ),
    quote="varied from 0.17 (for BERT-NLI) to 0.61 (for HU-BERTOverflow)",
    if_it_fails="Another model would be the weakest or the best one for predicting which classes are used "
    "alike.",
)
def range_of_usage(m: Material) -> Finding:
    """Look for the ends of Table 7."""
    return _range(m, "4.5", "U", "BERT-NLI", HU)


@claim(
    "B44",
    "4.5",
    "On usage tuning raises BERTOverflow from 0.37 to 0.52, and adding the hierarchy to 0.61.",
    holds="Table 7 has these numbers, each above the one before, and the authors' files give no other number "
    "for these models.",
    caveat="The authors' files give another number for one of them.",
    fails="Table 7 has another number, or one that is not above the one before.",
    weight="conclusion",
    changes=_one_rule(
        "All three models are looked up, not only the tuned one.",
        "holds with caveat: Table 7 has 0.37, 0.52, 0.61. Caveat (exceptions): The authors' distances give "
        "0.49 for FT-BERTOverflow.",
    ),
    quote="The improvement from fine-tuning for BERTOverflow (0.37 to 0.52) ... Using hierarchy task as well "
    "with HU-BERTOverflow further improved performance to 0.61",
    if_it_fails="Training on usage, or adding the hierarchy to it, would gain less than the paper says, or "
    "nothing.",
)
def steps_of_usage(m: Material) -> Finding:
    """Compare text, Table 7 and the authors' files."""
    names = ("BERTOverflow", FT, HU)
    said, table = [m.number("text", "4.5", name) for name in names], [m.scores("U")[name] for name in names]
    other = other_r(m, "U", names)
    caveat = exceptions(other) if other else None
    because = f"Table 7 has {listed(f'{value:.2f}' for value in table)}."
    return finding(said == table == sorted(set(table)), because, caveat=caveat, text=said, table=table)


@claim(
    "B45",
    "4.5",
    "On usage tuning lowers CodeBERT from 0.33 to 0.30.",
    holds="Table 7 has these numbers, the second below the first.",
    fails="It has others.",
    weight="detail",
    changes=once("B47", "holds: Table 7 has 0.33 and 0.30."),
    quote="its performance dropped to 0.30 from 0.33",
    if_it_fails="Tuning on usage would not harm CodeBERT, and the gain would not depend on the base model.",
)
def drop_of_codebert(m: Material) -> Finding:
    """Compare text and Table 7."""
    said = tuple(m.number("text", "4.5", name) for name in ("CodeBERT", "FT-CodeBERT"))
    table = tuned(m, "U")["CodeBERT"]
    because = f"Table 7 has {table[0]:.2f} and {table[1]:.2f}."
    return finding(
        said == table and table[1] < table[0], because, remark=counted_in("B47"), text=said, table=table
    )


@claim(
    "B53",
    "4.6",
    "Training on the hierarchy helps the usage task.",
    holds="HU-BERTOverflow has a larger r in Table 7 than BERTOverflow tuned on usage alone.",
    fails="It has not.",
    weight="conclusion",
    quote="We were expecting and found class hierarchy training to help the usage task",
    if_it_fails="Training on the class hierarchy would not help to predict which classes are used alike.",
)
def hierarchy_helps_usage(m: Material) -> Finding:
    """Compare the two rows of Table 7."""
    own, both = (m.scores("U")[name] for name in (FT, HU))
    return finding(
        both > own, f"r is {both:.2f} with both tasks, {own:.2f} with usage alone.", both=both, own=own
    )


@claim(
    "B54",
    "4.6",
    "Training on usage does not help the hierarchy.",
    holds="HU-BERTOverflow has no larger r in Table 6 than BERTOverflow tuned on the hierarchy alone.",
    fails="It has.",
    weight="conclusion",
    quote="We also expected usage analysis to help class hierarchy training ... this did not happen",
    if_it_fails="Usage in Python would say something about the class hierarchy, and dynamic types would not "
    "have to explain why not.",
)
def usage_and_hierarchy(m: Material) -> Finding:
    """Compare the two rows of Table 6."""
    own, both = (m.scores("H")[name] for name in (FT, HU))
    because = f"r is {both:.2f} with both tasks, {own:.2f} with the hierarchy alone."
    return finding(both <= own, because, both=both, own=own)
