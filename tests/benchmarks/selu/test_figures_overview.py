from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from selu.benchmarks.claims import counts
from selu.benchmarks.drawing import images
from selu.benchmarks.selu.figures_overview import overview
from selu.benchmarks.selu.summary import PARTIAL, depths
from selu.project import load_selu
from selu.vocabulary import Evidence


def test_bars_are_the_counts_of_cells_and_claims_and_the_bytes_are_the_same(root: Path) -> None:
    def read(name: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads((root / "reports" / "selu" / name).read_text("utf-8"))
        return found

    statistics, claims = (
        json.loads((root / "reports" / "selu" / "statistics.json").read_text()),
        read("claims.json"),
    )
    material, reruns = load_selu(root), read("cells.json")
    found = depths(material, reruns)
    assert {sum(column.values()) for column in found.values()} == {22}
    assert sum(column["absent by design"] for column in found.values()) == 36
    earned = Counter(cell["system"] for cell in reruns if cell["evidence"] == "re-earned")
    shown = {name: column["re-earned"] + column[PARTIAL] for name, column in found.items()}
    assert {name: count for name, count in shown.items() if count} == earned
    assert [found[name][PARTIAL] for name in ("tfidf-xgboost", "fasttext", "bert-base")] == [2, 2, 0]
    figures = [
        overview(statistics, counts(claims), found, {"Another": Counter({str(Evidence.RE_EARNED): 3})})
        for _ in range(2)
    ]
    ranking, cells, verdicts = figures[0].axes
    assert [label.get_text() for label in ranking.get_yticklabels()][-1] == "Another (not in the paper)"
    assert len(ranking.get_yticklabels()) == 29
    assert max(bar.get_x() + bar.get_width() for bar in cells.patches) == 22
    widths = [bar.get_width() for bar in verdicts.patches]
    assert widths == list(counts(claims).values())
    assert sum(widths) == len(claims)
    assert images(figures[0]) == images(figures[1])
