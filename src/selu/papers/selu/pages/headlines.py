"""The findings of a notebook's figures, one sentence each, computed from the figure's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.names import DATA, word
from selu.papers.selu.analysis.drivers import groups
from selu.papers.selu.figures.data import BERT
from selu.papers.selu.heads import TITLES, grouped
from selu.papers.selu.material import Material
from selu.papers.selu.records.finetuned import FinetunedCell
from selu.papers.selu.records.heads import Head
from selu.papers.selu.records.prompted import Prompted, PromptedRun
from selu.papers.selu.records.reruns import Comparison, ComparisonBeside, RerunCell
from selu.papers.selu.records.statistics import Sensitivity, Statistics
from selu.papers.selu.reruns.cells import side
from selu.papers.selu.reruns.prompted import agreed, replies, run_here, run_of
from selu.papers.selu.tables.analysis import PARTS, decision_counts
from selu.papers.selu.tables.data import SYNTHETIC
from selu.papers.selu.tables.finetune import BESIDE, PROTOCOL, TREES
from selu.papers.selu.tables.finetune_runs import each
from selu.papers.selu.tables.prompt_print import OWN, pairs
from selu.papers.selu.words import ACTIVITIES
from selu.papers.table import Table
from selu.splits.record import DataRecord
from selu.stats.compare import BETTER, WORSE
from selu.stats.rounding import to_digits
from selu.vocabulary import Approach, CellVerdict


def ranking(statistics: Statistics) -> str:
    """State who is first, and how many intervals reach into that of the first."""
    first, second, *_ = statistics["systems"]
    reach = sum(system["bonferroni_upper"] >= first["bonferroni_lower"] for system in statistics["systems"])
    return (
        f"{first['name']} has the highest mean, {first['M'] - second['M']:.3f} above {second['name']}; the "
        f"intervals of {reach - 1} of the {len(statistics['systems']) - 1} others overlap its own"
    )


def decisions(statistics: Statistics, rope: str = "autorank") -> str:
    """State how many pairs have a clear winner under an equivalence threshold."""
    counts = decision_counts(statistics, rope)
    return f"The test finds a clear winner in {counts[BETTER] + counts[WORSE]} of {sum(counts.values())} pairs"


def drivers(statistics: Statistics) -> str:
    """State which architecture has the highest mean and which the lowest."""
    found = [group for group in groups(statistics) if group.driver == "architecture"]
    low, *_, high = sorted(found, key=lambda group: group.mean)
    return (
        f"{high.label.capitalize()} models have the highest mean ({to_digits(high.mean)}), {low.label} "
        f"models the lowest ({to_digits(low.mean)})"
    )


def sensitivity(record: Sensitivity) -> str:
    """State which single change flips the most pairwise results, and whether the top stays."""
    parts = {label: record["parts"][key] for key, label in PARTS.items()}
    changed = {
        label: max(len(variation["changed"]) for variation in part["variations"])
        for label, part in parts.items()
    }
    most = max(changed, key=lambda label: changed[label])
    top = [variation["top"] for part in parts.values() for variation in part["variations"]]
    return (
        f"The same system is on top in {top.count(record['order'][0])} of {len(top)} variations; one change "
        f"({most.lower()}) flips {changed[most]} of {parts[most]['pairs']} pairwise results"
    )


def leakage(records: Mapping[str, DataRecord]) -> str:
    """State how many test rows have a copy or near copy in train, and which task has most."""
    real = {task: record for task, record in records.items() if record["standing"] != SYNTHETIC}
    near = {task: record["audit"]["overlap"]["paper"]["near"] for task, record in real.items()}
    if not near:
        return "No task has its original data here"
    worst = max(near, key=lambda task: float(near[task]["share"]))
    copies = sum(entry["test_rows"] for entry in near.values())
    rows = sum(record["audit"]["parts"]["paper"]["test"] for record in real.values())
    return (
        f"{copies:,} of {rows:,} test rows have a copy or near copy in train, most in {word(worst)} "
        f"({100 * near[worst]['share']:.1f} %)"
    )


def data(records: Mapping[str, DataRecord]) -> str:
    """State for how many tasks the original data, or a part of them, are here."""
    availabilities = [DATA[record["standing"]] for record in records.values()]
    whole, part, other = (availabilities.count(DATA[kind]) for kind in ("equal", "partial", "synthetic"))
    rest = f"a part of {part}; {other} have stand-in data"
    return f"The original data of {whole} of {len(availabilities)} tasks are here, and {rest}"


def lengths(records: Mapping[str, DataRecord]) -> str:
    """State in how many tasks long texts exceed BERT's limit, and where texts are longest."""
    tokens = {
        task: record["audit"]["lengths"].get("cleaned", record["audit"]["lengths"]["raw"])["tokens"]
        for task, record in records.items()
    }
    over = sum(token["p99"] > BERT for token in tokens.values())
    longest = max(tokens, key=lambda task: float(tokens[task]["median"]))
    return (
        f"In {over} of {len(tokens)} tasks one text in a hundred has more than {BERT} tokens; the longest are "
        f"those of {word(longest)}, with a median of {tokens[longest]['median']:,.0f}"
    )


