"""Edits through a real client: a lost reply is asked for again and nothing is done twice."""

from __future__ import annotations

import os
import signal
import threading
import time

from codeplane.ledger.chain import verify_chain
from support.mcp_client import Place
from support.repositories import write

ROUNDS = 6


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
        while not ended.wait(1.5):
            try:
                os.kill(place.engine_pid(), signal.SIGKILL)
            except (OSError, AssertionError, IndexError):
                continue

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        number, deadline = 0, time.monotonic() + 30
        while number < ROUNDS and time.monotonic() < deadline:
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
    assert number > 1
    assert (place.root / "count.txt").read_text() == f"{number}\n"
    client.end(10)
    assert verify_chain(place.root / ".codeplane").is_intact
