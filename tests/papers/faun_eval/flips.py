"""What turns each claim of FAUN-Eval."""

from __future__ import annotations

from tests.papers.redrawn import at_places as cells
from tests.papers.redrawn import changed, number

from selu.vocabulary import Verdict

HOLDS, CAVEAT, FAILS, OPEN = Verdict.HOLDS, Verdict.CAVEAT, Verdict.FAILS, Verdict.NOT_CHECKABLE
PRO, FLASH, V2, CQ = "Gemini-1.5-Pro", "Gemini-1.5-Flash", "DeepSeek-Coder-V2", "CodeQwen-1.5-Chat"


def figure(task, short, medium, long, model="GPT-4o"):
    """Scores of figure 3, as somebody would measure them."""
    scores = zip(("short", "medium", "long"), (short, medium, long), strict=True)
    return [("figure3", f"{task}: {model}", part, score) for part, score in scores]


ANSWERS, FILES, EDITS = "question answering", "fault localization", "code editing"


def lengths(*parts):
    """Three parts of 100 entries, each part between its bounds, in this order."""
    bounds = {"short": ("10", "99"), "medium": ("100", "499"), "long": ("500", "900")}
    return [
        ("parts", part, column, text)
        for part in parts
        for column, text in zip(("entries", "shortest", "longest"), ("100", *bounds[part]), strict=True)
    ]


def released(entries, models):
    """What the authors' address holds, as somebody would count it."""
    return cells("released", "FAUN-Eval-QA", "entries", entries, "FAUN-Eval-fix", "entries", entries) + cells(
        "released", "outputs", "models", models
    )


