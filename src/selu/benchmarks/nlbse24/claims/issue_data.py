"""The issue reports: how many, from when, with what in them (abstract, 2.1)."""

from __future__ import annotations

from datetime import date
from itertools import product as product_of

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24.claims._known import FILES, known, unless_counted
from selu.benchmarks.nlbse24.material import LABELS, PER_LABEL, REPOSITORIES, Material
from selu.vocabulary import Finding


def _product(m: Material) -> float:
    factors = ("Reports per label, repository and split", "Labels", "Repositories", "Splits")
    product = 1.0
    for factor in factors:
        product *= m.text("2.1", factor)
    return product


@claim("N01", "Abstract", "The models were evaluated on three thousand issue reports.")
def three_thousand_issues(m: Material) -> Finding:
    """The product of section 2.1; a split in halves leaves half of it to evaluate on."""
    stated, product = 1000 * m.text("Abstract", "Issue reports"), _product(m)
    tested = product / m.text("2.1", "Splits")
    return finding(
        product == stated,
        f"Section 2.1 counts {product:,.0f} reports, the abstract {stated:,.0f}.",
        caveat=f"Only the {tested:,.0f} of the test part are evaluated on; the others train."
        if tested < stated
        else None,
        reports=product,
        test=tested,
    )


@claim("N04", "2.1", "There are 100 reports of each label, repository and part, 3,000 in all.")
def hundred_of_each(m: Material) -> Finding:
    """The product, and the groups of the files (``issue_rows``) where they were counted."""
    product, stated = _product(m), m.text("2.1", "Issue reports")
    groups = product_of(("train", "test"), REPOSITORIES, LABELS)
    places = ["/".join(group).lower() for group in groups]
    files = known(m, "issue_rows")
    off = [p for p in places if files and m.number("issue_rows", p, "rows") != PER_LABEL]
    return finding(
        product == stated and not off,
        f"100 x 3 x 5 x 2 is printed as {stated:,.0f}, the factors give {product:,.0f}; "
        f"{len(off)} of {len(places)} groups are known to differ.",
        caveat=None if files else f"{FILES}, so that no group was counted.",
        product=product,
        groups=len(places),
        differing=off,
    )


@claim("N05", "2.1", "The reports are those closed last before 5 October 2023.")
def closed_last(m: Material) -> Finding:
    """No report of the files may be younger than the extraction; when one was closed, they do not say."""
    if missing := unless_counted(m, "issue_dates"):
        return missing
    earliest, latest = (m.printed("issue_dates", "all", name) for name in ("earliest", "latest"))
    groups, falling, split = (
        int(m.number("issue_dates", "all", name))
        for name in ("groups", "groups in falling order of creation", "groups split report by report")
    )
    return finding(
        date.fromisoformat(latest) <= date(2023, 10, 5),
        f"Reports were opened from {earliest} to {latest}.",
        caveat=f"The files give no day of closing; {falling} of {groups} groups of repository and label stand "
        f"in order of opening, and {split} are split in that order, report by report.",
        earliest=earliest,
        latest=latest,
        groups=groups,
        in_order_of_opening=falling,
        split_in_that_order=split,
    )


@claim("N06", "2.1", "No report is in both the training and the test set.")
def no_shared_reports(m: Material) -> Finding:
    """The same report: of one repository and second of opening. Another one of the same text is a caveat."""
    if missing := unless_counted(m, "issue_overlap"):
        return missing
    same, equal, other = (
        int(m.number("issue_overlap", "test", column))
        for column in (
            "same report as in training",
            "equal to training",
            "equal to training, with another label",
        )
    )
    return finding(
        same == 0,
        f"{same} test reports were opened in the same repository and second as a training report.",
        caveat=f"But {equal} repeat title and body of a training report, {other} of them under another label."
        if equal
        else None,
        same=same,
        equal_text=equal,
        equal_text_other_label=other,
    )


@claim("N07", "2.1", "Every report carries exactly one of the three labels.")
def one_label_each(m: Material) -> Finding:
    """Reports whose label is none of the three."""
    if missing := unless_counted(m, "issue_labels"):
        return missing
    others = int(m.number("issue_labels", "all", "without one of the three"))
    return finding(others == 0, f"{others} reports have another label or several.", others=others)


@claim("N08", "2.1", "The files hold the title, the body and the label of each report.")
def title_body_label(m: Material) -> Finding:
    """The names of the columns."""
    if missing := unless_counted(m, "issue_columns"):
        return missing
    names = m.printed("issue_columns", "all", "columns").split(", ")
    absent = [name for name in ("title", "body", "label") if name not in names]
    return finding(not absent, f"The {len(names)} columns lack {listed(absent)}.", columns=names)
