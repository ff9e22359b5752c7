from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers import command
from helpers.command import refused
from selu import registry
from selu.app import list as listing
from selu.app.ranking import scores
from selu.app.verify import verify
from selu.cli.app import app
from selu.evidence.tracked import tracked_claims
from selu.vocabulary import SeluError

CHANGED = "VI,smell_doc,GPT-2 xl,0.603"


def selu(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as its entry point does it."""
    return command.selu(*arguments, cwd=cwd, environment=environment)


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """What a user's clone holds, after ``dvc pull``: to be altered are its tables, parameters and reports."""
    reports = ("repro", *registry.published())
    for name in ("data/paper", "data/params", *(f"reports/{paper}" for paper in reports)):
        shutil.copytree(root / name, tmp_path / name)
    for name in ("params.yaml", "dvc.lock", "dvc.yaml"):
        shutil.copy(root / name, tmp_path / name)
    for name in (
        "data/pins",
        "data/splits",
        "data/synthetic",
        "store",
        "results",
        "reports/architecture.svg",
        "reports/settings",
        "reports/site",
    ):
        (tmp_path / name).symlink_to(root / name)
    return tmp_path


def change(folder: Path, score: str = CHANGED) -> Path:
    """One score of Table VI is another one."""
    path = folder / "table6.csv"
    path.write_text(path.read_text().replace("VI,smell_doc,GPT-2 xl,0.703", score))
    return folder


@pytest.mark.ci
def test_nothing_heavy_is_imported_by_what_checks_the_paper(root):
    code = (
        "import sys\nfrom selu.cli import main\n"
        "for words in ('--help', 'verify --claim C028', 'doctor', 'list tasks'):\n"
        "    sys.argv = ['selu', *words.split()]\n"
        "    try: main()\n"
        "    except SystemExit as end: assert not end.code, end.code\n"
        "import selu.report.notebooks.executing, selu.systems.prompt.template\n"
        "heavy = {'torch', 'transformers', 'xgboost', 'sklearn', 'dvc', 'papermill', 'nbformat'}\n"
        "heavy |= {'matplotlib', 'jinja2'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = command.python("-c", code, cwd=root)
    assert done.returncode == 0, done.stderr


@pytest.mark.ci
@pytest.mark.parametrize(
    ("words", "of_claims"),
    [
        ("verify --claim C001", {"tasks"}),
        ("verify --claim N10 --paper nlbse24", {"issue_ranking"}),
        *((f"show {name}", set()) for name in ("C001", "bug_issue", "bug_issue/bert-base", "bert-base")),
    ],
)
def test_who_asks_for_one_thing_does_not_wait_for_others(root, words, of_claims):
    """Data frames, statistics and the other claims take long to load, as does a drawn table."""
    code = (
        "import sys\nfrom selu.cli import main\n"
        f"sys.argv = ['selu', *{words.split()}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    done = command.python("-c", code, cwd=root)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert not loaded & {"pandas", "pyarrow", "scipy", "rich"}
    claims = {name for name in loaded if name.split(".")[3:4] == ["claims"]}
    files = {path.stem for name in claims if (path := root / "src" / f"{name.replace('.', '/')}.py").is_file()}
    assert {name for name in files if not name.startswith("_")} == of_claims


def test_it_runs_outside_a_clone_and_reaches_one_from_elsewhere(root, tmp_path):
    assert selu("--version", cwd=tmp_path).stdout.strip() == "0.2.0"
    assert "not inside a clone" in refused(selu("verify", cwd=tmp_path))
    done = selu("--root", str(root), "list", "tasks", "--json", cwd=tmp_path)
    assert len(json.loads(done.stdout)) == 22


@pytest.mark.ci
def test_a_program_gets_csv_and_a_closed_pipe_is_no_error(root):
    """By the command as a user runs it, in a process of its own."""
    done = command.python("-m", "selu", "list", "cells", "--where", "verdict=differs", "--csv", cwd=root)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert rows
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)
    assert "" in {row["architecture"] for row in rows}  # a baseline has none
    piped = f"'{sys.executable}' -m selu list cells | head -n 1"
    done = subprocess.run(piped, shell=True, cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("task/system ")
    assert done.stderr == ""


SHOWN = (
    ("list tasks", 23), ("list systems", 30), ("list cells --where verdict=differs", 10), ("list claims", 144),
    ("list systems --paper nlbse24", 5), ("list papers", 4), ("show bert-base", 25), ("show C053", 10),
    ("show minilm-l6", 15), ("show bug_issue", 10), ("show issue_react/setfit", 5), ("audit bug_issue", 40),
    ("compare gpt2-xl bert-base", 22), ("compare minilm-l6 bert-base", 14), ("plan --task bug_issue", 20),
    ("plan --system gpt2-xl --profile a100", 40), ("verify", 20), ("verify --paper blanca", 20), ("", 7),
    ("recommend --for issue-triage --max-parameters 1B --licence open", 13),
)  # fmt: skip


NARROW = [(*words, 80) for words in SHOWN if words[0] != "verify"]  # which takes long
WIDE = [
    (*words, 100)
    for words in SHOWN
    if "--where" in words[0] or not words[0].startswith(("list", "show", "audit"))
]


@pytest.mark.ci
@pytest.mark.parametrize(("words", "least", "columns"), NARROW + WIDE)
def test_nothing_is_wider_than_the_terminal_or_cut(root, words, least, columns):
    """A number that is cut is a wrong one, and lines that the terminal breaks are no table."""
    lines = selu(*words.split(), cwd=root, COLUMNS=str(columns)).stdout.splitlines()
    assert len(lines) >= least
    assert max(map(len, lines)) <= columns
    assert not any("…" in line for line in lines)


def typer_verbs():
    return [command for group in app.registered_groups for command in group.typer_instance.registered_commands]


def looked_at(root: Path, benchmark: str) -> Iterator[str]:
    """Each list that a benchmark has, the first record in each, and what is computed from one."""
    here = f"--paper {benchmark}"
    for what in listing.LISTS[:-1]:
        with contextlib.suppress(SeluError):  # it has no such list
            first = next(iter(listing.rows(root, what, [], benchmark)[0].values()))
            own = f"{benchmark}/" if what != "claims" and scores.load(root, benchmark) else ""
            yield from (f"list {what} {here}", f"show {own}{first}{'' if own else f' {here}'}")
            if what == "tasks" and registry.tasks(benchmark):  # else it has no rows
                yield f"audit {first} {here}"
            if what == "claims":
                yield f"verify --claim {first} {here}"
    if registry.benchmark(benchmark).bench is not None:
        yield f"recommend {here}"


def words_of(root: Path, words: str, columns: int) -> tuple[set[str], int, int]:
    """The words that a command prints, how many lines, and the length of the longest one."""
    done = selu(*words.split(), cwd=root, COLUMNS=str(columns))
    assert done.returncode == 0, (words, done.stderr)
    text = re.sub(r"^Not shown: [^.]*\.$", "", done.stdout, flags=re.MULTILINE)  # where there is no room
    lines = done.stdout.splitlines()
    return set(re.split(r"[\s,.]+", text)), len(lines), max(map(len, lines))


@pytest.mark.ci
@pytest.mark.parametrize("benchmark", registry.published())
def test_each_list_and_record_of_each_benchmark_fits_and_breaks_no_word(root, benchmark):
    """What is broken at 100 columns has a piece that is no word where there is room for all."""
    commands = list(looked_at(root, benchmark))
    assert len(commands) >= 3
    for words in commands:
        narrow, lines, longest = words_of(root, words, 100)
        assert lines > 2, words
        assert longest <= 100, words
        assert narrow - words_of(root, words, 10_000)[0] == set(), words


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", [name for name in registry.published() if name != "selu"])
def test_all_verdicts_of_each_benchmark_fit_and_break_no_word(root, benchmark):
    words = f"verify --all --paper {benchmark}"
    narrow, _, longest = words_of(root, words, 100)
    assert longest <= 100
    assert narrow - words_of(root, words, 10_000)[0] == set()


@pytest.mark.ci
@pytest.mark.parametrize("verb", [verb.name or verb.callback.__name__ for verb in typer_verbs()])
def test_the_help_of_each_verb_fits(root, verb):
    lines = selu(verb.replace("_", "-"), "--help", cwd=root, COLUMNS="100").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any("…" in line for line in lines)


def test_alone_it_says_what_is_here_and_what_to_do(root, tmp_path):
    lines = selu(cwd=root).stdout.splitlines()
    assert 3 + len(registry.published()) <= len(lines) <= 23
    assert any(re.search(r"\d+ of \d+ (claims|conclusions) hold", line) for line in lines)
    verbs = {command.name or command.callback.__name__ for command in typer_verbs()}
    assert set(re.findall(r"selu ([a-z][a-z-]*)", "\n".join(lines[-2:]))) <= verbs
    assert "not inside a clone" in selu(cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "words", ["list", "list tasks --fields", "shw", "plan --seed many", "list cells --where x=y"]
)
def test_a_program_that_asks_for_json_gets_errors_as_json(root, words):
    done = selu(*words.split(), "--json", cwd=root)
    assert done.returncode == 2
    assert list(json.loads(done.stdout)) == ["error"]
    assert json.loads(done.stdout)["error"] in refused(selu(*words.split(), cwd=root))


def test_one_form_of_output_at_a_time(root):
    assert "choose one" in refused(selu("list", "tasks", "--csv", "--md", cwd=root))
    table = selu("list", "tasks", "--md", cwd=root).stdout.splitlines()
    assert {line.count(" | ") for line in table} == {8}


def test_a_claim_is_found_by_its_id_in_whatever_benchmark(root):
    text = selu("verify", "--claim", "b02", cwd=root).stdout
    (quote,) = [claim["quote"] for claim in tracked_claims(root, "blanca") if claim["id"] == "B02"]
    assert f'"{quote}"' in text
    assert text.startswith("B02: fails (detail, stated)")


@pytest.mark.ci
def test_verify_agrees_with_the_tracked_verdicts(root):
    done = selu("verify", "--json", cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["claims"] == json.loads((root / "reports/selu/claims.json").read_text())


@pytest.mark.ci
def test_a_changed_score_is_refused_by_its_place_and_left_as_it_is(clone):
    path = change(clone / "data/paper/selu") / "table6.csv"
    before = path.read_bytes()
    done = selu("verify", "--json", cwd=clone)
    sentence = "row 'smell_doc', column 'GPT-2 xl': reads 0.603 where 0.703 is pinned"
    assert done.returncode == 2
    assert sentence in json.loads(done.stdout)["error"]
    assert sentence in done.stderr
    assert path.read_bytes() == before


def test_a_verdict_that_altered_tables_change_is_said_to_people_and_programs(clone):
    altered = change(Path(shutil.copytree(clone / "data/paper/selu", clone / "altered")))
    done = selu("verify", "--json", "--claim", "C028", "--what-if", str(altered), cwd=clone)
    found = json.loads(done.stdout)
    assert (done.returncode, len(found["differences"])) == (1, 1)
    assert found["error"] == found["differences"][0]
    assert "C028" in done.stderr
    assert "where 'holds' is tracked" in done.stderr


@pytest.mark.ci
def test_what_if_names_the_impossible_score_and_the_claims_that_rest_on_it(clone):
    path = clone / "data" / "params" / "selu.yaml"
    path.write_text(path.read_text().replace("draws: 50000", "draws: 500"))
    altered = Path(shutil.copytree(clone / "data/paper/selu", clone / "altered"))
    outcome = verify(clone, what_if=change(altered, "VI,smell_doc,GPT-2 xl,-"))
    (sentence,) = [line for line in outcome.differences if ": not computed from the altered tables. " in line]
    assert "missing" in sentence
    assert "GPT-2 xl" in sentence
    (altered / "package_baselines.csv").unlink()
    with pytest.raises(SeluError, match=r"has no package_baselines\.csv"):
        verify(clone, what_if=altered)
    with pytest.raises(SeluError, match="not a folder"):
        verify(clone, what_if=clone / "nowhere")


def test_doctor_says_when_the_project_is_damaged_and_never_shows_a_key(clone):
    (clone / "dvc.lock").write_text("stages: {}\n")
    done = selu("doctor", "--json", cwd=clone, OPENAI_API_KEY="sk-very-secret")
    assert done.returncode == 2
    assert "differ on the stage" in json.loads(done.stdout)["project"]["problem"]
    assert "sk-very-secret" not in done.stdout + done.stderr
    assert json.loads(done.stdout)["keys"]["OPENAI_API_KEY"] == "set"


@pytest.mark.ci
def test_an_edited_or_missing_verdict_and_a_damaged_store_are_not_believed(root, clone):
    path = clone / "reports/selu/claims.json"
    path.write_text(path.read_text().replace('"holds"', '"fails"', 1))
    with pytest.raises(SeluError, match="its bytes differ from the tracked ones"):
        verify(clone)
    path.unlink()
    with pytest.raises(SeluError, match=r"reports/selu/claims\.json.*dvc pull"):
        verify(clone)
    (clone / "store").unlink()
    shutil.copytree(root / "store", clone / "store", copy_function=os.symlink)
    victim = sorted((clone / "store/files/md5").rglob("*"))[-1]
    content = victim.read_bytes()
    victim.unlink()
    victim.write_bytes(content + b" ")
    with pytest.raises(SeluError, match=f"{victim}.* damaged"):
        verify(clone)


@pytest.fixture
def data(root: Path, tmp_path: Path) -> Path:
    """What a clone holds of the data, nothing fetched or prepared."""
    for name in ("data/pins", "data/synthetic"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "data" / "paper").mkdir()
    shutil.copy(root / "params.yaml", tmp_path)
    return tmp_path


@pytest.mark.ci
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("verify --claim C9", "there is no claim 'C9'"),
        ("run --model a/b --encoder c/d", "--encoder and --model do not go together"),
        ("run --in-force", "--in-force takes the systems by name: add --system NAME."),
        ("run --in-force --system bert-base --task bug_issue", "--task does not go with --in-force"),
        ("run --model a/b --seed 42 --paper crosscodebench", "--seed does not go with --model"),
        ("run --model a/b --jobs 2", "--jobs does not go with --model"),
        ("run --in-force --system bert-base --max-cost 1", "--max-cost does not go with --in-force"),
        ("run --encoder a/b --max-cost 1", "--max-cost does not go with --encoder"),
        ("run --answers a.csv --only all --paper faun_eval", "leave filters and other options out"),
        ("prepare --repository a/b --max-cost 1", "--max-cost goes with --judge"),
        ("prepare bug_issue --max-cost 1", "--max-cost and --renew go with --repository"),
        ("show smell_dok/gpt2-xl", "did you mean 'smell_doc'"),
        ("compare gpt2-xl bert-bse", "did you mean 'bert-base'"),
        ("report statistic", "did you mean 'statistics'"),
        ("report notebook", "NAME"),
        ("report notebook tabel4", "did you mean 'table4'"),
        ("fetch incivility --all", "name tasks or give --all, not both"),
        ("fetch incivility --mirror nowhere", "the mirror nowhere is not a folder"),
        ("prepare", "name at least one task, or give --all"),
        ("prepare review_type --all", "name tasks or give --all, not both"),
        ("prepare review_type incivilty", "did you mean 'incivility'"),
        ("audit review_typ", "did you mean 'review_type'"),
        ("audit review_type", "'selu prepare review_type'"),
    ],
)
def test_wrong_words_get_one_sentence_and_change_nothing(root, data, words, says):
    of_data = words.split()[0] in ("fetch", "prepare", "audit")
    before = sorted(data.rglob("*"))
    where = data if of_data else root
    error = CliRunner().invoke(app, ["--root", str(where), *words.split()]).exception
    assert isinstance(error, SeluError)
    assert says in str(error)
    assert len(str(error).splitlines()) == 1
    assert sorted(data.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "question-answering-mean-of-four --paper faun_eval",
            "no rows of its tasks: 'selu show",
        ),
        ("R --paper blanca", "blanca has no task 'R' with rows: 'selu list tasks --paper blanca'"),
    ],
)
def test_a_ranked_task_without_rows_has_nothing_to_audit(root, words, says):
    assert says in refused(selu("audit", *words.split(), cwd=root))


