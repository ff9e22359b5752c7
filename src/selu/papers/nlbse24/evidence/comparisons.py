"""Parts ``comparisons`` and ``reruns`` of NLBSE'24's report: scores of its runs, beside the published ones.

``comparisons`` resamples test rows, so it takes the prepared rows, which are third-party data and tracked
nowhere, and the predictions. ``reruns`` lays the scores that it found out as a table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from selu.files import to_json
from selu.papers.evidence import Evidence, Progress
from selu.papers.nlbse24 import material, reruns, results
from selu.papers.nlbse24.evidence import runs
from selu.papers.nlbse24.records import TRACKS, Results
from selu.papers.records import bootstrap

FOUND, RERUNS = "results.json", "reruns.csv"


def compare(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    """Score all standing runs with intervals, differences and ranks.

    Raises:
        SeluError: no run is there, one is stale or damaged, or the prepared rows of a task are not here.
    """
    draws = evidence.draws
    published = material.read(evidence.tables())
    groups = runs.stored_groups(evidence)
    test = runs.test_rows(evidence, groups)

    def entrants(track: str) -> list[results.Entrant]:
        found = [runs.entrant(evidence, planned, test) for key, planned in groups.items() if key.track == track]
        progress(f"{track}: {len(found)} entrants, {draws.draws} draws")
        return found

    issues, comments = TRACKS
    record: Results = {
        "bootstrap": bootstrap(draws),
        "issues": results.issues(published, runs.issue_questions(test), entrants(issues), draws),
        "comments": results.comments(published, runs.comment_questions(test), entrants(comments), draws),
        "not_run": runs.not_run(evidence, groups),
    }
    text = to_json(record)
    return {FOUND: text, RERUNS: reruns.to_csv(json.loads(text))}


def tabulate(evidence: Evidence, _progress: Progress) -> Mapping[str, str]:
    """Return the scores of the record of results as one long table.

    Raises:
        SeluError: the record is missing or damaged.
    """
    return {RERUNS: reruns.to_csv(evidence.read(FOUND, "report comparisons", TRACKS))}
