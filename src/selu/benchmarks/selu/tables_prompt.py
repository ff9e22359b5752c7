"""Tables of prompted systems: what is printed, what was run here, and what the print alone allows to conclude.

All scores are on Table VI's scale, where higher is better: story_points is 1 - SMAPE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from selu.benchmarks.selu.cells import DIGITS, PRESENT
from selu.benchmarks.selu.material import Material
from selu.benchmarks.selu.tables_finetune import DIRECTION, number, planned, task_of
from selu.benchmarks.selu.words import EMPTY
from selu.benchmarks.table import Table, signed
from selu.vocabulary import Approach

Entry = Mapping[str, Any]
PARTS = ("strict", "paper")
ZEROS = "story_points"  # whose invalid numbers the authors' scripts turn into 0
OWN, BEST, PERFECT = "its own zero-shot print", "the best print of the task", "no error at all"
_ROUNDING = 0.5 * 10.0**-DIGITS


def counted(record: Entry) -> str:
    """How many cells stand and which do not, in a few sentences."""
    real = planned(record["cells"])
    whole = [cell for cell in real if cell["state"] == PRESENT]
    text = f"{len(whole)} of {len(real)} cells with real rows are run here, by both protocols."
    states = dict.fromkeys(cell["state"] for cell in record["cells"] if cell["state"] != PRESENT)
    for state in states:
        text += f" {state.capitalize()}: {sum(cell['state'] == state for cell in record['cells'])}."
    if record["others"]:
        text += f" Of other parameters, and not shown: {', '.join(record['others'])}."
    return text


def how(record: Entry) -> str:
    """What gets the cells that are not run, in a few sentences."""
    open_ = [cell for cell in planned(record["cells"]) if cell["state"] != PRESENT]
    if not open_:
        return "No cell is missing."
    asked, name = _sum(cell["test_rows"] for cell in open_), open_[0]["system"]
    return (
        f"The {len(open_)} cells take {_count(asked)} requests. `selu plan --system {name}` says what a system "
        "costs at most, from rows that `selu prepare` makes, and sends nothing. With OPENAI_API_KEY or "
        f"ANTHROPIC_API_KEY in the environment, `selu run --system {name} --max-cost USD` asks, and `selu "
        "report prompted` collects. No price stands here: it depends on texts, which are not tracked."
    )


def published(m: Material) -> Table:
    """The prompted columns of Table VI beside the best of the others."""
    prompted = [m.system(name) for name in m.names(approach=Approach.PROMPTED)]
    others = [system for system in m.systems if system not in prompted]
    rows = []
    for task in m.task_ids(ranked=True):
        best = max(others, key=lambda system: _printed(m, system.id, task))
        row = {"Task": task, **{system.name: m.printed("table6", task, system.name) for system in prompted}}
        for series, zero, few in pairs(m):
            change = _printed(m, few, task) - _printed(m, zero, task)
            row[f"{series}, 3-shot minus zero-shot"] = signed(change, DIGITS)
        row["Best of the others"] = f"{_printed(m, best.id, task):.3f} ({best.name})"
        rows.append(row)
    caption = f"Printed in Table VI, to three digits and without intervals. Evidence: printed. {DIRECTION}"
    return Table("prompting_published", caption, _frame(rows, ["Task"]))


def pairs(m: Material) -> list[tuple[str, str, str]]:
    """(series, zero-shot system, few-shot system) of the paper's prompted models."""
    systems = [m.system(name) for name in m.names(approach=Approach.PROMPTED)]
    return [
        (str(zero.series), zero.id, few.id)
        for zero in systems
        for few in systems
        if zero.series == few.series and zero.shots == 0 and few.shots
    ]


def holes(record: Entry) -> Table:
    """Cells that are not run, those of a task with one reason together."""
    found: dict[tuple[str, str, str], list[Entry]] = {}
    for cell in record["cells"]:
        if cell["state"] != PRESENT:
            found.setdefault((task_of(cell), cell["state"], cell["reason"]), []).append(cell)
    rows = [
        {
            "Task": task,
            "State": state,
            "Systems": ", ".join(cell["name"] for cell in group),
            "Why": why or EMPTY,
            "Test rows": _count(group[0]["test_rows"]),
            "Requests": _count(_sum(cell["test_rows"] for cell in group)),
        }
        for (task, state, why), group in found.items()
    ]
    caption = "What is not there, and why; a request is one prompt of one test row." + (
        "" if rows else " Nothing is missing."
    )
    return Table("prompting_absent", caption, _frame(rows, ["Task", "State", "Why"]))


