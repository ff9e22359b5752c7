"""Tables of prompted systems: runs made here, missing ones, and their cost.

All scores are on Table VI's scale, where higher is better: story_points is 1 - SMAPE. What is printed stands in
``tables_prompt_print``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selu.names import PROTOCOLS
from selu.papers.selu.formats import count, frame, number, percent, percents, span, usd
from selu.papers.selu.records.prompted import AskingCost, Prompted, PromptedCell, Spent
from selu.papers.selu.records.reruns import PARTS
from selu.papers.selu.reruns.cells import PRESENT, planned
from selu.papers.selu.reruns.prompted import (
    agreed,
    any_theirs,
    costs,
    none_yet,
    replies,
    run_here,
    run_of,
    total,
    unread,
    words_of,
)
from selu.papers.selu.tables.baselines import DIRECTION, task_of
from selu.papers.selu.tables.prompt_print import concluded, published, zeros_table
from selu.papers.selu.words import EMPTY
from selu.papers.table import Table, signed

__all__ = [
    "agreement",
    "concluded",
    "cost",
    "counted",
    "holes",
    "how",
    "invalid",
    "local",
    "published",
    "scores",
    "zeros_table",
]
_ANSWERS = {"plain": "free", "structured": "constrained decoding", "likelihood": "most likely label"}


def counted(record: Prompted) -> str:
    """State in a few sentences how many scores are present and which are missing."""
    real = planned(record["cells"])
    whole = [cell for cell in real if cell["state"] == PRESENT]
    text = f"{len(whole) or 'None'} of {len(real)} scores on tasks with data here are run."
    states = dict.fromkeys(cell["state"] for cell in record["cells"] if cell["state"] != PRESENT)
    for state in states:
        text += f" {state.capitalize()}: {sum(cell['state'] == state for cell in record['cells'])}."
    if record["others"]:
        text += f" With other parameters, not shown: {', '.join(record['others'])}."
    return text


def how(record: Prompted) -> str:
    """State in a few sentences which command makes the missing scores."""
    missing = [cell for cell in planned(record["cells"]) if cell["state"] != PRESENT]
    if not missing:
        return "No score is missing."
    asked, name = total(cell["test_rows"] for cell in missing), missing[0]["system"]
    return (
        f"The {len(missing)} scores take {count(asked)} requests. `selu plan --system {name}` says what a "
        "system costs at most, from rows that `selu prepare` makes, and sends nothing. With OPENAI_API_KEY or "
        f"ANTHROPIC_API_KEY in the environment, `selu run --system {name} --max-cost USD` asks, and `selu "
        "report prompted` collects. No price is given here: it depends on texts, which are not tracked."
    )


def holes(record: Prompted) -> Table:
    """Tabulate cells that are not run, those of a task with one reason together."""
    found: dict[tuple[str, str, str | None], list[PromptedCell]] = {}
    systems = len({cell["system"] for cell in record["cells"]})
    for cell in record["cells"]:
        if cell["state"] != PRESENT:
            found.setdefault((task_of(cell), cell["state"], cell["reason"]), []).append(cell)
    rows = [
        {
            "Task": task,
            "State": state,
            "Systems": "all" if len(group) == systems else ", ".join(cell["name"] for cell in group),
            "Why": why or EMPTY,
            "Test rows": count(group[0]["test_rows"]),
            "Requests": count(total(cell["test_rows"] for cell in group)),
        }
        for (task, state, why), group in found.items()
    ]
    caption = "Missing scores, and why; a request is one prompt of one test row." + (
        "" if rows else " Nothing is missing."
    )
    return Table("prompting_absent", caption, frame(rows))


def scores(record: Prompted) -> Table:
    """Tabulate both protocols with their intervals, beside the print."""
    rows = []
    for cell in run_here(record):
        none = replies(cell)
        row = {"Task": task_of(cell), "System": cell["name"], **words_of(cell, record["cells"])}
        row["Invalid replies"] = f"{count(none['count'])} of {count(none['rows'])} ({percent(none['share'])})"
        for part in PARTS:
            found, name = run_of(cell, part), PROTOCOLS[part].capitalize()
            interval, minus = span(found.get("low"), found.get("high")), found.get("minus_printed")
            row |= {name: number(found.get("value")), f"{name}, 95 %": interval}
            row[f"{name} minus published"] = EMPTY if minus is None else signed(minus)
        rows.append(
            {
                **row,
                "Published": cell["printed"] or EMPTY,
                "Published in": _within(cell),
                "Test rows": count(cell["test_rows"]),
            }
        )
    of_columns = "Published in: whose interval holds the published score. Invalid: no answer by the grammar. "
    of_columns = of_columns if rows else ""
    unless = " where nothing else is said" if any_theirs(record["cells"]) else ""
    caption = (
        "The same replies, read by both protocols, with 95 % intervals over test rows. The wording of the "
        f"prompts is ours{unless}, and so is a part of any difference from the published scores. "
        f"{of_columns}{DIRECTION}{none_yet(rows)}"
    )
    return Table("prompting", caption, frame(rows))


def local(record: Prompted) -> Table:
    """Tabulate open local models: score, invalid answers, tokens and time, free and constrained to labels.

    It is not one of the paper's systems, so that no published score is beside it.
    """
    rows = []
    for cell in record["local"]:
        found, none, cost = run_of(cell, "strict"), replies(cell), costs(cell)
        rows.append(
            {
                "Task": task_of(cell),
                "Model": cell["model"] or EMPTY,
                "Parameters": count(cell["parameters"]),
                "Shots": str(cell["shots"]),
                **words_of(cell, record["local"]),
                "Answers": _ANSWERS[cell["variant"]],
                "Rows": _rows(cell),
                "Score": number(found["value"]),
                "95 % interval": span(found["low"], found["high"]),
                "One answer to all rows": "yes" if found["constant"] else "no",
                "Invalid": f"{count(none['count'])} of {count(none['rows'])} ({percent(none['share'])})",
                **unread(cell, record["local"]),
                "Tokens asked": count(cost["asked_tokens"]),
                "Tokens answered": count(cost["answered_tokens"]),
                "Rows a minute": f"{60 * cell['timed'] / cell['seconds']:.0f}" if cell["timed"] else EMPTY,
            }
        )
    models = dict.fromkeys(
        f"{weights['publisher']} ({weights['quantisation']}, sha256 {weights['sha256'][:12]})"
        + (f", served by {cell['server']}" if cell["server"] else "")
        for cell in record["local"]
        if (weights := cell["weights"])
    )
    caption = (
        "Open models, run on one machine at no price. They are not in the paper and enter none of its tables, "
        "ranks or averages. Answers are free text, constrained to the labels by a grammar, or the label with "
        "the highest likelihood. On larger tasks a seeded sample of the test rows was asked. "
        f"{''.join(f'{model}. ' for model in models)}{DIRECTION}{none_yet(rows)}"
    )
    return Table("prompting_local", caption, frame(rows))


def _rows(cell: PromptedCell) -> str:
    asked, all_rows = run_of(cell, "strict")["rows"], cell["test_rows"]
    return count(asked) if asked == all_rows else f"{count(asked)} of {count(all_rows)} (sample)"


def _within(cell: PromptedCell) -> str:
    if cell["printed"] is None:
        return EMPTY
    return ", ".join(PROTOCOLS[part] for part in PARTS if run_of(cell, part).get("holds_printed")) or "neither"


def invalid(record: Prompted) -> Table:
    """Tabulate the replies without a valid answer, the reasons, and how protocol ``paper`` reads them."""
    rows = []
    for cell in run_here(record):
        found, read = replies(cell), cell["readings"]
        reasons = sorted(found["reasons"].items(), key=lambda pair: (-pair[1], pair[0]))
        rows.append(
            {
                "Task": task_of(cell),
                "System": cell["name"],
                "Replies": count(found["rows"]),
                "Invalid": count(found["count"]),
                "Share": percent(found["share"]),
                "95 % interval": percents(found),
                **unread(cell, record["cells"]),
                "Reasons": "; ".join(f"{reason} {times:,}" for reason, times in reasons) or EMPTY,
                "Read otherwise by the authors' procedure": count(read["apart"]["count"]) if read else EMPTY,
                "Of all rows, 95 %": percents(read["apart"]) if read else EMPTY,
                "Authors' procedure minus ours": signed(read["paper_minus_strict"]) if read else EMPTY,
            }
        )
    caption = (
        "Replies that the grammar refuses, with Wilson's interval, and rows to which the authors' procedure "
        "has another answer. On story points it turns an invalid number into 0, the most costly answer; "
        "validation-selected leaves the row out of the mean, which says nothing without the share beside "
        f"it.{none_yet(rows)}"
    )
    return Table("prompting_invalid", caption, frame(rows))


def cost(record: Prompted) -> Table:
    """Tabulate tokens and money of each cell, and money per correct row."""
    rows = []
    availability = list(run_here(record))
    for cell in availability:
        found = costs(cell)
        row = {"Task": task_of(cell), "System": cell["name"], **_spent([found])}
        for part in PARTS:
            each, name = run_of(cell, part).get("usd_per_correct"), f"USD per correct row, {PROTOCOLS[part]}"
            row[name] = EMPTY if each is None else usd(each["value"])
            row[f"{name}, 95 %"] = EMPTY if each is None else f"{usd(each['low'])} to {usd(each['high'])}"
        rows.append(row)
    if rows:
        total = {"Task": "all", "System": EMPTY, **_spent([costs(cell) for cell in availability])}
        rows.append(dict.fromkeys(rows[0], EMPTY) | total)
    of_columns = (
        " Correct: the right label, or all labels right; not defined for regression. The interval is that of "
        "the share of correct rows (Wilson); without an upper bound, none may be correct."
    )
    caption = (
        f"Tokens as billed, at the prices of params.yaml ({record['asked']['priced']}). Both protocols read "
        f"the same replies, paid for once.{of_columns if rows else ''}{none_yet(rows)}"
    )
    return Table("prompting_cost", caption, frame(rows))


def _spent(found: Sequence[AskingCost]) -> Mapping[str, str]:
    def spent(name: Spent) -> int:
        return sum(cost[name] for cost in found)

    return {
        "Requests": count(spent("requests")),
        "Tokens asked": count(spent("asked_tokens")),
        "Tokens answered": count(spent("answered_tokens")),
        "Paid again": count(spent("paid_again")),
        "USD": usd(sum(cost["usd"] for cost in found)),
    }


def agreement(record: Prompted) -> Table:
    """Tabulate how often a model gives the same answer without and with shots."""
    rows = []
    for entry in agreed(record):
        same, kappa = entry["same"], entry["kappa"]
        rows.append(
            {
                "Task": task_of(entry),
                "Model": entry["model"] or EMPTY,
                "What counts": entry["what"],
                "Rows": count(entry["rows"]),
                "Both valid": count(same["rows"] if same else 0),
                "Invalid: zero-shot, 3-shot, both": ", ".join(
                    map(
                        count,
                        (entry["invalid_zero_shot"], entry["invalid_few_shot"], entry["invalid_both"]),
                    )
                ),
                "Share": percent(same["share"]) if same else EMPTY,
                "Share, 95 %": percents(same) if same else EMPTY,
                "Kappa": f"{kappa['value']:.3f}" if kappa else EMPTY,
                "Kappa, 95 %": span(kappa["low"], kappa["high"]) if kappa else EMPTY,
            }
        )
    caption = (
        "Strict answers to zero-shot and 3-shot prompts of the same test rows, over rows with two valid "
        "answers: the share of equal ones with Wilson's interval, and Cohen's kappa with its large-sample "
        "interval. Of label sets all labels must be the same. Numbers count as equal up to a point apart, "
        f"which unlike a rank correlation sees a shift of all of them; they have no kappa.{none_yet(rows)}"
    )
    return Table("prompting_agreement", caption, frame(rows))
