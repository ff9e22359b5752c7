"""Tables of prompted systems from published numbers alone: Table VI, and what its story points imply.

All scores are on Table VI's scale, where higher is better: story_points is 1 - SMAPE.
"""

from __future__ import annotations

from selu.names import word
from selu.papers.selu.formats import DIGITS, frame, percent, percents
from selu.papers.selu.material import Material
from selu.papers.selu.records.prompted import Prompted, ZeroBounds, Zeros, ZeroSystem
from selu.papers.selu.tables.baselines import DIRECTION
from selu.papers.table import Table, signed
from selu.vocabulary import Approach

ZEROS = "story_points"  # whose invalid numbers the authors' scripts turn into 0
OWN, BEST, PERFECT = "its own zero-shot score", "the best score of the task", "no error at all"
_ROUNDING = 0.5 * 10.0**-DIGITS


def published(paper: Material) -> Table:
    """Tabulate the prompted columns of Table VI beside the best of the others."""
    prompted = [paper.system(name) for name in paper.names(approach=Approach.PROMPTED)]
    others = [system for system in paper.systems if system not in prompted]
    rows = []
    for task in paper.task_ids(ranked=True):
        best = max(_published(paper, system.id, task) for system in others)
        names = ", ".join(system.name for system in others if _published(paper, system.id, task) == best)
        row = {
            "Task": task,
            **{system.name: f"{_published(paper, system.id, task):.{DIGITS}f}" for system in prompted},
        }
        for series, zero, few in pairs(paper):
            change = _published(paper, few, task) - _published(paper, zero, task)
            row[f"{series}, 3-shot minus zero-shot"] = signed(change, DIGITS)
        row["Best of the others"] = f"{best:.3f} ({names})"
        rows.append(row)
    caption = f"Published in Table VI, to three digits and without intervals. {DIRECTION}"
    return Table("prompting_published", caption, frame(rows))


def pairs(paper: Material) -> list[tuple[str, str, str]]:
    """List (series, zero-shot system, few-shot system) of the paper's prompted models."""
    systems = [paper.system(name) for name in paper.names(approach=Approach.PROMPTED)]
    return [
        (str(zero.series), zero.id, few.id)
        for zero in systems
        for few in systems
        if zero.series == few.series and zero.shots == 0 and few.shots
    ]


def zeros(paper: Material) -> Zeros:
    """Compute how many answers of 0 alone would explain a published score of story points, without a run.

    By equation 2 a 0 for a positive truth costs 1 / (weight of |a| + |b|), the most that a row can cost. With a
    share p of such rows, where the others score v on average, the score is s = (1 - p) v + p ``lowest``, so
    p = (v - s) / (v - lowest). Bounds are those of the rounding of s and v to Table VI's digits.

    Returns:
        ``lowest`` (the score of zeros alone), ``least`` (the least truth in Table I), and per prompted system
        ``printed``, ``off_by`` (each answer so many times too large, or too small, gives the same score with
        no 0 at all) and ``shares``, each for one ``score`` of the others.
    """
    prompted = paper.names(approach=Approach.PROMPTED)
    before = {few: zero for _, zero, few in pairs(paper)}
    lowest = 1 - 1 / paper.number("protocol", "weight of |a|+|b| in SMAPE", "paper")
    found: list[ZeroSystem] = []
    for name in prompted:
        score = _published(paper, name)
        others = [(OWN, _published(paper, before[name]))] if name in before else []
        others += [(BEST, max(_published(paper, system.id) for system in paper.systems)), (PERFECT, 1.0)]
        error = (1 - score) / (1 - lowest)  # |a - b| / (|a| + |b|), where all rows have the same
        found.append(
            {
                "system": name,
                "name": paper.system(name).name,
                "printed": paper.published("table6", ZEROS, paper.system(name).name),
                "off_by": (1 + error) / (1 - error),
                "shares": [
                    {"others": label, "score": value, **_share(score, value, lowest)} for label, value in others
                ],
            }
        )
    least = (paper.task(ZEROS).range or (None,))[0]
    return {"task": ZEROS, "lowest": lowest, "least": least, "rounding": _ROUNDING, "systems": found}


def _published(paper: Material, system: str, task: str = ZEROS) -> float:
    return paper.number("table6", task, paper.system(system).name)


def _share(score: float, others: float, lowest: float) -> ZeroBounds:
    off = 0.0 if others == 1 else _ROUNDING  # no error at all is not rounded

    def share(down: float, up: float) -> float:
        return (others + up - score - down) / (others + up - lowest)

    return {"share": share(0.0, 0.0), "low": share(_ROUNDING, -off), "high": share(-_ROUNDING, off)}


def zeros_table(record: Prompted) -> Table:
    """Tabulate the shares of ``zeros``, one row a system and assumption."""
    rows = [
        {
            "System": system["name"],
            "Published": system["printed"],
            "If the others score": f"{share['score']:.3f} ({share['others']})",
            "Share of zeros": percent(share["share"], 2),
            "By rounding": percents(share, 3),
            "Or, without any, all off by": f"{system['off_by']:.2f} times",
        }
        for system in record["zeros"]["systems"]
        for share in system["shares"]
    ]
    caption = (
        f"Shares of answers 0 that alone give the published score of {word(ZEROS)}, by what the other "
        "answers score. Arithmetic of published numbers: no reply was read. By rounding: what the published "
        "digits leave open."
    )
    return Table("prompting_zeros", caption, frame(rows, ["System"]))


def concluded(record: Prompted) -> str:
    """List what the published scores of story points imply about zeros, and what they do not."""
    found = record["zeros"]
    few = [
        (system, {share["others"]: share for share in system["shares"]})
        for system in found["systems"]
        if system["shares"][0]["others"] == OWN
    ]
    most = " and ".join(f"{percent(by[PERFECT]['high'])} of {system['name']}" for system, by in few)
    alone = " and ".join(
        f"{percent(by[OWN]['share'])} ({system['name']}, from {by[OWN]['score']:.3f} to {system['printed']})"
        for system, by in few
    )
    formulas = " or ".join(f"1 - {1 - by[OWN]['share']:.3f} (1 - q)" for _, by in few)
    off = " or ".join(f"{system['off_by']:.1f}" for system, _ in few)
    return (
        f"- **What a zero costs.** A score is 1 - SMAPE. True story points start at {found['least']:g}, so by "
        f"equation 2 an answer of 0 costs {1 - found['lowest']:g}, the most there is, and its row scores "
        f"{found['lowest']:g}, not 0. With a share p of zeros, where the other rows score v on average, the "
        f"score is (1 - p) v - p.\n- **Certain from the published scores.** At most {most} can be zeros, "
        "however good the other answers are.\n- **Under an assumption.** If the other answers score as the "
        "same model's zero-shot score, in which no answer is 0, then zeros alone explain the drop at a share "
        f"of {alone}. If a share q of the zero-shot answers is 0, too, and the others score alike with and "
        f"without shots, it takes {formulas}.\n- **Not known from them.** That a single answer was 0. The same "
        f"scores come without any where each answer is {off} times too large, or too small. The paper gives "
        "no rates of invalid replies and says that they are errors; that an invalid number becomes 0 is "
        "written in the scripts of its preprint. A row that counts as the largest error scores as one with a "
        "0, so only replies can tell."
    )
