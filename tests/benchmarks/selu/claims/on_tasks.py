"""What flips claims on tasks, data sets and metrics, and their random evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.benchmarks.redrawn import ROOT, Draw, nearby, number, numbers, together, with_places, words

from selu.benchmarks.selu.claims.setting import tasks
from selu.benchmarks.selu.material import Material
from selu.registry import load
from selu.vocabulary import Activity, Approach, Kind, Published, Verdict

from .alterations import Alter, fill, printed, row, without
from .draws import adapted, scores


def a_task_is_dropped(m: Material) -> Material:
    return replace(m, tasks=m.tasks[:-1])


def development_becomes_maintenance(m: Material) -> Material:
    tasks = m.task_ids(activity=Activity.SOFTWARE_DEVELOPMENT)
    return printed(*(("appendix", task, "Activity", "software maintenance") for task in tasks))(m)


def binary_tasks_become_regression(m: Material) -> Material:
    return printed(*(("table1", task, "Type", "Regr.") for task in m.task_ids(kind=Kind.BINARY)))(m)


def verbs(share: str) -> Alter:
    return printed(
        ("verb_share", "requirement_completion", "verbs", share),
        ("verb_share", "requirement_completion", "tokens", "1"),
    )


TASKS = sorted(row for row, column in load(ROOT, "selu").tables["table1"] if column == "Type")
SOURCES = [("table2", *place) for place in load(ROOT, "selu").tables["table2"]]
TYPES = words([("table1", task, "Type") for task in TASKS], [*tasks.KINDS, "Generation"])


def lists(m: Material, rng: np.random.Generator) -> Material:
    """Tables I and II with tasks left out or added here and there."""
    table1, table2 = dict(m.tables["table1"]), dict(m.tables["table2"])
    for task in rng.choice(TASKS, rng.integers(0, 3), replace=False):
        table1 = {place: cell for place, cell in table1.items() if place[0] != task}
    for place in rng.permutation(list(table2))[: rng.integers(0, 2)]:
        row, column = map(str, place)
        names = [*table2[row, column].printed.split(", "), f"task {rng.integers(9)}"]
        table2[row, column] = replace(table2[row, column], printed=", ".join(names))
    return replace(m, tables={**m.tables, "table1": table1, "table2": table2})


def one_type_changes(m: Material, rng: np.random.Generator) -> Material:
    """Each of a few tasks has the type that it has, or any other."""
    some = rng.choice(TASKS, rng.integers(0, 3), replace=False)
    return words([("table1", str(task), "Type") for task in some], [*tasks.KINDS, "Generation"])(m, rng)


def sources(m: Material, rng: np.random.Generator) -> Material:
    """Each task is under one or two sources at random, forums and trackers the likelier the more often."""
    weight = rng.uniform(0.02, 0.98)
    rows = sorted({place[1] for place in SOURCES})
    chances = np.array(
        [weight / 2 if row in (tasks.FORUMS, tasks.TRACKERS) else (1 - weight) / 4 for row in rows]
    )
    found: dict[str, list[str]] = {row: [] for row in rows}
    for task in TASKS:
        for chosen in rng.choice(rows, rng.integers(1, 3), replace=False, p=chances / chances.sum()):
            found[chosen].append(task)
    table = {
        (row, "Core non-code"): Published("II", row, "Core non-code", ", ".join(names))
        for row, names in found.items()
        if names
    }
    return replace(m, tables={**m.tables, "table2": table})


def instances(m: Material, rng: np.random.Generator) -> Material:
    """Other sizes of the data sets, over five powers of ten, and a sentence with or without its number."""
    by = 10 ** rng.uniform(-2, 2)
    for task in TASKS:
        m = m.with_printed("table1", task, "Instances", f"{m.number('table1', task, 'Instances') * by:,.0f}")
    total = sum(m.number("table1", task, "Instances") for task in TASKS)
    text = (
        f"{total / 1e6 * rng.choice([1.0, rng.uniform(0.5, 2)]):.1f} million"
        if rng.random() < 0.7
        else "million"
    )
    return m.with_printed("text", "VII-A", "Instances of all data sets", text)


ACTIVITIES = sorted(str(activity).replace("_", " ") for activity in Activity)


def activities(m: Material, rng: np.random.Generator) -> Material:
    """Some tasks of another activity; of a few activities alone, now and then."""
    among = rng.choice(ACTIVITIES, rng.integers(1, len(ACTIVITIES) + 1), replace=False)
    return words([("appendix", task, "Activity") for task in TASKS], list(among))(m, rng)


VERBS = ("verb_share", "requirement_completion")


PRINTED_TYPES = ("Binary", "Multi-class", "Multi-label", "Regr.", "NER", "MLM")


def other_scores(m: Material, rng: np.random.Generator) -> Material:
    present = m.scores.stack().dropna()
    places = [("table6", str(task), m.system(str(name)).name) for task, name in present.index]
    return nearby(places, 0.2, 0, 1)(m, rng)


def other_types(m: Material, rng: np.random.Generator) -> Material:
    return words([("table1", task.id, "Type") for task in m.tasks], PRINTED_TYPES)(m, rng)


def encoders_collapse(m: Material) -> Material:
    return fill(m, m.ranked.index, m.names(approach=Approach.FINETUNED, architecture="encoder-only"), 0.05)


def only_the_model_matters(m: Material) -> Material:
    systems = m.names(approach=Approach.FINETUNED)
    return m.with_scores(
        {(task, name): round(0.3 + 0.02 * i, 3) for task in m.ranked.index for i, name in enumerate(systems)}
    )


def more_data_scores_higher(m: Material) -> Material:
    by_size = sorted(m.ranked.index, key=lambda task: m.task(task).instances)
    for place, task in enumerate(by_size):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


def more_data_matter_little(m: Material) -> Material:
    """Rank correlation of +.23: the three smallest tasks lead, then scores rise with size."""
    by_size = sorted(m.ranked.index, key=lambda task: m.task(task).instances)
    for place, task in enumerate([*by_size[3:], *by_size[:3]]):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


def data_decide(m: Material) -> Material:
    """Tasks in Table I are as large as their scores are high."""
    by_score = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1).sort_values().index
    return printed(
        *(("table1", str(task), "Instances", f"{1000 * (place + 1):,}") for place, task in enumerate(by_score))
    )(m)


def fewer_data_score_higher(m: Material) -> Material:
    by_size = sorted(m.ranked.index, key=lambda task: -m.task(task).instances)
    for place, task in enumerate(by_size):
        m = fill(m, [task], m.names(approach=Approach.FINETUNED), round(0.3 + 0.03 * place, 3))
    return m


def sizes_and_scores(m: Material, rng: np.random.Generator) -> Material:
    """Sizes of tasks that follow their scores, or run against them, more or less."""
    means = m.ranked[m.names(approach=Approach.FINETUNED)].mean(axis=1)
    slope = rng.uniform(-3, 3)
    logs = 3.5 + slope * (means - means.mean()) + rng.normal(0, rng.uniform(0.05, 1), len(means))
    return with_places(
        m, {("table1", str(task), "Instances"): f"{10**value:,.0f}" for task, value in logs.clip(1, 6).items()}
    )


def preprints(m: Material) -> Material:
    return with_places(m, {("references", *place): "arXiv 2306.03268" for place in m.tables["references"]})


def styling_everywhere(m: Material) -> Material:
    return printed(
        *(
            ("protocol", row, column, f"{cell.printed}, markdown")
            for (row, column), cell in m.tables["protocol"].items()
            if row.startswith("cleaning of comment_type_") or row == "cleaning of review_aspect"
        )
    )(m)


def venues(m: Material, rng: np.random.Generator) -> Material:
    """Each work a preprint with a chance of its own."""
    share = rng.random()
    places = [("references", *place) for place in m.tables["references"] if rng.random() < share]
    return with_places(m, dict.fromkeys(places, "arXiv 2306.03268"))


def steps(m: Material, rng: np.random.Generator) -> Material:
    """Each task takes each step with a chance of that step."""
    chances = {step: rng.random() for step in ("whitespace", "markdown", "html", "code", "url")}
    rows = [row for row, _ in m.tables["protocol"] if row.startswith("cleaning of ")]
    taken = {row: [step for step, chance in chances.items() if rng.random() < chance] for row in rows}
    return with_places(
        m, {("protocol", row, "scripts final"): ", ".join(names) or "none" for row, names in taken.items()}
    )


def cited(coding: str) -> Alter:
    shares = {
        "effort saved": "35",
        "time saved on routine tasks": "50",
        "time spent on code": coding,
        "time spent on debugging": "14",
        "review studies with machine learning": "59",
    }
    return printed(*(("cited_shares", row, "percent", text) for row, text in shares.items()))


def works(development: str) -> Alter:
    counts = {Activity.SOFTWARE_DEVELOPMENT: development, Activity.SOFTWARE_MAINTENANCE: "29", "other": "21"}
    return printed(*(("figure1", str(row), "works", text) for row, text in counts.items()))


SHARES = {
    "effort saved": 35,
    "time saved on routine tasks": 50,
    "time spent on code": 15,
    "time spent on debugging": 14,
    "review studies with machine learning": 59,
}
WORKS_OF = [str(activity) for activity in Activity]


def cells_inverted(m: Material) -> Material:
    return m.with_scores(
        {
            ("story_points", s): f"{1 - m.number('table6', 'story_points', m.system(s).name):.3f}"
            for s in m.order
        }
    )


def means_without_story_points(m: Material) -> Material:
    rest = m.ranked.drop("story_points").mean()
    names = ("gpt-4o-3-shot", "claude-3.7-3-shot")
    return printed(*(("table4", m.system(s).name, "M", f"{rest[s]:.3f}") for s in names))(m)


WEIGHT = ("protocol", "weight of |a|+|b| in SMAPE", "paper")


def baselines(m: Material, rng: np.random.Generator) -> Material:
    """Random scores, with a SMAPE of each baseline that its cell follows from, upside down, or not at all."""
    m = scores(m, rng)
    for name in m.names(approach=Approach.BASELINE):
        cell = m.number("table6", "story_points", m.system(name).name)
        smape = rng.choice([1 - cell, 1 - cell, 1 - cell, cell, rng.uniform(0, 1)])
        m = m.with_printed("package_baselines", f"story_points/{name}", "smape", f"{smape:.3f}")
    return m


def three_shot(m: Material, rng: np.random.Generator) -> Material:
    """Random scores but for the two cells, and means over all tasks, or without story_points."""
    cells = {
        name: m.number("table6", "story_points", name) for name in ("GPT-4o (3-shot)", "Claude 3.7 (3-shot)")
    }
    m = scores(m, rng)
    for name, cell in cells.items():
        drawn = cell if rng.random() < 0.8 else rng.uniform(0, 0.1)
        m = m.with_printed("table6", "story_points", name, f"{drawn:.3f}")
    means = m.ranked if rng.random() < 0.5 else m.ranked.drop("story_points")
    names = {s.name: s.id for s in m.systems}
    return with_places(m, {("table4", name, "M"): f"{means[names[name]].mean():.3f}" for name in cells})


def range_of_scores(m: Material, rng: np.random.Generator) -> Material:
    """Scores of one task that may leave the range, and another equation."""
    task, low = str(rng.choice(m.ranked.index)), rng.choice([0.0, -0.2])
    m = numbers([("table6", task, s.name) for s in m.systems], low, 1.0)(m, rng)
    return number(WEIGHT, 0.5, 1.5, 2)(m, rng)


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C001": (printed(("table1", "code_review", "Type", "Binary")), Verdict.FAILS),
    "C002": (printed(("table1", "story_points", "Type", "Binary")), Verdict.FAILS),
    "C014": (development_becomes_maintenance, Verdict.FAILS),
    "C015": (printed(("appendix", "se_entities", "Activity", "software design")), Verdict.FAILS),
    "C016": (binary_tasks_become_regression, Verdict.FAILS),
    "C017": (
        printed(("table2", "Issue tracking systems", "Code-adjacent metadata", "bug_issue")),
        Verdict.FAILS,
    ),
    "C018": (printed(("table2", "Mailing lists", "Developer communication", "incivility")), Verdict.FAILS),
    "C019": (printed(("table1", "issue_type", "Instances", "80,341")), Verdict.FAILS),
    "C126": (verbs("0.09"), Verdict.HOLDS),
    "C081": (row("Code-adjacent metadata", "Domain-adapted", 0.8), Verdict.FAILS),
    "C083": (row("Binary classification", None, 0.6), Verdict.FAILS),
    "C084": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C086": (
        printed(*(("table1", task, "Type", "Regr.") for task in ("review_type", "smell_doc"))),
        Verdict.FAILS,
    ),
    "C121": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C122": (row("Multi-label classification", None, 0.9), Verdict.FAILS),
    "C087": (encoders_collapse, Verdict.FAILS),
    "C088": (row("Core non-code", None, 0.1), Verdict.FAILS),
    "C089": (only_the_model_matters, Verdict.FAILS),
    "C120": (more_data_scores_higher, Verdict.HOLDS),
    "C125": (only_the_model_matters, Verdict.FAILS),
    "C128": (preprints, Verdict.FAILS),
    "C130": (styling_everywhere, Verdict.HOLDS),
    "C021": (works("50"), Verdict.HOLDS),
    "C022": (cited("15"), Verdict.HOLDS),
    "C023": (printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    "C024": (cells_inverted, Verdict.FAILS),
    "C025": (means_without_story_points, Verdict.FAILS),
    "C026": (printed(("table6", "story_points", "GPT-4o (3-shot)", "-0.3")), Verdict.FAILS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C001", a_task_is_dropped, Verdict.FAILS),
    ("C019", printed(("table1", "bug_issue", "Instances", "10,038,219")), Verdict.FAILS),
    ("C019", printed(("text", "VII-A", "Instances of all data sets", "1.1 million")), Verdict.HOLDS),
    ("C019", printed(("text", "VII-A", "Instances of all data sets", "1.2 million")), Verdict.FAILS),
    ("C126", verbs("0.20"), Verdict.FAILS),
    ("C120", data_decide, Verdict.HOLDS),
    ("C120", more_data_matter_little, Verdict.CAVEAT),
    ("C130", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C021", works("5"), Verdict.FAILS),
    ("C022", cited("51"), Verdict.FAILS),
    ("C023", without("protocol"), Verdict.NOT_CHECKABLE),
    ("C026", printed(("protocol", "weight of |a|+|b| in SMAPE", "paper", "1")), Verdict.HOLDS),
    ("C026", without("protocol"), Verdict.NOT_CHECKABLE),
)
DRAWS: dict[str, Draw] = {
    "C001": lists,
    "C002": one_type_changes,
    "C014": activities,
    "C015": activities,
    "C016": TYPES,
    "C017": sources,
    "C018": sources,
    "C019": instances,
    "C126": together(number((*VERBS, "verbs"), 50, 150, 0), number((*VERBS, "tokens"), 900, 1500, 0)),
    "C081": other_scores,
    "C083": adapted(),
    "C086": other_types,
    "C120": sizes_and_scores,
    "C128": venues,
    "C130": steps,
    "C021": together(
        *(number(("figure1", row, "works"), 0, 40, 0) for row in WORKS_OF[2:]),
        *(
            number(("figure1", str(row), "works"), 50, 250, 0)
            for row in (Activity.SOFTWARE_DEVELOPMENT, Activity.SOFTWARE_MAINTENANCE)
        ),
    ),
    "C022": together(
        *(
            number(("cited_shares", row, "percent"), share - 1.5, share + 1.5, 1)
            for row, share in SHARES.items()
        )
    ),
    "C023": number(WEIGHT, 0.3, 3.0, 2),
    "C024": baselines,
    "C025": three_shot,
    "C026": range_of_scores,
}
