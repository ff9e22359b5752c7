from __future__ import annotations

from html.parser import HTMLParser

from selu.text.diff import SHOWN, report


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_changed_words_are_marked_and_all_is_escaped() -> None:
    page = report([("a<b", "<script>x</script> & raw", "[URL] same old", "the link same <new>")], "T & U")
    assert "<h2>a&lt;b</h2>" in page
    assert "&lt;script&gt;x&lt;/script&gt; &amp; raw" in page
    assert "<del>[URL]</del> same <del>old</del>" in page
    assert "<ins>the link</ins> same <ins>&lt;new&gt;</ins>" in page
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe"}  # nothing is loaded from elsewhere


def test_equal_texts_have_no_marks() -> None:
    page = report([("x", "a  b", "a b", "a b")], "none")
    body = page[page.index("<section>") :]
    assert "<del>" not in body
    assert "<ins>" not in body


def test_odd_texts_can_be_written() -> None:
    page = report([("x", "a\ud800\0", "", "y" * (SHOWN + 1))], "odd")
    page.encode()
    assert " …" in page
    assert "No texts." in report([], "empty")
