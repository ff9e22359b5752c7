from __future__ import annotations

import gzip
import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from selu.sources.pins import Form, FormKind
from selu.sources.tables import read
from selu.vocabulary import SeluError

CSV = Form(FormKind.CSV)
Write = Callable[[str, bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return writer


def refusal(path: Path, form: Form, **options: int) -> str:
    with pytest.raises(SeluError) as error:
        read(path, form, **options)
    text = str(error.value)
    assert str(path) in text
    assert "\n" not in text
    return text


def records(path: Path, form: Form) -> list[list[object]]:
    table = read(path, form)
    assert isinstance(table, pd.DataFrame)
    return [list(table.columns), *table.to_numpy().tolist()]


class TestCsv:
    def test_values_stay_text(self, write: Write) -> None:
        path = write("a.csv", b"id,text\n007,NULL\n1e3,nan\n,\nTrue,NA\n")
        assert records(path, CSV) == [["id", "text"], ["007", "NULL"], ["1e3", "nan"], ["", ""], ["True", "NA"]]

    def test_line_breaks_and_quotes_inside_a_field_are_kept(self, write: Write) -> None:
        path = write("a.csv", b'a,b\r\n"x\r\ny","say ""hi"""\r\n')
        assert records(path, CSV)[1] == ["x\r\ny", 'say "hi"']

    def test_separator_encoding_and_names_of_the_form(self, write: Write) -> None:
        form = Form(FormKind.CSV, ";", "latin-1", header=False, columns=("text", "label"))
        assert records(write("a.csv", b"caf\xe9;sec\r\n"), form) == [["text", "label"], ["café", "sec"]]

    def test_without_quoting_quotes_are_letters(self, write: Write) -> None:
        path = write("a.csv", b'a,b\n"x,y"\n')
        assert records(path, Form(FormKind.CSV, quote=False))[1] == ['"x', 'y"']

    def test_gzip(self, write: Write) -> None:
        whole = gzip.compress(b"a\n1\n", mtime=0)
        path = write("a.csv.gz", gzip.compress(b"a\n") + gzip.compress(b"1\n"))
        assert records(path, CSV) == [["a"], ["1"]]
        assert "unpacks to more than the limit of 3 bytes" in refusal(path, CSV, limit=3)
        damaged = [whole[:end] for end in range(len(whole))]
        damaged += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in range(10, len(whole))]
        damaged += [whole + behind for behind in (b"x", b"\x1f\x8b", b"\x1f\x8bxxxx", b"a\n1\n")]
        for data in damaged:
            path.write_bytes(data)
            assert "not whole gzip data" in refusal(path, CSV)

    def test_a_bomb_is_refused_without_unpacking_all_of_it(self, write: Write) -> None:
        path = write("a.txt.gz", gzip.compress(bytes(20_000_000)))  # 1/1030 packed
        assert "unpacks to more than 1,000 times its size" in refusal(path, Form(FormKind.LINES))
        path.write_bytes(gzip.compress(b"\n" * (1 << 20)))
        assert len(read(path, Form(FormKind.LINES))) == 1 << 20

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"id,text\n1,x\n", "'label'"),
            (b"id,label,id\n", "'id' twice"),
            (b"id,text,label\n1,x\n", "2 fields instead of 3 in line 2"),
            (b"id,text,label\n1,x,y,z\n", "4 fields instead of 3 in line 2"),
            (b'id,text,label\n1,"x,y\n2,b,c\n', "damaged in line"),
            (b'id,text,label\n1,"x"y,z\n', "damaged in line 2"),
            (b"", "is empty"),
            (b"id,text,label\n1,caf\xe9,x\n", "byte 0xe9 at position 19"),
            ("id,text,label\n1,é,x\n".encode() + b"2,\x92,y\n", "byte 0x92 at position"),
        ],
    )
    def test_bad_files_are_refused_by_place(self, write: Write, data: bytes, message: str) -> None:
        text = refusal(write("a.csv", data), Form(FormKind.CSV, columns=("id", "label")))
        assert message in text
        assert "selu fetch" in text

    def test_another_separator_than_declared(self, write: Write) -> None:
        assert "'b'" in refusal(write("a.csv", b"a;b\n1;2\n"), Form(FormKind.CSV, columns=("a", "b")))

    def test_unknown_encoding_blames_the_pin(self, write: Write) -> None:
        assert "pin" in refusal(write("a.csv", b"a\n"), Form(FormKind.CSV, encoding="klingon"))

    def test_missing_file(self, tmp_path: Path) -> None:
        for name, kind in (("a.csv", FormKind.CSV), ("a.parquet", FormKind.PARQUET), ("a.gz", FormKind.LINES)):
            assert "missing" in refusal(tmp_path / name, Form(kind))

    cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)

    @settings(max_examples=150, deadline=None)
    @given(rows=st.lists(st.tuples(cells, cells), max_size=6))
    def test_what_csv_writes_is_read_back(self, rows: list[tuple[str, str]], tmp_path_factory: object) -> None:
        import csv

        buffer = io.StringIO(newline="")
        csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
        path = tmp_path_factory.getbasetemp() / "round.csv"  # type: ignore[attr-defined]
        path.write_bytes(buffer.getvalue().encode())
        assert records(path, CSV)[1:] == [list(row) for row in rows]