def activities(statistics: Statistics) -> str:
    """State which life-cycle activity has the most tasks, and which have none."""
    by_task = [task["activity"] for task in statistics["tasks"]]
    counts = {name: by_task.count(activity) for activity, name in ACTIVITIES.items()}
    most = max(counts, key=lambda name: counts[name])
    none = [name.lower() for name, count in counts.items() if not count]
    text = f"{most} has the most tasks, {counts[most]} of {len(by_task)}"
    return f"{text}; {' and '.join(none)} {'has' if len(none) == 1 else 'have'} none" if none else text


def heads(built: Sequence[Head]) -> str:
    """State how many different heads the two procedures build."""
    ours, theirs = (len(grouped(built, head)) for head in TITLES)
    return (
        f"The {len(built)} heads have {ours} forms when validation-selected, {theirs} in the authors' procedure"
    )


def prompts(table: Table) -> str:
    """State how many tasks have prompts, and how long these are."""
    zero, few = ([int(text) for text in table.frame[column]] for column in ("Zero-shot", "3-shot"))
    return (
        f"The prompts of {len(table.frame)} tasks have the blocks of the paper's form, and {min(zero):,} to "
        f"{max(zero):,} characters; three examples make them {min(few):,} to {max(few):,} long"
    )


def rerun(systems: Mapping[str, str], cells: Sequence[RerunCell]) -> str:
    """State for how many re-run scores the published one lies in the interval of ours, by system."""
    parts = []
    for system, name in systems.items():
        mine = [cell for cell in cells if cell["system"] == system]
        within = sum(cell["verdict"] != CellVerdict.DEVIATES for cell in mine)
        parts.append(f"{within or 'none'} of {len(mine)} re-run scores of {name}")
    return f"{' and '.join(parts)} are equal to the published ones or within noise"


def picking(systems: Mapping[str, str], comparisons: Sequence[Comparison]) -> str:
    """State how often picking on test rows gives a clearly higher score, by system."""
    parts = []
    for system, name in systems.items():
        mine = [entry for entry in comparisons if entry["system"] == system]
        parts.append(f"{sum(side(entry) > 0 for entry in mine) or 'none'} of {len(mine)} scores of {name}")
    return f"Picking on test rows raises {' and '.join(parts)} beyond noise"


def beside_published(paper: Material, cells: Sequence[FinetunedCell] | Sequence[RerunCell]) -> str:
    """State on how many tasks a system outside the paper is above the median of the paper's systems."""
    mine = [
        (cell, strict["value"]) for cell in cells if (strict := cell["strict"]) and strict["value"] is not None
    ]
    above = sum(bool(value > paper.scores.T[cell["task"]].median()) for cell, value in mine)
    name = mine[0][0]["name"] if mine else "The system"
    share = f"on {above} of {len(mine)} tasks"
    return f"{name}, validation-selected, scores above the median of the paper's systems {share}"


def protocols(comparisons: Sequence[ComparisonBeside], baseline: str) -> str:
    """State where the authors' procedure scores clearly higher or lower, and how often a baseline is beaten."""
    first = [entry for entry in comparisons if entry["what"] == PROTOCOL]
    second = [entry for entry in comparisons if entry["what"] == BESIDE and entry["beside"] == TREES]
    up, down = (sum(side(entry) == sign for entry in first) for sign in (1, -1))
    return (
        f"The authors' procedure scores clearly higher on {up} and clearly lower on {down} of {len(first)} "
        f"tasks; validation-selected, the score is clearly above that of {baseline} on "
        f"{sum(side(entry) > 0 for entry in second)} of {len(second)} tasks"
    )


