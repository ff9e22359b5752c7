"""``selu submit``: what somebody's file is worth, and that a wrong one leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from helpers import made_runs
from helpers import small_project as small
from helpers.command import printed, refused, selu
from selu.app.ranking import submit
from selu.execution import results
from selu.execution.plans import Wanted, plan
from selu.registry import splits_of
from selu.runs import record

FILES = ("statistics.json", "cells.json", "prices.json", "scale/cells.csv", "scale/scale.json")


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(text, "utf-8")
    return path


def test_the_papers_best_system_is_placed_beside_itself(root, tmp_path, material):
    """Its own scores, under another name: the mean of the paper, equal to it, better than the third."""
    scores = material.ranked[material.order[0]]
    path = written(tmp_path, "task,score\n" + "".join(f"{task},{value}\n" for task, value in scores.items()))
    found = submit.submit(root, path, submit.Wished(name="again"))
    best, below = found["against"]
    assert (found["place"]["of"], found["holes"], best["system"]) == (29, [], material.order[0])
    assert found["place"]["mean"] == pytest.approx(material.means.iloc[0], abs=1e-12)
    assert best["p_equal"] == 1.0
    second = material.p_better(*material.order[:2])
    assert below["p_better"] == pytest.approx(second, abs=0.02)


def published(root: Path, path: Path, *words: str) -> str:
    """What the command prints, as one line."""
    return " ".join(printed(root, "submit", str(path), *words).split())


def test_equal_scores_share_a_rank_and_are_said_to_be_equal(root, tmp_path, material):
    best = material.order[0]
    lines = "".join(f"{task},{value}\n" for task, value in material.ranked[best].items())
    text = published(root, written(tmp_path, f"task,score,model\n{lines.replace(chr(10), ',again' + chr(10))}"))
    mean = material.means.iloc[0]
    assert f"again has rank 1 of 29 over 20 tasks, with a mean of {mean:.3f} (0." in text
    assert f"Its mean equals that of {best}: they share a rank." in text
    assert f"Against the best, {best}, it is equal with a probability of 100 %." in text
    assert "worse with" not in text


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_few_tasks_are_cautioned_at_every_count(root, tmp_path, material, count):
    tasks = list(material.ranked.index[:count])
    text = published(root, written(tmp_path, "task,score\n" + "".join(f"{task},0.7\n" for task in tasks)))
    assert ("Over so few tasks a rank is a hint only" in text) == (count < 5)


def test_a_score_that_is_not_counted_is_named(root, tmp_path):
    path = written(tmp_path, "task,score\nse_entities,0.5\nsentiment,0.8\n")
    assert "Not counted, since the rank is over other tasks: se_entities." in published(root, path)
    text = published(root, written(tmp_path, "task,score\nse_entities,0.5\n"))
    assert "rank 7 of 14 over 1 task," in text
    assert "Not ranked in the paper: se_entities." in text


FORMS = [
    "sep=;\r\ntask;score\r\nsentiment;0.8\r\nissue_type;0.75\r\n",
    '"sep=\t"\ntask\tscore\nsentiment\t0.8\nissue_type\t0.75\n',
    "model,sentiment,issue_type\nmine,0.8,0.75\n",
    "| Model | sentiment | issue_type |\n| :-- | --: | --: |\n| mine | **0.8** | 0.75 |\n",
    "| task | system | published |\n| :-- | :-- | --: |\n| sentiment | a | 0.8 |\n| issue_type | a | 0.75  |\n"
    "| smell_doc | a | - |\n",
    '[{"task": "sentiment", "score": 0.8}, {"task": "issue_type", "score": "0.75"}]',
    '{"task": "sentiment", "score": 0.8}\n{"task": "issue_type", "score": 0.75}\n',
    '{\n "model": "mine",\n "sentiment": 0.8,\n "issue_type": 0.75\n}\n',
]


@pytest.mark.parametrize("text", FORMS)
def test_scores_are_read_in_the_forms_in_which_people_have_them(root, tmp_path, text):
    answer = published(root, written(tmp_path, text))
    assert "over 2 of 20 tasks, with a mean of 0.775" in answer


def test_our_own_markdown_table_is_read(root, tmp_path):
    table = printed(root, "list", "cells", "--where", "system=gpt2-xl", "--md")
    assert "gpt2-xl has rank 1 of 29" in published(root, written(tmp_path, table))


def test_holes_are_named_and_the_place_is_over_the_rest(root, tmp_path):
    path = written(tmp_path, "system,bug_issue,sentiment,se_entities\nmine,0.9,,0.6\n")
    found = submit.submit(root, path, submit.Wished(purpose="issue-triage"))
    assert (found["name"], found["tasks"]) == ("mine", ["bug_issue"])
    assert found["holes"] == ["safety_issue", "issue_intention", "issue_type"]
    assert found["place"] == {"rank": 1, "of": 29, "mean": 0.9, "low": None, "high": None, "win_rate": 1.0}
    assert "1 of 4 tasks" in found["sentence"]


@pytest.fixture(scope="module")
def project(root, tmp_path_factory):
    """Prepared rows of four tasks, what the ranking is made from, and a run of one of them."""
    made = small.make(tmp_path_factory.mktemp("submit"), (small.BINARY, small.LABELS, small.NUMBER, small.TAGS))
    for name in FILES:
        place = made / "reports" / "selu" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "reports" / "selu" / name, place)
    shutil.copytree(root / "data" / "paper" / "selu", made / "data" / "paper" / "selu", dirs_exist_ok=True)
    return made


@pytest.mark.parametrize("task", [small.BINARY, small.LABELS, small.NUMBER])
def test_predictions_get_the_score_of_a_run_that_gave_them(project, tmp_path, task):
    (run,) = plan(project, Wanted((task,), ("fasttext",), ("paper",)))
    rows = results.read_rows(project, run)
    made_runs.write(project, run, rows, wrong=0.3)
    names = [label.name for label in run.task.labels]
    lines = []
    for id, answer in zip(
        rows.loc[rows["part"] == "test", "id"], results.read_answers(run.folder, rows), strict=True
    ):
        shown = [n for n, yes in zip(names, answer, strict=True) if yes] if isinstance(answer, list) else answer
        lines.append({"id": id, "answer": names[answer] if isinstance(answer, int) else shown})
    path = written(tmp_path, "\n".join(map(json.dumps, reversed(lines))))
    found = submit.submit(project, path, submit.Wished(task), tmp_path / "record.json")["scores"][task]
    scores = record.read_scores(run.folder)
    bounds = scores["intervals"][scores["metric"]]
    expected = scores["value"], bounds["low"], bounds["high"]
    if task == small.NUMBER:
        expected = 1 - expected[0], 1 - expected[2], 1 - expected[1]
    assert (found["value"], found["low"], found["high"]) == expected
    kept = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert (
        f"interval of the score on {task} is {found['low']:.3f} to {found['high']:.3f}, over 12 test rows "
        "(over fewer than 50 test rows a 95 % interval is too narrow" in kept["sentence"]
    )
    split = (splits_of(project, task) / "split.csv").read_bytes()
    assert kept["splits"] == {task: hashlib.sha256(split).hexdigest()}
    assert kept["file"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (
            "task,score\nsentiment,0.5\n",
            ["--for", "reviews"],
            "no score on a task of reviews: these are review_",
        ),
        ("task,score\nsentiment,0.5\n", ["--for", "review"], "did you mean 'reviews'"),
        ("task,score\nsentiment,0.5\n", ["--task", "sentiment"], "--task goes with predictions"),
        (
            "task,score\nsentiment,0.5\n",
            ["--paper", "nlbse24"],
            "NLBSE'24 has 2 rankings: give --board issues or comments",
        ),
        (
            '{\n"schema": "0.2",\n"model_info": {"name": "mine"}\n}',
            [],
            "field model_info: a list or an object is not a score",
        ),
        ('[{"task": "sentiment",\n"score": 0.5}', [], "row 2: the JSON is incomplete"),
        ("| sentiment |\n| --: |\n| 0.5 |\nthe end\n", [], "row 1 has one column"),
        (
            "task,score\nsentiment,0.5\nbug_isue,0.5\nissue_type,1\nsmell_doc,7\n",
            [],
            "row 3: there is no task 'bug_isue'; did you mean 'bug_issue'? In all, 2 rows can't",
        ),
        ("id,answer\np000000,sec\n", [], "names no task: give --task"),
        ("id,answer\np000000,sec\n", ["--task", "requirement_completion"], "submit its score instead"),
        (
            "id,answer\np000000,sec\n",
            ["--task", small.BINARY],
            "11 of 12 test rows of security_requirement have no",
        ),
        (
            "id,answer\np000001,sec\n",
            ["--task", small.BINARY],
            "p000001 is a training row of security_requirement",
        ),
    ],
)
def test_a_wrong_file_ends_in_a_sentence_and_writes_nothing(project, tmp_path, text, words, message):
    out = tmp_path / "record.json"
    done = selu("--root", str(project), "submit", str(written(tmp_path, text)), "--out", str(out), *words)
    assert message in refused(done)
    assert not out.exists()


@pytest.mark.parametrize(
    "verb", ["submit {0} --out {0}", "predict {0} --out {0} --task sentiment --system fasttext"]
)
def test_what_is_read_is_not_written_over(root, tmp_path, verb):
    path = written(tmp_path, text := "task,score\nsentiment,0.5\n")
    message = refused(selu("--root", str(root), *verb.format(path).split()))
    assert "is the file that is read, and would be lost" in message
    assert path.read_text("utf-8") == text


def test_labels_that_are_not_here_are_asked_for(project, tmp_path):
    rows = small.table(small.task(small.LABELS))
    text = "id,answer\n" + "".join(f"{id},\n" for id in rows["id"][::5])
    place = project / "data" / "clean" / "selu" / f"{small.LABELS}.parquet"
    away = place.rename(place.with_suffix(".away"))
    done = selu("--root", str(project), "submit", str(written(tmp_path, text)), "--task", small.LABELS)
    away.rename(place)
    assert f"run 'selu prepare {small.LABELS}' first" in done.stderr
