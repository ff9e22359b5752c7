"""Tables of the issue reports as run here: beside Table 1, by repository and label, ranks and differences.

All read the record ``results.json``; published scores stand beside, with their evidence in a column.
"""

from __future__ import annotations

import pandas as pd

from selu.names import PROTOCOLS, word
from selu.papers.nlbse24.material import LABELS, METRICS, OF_ALL, REPOSITORIES, Material, Track
from selu.papers.nlbse24.records import KEYS, TRACKS, IssueEntrant, Results, Scored, TrackName
from selu.papers.nlbse24.rescored import NAMES
from selu.papers.nlbse24.results import AVERAGE, OVERALL, TEST
from selu.papers.table import Compared, Table, signed
from selu.stats.rounding import to_digits
from selu.vocabulary import Evidence

SHORT = {"precision": "P", "recall": "R", "f1": "F1"}
PICKED = {"nothing": "nothing", "validation": "validation rows", TEST: "test rows"}
MARK = "* marks a single model for all repositories"
_COLUMNS = list(zip((*LABELS, OF_ALL), (*NAMES, AVERAGE), strict=True))  # with the key of its scores

# In words, of data/params/nlbse24.yaml; what is run beside these goes by its id.
ENTRANT_NAMES = {
    "fasttext-lines": "FastText",
    "tfidf-logistic": "TF-IDF with logistic regression",
    "minilm-logistic": "frozen MiniLM-L6 with logistic regression",
    "minilm-l6": "fine-tuned MiniLM-L6",
    "setfit-minilm": "SetFit (MiniLM-L6, 1/4 of the pairs)",
    "setfit-mpnet": "SetFit (all-mpnet-base-v2, 1/20 of the pairs)",
    "setfit": "SetFit as published",
    "minilm-adapters": "adapters on MiniLM-L6",
    "mpnet-adapters": "adapters on all-mpnet-base-v2",
    "minilm-upper-mean": "mean of upper layers on MiniLM-L6",
    "mpnet-upper-mean": "mean of upper layers on all-mpnet-base-v2",
    "minilm-rounds": "SetFit in rounds on MiniLM-L6",
    "mpnet-rounds": "SetFit in rounds on all-mpnet-base-v2",
    "stacc-minilm": "STACC (MiniLM-L6, 1/30 of the pairs)",
    "stacc-mpnet": "STACC (all-mpnet-base-v2, 1/30 of the pairs)",
    "stacc": "STACC as published",
}


def system(id: str) -> str:
    """Return an entrant's name, with the protocol in plain words if it is a part of it.

    Args:
        id: of its system, a star behind it where one model is of all repositories, and its protocol.
    """
    name, space, protocol = id.partition(" ")
    star = "*" if name.endswith("*") else ""
    shown = f"{ENTRANT_NAMES.get(name.rstrip('*'), name.rstrip('*'))}{star}"
    return f"{shown}, {PROTOCOLS.get(protocol, protocol)}" if space else shown


def whole(record: Results) -> list[IssueEntrant]:
    """Return entrants of the issue track that were run on every repository, best first."""
    found = [entrant for entrant in record["issues"]["entrants"] if OVERALL in entrant["scores"]]
    return sorted(found, key=lambda entrant: -entrant["scores"][OVERALL][AVERAGE]["f1"])


def level(record: Results) -> str:
    """Return the heading of the column of intervals."""
    return f"{100 * record['bootstrap']['level']:g} % interval"


def interval(scores: Scored) -> str:
    """Return the interval of F1 as the tables show it."""
    return f"{to_digits(scores['low'])} to {to_digits(scores['high'])}"


