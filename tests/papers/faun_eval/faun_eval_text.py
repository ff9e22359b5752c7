"""Reads every published number a second time, from the text of the paper, which was read by OCR."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

Places = dict[tuple[str, str], str]

MODELS = (
    *("GPT-4o", "GPT-4", "Gemini-1.5-Flash", "Gemini-1.5-Pro", "Mistral-large-2", "CodeQwen-1.5-Chat"),
    *("DeepSeek-Coder-V2", "DeepSeek-Coder-V2-Lite", "DeepSeek-Coder 33B", "DeepSeek-Coder 6.7B"),
)
ABLATED = ("GPT-4o", "DeepSeek-Coder-V2", "CodeQwen-1.5-Chat", "Average")
MARKS = {"v": "yes", "V": "yes", "v/": "yes", "X": "no"}  # what OCR made of ticks and crosses
# Cells that OCR damaged, as the notes read them.
CELLS = {
    **{"2024005": "2024/05", "2023003": "2023/03", "202311V": "2023/11 v", "im": "1m", "ak": "4k"},
    **{"AC,FEMR": "AC, FF, MR", "AC,DG": "AC, DG", "AC,MR": "AC, MR", "02033": "0.2033", "02187": "0.2187"},
}
COLUMNS1 = ("Format", "#Langs", "#Repos", "#Samples", "DCM", "PQC", "Real-world", "Issue-solving", "Tasks")
COLUMNS3 = ("Size", "Time", "Instruct", "Open-source", "Max input tokens", "Max output tokens")
GROUPS = ("Base Information", "Content Information", "Pull Request-Specific Details")
FIELDS = re.compile(
    r"^(language|type|repo|owner|number|author-info|author-association|state|created-at|updated-at|title|body|"
    r"comments|merged|base-info|head-info|patch|review-comments)\b"
)
SENTENCES = {
    ("Abstract", "Repositories"): r"curated from (30) well-known",
    ("Abstract", "Entries"): r"FAUN-Eval includes (300) entries",
    ("Abstract", "Models"): r"evaluate (ten) LLMs with",
    ("Abstract", "Closed models"): r"including (four) closed-source",
    ("Abstract", "Open models"): r"closed-source and (six) open-source",
    ("1", "Best at fault localization"): r"such as (Gemini-1.5-Pro and GPT-4o) for fault",
    ("1", "Best at code editing"): r"and (DeepSeek-Coder-V2) for code editing",
    ("1", "Weakness of earlier benchmarks"): r"struggle with tasks requiring (multi-file changes)",
    ("2.2.1", "CodeQA: Java pairs"): r"dataset of ([\d,]+) Java",
    ("2.2.1", "CodeQA: Python pairs"): r"Java and ([\d,]+) Python",
    ("2.2.2", "SWE-Bench: repositories"): r"requests across (12) widely used Python",
    ("2.2.2", "SWE-Bench: success rate"): r"success rate of only ([\d.]+)%",
    ("3", "Data sets"): r"including (Code Question-Answer pairs, Bug Reproduction datasets, Fault Localization "
    r"datasets, and Code Editing datasets)",
    ("3.1.1", "Stars"): r"each have over ([\d,]+) stars",
    ("3.1.1", "Languages"): r"encompassing (five) widely-used programming",
    ("3.1.2", "Entries crawled"): r"totaling over ([\d,]+) entries",
    ("3.1.2", "Groups of fields"): r"including (Base Information, Content Information, Interaction Information "
    r"and Pull Request-Specific Details)",
    ("3.2.2", "Number of keywords"): r"provides (nine) keywords",
    (
        "3.2.2",
        "Keywords",
    ): r"link them: (close, fix, resolve, and their variations: closes, closed, fixes, fixed, "
    r"resolves, and resolved)",
    ("3.2.2", "Side that links"): r"For (PRs) targeting the default branch, linking an issue",
    ("3.2.2", "Side that is searched"): r"content information of these (issues) to determine",
    ("3.3", "Issues after pairing"): r"approximately ([\d,]+) issues and",
    ("3.3", "Fix pairs after pairing"): r"and around ([\d,]+) fix pairs",
    ("3.3.1", "Number of criteria"): r"apply (six) criteria",
    ("3.3.1", "Criteria"): r"issue entries: (comment scale, redundancy, external check, event count, robot "
    r"detection, and participant count)",
    ("3.3.2", "Number of steps"): r"process consists of (six) steps",
    ("3.3.2", "Steps"): r"six steps: (Merged Check, One-to-One Fix Check, File-Changed Count, Doc Change "
    r"Detection, Suffix Detection, and Substantial Code Change Detection)",
    ("3.3.2", "Files changed by a pull request"): r"those PRs involving changes to (a single file)",
    ("3.3.3", "Reviewers"): r"involves (two) researchers independently",
    ("4.4", "Lowest score"): r"ranges are all from (0) to",
    ("4.4", "Highest score"): r"ranges are all from 0 to (1)\.",
    ("5.1", "Best at QA"): r"overall performance are (Gemini-1.5-Pro, Gemini-1.5-Flash, and CodeQwen-1.5-Chat)",
    ("5.1", "Best at fault localization"): r"localization task, (GPT-4o, Gemini-1.5-Pro, and Mistral-large-2) "
    r"emerge",
    ("5.1", "Best at code editing"): r"leading models are (Gemini-1.5-Flash, DeepSeek-Coder-V2 and "
    r"CodeQwen-1.5-Chat)\.",
    ("5.1", "Models in a top three"): r"A total of (six) models",
    ("5.1", "Mistral's name"): r"models like (Mistral-1.5-large) and DeepSeek",
    ("5.1", "Smaller and better in QA"): r"counterparts, (33B and 6.7B), in QA",
    ("5.1", "Combined QA score"): r"four metrics is only ([\d.]+), with",
    ("5.1", "BLEU"): r"BLEU score of just ([\d.]+)\. Spec",
    ("5.1", "ROUGE-L"): r"with scores of ([\d.]+) and",
    ("5.1", "ROUGE-1"): r"0\.1551 and ([\d.]+) respectively",
    ("5.1", "EM of zero"): r"task, (CodeQwen-1.5-Chat and DeepSeek-Coder 33B) recorded EM of zero",
    ("5.2", "Closed models of the ablation"): r"selected (one) closed-source",
    ("5.2", "Open models of the ablation"): r"closed-source and (two) open-source models that",
    ("5.2", "Least fall in QA"): r"with reductions exceeding (\d+)%",
    ("5.2", "Metric without a fall"): r"except for (Edit Similarity), which",
    ("5.2", "Mean fall of EM"): r"average decline of ([\d.]+)% in the Exact",
    ("5.2", "Fall of EM of DeepSeek-Coder-V2"): r"predictions fell by ([\d.]+)%, nearly",
    ("5.2", "Change without the issue body"): r"average change being only ([\d.]+)%",
    ("5.2", "Better after discarding"): r"enhanced Exact Match scores after discarding the (body)",
    ("5.2", "Fall without the pull request's title"): r"respective decrease of ([\d.]+)% and",
    ("5.2", "Fall without the pull request's body"): r"4\.95% and ([\d.]+)% in the",
    ("5.3", "Parts by length"): r"divide it into (three) categories",
    ("6.1", "Fall of EM of GPT-4o"): r"EM of GPT-4o decreases by ([\d.]+)% under",
    ("6.2", "Smallest model"): r"sizes ranging from ([\d.]+B) to",
    ("6.2", "Largest model"): r"sizes ranging from 6\.7B to (236B)",
    ("3.3.3", "Model that checks"): r"utilize the advanced LLM, (GPT-4o), to assess",
    ("Data availability", "Host"): r"outputs are available at: https://([a-z0-9.]+)/",
}


def read(shared: Path) -> dict[str, Places]:
    """Every place of ``data/paper/faun_eval``, by file."""
    text = (shared / "papers" / "faun-eval.txt").read_text("utf-8").replace("GPT-40", "GPT-4o")
    flat = re.sub(r"\s+", " ", re.sub(r"(?<=\w)-\n", "-", text))
    five = dict(table5(text))
    return {
        "table1": dict(table1(text)),
        "table2": dict(table2(text)),
        "table3": dict(table3(text)),
        "table4": dict(table4(text)),
        "table5": {place: cell for place, (cell, _) in five.items()},
        "ocr": {place: found for place, (_, found) in five.items() if found},
        "text": {place: find_group(pattern, flat) for place, pattern in SENTENCES.items()},
        "crawl": dict(crawl(shared / "datasets" / "faun_eval" / "coderepoqa" / "README.md")),
    }


def find_group(pattern: str, text: str) -> str:
    """The one group that a pattern finds, in all places the same; words that end a line may be cut in two."""
    (found,) = set(re.findall(pattern, text)) or set(
        re.findall(pattern, re.sub(r"(?<=[a-z])-(?=[a-z])", "", text))
    )
    return str(found)


def lines(text: str, head: str) -> list[str]:
    """The lines below a table's head, up to the first empty one."""
    return text[text.index(head) :].partition("\n")[2].partition("\n\n")[0].splitlines()


