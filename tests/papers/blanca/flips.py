"""What turns each claim of BLANCA."""

from __future__ import annotations

from dataclasses import replace

from tests.papers.redrawn import at_places as cells

from selu.vocabulary import Verdict

HOLDS, CAVEAT, FAILS = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS
BEST, TUNED = "RFLHU-BERTOverflow", "FT-BERTOverflow"


def not_scored_again(paper):
    return replace(
        paper, tables={name: table for name, table in paper.tables.items() if name not in ("rescored", "usage")}
    )


FLIPS = {
    "B01": (cells("text", "1", "Tasks", "seven"), FAILS),
    "B02": (cells("table1", "DistilBERT-paraphrasing", "Source", "distilbert-base-paraphrase"), CAVEAT),
    "B03": (cells("bertoverflow", "training corpus", "unit", "questions"), HOLDS),
    "B04": (cells("text", "4.1", "Training questions", "440,000"), FAILS),
    "B05": (cells("table2", "R", "Train", "2,205,000"), HOLDS),
    "B06": (
        cells("answers", *("all", "Answers per question", "4.93", "all", "Votes per question", "23.5"))
        + cells("answers", "all", "Votes per answer", "12.74"),
        HOLDS,
    ),
    "B07": (cells("text", "4.2", "Training: positive", "11,759"), FAILS),
    "B08": (cells("text", *("4.2", "Test: positive", "2,927", "4.2", "Test: negative", "2,927")), HOLDS),
    "B09": (cells("text", "4.3", "Training: negative", "8,828"), FAILS),
    "B10": (cells("text", "4.3", "Test: positive", "296"), FAILS),
    "B11": (cells("text", "4.3", "Hits", "96.8"), FAILS),
    "B12": (cells("classes", *("all", "names", "257655", "all", "canonical", "90464")), HOLDS),
    "B13": (
        [*cells("text", "4.4", "Test pairs", "1,801,730"), *cells("table2", "H", "Test", "1,801,730")],
        FAILS,
    ),
    "B14": (cells("scripts", "Fine-tuning on H", "Sample", "90,000"), FAILS),
    "B15": (cells("distances", "11", "Pairs", "3"), FAILS),
    "B16": (cells("text", "4.4", "Figure 5, caption", "embedding distances"), HOLDS),
    "B17": ([*cells("text", "4.5", "Test pairs", "8,431"), *cells("table2", "U", "Test", "8,431")], FAILS),
    "B18": (cells("usage", "all", "mean distance", "312.2012"), HOLDS),
    "B19": (cells("usage", "all", "recomputed distances", "6916"), FAILS),
    "B20": (cells("answers", "all", "MRR of a random order", "0.45"), HOLDS),
    "B21": (cells("table3", "BERTOverflow", "MRR", "0.6100"), FAILS),
    "B22": (cells("table3", "FT-BERTOverflow", "MRR", "0.6000"), FAILS),
    "B23": (
        [
            *cells("table3", "FT-BERTOverflow", "MRR", "0.6000"),
            *cells("table4", "FT-BERTOverflow", "T", "140.00"),
        ],
        FAILS,
    ),
    "B24": (cells("table3", "USE", "MRR", "0.7000"), FAILS),
    "B25": (cells("table3", "USE", "MRR: standard error", ".003"), FAILS),
    "B26": (cells("table4", "CodeBERT", "T", "2.00"), FAILS),
    "B27": (cells("table4", "USE", "T", "190.00"), FAILS),
    "B28": (cells("table4", "BERT-NLI", "T", "10.00"), FAILS),
    "B29": (cells("table4", "USE", "T", "200.00"), FAILS),
    "B30": (cells("table4", "USE", "T", "14.20"), FAILS),
    "B31": (cells("related", "BERTOverflow", "duplicate", "0.35"), HOLDS),
    "B32": (
        [("related", name, "duplicate", "0.62") for name in ("DistilBERT-paraphrasing", "xlm-r-paraphrase-v1")],
        HOLDS,
    ),
    "B33": (cells("question_ids", "both", "questions", "0"), HOLDS),
    "B34": (cells("table5", "CodeBERT", "T", "2.00"), FAILS),
    "B35": (cells("table5", "FT-CodeBERT", "T", "10.00"), FAILS),
    "B36": (cells("table5", "FT-CodeBERT", "T", "60.00"), FAILS),
    "B37": (cells("table8", "RFL-CodeBERT", "F", "60.00"), FAILS),
    "B38": (
        [*cells("table6", "CodeBERT", "Pearson r", "0.18"), *cells("logs", f"H/{TUNED}", "r", "0.3402")],
        HOLDS,
    ),
    "B39": (cells("table6", "CodeBERT", "Pearson r", "0.00"), FAILS),
    "B40": (cells("table6", "FT-BERTOverflow", "Pearson r", "0.10"), FAILS),
    "B41": (cells("table6", "BERT-NLI", "Pearson r", "0.30"), FAILS),
    "B42": (cells("table8", "RFL-CodeBERT", "H", "0.40"), FAILS),
    "B43": (cells("table7", "CodeBERT", "Pearson r", "0.10"), FAILS),
    "B44": (cells("table7", "FT-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B45": (cells("table7", "FT-CodeBERT", "Pearson r", "0.34"), FAILS),
    "B46": (cells("table7", "FT-BERTOverflow", "Pearson r", "0.30"), FAILS),
    "B47": (cells("table7", "FT-CodeBERT", "Pearson r", "0.40"), HOLDS),
    "B48": (cells("table6", "BERTOverflow", "Pearson r", "0.30"), FAILS),
    "B49": ([*cells("table3", BEST, "MRR", "0.6000"), *cells("table4", BEST, "T", "100.00")], FAILS),
    "B50": (cells("table8", "RFL-BERTOverflow", "F", "60.00"), HOLDS),
    "B51": (cells("table8", BEST, "U", "0.70"), FAILS),
    "B52": (
        cells(
            "table8",
            *(BEST, "F", "50.00", "RFLHU-CodeBERT", "R: MRR", "0.69", "RFLHU-CodeBERT", "R: NDCG", "0.90"),
        ),
        HOLDS,
    ),
    "B53": (cells("table7", "HU-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B54": (cells("table6", "HU-BERTOverflow", "Pearson r", "0.40"), FAILS),
    "B55": (cells("table8", BEST, "L", "198.20"), FAILS),
    "B56": (cells("table8", "HU-CodeBERT", "U", "0.70"), FAILS),
    "B57": (cells("scripts", "Evaluation of R", "Distance", "cosine"), HOLDS),
    "B58": (cells("scripts", "Fine-tuning on R", "Score", "position from the top / n"), FAILS),
    "B59": (cells("scripts", "Fine-tuning on H and U", "Texts", "docstring"), HOLDS),
    "B60": (
        cells(
            "search", *("R", "best", "0.60", "R", "default", "0.61", "L", "best", "170", "L", "default", "180")
        ),
        HOLDS,
    ),
    "B61": (cells("table8", "RFLHU-CodeBERT", "L", "198.20"), FAILS),
    "B62": (cells("table7", "BERT-NLI", "Pearson r", "0.03"), FAILS),
    "B63": (cells("table7", "HU-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B64": (cells("scripts", "Fine-tuning on R", "Equal votes", "all"), FAILS),
}
# With a caveat, or without one that the paper's numbers have: what takes the caveat away or gives it.
CAVEATS = {
    "B11": (cells("annotations", "all", "judgements", "300"), HOLDS),
    "B13": (cells("text", "4.4", "Word after the numbers of pairs", "-"), HOLDS),
    "B14": (cells("scripts", "Fine-tuning", "Most examples of a task", "100,000"), HOLDS),
    "B15": (cells("distances", "2", "Pairs", "1801716"), HOLDS),
    "B19": (cells("usage", "all", "largest C", "182"), HOLDS),
    "B25": (cells("question_scores", "all", "questions", "50000"), HOLDS),
    "B27": (cells("table4", "FT-BERTOverflow", "Unlinked", "0.99"), HOLDS),
    "B28": (cells("table4", "CodeBERT", "Unlinked", "0.99"), CAVEAT),
    "B29": (cells("table4", BEST, "Linked", "0.01", BEST, "Unlinked", "0.80"), HOLDS),
    "B35": (cells("table5", "FT-CodeBERT", "Unrelated", "0.09"), CAVEAT),
    "B36": (cells("table5", "RFLHU-CodeBERT", "Unrelated", "0.99"), HOLDS),
    "B38": (cells("table6", "CodeBERT", "Pearson r", "0.18"), CAVEAT),
    "B39": (cells("table6", "CodeBERT", "Pearson r", "0.01"), HOLDS),
    "B40": (cells("logs", f"H/{TUNED}", "r", "0.1700"), CAVEAT),
    "B43": (cells("rescored", "U/BERT-NLI", "r", "0.1500"), CAVEAT),
    "B44": (cells("rescored", "U/FT-BERTOverflow", "r", "0.5231"), HOLDS),
    "B46": (cells("table7", "FT-CodeBERT", "Pearson r", "0.40"), HOLDS),
    "B52": (cells("table8", BEST, "R: MRR", "0.10", BEST, "L", "1.00"), FAILS),
    "B56": (cells("table8", "RFLH-BERTOverflow", "R: NDCG", "0.88", "RFL-CodeBERT", "R: NDCG", "0.88"), HOLDS),
    "B61": (cells("validation", "L", BEST, "0.97"), HOLDS),
    "B62": (cells("table7", "CodeBERT", "Pearson r", "-0.33"), CAVEAT),
    "B63": (
        [
            *cells("table6", "HU-BERTOverflow", "Pearson r", "0.35"),
            *cells("table2", "F", "Data type", "Question-Function"),
        ],
        HOLDS,
    ),
    "B58": (cells("scripts", "Fine-tuning on R", "Score", "(position from the bottom - 1) / (n - 1)"), HOLDS),
}

# One part of a rule at a time, where a claim has several; on print alone.
PARTS = [
    ("B02", cells("table1", "DistilBERT-paraphrasing", "Source", "distilbert-base-paraphrase"), CAVEAT),
    ("B04", cells("text", "4.1", "Split", "80-20"), FAILS),
    ("B10", cells("scripts", "Split of F", "Test share", "20"), FAILS),
    ("B11", cells("text", "4.3", "Hits", "96.5", "4.3", "Misses", "3.5"), FAILS),
    ("B13", cells("text", "4.4", "Training pairs", "16,215,401"), FAILS),
    ("B14", cells("scripts", "Fine-tuning on H", "Validation", "9,000"), FAILS),
    ("B17", cells("text", "4.5", "Training pairs", "75,863"), FAILS),
    ("B17", cells("table2", "U", "Train", "75,863"), FAILS),
    ("B21", cells("table3", "BERTOverflow", "NDCG", "0.8500"), FAILS),
    ("B24", cells("table3", "USE", "NDCG", "0.9000"), FAILS),
    ("B24", cells("table8", "HU-CodeBERT", "R: MRR", "0.70"), FAILS),
    ("B25", cells("table3", "USE", "NDCG: standard error", ".002"), FAILS),
    ("B30", cells("table4", BEST, "T", "5.00"), FAILS),
    ("B31", cells("related", "USE", "direct", "0.6"), FAILS),
    ("B38", cells("text", "4.4", "Highest r", "0.35"), FAILS),
    ("B41", cells("text", "4.4", "USE", "0.29"), FAILS),
    ("B42", cells("table6", "HU-BERTOverflow", "Pearson r", "0.35"), FAILS),
    ("B44", cells("text", "4.5", "BERTOverflow", "0.36"), FAILS),
    ("B45", cells("text", "4.5", "FT-CodeBERT", "0.29"), FAILS),
    ("B51", cells("table8", BEST, "H", "0.30"), FAILS),
    ("B62", lambda paper: not_scored_again(paper).with_published("table2", "U", "Test", "200"), FAILS),
    ("B63", cells("table6", "HU-BERTOverflow", "Pearson r", "0.35"), CAVEAT),
    ("B63", cells("table2", "F", "Data type", "Question-Function"), CAVEAT),
]
