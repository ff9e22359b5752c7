from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from reader_bench import PINS, TASKS, listed

from selu.papers.selu.readers import READERS
from selu.sources import rows, tables
from selu.vocabulary import Kind, SeluError


class TestPackage:
    """Files made like the authors' scripts make them."""

    def parquet(self, folder: Path, task: str, columns: dict[str, list[Any]]) -> pd.DataFrame:
        path = folder / f"{task}.parquet"
        pd.DataFrame(columns).to_parquet(path, index=False)
        (file,) = PINS[task].origin("package").files
        raw = {file.name: tables.read(path, file.form)}
        return rows.check(READERS["package"](raw, TASKS[task]), TASKS[task])

    def test_one_label_column(self, tmp_path: Path) -> None:
        columns = {"id": [4, 5], "project": ["p", "q"], "text": ["a", "b"], "label": [1, 0]}
        table = self.parquet(tmp_path, "issue_intention", columns)
        assert listed(table, "id", "text", "label", "group") == [
            ("p000000", "a", 1, "p"),
            ("p000001", "b", 0, "q"),
        ]

    def test_a_number(self, tmp_path: Path) -> None:
        table = self.parquet(tmp_path, "story_points", {"id": [0], "text": ["a"], "label": [5]})
        assert table["label"].tolist() == [5.0]

    def test_label_columns_come_in_the_declared_order(self, tmp_path: Path) -> None:
        words = ["rational", "pointer", "deprecation", "usage", "expand", "ownership", "summary"]
        columns = {
            "id": [0],
            "text": ["a"],
            **{f"label_{word}": [int(word in "rational usage")] for word in words},
        }
        table = self.parquet(tmp_path, "comment_type_java", columns)
        assert table["label"].tolist() == [[0, 0, 0, 1, 0, 0, 1]]

    @pytest.mark.parametrize(
        ("task", "columns"),
        [
            ("incivility", {"text": ["a"], "label": [2]}),
            ("incivility", {"text": ["a"], "label": ["civil"]}),
            ("incivility", {"text": ["a"], "tag": [1]}),
            ("incivility", {"label": [1]}),
            ("incivility", {"text": [None], "label": [1]}),
            ("smell_doc", {"text": ["a"], "label_lazy": [1]}),
            (
                "smell_doc",
                {
                    "text": ["a"],
                    **{f"label_{n}": [3] for n in ["fragmented", "tangled", "excessive", "bloated", "lazy"]},
                },
            ),
        ],
    )
    def test_bad_files(self, tmp_path: Path, task: str, columns: dict[str, list[Any]]) -> None:
        with pytest.raises(SeluError, match=task):
            self.parquet(tmp_path, task, columns)

    def test_it_reads_every_task_with_a_parquet_file_and_pickles_are_refused(self, tmp_path: Path) -> None:
        for name, pin in PINS.items():
            (file,) = pin.origin("package").files
            if TASKS[name].kind in (Kind.ENTITIES, Kind.MASKED):
                (tmp_path / file.name).write_bytes(b"")
                with pytest.raises(SeluError, match="run any code"):
                    tables.read(tmp_path / file.name, file.form)
                continue
            labels: dict[str, list[Any]] = {"label": [1]}
            if TASKS[name].kind is Kind.MULTI_LABEL:
                labels = {f"label_{label.name.replace(' ', '')}": [1] for label in TASKS[name].labels}
            assert len(self.parquet(tmp_path, name, {"id": [0], "text": ["a"], **labels})) == 1
