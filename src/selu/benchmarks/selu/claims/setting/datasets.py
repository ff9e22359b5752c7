"""Where the data sets were published, and how they are cleaned (VII-A, VII-B)."""

from __future__ import annotations

import re

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.selu.claims._printed import printed_column
from selu.benchmarks.selu.claims._protocol import FINAL, NO_PROTOCOL
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Finding

# What is posted without a review, by the names that lists of references give it.
_PREPRINT = re.compile(r"arxiv|zenodo|kaggle|hugging face|ssrn|preprint|figshare|github", re.IGNORECASE)
STEPS = {
    "white space": {"whitespace"},
    "markdown and HTML styling": {"markdown", "html", "jira"},
    "masks": {"code", "hash", "url", "user"},
}


@claim(
    "C128",
    "VII-A",
    "The data sets come mostly from peer-reviewed works.",
    holds="The works that Table I cites for a task appeared in a journal or in proceedings for more than half "
    "of the tasks.",
    fails="For half of the tasks or more, none of the cited works did.",
    thresholds={"half": 'the plain meaning of "mostly"'},
)
def data_sets_are_peer_reviewed(m: Material) -> Finding:
    """Venues as the list of references gives them (references.csv); an archive of preprints is no venue."""
    tasks = dict.fromkeys(row for row, _ in m.tables["references"])
    venues = {
        task: [cell.printed for (row, _), cell in m.tables["references"].items() if row == task]
        for task in tasks
    }
    without = [task for task, names in venues.items() if all(_PREPRINT.search(name) for name in names)]
    found = len(tasks) - len(without)
    return finding(
        2 * found > len(tasks),
        f"For {found} of the {len(tasks)} tasks a cited work appeared in a journal or in proceedings"
        f"{f'; for {listed(without)} it is a preprint' if without else ''}.",
        venues=venues,
        preprints=without,
    )


@claim(
    "C130",
    "VII-B",
    "A consistent pre-processing pipeline is applied for most tasks: white space, markdown and HTML styling, "
    "masks.",
    holds="The authors' scripts apply all three steps to more than half of the tasks.",
    caveat="Each step is applied to more than half of the tasks, but all three to half or fewer.",
    fails="A step is applied to half of the tasks or fewer.",
    thresholds={"half": 'the plain meaning of "most"'},
)
def most_tasks_are_cleaned_alike(m: Material) -> Finding:
    """Steps as the scripts take them for a task (protocol.csv); one kind of styling or mask is enough for a "
    "step."""
    if missing := unless_known(m, "protocol", NO_PROTOCOL):
        return missing
    taken = {
        row.removeprefix("cleaning of "): set(text.split(", "))
        for row, text in printed_column(m, "protocol", FINAL).items()
        if row.startswith("cleaning of ")
    }
    tasks = {step: [task for task, names in taken.items() if names & of] for step, of in STEPS.items()}
    whole = [task for task, names in taken.items() if all(names & of for of in STEPS.values())]
    return finding(
        all(2 * len(names) > len(taken) for names in tasks.values()),
        f"Of the {len(taken)} tasks, the scripts normalise white space for {len(tasks['white space'])}, "
        f"remove styling for {len(tasks['markdown and HTML styling'])} and mask for {len(tasks['masks'])}; "
        f"all three steps are taken for {len(whole)}.",
        caveat=None if 2 * len(whole) > len(taken) else "No more than half of the tasks take all three.",
        tasks=tasks,
        all_three=whole,
    )
