"""Tampering with a ledger file is detected, and the first affected row named."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.chain import open_unchecked, verify_chain
from codeplane.ledger.file import read_ledger_tail
from codeplane.ledger.paths import is_private_file, list_archives
from codeplane.ledger.rotation import OpenedLedger, Retention, open_current, rotate
from codeplane.ledger.schema import COLUMNS, EventRow

DAY_MS = 86_400_000


def outcome(number: int) -> EventRow:
    return EventRow("outcome", number, tool="search", status="ok", success=1, request_id=f"r_{number}")


def written(directory: Path, count: int = 20) -> Path:
    """Create a ledger with a start row and outcomes."""
    opened = open_current(directory, "", 0)
    opened.file.append([outcome(number) for number in range(count - 1)], durable=False)
    opened.file.close()
    return directory / "ledger.db"


def tamper(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.commit()
    connection.close()


def test_untouched_ledger_is_intact(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    found = verify_chain(tmp_path)
    assert path.read_bytes() == before
    assert (found.is_intact, found.rows, found.files) == (True, 20, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_missing_ledger_is_intact(tmp_path: Path) -> None:
    assert verify_chain(tmp_path).is_intact
    assert os.listdir(tmp_path) == []


def test_all_columns_are_hashed(tmp_path: Path) -> None:
    connection = sqlite3.connect(written(tmp_path))
    assert tuple(row[1] for row in connection.execute("PRAGMA table_info(events)")) == COLUMNS
    connection.close()


@pytest.mark.parametrize(
    "statement", ["UPDATE events SET tool = 'x' WHERE seq = 7", "DELETE FROM events WHERE seq = 7"]
)
def test_triggers_prevent_update_and_delete(tmp_path: Path, statement: str) -> None:
    connection = sqlite3.connect(written(tmp_path))
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statements", "seq", "reason"),
    [
        (["UPDATE events SET tool = 'other' WHERE seq = 7"], 7, "altered"),
        (["UPDATE events SET success = 0 WHERE seq = 20"], 20, "altered"),
        (["UPDATE events SET hash = prev_hash WHERE seq = 7"], 7, "altered"),
        (["DELETE FROM events WHERE seq = 7"], 7, "missing"),
        (["DELETE FROM events WHERE seq BETWEEN 7 AND 9"], 7, "missing"),
        (["DELETE FROM events WHERE seq = 1"], None, "first row"),
        (["DELETE FROM events WHERE seq = 20"], 20, "missing at the end"),
        (["DELETE FROM events WHERE seq > 5"], 6, "missing at the end"),
        (
            [
                "UPDATE events SET seq = 100 WHERE seq = 7",
                "UPDATE events SET seq = 7 WHERE seq = 8",
                "UPDATE events SET seq = 8 WHERE seq = 100",
            ],
            7,
            "does not follow",
        ),
        (
            [
                "UPDATE events SET seq = seq + 1000 WHERE seq > 7",
                "INSERT INTO events (seq, kind, at_ms, prev_hash, hash) SELECT 8, 'outcome', 1, hash, hash FROM events"
                " WHERE seq = 7",
                "UPDATE events SET seq = seq - 999 WHERE seq > 1000",
            ],
            8,
            "altered",
        ),
        (["DELETE FROM events"], None, "no rows"),
    ],
)
def test_tampering_is_located_at_its_first_row(
    tmp_path: Path, statements: list[str], seq: int | None, reason: str
) -> None:
    tamper(written(tmp_path), *statements)
    broken = verify_chain(tmp_path).broken
    assert broken is not None
    assert (broken.file, broken.seq) == ("ledger.db", seq)
    assert reason in broken.reason


def test_every_column_is_covered(tmp_path: Path) -> None:
    for number, column in enumerate(COLUMNS[1:]):
        directory = tmp_path / str(number)
        directory.mkdir()
        whole = ("_seq", "_ms", "_code", "_given", "_tokens", "epoch")
        integer = column in ("at_ms", "success") or column.endswith(whole)
        tamper(written(directory), f"UPDATE events SET {column} = {'987654' if integer else repr('x')} WHERE seq = 7")
        broken = verify_chain(directory).broken
        assert broken is not None and broken.seq == 7, column


def test_missing_trigger_is_detected(tmp_path: Path) -> None:
    connection = sqlite3.connect(written(tmp_path))
    connection.execute("DROP TRIGGER events_stay")
    connection.commit()
    connection.close()
    broken = verify_chain(tmp_path).broken
    assert broken is not None and "tables" in broken.reason


def test_truncated_file_is_detected(tmp_path: Path) -> None:
    path = written(tmp_path, 200)
    os.truncate(path, path.stat().st_size // 2)
    assert not verify_chain(tmp_path).is_intact
    assert open_current(tmp_path, "", 1).quarantined is not None


def test_flipped_bit_is_detected_anywhere(tmp_path: Path) -> None:
    path = written(tmp_path, 200)
    whole = path.read_bytes()
    used = [place for place in range(100, len(whole), 1009) if whole[place]]
    assert len(used) > 20
    for place in used:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert not verify_chain(tmp_path).is_intact, place
    path.write_bytes(whole)
    assert verify_chain(tmp_path).is_intact


def test_removed_tail_is_detected_at_open_and_quarantined(tmp_path: Path) -> None:
    path = written(tmp_path)
    tamper(path, "DELETE FROM events WHERE seq = 20")
    kept = path.read_bytes()
    opened = open_current(tmp_path, "", DAY_MS)
    assert opened.quarantined is not None
    assert (opened.quarantined.kind, opened.quarantined.moved_to) == ("damaged", "ledger/damaged-1970-01-02-1.db")
    assert (tmp_path / opened.quarantined.moved_to).read_bytes() == kept
    opened.file.append([outcome(1)], durable=True)
    opened.file.close()
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.breaks, found.damaged) == (True, 1, ("damaged-1970-01-02-1.db",))


@pytest.mark.parametrize("content", [b"", b"no database at all " * 600, bytes(8192 * 3)])
def test_file_that_is_not_a_ledger_is_quarantined(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(content)
    opened = open_current(tmp_path, "", 0)
    opened.file.close()
    assert opened.quarantined is not None and opened.quarantined.kind == "damaged"
    assert (tmp_path / opened.quarantined.moved_to).read_bytes() == content
    assert verify_chain(tmp_path).is_intact


def test_symlink_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    target = written(elsewhere)
    before = target.read_bytes()
    state = tmp_path / "state"
    state.mkdir()
    (state / "ledger.db").symlink_to(target)
    opened = open_current(state, "", 0)
    opened.file.append([outcome(1)], durable=True)
    opened.file.close()
    assert target.read_bytes() == before
    assert not (state / "ledger.db").is_symlink()


def test_newer_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    opened = open_current(tmp_path, "", 0)
    opened.file._connection.pragma("user_version", 99)
    opened.file.close()
    before = path.read_bytes()
    with pytest.raises(CodePlaneError) as raised:
        open_current(tmp_path, "", 0)
    assert raised.value.code is ErrorCode.VERSION_MISMATCH
    assert path.read_bytes() == before


def test_foreign_ledger_is_quarantined_with_its_archives(tmp_path: Path) -> None:
    theirs = open_current(tmp_path, "theirs", 0)
    following = rotate(tmp_path, theirs.file, "theirs", 0, Retention())
    assert following is not None
    following.close()
    opened = open_current(tmp_path, "ours", 0)
    opened.file.close()
    assert opened.quarantined is not None and opened.quarantined.kind == "foreign"
    assert list_archives(tmp_path) == []
    assert len(list_archives(tmp_path, "damaged")) == 2
    again = open_current(tmp_path, "ours", 0)
    again.file.close()
    assert again.quarantined is None


def chain_of_files(directory: Path, files: int) -> OpenedLedger:
    opened = open_current(directory, "", 0)
    for number in range(files - 1):
        opened.file.append([outcome(number)], durable=False)
        following = rotate(directory, opened.file, "", number * DAY_MS, Retention())
        assert following is not None
        opened = OpenedLedger(following)
    return opened


def test_chain_continues_across_rotations(tmp_path: Path) -> None:
    chain_of_files(tmp_path, 4).file.close()
    names = [path.name for path in list_archives(tmp_path)]
    assert names == ["ledger-1970-01-01-1.db", "ledger-1970-01-02-2.db", "ledger-1970-01-03-3.db"]
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.files, found.rows, found.breaks) == (True, 4, 7, 0)
    assert sorted(os.listdir(tmp_path / "ledger")) == names


def test_missing_or_altered_archive_is_detected(tmp_path: Path) -> None:
    chain_of_files(tmp_path, 4).file.close()
    tamper(list_archives(tmp_path)[0], "UPDATE events SET tool = 'x' WHERE seq = 2")
    broken = verify_chain(tmp_path).broken
    assert broken is not None and (broken.file, broken.seq) == ("ledger-1970-01-01-1.db", 2)
    list_archives(tmp_path)[0].unlink()
    assert verify_chain(tmp_path).is_intact, "the oldest archive may have been deleted by retention"
    list_archives(tmp_path)[1].unlink()
    broken = verify_chain(tmp_path).broken
    assert broken is not None and (broken.file, broken.seq) == ("ledger.db", 5)


def test_kill_during_rotation_loses_nothing(tmp_path: Path) -> None:
    opened = chain_of_files(tmp_path, 2)
    opened.file.append([EventRow("task_opened", 1, opened_at_ms=1, task_id="t"), EventRow("intent", 2)], durable=True)
    assert opened.file.seal()
    opened.file.path.rename(tmp_path / "ledger" / "ledger-1970-01-01-2.db")
    after = open_current(tmp_path, "", 0)
    assert after.quarantined is None
    assert [row.task_id for row in after.open_tasks] == ["t"]
    assert [seq for seq, _ in after.open_intents] == [5]
    after.file.close()
    assert verify_chain(tmp_path).is_intact


def test_kill_right_after_rotation_leaves_nothing_open(tmp_path: Path) -> None:
    opened = open_current(tmp_path, "", 0)
    opened.file.append([EventRow("task_opened", 1, opened_at_ms=1, task_id="t"), EventRow("intent", 2)], durable=True)
    following = rotate(tmp_path, opened.file, "", 0, Retention())
    assert following is not None
    following.close()
    after = open_current(tmp_path, "", 0)
    assert [row.task_id for row in after.open_tasks] == ["t"]
    assert [seq for seq, _ in after.open_intents] == [3]
    told = [EventRow("task_carried", 3, opened_at_ms=1, task_id="t"), EventRow("outcome", 4, intent_seq=3)]
    after.file.append([*told, EventRow("task_closed", 5, task_id="t", state="CLOSED_INTERRUPTED")], durable=True)
    after.file.close()
    settled = open_current(tmp_path, "", 0)
    settled.file.close()
    assert (settled.open_tasks, settled.open_intents) == ((), ())


def test_file_being_read_is_not_rotated(tmp_path: Path) -> None:
    opened = open_current(tmp_path, "", 0)
    with open_unchecked(tmp_path / "ledger.db") as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
        assert rotate(tmp_path, opened.file, "", 0, Retention()) is None
        opened.file.append([outcome(1)], durable=True)
    following = rotate(tmp_path, opened.file, "", 0, Retention())
    assert following is not None
    following.close()
    assert verify_chain(tmp_path).rows == 3


@pytest.mark.parametrize(("days", "remaining"), [(0, range(1, 13)), (5, range(7, 13)), (30, range(1, 13))])
def test_archives_are_deleted_by_age_alone(tmp_path: Path, days: int, remaining: range) -> None:
    file = open_current(tmp_path, "", 0).file
    for day in range(12):
        following = rotate(tmp_path, file, "", day * DAY_MS, Retention(days=days))
        assert following is not None
        file = following
    file.close()
    expected = [f"ledger-1970-01-{number:02}-{number}.db" for number in remaining]
    assert [path.name for path in list_archives(tmp_path)] == expected
    assert verify_chain(tmp_path).is_intact


def test_many_rotations_on_one_day_delete_nothing(tmp_path: Path) -> None:
    file = open_current(tmp_path, "", 0).file
    for _ in range(20):
        following = rotate(tmp_path, file, "", 0, Retention(days=1))
        assert following is not None
        file = following
    file.close()
    assert len(list_archives(tmp_path)) == 20
    assert verify_chain(tmp_path).rows == 21


@pytest.mark.parametrize("suffix", ["", "-wal", "-journal"])
def test_fifos_are_not_opened(tmp_path: Path, suffix: str) -> None:
    place = tmp_path / "ledger.db"
    if suffix:
        place.write_bytes(b"")
    os.mkfifo(f"{place}{suffix}")
    assert not is_private_file(place)
    with pytest.raises(CodePlaneError):
        read_ledger_tail(place)
