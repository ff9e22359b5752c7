"""What turns each claim of NLBSE'24."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from tests.papers.nlbse24.random_evidence import DRAWS as DRAWS

from selu.papers.nlbse24.material import LABELS, LANGUAGES, REPOSITORIES, Material
from selu.vocabulary import Verdict

Place = tuple[str, str, str, str]
HOLDS, FAILS = Verdict.HOLDS, Verdict.FAILS


def average(team: str, metric: str, published: str) -> Place:
    return ("table1", f"{team}/{metric}", "Average", published)


def by_language(table: str, column: str, *values: str) -> list[Place]:
    return [(table, language, column, value) for language, value in zip(LANGUAGES, values, strict=True)]


def exchanged(paper: Material) -> Material:
    """Precision and recall of every category change places."""
    for results, row in product(("stacc", "dopamin"), paper.categories.values()):
        p, r = (paper.published(results, row, key) for key in ("precision", "recall"))
        paper = paper.with_published(results, row, "precision", r).with_published(results, row, "recall", p)
    return paper


def counted(paper: Material) -> Material:
    """The files are counted, and agree with Table 2, in which the misprint is fixed."""
    for place in MENDED:
        paper = paper.with_published(*place)
    for (row, column), cell in paper.tables["table2"].items():
        paper = paper.with_published("comment_rows", row, column, cell.published)
    return paper


GROUPS = ["/".join(group).lower() for group in product(("train", "test"), REPOSITORIES, LABELS)]
MENDED = [("table2", "Pharo/Example", "Training: Total", "1,408")]
UNMARKED = [average("Alam et al.", "F1-score", "0.832"), average("Rejithkumar et al.", "F1-score", "0.829")]
SCORES = ("precision", "recall", "f1")
JAVA_PARAMETERS = [
    *(("table2", "Java/Parameters", f"Testing: {column}", "9") for column in ("Positive", "Negative")),
    *((results, "java/parameters", key, "0.5") for results in ("stacc", "dopamin") for key in SCORES),
]
GOMEZ, ALAM, FLAN, GPT = "Gómez-Barrera et al.", "Alam et al.", "Rejithkumar et al.", "Aracena et al."
SETFIT = "Kallis and Colavito"
FLIPS: dict[str, tuple[list[Place] | Callable[[Material], Material], Verdict]] = {
    "N01": ([("text", "Abstract", "Issue reports", "4 thousand")], FAILS),
    "N02": ([("text", "Abstract", "Code comments", "99 thousand")], HOLDS),
    "N03": ([("text", "Abstract", "Teams", "7")], FAILS),
    "N04": ([("issue_rows", GROUPS[7], "rows", "99")], FAILS),
    "N05": (
        [
            ("protocol", "Issue extraction", "Order", "newest closing date first"),
            ("protocol", "Issue extraction", "Latest day of closing", "2023-10-05"),
        ],
        HOLDS,
    ),
    "N06": ([("issue_overlap", "test", "same report as in training", "1")], FAILS),
    "N07": ([("issue_labels", "all", "without one of the three", "2")], FAILS),
    "N08": ([("issue_columns", "all", "columns", "repo, label, title")], FAILS),
    "N09": ([("baselines", "setfit_readme/overall/average", "f1", "0.83")], FAILS),
    "N10": ([average(GPT, "F1-score", "0.827")], FAILS),
    "N11": ([average("Kallis et al.", "F1-score", "0.829")], FAILS),
    "N12": ([average(ALAM, "F1-score", "0.828")], FAILS),
    "N13": ([average(ALAM, "Precision", "0.835")], FAILS),
    "N14": (
        [
            average(GOMEZ, "Recall", "0.836"),
            average(FLAN, "Recall", "0.831"),
            average(SETFIT, "Recall", "0.826"),
        ],
        HOLDS,
    ),
    "N15": (
        [
            average(GOMEZ, "F1-score", "0.840"),
            average(SETFIT, "F1-score", "0.826"),
            ("table1", f"{GPT}/F1-score", "Question", "0.793"),
        ],
        HOLDS,
    ),
    "N16": ([("table1", f"{GOMEZ}/F1-score", "Bug", "0.843"), average(FLAN, "Recall", "0.831")], HOLDS),
    "N17": ([("table1", f"{GPT}/F1-score", "Question", "0.793")], HOLDS),
    "N18": ([average(SETFIT, "Recall", "0.826")], HOLDS),
    "N19": (UNMARKED[:1], FAILS),
    "N20": ([("text", "2.3", ALAM, "0.833")], FAILS),
    "N21": ([average(GOMEZ, "F1-score", "0.894")], FAILS),
    "N22": ([average(GPT, "F1-score", "0.832")], FAILS),
    "N23": ([("text", "2.4", "Team of the BERT-like models", ALAM)], HOLDS),
    "N24": ([("table1", f"{GPT}/F1-score", "Question", "0.833")], FAILS),
    "N25": (
        [
            ("team_repositories", f"Ebrahim and Joy/{r}", "f1", "0.85" if r == "tensorflow" else "0.9")
            for r in REPOSITORIES
        ],
        HOLDS,
    ),
    "N26": ([average(GOMEZ, "F1-score", "0.865")], FAILS),
    "N27": ([average(GOMEZ, "F1-score", "0.852")], FAILS),
    "N28": ([average(ALAM, "F1-score", "0.828")], FAILS),
    "N29": (UNMARKED, HOLDS),
    "N30": ([("text", "3.1", "Sentences", "14,874")], FAILS),
    "N31": (by_language("class_counts", "classes", "1049", "340", "344"), HOLDS),
    "N32": ([("text", "3.1", "Projects: Java", "Guava, and Guice")], FAILS),
    "N33": ([("table2", "Pharo/Class references", "Training + Testing: Positive", "49")], FAILS),
    "N34": ([("text", "3.1", "Most categories of a sentence", "2 to 3")], FAILS),
    "N35": ([("comment_rows", "Pharo/Class references", "Training: Positive", "59")], FAILS),
    "N36": ([("partition_rows", "0", "rows", "19891"), ("partition_rows", "1", "rows", "79124")], HOLDS),
    "N37": ([("comment_columns", "all", "columns", "id, class, sentence, partition, category")], HOLDS),
    "N38": (by_language("comment_characters", "capital letters", "0", "0", "0"), HOLDS),
    "N39": (by_language("comment_characters", "special characters", "0", "0", "0"), HOLDS),
    "N40": (by_language("sentence_parts", "in both", "0", "0", "0"), HOLDS),
    "N41": (MENDED, HOLDS),
    "N42": (MENDED, HOLDS),
    "N43": (MENDED, HOLDS),
    "N44": (counted, HOLDS),
    "N45": ([("text", "3.3", "Teams", "2")], FAILS),
    "N46": ([("table3", "Hai and Bui", "Ranking Score", "0.714")], FAILS),
    "N47": (exchanged, HOLDS),
    "N48": ([("text", "3.4", "Recall: Dopamin", "0.75"), ("text", "3.4", "Recall: STACC", "0.76")], HOLDS),
    "N49": ([("table3", "Al-Kaswan et al.", "Average F1-score", "0.72")], FAILS),
    "N50": ([("dopamin", f"java/{name}", "f1", "0.9001") for name in ("expand", "deprecation")], FAILS),
    "N51": ([("dopamin", "python/usage", "f1", "0.7099")], FAILS),
    "N52": (JAVA_PARAMETERS, HOLDS),
    "N53": ([("table3", "Hai and Bui", "Avg. Inference Runtime (secs.)", "0.00251")], FAILS),
    "N54": ([("stacc", "java/other", "f1", "0.5")], FAILS),
    "N55": ([("dopamin", f"java/{name}", "f1", "0.1") for name in ("usage", "summary")], FAILS),
    "N56": ([("table3", "Al-Kaswan et al.", "Average Recall", "0.78")], FAILS),
    "N57": ([("table3", "Hai and Bui", "Average F1-score", "0.75")], FAILS),
    "N58": ([("stacc", "java/expand", "f1", "0.66")], FAILS),
    "N59": ([("timings", "SetFit", "minutes", "6.5"), ("timings", "SetFit", "GB", "17.0")], HOLDS),
    "N60": ([("reruns", "fasttext-lines/overall/average", "f1", "0.69")], FAILS),
    "N61": ([("text", "3.2", "Weight of runtime", "0")], FAILS),
}