class TestLines:
    def test_only_line_ends_split(self, write: Write) -> None:
        path = write("a.txt", "one\r\ntwo\x85still\u2028two\n\nfour\rfive\n".encode())
        assert read(path, Form(FormKind.LINES)) == ["one", "two\x85still\u2028two", "", "four", "five"]

    def test_last_line_without_an_end(self, write: Write) -> None:
        assert read(write("a.txt", b"one\ntwo"), Form(FormKind.LINES)) == ["one", "two"]

    def test_tagged_lines_have_the_declared_fields(self, write: Write) -> None:
        form = Form(FormKind.TAGGED, columns=("token", "tag"))
        assert read(write("a.txt", b"x\tO\n\t\ny\tB-Class\n"), form) == ["x\tO", "\t", "y\tB-Class"]
        assert "1 fields instead of 2 in line 3" in refusal(write("b.txt", b"x\tO\n\ny\n"), form)


class TestExcel:
    @staticmethod
    def book(rows: list[list[object]], path: Path) -> Path:
        """A workbook as small as the format allows, so that no library is needed to write one."""
        kinds = {
            str: '<c t="inlineStr"><is><t>{}</t></is></c>',
            int: "<c><v>{}</v></c>",
            float: "<c><v>{}</v></c>",
        }
        cells = "".join(f"<row>{''.join(kinds[type(v)].format(v) for v in row)}</row>" for row in rows)
        xml, types = "http://schemas.openxmlformats.org/", "officeDocument/2006/relationships"
        links = (
            f'<Relationships xmlns="{xml}package/2006/relationships"><Relationship Id="r" Type="{xml}{types}/'
        )
        main, sheet = f'xmlns="{xml}spreadsheetml/2006/main"', '<sheet name="S" sheetId="1" r:id="r"/>'
        parts = {
            "_rels/.rels": f'{links}officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook {main} xmlns:r="{xml}{types}"><sheets>{sheet}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'{links}worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>",
        }
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in parts.items():
                archive.writestr(name, text)
        return path

    def test_cells_are_text_and_whole_numbers_have_no_point(self, tmp_path: Path) -> None:
        path = self.book([["id", "text"], [7, "a"], [1.5, "NULL"]], tmp_path / "a.xlsx")
        assert records(path, Form(FormKind.EXCEL)) == [["id", "text"], ["7", "a"], ["1.5", "NULL"]]

    def test_wrong_columns_and_sheets(self, tmp_path: Path) -> None:
        path = self.book([["id"], [7]], tmp_path / "a.xlsx")
        assert "'text'" in refusal(path, Form(FormKind.EXCEL, columns=("text",)))
        assert "no sheet 'T'" in refusal(path, Form(FormKind.EXCEL, sheet="T"))

    def test_torn_workbook(self, tmp_path: Path) -> None:
        path = self.book([["id"], [7]], tmp_path / "a.xlsx")
        whole = path.read_bytes()
        for length in range(0, len(whole), 37):
            path.write_bytes(whole[:length])
            refusal(path, Form(FormKind.EXCEL))

    def test_a_workbook_that_unfolds_too_far(self, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b"0" * (4 << 20))
        assert "unfolds" in refusal(path, Form(FormKind.EXCEL), limit=1 << 20)


class TestParquet:
    def test_values_keep_their_kind(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        parquet.write_table(pa.table({"text": ["a", ""], "label": [1, 0], "tags": [["O"], []]}), path)
        assert records(path, Form(FormKind.PARQUET)) == [
            ["text", "label", "tags"],
            ["a", 1, ["O"]],
            ["", 0, []],
        ]

    def test_bytes_are_refused_because_they_could_hide_a_pickle(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        parquet.write_table(pa.table({"x": [pickle.dumps([1])]}), path)
        assert "binary" in refusal(path, Form(FormKind.PARQUET))

    def test_what_it_unfolds_to_is_allowed_up_to_the_limit(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        parquet.write_table(pa.table({"x": ["a" * 100] * 100}), path)
        unfolded = parquet.read_metadata(path).row_group(0).total_byte_size
        assert len(read(path, Form(FormKind.PARQUET), limit=unfolded)) == 100
        assert "unfolds" in refusal(path, Form(FormKind.PARQUET), limit=unfolded - 1)

    def test_missing_column_and_torn_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        parquet.write_table(pa.table({"x": ["a"]}), path)
        assert "'label'" in refusal(path, Form(FormKind.PARQUET, columns=("label",)))
        path.write_bytes(path.read_bytes()[:-20])
        assert "parquet" in refusal(path, Form(FormKind.PARQUET))


@pytest.mark.ci
@pytest.mark.parametrize("kind", [FormKind.CSV, FormKind.EXCEL, FormKind.PARQUET])
def test_damage_is_refused_or_read_but_never_a_traceback(tmp_path: Path, kind: FormKind) -> None:
    ending = {FormKind.EXCEL: "xlsx"}.get(kind, kind.value)
    path, random = tmp_path / f"a.{ending}", Random(7)
    if kind is FormKind.EXCEL:
        TestExcel.book([["id", "text"], *([n, "word"] for n in range(40))], path)
    elif kind is FormKind.PARQUET:
        parquet.write_table(pa.table({"text": ["a", "b"] * 50, "label": [1, 0] * 50}), path)
    else:
        path.write_bytes(b'id,text\n1,"a, b"\n' * 40 if kind is FormKind.CSV else b"<a><b>x</b></a>")
    whole, messages = path.read_bytes(), []
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(random.randint(1, 4)):
            damaged[random.randrange(len(whole))] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        try:
            read(path, Form(kind))
        except SeluError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in text for text in messages)


class Touch:
    """Unpickled, it would leave a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("kind", list(FormKind))
def test_a_pickle_is_never_opened(tmp_path: Path, kind: FormKind) -> None:
    path, trace = tmp_path / "a.pkl", tmp_path / "trace"
    path.write_bytes(pickle.dumps(Touch(trace)))
    text = refusal(path, Form(kind, safe="the origin original"))
    assert "run any code" in text
    assert "the origin original" in text
    assert not trace.exists()
