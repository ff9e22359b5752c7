from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def selu(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "selu", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """A user's mistake: exit code 2, one sentence on stderr, nothing on stdout."""
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """What a user's clone holds, after ``dvc pull``."""
    for name in ("data/paper", "data/pins", "data/splits", "reports/nlbse24", "reports/selu", "store"):
        shutil.copytree(root / name, tmp_path / name)
    for name in ("params.yaml", "dvc.lock", "dvc.yaml"):
        shutil.copy(root / name, tmp_path / name)
    if (root / "results").is_dir():
        (tmp_path / "results").symlink_to(root / "results")
    if (root / "reports" / "site").is_dir():
        (tmp_path / "reports" / "site").symlink_to(root / "reports" / "site")
    return tmp_path


def test_help_and_verify_import_nothing_heavy(root):
    code = (
        "import sys; sys.argv = ['selu', *sys.argv[1:]]\n"
        "from selu.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'torch', 'transformers', 'xgboost', 'sklearn', 'dvc', 'papermill', 'matplotlib'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    for arguments in (["--help"], ["verify", "--claim", "C028"], ["doctor"], ["list", "tasks"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (arguments, done.stderr)


def test_version_and_help(root):
    assert selu("--version", cwd=root).stdout.strip() == "0.1.0"
    text = selu("--help", cwd=root).stdout
    verbs = ("list", "show", "compare", "verify", "report", "fetch", "prepare", "audit", "reproduce", "doctor")
    assert all(f" {verb} " in text for verb in verbs)


def test_outside_a_clone(tmp_path):
    assert "not inside a clone" in refused(selu("verify", cwd=tmp_path))


def test_root_option_reaches_a_clone_from_elsewhere(root, tmp_path):
    done = selu("--root", str(root), "list", "tasks", "--json", cwd=tmp_path)
    assert len(json.loads(done.stdout)) == 22


def test_pipe_output_is_tab_separated(root):
    lines = selu("list", "systems", cwd=root).stdout.splitlines()
    assert len(lines) == 1 + 28 + 1  # a header, the paper's systems, and one that is not in the paper
    assert lines[0].split("\t")[:2] == ["id", "name"]


def test_a_closed_pipe_is_no_error(root):
    done = subprocess.run(
        f"'{sys.executable}' -m selu list cells | head -n 1",
        shell=True,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("cell\t")
    assert done.stderr == ""


def test_verify_agrees_with_the_tracked_verdicts(clone):
    done = selu("verify", cwd=clone)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "claims: " in done.stdout.splitlines()[-1]


def test_verify_json_is_the_tracked_record(clone):
    done = selu("verify", "--json", cwd=clone)
    assert json.loads(done.stdout)["claims"] == json.loads((clone / "reports/selu/claims.json").read_text())


def test_a_changed_score_is_refused_by_its_place(clone):
    path = clone / "data/paper/selu/table6.csv"
    path.write_text(path.read_text().replace("VI,smell_doc,GPT-2 xl,0.703", "VI,smell_doc,GPT-2 xl,0.603"))
    before = path.read_bytes()
    message = refused(selu("verify", cwd=clone))
    assert "row 'smell_doc', column 'GPT-2 xl': reads 0.603 where 0.703 is pinned" in message
    assert path.read_bytes() == before


def test_what_if_follows_a_changed_score(clone):
    """Lowering the best system's scores changes verdicts; each is named and the exit code is 1."""
    altered = clone / "altered"
    shutil.copytree(clone / "data/paper/selu", altered)
    path = altered / "table6.csv"
    lines = [
        f"{line.rsplit(',', 1)[0]},0.100" if ",GPT-2 xl,0" in line else line
        for line in path.read_text().splitlines()
    ]
    path.write_text("\n".join(lines) + "\n")
    done = selu("verify", "--what-if", str(altered), cwd=clone)
    assert done.returncode == 1
    assert "where 'holds' is tracked" in done.stderr
    assert "C028" in done.stderr


@pytest.mark.parametrize(
    ("score", "message"), [("1.703", "outside 0..1"), ("-", "missing"), ("x", "not a number")]
)
def test_what_if_names_the_impossible_score_and_the_claims_that_rest_on_it(clone, score, message):
    altered = clone / "altered"
    shutil.copytree(clone / "data/paper/selu", altered)
    path = altered / "table6.csv"
    path.write_text(path.read_text().replace("VI,smell_doc,GPT-2 xl,0.703", f"VI,smell_doc,GPT-2 xl,{score}"))
    done = selu("verify", "--what-if", str(altered), cwd=clone)
    assert done.returncode == 1
    (text,) = [line for line in done.stderr.splitlines() if ": not computed from the altered tables. " in line]
    assert message in text
    assert "GPT-2 xl" in text


@pytest.mark.parametrize(
    ("benchmark", "table", "old", "new", "place"),
    [
        (
            *("selu", "package_hyperparameters", "bug_issue/bert-base,learning_rate_in_script,1e-5\n", None),
            "row 'bug_issue/bert-base', column 'learning_rate_in_script': '1e-5' is missing",
        ),
        (
            *("nlbse24", "dopamin", "java/deprecation,recall,0.88", "java/deprecation,recall,high"),
            "row 'java/deprecation', column 'recall': reads 'high' where '0.88' is printed",
        ),
    ],
)
def test_what_if_names_the_cell_from_which_a_claim_can_not_be_computed(
    clone, benchmark, table, old, new, place
):
    altered = clone / "altered"
    shutil.copytree(clone / "data/paper" / benchmark, altered)
    path = altered / f"{table}.csv"
    lines = path.read_text().splitlines(keepends=True)
    changed = [line.replace(old, new) if new else line for line in lines if new or old not in line]
    assert changed != lines
    path.write_text("".join(changed))
    said = refused(selu("verify", "--what-if", str(altered), "--benchmark", benchmark, cwd=clone))
    assert said.startswith(f"selu: {path}, {place}, and ")


def test_what_if_needs_every_table(clone):
    altered = clone / "altered"
    shutil.copytree(clone / "data/paper/selu", altered)
    (altered / "package_baselines.csv").unlink()
    assert "has no package_baselines.csv" in refused(selu("verify", "--what-if", str(altered), cwd=clone))


def test_an_error_of_the_system_is_one_sentence(clone):
    """The folder to write into is a file: what a full or read-only disk looks like to the command."""
    shutil.rmtree(clone / "reports/selu")
    (clone / "reports/selu").write_text("in the way")
    done = selu("report", "statistics", cwd=clone)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith(f"selu: {clone / 'reports/selu'}")


@pytest.mark.parametrize("content", ["[1, 2]", "null", "[]", '[{"id": "C001"}]', "{"])
def test_results_of_another_shape_are_refused(clone, content):
    (clone / "reports/selu/claims.json").write_text(content)
    assert "claims.json is damaged" in refused(selu("list", "claims", cwd=clone))


def test_doctor_says_when_the_project_is_damaged(clone):
    assert selu("doctor", cwd=clone).returncode == 0
    (clone / "dvc.lock").write_text("stages: {}\n")
    done = selu("doctor", "--json", cwd=clone)
    assert done.returncode == 2
    assert "differ on the stage" in json.loads(done.stdout)["project"]["problem"]


def test_what_if_needs_a_folder(clone):
    assert "not a folder" in refused(selu("verify", "--what-if", "nowhere", cwd=clone))


def test_a_missing_result_names_the_way_back(clone):
    (clone / "reports/selu/claims.json").unlink()
    message = refused(selu("verify", cwd=clone))
    assert "reports/selu/claims.json" in message
    assert "dvc pull" in message


def test_a_damaged_store_is_named(clone):
    victim = sorted((clone / "store/files/md5").rglob("*"))[-1]
    victim.write_bytes(victim.read_bytes() + b" ")
    message = refused(selu("verify", cwd=clone))
    assert str(victim) in message
    assert "damaged" in message


def test_an_edited_verdict_is_not_believed(clone):
    path = clone / "reports/selu/claims.json"
    path.write_text(path.read_text().replace('"holds"', '"fails"', 1))
    assert "its bytes differ from the tracked ones" in refused(selu("verify", cwd=clone))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "--claim", "C9"], "there is no claim 'C9'"),
        (["show", "smell_dok/gpt2-xl"], "did you mean 'smell_doc'"),
        (["compare", "gpt2-xl", "bert-bse"], "did you mean 'bert-base'"),
        (["report", "statistic"], "did you mean 'statistics'"),
        (["report", "notebook"], "NAME"),
        (["report", "notebook", "tabel4"], "did you mean 'table4'"),
    ],
)
def test_unknown_names_get_the_nearest_known_one(root, arguments, message):
    assert message in refused(selu(*arguments, cwd=root))


