"""What turns each claim of CrossCodeBench."""

from __future__ import annotations

from tests.papers.redrawn import at_places as cells

from selu.vocabulary import Verdict

HOLDS, CAVEAT, FAILS, OPEN = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS, Verdict.NOT_CHECKABLE
CD = "Cat-Intra-CD: EM"
SPLITS = ["Cat-Intra-CD", "Cat-Intra-BF", "Cat-Inter-CD", "Cat-Inter-BF", "Sub-Intra-ML", "Sub-Intra-C2T"]
SPLITS += ["Sub-Inter-ML", "Sub-Inter-C2T", "Type-Trans", "Type-QA"]


def all_scores(paper, row, text):
    return [("table5", row, column.name, text) for column in paper.columns]


def right_marks(paper):
    """The marks that section V-A promises, at every place of Table 5."""
    rows = [
        row for row in dict.fromkeys(row for row, _ in paper.tables["table5"]) if row != "Supervised CodeT5"
    ]
    for column in paper.columns:
        best = max(paper.score(row, column) for row in rows)
        for row in rows:
            score = paper.score(row, column)
            mark = "bold" if score == best else "underline" if score >= 0.95 * best else "none"
            yield "marks", row, column.name, mark


def runs(epochs):
    """Settings of the authors' runs, as a log would have them."""
    rates = {"PLBART": "5e-5", "CodeT5": "5e-5", "Tk-Instruct": "1e-5"}
    return [
        ("runs", model, what, text)
        for model, rate in rates.items()
        for what, text in (("Epochs", epochs), ("Learning rate", rate))
    ]


