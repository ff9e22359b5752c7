from __future__ import annotations

import itertools
import json
import math
import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selu.metrics import classification, multi_label, regression
from selu.registry import tasks
from selu.systems.prompt.parse import KINDS, LONGEST, Outcome, Reason, as_authors, parse, stored
from selu.systems.prompt.template import words as in_prompts

TASKS = {task.id: task for task in tasks("selu")}
SETS = {
    task.id: (
        "multi_class" if task.kind == "entities" else str(task.kind),
        [label.name for label in task.labels],
    )
    for task in TASKS.values()
    if task.labels
}
SEVERAL = {name: labels for name, (kind, labels) in SETS.items() if kind == "multi_label"}


def forms(*lines):
    return "¦".join(lines).split("¦")


SPELLINGS = [
    str,
    str.upper,
    str.lower,
    str.title,
    lambda name: name.replace(" ", "_"),
    lambda name: name.replace(" ", "-"),
    lambda name: name.replace("-", " ").replace("_", " "),
    lambda name: name.replace("-", "\u2011").replace(" ", "\u00a0"),
    lambda name: name.replace(" ", "  ").replace("_", " - "),
]
MARKS = forms(
    """{}¦"{}"¦'{}'¦`{}`¦*{}*¦**{}**¦***{}***¦_{}_¦__{}__¦“{}”¦‘{}’¦«{}»¦**`{}`**¦"**{}**"¦** {} **""",
)
FRAMES = forms(
    "{}¦label: {}¦Labels: {}¦CLASS:{}¦class : {}¦Category: {}¦answer: {}¦Answer:\n{}¦Estimate: {}",
    "Story points: {}¦**Label:** {}¦**Label**: {}¦*Answer:* {}¦__Type__: {}¦The label is {}¦the answer is: {}",
    "The correct class is {}¦My final answer is {}¦My prediction: {}¦The applicable labels are {}",
    "Final answer: the most likely category is {}",
)
OUTER = ["{}", "{}.", '"{}."', "**{}**.", "«{}»"]
FENCES = forms("{}¦```\n{}\n```¦```{}```¦```text\n{}\n```¦```json\n{}\n```\n¦ \t{}\r\n¦\u00a0\n{}\u2003\n")
LISTS = ["{}", "- {}", "* {}", "• {}", "1. {}", "12) {}"]
SENTENCES = forms(
    "This is {}.¦The text is about {}¦a {}¦{} because it says so¦{}\n\nIt says so.¦{}!¦{}?¦I think {}",
    """{} (sure)¦[{}]¦<{}>¦({})¦{"label": "{}"}¦**{}¦"{}¦{}`¦{}...¦{} {}¦it is labelled: {}""",
    "Label is definitely {}¦the label is{}¦The label of this text is {}¦$\\boxed{{}}$¦#{}¦{}\0¦{}\ufeff¦Not {}",
    "{}s?¦x{}¦{}x¦0{}¦😀 {}¦\ud800{}¦{} - why¦{}: what it means¦{} or {}",
)
REFUSALS = forms(
    "I'm sorry, but I can't help with {}.¦I’m sorry, I can’t label that as {}¦Sorry, {}¦I am so sorry, but {}",
    'I cannot say whether it is {}¦I apologize, but {}¦"I apologise. {}"¦My apologies: {}',
    "As an AI, I pass on {}¦As a large language model I can't read {}¦Unfortunately, as an AI I do not know {}",
    "I'm unable to choose, {}¦I am not able to call it {}¦Unfortunately, I cannot tell {}",
    "I won't call it {}¦I must decline, {}",
    "I do not have enough information: {}¦I don't feel comfortable with {}¦**I cannot** answer {}",
)
NO_NUMBERS = forms(
    "{}-{}¦{} - {}¦{} to {}¦{}, {}¦{}\n{}¦{}/{}¦{} or {}¦{}±{}¦[{}]¦({})¦{}h¦{} hours¦~{}¦≈{}¦about {}¦<{}",
    "- {}¦−{}¦$ {}¦{}%¦{}...¦{},5¦{}.5.1¦1,{}.5,¦{}e¦{} e1¦{}\u0665¦\uff15{}¦{}..¦{} points of {}¦{} SP¦{}!",
    "x{}¦0x{}¦{}e9999¦1_{}¦nan {}¦²{}¦.{}¦inf¦nan",
)
JOINTS = [", ", ",", "; ", "\n", "\n\n", "/", " / ", "|", " & ", " and ", " or ", " OR ", " vs ", ",\n- "]
BETWEEN = [", ", ",", ";", " ;  ", "\n", "\r\n", ",\n", "\n- ", "\n* ", "\n1. "]
PIECES = forms(
    """ ¦\n¦,¦;¦.¦..¦-¦_¦*¦**¦"¦'¦`¦```¦“¦”¦’¦:¦- ¦1. ¦\u00a0¦label¦Label:¦the answer is ¦the ¦is¦none¦and""",
    "json¦I cannot¦sorry¦5¦.5¦e9¦points",
)
WORDS = re.findall(
    "[a-z]+",
    "the my final correct best most likely predicted estimated applicable label labels class classes category"
    " categories classification type answer prediction output result estimate estimation story point points is"
    " are text txt plaintext plain json markdown md none",
)
SHAPES = forms(
    """ ¦\n¦a¦*¦"¦`¦_¦.¦,¦-¦bug, ¦bug\n¦- ¦1. ¦label: ¦the answer is ¦. ¦**label:** ¦not a ¦I cannot ¦5¦5 """,
    """1e¦+-¦\u00a0¦\ud800¦ß¦İ¦“¦’'"¦```\n¦ \n""",
)
SIZE = 200_000