def trainings(cells: Sequence[FinetunedCell]) -> str:
    """State in how many trainings the last checkpoint is the best, so that more epochs could help."""
    runs = [run for _, _, run in each(cells)]
    last = sum(run["picked_step"] == max(evaluation["step"] for evaluation in run["history"]) for run in runs)
    return f"The last checkpoint is the picked one in {last} of {len(runs)} trainings"


def prompted(paper: Material) -> str:
    """State on how many tasks the best fine-tuned model is above both prompts of each prompted one."""
    tasks = paper.task_ids(ranked=True)
    best = paper.scores.loc[tasks, paper.names(approach=Approach.FINETUNED)].max(axis=1)
    parts = [
        f"{series} on "
        f"{sum(best[task] > max(paper.scores[zero][task], paper.scores[few][task]) for task in tasks)} of "
        f"{len(tasks)} tasks"
        for series, zero, few in pairs(paper)
    ]
    return f"The best fine-tuned model beats {' and '.join(parts)}, with and without examples"


def zeros(record: Prompted) -> str:
    """State the largest possible share of answers of zero, by the published scores of story points."""
    parts = [
        f"{100 * max(share['share'] for share in system['shares']):.1f} % of the answers of {system['name']}"
        for system in record["zeros"]["systems"]
        if system["shares"][0]["others"] == OWN
    ]
    return f"At most {' and '.join(parts)} on story points can be zeros"


def local(record: Prompted) -> str:
    """State how often small open models give all rows of a task one answer, and whether examples help.

    Examples are judged where a model was asked a task with and without them, on the same rows and with free
    answers.
    """
    same = sum(bool(run_of(cell, "strict")["constant"]) for cell in record["local"])
    sentence = (
        f"Small open models give every row of a task the same answer in {same or 'none'} of "
        f"{len(record['local'])} runs"
    )
    free = {
        (str(cell["model"]), cell["task"], strict["rows"], bool(cell["shots"])): strict
        for cell in record["local"]
        if (strict := cell["strict"]) and cell["variant"] == "plain"
    }
    pairs: dict[str, list[tuple[PromptedRun, PromptedRun]]] = {}
    for (model, task, rows, shown), found in free.items():
        if shown and (bare := free.get((model, task, rows, False))):
            pairs.setdefault(model, []).append((bare, found))
    if not pairs:
        return sentence
    helped = " and ".join(
        f"{model} scores higher on {sum(shown['value'] > bare['value'] for bare, shown in pair) or 'none'} of "
        f"{len(pair)} tasks, on {sum(shown['low'] > bare['high'] for bare, shown in pair) or 'none'} with an "
        "interval that lies above the other"
        for model, pair in pairs.items()
    )
    return f"{sentence}; with examples {helped}"


def replies_invalid(record: Prompted) -> str:
    """State how many replies hold no valid answer."""
    found = [replies(cell) for cell in run_here(record)]
    none, rows = sum(invalid["count"] for invalid in found), sum(invalid["rows"] for invalid in found)
    return f"{none:,} of {rows:,} replies hold no valid answer"


def costs(record: Prompted) -> str:
    """State what a correct row costs at least and at most."""
    found = [run_of(cell, "strict").get("usd_per_correct") for cell in run_here(record)]
    known = [number["value"] for number in found if number and number["value"]]
    return f"A correct row costs {min(known):.2g} to {max(known):.2g} USD" if known else "No reply was paid for"


def agreement(record: Prompted) -> str:
    """State how often answers with and without examples agree, at least and at most."""
    shares = [entry["same"]["share"] for entry in agreed(record) if entry["same"]]
    if not shares:
        return "No task was asked both ways"
    return (
        f"Answers with and without examples agree on {100 * min(shares):.0f} % to {100 * max(shares):.0f} % of "
        "the rows of a task"
    )


def not_run(what: str, systems: Sequence[str]) -> str:
    """State in one line that there is nothing to draw."""
    return f"{what}: not run here ({', '.join(systems)}); 'selu run' makes what this part shows."
