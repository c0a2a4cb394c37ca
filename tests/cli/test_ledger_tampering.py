"""Tampering with the ledger is noticed, and stays reported until the operator acknowledges it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from support.sandbox import Sandbox


def ledger_check(sandbox: Sandbox) -> dict[str, Any]:
    checks = json.loads(sandbox.run("doctor", "--json").stdout)["result"]["checks"]
    found: dict[str, Any] = next(row for row in checks if row["name"] == "ledger")
    return found


def work(sandbox: Sandbox, calls: int = 3) -> None:
    for _ in range(calls):
        assert sandbox.run("roles").returncode == 0


def remove_ledger(state: Path) -> None:
    for path in state.glob("ledger.db*"):
        path.unlink()


def alter_row(state: Path) -> None:
    connection = sqlite3.connect(state / "ledger.db")
    (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'events_keep'").fetchone()
    connection.execute("DROP TRIGGER events_keep")
    connection.execute("UPDATE events SET tool = 'other' WHERE seq = 2")
    connection.execute(trigger)
    connection.commit()
    connection.close()


def truncate(state: Path) -> None:
    data = (state / "ledger.db").read_bytes()
    (state / "ledger.db").write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize("tamper", [remove_ledger, alter_row, truncate])
@pytest.mark.parametrize("doctor_first", [True, False])
def test_tampering_is_reported_until_it_is_acknowledged(indexed: Sandbox, tamper: Any, doctor_first: bool) -> None:
    state = indexed.root / ".codeplane"
    work(indexed)
    assert ledger_check(indexed)["ok"]
    tamper(state)
    if doctor_first or tamper is alter_row:
        assert not ledger_check(indexed)["ok"]
    work(indexed)
    found = ledger_check(indexed)
    assert not found["ok"] and found["severity"] == "error" and "cpl ledger acknowledge" in found["remedy"]
    assert "damaged or was modified" in indexed.run("ledger").stderr
    assert len(indexed.json("ledger", "acknowledge")["result"]["acknowledged"]) >= 1
    work(indexed)
    assert ledger_check(indexed)["ok"]
    assert indexed.json("ledger", "acknowledge")["result"]["acknowledged"] == []


def test_older_copy_of_the_ledger_is_noticed(indexed: Sandbox, tmp_path: Path) -> None:
    state = indexed.root / ".codeplane"
    work(indexed)
    shutil.copy2(state / "ledger.db", tmp_path / "older.db")
    work(indexed)
    remove_ledger(state)
    shutil.copy2(tmp_path / "older.db", state / "ledger.db")
    found = ledger_check(indexed)
    assert not found["ok"] and "is missing" in found["message"]
    work(indexed)
    assert not ledger_check(indexed)["ok"], "a later start does not forget it"
    assert indexed.json("ledger", "acknowledge")["result"]["acknowledged"]
    assert ledger_check(indexed)["ok"]


def test_operator_may_remove_everything(indexed: Sandbox) -> None:
    work(indexed)
    assert indexed.run("clear", "--all", "--yes").returncode == 0
    assert indexed.run("init").returncode == 0
    work(indexed)
    assert ledger_check(indexed)["ok"]
