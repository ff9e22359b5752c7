"""Tables I to III of SELU: the declared tasks, sources and models beside the published ones."""

from __future__ import annotations

import pandas as pd

from selu.papers.published import ABSENT
from selu.papers.selu.material import Material
from selu.papers.selu.words import ACTIVITIES, FAMILIES, SOURCES, TYPES
from selu.papers.table import Compared, Table, as_texts, shown
from selu.vocabulary import Approach, Kind, System, Task

# Rows that Table III names otherwise than Tables IV and VI do.
OTHER_NAMES = {
    "CodeT5+ 7700M": ("CodeT5+ 770M", "misprint: the same row prints the size 770M, as do Tables IV and VI"),
    "Claude 3.7 Sonnet": ("Claude 3.7", "other name: Tables IV and VI shorten it"),
}


# -- Table I: tasks --------------------------------------------------------------------------------------


def table1(paper: Material) -> Table:
    """Tabulate Table I: the declared tasks beside the published ones."""
    rows, compared = [], []
    for task in paper.tasks:
        declared = {
            "Type": TYPES[task.kind],
            # The star marks documents: this task has no fixed number of instances (section III-B).
            "Instances": f"{task.instances:,}" + ("*" if task.kind is Kind.MASKED else ""),
            "Targets": task.targets,
            "Ref.": f"[{', '.join(str(citation.ref) for citation in task.citation)}]",
        }
        cells = as_texts(
            task.id,
            [(column, paper.published("table1", task.id, column), text) for column, text in declared.items()],
            "declared otherwise",
        )
        compared += cells
        rows.append({"Task": task.id} | {cell.column: shown(cell) for cell in cells} | _asks(task))
    caption = (
        "Table I: tasks as declared, in our wording, with their life-cycle activity and family. "
        "A star counts documents."
    )
    return Table("table1", caption, pd.DataFrame(rows), tuple(compared))


def _asks(task: Task) -> dict[str, str]:
    return {
        "Question": task.question,
        "Activity": ACTIVITIES[task.activity],
        "Family": FAMILIES[task.family],
    }


# -- Table II: sources -----------------------------------------------------------------------------------


def table2(paper: Material) -> Table:
    """Tabulate Table II: which tasks use which kind of source, by family, from the declared tasks."""
    declared: dict[tuple[str, str], list[str]] = {}
    for task in paper.tasks:
        for source in task.sources:
            declared.setdefault((SOURCES[source], FAMILIES[task.family]), []).append(task.id)
    published = {
        place: [name.strip() for name in cell.published.split(",")]
        for place, cell in paper.tables["table2"].items()
    }
    rows, compared = [], []
    for place in sorted(set(declared) | set(published), key=lambda place: _position(place, published)):
        ours, theirs = sorted(declared.get(place, [])), sorted(published.get(place, []))
        same = ours == theirs
        cell = Compared(
            *place, ", ".join(theirs), ", ".join(ours), same, why="" if same else "declared otherwise"
        )
        compared.append(cell)
        rows.append({"Source": place[0], "Family": place[1], "Tasks": str(len(ours)), "Task ids": shown(cell)})
    caption = "Table II: kinds of source and task families, with the tasks declared for each combination."
    return Table("table2", caption, pd.DataFrame(rows), tuple(compared), "hold the published set of tasks")


def _position(
    place: tuple[str, str], published: dict[tuple[str, str], list[str]]
) -> tuple[int, tuple[str, str]]:
    order = list(published)
    return (order.index(place) if place in published else len(order), place)


# -- Table III: models -----------------------------------------------------------------------------------


def table3(paper: Material) -> Table:
    """Tabulate Table III: the declared models beside the published ones, with their counted parameters."""
    rows, compared = [], []
    for published_name in dict.fromkeys(row for row, _ in paper.tables["table3"]):
        name, why = OTHER_NAMES.get(published_name, (published_name, "declared otherwise"))
        system = next(s for s in paper.systems if name in (s.name, s.series))
        pairs = [
            ("Model", published_name, name),
            ("Compartment", paper.published("table3", published_name, "Compartment"), _compartment(system)),
            ("Size", paper.published("table3", published_name, "Size"), _size(system.parameters)),
            (
                "Architecture",
                paper.published("table3", published_name, "Architecture"),
                system.architecture or ABSENT,
            ),
        ]
        cells = as_texts(published_name, pairs[:1], why) + as_texts(
            published_name, pairs[1:], "declared otherwise"
        )
        compared += cells
        row = {cell.column: shown(cell) for cell in cells}
        rows.append(row | _known_of(system, paper.published("table3", published_name, "Source")))
    caption = (
        "Table III: models as declared. Parameters are counted from the published weights; "
        "context is the longest input in tokens."
    )
    return Table("table3", caption, pd.DataFrame(rows), tuple(compared))


def _compartment(system: System) -> str:
    kind = "proprietary" if system.approach is Approach.PROMPTED else "open-source"
    return f"{(system.adaptation or ABSENT).capitalize()} {kind}"


def _size(parameters: int | None) -> str:
    if parameters is None:
        return ABSENT
    unit, letter = (10**9, "B") if parameters >= 10**9 else (10**6, "M")
    return f"{parameters / unit:g}{letter}"


def _known_of(system: System, source: str) -> dict[str, str]:
    counted = system.parameters_counted
    return {
        "Parameters": ABSENT if counted is None else f"{counted / 10**6:,.1f}M",
        "Context": ABSENT if system.context is None else f"{system.context:,}",
        "Licence": system.licence,
        "Source": source,
    }
