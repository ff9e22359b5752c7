from __future__ import annotations

from reader_bench import Bench, Contents, listed


class TestIssueIntention:
    content = (
        "project,label,text\nvscode,others, thanks \nDECA,others,one\nDECA,others,two\n"
        "docker,problem discovery,it says \ufffd\ufffdno\ufffd\ufffd here\nbootstrap,feature request,please\n"
    )
    expected = [  # noqa: RUF012
        ("p000000", "please", 1, "bootstrap/feature request:1"),
        ("p000001", "one", 4, "DECA/others:1"),
        ("p000002", "two", 4, "DECA/others:2"),
        ("p000003", "it says no here", 5, "docker/problem discovery:1"),
        ("p000004", "thanks", 4, "vscode/others:1"),
    ]

    def test_projects_in_published_order(self, bench: Bench) -> None:
        table = bench.read("issue_intention", {"issue_intention.csv": self.content})
        assert listed(table, "id", "text", "label", "source") == self.expected

    def test_the_files_themselves_give_the_same_rows(self, bench: Bench) -> None:
        files: Contents = {
            "bootstrap feature request.txt": "please\n",
            "DECA others.txt": "one\ntwo\n",
            "docker problem discovery.txt": "it says \xa1\xb0no\xa1\xb1 here\n".encode("latin-1"),
            "vscode others.txt": " thanks \n",
        }
        table = bench.read("issue_intention", files, "original")
        assert listed(table, "id", "text", "label", "source") == self.expected

    def test_unknown_project_and_label(self, bench: Bench) -> None:
        for row, message in (("atom,others,x", "'atom'"), ("DECA,praise,x", "'praise'")):
            content = f"project,label,text\n{row}\n"
            assert message in bench.refusal("issue_intention", {"issue_intention.csv": content})

    def test_another_encoding_in_a_file_is_refused(self, bench: Bench) -> None:
        text = bench.refusal("issue_intention", {"DECA others.txt": b"caf\xe9\n"}, "original")
        assert "DECA others.txt is not all utf-8 (byte 0xe9 at position 3)" in text
