from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from reader_bench import PINS, TASKS, Bench, Contents, listed

from selu.papers.selu.readers import READERS, texts
from selu.sources import rows
from selu.vocabulary import SeluError


def test_every_pin_names_a_reader_and_every_reader_is_named() -> None:
    named = {origin.reader for pin in PINS.values() for origin in pin.origins}
    assert named == set(READERS)


class TestRequirements:
    head = "ProjectID,RequirementText,IsFunctional,IsQuality\n"
    contents: Contents = {  # noqa: RUF012
        "dronology.csv": head + '1,"It shall fly, and land.",1,0\n',
        "leeds.csv": head + "1,It shall be open.,0,1\n",
        "promise-reclass.csv": "ProjectID,RequirementText,Class,IsFunctional,IsQuality\n"
        "1,'It shall be quick.',PE,0,1\n2,It ends so.',F,1,0\n",
        "reqview.csv": head + "1,NULL,1,1\n",
        "wasp.csv": head + "3,It shall ask.,1,0\n",
    }

    def test_files_in_published_order_without_the_quotes_of_promise(self, bench: Bench) -> None:
        table = bench.read("functional_requirement", self.contents)
        assert listed(table, "id", "text", "label", "group", "source") == [
            ("p000000", "It shall fly, and land.", 1, "dronology 1", "dronology.csv:1"),
            ("p000001", "It shall be open.", 0, "leeds 1", "leeds.csv:1"),
            ("p000002", "It shall be quick.", 0, "promise-reclass 1", "promise-reclass.csv:1"),
            ("p000003", "It ends so.'", 1, "promise-reclass 2", "promise-reclass.csv:2"),
            ("p000004", "NULL", 1, "reqview 1", "reqview.csv:1"),
            ("p000005", "It shall ask.", 1, "wasp 3", "wasp.csv:1"),
        ]
        assert table["label"].dtype == "int64"

    def test_quality_is_the_other_column(self, bench: Bench) -> None:
        assert bench.read("quality_requirement", self.contents)["label"].tolist() == [0, 1, 1, 0, 1, 0]

    def test_unknown_label(self, bench: Bench) -> None:
        text = bench.refusal("quality_requirement", self.contents | {"wasp.csv": self.head + "1,x,1,2\n"})
        assert "wasp.csv:1" in text
        assert "'2'" in text

    def test_wrong_columns(self, bench: Bench) -> None:
        bad = self.contents | {"leeds.csv": "ProjectID,Text,IsFunctional,IsQuality\n1,x,1,0\n"}
        assert "leeds.csv has no column 'RequirementText'" in bench.refusal("quality_requirement", bad)


class TestSecurity:
    lines = ['" ""The card; shall be safe.""";sec', "The user\x92s name\xa0is shown;nonsec"]  # noqa: RUF012

    def contents(self, gps: dict[int, str]) -> Contents:
        """GPS with plain lines except for those given by their number."""
        body = [gps.get(number, f"line {number};sec") for number in range(1, 179)]
        files = {"CPN.csv": [self.lines[0]], "ePurse-selective.csv": [self.lines[1]], "GPS.csv": body}
        return {name: "".join(f"{line}\r\n" for line in text).encode("latin-1") for name, text in files.items()}

    def test_quotes_bytes_and_the_two_lines_without_a_label(self, bench: Bench) -> None:
        table = bench.read("security_requirement", self.contents({101: "x;xyz", 178: " ;"}))
        assert len(table) == 178
        assert listed(table.iloc[:2], "text", "label", "group") == [
            (' "The card; shall be safe."', 1, "CPN"),
            ("The users nameis shown", 0, "ePurse-selective"),
        ]
        assert "GPS.csv:101" not in set(table["source"])
        assert table["id"].iloc[-1] == "p000177"

    @pytest.mark.parametrize(("number", "line"), [(100, "x;xyz"), (101, "x;abc"), (177, " ;")])
    def test_no_other_line_may_lack_its_label(self, bench: Bench, number: int, line: str) -> None:
        text = bench.refusal("security_requirement", self.contents({number: line}))
        assert f"GPS.csv:{number}" in text

    def test_a_line_without_separator_is_torn(self, bench: Bench) -> None:
        assert "line 7" in bench.refusal("security_requirement", self.contents({7: "no separator"}))


