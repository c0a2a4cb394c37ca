"""Answered calls are in the ledger, however the process ended."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import codeplane
from codeplane.ledger.ack_buffer import DAMAGED_NAME, NAMES
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.paths import LEDGER_NAME
from codeplane.ledger.rotation import Retention
from support.ledgers import calls_of, tasks_of

SCRIPT = """
import os, sys
from pathlib import Path
from threading import Thread
from codeplane.ledger.rotation import Retention
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.events import Event
directory, first, bytes_each = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
ledger = Ledger.open(directory, owner="me", retention=Retention(bytes=bytes_each))
def answer(lane):
    number = first
    while True:
        name = f"r_{lane}_{number}"
        ledger.outcome(Event("search", name, task_id=f"t_{first}", status="ok"))
        os.write(1, name.encode() + b"\\n")
        number += 1
ledger.open_task(f"t_{first}")
for lane in range(3):
    Thread(target=answer, args=(lane,)).start()
"""


def answered_until_killed(directory: Path, first: int, answers: int, bytes_each: int) -> list[str]:
    """Return the calls that a process had answered before it was killed."""
    command = [sys.executable, "-c", SCRIPT, str(directory), str(first), str(bytes_each)]
    environment = {**os.environ, "PYTHONPATH": str(Path(codeplane.__file__).parents[1])}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert child.stdout is not None
    with child.stdout as told:
        seen = [told.readline() for _ in range(answers)]
        child.kill()
        seen += told.readlines()
    child.wait()
    return [line.decode().strip() for line in seen if line.endswith(b"\n")]


def outcomes(ledger: Ledger) -> list[str]:
    found: list[str] = []
    before = None
    while page := calls_of(ledger, 1000, before):
        found.extend(str(row.request_id) for row in page)
        before = page[-1].op_id
    return found


def check(directory: Path, seen: list[str], kills: int) -> None:
    ledger = Ledger.open(directory, owner="me")
    found = outcomes(ledger)
    assert ledger.quarantined == ()
    assert {task.state for task in tasks_of(ledger, 1000)} == {"CLOSED_INTERRUPTED"}
    ledger.close()
    assert len(found) == len(set(found)), "duplicates"
    assert not set(seen) - set(found), "lost rows"
    # Each lane may have been killed between its row and its output.
    assert len(found) - len(seen) <= 3 * kills
    assert verify_chain(directory).is_intact


def test_kills_lose_no_answered_call(tmp_path: Path) -> None:
    chance = random.Random(7)
    seen: list[str] = []
    kills = 5
    for kill in range(kills):
        # Every third round uses small files, so that kills hit rotations.
        size = 100_000 if kill == 2 else 2**30
        seen += answered_until_killed(tmp_path, kill * 10**6, chance.randint(1, 600), size)
    check(tmp_path, seen, kills)


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_no_answered_call_is_lost_by_many_kills(tmp_path: Path) -> None:
    seed = int(os.environ.get("CPL_SEED", random.randrange(10**6)))
    kills = int(os.environ.get("CPL_ROUNDS", "200"))
    chance = random.Random(seed)
    seen: list[str] = []
    for kill in range(kills):
        size = chance.choice([100_000, 2**30])
        seen += answered_until_killed(tmp_path, kill * 10**6, chance.randint(1, 1100), size)
    print(f"seed {seed}: {len(seen)} calls answered")
    assert len(seen) >= 500 * kills
    check(tmp_path, seen, kills)


def killed(directory: Path, *events: Event) -> None:
    """Return the state of a process that dies before a group is appended: a ledger that is never closed."""
    ledger = Ledger.open(directory, owner="me", group_seconds=3600.0)
    for event in events:
        ledger.outcome(event)
    ledger._writer._lock.release()


READ = Event("search", "r_1", task_id="t_1", status="ok", tokens_given=5)


def test_pending_rows_are_appended_once(tmp_path: Path) -> None:
    killed(tmp_path, READ, Event("read", "r_2", status="ok"))
    left = [(tmp_path / "ledger" / name).read_bytes() for name in NAMES]
    for _ in range(3):
        ledger = Ledger.open(tmp_path, owner="me")
        assert outcomes(ledger) == ["r_2", "r_1"]
        assert calls_of(ledger, 5)[1].tokens_given == 5
        ledger.close()
    # Killed after the rows were appended and before the file was truncated.
    for name, data in zip(NAMES, left, strict=True):
        (tmp_path / "ledger" / name).write_bytes(data)
    ledger = Ledger.open(tmp_path, owner="me")
    assert outcomes(ledger) == ["r_2", "r_1"]
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_pending_task_is_closed_as_interrupted(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, owner="me", group_seconds=3600.0)
    ledger.open_task("t_1", "s_1")
    ledger._writer._lock.release()
    again = Ledger.open(tmp_path, owner="me")
    assert [(task.task_id, task.state) for task in tasks_of(again, 5)] == [("t_1", "CLOSED_INTERRUPTED")]
    again.close()


@pytest.mark.parametrize("place", [0, 5, 40, -1])
def test_damaged_buffer_is_quarantined(tmp_path: Path, place: int) -> None:
    killed(tmp_path, *(Event("search", f"r_{number}", status="ok") for number in range(3)))
    path = tmp_path / "ledger" / NAMES[0]
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    ledger = Ledger.open(tmp_path, owner="me")
    assert outcomes(ledger) == (["r_1", "r_0"] if place == -1 else [])
    assert [(note.kind, note.moved_to) for note in ledger.quarantined] == [("damaged", f"ledger/{DAMAGED_NAME}")]
    assert (tmp_path / "ledger" / DAMAGED_NAME).read_bytes() == bytes(data)
    ledger.outcome(READ)
    assert outcomes(ledger)[0] == "r_1"
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_pending_rows_of_another_owner_are_ignored(tmp_path: Path) -> None:
    killed(tmp_path, READ)
    ledger = Ledger.open(tmp_path, owner="another user")
    assert outcomes(ledger) == []
    ledger.close()


@pytest.mark.parametrize("kind", ["link", "fifo", "directory"])
def test_buffer_does_not_write_through_links_or_fifos(tmp_path: Path, kind: str) -> None:
    (tmp_path / "ledger").mkdir(0o700)
    place, elsewhere = tmp_path / "ledger" / NAMES[0], tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    if kind == "link":
        place.symlink_to(elsewhere)
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.mkdir()
    ledger = Ledger.open(tmp_path, owner="me")
    ledger.outcome(READ)
    assert outcomes(ledger) == ["r_1"]
    ledger.close()
    assert elsewhere.read_text() == "mine"
    assert place.is_dir() if kind == "directory" else place.is_file() and not place.is_symlink()


def test_buffer_is_empty_after_a_group_was_written(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, retention=Retention(tasks=2))
    for number in range(20):
        ledger.open_task(f"t_{number}")
        ledger.outcome(READ)
        ledger.flush()
    assert [(tmp_path / "ledger" / name).stat().st_size for name in NAMES] == [0, 0]
    assert (tmp_path / LEDGER_NAME).stat().st_size
    assert all((tmp_path / "ledger" / name).stat().st_mode & 0o077 == 0 for name in NAMES)
    ledger.close()