def table1(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    pattern = re.compile(
        r"([\w-]+\]?)(?: \[\d+\])? \|? ?(MCQ|QA pair|code pair, fix pair|code pair) (\S+) (\S+) ([~\d,]+) \|? ?"
        r"([A-Z]+(?:, ?[A-Z]+)*) ?\|? (\S+) (\S+) (\S+) (.+)"
    )
    for line in lines(text, "Dataset ‘ Format"):
        found = pattern.fullmatch(line.replace(" |AC", " AC").replace("MR| ", "MR ").replace("DG | ", "DG "))
        assert found, line
        name, *cells = found.groups()
        cells = [MARKS.get(cell, CELLS.get(cell, cell)) for cell in cells]
        row = "Defects4J" if name == "Defects4]" else name
        yield from (((row, column), cell) for column, cell in zip(COLUMNS1, cells, strict=True))


def table2(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    body = text[text.index("Features Description") : text.index("interface provided by GitHub")]
    group = ""
    for line in body.splitlines():
        group = line if line in GROUPS else group
        if found := FIELDS.match(line):
            yield (found[0], "Group"), group


def table3(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for model, line in zip(MODELS, lines(text, "Model | Size"), strict=True):
        cells = line.removeprefix(model.partition(" ")[0]).replace("|", " ").split()
        cells = [part for cell in cells for part in CELLS.get(cell, cell).split()]
        cells = [MARKS.get(cell, cell) for cell in cells]
        yield from (((model, column), cell) for column, cell in zip(COLUMNS3, cells, strict=True))


def table4(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    body = text[text.index("Metric |GPT-4o") : text.index("5.1 RQ1")]
    for metric in ("BLEU", "ROUGE-L", "ROUGE-1", "ES", "Average", "EM", "CodeBLEU"):
        (line,) = re.findall(rf"^{metric}\b ?[|‘ ].*$", body, re.MULTILINE)
        cells = re.findall(r"[\d.]+", line.removeprefix(metric))
        row = "QA average" if metric == "Average" else metric
        yield from (((row, column), c) for column, c in zip((*MODELS, "Average"), cells, strict=True))


def table5(text: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Each cell as it is read, and as OCR left it where the two are not the same."""
    body = text[text.index("QA Evaluation\n\nIT+IB") : text.index("Code Editing task, removing the body")]
    modules = r"(?:IT\+IB\+PT\+PB|IB\+PT\+PB|IT\+PT\+PB|IT\+IB\+PB|IT\+IB\+PT|IT\+IB|IT|[I1]B)"
    metric = r"(?:BLEU|ROUGE-L|ROUGE-1|ES|Average|EM|CodeBLEU)"
    for block in body.split("\n\n"):
        found = [re.fullmatch(rf"({metric} )?({modules}) ?\|? (.*)", line) for line in block.splitlines()]
        rows = [match for match in found if match]
        (name,) = {match[1].strip() for match in rows if match[1]} or {""}
        for match in rows:
            kept, cells = match[2].replace("1B", "IB"), match[3].replace(" | ", " ").split()
            row = f"{'QA average' if name == 'Average' else name}: {kept}"
            for model, score, change in zip(ABLATED, cells[::2], cells[1::2], strict=True):
                plain = CELLS.get(score, score)
                yield (row, model), (plain, score if plain != score else "")
                if not change.endswith("%"):
                    yield (row, f"{model}: change"), (change, "")
                    continue
                digits = re.fullmatch(r"(?:\|\[|\[|\||1)(\d+\.\d\d)%", change)
                assert digits, change
                yield (row, f"{model}: change"), (digits[1], change)


def crawl(readme: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Count the repositories by language, and issues, of the data set of the same crawl."""
    text = readme.read_text("utf-8")
    rows = re.findall(r"^\| *[\w.-]+/[\w.-]+ *\| *(\w+) *\| *(\d+) *\|$", text, re.MULTILINE)
    counted = Counter(language for language, _ in rows)
    yield from (((language, "Repositories"), str(number)) for language, number in sorted(counted.items()))
    yield ("all", "Issues"), find_group(r"filtered a total of ([\d,]+) issues", text)
    yield ("all", "Month"), find_group(r"crawling in (August 2024)", text)
