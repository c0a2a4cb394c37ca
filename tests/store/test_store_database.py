from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store import database
from codeplane.store.database import (
    checkpoint,
    close_writer,
    create_database,
    finish_bulk,
    open_for_reading,
    open_for_writing,
    rows,
    wal_bytes,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    connection = create_database(path)
    connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(number, f"text {number}" * 20) for number in range(500)])
    finish_bulk(connection)
    close_writer(connection)
    return path


def test_every_flipped_bit_of_a_page_is_detected(path: Path) -> None:
    whole = path.read_bytes()
    pages = range(1, len(whole) // database.PAGE_BYTES)
    chooser = random.Random(11)
    for _ in range(40):
        at = chooser.choice(pages) * database.PAGE_BYTES + chooser.randrange(database.PAGE_BYTES)
        damaged = bytearray(whole)
        damaged[at] ^= 1 << chooser.randrange(8)
        path.write_bytes(damaged)
        connection = open_for_reading(path)
        with pytest.raises(CodePlaneError) as raised:
            rows(connection, "SELECT sum(length(b)) FROM t")
        assert raised.value.code is ErrorCode.INDEX_CORRUPT
        connection.close()


def test_database_without_checksums_is_corrupt(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    for opening in (open_for_reading, open_for_writing):
        with pytest.raises(CodePlaneError) as raised:
            opening(foreign)
        assert raised.value.code is ErrorCode.INDEX_CORRUPT


@pytest.mark.parametrize("content", [b"", b"not a database" * 100])
def test_non_database_files_are_corrupt(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index.db").write_bytes(content)
    with pytest.raises(CodePlaneError) as raised:
        open_for_reading(tmp_path / "index.db")
    assert raised.value.code is ErrorCode.INDEX_CORRUPT


def test_symlinked_database_is_refused(tmp_path: Path, path: Path) -> None:
    (tmp_path / "link.db").symlink_to(path)
    with pytest.raises(CodePlaneError):
        open_for_reading(tmp_path / "link.db")


@pytest.mark.parametrize(
    "sql",
    ["INSERT INTO t VALUES (-1, '')", "DELETE FROM t", "CREATE TABLE u (a)", "PRAGMA user_version = 3", "DROP TABLE t"],
)
def test_a_reader_cannot_write(path: Path, sql: str) -> None:
    connection = open_for_reading(path)
    with pytest.raises(CodePlaneError):
        rows(connection, sql)
    connection.close()


def test_hardening_settings(path: Path) -> None:
    for opening in (open_for_reading, open_for_writing):
        connection = opening(path)
        wanted = {
            "mmap_size": 0,
            "trusted_schema": 0,
            "cell_size_check": 1,
            "secure_delete": 1,
            "wal_autocheckpoint": 0,
        }
        assert {name: connection.pragma(name) for name in wanted} == wanted
        assert connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
        assert connection.pragma("journal_mode") == "wal"
        connection.close()


def test_grown_wal_is_truncated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = open_for_writing(path)
    for _ in range(3):
        connection.execute("UPDATE t SET b = b || 'x'")
        assert wal_bytes(path) > 0
    monkeypatch.setattr(database, "CHECKPOINT_BYTES", 1000)
    checkpoint(connection, path)
    assert wal_bytes(path) == 0
    connection.close()


def test_reader_delays_the_checkpoint(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CHECKPOINT_BYTES", 1000)
    reader = open_for_reading(path)
    reader.execute("BEGIN")
    before = rows(reader, "SELECT sum(length(b)) FROM t")
    writer = open_for_writing(path)
    writer.execute("UPDATE t SET b = b || 'x'")
    checkpoint(writer, path)
    assert rows(reader, "SELECT sum(length(b)) FROM t") == before
    reader.close()
    checkpoint(writer, path)
    assert wal_bytes(path) == 0
    writer.close()
