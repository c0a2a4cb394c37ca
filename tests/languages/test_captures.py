"""Every capture of every query is registered and documented, and every registered capture is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import codeplane.languages
from codeplane.facts import identifiers, structure
from codeplane.facts.captures import CAPTURES, QueryFile, find_capture

_FOLDER = Path(codeplane.languages.__file__).parent
_NOT_CAPTURES = re.compile(r';[^\n]*|"(?:[^"\\]|\\.)*"')


def _query_of(path: Path) -> QueryFile:
    if "flow" in path.name:
        return QueryFile.FLOW
    return QueryFile.NAMES if "names" in path.name else QueryFile.FACTS


def _captures() -> Iterator[tuple[Path, QueryFile, str]]:
    for path in sorted(_FOLDER.glob("*/*.scm")):
        for name in re.findall(r"@([\w.]+)", _NOT_CAPTURES.sub("", path.read_text())):
            if not name.startswith("_"):
                yield path, _query_of(path), name


def test_every_capture_of_a_query_is_registered() -> None:
    found = list(_captures())
    unknown = {
        f"{path.parent.name}/{path.name}: @{name}" for path, query, name in found if not find_capture(query, name)
    }
    assert found and unknown == set()


def test_every_registered_capture_is_used() -> None:
    used = {find_capture(query, name) for _, query, name in _captures()}
    assert [key for key, capture in CAPTURES.items() if capture not in used] == []


def test_every_capture_has_documentation_and_a_reader() -> None:
    assert identifiers and structure
    for (query, name), capture in CAPTURES.items():
        assert capture.doc and "\n" not in capture.doc, name
        if query is QueryFile.NAMES or ("." in name and query is QueryFile.FACTS):
            assert capture.handler is not None, name
