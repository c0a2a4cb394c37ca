"""The semantic core is typed: no single-letter tags and no `Any` in name resolution and in the IR."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_SOURCE = Path(__file__).parents[2] / "src" / "codeplane"
_FILES = sorted(
    (
        *(_SOURCE / "index" / "resolve").rglob("*.py"),
        *(_SOURCE / "languages").glob("*/resolver*.py"),
        *(_SOURCE / "languages").glob("*/resolver/*.py"),
        *(_SOURCE / "facts" / name for name in ("ir.py", "flow.py", "flow_exprs.py", "interface.py", "summary.py")),
    )
)


def _constants(node: ast.expr) -> Iterator[object]:
    for part in node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]:
        if isinstance(part, ast.Constant):
            yield part.value


@pytest.mark.parametrize("path", _FILES, ids=lambda path: str(path.relative_to(_SOURCE)))
def test_no_letter_tags_and_no_any(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            for value in (value for part in (node.left, *node.comparators) for value in _constants(part)):
                is_letter = isinstance(value, str) and len(value) == 1 and value.isalpha()
                assert not is_letter, f"line {node.lineno}: comparison with the letter {value!r}"
        is_any = isinstance(node, ast.Name) and node.id == "Any"
        assert not is_any, "use a type, not Any"


def test_files_were_found() -> None:
    assert len(_FILES) > 30
