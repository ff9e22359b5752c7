"""``selu check``: the right answer, or one sentence with row and column."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.command import python, refused, selu
from selu.app.ranking.check import check
from selu.vocabulary import SeluError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "mistakes.csv"


def checked(folder: Path, text: str | bytes, *words: str, name: str = "scores.csv"):
    """What is found in a table, as JSON; without a clone around it."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    done = selu("check", str(path), "--json", *words, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_the_example_of_the_docs_has_its_three_mistakes(tmp_path):
    done = selu("check", str(EXAMPLE), cwd=tmp_path)
    assert done.returncode == 1
    message = " ".join(done.stdout.split())
    assert message.startswith(
        "large-a has the highest mean of the 6 systems with a score on all 8 tasks (0.743);"
    )
    assert (
        "it is clearly better than 4 of the 5 others; the first place depends on 1 task (toxicity)" in message
    )
    assert "3 numbers are impossible." in message
    assert "without toxicity it is large-b; at most 2 ranks change." in message
    assert (
        "row 7, column severity: 0.640 is not a share of 60 rows: 38 of 60 are 0.6333 and 39 of 60" in message
    )
    assert "row 6, column mean: the mean 0.718 isn't that of its 8 scores, which is 0.7081" in message
    assert "row 8, column rank: trees is published on rank 5, above small on 6" in message
    found = json.loads(selu("check", str(EXAMPLE), "--json", cwd=tmp_path).stdout)
    assert [entry["kind"] for entry in found["impossible"]] == ["share", "mean", "rank"]
    assert found["systems"][-1]["missing"] == ["effort"]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,a,b\nx,0.5,0.7\ny,O.6,.2\nz,.1,.3\n", "row 3, column a: 'O.6' is not a number"),
        ("model,a,b\nx,inf,0.7\ny,.6,.2\nz,.2,.3\n", "row 2, column a: 'inf' is not a number"),
        ("model,a,b\n,0.5,0.7\ny,.6,.2\n", "row 2, column model is empty: name the system"),
        ("model;a\nx;0,81\ny;0.79\n", "row 2 has '0,81', with a decimal comma, and row 3 '0.79'"),
        ("model,a\nx,81.2%\ny,79.9\n", "row 3, column a: '79.9' is beside '81.2%' in row 2, column a"),
        ("system,task,score\nx,a,81%\ny,a,79\n", "row 3, column score: '79' is beside '81%'"),
        (
            "a,b\n0.1,0.2\n0.3,0.4\n",
            "row 2, column a: '0.1' is a number: the table has 2 systems and no column",
        ),
        ("a,b\n0.1,bad\n0.3,bad\n0.3,0.4\n", "row 2, column a: '0.1' is a number: the table has 3 systems"),
        ("a,b\nbad,81\n80,82\n80,83\n", "row 3, column a: '80' is a number: the table has 3 systems"),
        ("nothing to see\n", "row 1 has no comma"),
        ("", "the file is empty"),
        (b"\x1f\x8b\x08", "is not a complete gzip file: get it again"),
        (b"PAR1", "a parquet file"),
        (b"model,a\n\xe9,1\n", "row 2 is not UTF-8"),
        (b"PK\x03\x04junk", "not a complete workbook"),
        ("system,task,score\na,t,1\na,t,2\n", "row 3, column score: the score of 'a' on 't' is in row 2"),
        ("system,task,x,y\na,t,1,2\n", "call the column of the scores 'score'"),
        ("system,task,score\n,t,1\n", "row 2, column system is empty"),
        ("task,rows,a\nt,1.5,0.2\nu,3,0.3\n", "row 2, column rows: '1.5' is not a count of rows"),
        ('{"a": ', "is not valid JSON"),
        ("[1, 2]", "holds no records"),
        ("{}", "holds no records"),
        ("[{}]", "holds no records"),
        ('[{"system": {"a": 1}}]', "record 1, field system"),
        ('{"evaluation_results": []}', "has model_info with an id"),
        ('{"task_name": "t", "scores": {}}', "give the folder of results"),
        ('{"mteb_version": "1", "task_name": "t", "scores": {}}', "give the folder of results"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path, text, message):
    """More of what the readers refuse is in ``helpers.given``."""
    path = tmp_path / "scores.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    page = tmp_path / "page.html"
    done = selu("check", str(path), "--page", str(page), cwd=tmp_path)
    assert message in refused(done)
    assert not page.exists()


