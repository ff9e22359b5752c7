"""Pages on the user's own encoder: its rank among the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.files import to_json
from selu.papers.blanca import encoders, tables_encoders
from selu.papers.blanca.material import Material
from selu.papers.evidence import Evidence, RunScored
from selu.papers.page import standalone
from selu.papers.table import Table

_TITLES = {
    "encoders_usage": "Class usage",
    "encoders_hierarchy": "Class hierarchy",
    "encoders_forum": "Forum posts and classes",
    "encoders_related": "Related questions",
    "encoders_cost": "Time and memory",
}


def place(evidence: Evidence, id: str, runs: Sequence[RunScored]) -> Mapping[str, str | bytes]:
    """Render the pages: for a browser, as Markdown, and each table as CSV.

    Raises:
        SeluError: the record of the authors' distances is missing or damaged; says what makes it.
    """
    paper: Material = evidence.published()
    rescored = evidence.read("rescored.json", "rescore --paper blanca", ("finding", "usage", "rows"))
    entries = [encoders.entry(id, run) for run in runs]
    here = {entry["task"] for entry in entries}
    tables = [tables_encoders.usage(paper, rescored, entries)] if encoders.USAGE in here else []
    tables += [tables_encoders.hierarchy(paper, entries)] if encoders.HIERARCHY in here else []
    tables += [tables_encoders.forum(rescored, entries)] if encoders.FORUM in here else []
    tables += [tables_encoders.related(paper, entries)] if encoders.RELATED in here else []
    tables.append(tables_encoders.cost(entries))
    says = [sentence for table in tables if (sentence := _says(table, id))]
    head = f"{id} among the encoders of BLANCA"
    pages = standalone(head, says, [(_TITLES[table.name], table) for table in tables])
    return {"scores.json": to_json(entries), **pages}


def _says(table: Table, name: str) -> str:
    """Describe the place of the encoder in a table that ranks."""
    if "Rank" not in table.frame:
        return ""
    mine = table.frame[table.frame["Encoder"] == name].iloc[0]
    count = len(table.frame)
    place = (
        f"place {mine['Rank']} of {count}; {count - 1} are published encoders"
        if table.name == "encoders_usage"
        else "not ranked among the published encoders, which were asked about other pairs"
    )
    score = next(column for column in ("r", "Gap", "AUC") if column in table.frame)
    interval = f" ({mine[f'{score} low']} to {mine[f'{score} high']})" if f"{score} low" in table.frame else ""
    return f"{_TITLES[table.name]}: {score} {mine[score]}{interval}, {place}."