WITHOUT = """
import sys
blocked, sys.argv = sys.argv[1].split(","), ["selu", *sys.argv[2:]]
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from selu.cli import main
main()
"""


def without(libraries: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command where libraries (their names joined by commas) are not installed."""
    return command.python("-c", WITHOUT, libraries, *arguments, cwd=cwd)


@pytest.mark.ci
def test_a_missing_library_names_what_installs_it_and_an_error_of_ours_is_none(data):
    done = without("datasketch", "prepare", "review_type", cwd=data)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = "selu: this needs the library datasketch: 'make data' installs it."
    assert done.stderr.splitlines()[-1] == sentence  # those before say which task is prepared
    assert not (data / "reports").exists()
    done = without("selu.splits.shots", "prepare", "review_type", cwd=data)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


@pytest.mark.ci
def test_a_prepared_task_is_audited_without_the_libraries_of_data(data):
    """Its record is tracked, so the light core is enough."""
    done = selu("prepare", "review_type", cwd=data)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("wrote ") for line in done.stdout.splitlines())
    heavy = "mistune,pyarrow,sklearn,datasketch,bs4,selectolax,requests"
    shown = without(heavy, "audit", "review_type", "--json", cwd=data)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout == (data / "reports/selu/data/review_type/record.json").read_text("utf-8")
