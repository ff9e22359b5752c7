"""The issue reports: how many, from when, with what in them (abstract, 2.1)."""

from __future__ import annotations

from datetime import date
from email.utils import parsedate
from itertools import product as product_of
from math import prod

from selu.papers.claims import claim, exceptions, finding, listed, portion, scope, wording
from selu.papers.nlbse24.claims._known import DATA, FILES, unless_counted
from selu.papers.nlbse24.material import LABELS, REPOSITORIES, Material
from selu.vocabulary import Finding

QUESTION = DATA
PER_GROUP = "Reports per label, repository and split"
GROUPS = tuple("/".join(group).lower() for group in product_of(("train", "test"), REPOSITORIES, LABELS))
NOTEBOOK = "Issue extraction"  # row of ``protocol``: the competition's 1-Dataset.ipynb


def _product(paper: Material) -> tuple[float, str]:
    """Return the number of reports that section 2.1 implies, and the calculation as text."""
    factors = [paper.text("2.1", name) for name in (PER_GROUP, "Labels", "Repositories", "Splits")]
    product = prod(factors)
    return product, f"{' x '.join(f'{factor:.0f}' for factor in factors)} = {product:,.0f} reports"


@claim(
    "N01",
    "Abstract",
    "The models were fine-tuned and evaluated on 3 thousand issue reports.",
    weight="detail",
    quote="fine-tuned and evaluated on a benchmark dataset of 3 thousand issue reports",
    holds="Rounded to thousands, this is the number of reports that section 2.1 gives and that the two "
    "released files have together.",
    caveat="It is the number in section 2.1, but the files were not counted here.",
    fails="In section 2.1, or in the files, there is another number of thousands.",
)
def three_thousand_issues(paper: Material) -> Finding:
    """Compare the product of section 2.1 with the rows of the files (``issue_rows``)."""
    stated, (product, shown) = paper.text("Abstract", "Issue reports"), _product(paper)
    files = sum(paper.number("issue_rows", p, "rows") for p in GROUPS) if "issue_rows" in paper.tables else None
    return finding(
        all(round(count / 1000) == stated for count in (product, files) if count is not None),
        f"Section 2.1 gives {shown}" + ("." if files is None else f", and the two files have {files:,.0f}."),
        caveat=scope(f"{FILES}.") if files is None else None,
        reports=product,
        in_the_files=files,
    )


@claim(
    "N04",
    "2.1",
    "There are 100 reports of each label, repository and part, 3,000 in all.",
    weight="detail",
    quote="We therefore have one hundred issue reports per label and repository, for each of the training "
    "and test set",
    holds="The factors of section 2.1 give the total that it states, and each group of label, repository and "
    "part has the stated number of reports in the files.",
    caveat="The factors give the total, but the files were not counted here.",
    fails="The factors give another total, or a group has another number of reports.",
)
def hundred_of_each(paper: Material) -> Finding:
    """Compare the product with the groups of the files (``issue_rows``) if they were counted."""
    product, shown = _product(paper)
    stated, each = paper.text("2.1", "Issue reports"), paper.text("2.1", PER_GROUP)
    files = "issue_rows" in paper.tables
    off = [p for p in GROUPS if files and paper.number("issue_rows", p, "rows") != each]
    fit = f" {portion(len(GROUPS) - len(off), len(GROUPS))} groups in the files have {each:.0f} reports."
    return finding(
        product == stated and not off,
        f"Section 2.1 gives {shown} and states {stated:,.0f}.{fit if files else ''}",
        caveat=None if files else scope(f"{FILES}, so that no group was counted."),
        product=product,
        groups=len(GROUPS),
        differing=off,
    )


@claim(
    "N05",
    "2.1",
    "The reports are the most recently closed ones as of 5 October 2023.",
    weight="method",
    quote="We extracted the most recently closed issues at the time, i.e., October 5th 2023",
    holds="The competition's extraction notebook (1-Dataset.ipynb) takes closed reports by day of closing, "
    "newest first, up to the stated day, and no report in the files was opened after it.",
    caveat="It does so up to an earlier day than the stated one.",
    fails="The notebook takes them in another order or up to a later day, or a report was opened after the "
    "stated day.",
)
def closed_last(paper: Material) -> Finding:
    """Compare the notebook's order (``protocol``) with the opening dates in the files, if they were counted."""
    order, last = (paper.published("protocol", NOTEBOOK, name) for name in ("Order", "Latest day of closing"))
    text = paper.published("text", "2.1", "Day of extraction")
    limit, stated = date.fromisoformat(last), _day(text)
    files = "issue_dates" in paper.tables
    latest = date.fromisoformat(paper.published("issue_dates", "all", "latest")) if files else None
    groups, falling = (
        int(paper.number("issue_dates", "all", name)) if files else None
        for name in ("groups", "groups in falling order of creation")
    )
    by_closing = "clos" in order
    seen = (
        f" In the files {falling} of {groups} groups of repository and label are in order of opening, and "
        f"the latest report was opened on {latest}."
    )
    return finding(
        by_closing and limit <= stated and (latest is None or latest <= stated),
        f'The extraction notebook takes closed reports in the order "{order}", up to {limit} as day of closing.'
        + (seen if files else ""),
        caveat=wording(f"Section 2.1 says {text}.") if limit < stated else None,
        order=order,
        latest_closed=limit.isoformat(),
        latest_opened=latest and latest.isoformat(),
        groups=groups,
        in_order_of_opening=falling,
    )


