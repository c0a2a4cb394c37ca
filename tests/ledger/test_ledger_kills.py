"""Kill a writing process: acknowledged rows are there, and the open intent is interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import codeplane
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.paths import list_archives
from support.ledgers import calls_of, tasks_of

_SCRIPT = """
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from codeplane.ledger.rotation import Retention
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.events import Event
ledger = Ledger.open(Path(sys.argv[1]), retention=Retention(tasks=int(sys.argv[2])))
def read():
    number = 0
    while True:
        number += 1
        ledger.outcome(Event("search", f"r_{number}", status="ok"))
        if number % 50 == 0:
            ledger.flush()
Thread(target=read, daemon=True).start()
number = 0
while True:
    number += 1
    event = Event("write_source", f"w_{number}", op_type="mutation")
    ledger.open_task(f"t_{number}")
    intent = ledger.intent(event)
    ledger.outcome(replace(event, intent=intent, status="ok"))
    print(f"w_{number}", flush=True)
"""


@pytest.mark.parametrize("tasks_per_file", [100_000, 3])
@pytest.mark.parametrize("acknowledged", [1, 25])
def test_acknowledged_effects_survive_a_kill(tmp_path: Path, acknowledged: int, tasks_per_file: int) -> None:
    command = [sys.executable, "-c", textwrap.dedent(_SCRIPT), str(tmp_path), str(tasks_per_file)]
    environment = {**os.environ, "PYTHONPATH": str(Path(codeplane.__file__).parents[1])}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    seen = [child.stdout.readline().strip() for _ in range(acknowledged)]
    child.kill()
    seen += child.stdout.read().split()
    child.wait()
    child.stdout.close()

    assert verify_chain(tmp_path).is_intact
    ledger = Ledger.open(tmp_path)
    assert ledger.quarantined == ()
    done: dict[str | None, str | None] = {}
    before = None
    while page := calls_of(ledger, 1000, before):
        for row in page:
            if row.intent_seq is not None:
                assert row.request_id not in done, "two outcomes"
                done[row.request_id] = row.status
        before = page[-1].op_id
    assert [done[name] for name in seen] == ["ok"] * len(seen)
    begun = set(done) - set(seen)
    assert len(begun) <= 1, "more than one open intent"
    assert {task.state for task in tasks_of(ledger, 1000)} == {"CLOSED_INTERRUPTED"}
    ledger.close()
    assert verify_chain(tmp_path).is_intact
    if tasks_per_file == 3 and acknowledged > 1:
        assert len(list_archives(tmp_path)) > 1
