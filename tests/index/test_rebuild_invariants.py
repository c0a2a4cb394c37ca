"""Guarantees across rebuilds and changed options."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from codeplane.facts.pool import Job, ParserPool
from codeplane.index.indexer import Indexer
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, write


def test_epochs_increase_over_rebuilds(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    seen = []
    for number in range(4):
        write(root, "a.py", f"x = {number}\n")
        with Indexer.open(options_for(root), rebuild=True) as indexer:
            seen.append(indexer.sync().epoch)
            generation = indexer.generation
            assert generation is not None
        if number == 1:
            generation.database.write_bytes(b"damaged" * 4096)
    assert seen == sorted(set(seen)), seen


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"max_parse_bytes": 100}, {}),
        ({}, {"max_parse_bytes": 100}),
        ({"max_lexical_bytes": 500}, {}),
        ({"max_parse_bytes": 50, "max_lexical_bytes": 100}, {"max_parse_bytes": 5000, "max_lexical_bytes": 300}),
    ],
)
def test_changed_limits_apply_to_indexed_files(
    tmp_path: Path, before: dict[str, object], after: dict[str, object]
) -> None:
    files: dict[str, str | bytes] = {f"m{size}.py": "y = 2\n" * size for size in (1, 20, 60, 300)}
    root = make_repository(tmp_path / "repo", files)
    with Indexer.open(options_for(root, **before)) as indexer:
        indexer.sync()
    with Indexer.open(options_for(root, **after)) as indexer:
        indexer.sync()
        found = logical_dump(indexer)
        assert indexer.sync().decision == "fresh"
    assert found == scratch_dump(root, tmp_path, **after)


def test_slow_parent_process_blames_no_file() -> None:
    pool = ParserPool(2, seconds=1.0)
    try:
        results = []
        for result in pool.parse(Job("python", f"m{number}.py", b"x = 1\n") for number in range(6)):
            results.append(result)
            time.sleep(1.2)
    finally:
        pool.close()
    assert len(results) == 6
    assert all(result.failure is None for result in results)
