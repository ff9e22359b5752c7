from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import selu
from selu.package import architecture

PACKAGE = Path(selu.__file__).parent
FILES = {
    "cli.py": "from selu.app import show\nimport selu.words",
    "app/__init__.py": '"""What verbs do: show. And more."""',
    "app/show.py": "def f():\n    from selu.papers.api import Benchmark\n    import selu.words",
    "papers/__init__.py": '"""What a benchmark is."""',
    "papers/api.py": "from selu import words",
    "papers/one/__init__.py": "from selu.papers import api",
    "words.py": '"""Words."""',
    "__main__.py": "from selu import app",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "selu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "selu"


def test_an_import_is_found_in_any_statement(tmp_path: Path) -> None:
    branches = """
        try:
            import selu.a
        except ImportError:
            import selu.b
        else:
            import selu.c
        finally:
            import selu.d
        if x:
            pass
        else:
            with y:
                import selu.e
        match z:
            case 1:
                for i in j:
                    import selu.f
    """
    (tmp_path / "room.py").write_text(textwrap.dedent(branches))
    assert architecture.read_imports(tmp_path) == {"room": set("abcdef")}


def test_an_arrow_is_an_import_that_no_longer_way_says(folder: Path) -> None:
    imports = architecture.read_imports(folder)
    assert imports == {
        "cli": {"app", "words"},
        "app": {"papers", "words"},
        "papers": {"words"},
        "papers/<name>": {"papers"},
        "words": set(),
    }
    assert architecture.reduce_imports(imports) == {
        "cli": {"app"},
        "app": {"papers"},
        "papers": {"words"},
        "papers/<name>": {"papers"},
        "words": set(),
    }
    rooms, ground = architecture.split_ground(imports, folder)
    assert (set(rooms), ground) == ({"cli", "app", "papers", "papers/<name>"}, ["words"])
    assert architecture.describe_room(folder, "app") == "What verbs do: show"


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """What each room of this package imports."""
    return architecture.read_imports(PACKAGE)


@pytest.mark.ci
def test_rooms_stand_above_what_they_import_and_no_two_in_one_place(known: dict[str, set[str]]) -> None:
    imports, _ = architecture.split_ground(known, PACKAGE)
    middle, arrows = architecture.place_rooms(architecture.reduce_imports(imports))
    assert all(middle[room][1] < middle[other][1] for room, known in imports.items() for other in known)
    assert len(set(middle.values())) == len(imports)
    assert len(arrows) == sum(map(len, architecture.reduce_imports(imports).values()))


@pytest.mark.ci
def test_a_reader_finds_each_room_with_what_it_holds(root: Path, known: dict[str, set[str]]) -> None:
    page = (root / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    _, ground = architecture.split_ground(known, PACKAGE)
    for room in known:
        says = architecture.describe_room(PACKAGE, room)
        assert 0 < len(textwrap.wrap(says, architecture._LETTERS)) <= architecture._LINES, says
        name = room.removesuffix("/<name>")
        assert name in ground or f"`{name}`" in page, name


@pytest.mark.ci
def test_the_tracked_picture_is_that_of_the_imports(root: Path) -> None:
    """A reader of docs/ARCHITECTURE.md sees the rooms as they are: 'selu report architecture' draws them."""
    from selu.papers.drawing import images

    tracked = (root / "docs" / "architecture.svg").read_bytes()
    assert tracked == images(architecture.draw(PACKAGE))["svg"]