class TestTones:
    def test_incivility_blocks(self, bench: Bench) -> None:
        mail, issue = "thread_id,quotation,quotation_code\n", "issue_id,quotation,quotation_code\n"
        table = bench.read(
            "incivility",
            {
                "lkml_civil.csv": mail + "7,Thanks!,civil\n",
                "lkml_uncivil.csv": mail + "7,No!,uncivil\n",
                "gh_civil.csv": issue + "7,Sorry.,civil\n",
                "gh_uncivil.csv": issue + "8,Rubbish.,uncivil\n",
            },
        )
        assert listed(table, "text", "label", "group") == [
            ("Thanks!", 1, "lkml 7"),
            ("No!", 0, "lkml 7"),
            ("Sorry.", 1, "gh 7"),
            ("Rubbish.", 0, "gh 8"),
        ]

    def test_tone_bearing_keeps_published_positions(self, bench: Bench) -> None:
        names = "ahlaam_preprocessed_text,email_classification\n"
        table = bench.read(
            "tone_bearing",
            {
                "lkml_technical.csv": f"thread_id,{names}1,a,technical\n1,b,technical\n",
                "lkml_non_technical.csv": f"thread_id,{names}1,c,not_technical\n",
                "gh_non_technical.csv": f"issue_id,{names}1,d,not_technical\n",
                "gh_technical_subset.csv": f"issue_id,{names}1,e,technical\n2,f,technical\n",
            },
        )
        ids = ["p000000", "p000001", "p001327", "p005893", "x000000", "x000001"]
        assert listed(table, "id", "label") == list(zip(ids, [0, 0, 1, 1, 0, 0], strict=True))

    def test_unknown_label(self, bench: Bench) -> None:
        bad = {"lkml_technical.csv": "thread_id,ahlaam_preprocessed_text,email_classification\n1,a,civil\n"}
        assert "'civil'" in bench.refusal("tone_bearing", {**self.empty(), **bad})

    @staticmethod
    def empty() -> Contents:
        names = "ahlaam_preprocessed_text,email_classification\n"
        files = ("lkml_technical", "lkml_non_technical", "gh_non_technical", "gh_technical_subset")
        return {f"{file}.csv": f"{'thread' if file[0] == 'l' else 'issue'}_id,{names}" for file in files}


def workbook(columns: list[str], *records: list[str]) -> pd.DataFrame:
    return pd.DataFrame(records, columns=columns, dtype=object)


ASPECTS = "BenchmarkUddinSO-ConsoliatedAspectSentiment.xls"