def scores(record: Entry) -> Table:
    """Both protocols with their intervals, beside the print."""
    rows = []
    for cell in run_here(record):
        row = {"Task": task_of(cell), "System": cell["name"]}
        for part in PARTS:
            found, name = cell[part], part.capitalize()
            row |= {name: number(found.get("value")), f"{name}, 95 %": _span(found, 3)}
            row[f"{name} minus print"] = (
                signed(found["minus_printed"]) if found.get("minus_printed") is not None else EMPTY
            )
        rows.append(
            {
                **row,
                "Printed": cell["printed"] or EMPTY,
                "Print in": _within(cell),
                "Test rows": _count(cell["test_rows"]),
            }
        )
    caption = (
        "The same replies, read by both protocols, with 95 % intervals over test rows. The wording of the "
        "prompts is ours, and so is a part of any difference from print. Print in: whose interval holds the "
        f"printed score. {DIRECTION}{_none(rows)}"
    )
    return Table("prompting", caption, _frame(rows, ["Task", "System", "Strict", "Paper", "Printed"]))


def _within(cell: Entry) -> str:
    if cell["printed"] is None:
        return EMPTY
    return ", ".join(part for part in PARTS if cell[part].get("holds_printed")) or "neither"


def invalid(record: Entry) -> Table:
    """Replies that hold no valid answer, why, and what protocol paper makes of them."""
    rows = []
    for cell in run_here(record):
        found, read = replies(cell), cell["readings"]
        reasons = sorted(found["reasons"].items(), key=lambda pair: (-pair[1], pair[0]))
        rows.append(
            {
                "Task": task_of(cell),
                "System": cell["name"],
                "Replies": _count(found["rows"]),
                "Invalid": _count(found["count"]),
                "Share": _percent(found["share"]),
                "95 % interval": _percents(found),
                "Reasons": "; ".join(f"{reason} {count:,}" for reason, count in reasons) or EMPTY,
                "Read otherwise by paper": _count(read["apart"]["count"]) if read else EMPTY,
                "Of all rows, 95 %": _percents(read["apart"]) if read else EMPTY,
                "Paper minus strict": signed(read["paper_minus_strict"]) if read else EMPTY,
            }
        )
    caption = (
        "Replies that the strict grammar refuses, with Wilson's interval, and rows to which protocol paper has "
        "another answer. On story_points it turns an invalid number into 0, the dearest answer; strict leaves "
        f"the row out of its mean, which says nothing without the share beside it.{_none(rows)}"
    )
    return Table(
        "prompting_invalid", caption, _frame(rows, ["Task", "System", "Replies", "Invalid", "Reasons"])
    )


def cost(record: Entry) -> Table:
    """Tokens and money of each cell, and money per correct row."""
    rows = []
    standing = list(run_here(record))
    for cell in standing:
        found = costs(cell)
        row = {"Task": task_of(cell), "System": cell["name"], **_spent([found])}
        for part in PARTS:
            each, name = cell[part].get("usd_per_correct"), f"USD per correct row, {part}"
            row[name] = EMPTY if each is None else _usd(each["value"])
            row[f"{name}, 95 %"] = EMPTY if each is None else f"{_usd(each['low'])} to {_usd(each['high'])}"
        rows.append(row)
    if rows:
        total = {"Task": "all", "System": EMPTY, **_spent([costs(cell) for cell in standing])}
        rows.append(dict.fromkeys(rows[0], EMPTY) | total)
    caption = (
        f"Tokens as billed, at the prices of params.yaml ({record['asked']['priced']}). Both protocols read "
        "the same replies, paid for once. Correct: the right label, or all labels right; not defined for "
        "regression. The interval is that of the share of correct rows (Wilson); without an upper bound, none "
        f"may be correct.{_none(rows)}"
    )
    return Table("prompting_cost", caption, _frame(rows, ["Task", "System", "Requests", "USD"]))


