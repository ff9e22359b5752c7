"""Figure 3 from the heads that are built: the components of each, in groups of equal ones."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from selu.names import PROTOCOLS
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, blank, styled
from selu.papers.selu.records.heads import Head, HeadGroup, Step
from selu.papers.table import Table

TITLES = {
    "figure3": "Validation-selected: pooling, dropout, a linear layer (Figure 3); masked verbs: as the library",
    "library": "Authors' procedure: the library's own heads",
}
_KINDS = {
    "binary": "binary", "multi_class": "multi-class", "multi_label": "multi-label", "regression": "regression",
    "entities": "named entities", "masked": "masked verbs",
}  # fmt: skip
_NAMES = {  # of the architectures of the paper
    "bert": "BERT", "roberta": "RoBERTa", "modernbert": "ModernBERT", "gpt2": "GPT-2", "llama": "Llama",
    "starcoder2": "StarCoder2", "t5": "T5",
}  # fmt: skip
_COLOURS = {"linear": BLUE, "dropout": GREY, "layer norm": GREEN}
_WIDTH, _GAP, _HEIGHT = 1.5, 0.26, 0.76  # of a box, in units of the axes


def grouped(heads: Sequence[Head], head: str) -> list[HeadGroup]:
    """Group heads of one kind of protocol by equality, over architectures and tasks.

    Args:
        heads: entries of heads.json, of which those of the paper's architectures are taken.
        head: figure3 or library. Masked tokens have the library's under both.

    Returns:
        ``families``, ``pool``, ``stack``, ``steps`` and ``outcomes`` (kinds, activation, outputs), the
        outcomes of heads that differ in nothing else together.
    """
    found: dict[str, HeadGroup] = {}
    for entry in heads:
        if entry["family"] not in _NAMES or (entry["head"] != head and entry["kind"] != "masked"):
            continue
        steps: list[Step] = [
            {**step, "outputs": "k"} if step.get("outputs") == "1" else step for step in entry["steps"]
        ]
        family = found.setdefault(
            repr((entry["family"], entry["stack"], entry["pool"], steps)),
            {
                "stack": entry["stack"],
                "pool": entry["pool"],
                "families": [entry["family"]],
                "steps": steps,
                "outcomes": {},
            },
        )
        outcome = (entry["activation"], entry["outputs"])
        family["outcomes"].setdefault(outcome, []).append(entry["kind"])
    merged: dict[str, HeadGroup] = {}
    for group in found.values():
        key = repr([group["stack"], group["pool"], group["steps"], group["outcomes"]])
        merged.setdefault(key, {**group, "families": []})["families"] += group["families"]
    return sorted(merged.values(), key=lambda group: _rank(next(iter(group["outcomes"].values()))[0]))


def _rank(kind: str) -> int:
    """Return a sort key: whole texts first, then words, then masks."""
    return ("entities", "masked").index(kind) + 1 if kind in ("entities", "masked") else 0


def step_text(step: Step) -> str:
    """Return a step in a few words, widths in terms of d (hidden states), k (outputs) and V (vocabulary)."""
    if step["name"] == "linear":
        notes = ", no bias" if not step["bias"] else ""
        notes += ", tied" if step["tied"] else ""
        return f"linear {step['inputs']} → {step['outputs']}{notes}"
    return f"dropout {step['p']:g}" if step["name"] == "dropout" else str(step["name"])


def outcome_texts(group: HeadGroup) -> list[str]:
    """Describe what follows the logits: activation and kinds, one line each."""
    lines = []
    for (activation, outputs), kinds in group["outcomes"].items():
        names = ", ".join(_KINDS[kind] for kind in kinds)
        width = "k = 1" if outputs == "a number" else "V" if "vocabulary" in outputs else f"k = {outputs}"
        lines.append(f"{names}: {'no activation' if activation == 'none' else activation}, {width}")
    return lines


def families_text(group: HeadGroup) -> str:
    """Return the architectures of a group."""
    return ", ".join(_NAMES[family] for family in group["families"])


def table(heads: Sequence[Head]) -> Table:
    """Return the same as text: one row per head that differs."""
    rows = [
        {
            "Protocol": PROTOCOLS["strict" if head == "figure3" else "paper"],
            "Architectures": families_text(group),
            "Pooling": f"{group['pool']} ({group['stack']})",
            "Then": "; ".join(step_text(step) for step in group["steps"]),
            "At inference": "; ".join(outcome_texts(group)),
        }
        for head in TITLES
        for group in grouped(heads, head)
    ]
    caption = (
        f"The {len(heads)} heads that are built, equal ones together; d is the width of the hidden states, k "
        "the number of outputs, V the size of the vocabulary. Decoders have no tasks at token level, and only "
        "encoders fill masks. Tied: with the weights of the input embeddings."
    )
    return Table("figure3", caption, pd.DataFrame(rows, dtype=object))


@styled
def figure3(heads: Sequence[Head]) -> Figure:
    """Draw chains of boxes from hidden states to predictions, one row per different head."""
    groups = {head: grouped(heads, head) for head in TITLES}
    counts = [len(members) for members in groups.values()]
    figure = blank(12, 0.62 * sum(counts) + 1.3)
    panels = figure.subplots(len(groups), 1, height_ratios=counts, squeeze=False).flatten()
    longest = max(len(group["steps"]) for members in groups.values() for group in members)
    for axes, (head, members) in zip(panels, groups.items(), strict=True):
        axes.set_title(TITLES[head])
        for place, group in enumerate(members):
            _chain(axes, -place, group)
        axes.set_xlim(-2.9, (longest + 1) * (_WIDTH + _GAP) + 4.1)
        axes.set_ylim(-len(members) + 0.5, 0.55)
        axes.set_axis_off()
    return figure


def _chain(axes: Axes, place: float, group: HeadGroup) -> None:
    axes.text(-2.85, place, _wrapped(families_text(group)), va="center", fontsize=8.5)
    pool = str(group["pool"]).replace("each masked", "each\nmasked").replace("mean of", "mean of\n")
    boxes = [(f"{group['stack']}:\n{pool}", ORANGE)]
    boxes += [
        (
            step_text(step).replace(", ", "\n", 1).replace("linear ", "linear\n", 1),
            _COLOURS.get(step["name"], SKY),
        )
        for step in group["steps"]
    ]
    for number, (text, colour) in enumerate(boxes):
        left = number * (_WIDTH + _GAP)
        _box(axes, left, place, text, colour)
        _arrow(axes, left + _WIDTH, left + _WIDTH + _GAP, place)
    end = len(boxes) * (_WIDTH + _GAP)
    axes.text(end + 0.05, place, "\n".join(outcome_texts(group)), va="center", fontsize=7.5, color="black")
    axes.plot([end, end], [place - _HEIGHT / 2, place + _HEIGHT / 2], color=VERMILION, linewidth=2)


def _box(axes: Axes, left: float, place: float, text: str, colour: str) -> None:
    shape = FancyBboxPatch(
        (left, place - _HEIGHT / 2), _WIDTH, _HEIGHT, boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=f"{colour}33", edgecolor=colour, linewidth=1.2,
    )  # fmt: skip
    axes.add_patch(shape)
    axes.text(left + _WIDTH / 2, place, text, ha="center", va="center", fontsize=7)


def _arrow(axes: Axes, start: float, end: float, place: float) -> None:
    axes.annotate(
        "", (end, place), (start, place), arrowprops={"arrowstyle": "-|>", "color": GREY, "linewidth": 0.9}
    )


def _wrapped(text: str) -> str:
    """Wrap a list of names to at most two lines."""
    names = text.split(", ")
    half = -(-len(names) // 2) if len(names) > 2 else len(names)
    return ",\n".join(", ".join(part) for part in (names[:half], names[half:]) if part)
