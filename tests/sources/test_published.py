from __future__ import annotations

import csv
import random
import re
import shutil
from pathlib import Path

import pytest

from selu.sources.published import check_pins, read_all, read_pins, read_table, read_wide
from selu.vocabulary import SeluError

PAPER = Path(__file__).parents[2] / "data" / "paper" / "selu"
PINS = Path(__file__).parents[2] / "data" / "pins" / "selu" / "paper.csv"
SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PAPER, tmp_path / "paper"))


def refusal(folder: Path) -> str:
    with pytest.raises(SeluError) as caught:
        check_pins(read_all(folder), read_pins(PINS), folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_tracked_tables_agree_with_their_pins():
    tables = read_all(PAPER)
    check_pins(tables, read_pins(PINS), PAPER)
    assert len(tables["table6"]) == 616
    assert sum(cell.published != "-" for cell in tables["table6"].values()) == 580


@pytest.mark.parametrize("seed", range(4))
def test_any_changed_number_is_named_by_its_place(folder, seed):
    rng = random.Random(seed)
    path = rng.choice(sorted(folder.glob("*.csv")))
    rows = list(csv.reader(path.open()))
    line = rng.randrange(1, len(rows))
    rows[line][3] = "0.123456"
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    message = refusal(folder)
    assert path.name in message
    assert repr(rows[line][1]) in message
    assert repr(rows[line][2]) in message
    assert "0.123456" in message


def test_a_missing_number_and_a_missing_table_are_named(folder):
    path = folder / "table6.csv"
    kept = [line for line in path.read_text().splitlines() if not line.startswith("VI,smell_doc,GPT-2 xl,")]
    path.write_text("\n".join(kept) + "\n")
    assert "row 'smell_doc', column 'GPT-2 xl': reads nothing where 0.703 is pinned" in refusal(folder)
    (folder / "table5.csv").unlink()
    assert "table5.csv is missing (2 differences in all)" in refusal(folder)


def test_an_extra_cell_and_an_extra_table_are_named(folder):
    with (folder / "table5.csv").open("a") as stream:
        stream.write("V,Core non-code,Proprietary M,0.5\n")
    assert "reads 0.5 where nothing is pinned" in refusal(folder)
    shutil.copy(PAPER / "table5.csv", folder / "table5.csv")
    shutil.copy(PAPER / "table5.csv", folder / "table7.csv")
    assert "where nothing is pinned" in refusal(folder)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text + "VI,smell_doc,GPT-2 xl,0.703\n", "duplicate cell, row 'smell_doc'"),
        (lambda text: text.replace("printed", "value", 1), "unknown column 'value'"),
        (lambda text: text[: len(text) // 2], "truncated"),
        (lambda text: text.replace("\nVI,smell_doc", "\nXX,smell_doc", 1), "table 'XX' where line 2 has 'VI'"),
        (lambda text: text[: text.rindex(",")] + "\n", "line 617"),
        (lambda text: "", "the header ''"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(folder, damage, message):
    path = folder / "table6.csv"
    path.write_text(damage(path.read_text()))
    with pytest.raises(SeluError, match=re.escape(message)) as caught:
        read_all(folder)
    assert "table6.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


PLACES = [("A", "bugs"), ("A", "tests"), ("B c", "bugs"), ("B c", "tests")]


def test_a_second_copy_in_wide_form_says_what_one_line_for_each_place_says(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,size,Bugs,tests\na,7B,**0.50**,n/a\n\nB C,,0.4,81.2 %\nMean,,0.45,\n", "utf-8")
    assert read_wide(path, PLACES) == {
        ("A", "bugs"): "0.50",
        ("A", "tests"): "-",
        ("B c", "bugs"): "0.4",
        ("B c", "tests"): "81.2 %",
        ("Mean", "bugs"): "0.45",  # which the table lacks
    }
    path.write_text("model;bugs;tests\n`A`;0,50;-\n", "utf-8")  # as Excel writes it where decimals have a comma
    assert read_wide(path, PLACES) == {("A", "bugs"): "0.50", ("A", "tests"): "-"}
    for text, message in (
        ("model,bugs\nA,0.5,0.6\n", "row 2 has 3 columns, row 1 has 2"),
        ("model,bugs\nA,0.5\na,0.6\n", "row 3: 'A' on 'bugs' stands twice"),
        ("", "the file is empty"),
        ("model,bugs\n", "no row comes after it"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(SeluError, match=re.escape(message)):
            read_wide(path, PLACES)


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(SeluError, match="no readable table"):
        read_all(tmp_path)
    with pytest.raises(SeluError, match="missing"):
        read_pins(tmp_path / "paper.csv")
    path = tmp_path / "t.csv"
    path.write_bytes(b"table,row,column,printed\nI,\xff\xfe,x,1\n")
    with pytest.raises(SeluError, match="not UTF-8"):
        read_table(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(SeluError, match=r"t.csv can't be read .it is a folder, a pipe or a device"):
        read_table(path)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """The paper's text, line by line."""
    text = (SHARED / "papers" / "selu.txt").read_text("utf-8").replace("\xa0", " ")
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the paper's text is not beside this clone")
class TestAgainstThePapersText:
    """The tables as data against the printed text itself, read here a second time."""

    def test_table_6(self, lines):
        start = next(i for i, line in enumerate(lines) if line.startswith("TABLE VI:"))
        names = lines[start + 2 : start + 30]
        published = {}
        for line in lines[start + 30 :]:
            fields = re.sub(r"^(Regr\.|NER|MLM) ", "", line).split(" ")
            if len(fields) == 29 and re.fullmatch(r"[a-z_]+", fields[0]):
                published |= {(fields[0], name): value for name, value in zip(names, fields[1:], strict=True)}
        table = {place: cell.published for place, cell in read_table(PAPER / "table6.csv").items()}
        assert published == table

    def test_table_4(self, lines):
        start = next(i for i, line in enumerate(lines) if line.startswith("TABLE IV:"))
        table = read_table(PAPER / "table4.csv")
        pattern = re.compile(r"(.+) (\S+) (\S+) \[(\S+), (\S+)\] (\S+) (neg\.|sml\.|med\.|lar\.)")
        for rank, line in enumerate(lines[start + 2 : start + 30], start=1):
            name, *values = pattern.fullmatch(line).groups()
            columns = ("M", "SD", "CI lower", "CI upper", "d", "Mag.")
            assert [table[name, column].published for column in columns] == values
            assert table[name, "Rank"].published == str(rank)

    def test_table_5_and_the_aggregates(self, lines):
        start = next(i for i, line in enumerate(lines) if line.startswith("TABLE V: "))
        table = read_table(PAPER / "table5.csv")
        for line in lines[start + 3 : start + 9]:
            name, *values = re.fullmatch(r"(.+?) (0\S+) (0\S+) (0\S+) (0\S+)", line).groups()
            columns = ("Generalist M", "Generalist SD", "Domain-adapted M", "Domain-adapted SD")
            assert [table[name, column].published for column in columns] == values
        aggregates = read_table(PAPER / "table6_aggregates.csv")
        for line in lines[lines.index("Family") + 1 :]:
            if match := re.match(r"([A-Z][A-Za-z -]+?) (?=M = )", line):
                values = re.findall(r"0\.\d+", line)
                ours = [
                    c.published for (row, _), c in aggregates.items() if row == match[1] and c.published != "-"
                ]
                assert ours == values, line

    def test_tables_1_and_3(self, lines):
        text = "\n".join(lines)
        table1, table3 = read_table(PAPER / "table1.csv"), read_table(PAPER / "table3.csv")
        for task in {row for row, _ in table1}:
            values = [re.escape(table1[task, column].published) for column in ("Instances", "Targets", "Ref.")]
            assert re.search(rf"(^| ){task} .+ {' '.join(values)}$", text, re.MULTILINE), task
        for name in {row for row, _ in table3}:
            values = [table3[name, column].published for column in ("Size", "Architecture", "Source")]
            assert f"{name} {' '.join(values)}" in lines, name


@pytest.mark.parametrize("published", ["0.7_03", "٠.703", "nan", "inf", " 0.703", "1e400"])
def test_a_number_that_python_alone_reads_is_refused_by_its_line(tmp_path, published):
    """``--what-if`` would compute verdicts from 0.703 where 0.7_03 is written."""
    path = tmp_path / "t.csv"
    path.write_text(f"table,row,column,printed\nI,a,b,0.832 *\nI,a,c,{published}\n", "utf-8")
    with pytest.raises(SeluError, match=r"t.csv, line 3: .* is a number in a form that no paper uses"):
        read_table(path)
