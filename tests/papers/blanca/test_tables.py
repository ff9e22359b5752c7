from __future__ import annotations

import pytest

from selu.papers.blanca import tables
from selu.papers.table import statement, to_csv, to_markdown


@pytest.fixture(scope="module")
def record(paper):
    """A record of the systems that have logs, with the numbers of these."""
    rows = []
    for place in dict.fromkeys(row for row, _ in paper.tables["logs"]):
        task, system = place.split("/")
        logged = {
            column: paper.number("logs", row, column) for row, column in paper.tables["logs"] if row == place
        }
        if task == "H":
            continue
        if task == "U":
            scores = {"r": logged["r"], "slope": logged["Slope"], "r2": logged["R2"]}
        else:
            gap = logged["Far"] - logged["Close"]
            scores = {"near": logged["Close"], "far": logged["Far"], "gap": gap, "t": -logged["t"]}
            scores |= {"effect": -logged["t"] / 40, "auc": 1 - gap / 10}
        ends = {name: {"low": value - 0.1, "high": value + 0.1} for name, value in scores.items()}
        entry = {"column": "t", "printed": "1.5", "value": 1.5, "equal": True}
        rows.append(
            {"task": task, "system": system, "scores": scores, "intervals": ends, "logged": [entry]}
            | {"pairs": 5854, "related": 2927}
        )
    return {"rows": rows, "usage": {"test pairs": 8439}}


def test_every_table_compares_what_it_can(paper, record):
    made = [tables.table3(paper), tables.table4(paper, record), tables.table5(paper), tables.table6(paper)]
    made += [tables.table5_earlier(paper, record), tables.table7(paper, record), tables.table8(paper)]
    assert {table.name: (table.equal, table.cells) for table in made} == {
        **{"table3": (2, 2), "table4": (21, 21), "table5": (1, 1), "table6": (5, 6)},
        **{"table5_earlier": (7, 7), "table7": (6, 7), "table8": (6, 6)},
    }
    for table in [*made, tables.rankings(record), tables.related(paper)]:
        assert "nan" not in to_csv(table)
        assert "None" not in to_markdown(table)
        assert len(table.frame) in (7, 8, 10)
    assert "mismatches: 1 of another run" in statement(tables.table7(paper, record))


def test_a_number_that_differs_is_shown_beside_ours(paper, record):
    table = tables.table4(paper.with_published("table4", "USE", "T", "150.00"), record)
    (cell,) = table.mismatches
    assert (cell.row, cell.published, cell.computed) == ("USE", "150.00", "142.04")
    assert cell.difference == pytest.approx(-7.959, abs=0.001)
    assert tables.table8(paper.with_published("table8", "HU-BERTOverflow", "U", "0.60")).equal == 5


def test_rankings_name_the_encoders_whose_rank_depends_on_the_score(record):
    frame = tables.rankings(record).frame.set_index("Encoder")
    assert frame["Rank by t"].sort_values().index[0] == "FT-BERTOverflow"
    # In this record AUC falls with the gap, so that its ranks are those of the gap turned round.
    assert (frame["Rank by Gap"].astype(int) + frame["Rank by AUC"].astype(int) == 8).all()
    assert "have another rank" in tables.rankings(record).caption
