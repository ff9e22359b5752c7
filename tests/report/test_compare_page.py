"""The comparison page in headless Chromium, opened from disk: its numbers are those of the command line."""

from __future__ import annotations

import csv
import html
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import selu
from helpers.given import READ, REFUSED, TASKS
from selu.app.ranking import recommend, submit
from selu.app.ranking.boards import Scale, given_scores
from selu.app.ranking.recommend import bench_of
from selu.boards.choosing import Bench, Own
from selu.boards.readers.browser import rules
from selu.cli import choosing
from selu.stats import chosen
from selu.stats.draws import DRAWS, SEED, gammas
from selu.vocabulary import SeluError

from .browsers import CHROMEDRIVER, CHROMIUM
from .conftest import BROWSERS, written

STATIC = Path(selu.__file__).parent / "report" / "static"
CLOSE = 1e-9
pytestmark = [
    pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason="no chromium with its driver on PATH"),
    pytest.mark.parametrize("browser", BROWSERS[:1], indirect=True),
]
Drive = Callable[..., Any]
LISTEN = """globalThis.wrong = [];
addEventListener("error", (event) => wrong.push(event.message || event.target.src), true);"""
TOOLS = """const done = arguments[0];
const loaded = new Promise((seen) =>
  document.readyState === "complete" ? seen() : addEventListener("load", seen));
const pick = (selector) => document.querySelector(selector);
const soon = () => new Promise((waited) => setTimeout(waited, 50));
const result = () => decodeURIComponent(pick("[data-csv]").href.split(",").slice(1).join(","));
const paste = (text) => { pick("[name=own-text]").value = text; pick("[data-own=take]").click(); };
const set = (name, value) => {
  const field = pick(`[name=${name}]`);
  field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
"""


def loaded(browser: Any, folder: Path, script: str) -> Any:
    """The browser at a page that has this script of the site."""
    (folder / "page.html").write_text(f"<script src='{(STATIC / script).as_uri()}'></script>", "utf-8")
    browser.get((folder / "page.html").as_uri())
    return browser