def _day(text: str) -> date:
    """Parse a day like 'October 5th 2023', in any locale."""
    month, day, year = text.split()
    return date(*(parsedate(f"{day.rstrip('stndrh')} {month} {year} 00:00") or ())[:3])


@claim(
    "N06",
    "2.1",
    "No report is in both the training and the test set.",
    weight="method",
    quote="We partitioned the dataset into a training set and a test set using a 50/50 split.",
    holds="No test report was opened in the same repository and second as a training report, and none repeats "
    "the title and body of one.",
    caveat="None was opened so, but some repeat title and body of a training report.",
    fails="A test report was opened in the same repository and second as a training report.",
)
def no_shared_reports(paper: Material) -> Finding:
    """Count shared reports; two are the same if repository and second of opening are equal."""
    if missing := unless_counted(paper, "issue_overlap"):
        return missing
    reports, same, equal, other = (
        int(paper.number("issue_overlap", "test", column))
        for column in (
            "reports",
            "same report as in training",
            "equal to training",
            "equal to training, with another label",
        )
    )
    labels = f", {other} of them under another label" if other else ""
    return finding(
        same == 0,
        f"{portion(same, reports)} test reports were opened in the same repository and second as a training "
        "report.",
        caveat=exceptions(f"But {equal} repeat title and body of a training report{labels}.")
        if equal
        else None,
        same=same,
        equal_text=equal,
        equal_text_other_label=other,
    )


@claim(
    "N07",
    "2.1",
    "Every report carries exactly one of the three labels.",
    weight="method",
    quote="each issue is labeled with one class that indicates its type",
    holds="Every report in the files has one of the three labels in the only label column, and the "
    "competition's extraction notebook (1-Dataset.ipynb) skips reports that have several of them on GitHub.",
    fails="A report has another label, or the notebook keeps reports that have several.",
)
def one_label_each(paper: Material) -> Finding:
    """Count reports whose label is none of the three, and compare the notebook's rule (``protocol``)."""
    if missing := unless_counted(paper, "issue_labels"):
        return missing
    others = int(paper.number("issue_labels", "all", "without one of the three"))
    rule = paper.published("protocol", NOTEBOOK, "Several labels")
    return finding(
        others == 0 and rule == "skip",
        f"{f'{others} reports' if others else 'No report'} in the files has a label other than the "
        f"{len(LABELS)}. The extraction notebook's "
        f'rule for reports with several of them is "{rule}".',
        others=others,
        several_labels=rule,
    )


@claim(
    "N08",
    "2.1",
    "The files hold the title, the body and the label of each report.",
    weight="detail",
    quote="We extracted the following data attributes for each issue: the issue title or summary, and the "
    "issue body or description.",
    holds="Both files have the three columns, and no report is without title, body or label.",
    caveat="Every report has a title and a label, but up to half of the bodies are empty.",
    fails="A file lacks one of the columns, a report is without title or label, or more than half of the "
    "bodies are empty.",
    thresholds={"half": "our choice: GitHub takes a report without a body, but not without a title"},
)
def title_body_label(paper: Material) -> Finding:
    """Check the columns that both files have (``issue_columns``) and their empty fields (``issue_texts``)."""
    if missing := unless_counted(paper, "issue_columns") or unless_counted(paper, "issue_texts"):
        return missing
    names, stated = paper.published("issue_columns", "all", "columns").split(", "), ("title", "body", "label")
    absent = [name for name in stated if name not in names]
    reports, *empty = (
        int(sum(paper.number("issue_texts", part, column) for part in ("train", "test")))
        for column in ("reports", *(f"without {name}" for name in stated))
    )
    title, body, label = empty
    filled = listed(f"{reports - n:,} have a {name}" for name, n in zip(stated, empty, strict=True))
    return finding(
        not absent and not title and not label and 2 * body <= reports,
        f"Both files lack the column {listed(absent)}: they have {', '.join(names)}."
        if absent
        else f"Both files have the columns {', '.join(stated)}. Of {reports:,} reports {filled}.",
        caveat=exceptions(f"In {body} reports the body is empty.") if body else None,
        columns=names,
        without=dict(zip(stated, empty, strict=True)),
    )
