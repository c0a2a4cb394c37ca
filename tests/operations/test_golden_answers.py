"""Whole answers, kept as files to be read in a review.

`CPL_UPDATE_GOLDEN=1 pytest tests/operations` rewrites them; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.base.paths import RepoPath
from codeplane.operations.map_repo import map_repo
from codeplane.operations.outline import file_outline
from codeplane.query.snapshot import Snapshot
from operations.fixtures import FILES, index

FOLDER = Path(__file__).parent / "golden"


def outline_of(path: str) -> Callable[[Snapshot], dict[str, object]]:
    return lambda snapshot: file_outline(snapshot, RepoPath(path)).as_dict()


CASES: dict[str, Callable[[Snapshot], dict[str, object]]] = {
    "map": lambda snapshot: map_repo(snapshot, repo_name="shop").fields,
    "outline_python": outline_of("shop/cart.py"),
    "outline_go": outline_of("pricing/sum.go"),
    "outline_rust": outline_of("crates/stock/src/lib.rs"),
    "outline_java": outline_of("server/src/main/java/org/acme/App.java"),
    "outline_typescript": outline_of("packages/core/src/render.ts"),
    "outline_tsx": outline_of("packages/ui/src/index.tsx"),
    "outline_javascript": outline_of("legacy/app.js"),
}


def render(answer: dict[str, object]) -> str:
    return json.dumps(answer, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_answer_matches_golden_file(polyglot: Snapshot, name: str) -> None:
    rendered, golden = render(CASES[name](polyglot)), FOLDER / f"{name}.json"
    if os.environ.get("CPL_UPDATE_GOLDEN"):
        golden.write_text(rendered, "utf-8")
    assert golden.exists(), f"no answer {golden.name} is kept; run with CPL_UPDATE_GOLDEN=1"
    assert rendered == golden.read_text("utf-8")


def test_second_index_gives_the_same_answer(polyglot: Snapshot, tmp_path: Path) -> None:
    reversed_files = dict(reversed(FILES.items()))
    with index(tmp_path / "other", reversed_files) as snapshot:
        for ask in CASES.values():
            assert render(ask(snapshot)) == render(ask(polyglot))