def ranking(text: str) -> list[dict[str, Any]]:
    """The rows of the CSV that the page offers, numbers as such."""
    names = ("id", "system", "missing")
    return [
        {key: value if key in names or not value else float(value) for key, value in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


@pytest.fixture(scope="module")
def bench(root):
    return bench_of(root, "selu")


@pytest.fixture(scope="module")
def folder(bench: Bench, site: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of few records, whose page of comparison has the tracked costs, too."""
    root = written(site, tmp_path_factory.mktemp("site with spaces"))
    page = root / "compare.html"
    head, start, tail = page.read_text("utf-8").partition('id="bench" hidden>')
    record, end, rest = tail.partition("</pre>")
    whole = json.dumps({**json.loads(html.unescape(record)), "costs": bench.record()["costs"]})
    page.write_text(f"{head}{start}{html.escape(whole)}{end}{rest}", "utf-8")
    return root


@pytest.fixture
def drive(browser: Any, folder: Path) -> Iterator[Drive]:
    """Runs the body of an async function on the page, and returns what it returns.

    An error while the page loads is one, too: the listener is there before any script of the page.
    """
    listening = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})

    def go(body: str, address: str = "", width: int = 1440) -> Any:
        browser.get("about:blank")
        browser.resize(width, 900)
        browser.get((folder / "compare.html").as_uri() + (f"#{address}" if address else ""))
        found, errors = browser.execute_async_script(
            f"""{TOOLS}loaded.then(async () => {{{body}}}).then((found) => done([found, wrong]),
            (error) => done([null, [String(error)]]));"""
        )
        assert errors == []
        return found

    yield go
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", listening)
    browser.restore()


@pytest.mark.ci
def test_the_browsers_engine_gives_pythons_numbers(browser, tmp_path):
    numbers, cases = random.Random(25), []
    for _ in range(12):
        weights = [numbers.choice([0, 1, 1, 2, 0.5, 7.25]) for _ in range(22)]
        digits = numbers.choice([1, 3, 17])
        scores = [
            [None if numbers.random() < 0.05 else round(numbers.random(), digits) for _ in weights]
            for _ in range(numbers.randint(2, 9))
        ]
        cases.append((weights, scores))
    found = loaded(browser, tmp_path, "chosen.js").execute_script(
        """const [cases, count, seed] = arguments, draws = Chosen.gammas(22, count, seed);
        return cases.map(([weights, scores]) => [Chosen.ranking(scores, weights, draws),
          scores.map((row) => Chosen.against(row, scores[0], weights, 0.1, draws))]);""",
        cases,
        DRAWS,
        SEED,
    )
    draws = gammas(22)
    for (weights, scores), (ranked, pairs) in zip(cases, found, strict=True):
        for ours, theirs in zip(chosen.ranking(scores, weights, draws), ranked, strict=True):
            assert (ours.rank, ours.system, list(ours.missing)) == (
                theirs["rank"],
                theirs["system"],
                theirs["missing"],
            )
            for name, value in {"mean": ours.mean, "sd": ours.sd, "low": ours.low, "high": ours.high}.items():
                assert theirs[name] == pytest.approx(value, abs=CLOSE)
            assert theirs["winRate"] == pytest.approx(ours.win_rate, abs=CLOSE)
        for row, theirs in zip(scores, pairs, strict=True):
            pair = chosen.against(row, scores[0], weights, 0.1, draws)
            assert (theirs is None) == (pair is None)
            assert theirs is None or theirs == pytest.approx(pair._asdict(), abs=CLOSE)


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        "task,score\nbug_issue,0.871\nissue-type,.8\nSentiment,0.79\nsmell_doc,\nse_entities,0.5\n",
        "\nname;bug_issue;safety_issue\r\n\nmine;0.8405;9e-1\n",
        "sep=;\r\ntask;score;model\r\nbug_issue;0.85;mine\r\nsentiment;0.8;mine\r\n",
        "| Model | sentiment | bug_issue | smell_doc |\n|-|-|-|-|\n| mine | **0.8** | 0.85 | - |\n",
    ],
)
def test_a_pasted_csv_gives_what_submit_gives(root, bench, tmp_path, drive, text):
    found = drive(f"paste({json.dumps(text)}); await soon(); return [result(), pick('#compare').innerText];")
    (tmp_path / "mine.csv").write_text(text, "utf-8")
    record = submit.submit(root, tmp_path / "mine.csv")
    ranked, shown = ranking(found[0]), found[1]
    mine = next(row for row in ranked if not row["id"])
    place = record["place"]
    assert (mine["rank"], len(ranked)) == (place["rank"], place["of"])
    for name in ("mean", "low", "high", "win_rate"):
        assert mine[name] == pytest.approx(place[name], abs=CLOSE)
    best = record["against"][0]
    for name in ("better", "equal", "worse"):
        assert mine[name] == pytest.approx(best[f"p_{name}"], abs=CLOSE)
    assert f"has rank {place['rank']} of {place['of']}" in shown
    assert all(hole.replace("_", " ") in shown for hole in record["holes"])


@pytest.mark.ci
def test_presets_weights_and_limits_give_what_recommend_gives(bench, drive):
    found = drive(
        """pick("[data-preset=moderation]").click(); await soon();
        const weight = pick("[data-task=sentiment]");
        weight.value = "2.5"; weight.dispatchEvent(new Event("change", { bubbles: true }));
        set("size", "500M"); set("licence", "open"); await soon();
        return [result(), location.hash];"""
    )
    weights = bench.weights(["sentiment=2.5"], "moderation")
    allowed = [
        system
        for system in bench.systems
        if system["licence"] in ("Apache-2.0", "MIT", "BSD-3-Clause") and (system["parameters"] or 0) <= 5e8
    ]
    ranked = bench.rank(weights, allowed)
    shown = ranking(found[0])
    assert [row["id"] for row in shown] == [place.system["id"] for place in ranked]
    for ours, theirs in zip(ranked[1:], shown[1:], strict=True):
        pair = bench.test(weights, ours, ranked[0])
        for name in ("better", "equal", "worse", "rope"):
            assert theirs[name] == pytest.approx(getattr(pair, name), abs=CLOSE)
    assert "size=500M" in found[1]
    assert "sentiment*2.5" in found[1].replace("%2C", ",")


@pytest.mark.ci
def test_costs_and_probabilities_are_rounded_as_recommend_rounds_them(root, bench, drive):
    for purpose in [preset.id for preset in bench.presets]:
        shown = drive(
            f"""pick("[data-preset={purpose}]").click(); await soon();
            return [...document.querySelectorAll("table.ranking tbody tr")].slice(0, 5)
              .map((row) => [row.cells[5].innerText, row.cells[6].innerText]);"""
        )
        rows = recommend.recommend(root, purpose, (), recommend.Limits())["systems"]
        ours = [[choosing.odds(row) or "–", choosing._takes(row) or "not known"] for row in rows]
        assert [[text.replace("\xa0", " ").strip() for text in row] for row in shown] == ours


@pytest.mark.ci
def test_back_and_a_copied_address_bring_back_what_was_chosen(drive):
    first, second, back, forms = drive(
        """pick("[data-preset=reviews]").click(); await soon();
        const first = [location.hash, result()];
        paste("task,score\\nreview_type,0.9\\nreview_aspect,0.5"); await soon();
        const second = [location.hash, result()];
        history.back(); await soon(); await soon();
        return [first, second, [location.hash, result()], pick("[name=own-text]").value];"""
    )
    assert back == first
    assert second != first
    assert forms == ""
    again, typed = drive("return [result(), pick('[name=own-text]').value];", second[0].removeprefix("#"))
    assert again == second[1]
    assert typed == "task,score\nreview_type,0.9\nreview_aspect,0.5"


@pytest.mark.ci
def test_the_browser_reads_a_file_as_the_command_line_does(browser, tmp_path):
    """The same scores and name, or the same sentence with row and column."""
    texts = [*READ, *(text for text, _ in REFUSED)]
    files = [data for text in texts for data in (text.encode(), text.lstrip("\ufeff").encode("utf-16"))]
    files += ["task,score\nbug_issue,0.5\nissue_type,\xe9".encode("latin-1")]
    found = loaded(browser, tmp_path, "reading.js").execute_script(
        """const [files, tasks, rules] = arguments;
        return files.map((bytes) => {
          try { return Reading.read(Reading.decode(new Uint8Array(bytes)), tasks, rules, 'mine.csv'); }
          catch (error) { return error.message; }
        });""",
        [*map(list, files)],
        TASKS,
        rules(),
    )
    path = tmp_path / "mine.csv"
    for content, theirs in zip(files, found, strict=True):
        path.write_bytes(content)
        try:
            read = given_scores(path, path.read_bytes(), dict.fromkeys(TASKS, Scale()), "task")
            ours = {"name": read.name, "scores": read.scores}
        except SeluError as error:
            ours = str(error).replace(f"{tmp_path}/", "").removeprefix("mine.csv: ")  # the page has one file
        if content.decode("utf-16" if content[:1] == b"\xff" else "latin-1").startswith("{"):
            ours = "this is JSON: 'selu submit FILE' reads it."
        assert theirs == ours, content


NO_SCORES = [
    ("", "The file is empty"),
    ("task,score\nbug_isue,0.5", "Row 2: there is no task 'bug_isue'; did you mean 'bug_issue'?"),
    ("task,score\nbug_issue,=SUM(1)", "Row 2, column score: '=SUM(1)' is not a number; write it like 0.81"),
    (
        "task,score\nbug_issue,0.5\nbug issue,0.5",
        "Row 3, column score: the text has two scores on bug_issue: keep one of them.",
    ),
    (
        "task,score\n" + "bug_issue,0.5\n" * 10_000,
        "Row 3, column task: 'bug_issue' is given twice (rows 2 and 3)",
    ),
    ("id,answer\np1,bug", "These are predictions: 'selu submit FILE --task TASK' scores them."),
    ('[{"task": "bug_issue", "score": 0.5}]', "This is JSON: 'selu submit FILE' reads it."),
    (
        "<img src=x onerror=alert(1)>,sentiment\n0.5,1",
        "Row 2: there is no task '<img src=x onerror=alert(1)>'; known: ",
    ),
]


@pytest.mark.ci
def test_a_csv_that_is_none_is_said_and_changes_nothing(drive):
    before, seen, images = drive(
        f"""const before = result(), seen = [];
        for (const text of {json.dumps([text for text, _ in NO_SCORES])}) {{
          paste(text); await soon();
          seen.push([pick("[data-wrong]").textContent, result()]);
        }}
        return [before, seen, document.images.length];"""
    )
    for (_, message), (wrong, after) in zip(NO_SCORES, seen, strict=True):
        assert wrong.startswith(message)
        assert after == before
    assert images == 0


@pytest.mark.ci
def test_names_are_text_wherever_they_stand(drive):
    hostile = "<img src=x onerror=document.title='owned'>"
    found = drive(
        f"""set("own-name", {json.dumps(hostile)});
        paste("task,score\\nbug_issue,0.99\\nissue_type,0.9"); await soon();
        const shown = [document.images.length, document.title, pick("tr.own th").firstChild.textContent];
        set("own-name", '=HYPERLINK("x")'); pick("[data-own=take]").click(); await soon();
        return [...shown, result()];"""
    )
    assert found[0] == 0
    assert "owned" not in found[1]
    assert found[2] == hostile
    assert ranking(found[3])[0]["system"] == '\'=HYPERLINK("x")'


@pytest.mark.ci
def test_an_address_that_nobody_made_breaks_nothing(drive):
    strange = (
        "tasks=nonsuch*9,bug_issue*-3&without=nobody&own=bug_issue:7,x:1&first=y",
        "tasks=",
        "size=7X&memory=x",
        *(f"memory={text}" for text in ("0x10", "%20", "%2B5", "5.", "-1", "Infinity")),
        "%",
    )
    shown, limits = drive(
        f"""const limits = [], shown = [];
        for (const one of {json.dumps(strange)}) {{
          location.hash = one; await soon(); shown.push(pick('[data-answer]').textContent);
          if (one.includes("memory")) limits.push(pick("[data-count=limits]").textContent);
        }}
        return [shown, limits];"""
    )
    assert limits == ["none"] * 7  # what no field shows must not limit systems
    assert [text.split(" ")[0] for text in shown] == ["CodeLlama", "Choose", *["GPT-2"] * 8]


@pytest.mark.ci
@pytest.mark.parametrize("width", [500, 1100])
def test_nothing_is_wider_than_the_window(drive, width):
    address = "own=bug_issue:0.5,se_entities:0.5&tasks=bug_issue,se_entities"
    body = """for (const one of document.querySelectorAll("details")) one.open = true;
        return [...document.querySelectorAll("main *")]
          .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
          .filter((one) => !one.parentElement.closest(".scroll"))
          .map((one) => one.outerHTML.slice(0, 80));"""
    assert drive(body, address, width) == []
    wide = "return [document.documentElement.scrollWidth, innerWidth];"
    taken, window = drive(wide, address, width)
    assert taken <= window


@pytest.mark.ci
def test_own_scores_that_are_the_best(bench, drive):
    scores = {task["id"]: 1.0 for task in bench.tasks if task["ranked"]}
    address = "own=" + ",".join(f"{task}:1" for task in scores)
    text, answer = drive("return [result(), pick('[data-answer]').textContent];", address)
    ranked = ranking(text)
    record = submit.place(bench, Own("mine", scores))
    assert ranked[0]["id"] == ""
    assert record["place"]["rank"] == 1
    assert answer.startswith("mine has the highest mean score of 29 systems over 20 tasks (1.000)")
    assert ranked[1]["worse"] == pytest.approx(record["against"][0]["p_better"], abs=2e-3)
