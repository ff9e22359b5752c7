"""What each claim says of itself, in whatever benchmark: how much it weighs, and the paper's own words."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from selu import papers, registry
from selu.papers.claims import HISTORY, declared_as, declared_in
from selu.vocabulary import SeluError

PAPERS = Path(__file__).parents[3] / "shared" / "papers"  # texts of the judged papers: not ours to commit
READ = ("selu", "blanca", "crosscodebench", "faun_eval", "nlbse24")  # papers whose text was available
EACH = pytest.mark.parametrize("name", registry.published())
LONGEST = 25  # words of a quotation
BETWEEN = 1_000  # letters that "..." can stand for: parts of one passage, with a table inside it at most


@EACH
def test_each_claim_says_its_weight_its_kind_and_its_question(name: str) -> None:
    """Else a reader can't tell a broken conclusion from a typo, or the paper's words from ours."""
    for claim in registry.claims(name):
        assert claim.weight in ("conclusion", "method", "detail"), claim.id
        assert claim.kind in ("stated", "implied", "our check"), claim.id
        assert (claim.kind == "stated") == bool(claim.quote), claim.id
        assert len(claim.quote.split()) <= LONGEST, claim.id
        assert claim.question.endswith("?"), claim.id


@EACH
def test_half_in_a_rule_says_where_it_is_from(name: str) -> None:
    """A verdict that turns at a half is ours where no sentence of the paper says so."""
    rules = {claim.id: claim.rule for claim in registry.claims(name)}
    halves = [id for id, rule in rules.items() if re.search(r"\bhalf\b", f"{rule.holds} {rule.fails}")]
    assert [id for id in halves if "half" not in str(rules[id].thresholds)] == []


def letters(text: str) -> str:
    """Letters and digits alone: extraction breaks blanks, hyphens, quotes, ligatures and marks of every kind.

    Of a formula, what is seen and its LaTeX stand behind each other.
    """
    text = re.sub(r"(\d)1\\mathrm\{e\}\{-\1\}", r"-\1", unicodedata.normalize("NFKC", text))
    return re.sub(r"\\[lg]eq|[\W_]", "", text)


def quoted(quote: str, text: str) -> bool:
    """Tell whether the parts of a quotation stand in a paper in this order; a number may stand there twice."""
    twice = r"\g<0>(?:[A-Za-z]{0,6}\g<0>)?"
    parts = [re.sub(r"\d+", twice, letters(part)) for part in quote.split(" ... ")]
    return re.search(f".{{0,{BETWEEN}}}?".join(parts), text) is not None


@EACH
def test_each_conclusion_says_what_changes_if_it_fails(name: str) -> None:
    """Else nobody learns what a verdict changes for them. A sentence that fits two claims says nothing."""
    sentences = {claim.id: claim.if_it_fails for claim in registry.claims(name) if claim.weight == "conclusion"}
    assert [id for id, sentence in sentences.items() if not re.fullmatch(r"[A-Z].{20,170}\.", sentence)] == []
    assert len(set(sentences.values())) == len(sentences)


@pytest.mark.parametrize("name", READ)
def test_each_quotation_stands_in_the_paper(name: str) -> None:
    """Else we put words into the authors' mouths."""
    if not PAPERS.is_dir():
        pytest.skip(f"the texts of the papers are not in {PAPERS}")
    path = next(PAPERS.glob(f"{name.replace('_', '-')}*.txt"))
    paper = letters(path.read_text("utf-8"))
    assert [(claim.id, claim.quote) for claim in registry.claims(name) if not quoted(claim.quote, paper)] == []


def test_other_words_another_order_or_another_number_are_no_quotation() -> None:
    text = letters(
        "Scores are high-\nly ‘similar’, between 0.7090.709 and 0.755\\geq 0.755. We find that T5 wins."
    )
    assert quoted("highly 'similar', between 0.709 and ≥ 0.755 ... T5 wins", text)
    for wrong in ("highly different", "T5 wins ... between 0.709", "between 0.708 and", "T55 wins"):
        assert not quoted(wrong, text)


def test_a_change_of_no_claim_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt id would drop what was said before without a word."""
    folder = tmp_path / "claims_of_nobody"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / HISTORY).write_text("Z99: [{date: '2026-11-27', why: a reason, was: 'holds: so.'}]\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SeluError, match=r"history\.yaml names Z99, which is not a claim"):
        declared_in("claims_of_nobody")


FIRST = """from selu.papers.claims import claim

first = claim("Z01", "1", "It is so.", holds="so", fails="else"{weight})(len)
"""


def package(folder: Path, **modules: str) -> str:
    folder.mkdir()
    for name, text in {"__init__": "", **modules}.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder.name


@pytest.mark.parametrize("others", [{}, {"b": FIRST.format(weight="")}])
def test_two_claims_of_one_id_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: dict[str, str]
) -> None:
    """One of them would be shown and the other counted."""
    monkeypatch.syspath_prepend(tmp_path)
    first = FIRST.format(weight="")
    again = "" if others else first.splitlines()[-1].replace("first", "second")
    name = package(tmp_path / f"claims_twice_{len(others)}", a=first + again, **others)
    for read in (lambda: declared_in(name), lambda: declared_as(name, "Z01")):
        with pytest.raises(SeluError, match="two claims have the id Z01") as caught:
            read()
        assert [file in str(caught.value) for file in ("a.py", "b.py")] == [True, bool(others)]


def test_a_weight_that_there_is_not_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim would be left out of the headline without a word."""
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    name = package(tmp_path / "weighed", claims=FIRST.format(weight=', weight="conclusions"'))
    with pytest.raises(
        SeluError, match=r"Z01 has the weight 'conclusions', and .* conclusion, .*weighed/claims\.py, line 3"
    ):
        declared_in(f"selu.papers.{name}.claims")
