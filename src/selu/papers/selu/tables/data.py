"""The rows of each task: availability, labels, splits, leaks, lengths, and the effect of cleaning."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from selu.names import DATA, word
from selu.papers.selu.claims._constant_answers import rows_by_class
from selu.papers.selu.material import Material
from selu.papers.table import Compared, Table
from selu.splits.record import DataRecord, Overlap
from selu.vocabulary import Kind

Records = Mapping[str, DataRecord]
SYNTHETIC = "synthetic"
REASONS = {
    "partial": "part of the data: not every row is available here",
    "package": "read from the authors' own file",
}


def availability(paper: Material, records: Records) -> Table:
    """Tabulate the rows that are here beside the paper's instances, with standing and parts."""
    rows, compared = [], []
    for task in paper.tasks:
        record = records[task.id]
        real, parts = record["standing"] != SYNTHETIC, record["audit"]["parts"]
        cell = Compared(
            task.id,
            "Instances",
            paper.published("table1", task.id, "Instances"),
            f"{record['rows']:,}" + ("*" if task.kind is Kind.MASKED else ""),
            record["rows"] == task.instances,
            float(record["rows"] - task.instances),
            "" if record["rows"] == task.instances else REASONS.get(record["standing"], "differs"),
        )
        compared += [cell] if real else []
        rows.append(
            {
                "Task": task.id,
                "Data": DATA[record["standing"]],
                "Rows": cell.computed,
                "Paper": cell.published,
                "Train": f"{parts['paper']['train']:,}",
                "Test": f"{parts['paper']['test']:,}",
                "Validation, where it selects": f"{parts['strict']['validation']:,}",
                "Test (grouped)": f"{parts['grouped']['test']:,}",
                "Split": _split(record["split"]),
            }
        )
    caption = (
        "Rows of the 22 tasks. Original data: the paper's set. Part of the data: the open part of it. "
        "Stand-in data: written for this package, in no average beside real ones. A star counts documents."
    )
    return Table("data", caption, pd.DataFrame(rows), tuple(compared), "of tasks with real rows equal Table I")


def _split(origin: str) -> str:
    return "drawn again" if origin.startswith("the authors") else origin.partition(" (")[0]


def labels(paper: Material, records: Records) -> Table:
    """Tabulate rows and test rows of each label, the latter beside the published confusion matrices."""
    rows, compared = [], []
    for task in paper.tasks:
        record = records[task.id]
        if "labels" not in record["audit"]:
            continue
        counted, _ = rows_by_class(paper, task.id) if record["standing"] != SYNTHETIC else ({}, 0)
        for index, (name, counts) in enumerate(record["audit"]["labels"].items()):
            published, ours = counted.get(index), counts["paper"]["test"]
            if published is not None:
                why = "" if published == ours else REASONS.get(record["standing"], "rows in another order")
                cell = Compared(
                    f"{task.id}: {name}",
                    "Test",
                    str(published),
                    str(ours),
                    published == ours,
                    ours - published,
                    why,
                )
                compared.append(cell)
            rows.append(
                {
                    "Task": task.id,
                    "Label": name,
                    "Rows": f"{counts['rows']:,}",
                    "Share": f"{counts['share']:.3f}",
                    "Test": f"{ours:,}",
                    "Test, published": "" if published is None else f"{published:,}",
                    "Test beyond its share": f"{record['audit']['drift']['labels'][name]:+.1f}",
                    "Data": DATA[record["standing"]],
                }
            )
    caption = (
        "Labels: rows, their share, and test rows beside the row sums of the confusion matrices in the "
        "authors' package. Beyond its share: test rows minus what an even draw would give."
    )
    return Table("data_labels", caption, pd.DataFrame(rows), tuple(compared), "equal the published test counts")


