"""The origin of the data, and their contents (abstract, sections 1 to 3.1, Tables 1 and 2)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, unless_known, wording
from selu.papers.faun_eval.claims._known import DETAIL, FIX_SET, METHOD, QA_SET, names, portion
from selu.papers.faun_eval.material import Material
from selu.vocabulary import Finding

QUESTION = "Are the data what the paper says?"


@claim(
    "F01",
    "Abstract, 3.1.1",
    "The data come from 30 repositories in five languages.",
    holds="Both data sets of FAUN-Eval in Table 1 have as many repositories and languages.",
    caveat="One of the two data sets has fewer.",
    fails="None of the two has as many.",
    weight=METHOD,
    quote="we select 30 popular repositories from GitHub, encompassing five widely-used programming languages",
)
def repositories_and_languages(paper: Material) -> Finding:
    """Compare Table 1 with the text."""
    text = [paper.count("text", "Abstract", "Repositories"), paper.count("text", "3.1.1", "Languages")]
    found = {
        name: [paper.count("table1", name, column) for column in ("#Repos", "#Langs")]
        for name in (QA_SET, FIX_SET)
    }
    right = [name for name, counts in found.items() if counts == text]
    because = (
        f"{portion(len(right), len(found))} data sets have {text[0]} repositories and {text[1]} languages."
    )
    fewer = [
        f"{name} has {repositories} and {languages}"
        for name, (repositories, languages) in found.items()
        if name not in right
    ]
    return finding(
        bool(right), because, caveat=exceptions(f"{listed(fewer)}.") if fewer else None, text=text, table1=found
    )


@claim(
    "F02",
    "Abstract",
    "FAUN-Eval includes 300 entries.",
    holds="The two data sets of FAUN-Eval in Table 1 have as many samples together.",
    caveat="Each of the two has as many, so that they have more together.",
    fails="One of the two has another number of samples.",
    weight=DETAIL,
    quote="FAUN-Eval includes 300 entries and employs both LLM and manual checks",
)
def entries(paper: Material) -> Finding:
    """Add up the samples of Table 1."""
    stated = paper.count("text", "Abstract", "Entries")
    found = [paper.count("table1", name, "#Samples") for name in (QA_SET, FIX_SET)]
    because = (
        f"Table 1 has {found[0]} and {found[1]} samples, {sum(found)} together; the abstract says {stated}."
    )
    alone, each = sum(found) == stated, found == [stated, stated]
    caveat = None if alone else wording("Each set has that many.")
    return finding(alone or each, because, caveat=caveat, table1=found, text=stated)


@claim(
    "F06",
    "2.2.1, Table 1",
    "CodeQA has 119,778 Java and 70,085 Python pairs, 190,000 in Table 1.",
    holds="The two numbers add up to that of Table 1, rounded to its digits.",
    fails="They add up to another number.",
    weight=DETAIL,
    quote="dataset of 119,778 Java and 70,085 Python code-question pairs",
)
def pairs_of_codeqa(paper: Material) -> Finding:
    """Add up the pairs of both languages."""
    parts = [paper.count("text", "2.2.1", f"CodeQA: {language} pairs") for language in ("Java", "Python")]
    published = paper.count("table1", "CodeQA", "#Samples")
    unit = 10 ** (len(str(published)) - len(str(published).rstrip("0")))
    because = f"{parts[0]:,} and {parts[1]:,} pairs are {sum(parts):,}; Table 1 has {published:,}."
    return finding(abs(sum(parts) - published) * 2 <= unit, because, parts=parts, table1=published)


@claim(
    "F07",
    "2.2.2",
    "SWE-Bench covers 12 Python repositories, of which top models solve 4.33 %.",
    holds="SWE-bench has as many repositories, and the best share that models solved of it at the "
    "paper's time is "
    "the share that the text gives.",
    fails="It has another number of repositories, or the best share is another one.",
    weight=DETAIL,
    quote="even top-performing models, achieve a success rate of only 4.33%",
)
def swe_bench(paper: Material) -> Finding:
    """Compare both numbers, once results on all of SWE-bench are here."""
    repositories = paper.count("text", "2.2.2", "SWE-Bench: repositories")
    rate = paper.number("text", "2.2.2", "SWE-Bench: success rate")
    missing = (
        f"The text names neither models nor day of the {rate:g} %; the published sets of patches answer "
        "SWE-bench Lite, which is a part of SWE-bench"
    )
    if not_checkable := unless_known(paper, "swe_bench", missing):
        return not_checkable
    found = paper.count("swe_bench", "all", "repositories")
    best = paper.number("swe_bench", "all", "best share")
    because = (
        f"SWE-bench has {found} repositories, and the best models solved {best:g} % of it; the text says "
        f"{repositories} and {rate:g} %."
    )
    return finding((found, best) == (repositories, rate), because, repositories=found, best_share=best)


@claim(
    "F08",
    "3",
    "Data sets for question answering, bug reproduction, fault localization and code editing are built.",
    holds="Each of the data sets that the text names is a task of Table 1.",
    fails="One of them is not a task of Table 1.",
    weight=METHOD,
    quote="including Code Question-Answer pairs, Bug Reproduction datasets, Fault Localization datasets, and "
    "Code Editing datasets",
)
def data_sets(paper: Material) -> Finding:
    """Look for each data set among the tasks of Table 1."""
    tasks = (
        ", ".join(paper.published("table1", name, "Tasks") for name in (QA_SET, FIX_SET)).lower().split(", ")
    )
    short = {"code question-answer pairs": "code qa", "fault localization datasets": "fl"}
    named = [name.lower() for name in names(paper, "3", "Data sets")]
    missing = [name for name in named if short.get(name, name.removesuffix(" datasets")) not in tasks]
    because = f"{portion(len(named) - len(missing), len(named))} data sets are tasks of Table 1."
    if missing:
        because += f" It has no {listed(missing)}."
    return finding(not missing, because, named=named, tasks=tasks)


@claim(
    "F09",
    "3.1.1",
    "Each repository has over 5,000 stars.",
    holds="Each of the repositories has more stars at the time of the crawl.",
    fails="One of them has as many or fewer.",
    weight=METHOD,
    quote="we choose repositories that each have over 5,000 stars",
)
def stars(paper: Material) -> Finding:
    """Compare with the stars of the repositories, once they are here."""
    stated = paper.count("text", "3.1.1", "Stars")
    missing = f"The paper names 5 of its 30 repositories, and no count of stars to hold to {stated:,}"
    if not_checkable := unless_known(paper, "stars", missing):
        return not_checkable
    found = {row: paper.count("stars", row, "stars") for row, _ in paper.tables["stars"]}
    fewer = [f"{name} ({count:,})" for name, count in found.items() if count <= stated]
    because = f"{portion(len(found) - len(fewer), len(found))} repositories have more than {stated:,} stars."
    return finding(not fewer, because, stars=found)


@claim(
    "F10",
    "3.1.2",
    "Over 800,000 issues and pull requests were crawled.",
    holds="The crawl has more entries.",
    fails="The crawl has as many or fewer.",
    weight=METHOD,
    quote="all issues and pull requests from 30 repositories on GitHub, totaling over 800,000 entries",
)
def entries_crawled(paper: Material) -> Finding:
    """Compare with the number of entries, once it is here."""
    stated, issues = paper.count("text", "3.1.2", "Entries crawled"), paper.count("crawl", "all", "Issues")
    month = paper.published("crawl", "all", "Month")
    missing = (
        f"The crawl is not public; CodeRepoQA, crawled in {month} like this one, has {issues:,} issues and "
        "no pull requests"
    )
    if not_checkable := unless_known(paper, "entries", missing):
        return not_checkable
    found = paper.count("entries", "all", "entries")
    return finding(found > stated, f"The crawl has {found:,} entries; the text says {stated:,}.", entries=found)


@claim(
    "F11",
    "3.1.2, Table 2",
    "Each entry has four groups of fields, of which Table 2 shows the main ones.",
    holds="Table 2 has fields of each group that the text names.",
    caveat="It has none of a group, and of most groups it has: the text announces main features alone.",
    fails="Of half of the groups or more it has none.",
    thresholds={"half": "our choice: a table without most groups would not show an entry's main features"},
    weight=DETAIL,
    quote="including Base Information, Content Information, Interaction Information and Pull Request-Specific "
    "Details",
)
def groups_of_fields(paper: Material) -> Finding:
    """Look for each group in Table 2."""
    named = names(paper, "3.1.2", "Groups of fields")
    shown = {paper.published("table2", row, column) for row, column in paper.tables["table2"]}
    missing = [name for name in named if name not in shown]
    because = f"Table 2 has fields of {portion(len(named) - len(missing), len(named)).lower()} groups."
    caveat = exceptions(f"It has none of {listed(missing)}.") if missing else None
    return finding(2 * len(missing) < len(named), because, caveat=caveat, named=named, table2=sorted(shown))


@claim(
    "F62",
    "Data availability",
    "The data set and the models' outputs are available.",
    holds="What others can get has the entries of both data sets and outputs of all ten models.",
    fails="It lacks entries, or outputs of a model.",
    weight=METHOD,
    quote="Our dataset and LLMs’ evaluation outputs are available at",
)
def availability(paper: Material) -> Finding:
    """Count what was released, once it is here."""
    sizes = {name: paper.count("table1", name, "#Samples") for name in (QA_SET, FIX_SET)}
    entries = listed(f"{count} entries of {name}" for name, count in sizes.items())
    missing = (
        f"The paper names an anonymous address ({paper.published('text', 'Data availability', 'Host')}). Not "
        f"available here are the {entries} and the outputs of {len(paper.models)} models"
    )
    if not_checkable := unless_known(paper, "released", missing):
        return not_checkable
    found = {name: paper.count("released", name, "entries") for name in sizes}
    models = paper.count("released", "outputs", "models")
    because = (
        f"Released are {listed(f'{count} entries of {name}' for name, count in found.items())}, and outputs of "
        f"{models} models."
    )
    return finding(found == sizes and models == len(paper.models), because, entries=found, models=models)
