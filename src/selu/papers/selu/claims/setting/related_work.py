"""Numbers that the paper takes from surveyed and cited works (II, Figure 1)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, percent, unless_known
from selu.papers.selu.claims._published import published_column
from selu.papers.selu.claims._questions import CITED
from selu.papers.selu.material import Material
from selu.vocabulary import Activity, Finding

QUESTION = CITED


@claim(
    "C021",
    "II, III-A",
    "About 79 % of the surveyed works are about development or maintenance.",
    weight="detail",
    quote="about 79% of the works address the application of LLMs only in software development and "
    "maintenance-related tasks",
    holds="The share of these works in Figure 1, once its counts are known, lies within 1 point of 79 %.",
    fails="The share is further away.",
    thresholds={"1 point": 'our choice: "about" one unit of the last published digit'},
)
def surveyed_works_on_development(paper: Material) -> Finding:
    """Check the share of works; needs figure1.csv: a row per activity (our fixed words), column works."""
    if missing := unless_known(paper, "figure1", "The paper does not give the counts behind Figure 1"):
        return missing
    stated, margin = 0.79, 0.01
    works = {row: paper.number("figure1", row, "works") for row in published_column(paper, "figure1", "works")}
    counted = sum(works.get(a, 0.0) for a in (Activity.SOFTWARE_DEVELOPMENT, Activity.SOFTWARE_MAINTENANCE))
    share = counted / sum(works.values()) if any(works.values()) else 0.0
    return finding(
        abs(share - stated) <= margin,
        f"{counted:g} of {sum(works.values()):g} works ({percent(share)}) are about development or "
        "maintenance.",
        works=works,
        share=share,
    )


@claim(
    "C022",
    "II-A, II-B",
    "The five shares that the paper cites (35, 50, 15, 14 and 59 %) are those of the cited works.",
    weight="detail",
    quote="These tools can reduce developer effort by about 35% and deliver up to 50% time savings on "
    "routine tasks",
    holds="Each of the five shares, once the cited works are here, lies within 1 point of that in the paper.",
    fails="One of them is further away.",
    thresholds={"1 point": 'our choice: "about" one unit of the last published digit'},
)
def cited_productivity_shares(paper: Material) -> Finding:
    """Check the shares; needs cited_shares.csv: rows as in ``stated``, column percent."""
    if missing := unless_known(
        paper, "cited_shares", "The cited works, which have the five shares, are not available here"
    ):
        return missing
    stated = {
        "effort saved": 35.0,
        "time saved on routine tasks": 50.0,
        "time spent on code": 15.0,
        "time spent on debugging": 14.0,
        "review studies with machine learning": 59.0,
    }
    source = {row: paper.number("cited_shares", row, "percent") for row in stated}
    off = [row for row in stated if not abs(source[row] - stated[row]) <= 1.0]
    return finding(
        not off,
        f"{len(stated) - len(off)} of the {len(stated)} shares are as the cited works say"
        f"{f'; not {listed(off)}' if off else ''}.",
        stated=stated,
        in_source=source,
    )
