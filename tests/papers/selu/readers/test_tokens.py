from __future__ import annotations

from reader_bench import Bench, Contents, listed


class TestEntities:
    @staticmethod
    def post(start: str, *sentences: list[tuple[str, str]]) -> str:
        head = [[(start, "O"), (":", "O"), ("7", "O")], [("Question_URL", "O"), (":", "O"), ("http://x", "O")]]
        blocks = ["".join(f"{w}\t{t}\t{w}\t{t}\n" for w, t in sentence) for sentence in [*head, *sentences]]
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
