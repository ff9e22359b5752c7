"""The aggregate rows of Tables V and VI."""

from __future__ import annotations

from collections.abc import Collection

from selu.papers.claims import claim, finding, listed, rounding
from selu.papers.published import ABSENT
from selu.papers.selu.analysis.aggregates import (
    CLASSIFICATION_ROWS,
    FAMILY_ROWS,
    TYPE_ROWS,
    Recomputed,
    recompute,
)
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
    rows = [
        p for p in recompute(paper, ["table6_aggregates"]) if p.row in FAMILY_ROWS and p.published != ABSENT
    ]
    off = [place for place in rows if not place.explained_by_rounding]
    telling = [place for place in rows if abs(place.with_token_tasks - place.computed) > 1e-9]
    also = [p for p in telling if to_digits(p.with_token_tasks) == to_digits(float(p.published))]
    rounded = sum(not place.equal for place in rows)
    evidence = {
        _name(place): {
            "printed": float(place.published),
            "without": place.computed,
            "with": place.with_token_tasks,
        }
        for place in telling
    }
    shown = (f"{k}, published as {v['printed']:.3f} ({v['with']:.3f} with them)" for k, v in evidence.items())
    return finding(
        bool(telling) and not (off or also),
        f"{len(rows) - len(off)} of {len(rows)} family numbers fit the scores without the two tasks. The two "
        f"would change {'; '.join(shown) or 'none'}.",
        caveat=rounding(f"{rounded} fit only within the rounding of the scores.") if rounded else None,
        telling=evidence,
        off_without=[_name(place) for place in off],
        fit_with_too=[_name(place) for place in also],
    )


def _name(place: Recomputed) -> str:
    return f"{place.row}, {place.column}"


def _reproduced(paper: Material, table: str, rows: Collection[str]) -> Finding:
    """Compare the published places of some rows with the recomputed ones."""
    places = [place for place in recompute(paper, (table,)) if place.row in rows]
    off = [place for place in places if not place.equal]
    beyond = [place for place in off if not place.explained_by_rounding]
    shown = listed(f"{_name(place)}: {place.computed:.5f} for {place.published}" for place in off)
    return finding(
        bool(places) and not beyond,
        f"{len(places) - len(off) or 'None'} of {len(places)} published numbers equal the recomputed ones to "
        f"the last digit. {len(beyond) or 'None'} differ by more than the rounding of the scores explains"
        + (f" (differing: {shown})." if off else "."),
        caveat=rounding(f"{len(off)} agree only within the rounding of the scores.") if off else None,
        places=len(places),
        differing={
            _name(place): {
                "printed": place.published,
                "computed": place.computed,
                "difference": place.difference,
                "low": place.low,
                "high": place.high,
                "explained_by_rounding": place.explained_by_rounding,
            }
            for place in off
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
    return _reproduced(paper, "table5", FAMILY_ROWS)


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
    return _reproduced(paper, "table5", CLASSIFICATION_ROWS)


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
    return _reproduced(paper, "table6_aggregates", {*FAMILY_ROWS, *TYPE_ROWS})