def beside(paper: Material, record: Results) -> Table:
    """Tabulate re-runs in Table 1's columns, and Table 1 itself, by falling average F1, unranked."""
    lines = [
        (
            entrant["scores"][OVERALL][AVERAGE]["f1"],
            {
                "System": system(entrant["id"]),
                "Evidence": word(entrant["evidence"]),
                "Picked on": PICKED[entrant["picked_on"]],
                **{name: to_digits(entrant["scores"][OVERALL][label]["f1"]) for name, label in _COLUMNS},
                level(record): interval(entrant["scores"][OVERALL][AVERAGE]),
            },
        )
        for entrant in whole(record)
    ]
    for team in paper.teams(Track.ISSUES):
        entrant = paper.entrant(team)
        published = {label: paper.published("table1", f"{team}/F1-score", label) for label in (*LABELS, OF_ALL)}
        published[OF_ALL] = published[OF_ALL].rstrip(" *")
        name = f"{entrant.model}{'*' if entrant.single else ''}, {team}"
        head = {"System": name, "Evidence": word(Evidence.PUBLISHED), "Picked on": "not known"}
        lines.append((paper.issue(team), {**head, **published, level(record): ""}))
    rows = [line for _, line in sorted(lines, key=lambda pair: -pair[0])]
    caption = (
        "F1 of issue reports, means over five repositories: systems run here (re-run, with an interval over "
        f"resampled test rows) among Table 1 (published). {_repeating(record)}{MARK}."
    )
    return Table("results_issues", caption, pd.DataFrame(rows, dtype=object))


def _repeating(record: Results) -> str:
    """State which systems repeat an entry of the table; all others are this package's."""
    again = [
        f"{system(e['id'])} repeats {e['repeats']['model']}"
        for e in whole(record)
        if e["published"] and e["repeats"]
    ]
    return f"Of them {', '.join(again)}; the paper has none of the others. " if again else ""


def measures(record: Results) -> Table:
    """Tabulate the reruns in the layout of Table 1: three measures of three labels and their average."""
    rows = []
    for entrant in whole(record):
        overall = entrant["scores"][OVERALL]
        for metric, key in zip(METRICS, KEYS, strict=True):
            values = {name: to_digits(overall[label][key]) for name, label in _COLUMNS}
            within = interval(overall[AVERAGE]) if key == "f1" else ""
            rows.append({"System": system(entrant["id"]), "Metric": metric, **values, level(record): within})
    caption = f"Issue reports as run here, in the layout of Table 1; rounded to three digits. {MARK}."
    return Table("results_measures", caption, pd.DataFrame(rows, dtype=object))


def repositories(record: Results) -> Table:
    """Tabulate every rerun by repository and label; one that is not whole shows what it has."""
    rows = []
    for entrant in record["issues"]["entrants"]:
        for place in (*REPOSITORIES, OVERALL):
            if place in entrant["scores"]:
                scores = entrant["scores"][place]
                cells = {
                    f"{name} {SHORT[key]}": to_digits(scores[label][key])
                    for name, label in _COLUMNS
                    for key in KEYS
                }
                within = {f"{OF_ALL} F1, {level(record)}": interval(scores[AVERAGE])}
                rows.append({"System": system(entrant["id"]), "Repository": place, **cells, **within})
    caption = f"Issue reports as run here, by repository and label; rounded to three digits. {MARK}."
    return Table("results_repositories", caption, pd.DataFrame(rows, dtype=object))


def repeated(record: Results) -> Table:
    """Tabulate F1 of each re-run baseline beside its published result file, to three digits."""
    rows, compared = [], []
    for entrant in record["issues"]["entrants"]:
        for place, labels in (entrant["published"] or {}).items():
            if place not in entrant["scores"]:
                continue
            line = {"System": system(entrant["id"]), "Repository": place}
            for name, label in _COLUMNS:
                cell = _held(entrant, place, name, labels[label]["f1"], entrant["scores"][place][label]["f1"])
                compared.append(cell)
                line |= {f"{name} published": cell.published, name: cell.computed}
            apart = entrant["scores"][place][AVERAGE]["f1"] - labels[AVERAGE]["f1"]
            rows.append(line | {"Difference": signed(apart)})
    caption = (
        "F1 of the organisers' baselines run again beside their published result files, to three digits. "
        "Difference: ours minus published, of the average."
    )
    return Table("results_repeated", caption, pd.DataFrame(rows, dtype=object), tuple(compared))