EVERYWHERE = [
    *figure(ANSWERS, "0.3", "0.2", "0.1"),
    *figure(FILES, "0.3", "0.2", "0.1"),
    *figure(EDITS, "0.3", "0.2", "0.1"),
]
OPEN_MODELS = [
    ("table4", metric, model)
    for metric in ("QA average", "EM", "CodeBLEU")
    for model in ("Mistral-large-2", CQ, V2, f"{V2}-Lite", "DeepSeek-Coder 33B", "DeepSeek-Coder 6.7B")
]
FLIPS = {
    "F01": (cells("text", "Abstract", "Repositories", "31"), FAILS),
    "F02": (cells("table1", "FAUN-Eval-fix", "#Samples", "299"), FAILS),
    "F03": (cells("table3", "GPT-4", "Open-source", "yes"), FAILS),
    "F04": (cells("table4", "CodeBLEU", V2, "0.2900"), FAILS),
    "F05": ([(*place, "0.0001") for place in OPEN_MODELS], FAILS),
    "F06": (cells("table1", "CodeQA", "#Samples", "180,000"), FAILS),
    "F07": (cells("swe_bench", "all", "repositories", "12", "all", "best share", "4.33"), HOLDS),
    "F08": (cells("table1", "FAUN-Eval-fix", "Tasks", "FL, code editing, bug reproduction"), HOLDS),
    "F09": (cells("stars", "scipy/scipy", "stars", "13,000"), HOLDS),
    "F10": (cells("entries", "all", "entries", "812,345"), HOLDS),
    "F11": (cells("table2", "comments", "Group", "Interaction Information"), HOLDS),
    "F12": (
        cells("text", "3.2.2", "Keywords", "close, fix, resolve, closes, closed, fixes, fixed, resolves"),
        FAILS,
    ),
    "F13": (cells("text", "3.2.2", "Side that is searched", "PRs"), HOLDS),
    "F14": (cells("pairing", "all", "issues", "512,345", "all", "pairs", "98,765"), HOLDS),
    "F15": (cells("text", "3.3.1", "Criteria", "comment scale, redundancy, and event count"), FAILS),
    "F16": (cells("text", "3.3.2", "Number of steps", "seven"), FAILS),
    "F17": (cells("text", "3.3.2", "Files changed by a pull request", "several files"), HOLDS),
    "F18": (cells("reviews", "all", "reviewers", "2", "all", "kappa", "0.61"), HOLDS),
    "F19": (cells("text", "4.4", "Highest score", "0.6"), FAILS),
    "F20": (cells("table4", "EM", "Average", "0.3800"), FAILS),
    "F21": (cells("table4", "QA average", PRO, "0.1926"), FAILS),
    "F22": (cells("table4", "EM", V2, "0.5940"), FAILS),
    "F23": (cells("table4", "QA average", "GPT-4", "0.1700"), FAILS),
    "F24": (cells("table4", "EM", V2, "0.6100"), FAILS),
    "F25": (cells("table4", "CodeBLEU", "GPT-4", "0.3200"), FAILS),
    "F26": (cells("text", "5.1", "Models in a top three", "seven"), FAILS),
    "F27": (cells("table4", "CodeBLEU", PRO, "0.3000"), FAILS),
    "F28": (cells("table4", "EM", "GPT-4", "0.5990"), FAILS),
    "F29": (cells("table4", "CodeBLEU", "GPT-4", "0.2900"), FAILS),
    "F30": (cells("table4", "QA average", V2, "0.1655"), FAILS),
    "F31": (cells("table4", "EM", FLASH, "0.9000", "QA average", FLASH, "0.9000"), FAILS),
    "F32": (cells("text", "5.1", "BLEU", "0.1218"), FAILS),
    "F33": (cells("table4", "ROUGE-1", "GPT-4", "0.2500"), FAILS),
    "F34": (cells("table4", "EM", CQ, "0.0033"), FAILS),
    "F35": (cells("table4", "QA average", PRO, "0.6000"), FAILS),
    "F36": (cells("table4", "CodeBLEU", V2, "0.2700"), FAILS),
    "F37": (cells("table5", "EM: IT+IB", "GPT-4o", "0.6467"), FAILS),
    "F38": (cells("table5", "EM: IT", "Average", "0.2655"), FAILS),
    "F39": (cells("table5", "ES: IB", f"{V2}: change", "4.02"), HOLDS),
    "F40": (cells("table5", "BLEU: IT", "Average", "0.1000", "ROUGE-L: IT", "Average", "0.1300"), FAILS),
    "F41": (cells("table5", "ES: IT", "Average", "0.1400"), FAILS),
    "F42": (cells("table5", "EM: IT", V2, "0.3533"), FAILS),
    "F43": (cells("table5", "EM: IT", V2, "0.4000"), FAILS),
    "F44": (cells("text", "5.2", "Change without the issue body", "4.88"), HOLDS),
    "F45": (cells("table5", "ES: IB", CQ, "0.1800"), FAILS),
    "F46": (cells("text", "5.2", "Better after discarding", "title"), HOLDS),
    "F47": (cells("table5", "CodeBLEU: IT+IB+PB", CQ, "0.3105"), FAILS),
    "F48": (cells("table5", "CodeBLEU: IT+PT+PB", "Average", "0.2000"), FAILS),
    "F49": (
        cells("table5", "QA average: IB", "Average", "0.1500", "EM: IB", "Average", "0.6000"),
        FAILS,
    ),
    "F50": (cells("table5", "CodeBLEU: IT+PT+PB", "Average", "0.2900"), FAILS),
    "F51": (figure(ANSWERS, "0.3", "0.2", "0.1"), HOLDS),
    "F52": (figure(FILES, "0.3", "0.2", "0.1"), HOLDS),
    "F53": (figure(EDITS, "0.3", "0.2", "0.1"), HOLDS),
    "F54": ([*EVERYWHERE, *figure(FILES, "0.3", "0.2", "0.4", PRO)], HOLDS),
    "F55": ([*figure(FILES, "0.6", "0.5", "0.1"), *figure(FILES, "0.6", "0.4", "0.3", PRO)], HOLDS),
    "F56": (EVERYWHERE, HOLDS),
    "F57": (lengths("short", "medium", "long"), HOLDS),
    "F58": (cells("table5", "EM: IB", "GPT-4o", "0.6467"), FAILS),
    "F59": (cells("table3", V2, "Size", "230B"), FAILS),
    "F60": (cells("prompts", "all", "longest", "63,999"), HOLDS),
    "F61": (cells("table3", "GPT-4", "Instruct", "yes"), FAILS),
    "F62": (released("300", "10"), HOLDS),
    "F63": (cells("study", "edit_patch", "auc", "0.8414"), FAILS),
    "F64": (cells("text", "3.3.3", "Model that checks", "-"), FAILS),
}
# With a caveat, or without one that the paper's numbers have: what takes the caveat away or gives it.
CAVEATS = {
    "F01": (cells("table1", "FAUN-Eval-fix", "#Repos", "30", "FAUN-Eval-fix", "#Langs", "5"), HOLDS),
    "F02": (cells("table1", "FAUN-Eval-fix", "#Samples", "150", "FAUN-Eval-QA", "#Samples", "150"), HOLDS),
    "F04": (cells("table4", "CodeBLEU", V2, "0.3600"), HOLDS),
    "F11": (cells("table2", "comments", "Group", "Interaction Information"), HOLDS),
    "F20": (cells("table4", "EM", "Average", "0.3801"), FAILS),
    "F21": (cells("table4", "QA average", PRO, "0.1926"), FAILS),
    "F30": (cells("table3", V2, "Time", "2024/07") + cells("table4", "EM", V2, "0.6200"), HOLDS),
    "F35": (cells("outputs", "GPT-4o", "bare paths", "300"), HOLDS),
    "F36": (cells("table4", "QA average", "GPT-4o", "0.1500", "EM", CQ, "0.0033"), HOLDS),
    "F41": (cells("table5", "ES: IT", CQ, "0.1700"), HOLDS),
    "F48": (cells("table5", "CodeBLEU: IT+PT+PB", "Average", "0.3000"), HOLDS),
    "F50": (cells("tests", "PT", "p", "0.01"), HOLDS),
    "F59": ([("table3", model, "Size", "100B") for model in ("GPT-4o", "GPT-4", FLASH, PRO)], HOLDS),
    "F63": (cells("study", "rouge_l_lines", "auc", "0.8500"), FAILS),
    "F64": (cells("text", "3.3.3", "Model that checks", "Codellama"), HOLDS),
}
# One part of a rule at a time, where a claim has several.
PARTS = [
    ("F07", cells("swe_bench", "all", "repositories", "12", "all", "best share", "50"), FAILS),
    ("F07", cells("swe_bench", "all", "repositories", "11", "all", "best share", "4.33"), FAILS),
    ("F52", figure(FILES, "0", "0", "0"), OPEN),
    ("F57", lengths("medium", "short", "long"), FAILS),
    ("F57", lengths("short", "long"), FAILS),
    ("F03", cells("text", "Abstract", "Models", "nine"), FAILS),
    ("F04", cells("table4", "EM", "Mistral-large-2", "0.6600"), FAILS),
    ("F09", cells("stars", "a/b", "stars", "5,000"), FAILS),
    ("F10", cells("entries", "all", "entries", "800,000"), FAILS),
    ("F14", cells("pairing", "all", "issues", "512,345", "all", "pairs", "50,000"), FAILS),
    ("F18", cells("reviews", "all", "reviewers", "3", "all", "kappa", "0.81"), FAILS),
    ("F18", cells("reviews", "all", "reviewers", "2", "all", "kappa", "0.10"), FAILS),
    ("F28", cells("table4", "EM", V2, "0.5700"), FAILS),
    ("F30", cells("table3", "DeepSeek-Coder 33B", "Time", "2024/08"), FAILS),
    ("F30", cells("table4", "CodeBLEU", "DeepSeek-Coder 33B", "0.3600"), FAILS),
    ("F33", cells("text", "5.1", "ROUGE-L", "0.1552"), FAILS),
    ("F34", cells("table4", "EM", "GPT-4", "0"), FAILS),
    ("F42", cells("text", "5.2", "Mean fall of EM", "35.90"), FAILS),
    ("F47", cells("text", "5.2", "Fall without the pull request's body", "5.90"), FAILS),
    ("F51", figure(ANSWERS, "0.3", "0.1", "0.2"), FAILS),
    ("F52", figure(FILES, "0.3", "0.3", "0.2"), FAILS),
    ("F52", [*figure(FILES, "0.3", "0.2", "0.1"), *figure(FILES, "0", "0", "0", CQ)], HOLDS),
    ("F53", figure(EDITS, "0.3", "0.2", "0.2"), FAILS),
    ("F54", EVERYWHERE, FAILS),
    ("F55", [*figure(FILES, "0.6", "0.5", "0.3"), *figure(FILES, "0.6", "0.4", "0.2", PRO)], FAILS),
    ("F56", [*EVERYWHERE, *figure(FILES, "0.1", "0.2", "0.3"), *figure(EDITS, "0.1", "0.2", "0.3")], FAILS),
    ("F60", cells("prompts", "all", "longest", "64,001"), FAILS),
    ("F62", released("299", "10"), FAILS),
    ("F62", released("300", "9"), FAILS),
    ("F64", cells("text", "3.3.3", "Reviewers", "0"), FAILS),
]


def worse_open_models(paper, rng):
    """Open models with a common share of their scores."""
    share = rng.random()
    return paper.with_places({place: f"{paper.number(*place) * share:.4f}" for place in OPEN_MODELS})


# Of claims that random evidence decides too rarely.
def random_groups(paper, rng):
    """Fields of Table 2 in groups of their own choice."""
    groups = [
        group
        for group in sorted({paper.published("table2", *place) for place in paper.tables["table2"]})
        if group
    ]
    groups += ["Interaction Information"]
    kept = groups[: rng.integers(1, len(groups) + 1)]
    places = [place for place in paper.tables["table2"] if place[1] == "Group"]
    return paper.with_places({("table2", *place): str(rng.choice(kept)) for place in places})


def random_parts(paper, rng):
    """Parts in any order of their lengths."""
    return changed(paper, lengths(*rng.permutation(["short", "medium", "long"])))


DRAWS = {
    "F11": random_groups,
    "F57": random_parts,
    "F05": worse_open_models,
    "F39": number(("table5", "ES: IB", f"{V2}: change"), 3, 5, 2),
}
