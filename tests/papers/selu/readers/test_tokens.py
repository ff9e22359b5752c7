from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from reader_bench import PINS, TASKS, Bench, Contents, listed

from selu.papers.selu.readers import READERS
from selu.sources import tables
from selu.text import speech

SHARED = Path(__file__).parents[5] / "shared" / "datasets"
XML = "<doc><title>\n  A   list</title><p>It stores\n it.<b/> Users read it.</p></doc>"


class TestEntities:
    @staticmethod
    def post(start: str, *sentences: list[tuple[str, str]]) -> str:
        head = [[(start, "O"), (":", "O"), ("7", "O")], [("Question_URL", "O"), (":", "O"), ("http://x", "O")]]
        blocks = [
            "".join(f"{word}\t{tag}\t{word}\t{tag}\n" for word, tag in sentence)
            for sentence in [*head, *sentences]
        ]
        return "\t\n".join(blocks) + "\t\n\t\n"

    def contents(self, *posts: str) -> Contents:
        last = self.post("Question_ID", [("never", "O"), ("appended", "O")])
        return {"train.txt": "".join(posts) + last, "dev.txt": last, "test.txt": last}

    def test_posts(self, bench: Bench) -> None:
        cut = [("CODE_BLOCK", "B-Code_Block"), (":", "I-Code_Block"), ("(", "I-Code_Block")]
        cut += [(word, "I-Code_Block") for word in ("code", "omitted", "for", "annotation", ")")]
        table = bench.read(
            "se_entities",
            self.contents(
                self.post("Question_ID", [("Use", "O"), ("sort", "B-Library_Function")], cut, [("it", "O")]),
                self.post("Answer_to_Question_ID", cut),
                self.post(
                    "Answer_to_Question_ID",
                    [
                        ("GNU", "B-Organization"),
                        ("tools", "I-Organization"),
                        ("3", "B-Value"),
                        ("3", "I-Value"),
                    ],
                ),
            ),
        )
        assert listed(table, "tokens", "label", "group", "source") == [
            (["Use", "sort", "it"], ["O", "B-Function", "O"], "7", "train.txt:1"),
            (["GNU", "tools", "3", "3"], ["B-Website", "I-Website", "O", "O"], "7", "train.txt:3"),
        ]

    def test_unknown_tag_and_words_before_the_first_post(self, bench: Bench) -> None:
        bad = self.post("Question_ID", [("Use", "O"), ("it", "B-Spell")])
        assert "train.txt: line 10: unknown tag 'B-Spell'" in bench.refusal("se_entities", self.contents(bad))
        text = bench.refusal("se_entities", self.contents("it\tO\tit\tO\n\t\n"))
        assert "no tagged post in line 1" in text

    def test_a_torn_line(self, bench: Bench) -> None:
        torn = self.post("Question_ID", [("Use", "O")]).replace("Use\tO\tUse\tO", "Use\tO")
        assert "2 fields instead of 4 in line 9" in bench.refusal("se_entities", self.contents(torn))


class TestRequirementCompletion:
    def test_one_row_per_document(self, bench: Bench) -> None:
        content = "document,sentence_id,word,pos\nb,0,It,PRON\nb,0,works,VERB\na,0,NULL,PROPN\nb,1,.,PUNCT\n"
        table = bench.read("requirement_completion", {"pos_tokens.csv": content})
        assert listed(table, "id", "tokens", "label", "group") == [
            ("x000000", ["It", "works", "."], ["PRON", "VERB", "PUNCT"], "b"),
            ("x000001", ["NULL"], ["PROPN"], "a"),
        ]

    def test_unknown_tag(self, bench: Bench) -> None:
        content = "document,sentence_id,word,pos\nb,0,It,PRP\n"
        assert "row x000000: label is ['PRP']" in bench.refusal(
            "requirement_completion", {"pos_tokens.csv": content}
        )

    def test_texts_without_the_tagger_are_refused(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(speech, "MODEL", "not_installed")
        text = bench.refusal("requirement_completion", {}, "mirror-texts")
        assert "not_installed, which is not installed: 'make finetune-environment' installs it." in text

    if find_spec(speech.MODEL):  # locks/dev.txt has it

        def test_texts_and_xml_are_tagged(self, bench: Bench) -> None:
            contents: Contents = {
                "0000 - cctns.txt": "The report provides it.\n\nUsers must read it.\n",
                "2007 - eirene fun 7.xml": XML,
            }
            table = bench.read("requirement_completion", contents, "mirror-texts")
            assert table["id"].tolist()[-1] == "x000012"
            (first, tags), (last, _) = (table[["tokens", "label"]].iloc[row] for row in (0, -1))
            assert " ".join(first) == "The report provides it . Users must read it ."
            verbs = [word for word, tag in zip(first, tags, strict=True) if tag == "VERB"]
            assert verbs == ["provides", "read"]
            assert " ".join(last) == "A list It stores it . Users read it ."
            assert table["group"].iloc[-1] == "2007 - eirene fun 7"
            contents["2007 - eirene fun 7.xml"] = "<doc>"
            text = bench.refusal("requirement_completion", contents, "mirror-texts")
            assert "2007 - eirene fun 7.xml is not XML" in text

        @pytest.mark.skipif(not SHARED.is_dir(), reason="the real documents are not here")
        def test_a_real_document_has_the_published_words_and_nearly_their_verbs(self) -> None:
            task, name = TASKS["requirement_completion"], "2010 - blitdraft"
            texts, tagged = (PINS[task.id].origin(origin).files for origin in ("mirror-texts", "mirror"))
            file = next(pin for pin in texts if pin.name == f"{name}.txt")
            raw = {pin.name: tables.read(SHARED / pin.path, pin.form) for pin in (file, *tagged)}
            table = READERS["requirement_completion"](raw, task)
            theirs = table[table["group"] == name]
            ours = READERS["requirement_texts"]({file.name: raw[file.name]}, task)
            assert ours["tokens"].tolist() == theirs["tokens"].tolist()
            pairs = list(zip(ours["label"].iloc[0], theirs["label"].iloc[0], strict=True))
            found, published = ([tags[side] == "VERB" for tags in pairs] for side in (0, 1))
            common = sum(a and b for a, b in zip(found, published, strict=True))
            assert (sum(found), common, sum(published)) == (216, 211, 220)