def _held(entrant: IssueEntrant, place: str, name: str, published: float, value: float) -> Compared:
    """Compare two numbers: equal if both round to the same three digits; else note the published is in ours."""
    ours, theirs = to_digits(value), to_digits(published)
    scores = entrant["scores"][place][name.lower()]
    inside = scores["low"] <= published <= scores["high"]
    why = "another run of the same baseline" + ("" if inside else ", outside of our interval")
    equal = ours == theirs
    row = f"{entrant['id']}/{place}"
    return Compared(row, name, theirs, ours, equal, value - published, "" if equal else why)


def published_again(paper: Material, record: Results) -> str:
    """State in a sentence for each baseline whether Table 1 has the number that it gives here."""
    sentences = []
    for entrant in whole(record):
        if entrant["published"] and entrant["repeats"]:
            team = entrant["repeats"]["team"]
            text = paper.published("table1", f"{team}/F1-score", OF_ALL).rstrip(" *")
            value = entrant["scores"][OVERALL][AVERAGE]["f1"]
            sentences.append(
                f"Table 1 publishes an average F1 of {text} for {entrant['repeats']['model']}; re-run as "
                f"{system(entrant['id'])} it is {to_digits(value, 4)}, {to_digits(value)} to three digits."
            )
    return " ".join(sentences) or "No baseline of the organisers was re-run here."


def ranks(record: Results, track: TrackName) -> Table:
    """Tabulate how probable each rank is, and an interval of ranks."""
    rows = [
        {
            "Rank": str(entry["rank"]),
            "System": system(entry["id"]),
            f"Rank, {level(record)}": f"{entry['low']} to {entry['high']}",
            **{f"P({at})": to_digits(share, 3) for at, share in enumerate(entry["probabilities"], start=1)},
            "Monte-Carlo error": to_digits(entry["error"], 4),
        }
        for entry in record[track]["ranking"]
    ]
    draws = record["bootstrap"]["draws"]
    caption = (
        f"Ranks of the systems run on {track} here by mean F1, over {draws:,} joint resamples of the test "
        "rows. P(k): share of resamples with rank k; its Monte-Carlo error is the largest of the row. "
        "Published scores have no predictions to resample and are not ranked here."
    )
    return Table(f"ranking_{track}", caption, pd.DataFrame(rows, dtype=object))


def differences(record: Results, track: TrackName) -> Table:
    """Tabulate every pair, the better one first."""
    rows = [
        {
            "First": system(entry["first"]),
            "Second": system(entry["second"]),
            "Difference": signed(entry["value"]),
            level(record): f"{signed(entry['low'])} to {signed(entry['high'])}",
            "P(first better)": to_digits(entry["probability"], 3),
            "Monte-Carlo error": to_digits(entry["error"], 4),
            "Decided": "yes" if entry["low"] > entry["error"] else "no",
        }
        for entry in record[track]["differences"]
    ]
    caption = (
        f"Paired differences of mean F1 on {track}: both systems on the same resampled rows. Decided: the "
        "interval leaves 0 out by more than the Monte-Carlo error of its ends."
    )
    return Table(f"differences_{track}", caption, pd.DataFrame(rows, dtype=object))


def absent(record: Results) -> Table:
    """Tabulate tasks that a system was to be run on and that are not there."""
    rows = [
        {
            "System": f"{system(entrant['id'])} ({entrant['system']})",
            "Task": each["task"],
            "Run": each["run"],
            "State": each["state"],
            "Reason": each["reason"],
        }
        for track in TRACKS
        for entrant in record[track]["entrants"]
        for each in entrant["absent"]
    ]
    rows += [
        {"System": f"{system(each['system'])} ({each['system']})", "Task": " and ".join(each["tracks"])}
        | {"Run": "all", "State": "missing", "Reason": "declared, not run"}
        for each in record["not_run"]
    ]
    columns = ["System", "Task", "Run", "State", "Reason"]
    caption = "Declared systems that were not run here, with their ids for 'selu run'."
    return Table("results_absent", caption, pd.DataFrame(rows, columns=columns, dtype=object))
