"""Where the data sets were published (VII-A)."""

from __future__ import annotations

import re

from selu.papers.claims import claim, finding, listed
from selu.papers.selu.claims._questions import CONTENT
from selu.papers.selu.material import Material
from selu.vocabulary import Finding

QUESTION = CONTENT

# What is posted without a review, by the names that lists of references give it.
_PREPRINT = re.compile(r"arxiv|zenodo|kaggle|hugging face|ssrn|preprint|figshare|github", re.IGNORECASE)


@claim(
    "C128",
    "VII-A",
    "The data sets come mostly from peer-reviewed works.",
    weight="detail",
    quote="These datasets come mostly from peer-reviewed works",
    holds="The works that Table I cites for a task appeared in a journal or in proceedings for more than half "
    "of the tasks.",
    fails="For half of the tasks or more, none of the cited works did.",
    thresholds={"half": 'the plain meaning of "mostly"'},
)
def data_sets_are_peer_reviewed(paper: Material) -> Finding:
    """Check the venues in the list of references (references.csv); a preprint archive is not a venue."""
    tasks = dict.fromkeys(row for row, _ in paper.tables["references"])
    venues = {
        task: [cell.published for (row, _), cell in paper.tables["references"].items() if row == task]
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
