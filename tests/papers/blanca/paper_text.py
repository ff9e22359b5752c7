"""Reads every published number a second time, from the text of the paper and the authors' logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

Places = dict[tuple[str, str], str]

MISSPELT = {"xlrm-r-paraphrase-v1": "xlm-r-paraphrase-v1"}  # Tables 3 and 4 only
CODES = dict(zip(("Answer", "Link", "to Class", "Hierarchy", "Usage"), "RLFHU", strict=True))
HEADS = {  # the line that a table begins after, and the names of its columns
    "table3": ("\tMRR\tNDCG", ("MRR", "NDCG")),
    "table4": ("Model\tLinked\tUnlinked\tT", ("Linked", "Unlinked", "T")),
    "table5": ("Model\tRelated\tUnrelated\tT", ("Related", "Unrelated", "T")),
    "table8": ("Model\tR\tF\tL\tH\tU", ("R", "F", "L", "H", "U")),
}
PEARSON = "Model\tPearson $r$"
SENTENCES = {
    ("1", "Tasks"): r"define the following (five) tasks",
    ("1", "Language models"): r"tasks for (seven) language models",
    ("2", "BERTOverflow: questions"): r"trained on (152 million) StackOverflow questions",
    ("4", "Tasks of the hyper-parameter search"): r"search for the Forum Answer Ranking \((R)\)",
    ("4.1", "Questions"): r"dataset of (500K) questions",
    ("4.1", "Least answers of a question"): r"with at least (three) answers",
    ("4.1", "Answers per question"): r"in this dataset is ([\d.]+) answers",
    ("4.1", "Votes per question"): r"votes per question is ([\d.]+)",
    ("4.1", "Votes per answer"): r"and per answer is ([\d.]+\d)",
    ("4.1", "Split"): r"tasks were split (90-10)",
    ("4.1", "Training questions"): r"train set had ([\d,]+) questions",
    ("4.1", "Test questions"): r"test had ([\d,]+) questions",
    ("4.1", "Ranked by"): r"by nearest in (\w+) distance to furthest",
    ("4.1", "Lowest score"): r"score between (\d) \(worst rank\)",
    ("4.1", "Highest score"): r"and (\d) \(best rank\)",
    ("4.2", "Training pairs"): r"generated ([\d,]+) pairs of posts",
    ("4.2", "Training: positive"): r"for training \(([\d,]+) positive",
    ("4.2", "Training: negative"): r"11,758 positive and ([\d,]+) negative",
    ("4.2", "Test pairs"): r"negative\), ([\d,]+) pairs",
    ("4.2", "Test: positive"): r"5,854 pairs \(([\d,]+) positive",
    ("4.2", "Test: negative"): r"2,727 positive and ([\d,]+) negative",
    (
        "4.2",
        "Significance",
    ): r"\$p \\leq (\.\d+)\$ \) on independent sample t-tests between linked",
    ("4.3", "Annotators"): r"with (three) human annotators",
    ("4.3", "Annotated examples"): r"random sample of (\d+) examples",
    ("4.3", "Hits"): r"annotators were ([\d.]+)%",
    ("4.3", "Misses"): r"and ([\d.]+)%, respectively",
    ("4.3", "Training: negative"): r"created ([\d,]+) negative examples",
    ("4.3", "Training: positive"): r"examples and ([\d,]+) positives",
    ("4.3", "Test: negative"): r"for training, and ([\d,]+) negative",
    ("4.3", "Test: positive"): r"examples and ([\d,]+) positive examples",
    (
        "4.3",
        "Significance",
    ): r"\$p \\leq (\.\d+)\$ \) on independent sample t-tests between positive",
    ("4.4", "Classes"): r"associated with ([\d,]+) classes",
    ("4.4", "Canonical classes"): r"resulted in ([\d,]+) classes",
    ("4.4", "Training pairs"): r"such that ([\d,]+) million",
    ("4.4", "Test pairs"): r"were in train, and ([\d,]+) million",
    ("4.4", "Sample"): r"random sample of ([\d,]+) training",
    ("4.4", "Validation"): r"training examples, ([\d,]+) of which",
    ("4.4", "Smallest distance"): r"distances ranging from (\d) to",
    ("4.4", "Largest distance"): r"distances ranging from 1 to (\d+)",
    ("4.4", "Figure 5, text"): r"shows the distribution of (embedding distances) for each class distance",
    ("4.4", "Figure 5, caption"): r"Figure 5: Number of (class-pairs) by",
    ("4.4", "Lowest r"): r"varied from ([\d.]+) \(for BERTOverflow\)",
    ("4.4", "Model of the lowest r"): r"varied from 0\.17 \(for (BERTOverflow)\)",
    ("4.4", "Highest r"): r"to ([\d.]+) \(for Fine-tuned",
    ("4.4", "xlm-r-paraphrase-v1"): r"\(xlm-r-paraphrase at ([\d.]+),",
    ("4.4", "USE"): r"and USE at ([\d.]+) respectively",
    ("4.5", "Training pairs"): r"task contains ([\d,]+) class pairs",
    ("4.5", "Test pairs"): r"test task contains ([\d,]+) pairs",
    ("4.4", "Word after the numbers of pairs"): r"16,215,400 (million) pairs",
    ("4.5", "Mean distance: training"): r"average distance of ([\d.]+) for train",
    ("4.5", "Mean distance: test"): r"average distance of ([\d.]+) for test",
    ("4.5", "Lowest r"): r"varied from ([\d.]+) \(for BERT-NLI\)",
    ("4.5", "Highest r"): r"to ([\d.]+) \(for HU-BERTOverflow\)",
    ("4.5", "BERTOverflow"): r"for BERTOverflow \(([\d.]+) to",
    ("4.5", "FT-BERTOverflow"): r"for BERTOverflow \(0\.37 to ([\d.]+)\)",
    ("4.5", "HU-BERTOverflow"): r"improved performance to ([\d.]+\d)",
    ("4.5", "CodeBERT"): r"dropped to 0\.30 from ([\d.]+\d)",
    ("4.5", "FT-CodeBERT"): r"dropped to ([\d.]+) from",
    ("4.6", "Base of the discussion"): r"discussion on (\w+), because",
}
SCRIPTS = {  # of the authors' repository, as the notes on it have them
    ("Evaluation of R", "Distance"): r"cosine by P, (squared Euclidean) by R",
    ("Fine-tuning on R", "Score"): r"score = (position from the bottom / n) \(R\)",
    ("Fine-tuning on H", "Sample"): r"H sampled to ([\d,]+) with",
    ("Fine-tuning on H", "Validation"): r"with ([\d,]+) validation",
    ("Fine-tuning", "Most examples of a task"): r"keeps at most ([\d,]+) examples",
    ("Fine-tuning on H and U", "Texts"): r"U texts are the `(class1)` and",
    ("Fine-tuning on R", "Equal votes"): r"keep only (the first) of equal votes",
    ("Split of F", "Test share"): r"Split: floor\((\d+)%\) of each label",
    ("Split of H", "Test share"): r"shuffle, ceil\((n/10)\) to test",
    ("Split of U", "Bins"): r"(Ten) equal-count bins",
    ("Split of U", "Test share"): r"bins by distance, ceil\((n/10)\) of each",
}
LOGS = {  # of each system, by the names of the files
    "DistilBERT-paraphrasing": (
        "distilbert",
        "distilbert",
        "distilbert_para_hierarchy_small",
        "distilbert_para",
    ),
    "BERT-NLI": ("bert", "bert", "bert_hierarchy_small", "bert"),
    "msmarco-DistilRoBERTa": ("msmarco", "msmarco", "", "msmarco"),
    "xlm-r-paraphrase-v1": ("xlm", "xlm", "xlm_hierarchy_small", "xlm"),
    "USE": ("USE", "USE", "USE_hiearchy_small", "USE"),
    "BERTOverflow": ("bertoverflow", "bertoverflow", "bertoverflow_hierarchy_small", "bert_overflow"),
    "FT-BERTOverflow": ("tuned", "tuned", "tuned_hierarchy_small", "bert_overflow_tuned"),
}
RELATED = {
    "DistilBERT-paraphrasing": "relatedness/relatedness_distilbert_para.results",
    "BERT-NLI": "bert_related_qs.results",
    "msmarco-DistilRoBERTa": "relatedness/relatedness_msmacro.results",
    "xlm-r-paraphrase-v1": "relatedness/relatedness_xlm.results",
    "USE": "relatedness/relatedness_USE.results",
    "BERTOverflow": "relatedness/relatedness_bertoverflow.results",
    "FT-BERTOverflow": "relatedness/relatedness_bertoverflow_finetuned_linkedposts.results",
}
# Read outside this folder: abstract and model card of BERTOverflow, and the code released with the paper.
ELSEWHERE = {
    "bertoverflow": {("training corpus", "unit"): "sentences", ("training corpus", "count"): "152 million"}
}
RELEASED = {("Evaluation of R", "Equal votes"): "all"}
NUMBER = r"(-?\d[\d.e+-]*)"


def read(shared: Path) -> dict[str, Places]:
    """Every place of ``data/paper/blanca``, by file."""
    text = (shared / "papers" / "blanca.txt").read_text("utf-8")
    notes = (shared / "published" / "blanca" / "SPEC.md").read_text("utf-8")
    flat = re.sub(r"\s+", " ", text)
    sixth, seventh = (part[: part.index("\n\n")] for part in text.split(PEARSON)[1:])
    rows = {name: lines(text.split(head, 1)[1]) for name, (head, _) in HEADS.items()}
    return {
        **ELSEWHERE,
        "table1": dict(table1(text)),
        "table2": dict(table2(text)),
        **{name: dict(columns(rows[name], HEADS[name][1])) for name in HEADS},
        "table6": dict(columns(lines(sixth), ("Pearson r",))),
        "table7": dict(columns(lines(seventh), ("Pearson r",))),
        "bold": {
            (table, column): model
            for table, body in (*rows.items(), ("table6", lines(sixth)), ("table7", lines(seventh)))
            for model, *cells in body
            for column, cell in zip(dict(HEADS).get(table, ("", ("Pearson r",)))[1], cells, strict=True)
            if "<b>" in cell
        },
        "text": {place: find_group(pattern, flat) for place, pattern in SENTENCES.items()},
        "scripts": RELEASED | {place: find_group(pattern, notes) for place, pattern in SCRIPTS.items()},
        "logs": dict(logs(shared / "datasets" / "blanca")),
        "related": dict(related(shared / "datasets" / "blanca" / "L" / "logs")),
        "distances": {
            (distance, "Pairs"): pairs
            for line in (shared / "datasets/blanca/H/logs/class-distance-counts.dat").read_text().splitlines()
            for distance, pairs in [line.split()]
        },
    }


def find_group(pattern: str, text: str) -> str:
    """The one group that a pattern finds, in all places the same."""
    (found,) = set(re.findall(pattern, text))
    return str(found)


def lines(text: str) -> list[list[str]]:
    body = text.split("\n\n", 1)[0].strip("\n").splitlines()
    cells = [[cell.strip() for cell in line.split("\t")] for line in body]
    return [[MISSPELT.get(name, name), *rest] for name, *rest in cells]


def columns(rows: list[list[str]], names: tuple[str, ...]) -> Iterator[tuple[tuple[str, str], str]]:
    for model, *cells in rows:
        for name, cell in zip(names, cells, strict=True):
            plain = re.sub(r"</?b>", "", cell)
            if name == "R":
                mrr, ndcg = plain.split("/")
                yield (model, "R: MRR"), mrr
                yield (model, "R: NDCG"), ndcg
                continue
            score, _, error = plain.partition(" (")
            yield (model, name), score
            if error:
                yield (model, f"{name}: standard error"), error.rstrip(")")


def table1(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    rows = lines(text.split("Model name\tFine-tuning task\n", 1)[1])
    names = [model.partition(" <sup>")[0] for model, _ in rows]
    for name, (_, task) in zip(names, rows, strict=True):
        yield (name, "Fine-tuning task"), task
    yield (names[0], "Source"), find_group(r"Sources were ([\w-]+), and SBERT", text)
    listed = re.split(r", | and ", find_group(r"and SBERT\. (.+?) are their", text))
    sources = zip([name for name in names[1:] if name != "BERTOverflow"], listed, strict=True)
    yield from (((name, "Source"), source) for name, source in sources)


def table2(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for task, *cells in lines(text.split("\tData type\tTrain\tTest\n", 1)[1]):
        (code,) = (code for part, code in CODES.items() if part in task)
        yield (code, "Task"), task
        for column, cell in zip(("Data type", "Train", "Test"), cells, strict=True):
            yield (code, column), cell


def logs(folder: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Means, samples and t of L and F; slope, error, R2 and r of H and U."""
    for model, names in LOGS.items():
        for task, name in zip("LFHU", names, strict=True):
            if not name:
                continue
            ending = "" if task == "H" else ".results"
            text = (folder / task / "logs" / f"{name}{ending}").read_text("utf-8")
            row = f"{task}/{model}"
            if task in "LF":
                close, far = re.findall(r"^(0\.\d+)$", text, re.MULTILINE)
                found = {"Close": close, "Far": far, "Pairs": find_group(r"samples =\s+(\d+)", text)}
                found["t"] = find_group(rf"statistic={NUMBER},", text)
            else:
                found = {
                    "Slope": find_group(rf"\[{NUMBER}\]", text),
                    "Mean squared error": find_group(r"error: ([\d.]+)", text),
                }
                found |= {
                    "R2": find_group(r"determination: ([\d.]+)", text),
                    "r": find_group(rf"correlation:{NUMBER}", text),
                }
            yield from (((row, column), value) for column, value in found.items())


def related(folder: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Means of the four classes, and t of each against isolated pairs."""
    for model, name in RELATED.items():
        text = (folder / name).read_text("utf-8")
        for kind in ("direct", "indirect", "duplicate", "isolated"):
            yield (model, kind), find_group(rf"\n{kind}\n{NUMBER}\n", text)
        for column, kind in (
            ("direct", "direct-isolated"),
            ("duplicate", "dup - isolated"),
            ("indirect", "indirect - isolated"),
        ):
            yield (model, f"{column}: t"), find_group(rf"{kind}\nTtest_indResult\(statistic={NUMBER},", text)
        yield (model, "Pairs"), find_group(r"\[(\d+) rows x", text)
        yield (model, "Skipped"), find_group(r"\nskipped:(\d+)\n", text)