def test_a_refusal_names_the_file_and_a_page_needs_its_folder(tmp_path):
    path = tmp_path / "scores.json"
    path.write_bytes(b"")
    assert f"{path.name}: the file is empty" in refused(selu("check", "scores.json", cwd=tmp_path))
    path.write_bytes(b'[{"system": "\xe9"}]')
    assert "scores.json: row 1 is not UTF-8: save the file as text" in refused(
        selu("check", "scores.json", cwd=tmp_path)
    )
    path.write_text('[{"system": "x", "t": 0.5}]')
    done = selu("check", "scores.json", "--page", "none/page.html", cwd=tmp_path)
    assert "--page none/page.html: there is no folder none" in refused(done)
    assert not (tmp_path / "none").exists()


def test_neither_a_file_that_is_missing_nor_a_page_over_the_table_is_taken(tmp_path):
    assert "can't be read" in refused(selu("check", "nowhere.csv", cwd=tmp_path))
    path = tmp_path / "scores.csv"
    path.write_text("model,a\nx,1\ny,2\n")
    assert "--page" in refused(selu("check", str(path), "--page", str(path), cwd=tmp_path))
    assert path.read_text().startswith("model")


def test_missing_percent_comma_and_marks_are_read(tmp_path):
    text = "model;a;b;c\nx;**81,2 %**;79,9% ± 0,3;n/a\ny;80,1 %*;NaN;–\nz;80%;78 %;70,5 %\n"
    found = checked(tmp_path, text)
    assert found["scores"] == [[0.812, 0.799, None], [0.801, None, None], [0.8, 0.78, 0.705]]
    assert found["tasks"][0]["decimals"] == 3


def test_one_system_one_task_ties_and_all_equal(tmp_path):
    alone = checked(tmp_path, "model,a,b\nx,0.5,0.7\n")
    assert alone["sentence"].startswith("x is the only system, with a mean of 0.600 over 2 tasks")
    task = checked(tmp_path, "model,a\nx,0.5\ny,.6\nz,.6\n")
    assert [(row["rank"], row["tied"]) for row in task["systems"]] == [(1, True), (1, True), (3, False)]
    assert task["method"]["test"] is None
    tie = checked(tmp_path, "model,a,b\nx,0.5,0.7\ny,0.7,0.5\nz,.1,.2\n")
    assert tie["sentence"].startswith("x and y share the highest mean of 3 systems")
    (tmp_path / "scores.csv").write_text("model,a,b,c,d\nx,.706,.941,.926,.952\ny,.922,.917,.962,.724\n")
    same = check(tmp_path / "scores.csv")  # their sums differ in the last bit
    assert [(row["rank"], row["mean"]) for row in same["systems"]] == [(1, 0.88125), (1, 0.88125)]
    equal = checked(tmp_path, "model,a,b,c,d,e,f\n" + "".join(f"{n},.5,.5,.5,.5,.5,.5\n" for n in "xyz"))
    assert equal["sentence"].startswith("All 3 systems have the same mean over 6 tasks (0.500)")
    assert {pair["winner"] for pair in equal["pairs"]} == {"equal"}
    apart = checked(tmp_path, "model,a,b\nx,0.1,\ny,,0.4\n")
    assert apart["sentence"].startswith("No two of 2 systems have a score on the same task")
    assert [row["rank"] for row in apart["systems"]] == [None, None]
    assert apart["depends_on"]["task_left_out"] == []


