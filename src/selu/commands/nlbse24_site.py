"""What the site shows of NLBSE'24, from the files that its stages wrote."""

from __future__ import annotations

import csv
from pathlib import Path

from selu.benchmarks.table import caption_of
from selu.commands.listing import tracked_claims
from selu.commands.nlbse24_comparing import REPORTS
from selu.commands.nlbse24_runs import BENCHMARK
from selu.report import notebooks
from selu.report.site_other import Benchmark, Figure, Shown
from selu.vocabulary import SeluError

ABOUT = (
    "The NLBSE'24 tool competition classifies issue reports of five repositories and code comments of three "
    "languages. Here are its tables as this package reads and recomputes them, and what systems run here score."
)
# Of the start page: heading, the notebook that makes it, and its name.
TABLES = (
    ("Issue reports: systems run here, beside Table 1", "results", "results_issues"),
    ("The organisers' baseline that is run again", "results", "results_repeated"),
    ("Code comments: systems run here, beside Table 3", "comments", "comments"),
    ("Code comments by category", "comments", "comments_categories"),
    ("Ranks on issue reports", "ranking", "ranking_issues"),
    ("Ranks on code comments", "ranking", "ranking_comments"),
    ("Table 1 as printed", "table1", "table1"),
    ("SetFit of Table 1 re-scored from its published predictions", "table1", "table1_rescored"),
    ("Table 2 as printed", "table2", "table2"),
    ("Table 3 as printed", "table3", "table3"),
    ("What the linter finds", "linter", "linter"),
    ("Where the data files are not what the paper says", "data", "data_mismatches"),
)
FIGURES = (
    (
        "Who is ahead",
        "ranking",
        "ranking.svg",
        "Mean F1 by system, run here with intervals and printed without, one panel per track.",
    ),
)


def benchmark(root: Path) -> Benchmark:
    """Claims, executed notebooks, tables and figures of NLBSE'24.

    Raises:
        SeluError: one of them is missing or damaged; says which notebook makes it.
    """
    out = root / REPORTS
    executed = {name: out / "notebooks" / f"{name}.ipynb" for name in notebooks.names(root, BENCHMARK)}
    for name, path in executed.items():
        _there(path, name)
    return Benchmark(
        id=BENCHMARK,
        name="NLBSE'24",
        about=ABOUT,
        claims=tracked_claims(root, BENCHMARK),
        notebooks=executed,
        tables={name: _table(out, heading, notebook, name) for heading, notebook, name in TABLES},
        figures={
            name: Figure(heading, notebook, alt, _there(out / "figures" / name, notebook).read_bytes())
            for heading, notebook, name, alt in FIGURES
        },
    )


def _there(path: Path, notebook: str) -> Path:
    if not path.is_file():
        raise SeluError(
            f"{path} is missing: run 'dvc pull', or 'selu report notebook {notebook} --benchmark {BENCHMARK}'."
        )
    return path


def _table(out: Path, heading: str, notebook: str, name: str) -> Shown:
    frame, text = (_there(out / "tables" / f"{name}.{kind}", notebook) for kind in ("csv", "md"))
    columns, *rows = csv.reader(frame.read_text("utf-8").splitlines())
    return Shown(heading, caption_of(text.read_text("utf-8")), notebook, columns, rows)
