"""How issues and pull requests are paired and filtered (sections 3.2 and 3.3)."""

from __future__ import annotations

import re

from selu.papers.claims import claim, finding, scope, unless_known
from selu.papers.faun_eval.claims._known import DETAIL, METHOD, names
from selu.papers.faun_eval.material import ENTRIES, Material
from selu.papers.published import ABSENT
from selu.vocabulary import Finding

QUESTION = "Are issues paired and filtered as the paper says?"
SUBSTANTIAL = 0.61


def _as_many(paper: Material, section: str, what: str) -> Finding:
    """Find that the text lists as many of these as it says."""
    stated, found = paper.count("text", section, f"Number of {what}"), names(paper, section, what.capitalize())
    because = f"The text lists {len(found)} {what} and says {stated}."
    return finding(len(found) == stated, because, listed=found, text=stated)


@claim(
    "F12",
    "3.2.2",
    "GitHub provides nine keywords that link a pull request to an issue.",
    holds="The text lists as many: three verbs in three forms each.",
    fails="It lists another number, or not every verb in each form.",
    weight=DETAIL,
    quote="GitHub provides nine keywords to link them",
)
def keywords(paper: Material) -> Finding:
    """Count the listed keywords, and hold them to the forms of the verbs."""
    stated = paper.count("text", "3.2.2", "Number of keywords")
    found = re.findall(r"\b(?:close|fix|resolve)(?:s|es|d|ed)?\b", paper.published("text", "3.2.2", "Keywords"))
    forms = {"close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"}
    because = f"The text lists {len(set(found))} keywords and says {stated}."
    return finding(set(found) == forms and stated == len(forms), because, listed=found, text=stated)


@claim(
    "F13",
    "3.2.2",
    "A pull request and an issue are a fix pair if the issue's text has a keyword before an issue's number.",
    holds="The side whose text is searched is the side on which GitHub's keywords are written.",
    fails="It is the other side.",
    weight=METHOD,
    quote="We inspect the content information of these issues to determine if they include the pattern",
)
def side_that_is_searched(paper: Material) -> Finding:
    """Compare two sentences of the section."""
    links = paper.published("text", "3.2.2", "Side that links")
    searched = paper.published("text", "3.2.2", "Side that is searched")
    side = {"PRs": "pull requests"}
    because = (
        f"The {paper.count('text', '3.2.2', 'Number of keywords')} keywords link where they stand in "
        f"{side.get(links, links)}; the text searches {side.get(searched, searched)}."
    )
    return finding(links == searched, because, links=links, searched=searched)


@claim(
    "F14",
    "3.3",
    "About 500,000 issues and 100,000 fix pairs remain after pairing.",
    holds="The pairing has as many of both, rounded to one digit.",
    fails="It has another number of one of the two.",
    thresholds={"one digit": "section 3.3: each of its two numbers has one digit before the zeros"},
    weight=METHOD,
    quote="we obtain approximately 500,000 issues and around 100,000 fix pairs",
)
def after_pairing(paper: Material) -> Finding:
    """Compare with the counts after pairing, once they are here."""
    columns = {"issues": "Issues after pairing", "pairs": "Fix pairs after pairing"}
    stated = {name: paper.count("text", "3.3", column) for name, column in columns.items()}
    issues = paper.count("crawl", "all", "Issues")
    month = paper.published("crawl", "all", "Month")
    missing = (
        f"The crawl is not public; CodeRepoQA, crawled in {month} like this one, keeps {issues:,} issues and "
        "names no pairs"
    )
    if not_checkable := unless_known(paper, "pairing", missing):
        return not_checkable
    found = {name: paper.count("pairing", "all", name) for name in columns}
    right = all(float(f"{found[name]:.1g}") == stated[name] for name in columns)
    return finding(right, f"It has {found['issues']:,} issues and {found['pairs']:,} pairs.", found=found)


@claim(
    "F15",
    "3.3.1",
    "Six criteria filter the issues.",
    holds="The text lists as many.",
    fails="It lists another number.",
    weight=DETAIL,
    quote="we apply six criteria to filter the issue entries",
)
def issue_criteria(paper: Material) -> Finding:
    """Count the listed criteria."""
    return _as_many(paper, "3.3.1", "criteria")


@claim(
    "F16",
    "3.3.2",
    "Six steps filter the fix pairs.",
    holds="The text lists as many.",
    fails="It lists another number.",
    weight=DETAIL,
    quote="This filtering process consists of six steps",
)
def pair_steps(paper: Material) -> Finding:
    """Count the listed steps."""
    return _as_many(paper, "3.3.2", "steps")


@claim(
    "F17",
    "1, 3.3.2",
    "The benchmark addresses the challenge that earlier ones leave out changes of several files.",
    holds="The filters keep pull requests that change several files.",
    fails="The filters keep only those that change one file.",
    weight=METHOD,
    quote="LLMs struggle with tasks requiring multi-file changes ... To address these challenges, we present "
    "an evaluation of large language models",
)
def several_files(paper: Material) -> Finding:
    """Compare the challenge with the filter by changed files."""
    missing = paper.published("text", "1", "Weakness of earlier benchmarks")
    kept = paper.published("text", "3.3.2", "Files changed by a pull request")
    single = "single" in kept or kept == "one file"
    because = f"Section 1 asks for {missing}; section 3.3.2 keeps changes of {kept}, for all {ENTRIES} entries."
    return finding(not single, because, asked=missing, kept=kept)


@claim(
    "F18",
    "3.3.3",
    "Two researchers reviewed the selection independently.",
    holds="As many reviewers judged, and Cohen's kappa of their judgements is 0.61 or more.",
    fails="Another number of them judged, or kappa is lower.",
    thresholds={"0.61": "Landis and Koch (1977): agreement is substantial from here on, as in X15"},
    weight=METHOD,
    quote="two researchers independently reviewing the selections made by the LLMs",
)
def reviewers(paper: Material) -> Finding:
    """Compare with the reviewers' judgements, once they are here."""
    stated = paper.count("text", "3.3.3", "Reviewers")
    if not_checkable := unless_known(paper, "reviews", f"No judgement of the {stated} reviewers is published"):
        return not_checkable
    found = paper.count("reviews", "all", "reviewers")
    kappa = paper.number("reviews", "all", "kappa")
    because = f"{found} reviewers judged, with a kappa of {kappa:.2f}; the text says {stated}."
    return finding(found == stated and kappa >= SUBSTANTIAL, because, reviewers=found, kappa=kappa)


@claim(
    "F64",
    "Abstract, 3.3.3, Table 3",
    "An LLM and people check the entries, to ensure their quality.",
    holds="The text names a model that checks, and reviewers.",
    caveat="The model is one of those that are judged on the entries that it kept.",
    fails="It names no model, or no reviewers.",
    weight=METHOD,
    quote="employs both LLM and manual checks to ensure data quality",
)
def who_checks(paper: Material) -> Finding:
    """Look for the model that checks among those of Table 3."""
    model = paper.published("text", "3.3.3", "Model that checks")
    people = paper.count("text", "3.3.3", "Reviewers")
    because = f"{model} checks first, then {people} reviewers do."
    judged = scope(f"{model} is also one of the {len(paper.models)} models that are judged on what it kept.")
    caveat = judged if model in paper.models else None
    return finding(model != ABSENT and people > 0, because, caveat=caveat, model=model, reviewers=people)
