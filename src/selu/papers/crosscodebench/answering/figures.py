"""Figures of scores here: by rows learnt from and by size of a model, as Figures 2 and 3, and by examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from selu.papers.crosscodebench.formats import FORMATS, PLAIN, find_format
from selu.papers.crosscodebench.records import Baselines, SizedModel, SystemScores
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, VERMILION, blank, styled

METRICS = (("BLEU, version b", BLUE, "o"), ("ROUGE-L", ORANGE, "s"))
PARAMETERS = {"MiniLM neighbour in other tasks": 22_713_216}  # of all-MiniLM-L6-v2
WORDS = "TF-IDF neighbour in other tasks"
_BESIDE = 1.07  # the factor between the places of a model's formats
_MARKS = "osDvXP*h"  # of formats, or of models
_MODELS = (BLUE, ORANGE, VERMILION)


class Score(NamedTuple):
    """A score with the ends of its interval, in percent."""

    value: float
    low: float
    high: float


@styled
def sizes(record: Baselines) -> Figure:
    """Draw the score of the neighbour within a task by the rows that it is looked for among."""
    figure = blank(5.6, 3.0)
    axes = figure.subplots()
    every = record["sizes"]
    for metric, colour, mark in METRICS:
        found = [entry["scores"][metric] for entry in every]
        learnt = [entry["learnt"] for entry in every]
        axes.plot(learnt, [score["value"] for score in found], color=colour, marker=mark, label=metric)
        low, high = [score["low"] for score in found], [score["high"] for score in found]
        axes.fill_between(learnt, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks([entry["learnt"] for entry in every], [f"{entry['learnt']:,}" for entry in every])
    axes.minorticks_off()
    axes.set_xlabel("rows of the task that are learnt from")
    axes.set_ylabel(f"mean of {every[0]['tasks']} tasks, %")
    axes.legend()
    return figure


@styled
def models(baselines: Baselines, asked: Sequence[SizedModel]) -> Figure:
    """Draw what systems score on tasks of generation by their number of parameters, macro by task.

    Args:
        asked: records of models, each with its ``parameters``; the tasks are those that all of them answered. A
            model's formats are drawn side by side.
    """
    tasks, metric = _written(asked), METRICS[0][0]
    figure = blank(5.6, 3.4)
    axes = figure.subplots()
    scored = {
        system["system"]: _macro(system, tasks, metric)
        for system in baselines["systems"]
        if system["system"] in (WORDS, *PARAMETERS)
    }
    words = scored[WORDS]
    axes.axhspan(words.low, words.high, color=GREY, alpha=0.15, linewidth=0)
    axes.axhline(words.value, color=GREY, linewidth=1, linestyle="--", label=f"{WORDS} (no parameters)")
    for name, parameters in PARAMETERS.items():
        _point(axes, parameters, scored[name], color=GREEN, marker="^", label=name)
    for colour, record in zip(_MODELS, asked, strict=False):
        forms = record["formats"]
        for number, form in enumerate(forms):
            mark = _MARKS[(*FORMATS, PLAIN).index(find_format(form["system"]))]
            beside = _BESIDE ** (number - len(forms) // 2)
            label = f"{record['model']}, {form['system']}"
            score = _macro(form, tasks, metric)
            _point(axes, record["parameters"] * beside, score, color=colour, marker=mark, label=label)
    axes.set_xscale("log")
    axes.set_xlim(1e7, 1e9 if all(record["parameters"] < 1e9 for record in asked) else None)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("parameters")
    axes.set_ylabel(f"{metric}, mean of {len(tasks)} tasks, %")
    figure.legend(loc="outside right center", fontsize=6.5)
    return figure


@styled
def examples(asked: Sequence[SizedModel]) -> Figure:
    """Draw what models score on tasks of generation by the examples in a prompt, macro by task."""
    tasks = _written(asked)
    figure = blank(5.6, 2.8)
    for axes, (metric, _, _) in zip(figure.subplots(1, len(METRICS)), METRICS, strict=True):
        for place, (colour, mark, record) in enumerate(zip(_MODELS, _MARKS, asked, strict=False)):
            scores = {number: _macro(form, tasks, metric) for number, form in _by_examples(record).items()}
            errors = [
                [score.value - score.low for score in scores.values()],
                [score.high - score.value for score in scores.values()],
            ]
            places = [number + 0.06 * place for number in scores]
            axes.errorbar(
                places, [score.value for score in scores.values()], errors, color=colour, marker=mark,
                markersize=4, linewidth=1, elinewidth=0.8, label=record["model"],
            )  # fmt: skip
        axes.set_xticks(range(max(number for record in asked for number in _by_examples(record)) + 1))
        axes.set_ylim(bottom=0)
        axes.set_title(metric)
        axes.set_xlabel("examples in the prompt")
    figure.axes[0].set_ylabel(f"mean of {len(tasks)} tasks, %")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(asked))
    return figure


def say_examples(asked: Sequence[SizedModel]) -> str:
    """State what each model scores with fewest and with most examples."""
    tasks, metric = _written(asked), METRICS[0][0]
    found = []
    for record in asked:
        forms = _by_examples(record)
        few, most = (_macro(forms[number], tasks, metric) for number in (min(forms), max(forms)))
        found.append(
            f"{record['model']} scores {few.value:.1f} % ({few.low:.1f} to {few.high:.1f}) with {min(forms)} "
            f"examples and {most.value:.1f} % ({most.low:.1f} to {most.high:.1f}) with {max(forms)}"
        )
    return f"{', '.join(found)} ({metric}, mean of {len(tasks)} tasks)"


def _by_examples(record: SizedModel) -> dict[int, SystemScores]:
    """Select the formats that differ in nothing but the number of examples, by that number."""
    forms = {find_format(form["system"]): form for form in record["formats"]}
    return {form.positives: forms[form] for form in FORMATS if form in forms and not form.instruction}


def _point(axes: Axes, place: float, score: Score, color: str, marker: str, label: str) -> None:
    errors = [[score.value - score.low], [score.high - score.value]]
    axes.errorbar(
        place, score.value, errors, color=color, marker=marker, markerfacecolor="white", markersize=4,
        linestyle="", elinewidth=0.8, label=label,
    )  # fmt: skip


def say_sizes(record: Baselines) -> str:
    """State what more rows of a task add to the score of the nearest one."""
    first, last = record["sizes"][0], record["sizes"][-1]
    metric = METRICS[0][0]
    low, high = (entry["scores"][metric]["value"] for entry in (first, last))
    return (
        f"{metric} of the nearest row's output goes from {low:.1f} with {first['learnt']:,} rows of the task "
        f"to {high:.1f} with {last['learnt']:,}"
    )


def say_models(baselines: Baselines, asked: Sequence[SizedModel]) -> str:
    """State how far the best way to ask each model is from the nearest row of other tasks."""
    tasks, metric = _written(asked), METRICS[0][0]
    near = next(_macro(system, tasks, metric) for system in baselines["systems"] if system["system"] == WORDS)
    found = []
    for record in asked:
        scores = {form["system"]: _macro(form, tasks, metric) for form in record["formats"]}
        best = max(scores, key=lambda name: scores[name].value)
        value, low, high = scores[best]
        found.append(f"{record['model']} ({best}) reaches {value:.1f} % ({low:.1f} to {high:.1f})")
    return (
        f"{', '.join(found)} on {len(tasks)} tasks without training on them; the nearest row of other tasks "
        f"reaches {near.value:.1f} % without a model ({metric})"
    )


def _written(asked: Sequence[SizedModel]) -> list[str]:
    """Name the tasks of generation that all of these models answered."""
    first, *others = (record["formats"][0]["tasks"] for record in asked)
    common = [{entry["task"] for entry in every} for every in others]
    return [
        entry["task"]
        for entry in first
        if not str(entry["type"]).startswith("Classification") and all(entry["task"] in some for some in common)
    ]


def _macro(system: SystemScores, tasks: Sequence[str], metric: str) -> Score:
    """Average tasks; each was resampled alone, so half widths of intervals add up in squares."""
    scores = [entry["scores"][metric] for entry in system["tasks"] if entry["task"] in tasks]
    value = sum(score["value"] for score in scores) / len(scores)
    below = math.hypot(*(score["value"] - score["low"] for score in scores)) / len(scores)
    above = math.hypot(*(score["high"] - score["value"] for score in scores)) / len(scores)
    return Score(value, value - below, value + above)
