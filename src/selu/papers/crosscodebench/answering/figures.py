"""Figures 2 and 3 as a method, on systems run here: score by rows learnt from, and by size of a model."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from selu.papers.crosscodebench.records import Baselines, SizedModel, SystemScores, TaskScores
from selu.papers.drawing import BLUE, GREEN, GREY, ORANGE, blank, styled

METRICS = (("BLEU, version b", BLUE, "o"), ("ROUGE-L", ORANGE, "s"))
PARAMETERS = {"MiniLM neighbour in other tasks": 22_713_216}  # of all-MiniLM-L6-v2
WORDS = "TF-IDF neighbour in other tasks"


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
        asked: records of models, each with its ``parameters``; the tasks are those of the first.
    """
    tasks = [entry["task"] for entry in asked[0]["formats"][0]["tasks"] if not _is_choice(entry)]
    metric = METRICS[0][0]
    figure = blank(5.6, 3.0)
    axes = figure.subplots()
    shown = (WORDS, *PARAMETERS)
    scored = {
        system["system"]: _macro(system, tasks, metric)
        for system in baselines["systems"]
        if system["system"] in shown
    }
    axes.axhline(scored[WORDS], color=GREY, linewidth=1, linestyle="--", label=f"{WORDS} (no parameters)")
    for name, parameters in PARAMETERS.items():
        axes.plot(parameters, scored[name], color=GREEN, marker="^", linestyle="", label=name)
    for number, record in enumerate(asked):
        for form, mark in zip(record["formats"], "osDv*", strict=False):
            label = f"{record['model']}, {form['system']}" if not number else None
            place = record["parameters"], _macro(form, tasks, metric)
            axes.plot(*place, color=BLUE, marker=mark, linestyle="", markerfacecolor="white", label=label)
    axes.set_xscale("log")
    axes.set_xlim(1e7, 1e9 if all(record["parameters"] < 1e9 for record in asked) else None)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("parameters")
    axes.set_ylabel(f"{metric}, mean of {len(tasks)} tasks, %")
    axes.legend(fontsize=6.5)
    return figure


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
    """State how far the best way to ask a small model is from the nearest row of other tasks."""
    tasks = [entry["task"] for entry in asked[0]["formats"][0]["tasks"] if not _is_choice(entry)]
    metric = METRICS[0][0]
    near = next(_macro(system, tasks, metric) for system in baselines["systems"] if system["system"] == WORDS)
    scored = {
        f"{record['model']}, {form['system']}": _macro(form, tasks, metric)
        for record in asked
        for form in record["formats"]
    }
    best = max(scored, key=lambda name: scored[name])
    return (
        f"A small open model ({best}) reaches {scored[best]:.1f} % on {len(tasks)} tasks that it was not "
        f"trained on; the nearest row of other tasks reaches {near:.1f} % without a model ({metric})"
    )


def _is_choice(entry: TaskScores) -> bool:
    return str(entry["type"]).startswith("Classification")


def _macro(system: SystemScores, tasks: Sequence[str], metric: str) -> float:
    found = [entry["scores"][metric]["value"] for entry in system["tasks"] if entry["task"] in tasks]
    return float(sum(found)) / len(found)
