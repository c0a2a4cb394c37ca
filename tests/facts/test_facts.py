"""Every case file of every language: its golden dump, and the assertions of its carets.

`CPL_UPDATE_GOLDEN=1 pytest tests/facts` rewrites the dumps; read the diff before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.facts import check_claim, claims, extract_case, render

from codeplane.languages.registry import languages

HERE = Path(__file__).parent
CASES = sorted(
    path for folder in HERE.iterdir() if folder.is_dir() for path in folder.iterdir() if path.suffix not in (".facts", ".pyc") and path.is_file()
)


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_golden_dump(path: Path) -> None:
    golden = path.with_name(path.name + ".facts")
    rendered = render(extract_case(path))
    if os.environ.get("CPL_UPDATE_GOLDEN"):
        golden.write_text(rendered, "utf-8")
    assert golden.exists(), f"no golden dump {golden.name}; run with CPL_UPDATE_GOLDEN=1"
    assert rendered == golden.read_text("utf-8")


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_claims(path: Path) -> None:
    facts = extract_case(path).facts
    failed = [
        f"{path.name}:{claim.line}:{claim.column} claimed '{claim.text}', found: {found}"
        for claim in claims(path)
        if (found := check_claim(facts, claim)) is not None
    ]
    assert not failed, "\n".join(failed)


def test_every_language_has_cases_with_claims() -> None:
    for language in languages():
        cases = [path for path in CASES if path.suffix in language.extensions]
        assert cases, f"{language.name} has no case in tests/facts"
        assert sum(1 for path in cases for _ in claims(path)) >= 10, f"{language.name} has too few claims"