def leakage(paper: Material, records: Records) -> Table:
    """Tabulate duplicates, and test rows whose copies are in train."""
    rows = []
    for task in paper.tasks:
        record = records[task.id]
        audit = record["audit"]
        same, over, conflict = audit["duplicates"], audit["overlap"]["paper"], audit["conflicts"]
        best = conflict["exact"]["best_accuracy"]
        rows.append(
            {
                "Task": task.id,
                "Rows with an exact copy": f"{same['exact']['rows']:,}",
                "Rows with a near copy": f"{same['near']['rows']:,}",
                "Test rows copied in train": _share(over["exact"]),
                "Equal once cleaned": _share(over.get("exact_cleaned")),
                "Nearly in train": _share(over["near"]),
                "Under grouped, equal once cleaned": _share(audit["overlap"]["grouped"].get("exact_cleaned")),
                "Copies that differ in label": f"{conflict['exact']['rows']:,}",
                "Best accuracy on copies": "" if best is None else f"{best:.3f}",
                "Test rows left by grouped": f"{audit['parts']['grouped']['test']:,}",
                "Data": DATA[record["standing"]],
            }
        )
    caption = (
        "Duplicates and leaks under the published split. Near: Jaccard similarity of word shingles at least "
        "that of params.yaml, exact copies included. Best accuracy: the most that equal answers to equal "
        "texts can reach."
    )
    return Table("data_leakage", caption, pd.DataFrame(rows))


def _share(overlap: Overlap | None) -> str:
    return "" if overlap is None else f"{overlap['test_rows']:,} ({100 * overlap['share']:.1f} %)"


def lengths(paper: Material, records: Records) -> Table:
    """Tabulate the lengths of texts as systems read them, and how train and test differ."""
    rows = []
    for task in paper.tasks:
        record = records[task.id]
        audit = record["audit"]
        facts = audit["lengths"].get("cleaned", audit["lengths"]["raw"])
        drift = audit["drift"]
        rows.append(
            {
                "Task": task.id,
                "Empty": f"{facts['empty']:,}",
                "Words, median": f"{facts['words']['median']:,.0f}",
                "99 %": f"{facts['words']['p99']:,.0f}",
                "Longest": f"{facts['words']['max']:,.0f}",
                "Tokens, median": f"{facts['tokens']['median']:,.0f}",
                "Tokens, 99 %": f"{facts['tokens']['p99']:,.0f}",
                "Over 512 tokens": f"{100 * facts['share_above_512_tokens']:.1f} %",
                "Lengths differ, p": f"{drift['words']['p']:.3f}" if drift["words"] else "",
                "Test words not in train": f"{100 * drift['vocabulary']['share_of_occurrences']:.1f} %",
                "Data": DATA[record["standing"]],
            }
        )
    caption = (
        "Lengths after the cleaning of pipeline paper. Tokens: words and punctuation marks apart, a lower "
        "bound of a model's sub-words; the literal _x000D_ in smell_doc's texts counts as three. p: "
        "Kolmogorov-Smirnov, lengths of train against test."
    )
    return Table("data_lengths", caption, pd.DataFrame(rows))


def deviations(paper: Material, records: Records) -> list[str]:
    """List how real rows differ from the paper's: one Markdown line a sentence, with its tasks."""
    concerned: dict[str, list[str]] = {}
    for task in paper.tasks:
        if records[task.id]["standing"] != SYNTHETIC:
            for sentence in records[task.id]["deviations"]:
                concerned.setdefault(sentence, []).append(word(task.id))
    return [f"- {', '.join(tasks)}: {sentence}" for sentence, tasks in concerned.items()]


def cleaning(paper: Material, records: Records) -> Table:
    """Tabulate what each pipeline changes and the authors' order damages, over all texts of a task."""
    rows = []
    for task in paper.tasks:
        counts = records[task.id]["cleaning"]
        if not counts:
            continue
        rows.append(
            {
                "Task": task.id,
                "Texts": f"{counts['texts']:,}",
                "Changed by the authors' cleaning": f"{100 * counts['changed_paper'] / counts['texts']:.1f} %",
                "By ours": f"{100 * counts['changed_sound'] / counts['texts']:.1f} %",
                "The two differ": f"{100 * counts['differ'] / counts['texts']:.1f} %",
                "Words lost": f"{counts['words_lost']:,}",
                "Of these, in links": f"{counts['link_words_lost']:,}",
                "Marks eaten with addresses": f"{counts['address_tails']:,}",
                "Code masks (authors'/ours)": f"{counts['code_paper']:,}/{counts['code_sound']:,}",
                "URL masks (authors'/ours)": f"{counts['url_paper']:,}/{counts['url_sound']:,}",
                "Data": DATA[records[task.id]["standing"]],
            }
        )
    caption = (
        "Cleaning: share of texts in which more than whitespace changes. Words lost: words that ours keeps and "
        "the authors' cleaning drops. Marks: punctuation masked as part of an address."
    )
    return Table("data_cleaning", caption, pd.DataFrame(rows))
