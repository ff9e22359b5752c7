"""``selu report funnel --paper faun_eval``: the paper's filters on the published list of pairs.

The list has what every filter but the last one looks at: the issue, the commit and its subject, how many files
it changes, and the source file among them. What the files hold is not in it, so that nothing is said of edits
of comments only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from selu.files import to_json
from selu.papers.evidence import Evidence, Progress
from selu.papers.faun_eval.pipeline import known
from selu.papers.faun_eval.pipeline.filters.funnel import Funnel, run
from selu.papers.faun_eval.pipeline.filters.pairs import Fix, filters
from selu.papers.faun_eval.pipeline.pairs import Pair, Side
from selu.papers.faun_eval.pipeline.records import Changed
from selu.papers.faun_eval.records import FunnelRecord, FunnelStep
from selu.papers.pinned import obtain, read_pins
from selu.papers.table import Table

PINS = "pairs.csv"
RECORD, MADE_BY = "funnel.json", "report funnel"
FIELDS = ("finding", "pairs", "passed", "steps", "repositories")


def collect(evidence: Evidence, _progress: Progress) -> Mapping[str, str | bytes]:
    """Pass the list through the filters, each repository by itself.

    Raises:
        SeluError: the list is not available.
    """
    (pin,) = read_pins(evidence.pins() / PINS)
    rows = known.read(obtain(pin, evidence.copies()), pin.file)
    return {RECORD: to_json(count(rows))}


def count(rows: Sequence[known.Known]) -> FunnelRecord:
    """Count by filter what came, what passed and why the rest did not; and by repository."""
    found: dict[str, Funnel[Fix]] = {}
    for repository in sorted({row.repository for row in rows}):
        fixes = [_fix(row) for row in rows if row.repository == repository]
        used = filters([fix.pair for fix in fixes])[:-1]
        found[repository] = run(fixes, used, lambda fix: fix.name)
    steps: list[FunnelStep] = []
    for every in zip(*(funnel.steps for funnel in found.values()), strict=True):
        name = every[0].filter
        refused = (
            refusal.reason for funnel in found.values() for refusal in funnel.refusals if refusal.filter == name
        )
        steps.append(
            {
                "filter": name,
                "came": sum(step.came for step in every),
                "passed": sum(step.passed for step in every),
                "reasons": dict(sorted(Counter(refused).items())),
            }
        )
    passed = sum(len(funnel.passed) for funnel in found.values())
    hardest = max(steps, key=lambda step: step["came"] - step["passed"], default=None)
    finding = f"Of {len(rows):,} published pairs {passed:,} pass every filter that can be applied to the list."
    if hardest and hardest["came"] > hardest["passed"]:
        gone = hardest["came"] - hardest["passed"]
        finding += (
            f" The {hardest['filter']} refuses most: {gone:,} of the {hardest['came']:,} that come to it."
        )
    return {
        "finding": finding,
        "pairs": len(rows),
        "passed": passed,
        "steps": steps,
        "repositories": [
            {"repository": name, "pairs": funnel.steps[0].came, "passed": len(funnel.passed)}
            for name, funnel in found.items()
        ],
    }


def _fix(row: known.Known) -> Fix:
    pair = Pair(row.issue, None, row.commit, Side.COMMIT)
    return Fix(pair, (row.subject,), row.base, None, row.files, (Changed("M", row.path),))


def by_filter(record: FunnelRecord) -> Table:
    """Tabulate how many pairs reach and pass each filter, and why the others do not."""
    import pandas as pd

    rows = [
        {
            "Filter": step["filter"],
            "Came": f"{step['came']:,}",
            "Passed": f"{step['passed']:,}",
            "Refused because of": "; ".join(f"{reason}: {n:,}" for reason, n in step["reasons"].items()),
        }
        for step in record["steps"]
    ]
    caption = (
        f"The {record['pairs']:,} published pairs of an issue and a commit, through the paper's filters in its "
        "order. A pair counts for the first one that refuses it. Commits have no cross-references and are "
        "merged, so that the first two refuse none; the last one of the paper, which looks at what the files "
        "hold, is left out."
    )
    return Table("funnel", caption, pd.DataFrame(rows))


def by_repository(record: FunnelRecord) -> Table:
    """Tabulate how many pairs of each repository pass."""
    import pandas as pd

    rows = [
        {
            "Repository": row["repository"],
            "Pairs": f"{row['pairs']:,}",
            "Passed": f"{row['passed']:,}",
            "Share": f"{100 * row['passed'] / row['pairs']:.1f} %",
        }
        for row in record["repositories"]
    ]
    return Table("funnel_by_repository", "The same by repository.", pd.DataFrame(rows))
