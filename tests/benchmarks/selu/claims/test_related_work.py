from __future__ import annotations

from alterations import Alter, printed
from claim_tests import ClaimTests
from redrawn import Draw, number, together

from selu.benchmarks.selu.claims import related_work
from selu.vocabulary import Activity, Verdict


def cited(coding: str) -> Alter:
    shares = {
        "effort saved": "35",
        "time saved on routine tasks": "50",
        "time spent on code": coding,
        "time spent on debugging": "14",
        "review studies with machine learning": "59",
    }
    return printed(*(("cited_shares", row, "percent", text) for row, text in shares.items()))


def works(development: str) -> Alter:
    counts = {Activity.SOFTWARE_DEVELOPMENT: development, Activity.SOFTWARE_MAINTENANCE: "29", "other": "21"}
    return printed(*(("figure1", str(row), "works", text) for row, text in counts.items()))


FLIPS: dict[str, tuple[Alter, Verdict]] = {
    "C021": (works("50"), Verdict.HOLDS),
    "C022": (cited("15"), Verdict.HOLDS),
}
OTHERS: tuple[tuple[str, Alter, Verdict], ...] = (
    ("C021", works("5"), Verdict.FAILS),
    ("C022", cited("51"), Verdict.FAILS),
)


SHARES = {
    "effort saved": 35,
    "time saved on routine tasks": 50,
    "time spent on code": 15,
    "time spent on debugging": 14,
    "review studies with machine learning": 59,
}
ACTIVITIES = [str(activity) for activity in Activity]
DRAWS: dict[str, Draw] = {
    "C021": together(
        *(number(("figure1", row, "works"), 0, 40, 0) for row in ACTIVITIES[2:]),
        *(
            number(("figure1", str(row), "works"), 50, 250, 0)
            for row in (Activity.SOFTWARE_DEVELOPMENT, Activity.SOFTWARE_MAINTENANCE)
        ),
    ),
    "C022": together(
        *(
            number(("cited_shares", row, "percent"), share - 1.5, share + 1.5, 1)
            for row, share in SHARES.items()
        )
    ),
}


class TestRelatedWork(ClaimTests):
    module, flips, others, draws = related_work, FLIPS, OTHERS, DRAWS