def test_doctor_never_shows_a_key(root):
    done = selu("doctor", "--json", cwd=root, OPENAI_API_KEY="sk-very-secret")
    assert "sk-very-secret" not in done.stdout + done.stderr
    assert json.loads(done.stdout)["keys"]["OPENAI_API_KEY"] == "set"


@pytest.fixture
def data(root: Path, tmp_path: Path) -> Path:
    """What a clone holds of the data, nothing fetched or prepared."""
    for name in ("data/pins", "data/synthetic"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "data" / "paper").mkdir()
    shutil.copy(root / "params.yaml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch"], "name at least one task, or give --all"),
        (["fetch", "incivility", "--all"], "name tasks or give --all, not both"),
        (["fetch", "incivilty"], "did you mean 'incivility'"),
        (["fetch", "incivility", "--origin", "miror"], "did you mean 'mirror'"),
        (["fetch", "incivility", "--mirror", "nowhere"], "the mirror nowhere is not a folder"),
        (["prepare"], "name at least one task, or give --all"),
        (["prepare", "review_typ"], "did you mean 'review_type'"),
        (["prepare", "review_type", "incivilty"], "did you mean 'incivility'"),
        (["audit", "review_typ"], "did you mean 'review_type'"),
        (["audit", "review_type"], "'selu prepare review_type'"),
    ],
)
def test_wrong_words_about_data_get_one_sentence(data, arguments, message):
    before = sorted(data.rglob("*"))
    assert message in refused(selu(*arguments, cwd=data))
    assert sorted(data.rglob("*")) == before


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
    command = [sys.executable, "-c", WITHOUT, libraries, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("library", ["pandera", "mistune", "pyarrow"])
def test_a_missing_library_names_what_installs_it(data, library):
    done = without(library, "prepare", "review_type", cwd=data)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    sentence = f"selu: this needs the library {library}: 'make data' installs what data takes."
    assert done.stderr.splitlines()[-1] == sentence
    assert not (data / "reports").exists()


def test_an_error_of_ours_is_not_taken_for_a_missing_library(data):
    done = without("selu.splits.shots", "prepare", "review_type", cwd=data)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_prepared_task_is_audited_without_the_libraries_of_data(data):
    """Its record is tracked, so the light core is enough."""
    done = selu("prepare", "review_type", cwd=data)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("wrote ") for line in done.stdout.splitlines())
    heavy = "pandera,mistune,pyarrow,sklearn,datasketch,bs4,selectolax,requests"
    shown = without(heavy, "audit", "review_type", "--json", cwd=data)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout == (data / "reports/selu/data/review_type/record.json").read_text("utf-8")


def test_a_changed_table_and_a_changed_verdict_are_json_errors(clone):
    """A program that asks for JSON learns of both without reading people's sentences."""
    table = clone / "data/paper/selu/table6.csv"
    before = table.read_text()
    table.write_text(before.replace("VI,smell_doc,GPT-2 xl,0.703", "VI,smell_doc,GPT-2 xl,0.603"))
    done = selu("verify", "--json", cwd=clone)
    assert done.returncode == 2
    assert "reads 0.603 where 0.703 is pinned" in json.loads(done.stdout)["error"]
    shutil.copytree(clone / "data/paper/selu", clone / "altered")
    table.write_text(before)
    done = selu("verify", "--json", "--claim", "C028", "--what-if", str(clone / "altered"), cwd=clone)
    found = json.loads(done.stdout)
    assert (done.returncode, len(found["differences"])) == (1, 1)
    assert found["error"] == found["differences"][0]
