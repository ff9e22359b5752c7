from __future__ import annotations

from selu.text.compare import damage
from selu.text.pipelines import clean

STEPS = ("whitespace", "markdown", "code", "hash", "url", "user")


def counted(raw: str) -> dict[str, int]:
    return damage(raw, clean(raw, STEPS, "paper"), clean(raw, STEPS, "sound"))


def test_prose_is_not_damaged() -> None:
    counts = counted("Nothing to see here.\nMove on.")
    assert {name for name, count in counts.items() if count} == {"texts"}


def test_links_headings_and_masks() -> None:
    counts = counted("# Head\n\nSee [the old guide](https://a.example), `x` and https://b.example. Ask @ann")
    assert counts["link_words_lost"] == counts["words_lost"] == 3
    assert counts["words_left"] == 0
    assert counts["heading_swallowed"] == 1
    assert counts["address_tails"] == 1
    assert (counts["url_paper"], counts["url_sound"]) == (2, 1)
    assert (
        (counts["code_paper"], counts["code_sound"]) == (counts["user_paper"], counts["user_sound"]) == (1, 1)
    )
    assert counts["differ"] == counts["changed_paper"] == counts["changed_sound"] == 1


def test_a_text_that_paper_empties() -> None:
    counts = counted("[^1]: note\n\nIt fails since the update.")
    assert counts["emptied_by_paper"] == 1
    assert counts["emptied_by_sound"] == 0
    assert counts["words_lost"] == 5


def test_only_a_heading_is_not_swallowed() -> None:
    assert counted("# Head")["heading_swallowed"] == 0
    assert counted("#1234 is\nno heading")["heading_swallowed"] == 0


def test_every_text_has_the_same_counts() -> None:
    assert set(counted("")) == set(counted("a `b` @c"))
