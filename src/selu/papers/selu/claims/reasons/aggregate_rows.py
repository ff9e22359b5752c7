"""The aggregate rows of Tables V and VI."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, rounding
from selu.papers.published import ABSENT
from selu.papers.selu.analysis.aggregates import CLASSIFICATION_ROWS, FAMILY_ROWS, TYPE_ROWS, recompute
from selu.papers.selu.claims._questions import NUMBERS
from selu.papers.selu.claims._unrounded import settled
from selu.papers.selu.material import Material
from selu.stats.rounding import to_digits
from selu.vocabulary import Finding

QUESTION = NUMBERS
EQUAL = "Each published number is the recomputed one to its last digit."
BEYOND = "At least one differs by more than the rounding of the scores explains."
WITHIN = "All agree, but some only within the rounding of the scores to three digits."


@claim(
    "C013",
    "Table VI caption",
    "Table VI's rows by task family leave out NER and MLM.",
    weight="method",
    quote="Results aggregated by task family do not include NER and MLM tasks, since they are not "
    "available for all models.",
    holds="Each published family number is that of the scores without NER and MLM; at least one would "
    "be another with them, and none of these fits both.",
    fails="A family number does not fit the scores without them by more than rounding explains, or one that "
    "they would change fits those with them, too.",
    caveat=WITHIN,
)
def family_rows_leave_out_token_tasks(paper: Material) -> Finding:
    """Recompute both ways."""
    rows = recompute(paper, ["table6_aggregates"])
    rows = rows[rows["row"].isin(FAMILY_ROWS) & (rows["printed"] != ABSENT)]
    off = rows[~rows["explained_by_rounding"].astype(bool)]
    with_token = rows["with_token_tasks"].map(to_digits)
    telling = rows[(rows["with_token_tasks"] - rows["computed"]).abs() > 1e-9]
    also = telling[with_token[telling.index] == telling["printed"].map(lambda text: to_digits(float(text)))]
    rounded = int((~rows["equal"].astype(bool)).sum())
    evidence = {
        f"{place['row']}, {place['column']}": {
            "printed": float(str(place["printed"])),
            "without": float(str(place["computed"])),
            "with": float(str(place["with_token_tasks"])),
        }
        for place in telling.to_dict("records")
    }
    shown = (f"{k}, published as {v['printed']:.3f} ({v['with']:.3f} with them)" for k, v in evidence.items())
    return finding(
        off.empty and also.empty and not telling.empty,
        f"{len(rows) - len(off)} of {len(rows)} family numbers fit the scores without the two tasks. The two "
        f"would change {'; '.join(shown) or 'none'}.",
        caveat=rounding(f"{rounded} fit only within the rounding of the scores.") if rounded else None,
        telling=evidence,
        off_without=[f"{row}, {column}" for row, column in zip(off["row"], off["column"], strict=True)],
        fit_with_too=[f"{row}, {column}" for row, column in zip(also["row"], also["column"], strict=True)],
    )


def _reproduced(paper: Material, table: str, rows: list[str]) -> Finding:
    """Compare the published places of some rows with the recomputed ones."""
    places = recompute(paper, (table,))
    places = places[places["row"].isin(rows)]
    off = places[~places["equal"]]
    beyond = places[~places["explained_by_rounding"]]
    differing = {f"{p['row']}, {p['column']}": p for p in off.to_dict("records")}
    shown = listed(f"{k}: {p['computed']:.5f} for {p['printed']}" for k, p in differing.items())
    return finding(
        beyond.empty and not places.empty,
        f"{len(places) - len(off) or 'None'} of {len(places)} published numbers equal the recomputed ones to "
        f"the last digit. {len(beyond) or 'None'} differ by more than the rounding of the scores explains"
        + (f" (differing: {shown})." if differing else "."),
        caveat=rounding(f"{len(off)} agree only within the rounding of the scores.") if len(off) else None,
        places=len(places),
        differing={
            key: {name: p[name] for name in ("printed", "computed", "difference", "low", "high")}
            | {"explained_by_rounding": bool(p["explained_by_rounding"])}
            for key, p in differing.items()
        },
    )


@claim(
    "C075",
    "Table V",
    "The family rows of Table V are the means and SDs of the scores of fine-tuned models.",
    weight="detail",
    quote="Impact of task family and task type on fine-tuned LLMs, i.e., excluding baseline, zero-shot, "
    "and 3-shot results.",
    holds=EQUAL,
    fails=BEYOND,
    caveat=WITHIN,
)
def table5_family_rows(paper: Material) -> Finding:
    """Check mean and SD (ddof 1) over model x task scores, without NER and MLM."""
    return _reproduced(paper, "table5", list(FAMILY_ROWS))


@claim(
    "C076",
    "Table V",
    "The task-type rows of Table V are the means and SDs of the scores of fine-tuned models.",
    weight="detail",
    quote="Impact of task family and task type on fine-tuned LLMs, i.e., excluding baseline, zero-shot, "
    "and 3-shot results.",
    holds=EQUAL,
    fails=BEYOND,
    caveat=WITHIN,
)
@settled
def table5_type_rows(paper: Material) -> Finding:
    """Check mean and SD (ddof 1) over model x task scores."""
    return _reproduced(paper, "table5", list(CLASSIFICATION_ROWS))


@claim(
    "C077",
    "Table VI",
    "The aggregate rows of Table VI are the means and SDs of its scores, for all four groups of systems.",
    weight="detail",
    kind="implied",
    holds=f"{EQUAL} A dash is where no system of the group has a score.",
    fails=f"{BEYOND} Or a dash is where there are scores, or a number where there are none.",
    caveat=WITHIN,
)
@settled
def table6_aggregate_rows(paper: Material) -> Finding:
    """Recompute as for Table V."""
    return _reproduced(paper, "table6_aggregates", [*FAMILY_ROWS, *TYPE_ROWS])
