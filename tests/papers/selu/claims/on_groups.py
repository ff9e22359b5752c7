"""What flips claims on groups of systems: adapted, prompted, by architecture; and their random evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.papers.redrawn import Draw, nearby, sometimes, together

from selu.papers.published import ABSENT
from selu.papers.selu.analysis.aggregates import (
    CLASSIFICATION_ROWS,
    FAMILY_ROWS,
    TABLES,
    TYPE_ROWS,
    cells_of,
)
from selu.papers.selu.material import Material
from selu.stats.rounding import to_digits
from selu.vocabulary import Approach, Family, Kind, Verdict

from .alterations import Alter, all_ranked, columns, prompted, published, row, shift
from .draws import adapted

TWO = {Kind.MULTI_LABEL: (-0.02, 0.15), Family.DEVELOPER_COMMUNICATION: (-0.15, 0.02)}


def fresh(paper: Material, rng: np.random.Generator) -> Material:
    """Other scores, and both tables of aggregates as they would be published, with or without NER and MLM."""
    wide = rng.uniform(0, 0.2)
    paper = paper.with_scores(
        {
            (str(task), str(name)): f"{min(max(score + rng.uniform(-wide, wide), 0), 1):.3f}"
            for task, row in paper.scores.iterrows()
            for name, score in row.dropna().items()
        }
    )
    with_token_tasks = bool(rng.random() < 0.3)
    places = {}
    for place in [(name, *place) for name in TABLES for place in paper.tables[name]]:
        group, _, which = place[2].rpartition(" ")
        cells = cells_of(paper, place[1], group, token_tasks=with_token_tasks)
        if paper.published(*place) != ABSENT and len(cells):
            places[place] = to_digits(float(cells.mean() if which == "M" else cells.std(ddof=1)))
    return paper.with_places(places)


def misprints(table: str, rows: list[str]) -> Draw:
    def draw(paper: Material, rng: np.random.Generator) -> Material:
        places = [(table, row, column) for row, column in paper.tables[table] if row in rows]
        numbers = [place for place in places if paper.published(*place) != ABSENT]
        return sometimes(nearby(numbers, 0.02, 0, 1))(paper, rng)

    return draw


def size_decides(paper: Material) -> Material:
    tuned = paper.names(approach=Approach.FINETUNED)
    by_size = sorted(tuned, key=lambda name: paper.system(name).parameters or 0)
    spread = 0.1 * np.linspace(-1, 1, len(paper.ranked))
    return columns(paper, {name: 0.4 + 0.02 * i + spread for i, name in enumerate(by_size)})


def architecture_is_nothing(paper: Material) -> Material:
    """Means that go round the architectures in turn."""
    groups: dict[str | None, list[str]] = {}
    for name in paper.names(approach=Approach.FINETUNED):
        groups.setdefault(paper.system(name).architecture, []).append(name)
    spread = 0.1 * np.linspace(-1, 1, len(paper.ranked))
    return columns(
        paper,
        {
            name: 0.5 + 0.2 * i / len(names) + 0.001 * g + spread
            for g, names in enumerate(groups.values())
            for i, name in enumerate(names)
        },
    )


def invalid_replies(paper: Material) -> Material:
    """Each score of a prompted system has a rate."""
    places = {"invalid replies": "1", "replies": "100", "scored as": "error"}
    rows = [
        f"{task}/{system}"
        for task in paper.task_ids(ranked=True)
        for system in paper.names(approach=Approach.PROMPTED)
    ]
    cells = (("invalid_rates", row, name, text) for row in rows for name, text in places.items())
    return published(*cells)(paper)


def open_source_rate(rate: float) -> Alter:
    def alter(paper: Material) -> Material:
        rows = [row for row, column in paper.tables["open_source_prompting"] if column == "replies"]
        replies = {row: paper.number("open_source_prompting", row, "replies") for row in rows}
        return published(
            *(
                ("open_source_prompting", row, "invalid replies", f"{n * rate:.0f}")
                for row, n in replies.items()
            )
        )(paper)

    return alter


def one_rate_of_two_models(paper: Material) -> Material:
    """Two of four cases are high, both of one model: the other two models have one rate each."""
    name, task = "open_source_prompting", "functional_requirement"
    high = [f"{task}/gpt2-large/{prompt}" for prompt in ("zero-shot", "3-shot")]
    low = [f"{task}/llama3.2-{size}-instruct/zero-shot" for size in ("1b", "3b")]
    places = {place: cell for place, cell in paper.tables[name].items() if place[0] in (*high, *low)}
    invalid = {(name, row, "invalid replies"): "100" if row in high else "0" for row in (*high, *low)}
    return replace(paper, tables={**paper.tables, name: places}).with_places(invalid)


def prompting_works(paper: Material) -> Material:
    return paper.with_scores({("tone_bearing", s): 0.6 for s in paper.names(approach=Approach.PROMPTED)})


def a_hair_below_the_line(paper: Material) -> Material:
    last = paper.ranked[paper.order[17]].to_numpy()  # the lowest of the upper two thirds of 28
    return columns(paper, {"gpt-4o-3-shot": last - 0.0005})


def costs(prompted_price: str) -> Alter:
    def alter(paper: Material) -> Material:
        paper = paper.with_published("costs", "BERT base", "per 1000 texts", "0.02")
        return paper.with_published("costs", "GPT-4o (zero-shot)", "per 1000 texts", prompted_price)

    return alter


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C078": (row("Code-adjacent metadata", "Domain-adapted", 0.6), Verdict.FAILS),
    "C079": (row("Core non-code", "Domain-adapted", 0.9), Verdict.FAILS),
    "C080": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C082": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C085": (row("Multi-label classification", "Domain-adapted", 0.5), Verdict.FAILS),
    "C093": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C143": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C013": (published(("table6_aggregates", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C075": (published(("table5", "Core non-code", "Generalist M", "0.650")), Verdict.FAILS),
    "C076": (published(("table5", "Binary classification", "Generalist SD", "0.150")), Verdict.FAILS),
    "C077": (published(("table6_aggregates", "NER", "Baseline M", "0.5")), Verdict.FAILS),
    "C094": (all_ranked(0.9, "codebert-base"), Verdict.FAILS),
    "C095": (row("Developer communication", "Domain-adapted", 0.8), Verdict.FAILS),
    "C068": (size_decides, Verdict.FAILS),
    "C069": (architecture_is_nothing, Verdict.HOLDS),
    "C027": (invalid_replies, Verdict.HOLDS),
    "C042": (shift("gpt-4o-3-shot", 0.2), Verdict.FAILS),
    "C043": (published(("text", "V-A", "Mean of GPT-4o (3-shot)", "0.603")), Verdict.FAILS),
    "C044": (published(("text", "V-A", "Mean of Claude 3.7 (zero-shot)", "0.574")), Verdict.FAILS),
    "C045": (shift("gpt-4o-zero-shot", 0.03), Verdict.FAILS),
    "C112": (open_source_rate(0.4), Verdict.HOLDS),
    "C113": (prompting_works, Verdict.FAILS),
    "C096": (prompted(0.9), Verdict.FAILS),
    "C100": (all_ranked(0.74, "gpt-4o-3-shot"), Verdict.FAILS),
    "C101": (costs("0.90"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C042", a_hair_below_the_line, Verdict.CAVEAT),
    ("C043", shift("gpt-4o-3-shot", 0.001), Verdict.FAILS),
    ("C043", published(("text", "V-A", "Mean of GPT-4o (3-shot)", "0.602")), Verdict.CAVEAT),
    ("C112", open_source_rate(0.01), Verdict.FAILS),
    ("C112", one_rate_of_two_models, Verdict.HOLDS),
    ("C113", lambda paper: paper.with_scores({("tone_bearing", "gpt-4o-3-shot"): 0.44}), Verdict.HOLDS),
    ("C101", costs("0.01"), Verdict.FAILS),
    ("C101", costs("0.02"), Verdict.FAILS),
)
DRAWS: dict[str, Draw] = {
    "C093": adapted(TWO),
    "C013": fresh,
    "C075": together(fresh, misprints("table5", [*FAMILY_ROWS])),
    "C076": together(fresh, misprints("table5", [*CLASSIFICATION_ROWS])),
    "C077": together(fresh, misprints("table6_aggregates", [*FAMILY_ROWS, *TYPE_ROWS])),
}
