"""What turns each claim of BLANCA."""

from __future__ import annotations

from dataclasses import replace

from tests.papers.redrawn import at_places as t

from selu.vocabulary import Verdict

HOLDS, CAVEAT, FAILS = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS
BEST, TUNED = "RFLHU-BERTOverflow", "FT-BERTOverflow"


def not_scored_again(m):
    return replace(
        m, tables={name: table for name, table in m.tables.items() if name not in ("rescored", "usage")}
    )


FLIPS = {
    "B01": (t("text", "1", "Tasks", "seven"), FAILS),
    "B02": (t("table1", "DistilBERT-paraphrasing", "Source", "distilbert-base-paraphrase"), CAVEAT),
    "B03": (t("bertoverflow", "training corpus", "unit", "questions"), HOLDS),
    "B04": (t("text", "4.1", "Training questions", "440,000"), FAILS),
    "B05": (t("table2", "R", "Train", "2,205,000"), HOLDS),
    "B06": (
        t("answers", *("all", "Answers per question", "4.93", "all", "Votes per question", "23.5"))
        + t("answers", "all", "Votes per answer", "12.74"),
        HOLDS,
    ),
    "B07": (t("text", "4.2", "Training: positive", "11,759"), FAILS),
    "B08": (t("text", *("4.2", "Test: positive", "2,927", "4.2", "Test: negative", "2,927")), HOLDS),
    "B09": (t("text", "4.3", "Training: negative", "8,828"), FAILS),
    "B10": (t("text", "4.3", "Test: positive", "296"), FAILS),
    "B11": (t("text", "4.3", "Hits", "96.8"), FAILS),
    "B12": (t("classes", *("all", "names", "257655", "all", "canonical", "90464")), HOLDS),
    "B13": ([*t("text", "4.4", "Test pairs", "1,801,730"), *t("table2", "H", "Test", "1,801,730")], FAILS),
    "B14": (t("scripts", "Fine-tuning on H", "Sample", "90,000"), FAILS),
    "B15": (t("distances", "11", "Pairs", "3"), FAILS),
    "B16": (t("text", "4.4", "Figure 5, caption", "embedding distances"), HOLDS),
    "B17": ([*t("text", "4.5", "Test pairs", "8,431"), *t("table2", "U", "Test", "8,431")], FAILS),
    "B18": (t("usage", "all", "mean distance", "312.2012"), HOLDS),
    "B19": (t("usage", "all", "recomputed distances", "6916"), FAILS),
    "B20": (t("answers", "all", "MRR of a random order", "0.45"), HOLDS),
    "B21": (t("table3", "BERTOverflow", "MRR", "0.6100"), FAILS),
    "B22": (t("table3", "FT-BERTOverflow", "MRR", "0.6000"), FAILS),
    "B23": (
        [*t("table3", "FT-BERTOverflow", "MRR", "0.6000"), *t("table4", "FT-BERTOverflow", "T", "140.00")],
        FAILS,
    ),
    "B24": (t("table3", "USE", "MRR", "0.7000"), FAILS),
    "B25": (t("table3", "USE", "MRR: standard error", ".003"), FAILS),
    "B26": (t("table4", "CodeBERT", "T", "2.00"), FAILS),
    "B27": (t("table4", "USE", "T", "190.00"), FAILS),
    "B28": (t("table4", "BERT-NLI", "T", "10.00"), FAILS),
    "B29": (t("table4", "USE", "T", "200.00"), FAILS),
    "B30": (t("table4", "USE", "T", "14.20"), FAILS),
    "B31": (t("related", "BERTOverflow", "duplicate", "0.35"), HOLDS),
    "B32": (
        [("related", name, "duplicate", "0.62") for name in ("DistilBERT-paraphrasing", "xlm-r-paraphrase-v1")],
        HOLDS,
    ),
    "B33": (t("question_ids", "both", "questions", "0"), HOLDS),
    "B34": (t("table5", "CodeBERT", "T", "2.00"), FAILS),
    "B35": (t("table5", "FT-CodeBERT", "T", "10.00"), FAILS),
    "B36": (t("table5", "FT-CodeBERT", "T", "60.00"), FAILS),
    "B37": (t("table8", "RFL-CodeBERT", "F", "60.00"), FAILS),
    "B38": ([*t("table6", "CodeBERT", "Pearson r", "0.18"), *t("logs", f"H/{TUNED}", "r", "0.3402")], HOLDS),
    "B39": (t("table6", "CodeBERT", "Pearson r", "0.00"), FAILS),
    "B40": (t("table6", "FT-BERTOverflow", "Pearson r", "0.10"), FAILS),
    "B41": (t("table6", "BERT-NLI", "Pearson r", "0.30"), FAILS),
    "B42": (t("table8", "RFL-CodeBERT", "H", "0.40"), FAILS),
    "B43": (t("table7", "CodeBERT", "Pearson r", "0.10"), FAILS),
    "B44": (t("table7", "FT-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B45": (t("table7", "FT-CodeBERT", "Pearson r", "0.34"), FAILS),
    "B46": (t("table7", "FT-BERTOverflow", "Pearson r", "0.30"), FAILS),
    "B47": (t("table7", "FT-CodeBERT", "Pearson r", "0.40"), HOLDS),
    "B48": (t("table6", "BERTOverflow", "Pearson r", "0.30"), FAILS),
    "B49": ([*t("table3", BEST, "MRR", "0.6000"), *t("table4", BEST, "T", "100.00")], FAILS),
    "B50": (t("table8", "RFL-BERTOverflow", "F", "60.00"), HOLDS),
    "B51": (t("table8", BEST, "U", "0.70"), FAILS),
    "B52": (
        t(
            "table8",
            *(BEST, "F", "50.00", "RFLHU-CodeBERT", "R: MRR", "0.69", "RFLHU-CodeBERT", "R: NDCG", "0.90"),
        ),
        HOLDS,
    ),
    "B53": (t("table7", "HU-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B54": (t("table6", "HU-BERTOverflow", "Pearson r", "0.40"), FAILS),
    "B55": (t("table8", BEST, "L", "198.20"), FAILS),
    "B56": (t("table8", "HU-CodeBERT", "U", "0.70"), FAILS),
    "B57": (t("scripts", "Evaluation of R", "Distance", "cosine"), HOLDS),
    "B58": (t("scripts", "Fine-tuning on R", "Score", "position from the top / n"), FAILS),
    "B59": (t("scripts", "Fine-tuning on H and U", "Texts", "docstring"), HOLDS),
    "B60": (
        t("search", *("R", "best", "0.60", "R", "default", "0.61", "L", "best", "170", "L", "default", "180")),
        HOLDS,
    ),
    "B61": (t("table8", "RFLHU-CodeBERT", "L", "198.20"), FAILS),
    "B62": (t("table7", "BERT-NLI", "Pearson r", "0.03"), FAILS),
    "B63": (t("table7", "HU-BERTOverflow", "Pearson r", "0.50"), FAILS),
    "B64": (t("scripts", "Fine-tuning on R", "Equal votes", "all"), FAILS),
}
# With a caveat, or without one that the paper's numbers have: what takes the caveat away or gives it.
CAVEATS = {
    "B11": (t("annotations", "all", "judgements", "300"), HOLDS),
    "B13": (t("text", "4.4", "Word after the numbers of pairs", "-"), HOLDS),
    "B14": (t("scripts", "Fine-tuning", "Most examples of a task", "100,000"), HOLDS),
    "B15": (t("distances", "2", "Pairs", "1801716"), HOLDS),
    "B19": (t("usage", "all", "largest C", "182"), HOLDS),
    "B25": (t("question_scores", "all", "questions", "50000"), HOLDS),
    "B27": (t("table4", "FT-BERTOverflow", "Unlinked", "0.99"), HOLDS),
    "B28": (t("table4", "CodeBERT", "Unlinked", "0.99"), CAVEAT),
    "B29": (t("table4", BEST, "Linked", "0.01", BEST, "Unlinked", "0.80"), HOLDS),
    "B35": (t("table5", "FT-CodeBERT", "Unrelated", "0.09"), CAVEAT),
    "B36": (t("table5", "RFLHU-CodeBERT", "Unrelated", "0.99"), HOLDS),
    "B38": (t("table6", "CodeBERT", "Pearson r", "0.18"), CAVEAT),
    "B39": (t("table6", "CodeBERT", "Pearson r", "0.01"), HOLDS),
    "B40": (t("logs", f"H/{TUNED}", "r", "0.1700"), CAVEAT),
    "B43": (t("rescored", "U/BERT-NLI", "r", "0.1500"), CAVEAT),
    "B44": (t("rescored", "U/FT-BERTOverflow", "r", "0.5231"), HOLDS),
    "B46": (t("table7", "FT-CodeBERT", "Pearson r", "0.40"), HOLDS),
    "B52": (t("table8", BEST, "R: MRR", "0.10", BEST, "L", "1.00"), FAILS),
    "B56": (t("table8", "RFLH-BERTOverflow", "R: NDCG", "0.88", "RFL-CodeBERT", "R: NDCG", "0.88"), HOLDS),
    "B61": (t("validation", "L", BEST, "0.97"), HOLDS),
    "B62": (t("table7", "CodeBERT", "Pearson r", "-0.33"), CAVEAT),
    "B63": (
        [
            *t("table6", "HU-BERTOverflow", "Pearson r", "0.35"),
            *t("table2", "F", "Data type", "Question-Function"),
        ],
        HOLDS,
    ),
    "B58": (t("scripts", "Fine-tuning on R", "Score", "(position from the bottom - 1) / (n - 1)"), HOLDS),
}

# One part of a rule at a time, where a claim has several; on print alone.
PARTS = [
    ("B02", t("table1", "DistilBERT-paraphrasing", "Source", "distilbert-base-paraphrase"), CAVEAT),
    ("B04", t("text", "4.1", "Split", "80-20"), FAILS),
    ("B10", t("scripts", "Split of F", "Test share", "20"), FAILS),
    ("B11", t("text", "4.3", "Hits", "96.5", "4.3", "Misses", "3.5"), FAILS),
    ("B13", t("text", "4.4", "Training pairs", "16,215,401"), FAILS),
    ("B14", t("scripts", "Fine-tuning on H", "Validation", "9,000"), FAILS),
    ("B17", t("text", "4.5", "Training pairs", "75,863"), FAILS),
    ("B17", t("table2", "U", "Train", "75,863"), FAILS),
    ("B21", t("table3", "BERTOverflow", "NDCG", "0.8500"), FAILS),
    ("B24", t("table3", "USE", "NDCG", "0.9000"), FAILS),
    ("B24", t("table8", "HU-CodeBERT", "R: MRR", "0.70"), FAILS),
    ("B25", t("table3", "USE", "NDCG: standard error", ".002"), FAILS),
    ("B30", t("table4", BEST, "T", "5.00"), FAILS),
    ("B31", t("related", "USE", "direct", "0.6"), FAILS),
    ("B38", t("text", "4.4", "Highest r", "0.35"), FAILS),
    ("B41", t("text", "4.4", "USE", "0.29"), FAILS),
    ("B42", t("table6", "HU-BERTOverflow", "Pearson r", "0.35"), FAILS),
    ("B44", t("text", "4.5", "BERTOverflow", "0.36"), FAILS),
    ("B45", t("text", "4.5", "FT-CodeBERT", "0.29"), FAILS),
    ("B51", t("table8", BEST, "H", "0.30"), FAILS),
    ("B62", lambda m: not_scored_again(m).with_published("table2", "U", "Test", "200"), FAILS),
    ("B63", t("table6", "HU-BERTOverflow", "Pearson r", "0.35"), CAVEAT),
    ("B63", t("table2", "F", "Data type", "Question-Function"), CAVEAT),
]
