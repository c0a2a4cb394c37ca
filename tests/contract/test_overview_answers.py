"""Line ranges of text files, labels and order of the map, members of the main class of a large file."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from codeplane.tools.surface import Surface
from support.repositories import make_repository
from support.tooling import Server, serving

_METHODS = [f"handle_request_{number:02}" for number in range(60)]
_SMALL = "".join(
    f"class Small{number:02}:\n    def first_method(self, value: int) -> int:\n        return value\n\n\n"
    for number in range(40)
)
_FUNCTIONS = "".join(f"def function_{number:03}(value: int) -> int:\n    return value\n\n\n" for number in range(300))
_MAIN = "class Main:\n" + "".join(f"    def {name}(self):\n        return 1\n\n" for name in _METHODS)

FILES: dict[str, str | bytes] = {
    "notes/short.txt": "quokka one\nquokka two\n",
    "notes/open.txt": "wombat one\nwombat two",
    "notes/guide.rst": "Guide\n=====\n",
    "README.md": "# Shop\n",
    "lib/__init__.py": "",
    "many_small.py": _SMALL + _MAIN,
    "many_functions.py": _FUNCTIONS + _MAIN,
    **{f"lib/part_{number}.py": f"def helper_{number}():\n    return {number}\n" for number in range(4)},
    **{
        f"app/use_{user}.py": "".join(
            f"from lib.part_{number} import helper_{number}\n\nhelper_{number}()\n" for number in range(user % 4 + 1)
        )
        for user in range(12)
    },
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("overview") / "repo", FILES)) as server:
        yield server


@pytest.mark.parametrize("word", ["quokka", "wombat"])
def test_text_file_of_two_lines_is_lines_one_to_two(shop: Server, word: str) -> None:
    hit = shop.call("search", {"query": word, "scope": "mixed"})["result"]["results"][0]
    assert hit["path"].startswith("notes/")
    assert (hit["line_start"], hit["line_end"]) == (1, 2)


def test_text_files_are_not_counted_as_markdown(shop: Server) -> None:
    rows = shop.call("map_repo", {"include": ["languages"]})["result"]["languages"]
    counts = {row["language"]: row["file_count"] for row in rows}
    assert (counts["markdown"], counts["text"], counts["rst"]) == (1, 2, 1)


def test_key_files_are_in_the_order_of_their_number(shop: Server) -> None:
    numbers = list(shop.call("map_repo", {"include": ["key_files"]})["result"]["key_files"].values())
    assert len(numbers) >= 4 and numbers == sorted(numbers, reverse=True)
    shown = shop.text("map_repo", {"include": ["key_files"]}, surface=Surface())
    printed = [int(found) for found in re.findall(r"^part_\d\.py (\d+)", shown, re.M)]
    assert printed == sorted(printed, reverse=True) and len(printed) == 4


@pytest.mark.parametrize("file", ["many_small.py", "many_functions.py"])
def test_outline_of_a_large_file_names_members_of_its_main_class(shop: Server, file: str) -> None:
    shown = shop.text("file_outline", {"file": file}, surface=Surface())
    assert "class Main" in shown
    assert sum(name in shown for name in _METHODS) >= 20
    assert len(shown) < 5_000
    found = shop.call("file_outline", {"file": file})["result"]
    named = [name for name in _METHODS if any(f"Main.{name}@" in other for other in found["others"])]
    assert len(named) >= 20