DEF_POS = "tk-instruct-3b-def-pos"
# What turns each claim, as a reader would alter the tables: (places, verdict then).
FLIPS = {
    "X01": (cells("table3", "Translation", "Tasks", "95"), FAILS),
    "X02": (cells("task_files", "all", "Programming languages", "18", "all", "Data sets", "66"), HOLDS),
    "X03": (cells("table1", "CrossCodeBench", "Types", "7/9"), FAILS),
    "X04": (cells("table3", "Total", "Instances", "54,007,016"), FAILS),
    "X05": (cells("table3", "Generation: Rewrite", "Tasks", "11"), FAILS),
    "X06": (
        cells(
            "table3",
            "Classification: Binary",
            "Categories",
            "12",
            "Classification: Multi-label",
            "Categories",
            "3",
        )
        + cells("table3", "Generation: Text-to-Code", "Categories", "5", "Summarization", "Categories", "1"),
        HOLDS,
    ),
    "X07": (cells("table2", "instances per task", "Average", "250032.47"), FAILS),
    "X08": (
        cells(
            "examples",
            "all",
            "explained",
            "1728",
            "all",
            "examples",
            "1728",
            "all",
            "among the shortest",
            "300",
        ),
        HOLDS,
    ),
    "X09": (cells("others", "CodeXGLUE's own paper", "Tasks", "11"), FAILS),
    "X10": (cells("others", "XLCoST's own paper", "Tasks", "7"), FAILS),
    "X11": (cells("table1", "CodeXGLUE", "Tasks", "217"), FAILS),
    "X12": (cells("text", "3", "Initial classifications", "5"), HOLDS),
    "X13": (cells("text", "3", "Patterns of description and definition, completion", "14/5"), HOLDS),
    "X14": (cells("text", "3", "Examples put together", "12"), FAILS),
    "X15": (cells("text", "3", "Kappa: examples", "60.9"), FAILS),
    "X16": (cells("text", "3", "Splits", "9"), FAILS),
    "X17": (cells("table4", "Type-QA", "Training tasks", "213"), FAILS),
    "X18": (cells("table4", "Sub-Intra-ML", "Training tasks", "16"), FAILS),
    "X19": (cells("table4", "Cat-Intra-CD", "Evaluation instances", "1.73M"), HOLDS),
    "X20": (cells("table4", "Sub-Inter-C2T", "Training instances", "53.4M"), HOLDS),
    "X21": (cells("table4", "Type-QA", "Evaluation instances", "189K"), FAILS),
    "X22": (cells("text", "3", "Cross-sub-type targets", "Multi-label Classification and Code-to-Text"), HOLDS),
    "X23": (cells("table3", "Type Prediction", "Tasks", "1"), FAILS),
    "X24": ([("sources", split, "Data sets on both sides", "") for split in SPLITS], HOLDS),
    "X25": ([("duplicates", split, "Evaluation instances", "0") for split in SPLITS], HOLDS),
    "X26": (cells("text", "4", "Learning methods", "8"), FAILS),
    "X27": (cells("text", "4", "Fine-tuned models", "4"), FAILS),
    "X28": (cells("scripts", "Fine-tuning", "PLBART", "base"), FAILS),
    "X29": (cells("text", "4", "Evaluation instances of a task", "10000"), HOLDS),
    "X30": (cells("scripts", "Training", "Instances of a task, at most", "20,000"), FAILS),
    "X31": (cells("table5", "Supervised CodeT5", "Cat-Inter-BF: ROUGE-L", "80.70"), FAILS),
    "X32": (cells("table5", "Copy Ins-input", "Type-Trans: BLEU", "52.06"), FAILS),
    "X33": (cells("text", "5", "Shortcuts win on", " and ".join(SPLITS)), HOLDS),
    "X34": ([("table5", "CodeT5, 2/0-instruct", "Cat-Intra-BF: BLEU", "61.90")], FAILS),
    "X35": (cells("table5", "CodeT5, 2/0-instruct", CD, "51.00"), FAILS),
    "X36": (cells("table5", "Off-the-shelf Tk-Instruct, 2/0-instruct", "Type-QA: BLEU", "17.20"), FAILS),
    "X37": (
        [
            ("table5", "Tk-Instruct, 2/0-instruct", f"{split}: {metric}", "90")
            for split in ("Cat-Inter-BF", "Type-Trans")
            for metric in ("BLEU", "ROUGE-L")
        ],
        FAILS,
    ),
    "X38": (
        cells("table5", "Tk-Instruct, 2/0-instruct", "Sub-Inter-C2T: ROUGE-L", "16.00")
        + cells("table5", "Tk-Instruct, 2/0-instruct", "Type-QA: BLEU", "18.00"),
        HOLDS,
    ),
    "X39": (cells("table5", "PLBART, 4-shot", "Type-Trans: BLEU", "53.00"), FAILS),
    "X40": (
        lambda paper: [
            p for model in ("PLBART", "CodeT5") for p in all_scores(paper, f"{model}, 2/2-instruct", "99")
        ],
        FAILS,
    ),
    "X41": (cells("table5", "CodeT5, 2/2-instruct", CD, "99.00"), FAILS),
    "X42": (
        lambda paper: [
            p
            for model in ("PLBART", "CodeT5")
            for shot in ("1-shot", "3-shot")
            for p in all_scores(paper, f"{model}, {shot}", "0")
        ],
        FAILS,
    ),
    "X43": (right_marks, HOLDS),
    "X44": (cells("figure2", "10,000", "BLEU", "50", "20,000", "BLEU", "49"), HOLDS),
    "X45": (
        [
            ("figure2", size, metric, text)
            for metric in ("BLEU", "ROUGE-L")
            for size, text in (("5,000", "40"), ("10,000", "50"), ("20,000", "51"))
        ],
        HOLDS,
    ),
    "X46": (
        [
            ("figure3", f"CodeT5/{size}", metric, text)
            for metric in ("BLEU", "ROUGE-L")
            for size, text in (("s", "1"), ("l", "2"))
        ],
        HOLDS,
    ),
    "X47": (cells("table6", "2", "BLEU", "48.34"), FAILS),
    "X48": (cells("table6", "4", "Training size", "16.4M"), FAILS),
    "X49": (cells("table6", "4", "BLEU", "48.34"), FAILS),
    "X50": (cells("table6", "1", "ROUGE-L", "71.64"), FAILS),
    "X51": (cells("table6", "2", "BLEU", "53.75"), FAILS),
    "X52": (cells("table6", "1", "BLEU", "28.00"), HOLDS),
    "X53": (cells("table5", "CodeT5, 2/0-instruct", "Cat-Inter-CD: EM", "65.00"), FAILS),
    "X54": (cells("table6", "5", "BLEU", "61.90"), FAILS),
    "X55": (cells("categories", "Generation -> Bug Fixing", "Type", "Generation: Text-to-Code"), FAILS),
    "X56": (cells("table5", "Copy Ins-input", CD, "0.01"), FAILS),
    "X57": (cells("bigclonebench", "another model", "Accuracy", "95.0"), FAILS),
    "X58": (cells("codeqa", "Java", "Pairs", "119,779"), FAILS),
    "X59": (cells("text", "4", "Training instances of a task, at most", "200,000"), HOLDS),
    "X60": (cells("table4", "Cat-Inter-BF", "Evaluation tasks", "11"), FAILS),
    "X61": (lambda paper: all_scores(paper, "CodeT5, zero-shot", "99"), FAILS),
    "X62": (cells("text", "6", "Overlap in pre-training", "is excluded"), HOLDS),
    "X63": (cells("scripts", "Off-the-shelf", "Tk-Instruct, 3B", f"{DEF_POS}, {DEF_POS}-neg"), HOLDS),
    "X64": (runs("3"), HOLDS),
}
# What gives a caveat, or takes it away.
CAVEATS = {
    "X09": (cells("table1", "CodeXGLUE", "Data sets", "14", "CodeXGLUE", "Tasks", "10"), HOLDS),
    "X10": (cells("table1", "XLCoST", "Tasks", "10", "CodeTrans", "Tasks", "6"), HOLDS),
    "X13": (cells("text", "3", "Patterns of description and definition, completion", "5/15"), FAILS),
    "X28": (
        [("scripts", "Fine-tuning", model, "large") for model in ("PLBART", "CodeT5", "Tk-Instruct")],
        HOLDS,
    ),
    "X38": (
        lambda paper: (
            all_scores(paper, "Tk-Instruct, 2/0-instruct", "0")
            + all_scores(paper, "Tk-Instruct, 2/2-instruct", "0")
        ),
        FAILS,
    ),
    "X40": (cells("scripts", "Evaluation", "Positive examples of 2/0-instruct", "2"), HOLDS),
    "X41": (cells("scripts", "Evaluation", "Positive examples of 2/0-instruct", "2"), HOLDS),
    "X43": ([("marks", "CodeT5, 2/0-instruct", CD, "bold")], FAILS),
    "X50": (cells("table6", "4", "BLEU", "43.42", "4", "ROUGE-L", "55.83"), HOLDS),
    "X52": (cells("table6", "2", "BLEU", "53.75"), FAILS),
    "X59": ([("table4", split, "Training instances", "10K") for split in SPLITS], FAILS),
    "X11": (cells("table1", "CodeNet", "Programming languages", "17"), HOLDS),
    "X15": (cells("text", "3", "Coders", "2"), HOLDS),
    "X23": (cells("table3", "Type Prediction", "Tasks", "3"), HOLDS),
    "X27": (cells("text", "4", "Off-the-shelf versions", "-"), HOLDS),
    "X30": (
        [("table4", split, "Training instances", "10K") for split in SPLITS],
        HOLDS,
    ),
    "X35": (cells("outputs", "all", "outside of the labels", "10"), HOLDS),
    "X36": (
        lambda paper: (
            all_scores(paper, "Off-the-shelf Tk-Instruct, 2/0-instruct", "0")
            + all_scores(paper, "Off-the-shelf Tk-Instruct, 2/2-instruct", "0")
        ),
        HOLDS,
    ),
    "X39": (cells("table5", "PLBART, 2/0-instruct", "Type-Trans: BLEU", "50.15"), HOLDS),
    "X54": (
        [*cells("text", "5", "BLEU falls to", "10,000"), *cells("figure3", "CodeT5/s", "BLEU", "1")],
        HOLDS,
    ),
}
PARTS = [
    ("X20", cells("table4", "Cat-Intra-CD", "Evaluation instances", "1.73M"), FAILS),
    ("X63", cells("scripts", "Off-the-shelf", "Tk-Instruct, 3B", DEF_POS), CAVEAT),
    ("X64", runs("1"), FAILS),
]
