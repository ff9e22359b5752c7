from __future__ import annotations

from reader_bench import Bench, listed

from selu.sources import rows


class TestComments:
    wide = (
        "class,comment_sentence,partition,label_usage,label_parameters,label_developmentnotes,label_expand,label_summary\n"
        "A,call it so,0,1,0,0,0,0\nB,the rest,0,0,0,1,1,0\nA,last,1,0,0,0,0,1\n"
    )

    @staticmethod
    def long(*sentences: tuple[int, str, str, dict[str, int]]) -> str:
        """Rows of the 2024 form: sentence id, class, text, and category -> partition where it is positive."""
        lines = ["comment_sentence_id,class,comment_sentence,partition,instance_type,category"]
        for category in ("Usage", "Parameters", "DevelopmentNotes", "Expand", "Summary"):
            for identity, name, text, positive in sentences:
                flag = int(category in positive)
                lines.append(f"{identity},{name},{text},{positive.get(category, 0)},{flag},{category}")
        return "\n".join(lines) + "\n"

    def test_text_and_labels(self, bench: Bench) -> None:
        table = bench.read("comment_type_python", {"comment_type_python.csv": self.wide})
        assert listed(table, "id", "text", "group") == [
            ("p000000", "call it so | A", "A"),
            ("p000001", "the rest | B", "B"),
            ("p000002", "last | A", "A"),
        ]
        assert table["label"].tolist() == [[1, 0, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]

    def test_the_long_form_gives_the_same_rows(self, bench: Bench) -> None:
        content = self.long(
            (9, "A", "last", {"Summary": 1}),
            (5, "B", "the rest", {"DevelopmentNotes": 0, "Expand": 0}),
            (2, "A", "call it so", {"Usage": 0}),
            (7, "C", "in both", {"Usage": 0, "Expand": 1}),  # left out: positive in both partitions
            (8, "D", "twice", {"Usage": 0}),  # left out: its text is positive in both
            (10, "E", "twice", {"Expand": 1}),
            (11, "F", "nowhere", {}),  # left out: no category
        )
        table = bench.read("comment_type_python", {"python.csv": content}, "original")
        same = bench.read("comment_type_python", {"comment_type_python.csv": self.wide})
        assert rows.canonical(table) == rows.canonical(same)
        assert table["source"].iloc[0] == "python.csv:3"

    def test_bad_values(self, bench: Bench) -> None:
        bad = self.wide.replace("A,last,1,0,0,0,0,1", "A,last,1,0,0,0,0,2")
        text = bench.refusal("comment_type_python", {"comment_type_python.csv": bad})
        assert "comment_type_python.csv:3: unknown label '2' in label_summary" in text
        good = self.long((2, "A", "x", {"Usage": 0}))
        for old, new, message in (
            ("0,Expand", "0,Praise", "'Praise'"),
            ("0,Expand", "5,Expand", "'5'"),
            ("2,A,x,0,0,Expand", "2,A,y,0,0,Expand", "two texts"),
            ("2,A,x,0,0,Expand", "two,A,x,0,0,Expand", "'two'"),
        ):
            content = good.replace(old, new)
            assert message in bench.refusal("comment_type_python", {"python.csv": content}, "original")
