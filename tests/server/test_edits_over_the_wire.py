"""Edits through a real client: a lost reply is asked for again and nothing is done twice."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

import codeplane
from codeplane.ledger.chain import verify_chain
from support.mcp_client import Place
from support.repositories import write

ROUNDS = 6
KILLS = 12


def test_edit_is_applied_listed_and_rolled_back(place: Place) -> None:
    client = place.ready()
    write(place.root, "count.txt", "0\n")
    found = client.call("write_source", edits=[{"path": "count.txt", "old_string": "0", "new_string": "1"}])
    assert found["status"] == "ok", found
    assert found["meta"]["freshness"]["status"] == "fresh"
    assert (place.root / "count.txt").read_text() == "1\n"


def test_idempotency_key_survives_an_engine_restart(place: Place) -> None:
    client = place.ready()
    write(place.root, "count.txt", "0\n")
    ended = threading.Event()

    def kill_now_and_then() -> None:
        for _ in range(KILLS):
            if ended.wait(1.5):
                return
            try:
                os.kill(place.engine_pid(), signal.SIGKILL)
            except (OSError, AssertionError, IndexError):
                continue

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        number = 0
        while number < ROUNDS:
            edit = {"path": "count.txt", "expected_content": f"{number}\n", "new_content": f"{number + 1}\n"}
            found = client.call("write_source", edits=[edit], idempotency_key=f"key-{number}")
            if found["status"] == "ok":
                number += 1
            else:
                # Killed as often as it is asked again: the same call, made by the client, goes on.
                assert found["error"]["retryable"], found
    finally:
        ended.set()
        killer.join()
    assert (place.root / "count.txt").read_text() == f"{number}\n"
    client.end(10)
    assert verify_chain(place.root / ".codeplane").is_intact


_KILL_ONCE = """
import os, signal, sys

def kill_at(place, owner, name, is_after):
    original = getattr(owner, name)

    def wrapped(*args, **kwargs):
        if not is_after:
            kill(place)
        result = original(*args, **kwargs)
        kill(place)
        return result

    setattr(owner, name, wrapped)

def kill(place):
    try:
        with open(os.environ["KILL_AT"]) as file:
            wanted = file.read()
    except OSError:
        return
    if wanted == place:
        os.unlink(os.environ["KILL_AT"])
        os.kill(os.getpid(), signal.SIGKILL)

if "host" in sys.orig_argv:
    from codeplane.edits import journal, transaction
    from codeplane.server import engine
    kill_at("before the intent", journal.MutationJournal, "begin", False)
    kill_at("after the intent", journal.MutationJournal, "begin", True)
    kill_at("after the exchange", transaction.Transaction, "verify", True)
    kill_at("after the outcome", journal.MutationJournal, "commit", True)
    kill_at("before the reply", engine, "reply_frame", False)
"""
"""Loaded by every Python of the test; the engine ends itself where the file says, once."""


@pytest.mark.parametrize(
    "moment", ["before the intent", "after the intent", "after the exchange", "after the outcome", "before the reply"]
)
def test_killed_engine_applies_a_call_once(place: Place, tmp_path: Path, moment: str) -> None:
    hooks, kill_at = tmp_path / "hooks", tmp_path / "kill_at"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(_KILL_ONCE)
    place.variables["PYTHONPATH"] = os.pathsep.join([str(hooks), str(Path(codeplane.__file__).parents[1])])
    place.variables["KILL_AT"] = str(kill_at)
    write(place.root, "list.txt", "first\n")
    client = place.ready("--toolsets", "core,files")
    kill_at.write_text(moment)
    found = client.call("write_source", path="list.txt", old_text="first\n", new_text="first\nadded\n")
    assert not kill_at.exists(), "the engine was killed"
    assert found["status"] == "ok", found
    assert (place.root / "list.txt").read_text() == "first\nadded\n"
    kill_at.write_text(moment)
    undone = client.call("rollback", mutation_id=found["result"]["mutation_id"])
    assert not kill_at.exists() and undone["status"] == "ok", undone
    assert (place.root / "list.txt").read_text() == "first\n"
    client.end(10)
    assert verify_chain(place.root / ".codeplane").is_intact