def test_rounding_is_named_where_random_draws_change_the_first_place(tmp_path):
    head = f"model,{','.join(f't{n}' for n in range(40))}\n"
    far = checked(tmp_path, f"{head}x{',.8' * 40}\ny{',.8' * 10}{',.7' * 30}\n")
    assert "holds without any one task and in 1,000 of 1,000 random draws of unrounded" in far["sentence"]
    near = checked(tmp_path, f"{head}x{',.8' * 40}\ny{',.8' * 39},.7\n")
    assert "and on rounding" in near["sentence"]
    assert near["depends_on"]["rounding"]["first_stays"] < 1


def test_a_system_that_shares_no_task_has_no_rank(tmp_path):
    found = checked(tmp_path, "model,a,b,c,d,e\nx,0.1,,,,\ny,0.2,,,,\nz,,0.4,0.5,,\n")
    assert [(row["system"], row["rank"]) for row in found["systems"]] == [("y", 1), ("x", 2), ("z", None)]
    assert found["sentence"].startswith(
        "y has the highest win rate of 2 systems, each over its own of 5 tasks (100 %)"
    )


@pytest.mark.ci
def test_twenty_thousand_rows_are_ranked(tmp_path):
    text = "model,a,b,c\n" + "".join(f"s{n},{n % 997 / 1000},0.5,{n % 13 / 100}\n" for n in range(20_000))
    found = checked(tmp_path, text)
    assert len(found["systems"]) == 20_000
    assert found["method"]["all_pairs"] is False
    assert any("only neighbours in the ranking" in note for note in found["notes"])


def test_what_is_no_mean_or_share_is_said_once(tmp_path):
    """A column of means over other tasks, a metric that is not a share: one sentence, not one a row."""
    rows = "".join(f"s{n},0.{5 + n % 4}17,0.{4 + n % 3}13,0.9\n" for n in range(8))
    found = checked(tmp_path, f"model,a,b,average\nrows,7,,\n{rows}")
    assert [entry["kind"] for entry in found["impossible"]] == ["share", "mean"]
    assert "8 of 8 scores are no share of their rows" in found["impossible"][0]["says"]
    two = "".join(f"s{n},0.{5 + n % 4}17,0.{4 + n % 3}13\n" for n in range(8))
    (message,) = checked(tmp_path, f"model,a,b\nrows,7,7\n{two}")["impossible"]
    assert "a: 8 of 8 scores are no share of their rows; so are most scores on b." in message["says"]
    f1 = checked(tmp_path, f"model,a (F1),b,average\nrows,7,,\n{rows.replace('0.9', '')}")
    assert f1["impossible"] == []


def test_a_mean_of_percentages_beside_shares_or_weighted_by_rows_is_one(tmp_path):
    assert checked(tmp_path, "model,a,b,mean\nx,80 %,60 %,70.0\ny,50 %,40 %,45.0\n")["impossible"] == []
    weighted = "task,rows,x,y\na,10,0.8,0.5\nb,30,0.6,0.5\naverage,,0.65,0.5\n"
    assert checked(tmp_path, weighted)["impossible"] == []


def test_a_percentage_among_shares_is_asked_about(tmp_path):
    rows = "".join(f"s{n},0.{60 + n}\n" for n in range(9))
    found = checked(tmp_path, f"model,a\n{rows}odd,71.2\n")
    assert [(entry["kind"], entry["place"]) for entry in found["impossible"]] == [("scale", "row 11, column a")]