def in_mark(mark, text):
    """The text in the mark, or as it is where the mark is part of it."""
    return text if set(mark) - set("{}. ") & set(text) else mark.replace("{}", text)


def dressed(text, mark="{}", frame="{}", outer="{}", fence="{}"):
    return fence.replace("{}", in_mark(outer, frame.replace("{}", in_mark(mark, text))))


def vector(names, labels):
    return [int(label in names) for label in labels]


@pytest.fixture(scope="module")
def recorded(root):
    return json.loads((root / "tests" / "golden" / "replies.json").read_text("utf-8"))


def meant(value, kind, labels):
    if kind == "regression" or value is None or value == -1:
        return value
    return vector(value, labels) if kind == "multi_label" else labels.index(value)


def test_recorded_replies(recorded):
    for case in recorded:
        task = TASKS[case["task"]]
        labels = [label.name for label in task.labels]
        wanted = Outcome(meant(case.get("answer"), task.kind, labels), case.get("reason"))
        found = parse(case["reply"], task.kind, labels, case.get("cut", False), case.get("refused", False))
        assert found == wanted, case
        assert type(found.answer) is type(wanted.answer), case
        assert as_authors(case["reply"], task.kind, labels) == meant(case["paper"], task.kind, labels), case


def generated(most, *strategies):
    """Run a test on so many generated cases, and by default on a fifth of them."""

    def made(test):
        @pytest.mark.parametrize("cases", [most // 5, pytest.param(most, marks=pytest.mark.slow)])
        def run(cases):
            settings(max_examples=cases)(given(*strategies)(test))()

        return run

    return made


def one_of(*choices):
    return st.tuples(*map(st.sampled_from, choices))


whole = one_of(MARKS, FRAMES, OUTER, FENCES)


@generated(2000, st.sampled_from(sorted(SETS)), st.integers(0, 99), one_of(SPELLINGS, LISTS), whole)
def test_a_dressed_label_is_that_label_and_no_other(name, index, ways, layers):
    (kind, labels), (spell, bullet) = SETS[name], ways
    index %= len(labels)
    outcome = Outcome(vector([labels[index]], labels) if kind == "multi_label" else index, None)
    reply = dressed(spell(labels[index]), *layers)
    assert parse(reply, kind, labels) == outcome
    assert parse(bullet.replace("{}", spell(labels[index])), kind, labels) == outcome
    assert parse(reply + "\n" * LONGEST, kind, labels) == outcome
    assert parse(reply + "x" * LONGEST, kind, labels).reason is Reason.OUTSIDE
    assert parse(reply, kind, labels, cut=True).reason is Reason.TRUNCATED
    assert parse(reply, kind, labels, cut=True, refused=True).reason is Reason.REFUSAL


@generated(
    1000,
    st.sampled_from(sorted(SEVERAL)),
    st.lists(st.tuples(st.integers(0, 99), one_of(SPELLINGS, MARKS)), min_size=1, max_size=9),
    one_of(BETWEEN, FRAMES, OUTER, FENCES),
    st.sampled_from([None, "none", "something else"]),
)
def test_a_dressed_list_is_the_set_of_its_labels(name, items, layers, another):
    labels = SEVERAL[name]
    given_labels = [labels[index % len(labels)] for index, _ in items]
    texts = [in_mark(mark, spell(label)) for label, (_, (spell, mark)) in zip(given_labels, items, strict=True)]
    outcome = Outcome(vector(given_labels, labels), None)
    if another:
        texts.insert(len(texts) // 2, another)
        outcome = Outcome(None, Reason.SEVERAL if another == "none" else Reason.OUTSIDE)
    between, *rest = layers
    reply = dressed(between.join(texts), "{}", *rest)
    assert parse(reply, "multi_label", labels) == outcome


@generated(
    500,
    st.from_regex(r"[+-]?[0-9]{1,6}(\.[0-9]{1,6})?(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["", " point", " points", " Story Points", "\u00a0story points"]),
    whole,
)
def test_a_dressed_number_is_that_number(number, unit, layers):
    reply = dressed(number + unit, *layers)
    assert parse(reply, "regression", []) == Outcome(float(number), None)
    assert parse(reply, "regression", [], cut=True).reason is Reason.TRUNCATED


@generated(500, st.integers(0, 500), st.sampled_from(NO_NUMBERS), st.sampled_from(FENCES))
def test_what_holds_a_number_need_not_be_one(number, wrong, fence):
    assume(number or "e9999" not in wrong)  # nothing times anything is a number
    reply = fence.replace("{}", wrong.replace("{}", str(number)))
    assert parse(reply, "regression", []).reason is Reason.NOT_A_NUMBER


@generated(
    1000,
    st.sampled_from(sorted(SETS)),
    st.permutations(range(20)),
    st.sampled_from([SENTENCES, REFUSALS, JOINTS, "letter more", "letter less"]),
    st.integers(0, 99),
    st.sampled_from("abcdefghijklmnopqrstuvwxyz7"),
    st.sampled_from(FENCES[1:]),
)
def test_what_holds_a_label_need_not_be_one(name, order, way, place, letter, fence):
    kind, labels = SETS[name]
    label, other = [labels[index] for index in order if index < len(labels)][:2]
    reason = Reason.OUTSIDE
    if way is JOINTS:
        assume(kind != "multi_label")
        reply, reason = label + JOINTS[place % len(JOINTS)] + other, Reason.SEVERAL
    elif isinstance(way, list):
        reply = way[place % len(way)].replace("{}", label)
        reason = Reason.REFUSAL if way is REFUSALS else reason
    elif way == "letter more":
        place %= len(label) + 1
        reply = label[:place] + letter + label[place:]
    else:
        place %= len(label)
        reply = label[:place] + label[place + 1 :]
        assume(plain(reply) != plain(label))
    assert not {plain(reply)} & {plain(each) for each in labels}
    assert parse(fence.replace("{}", reply), kind, labels).reason is reason


def plain(text):
    return re.sub(r"[\s_-]+", " ", text).strip().lower()


@generated(
    1000,
    st.sampled_from([*sorted(SETS), "story_points"]),
    st.lists(st.sampled_from(PIECES) | st.integers(0, 99) | st.integers(0, 0x10FFFF).map(chr), max_size=9),
)
def test_whatever_is_read_as_an_answer_says_nothing_else(name, parts):
    kind, labels = SETS.get(name, ("regression", []))
    reply = "".join(
        str((labels or [8])[part % (len(labels) or 1)]) if isinstance(part, int) else part for part in parts
    )
    found = parse(reply, kind, labels)
    assert parse(f"\n {reply}\u00a0", kind, labels) == found
    as_authors(reply, kind, labels)
    if found.reason is None:
        words = set(re.findall(r"[^\W_]+", reply.casefold()))
        named = {word for label in labels for word in re.findall(r"[^\W_]+", label.casefold())}
        assert not {word for word in words if not re.match("[0-9e]", word)} - named - set(WORDS)
        assert parse(words_of(found.answer, kind, labels), kind, labels) == found


def words_of(answer, kind, labels):
    """The answer in the words that prompts ask for."""
    if kind == "multi_label":
        return ", ".join(label for label, given in zip(labels, answer, strict=True) if given) or "none"
    return repr(answer) if kind == "regression" else labels[answer]


@pytest.mark.parametrize("name", sorted(name for name, task in TASKS.items() if task.kind in KINDS))
def test_answers_as_examples_in_prompts_show_them_are_read_under_both_protocols(name):
    task = TASKS[name]
    labels = [label.name for label in task.labels]
    answers = list(range(len(labels))) or [0.5, 1.0, 13.0, 96.0]
    if task.kind == "multi_label":
        answers = list(map(list, itertools.product((0, 1), repeat=len(labels))))
    for answer in answers:
        reply = in_prompts(task, answer)
        assert parse(reply, task.kind, labels) == Outcome(answer, None)
        assert as_authors(reply, task.kind, labels) == answer
        for target in ("CLASS", "LABELS", "STORY POINTS"):
            assert parse(f"{target}: {reply}", task.kind, labels) == Outcome(answer, None)


def test_what_is_longer_than_any_answer_is_not_read():
    kind, labels = SETS["issue_type"]
    fitting = "bug, " * (LONGEST // 5)
    assert parse(fitting, kind, labels).answer == 0
    assert parse(fitting + "bug, bug", kind, labels).reason is Reason.OUTSIDE
    assert parse("I cannot say. " + fitting, kind, labels).reason is Reason.REFUSAL
    assert parse("0" * LONGEST, "regression", []).answer == 0
    assert parse("0" * LONGEST + "1", "regression", []).reason is Reason.NOT_A_NUMBER


@pytest.mark.parametrize("length", [0, 1, 149])
def test_numbers_that_metrics_take_for_invalid_are_none(length):
    number = "7" * length
    assert parse(f"1{number}", "regression", []).answer == float(f"1{number}")
    assert parse(f"1{number}" + "0" * 151, "regression", []).reason is Reason.NOT_A_NUMBER
    assert as_authors(f"1{number}" + "0" * 151, "regression", []) == 0


def test_none_is_a_label_where_one_is_called_so():
    assert parse("None", "multi_label", ["few", "none"]) == Outcome([0, 1], None)
    assert parse("none, few", "multi_label", ["few", "none"]) == Outcome([1, 1], None)
    assert parse("none", "multi_class", ["few", "many"]).reason is Reason.OUTSIDE


@pytest.mark.parametrize("label", ["A-b", " a B", "", "a, b", "a;b", "a\nb", "'a'", "a.", "label: x", "1. a"])
def test_labels_that_replies_could_not_name_are_refused(label):
    for kind in ("binary", "multi_class", "multi_label"):
        for call in (parse, as_authors):
            with pytest.raises(ValueError, match="would not be read back"):
                call("a b", kind, ["a_b", label])


def test_other_kinds_and_no_labels_are_refused():
    for kind in ("entities", "masked", ""):
        with pytest.raises(ValueError, match="choose one of binary"):
            parse("x", kind, ["x"])
        with pytest.raises(ValueError, match="choose one of binary"):
            stored(Outcome(0, None), kind, ["x"])
    with pytest.raises(ValueError, match="without labels"):
        parse("x", "binary", [])


def test_an_outcome_is_an_answer_or_a_reason():
    for both_or_none in ((None, None), (0, Reason.EMPTY)):
        with pytest.raises(ValueError, match="an answer or a reason"):
            Outcome(*both_or_none)


def test_what_is_stored_of_invalid_replies_is_what_metrics_count_as_invalid():
    names = ["x", "y", "z"]
    replies = ["x", "y", "nothing"]
    classes = [stored(parse(reply, "multi_class", names), "multi_class", names) for reply in replies]
    assert classification.scores([0, 1, 2], classes, 3)["invalid"] == 1
    several = [stored(parse(reply, "multi_label", names), "multi_label", names) for reply in replies]
    assert multi_label.scores([[1, 0, 0], [0, 1, 0], [0, 0, 0]], several, 3)["invalid"] == 1
    numbers = [stored(parse(reply, "regression", []), "regression", []) for reply in ("1", "2.5", "1e151")]
    assert numbers[:2] == [1.0, 2.5]
    assert math.isnan(numbers[2])
    assert regression.scores([1.0, 2.5, 3.0], numbers)["invalid"] == 1


def test_both_protocols_take_a_missing_reply_and_an_empty_one_apart():
    for name, (kind, labels) in SETS.items():
        assert parse(None, kind, labels).reason is Reason.MISSING, name
        assert as_authors(None, kind, labels) is None
        assert as_authors("", kind, labels) == ([0] * len(labels) if kind == "multi_label" else -1)


@pytest.mark.ci
@pytest.mark.parametrize("shape", SHAPES, ids=ascii)
def test_no_shape_of_a_long_reply_is_slow(shape):
    long = (shape * SIZE)[:SIZE]
    replies = [long, f'"{long}"', f"bug{long}", f"{long}bug", f"\n{long}.", (shape * LONGEST)[:LONGEST]]
    for kind, labels in (SETS["bug_issue"], SETS["comment_type_java"], ("regression", [])):
        for reply in replies:
            for read in (parse, as_authors):
                assert min(seconds(read, reply, kind, labels) for _ in range(3)) < 0.05


def seconds(read, *arguments):
    start = time.process_time()
    read(*arguments)
    return time.process_time() - start