def _spent(found: Sequence[Entry]) -> dict[str, str]:
    def total(name: str) -> Any:
        return sum(cost[name] for cost in found)

    return {
        "Requests": _count(total("requests")),
        "Tokens asked": _count(total("asked_tokens")),
        "Tokens answered": _count(total("answered_tokens")),
        "Paid again": _count(total("paid_again")),
        "USD": _usd(total("usd")),
    }


def agreement(record: Entry) -> Table:
    """How often a model gives the same answer without and with shots."""
    rows = []
    for entry in agreed(record):
        same, kappa = entry["same"], entry["kappa"]
        rows.append(
            {
                "Task": task_of(entry),
                "Model": entry["model"],
                "What counts": entry["what"],
                "Rows": _count(entry["rows"]),
                "Both valid": _count(same["rows"] if same else 0),
                "Invalid: zero-shot, 3-shot, both": ", ".join(
                    _count(entry[f"invalid_{of}"]) for of in ("zero_shot", "few_shot", "both")
                ),
                "Share": _percent(same["share"]) if same else EMPTY,
                "Share, 95 %": _percents(same) if same else EMPTY,
                "Kappa": f"{kappa['value']:.3f}" if kappa else EMPTY,
                "Kappa, 95 %": _span(kappa or {}, 3),
            }
        )
    caption = (
        "Strict answers to zero-shot and 3-shot prompts of the same test rows, over rows with two valid "
        "answers: the share of equal ones with Wilson's interval, and Cohen's kappa with its large-sample "
        "interval. Of label sets all labels must be the same. Numbers count as equal up to a point apart, "
        f"which unlike a rank correlation sees a shift of all of them; they have no kappa.{_none(rows)}"
    )
    return Table("prompting_agreement", caption, _frame(rows, ["Task", "Model", "Rows", "Share", "Kappa"]))


def zeros(m: Material) -> dict[str, Any]:
    """How many answers of 0 would alone explain a printed score of story points; no run is needed.

    By equation 2 a 0 for a positive truth costs 1 / (weight of |a| + |b|), the most that a row can cost. With a
    share p of such rows, where the others score v on average, the score is s = (1 - p) v + p ``lowest``, so
    p = (v - s) / (v - lowest). Bounds are those of the rounding of s and v to Table VI's digits.

    Returns:
        ``lowest`` (the score of zeros alone), ``least`` (the least truth in Table I), and per prompted system
        ``printed``, ``off_by`` (each answer so many times too large, or too small, gives the same score with
        no 0 at all) and ``shares``, each for one ``score`` of the others.
    """
    prompted = m.names(approach=Approach.PROMPTED)
    before = {few: zero for _, zero, few in pairs(m)}
    lowest = 1 - 1 / m.number("protocol", "weight of |a|+|b| in SMAPE", "paper")
    found = []
    for name in prompted:
        score = _printed(m, name)
        others = [(OWN, _printed(m, before[name]))] if name in before else []
        others += [(BEST, max(_printed(m, system.id) for system in m.systems)), (PERFECT, 1.0)]
        error = (1 - score) / (1 - lowest)  # |a - b| / (|a| + |b|), where all rows have the same
        found.append(
            {
                "system": name,
                "name": m.system(name).name,
                "printed": m.printed("table6", ZEROS, m.system(name).name),
                "off_by": (1 + error) / (1 - error),
                "shares": [{"others": of, "score": v, **_share(score, v, lowest)} for of, v in others],
            }
        )
    least = (m.task(ZEROS).range or (None,))[0]
    return {"task": ZEROS, "lowest": lowest, "least": least, "rounding": _ROUNDING, "systems": found}


def _printed(m: Material, system: str, task: str = ZEROS) -> float:
    return m.number("table6", task, m.system(system).name)


def _share(score: float, others: float, lowest: float) -> dict[str, float]:
    off = 0.0 if others == 1 else _ROUNDING  # no error at all is not rounded
    places = {"share": (0.0, 0.0), "low": (_ROUNDING, -off), "high": (-_ROUNDING, off)}
    return {name: (others + up - score - down) / (others + up - lowest) for name, (down, up) in places.items()}


