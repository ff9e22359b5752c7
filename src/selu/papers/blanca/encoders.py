"""Scores of encoders that are run here: a record of scores, times and memory, and the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from selu.files import to_json
from selu.papers.blanca.material import Material
from selu.papers.blanca.records import EncoderRun, Encoders
from selu.papers.evidence import Evidence, Progress, RunScored
from selu.vocabulary import RunState, SeluError

USAGE, FORUM, RELATED = "class_usage", "forum_to_class", "related_questions"
HIERARCHY = "class_hierarchy"
LENGTHS = "similar-length"  # its distances are of lengths, and no cosines
NAMES = {
    "tfidf-cosine": "TF-IDF",
    LENGTHS: "Lengths of texts alone",
    "tfidf-svd": "TF-IDF with SVD",
    "hashed-ngrams": "Hashed n-grams",
    "word-vectors": "Word vectors of train texts",
    "all-minilm-l6-v2": "all-MiniLM-L6-v2",
    "all-mpnet-base-v2": "all-mpnet-base-v2",
    "use-multilingual-v3": "USE multilingual v3 (a relative of the paper's USE)",
    "minilm-tuned-own": "MiniLM-L6 tuned on the task",
    "minilm-tuned-hu": "MiniLM-L6 tuned on H and U",
}


def collect(evidence: Evidence, _progress: Progress) -> Mapping[str, str | bytes]:
    """Collect the runs of all declared systems that are here.

    Raises:
        SeluError: there is none, one is out of date, or its scores are.
    """
    declared = evidence.settings("systems", dict[str, dict[str, Any]])
    here = {place.split("/")[1] for place in evidence.stored()}
    systems = [name for name in declared if name in here]
    entries: list[EncoderRun] = []
    for run in evidence.runs(systems=systems) if systems else ():
        scores = evidence.scores(run) if run.state == RunState.PRESENT else None
        if scores is None and run.state != RunState.MISSING:
            raise SeluError(f"{run.name} is out of date or has no score: run 'selu run --paper blanca'.")
        if scores is not None:
            entries.append(entry(run.system, RunScored(run.task, run.record, scores)))
    if not entries:
        raise SeluError("results/blanca holds no run: run 'dvc pull', or 'selu run --paper blanca'.")
    entries.sort(key=lambda run: (run["task"], systems.index(run["system"])))
    paper: Material = evidence.published()
    record: Encoders = {"finding": finding(paper, entries), "runs": entries}
    return {"encoders.json": to_json(record)}


def entry(system: str, run: RunScored) -> EncoderRun:
    """Build the record of one run: its scores with intervals, seconds per 1,000 texts, and memory in bytes."""
    seconds = run.record.get("inference", [])
    return {
        "task": run.task.id,
        "system": system,
        "name": NAMES.get(system, system),
        "pairs": run.scores["rows"],
        "scores": dict(run.scores["scores"]),
        "intervals": dict(run.scores["intervals"]),
        "seconds_per_1000_texts": 1000 * median(seconds) if seconds else None,
        "peak_memory_bytes": run.record["cost"]["peak_memory_bytes"],
    }


def finding(paper: Material, entries: Sequence[EncoderRun]) -> str:
    """State which encoders are above the best published base model on U, and which separate pairs on F."""
    bases = paper.chosen("U", paper.bases)
    best = max(bases, key=bases.__getitem__)
    usage = [run for run in entries if run["task"] == USAGE]
    above = [run for run in usage if run["scores"]["r"] > bases[best]]
    sure = [run for run in above if run["intervals"]["r"]["low"] > bases[best]]
    forum = [run for run in entries if run["task"] == FORUM]
    apart = [run for run in forum if run["intervals"]["auc"]["low"] > 0.5]
    sentences = []
    if usage:
        sentences.append(
            f"Class usage: {len(above) or 'none'} of {len(usage)} systems run here correlate more with usage "
            f"than {best}, the best published base model ({paper.published('table7', best, 'Pearson r')})"
            f"{_listed(above, 'r')}. The interval of {len(sure) or 'none'} of them lies above it."
        )
    if classes := [run for run in entries if run["task"] == HIERARCHY]:
        clear = [run for run in classes if run["intervals"]["r"]["low"] > 0]
        sentences.append(
            f"Class hierarchy of a package: the interval of r lies above 0 for {len(clear) or 'none'} of "
            f"{len(classes)} systems{_listed(clear, 'r')}."
        )
    if forum:
        sentences.append(
            f"Forum posts and classes: {len(apart) or 'none'} of {len(forum)} systems tell related pairs from "
            f"others (interval of AUC above .5, {forum[0]['pairs']} pairs){_listed(apart, 'auc')}."
        )
    return " ".join(sentences)


def _listed(entries: Sequence[EncoderRun], score: str) -> str:
    """Name these runs behind a colon, the highest score first; '' if there are none."""
    ordered = sorted(entries, key=lambda run: -run["scores"][score])
    names = ", ".join(f"{run['name']} ({run['scores'][score]:.3f})" for run in ordered)
    return f": {names}" if names else ""
