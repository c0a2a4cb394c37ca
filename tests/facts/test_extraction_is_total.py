"""Extraction accepts any bytes: facts and problems, never an exception; and the facts are consistent."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeplane.facts.extract import extract
from codeplane.facts.model import Bind, Extraction, Ref, Scope, Target
from codeplane.languages.registry import detect, languages

HERE = Path(__file__).parent
SOURCES = sorted(path for folder in HERE.iterdir() if folder.is_dir() for path in folder.iterdir() if path.is_file() and path.suffix != ".facts" and detect(path.name))


def check(extraction: Extraction, source: bytes) -> None:
    """Check that ordinals point at rows, spans are in the source, and names match the source."""
    facts = extraction.facts
    lines = source.decode("utf-8", "replace").split("\n")
    for scope in (Scope(*row) for row in facts.scopes[1:]):
        assert scope.parent is not None and 0 <= scope.parent < len(facts.scopes)
    for row in facts.defs:
        assert 1 <= row.start_line <= row.name_line <= row.end_line <= len(lines)
        assert row.parent is None or 0 <= row.parent < len(facts.defs)
    assert len({row.def_uid for row in facts.defs}) == len(facts.defs)
    for bind in (Bind(*row) for row in facts.binds):
        targets = {Target.DEF: len(facts.defs), Target.IMPORT: len(facts.imports)}
        assert bind.target is None or 0 <= bind.target < targets[Target(bind.target_kind)]
    positions = []
    for ref in (Ref(*row) for row in facts.refs):
        positions.append((ref.start_line, ref.start_col))
        assert ref.bind is None or facts.binds[ref.bind][1] == facts.names[ref.name]
        if source.isascii():
            assert lines[ref.start_line - 1][ref.start_col : ref.end_col] == facts.names[ref.name]
    assert positions == sorted(set(positions))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_truncated_and_mangled_sources(path: Path) -> None:
    language = detect(path.name)
    assert language is not None
    source = path.read_bytes()
    for cut in range(0, len(source), 37):
        check(extract(language.name, "pkg/m", source[:cut]), source[:cut])
        mangled = source[:cut] + b"\x00}{)(" + source[cut + 3 :]
        check(extract(language.name, "pkg/m", mangled), mangled)


@pytest.mark.parametrize("name", [language.name for language in languages()])
@settings(max_examples=60, derandomize=True)
@given(data=st.text(max_size=300))
def test_arbitrary_text(name: str, data: str) -> None:
    source = data.encode("utf-8", "replace")
    check(extract(name, "pkg/m", source), source)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_same_source_same_facts(path: Path) -> None:
    language = detect(path.name)
    assert language is not None
    first, second = (extract(language.name, "pkg/m", path.read_bytes()) for _ in range(2))
    assert first == second
