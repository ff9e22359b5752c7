"""The aggregate rows of Tables V and VI."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.printed import ABSENT
from selu.benchmarks.selu.aggregates import CLASSIFICATION_ROWS, FAMILY_ROWS, TYPE_ROWS, recompute
from selu.benchmarks.selu.material import Material
from selu.stats.rounding import as_printed
from selu.vocabulary import Finding


@claim("C013", "Table VI caption", "Table VI's rows by task family leave out NER and masked words.")
def family_rows_leave_out_token_tasks(m: Material) -> Finding:
    """Every family number fits the cells without them and, where they would change it, not those with them."""
    rows = recompute(m, ["table6_aggregates"])
    rows = rows[rows["row"].isin(FAMILY_ROWS) & (rows["printed"] != ABSENT)]
    off = rows[~rows["explained_by_rounding"].astype(bool)]
    with_token = rows["with_token_tasks"].map(as_printed)
    telling = rows[(rows["with_token_tasks"] - rows["computed"]).abs() > 1e-9]
    also = telling[with_token[telling.index] == telling["printed"].map(lambda text: as_printed(float(text)))]
    evidence = {
        f"{place['row']}, {place['column']}": {
            "printed": float(str(place["printed"])),
            "without": float(str(place["computed"])),
            "with": float(str(place["with_token_tasks"])),
        }
        for place in telling.to_dict("records")
    }
    shown = (f"{k} {v['printed']:.3f} ({v['with']:.3f} with them)" for k, v in evidence.items())
    return finding(
        off.empty and also.empty and not telling.empty,
        f"{len(rows) - len(off)} of the {len(rows)} family numbers fit the cells without the two tasks; "
        f"telling are {listed(shown)}.",
        telling=evidence,
        off_without=[f"{row}, {column}" for row, column in zip(off["row"], off["column"], strict=True)],
        fit_with_too=[f"{row}, {column}" for row, column in zip(also["row"], also["column"], strict=True)],
    )


def _reproduced(m: Material, table: str, rows: list[str]) -> Finding:
    """Equal places hold; places that only the rounding of the scores explains are a caveat."""
    places = recompute(m, (table,))
    places = places[places["row"].isin(rows)]
    off = places[~places["equal"]]
    beyond = places[~places["explained_by_rounding"]]
    differing = {f"{p['row']}, {p['column']}": p for p in off.to_dict("records")}
    shown = listed(f"{k}: {p['computed']:.5f} for {p['printed']}" for k, p in differing.items())
    return finding(
        beyond.empty and not places.empty,
        f"Of {len(places)} printed places, {len(places) - len(off)} equal the recomputed value to the last "
        f"digit and {len(beyond)} differ by more than the rounding of the scores explains"
        + (f" (differing: {shown})." if differing else "."),
        caveat=f"{len(off)} are met only within the rounding of the scores." if len(off) else None,
        places=len(places),
        differing={
            key: {name: p[name] for name in ("printed", "computed", "difference", "low", "high")}
            | {"explained_by_rounding": bool(p["explained_by_rounding"])}
            for key, p in differing.items()
        },
    )


@claim("C075", "Table V", "The family rows of Table V are the means and SDs over the fine-tuned cells.")
def table5_family_rows(m: Material) -> Finding:
    """Mean and SD (ddof 1) over model x task cells, NER and MLM left out."""
    return _reproduced(m, "table5", list(FAMILY_ROWS))


@claim("C076", "Table V", "The task-type rows of Table V are the means and SDs over the fine-tuned cells.")
def table5_type_rows(m: Material) -> Finding:
    """Mean and SD (ddof 1) over model x task cells."""
    return _reproduced(m, "table5", list(CLASSIFICATION_ROWS))


@claim(
    "C077", "Table VI", "Table VI's aggregate rows, all four groups of systems, are means and SDs of its cells."
)
def table6_aggregate_rows(m: Material) -> Finding:
    """As for Table V; a dash is right where no system of the group has a cell."""
    return _reproduced(m, "table6_aggregates", [*FAMILY_ROWS, *TYPE_ROWS])
