"""The issue reports: how many, from when, with what in them (abstract, 2.1)."""

from __future__ import annotations

from datetime import date
from itertools import product as product_of

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.nlbse24.claims._known import FILES, known
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
    """The latest day in the files must not be after the day of the extraction."""
    if missing := unless_known(m, "issue_dates", FILES):
        return missing
    latest = date.fromisoformat(m.printed("issue_dates", "all", "latest"))
    return finding(
        latest <= date(2023, 10, 5),
        f"The latest report is of {latest.isoformat()}.",
        latest=latest.isoformat(),
    )


@claim("N06", "2.1", "No report is in both the training and the test set.")
def no_shared_reports(m: Material) -> Finding:
    """Test reports whose title and body equal those of a training report."""
    if missing := unless_known(m, "issue_overlap", FILES):
        return missing
    equal = int(m.number("issue_overlap", "test", "equal to training"))
    return finding(equal == 0, f"{equal} test reports equal a training report.", equal=equal)


@claim("N07", "2.1", "Every report carries exactly one of the three labels.")
def one_label_each(m: Material) -> Finding:
    """Reports whose label is none of the three."""
    if missing := unless_known(m, "issue_labels", FILES):
        return missing
    others = int(m.number("issue_labels", "all", "without one of the three"))
    return finding(others == 0, f"{others} reports have another label or several.", others=others)


@claim("N08", "2.1", "The files hold the title, the body and the label of each report.")
def title_body_label(m: Material) -> Finding:
    """The names of the columns."""
    if missing := unless_known(m, "issue_columns", FILES):
        return missing
    names = m.printed("issue_columns", "all", "columns").split(", ")
    absent = [name for name in ("title", "body", "label") if name not in names]
    return finding(not absent, f"The {len(names)} columns lack {listed(absent)}.", columns=names)
