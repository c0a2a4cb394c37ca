"""Texts use plain English: no coined words, no docstring that opens with a relative clause, unique class names."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from house.vocabulary import check_file_name, check_python, check_text

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "codeplane"
DATA = ("tests/house/vocabulary.py", "tests/house/test_vocabulary.py", "docs/glossary.md")
"""Files that list the banned words."""


def _files(*patterns: str) -> list[Path]:
    found = {path for pattern in patterns for path in ROOT.glob(pattern)}
    return sorted(
        path for path in found if str(path.relative_to(ROOT)) not in DATA and "node_modules" not in path.parts
    )


MODULES = _files("src/**/*.py", "tests/**/*.py", "benchmarks/**/*.py", "scripts/*.py")
DOCUMENTS = _files("*.md", "docs/**/*.md", "benchmarks/**/*.md", "tests/**/*.md", "src/**/*.scm")


def test_modules_use_plain_english() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{finding.line}: {finding.text}"
        for path in MODULES
        if not path.is_relative_to(ROOT / "tests" / "facts")
        for finding in (*check_python(path.read_text(encoding="utf-8")), *check_file_name(path))
    ]
    assert found == []


def test_documents_use_plain_english() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{finding.line}: {finding.text}"
        for path in DOCUMENTS
        for finding in check_text(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_public_class_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert places
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        ('"""What a file holds."""', "docstring opens with 'What'"),
        ('class A:\n    x = 1\n    """Whether it is open."""', "docstring opens with 'Whether'"),
        ("# made anew at each start", "anew"),
        ('"""Rows that stand\n    for a file."""', "stand for"),
        ("raise E('the index is mended')", "mended"),
        ("class Keeper: ...", "name 'Keeper'"),
        ("def read_wish(): ...", "name 'read_wish'"),
    ],
)
def test_banned_english_is_found(source: str, finding: str) -> None:
    assert finding in [found.text for found in check_python(source)]


@pytest.mark.parametrize(
    "source",
    ['"""Return the files of a unit."""', "x = 'what it holds'", "recommended = amended = 1", "def apartment(): ..."],
)
def test_plain_english_is_allowed(source: str) -> None:
    assert list(check_python(source)) == []