@pytest.mark.parametrize(
    ("row", "places"),
    [
        ("Beta,0.801,0.710", ["row 3, column a: 0.801", "row 3, column b: 0.710"]),
        ("Beta,81.1,0.710", ["row 3, column b: 0.710"]),
        ("Beta,-80.1,71.0", ["row 3, column a: -80.1"]),
        ("Beta,0.4,0", []),  # of a percentage: no other is like 40
        ("Beta,4.2,0.2", []),
    ],
)
def test_a_fraction_or_a_minus_among_percentages_is_asked_about(tmp_path, row, places):
    found = checked(tmp_path, f"model,a,b\nAlpha,81.2,70.1\n{row}\nGamma,84.9,72.4\n")
    says = [entry["says"] for entry in found["impossible"]]
    assert [text.partition(" among 2 percentages")[0] for text in says] == places


@pytest.mark.ci
def test_a_hundred_systems_on_fifty_tasks_take_five_seconds_of_a_processor(tmp_path):
    """As a user runs it, all pairs and tiers, without libraries that take long to load."""
    rng = random.Random(1)
    rows = "".join(f"s{n},{','.join(f'{rng.random():.3f}' for _ in range(50))}\n" for n in range(100))
    (tmp_path / "scores.csv").write_text(f"model,{','.join(f't{n}' for n in range(50))}\n{rows}")
    code = (
        "import resource, sys\nfrom selu.cli import main\n"
        "sys.argv = ['selu', 'check', 'scores.csv', '--json']\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end.code\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_utime + used.ru_stime, *sys.modules, file=sys.stderr)\n"
    )
    done = python("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    seconds, *loaded = done.stderr.split()
    assert float(seconds) < 5
    assert not {"pandas", "scipy", "matplotlib", "jinja2"} & set(loaded)
    found = json.loads(done.stdout)
    assert (len(found["pairs"]), found["method"]["all_pairs"]) == (4950, True)
    assert sum(map(len, found["tiers"])) == 100


def test_forms_of_output_are_those_of_every_table(tmp_path):
    done = selu("check", str(EXAMPLE), "--csv", cwd=tmp_path)
    assert done.stdout.splitlines()[0].startswith("rank,tied,system,mean,low,high,sd,mean_rank")
    assert selu("check", str(EXAMPLE), "--md", cwd=tmp_path).stdout.startswith("| rank |")
    for columns in ("80", "100"):
        lines = selu("check", str(EXAMPLE), cwd=tmp_path, environment={"COLUMNS": columns}).stdout.splitlines()
        assert max(map(len, lines)) <= int(columns)


def test_ranks_that_follow_nothing_are_said_once(tmp_path):
    rows = "".join(f"{n},s{n},0.{4 + n}1,0.{3 + n}1\n" for n in range(1, 6))
    (found,) = checked(tmp_path, f"rank,model,a,b\n{rows}")["impossible"]
    assert (found["kind"], found["place"]) == ("rank", "row 2, column rank")
    assert "follow neither the means nor the mean ranks" in found["says"]
    tied = checked(tmp_path, "rank,model,a,b\n1=,x,0.5,0.4\n1=,y,0.4,0.5\n3.,z,0.1,0.2\n")
    assert tied["impossible"] == []


@pytest.mark.ci
@settings(max_examples=150)
@given(st.data())
def test_whatever_is_written_into_a_table_ends_in_an_answer_or_a_sentence(tmp_path_factory, data):
    """Fields, separators and rows of the example, replaced by what tables and files can have."""
    text = EXAMPLE.read_text("utf-8")
    pieces = [
        "",
        "NaN",
        "-",
        "%",
        "81 %",
        "1e309",
        "0,5",
        ";",
        "\t",
        '"',
        "|",
        "\n",
        "\n\n",
        "mean",
        "rank",
        "rows",
        "x\n",
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        piece = data.draw(st.sampled_from(pieces) | st.text(max_size=4))
        text = text[:at] + piece + text[at + data.draw(st.sampled_from([0, 0, 1, 5, 40])) :]
    path = tmp_path_factory.getbasetemp() / "fuzzed.csv"
    path.write_text(text, "utf-8", errors="surrogatepass")
    with contextlib.suppress(SeluError):
        assert check(path)["sentence"]
