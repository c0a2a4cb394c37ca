"""Limits, read-only access, and epochs that are past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath
from codeplane.facts.links import uid_number
from codeplane.facts.model import Tier
from codeplane.query import defs, files, history
from codeplane.query.imports import list_imports
from codeplane.query.occurrences import list_occurrences
from codeplane.query.refs import list_uses_of
from codeplane.query.snapshot import Snapshot, open_current, open_snapshot
from codeplane.store.layout import StateDirectory, create_state
from codeplane.store.open_writer import open_writer
from codeplane.store.records import ChangeKind
from support.store_sample import Sample, sample_uid
from support.text_search import search_files

LISTS: list[Callable[[Snapshot, int], object]] = [
    lambda snapshot, limit: defs.list_defs_by_name(snapshot, "x", limit),
    lambda snapshot, limit: defs.list_defs_by_qualified_name(snapshot, "x", limit),
    lambda snapshot, limit: defs.list_defs_by_prefix(snapshot, "", limit),
    lambda snapshot, limit: defs.list_defs_by_prefix(snapshot, "x", limit),
    lambda snapshot, limit: defs.list_defs_in_file(snapshot, "none.py", limit),
    lambda snapshot, limit: list_imports(snapshot, "none.py", limit),
    lambda snapshot, limit: files.list_files(snapshot, limit),
    lambda snapshot, limit: files.list_problems(snapshot, limit, path="none.py"),
    lambda snapshot, limit: history.list_defs_at_epoch(snapshot, "none.py", 1, limit),
    lambda snapshot, limit: history.list_changes(snapshot, 1, limit),
]


@pytest.fixture
def sample() -> Sample:
    return Sample()


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    return create_state(tmp_path)


def test_every_list_has_a_limit(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {"a.py": "x"})
    with open_snapshot(generation) as snapshot:
        for ask in LISTS:
            for limit in (0, -1, MAX_LIMIT + 1):
                with pytest.raises(CodePlaneError) as raised:
                    ask(snapshot, limit)
                assert raised.value.code is ErrorCode.ARGUMENT_INVALID
            ask(snapshot, MAX_LIMIT)


def test_pages_are_prefixes_of_one_order_and_count_all(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {f"d{number % 7}/f{number}.py": "def same(): same" for number in range(40)})
    with open_snapshot(generation) as snapshot:
        whole = defs.list_defs_by_name(snapshot, "same", 100)
        assert [row.path for row in whole.rows] == sorted(row.path for row in whole.rows)
        assert (len(whole.rows), whole.total) == (40, 40)
        for limit in (1, 7, 40):
            page = defs.list_defs_by_name(snapshot, "same", limit)
            assert (page.rows, page.total, page.left_out) == (whole.rows[:limit], 40, 40 - limit)
        matches = search_files(snapshot, "same", 100)
        assert search_files(snapshot, "same", 7) == matches[:7]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM defs",
        "UPDATE def_references SET places = x''",
        "INSERT INTO meta VALUES ('a', 'b')",
        "DROP TABLE blocks",
    ],
)
def test_a_snapshot_cannot_write(sample: Sample, state: StateDirectory, sql: str) -> None:
    generation = sample.build(state, {"a.py": "def f(): f"})
    before = sample.dump(generation)
    with open_snapshot(generation) as snapshot, pytest.raises(CodePlaneError):
        snapshot.reader.rows(sql)
    assert sample.dump(generation) == before


def test_missing_index_is_reported(state: StateDirectory) -> None:
    with pytest.raises(CodePlaneError) as raised:
        open_current(state)
    assert raised.value.code is ErrorCode.NOT_INDEXED


def test_queries_work_without_the_text_index(sample: Sample, state: StateDirectory) -> None:
    sample.build(state, {"a.py": "def load(): load"})
    with open_current(state, lexical=False) as snapshot:
        assert defs.list_defs_by_name(snapshot, "load", 5).total == 1
        with pytest.raises(CodePlaneError):
            search_files(snapshot, "load", 5)


def test_released_snapshot_allows_a_checkpoint(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {"a.py": "def f(): f"})
    with open_snapshot(generation) as snapshot, open_writer(generation).writer as writer:
        for number in range(8):
            snapshot.refresh()
            snapshot.release()
            sample.put(writer, "a.py", " ".join(f"word_{number}_{index}" for index in range(3000)))
            sample.publish(writer)
            assert writer.wal_bytes() < 2 * 1024 * 1024
        assert snapshot.refresh().epoch == 9


def test_definitions_of_past_epochs(sample: Sample, state: StateDirectory) -> None:
    def names(epoch: int, path: str = "a.py") -> list[str]:
        return [row.name for row in history.list_defs_at_epoch(snapshot, path, epoch, 10).rows]

    generation = sample.build(state, {"a.py": "def one(): pass", "b.py": "def still(): pass"})
    with open_writer(generation).writer as writer:
        sample.put(writer, "c.py", "def late(): pass")
        assert sample.publish(writer) == 2
        sample.put(writer, "a.py", "def draft(): pass")
        sample.put(writer, "a.py", "def two(): pass\ndef one(): pass")
        assert sample.publish(writer) == 3
        writer.remove_file(RepoPath("a.py"))
        assert sample.publish(writer) == 4
        sample.put(writer, "a.py", "def again(): pass")
        assert sample.publish(writer) == 5
    with open_snapshot(generation) as snapshot:
        assert [names(epoch) for epoch in range(1, 6)] == [["one"], ["one"], ["two", "one"], [], ["again"]]
        assert [names(epoch, "b.py") for epoch in (1, 5)] == [["still"], ["still"]]
        assert [names(epoch, "c.py") for epoch in (1, 2)] == [[], ["late"]]
        assert names(3, "none.py") == []
        for epoch in (0, 6):
            with pytest.raises(CodePlaneError) as raised:
                names(epoch)
            assert raised.value.code is ErrorCode.ARGUMENT_INVALID
        found = history.list_changes(snapshot, 2, 10)
        assert [(row.epoch, row.path, row.change) for row in found.rows] == [
            (3, "a.py", ChangeKind.MODIFIED),
            (4, "a.py", ChangeKind.REMOVED),
            (5, "a.py", ChangeKind.ADDED),
        ]


def test_queries_never_raise_a_tier(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {"a.py": "def load(): pass", "b.py": "load()"})
    with open_snapshot(generation) as snapshot:
        user = files.get_file(snapshot, "b.py")
        assert user is not None
        assert [each.tier for each in list_occurrences(snapshot, user.file_id, "load")] == [Tier.UNKNOWN]
        assert list_uses_of(snapshot, uid_number(sample_uid("load"))) == []
