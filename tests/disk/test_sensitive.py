"""Names of files that configure CI, agents, editors, hooks or shells, and similar names of ordinary files."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.disk.sensitive import is_sensitive

NAMES = Path(__file__).parent / "names"


@pytest.mark.parametrize("path", (NAMES / "sensitive_files.txt").read_text().splitlines())
def test_sensitive_names_are_recognized_at_any_level(path: str) -> None:
    assert is_sensitive(path)
    assert is_sensitive(f"packages/app/{path}")
    assert is_sensitive(path.upper())


@pytest.mark.parametrize("path", (NAMES / "creatable_files.txt").read_text().splitlines())
def test_similar_names_are_not_sensitive(path: str) -> None:
    assert not is_sensitive(path)


def test_the_directory_of_an_unknown_tool_is_sensitive() -> None:
    assert is_sensitive(".newagent/rules.md")
    assert is_sensitive("packages/web/.newagent/hooks/start.json")