class TestReviews:
    names = ["thread", "sent", "ManualLabel", "codes"]  # noqa: RUF012

    def aspects(self, codes: str) -> pd.DataFrame:
        table = workbook(self.names, ["12", '"It is fast."', "p", codes])
        return rows.check(
            READERS["review_aspect"]({ASPECTS: table}, TASKS["review_aspect"]), TASKS["review_aspect"]
        )

    @pytest.mark.parametrize(
        ("codes", "expected"),
        [
            ("[\"'Usability'\"]", {0}),
            ("[u\"'OnlySentiment'\"]", {2}),
            ("[\"'Bug'\", \"'Legal'\", \"'Bug'\"]", {3, 8}),
            ("[]", set()),
        ],
    )
    def test_codes(self, codes: str, expected: set[int]) -> None:
        (label,) = self.aspects(codes)["label"]
        assert {number for number, flag in enumerate(label) if flag} == expected
        assert len(label) == 11

    @pytest.mark.parametrize(
        "codes", ["[\"'Speed'\"]", "Usability", "__import__('os').system('true')", "[", "3"]
    )
    def test_bad_codes_are_refused_and_never_run(self, codes: str) -> None:
        with pytest.raises(SeluError, match="xls:1"):
            self.aspects(codes)

    def test_sentiment_joins_three_sources(self) -> None:
        raw = {
            ASPECTS: workbook(
                self.names, ["12", "a", "n", "[]"], ["12", "b", "o", "[]"], ["13", "c", "p", "[]"]
            ),
            "github_gold.csv.gz": workbook(["ID", "Polarity", "Text"], ["1", "positive", 'd"']),
            "StackOverflow_lin2018.csv": workbook(
                ["Comment", "Sentiment"],
                *([f"row {number}", ("Negative", "Neutral", "Positive")[number % 3]] for number in range(1500)),
            ),
        }
        table = rows.check(READERS["sentiment"](raw, TASKS["sentiment"]), TASKS["sentiment"])
        found = listed(table, "id", "text", "label", "group")
        assert found[:4] == [
            ("p000000", "a", 0, "thread 12"),
            ("p000001", "b", 1, "thread 12"),
            ("p000002", "c", 2, "thread 13"),
            ("p000003", 'd"', 2, ""),
        ]
        stored = Path(texts.__file__).with_name("sentiment_order.txt").read_text("utf-8").split()
        assert sorted(map(int, stored)) == list(range(1500))
        assert found[4:] == [
            (f"p{place:06d}", f"row {number}", number % 3, "")
            for place, number in enumerate(map(int, stored), 4)
        ]
        short = {**raw, "StackOverflow_lin2018.csv": raw["StackOverflow_lin2018.csv"].iloc[:4]}
        with pytest.raises(SeluError, match="has 4 rows where 1500 are known"):
            READERS["sentiment"](short, TASKS["sentiment"])
        raw["StackOverflow_lin2018.csv"].loc[0, "Sentiment"] = "negative"
        with pytest.raises(SeluError, match=r"StackOverflow_lin2018\.csv:1: unknown label 'negative'"):
            READERS["sentiment"](raw, TASKS["sentiment"])


class TestSmells:
    head = "Documentation Text,Fragmented,Tangled,Excessive Structured,Bloated,Lazy\n"

    def test_carriage_returns_of_any_library_give_the_same_text(self, bench: Bench) -> None:
        table = bench.read("smell_doc", {"smell_doc.csv": self.head + '"a_x000D_\nb",0,0,1,0,1\n'})
        assert listed(table, "text", "label") == [("a_x000D_\nb", [0, 0, 1, 0, 1])]
        other = bench.read("smell_doc", {"smell_doc.csv": self.head + '"a\r\nb",0,0,1,0,1\n'})
        assert rows.canonical(table) == rows.canonical(other)

    def test_unknown_label(self, bench: Bench) -> None:
        text = bench.refusal("smell_doc", {"smell_doc.csv": self.head + "a,0,0,yes,0,1\n"})
        assert "'yes' in Excessive Structured" in text


class TestStoryPoints:
    head = "issuekey,title,description,storypoint\n"

    def contents(self, first: str) -> Contents:
        names = [file.name.removesuffix(".gz") for file in PINS["story_points"].origin("mirror").files]
        return dict.fromkeys(names, self.head) | {names[0]: self.head + first}

    def test_title_and_description(self, bench: Bench) -> None:
        table = bench.read(
            "story_points", self.contents('A-1,Do it,"at once",5\nA-2,Do it,NULL,0.5\nA-3,Do it,,100\n')
        )
        assert listed(table, "text", "label", "group") == [
            ("Do it.\nat once", 5.0, "appceleratorstudio"),
            ("Do it", 0.5, "appceleratorstudio"),
            ("Do it", 100.0, "appceleratorstudio"),
        ]
        assert table["label"].dtype == "float64"

    @pytest.mark.parametrize("points", ["", "many", "nan", "inf"])
    def test_points_that_are_no_number(self, bench: Bench, points: str) -> None:
        text = bench.refusal("story_points", self.contents(f"A-1,Do it,now,{points}\n"))
        assert "appceleratorstudio.csv:1" in text or "row p000000: label is" in text

    def test_a_missing_project_is_named(self) -> None:
        with pytest.raises(SeluError, match="the file appceleratorstudio is missing"):
            READERS["story_points"]({}, TASKS["story_points"])