def zeros_table(record: Entry) -> Table:
    """The shares of ``zeros``, one row a system and assumption."""
    rows = [
        {
            "System": system["name"],
            "Printed": system["printed"],
            "If the others score": f"{share['score']:.3f} ({share['others']})",
            "Share of zeros": _percent(share["share"], 2),
            "By rounding": _percents(share, 3),
            "Or, without any, all off by": f"{system['off_by']:.2f} times",
        }
        for system in record["zeros"]["systems"]
        for share in system["shares"]
    ]
    caption = (
        f"Shares of answers 0 that alone give the printed score of {ZEROS}, by what the other answers score. "
        "Arithmetic of printed numbers: no reply was read. By rounding: what the printed digits leave open."
    )
    return Table("prompting_zeros", caption, _frame(rows, ["System"]))


def concluded(record: Entry) -> str:
    """What the printed scores of story points say of zeros, and what they do not, as a list."""
    found = record["zeros"]
    few = [
        (system, {share["others"]: share for share in system["shares"]})
        for system in found["systems"]
        if system["shares"][0]["others"] == OWN
    ]
    most = " and ".join(f"{_percent(by[PERFECT]['high'])} of {system['name']}" for system, by in few)
    alone = " and ".join(
        f"{_percent(by[OWN]['share'])} ({system['name']}, from {by[OWN]['score']:.3f} to {system['printed']})"
        for system, by in few
    )
    more = " or ".join(f"1 - {1 - by[OWN]['share']:.3f} (1 - q)" for _, by in few)
    off = " or ".join(f"{system['off_by']:.1f}" for system, _ in few)
    return (
        f"- **What a zero costs.** A cell is 1 - SMAPE. True story points start at {found['least']:g}, so by "
        f"equation 2 an answer of 0 costs {1 - found['lowest']:g}, the most there is, and its row scores "
        f"{found['lowest']:g}, not 0. With a share p of zeros, where the other rows score v on average, the "
        "cell is (1 - p) v - p.\n"
        f"- **Certain from print.** At most {most} can be zeros, however good the other answers are.\n"
        "- **Under an assumption.** If the other answers score as the same model's zero-shot cell, in which no "
        f"answer is 0, then zeros alone explain the drop at a share of {alone}. If a share q of the zero-shot "
        f"answers is 0, too, and the others score alike with and without shots, it takes {more}.\n"
        "- **Not to be had from print.** That a single answer was 0. The same scores come without any where "
        f"each answer is {off} times too large, or too small. The paper prints no rates of invalid replies and "
        "says that they are errors; that an invalid number becomes 0 stands in the scripts of its preprint. A "
        "row that counts as the largest error scores as one with a 0, so only replies can tell."
    )


def agreed(record: Entry) -> list[Entry]:
    """Agreements of which both runs stand."""
    return [entry for entry in record["agreements"] if entry["state"] == PRESENT]


def replies(cell: Entry) -> Entry:
    """Counts of invalid replies, which both protocols share."""
    found: Entry = _either(cell)["invalid"]
    return found


def costs(cell: Entry) -> Entry:
    """What the replies cost, which both protocols share."""
    found: Entry = _either(cell)["cost"]
    return found


def _either(cell: Entry) -> Entry:
    return next(cell[part] for part in PARTS if cell[part]["state"] == PRESENT)


def run_here(record: Entry) -> list[Entry]:
    """Cells of which a protocol stands at least."""
    return [
        cell
        for cell in planned(record["cells"])
        if any((cell[part] or {}).get("state") == PRESENT for part in PARTS)
    ]


def _none(rows: Sequence[object]) -> str:
    return "" if rows else " Nothing is run yet."


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _count(value: int | None) -> str:
    return EMPTY if value is None else f"{value:,}"


def _percent(value: float, digits: int = 1) -> str:
    return f"{100 * value:.{digits}f} %"


def _percents(found: Entry, digits: int = 1) -> str:
    return f"{_percent(found['low'], digits)} to {_percent(found['high'], digits)}"


def _usd(value: float | None) -> str:
    """Four digits that count, and no fewer than cents; a dash for no bound."""
    return EMPTY if value is None else f"{value:,.2f}" if value >= 100 or value == 0 else f"{value:.4g}"


def _span(found: Entry, digits: int) -> str:
    if found.get("low") is None:
        return EMPTY
    return f"{found['low']:.{digits}f} to {found['high']:.{digits}f}"


def _frame(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> pd.DataFrame:
    """Rows as a frame of text; without any row, these columns."""
    return pd.DataFrame(rows, columns=None if rows else list(columns), dtype=object)
