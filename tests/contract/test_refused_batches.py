"""A rejected batch is stored for ten minutes; the next call sends only corrections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from support.edits import tree_of
from support.repositories import make_repository
from support.tooling import Server, call_tool, error_of, serving

FILES: dict[str, str | bytes] = {
    "a.py": "one = 1\ntwo = 2\n",
    "b.py": "x = 1\ny = 1\n",
    "c.py": "z = 1\n",
}
GOOD = {"path": "a.py", "old_text": "one = 1", "new_text": "one = 10"}
MISSING = {"path": "a.py", "old_text": "two = 3", "new_text": "two = 20"}
AMBIGUOUS = {"path": "b.py", "old_text": "= 1", "new_text": "= 5"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as opened:
        yield opened


def refused(server: Server, *edits: dict[str, Any], **more: object) -> dict[str, Any]:
    before = tree_of(server.root)
    envelope = server.call("write_source", {"edits": list(edits), **more})
    assert "error" in envelope, envelope
    assert tree_of(server.root) == before
    error: dict[str, Any] = envelope["error"]
    return error


def test_only_the_wrong_edits_are_sent_again(server: Server) -> None:
    error = refused(server, GOOD, MISSING, AMBIGUOUS, {"path": "new.py", "content": "n = 1\n"})
    assert error["error"] == "EDIT_NOT_FOUND" and error["message"].startswith("edit 2: a.py: ")
    assert error["details"]["refused"] == [2, 3]
    batch = error["details"]["batch"]
    assert f"send batch={batch} with only edits 2 and 3 corrected" in error["remedy"]
    corrections = [{"edit": 2, "old_text": "two = 2"}, {"edit": 3, "start_line": 2}]
    found = server.call("write_source", {"batch": batch, "edits": corrections})
    assert found["result"]["delta"]["files_changed"] == 3
    assert (server.root / "a.py").read_text() == "one = 10\ntwo = 20\n"
    assert (server.root / "b.py").read_text() == "x = 1\ny = 5\n"
    assert (server.root / "new.py").read_text() == "n = 1\n"


def test_wrong_correction_stores_the_corrected_batch(server: Server) -> None:
    batch = refused(server, GOOD, MISSING, AMBIGUOUS)["details"]["batch"]
    error = refused(server, {"edit": 2, "old_text": "two = 2"}, batch=batch)
    assert error["error"] == "EDIT_AMBIGUOUS" and error["details"]["edit"] == 3
    other = error["details"]["batch"]
    assert other != batch
    found = server.call("write_source", {"batch": other, "edit": 3, "replace_all": True})
    assert found["result"]["delta"]["files_changed"] == 2
    assert (server.root / "b.py").read_text() == "x = 5\ny = 5\n"


@pytest.mark.parametrize(
    ("correction", "result"),
    [
        ({"edit": 2, "start_line": 2}, "x = 1\ny = 5\n"),
        ({"edit": 2, "replace_all": True}, "x = 5\ny = 5\n"),
        ({"edit": 2, "old_text": "x = 1", "new_text": "x = 9"}, "x = 9\ny = 1\n"),
        ({"edit": 2, "action": "delete"}, None),
        ({"edit": 2, "path": "c.py"}, "x = 1\ny = 1\n"),
        ({"edit": 2, "pattern": "1", "action": "replace_pattern", "new_text": "7"}, "x = 7\ny = 7\n"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_correction_replaces_only_its_fields(server: Server, correction: dict[str, object], result: str | None) -> None:
    batch = refused(server, GOOD, AMBIGUOUS)["details"]["batch"]
    assert server.call("write_source", {"batch": batch, "edits": [correction]})["status"] == "ok"
    file = server.root / "b.py"
    assert (file.read_text() if file.exists() else None) == result


def test_start_line_and_replace_all_override_each_other(server: Server) -> None:
    batch = refused(server, GOOD, {**AMBIGUOUS, "old_text": "=", "start_line": 9, "end_line": 8})["details"]["batch"]
    assert server.call("write_source", {"batch": batch, "edits": [{"edit": 2, "replace_all": True}]})["status"] == "ok"
    assert (server.root / "b.py").read_text() == "x = 5 1\ny = 5 1\n"


def test_batch_with_invalid_arguments_is_stored(server: Server) -> None:
    error = refused(server, GOOD, {"path": "b.py", "old_text": "x = 1"})
    assert error["error"] == "ARGUMENT_INVALID" and error["details"]["edit"] == 2
    batch = error["details"]["batch"]
    assert server.call("write_source", {"batch": batch, "edits": [{"edit": 2, "new_text": "x = 2"}]})["status"] == "ok"
    assert (server.root / "b.py").read_text() == "x = 2\ny = 1\n"


@pytest.mark.parametrize("corrections", [[{"old_text": "x = 1"}], [{"edit": 3, "old_text": "x"}], []])
def test_corrections_must_name_an_edit_of_the_batch(server: Server, corrections: list[dict[str, Any]]) -> None:
    batch = refused(server, GOOD, AMBIGUOUS)["details"]["batch"]
    assert refused(server, *corrections, batch=batch)["error"] == "ARGUMENT_INVALID"


def test_long_single_edit_is_stored(server: Server) -> None:
    assert "batch" not in refused(server, MISSING)["details"]
    long = {**MISSING, "new_text": "two = 20\n" * 200}
    error = error_of(server.call("write_source", long), ErrorCode.EDIT_NOT_FOUND)
    batch = error["details"]["batch"]
    assert f"send batch={batch} with the corrected fields" in error["remedy"]
    assert server.call("write_source", {"batch": batch, "old_text": "two = 2\n"})["status"] == "ok"
    assert (server.root / "a.py").read_text() == "one = 1\n" + "two = 20\n" * 200


def test_a_batch_belongs_to_its_session(server: Server) -> None:
    batch = refused(server, GOOD, MISSING)["details"]["batch"]
    arguments = {"batch": batch, "edits": [{"edit": 2, "old_text": "two = 2"}]}
    error_of(server.call("write_source", arguments, principal="other"), ErrorCode.HANDLE_NOT_YOURS)
    unknown = error_of(server.call("write_source", arguments | {"batch": "b_" + "a" * 12}), ErrorCode.HANDLE_EXPIRED)
    assert unknown["remedy"] == "Send the whole batch again."
    error_of(server.call("write_source", arguments | {"batch": "x"}), ErrorCode.ARGUMENT_INVALID)


def test_a_batch_expires_after_ten_minutes(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = refused(server, GOOD, MISSING)["details"]["batch"]
    handles = server.pipeline._handles
    clock = handles._clock
    monkeypatch.setattr(handles, "_clock", lambda: clock() + 601)
    error = refused(server, {"edit": 2, "old_text": "two = 2"}, batch=batch)
    assert error["error"] == "HANDLE_EXPIRED"


def test_rejected_dry_run_is_stored(server: Server) -> None:
    batch = refused(server, GOOD, MISSING, dry_run=True)["details"]["batch"]
    arguments = {"batch": batch, "edits": [{"edit": 2, "old_text": "two = 2"}]}
    assert server.call("write_source", arguments | {"dry_run": True})["result"]["dry_run"]
    assert server.call("write_source", arguments)["result"]["applied"]


def test_allow_sensitive_is_stored_with_the_batch(server: Server) -> None:
    sensitive = {"path": ".mcp.json", "content": "{}\n"}
    batch = refused(server, sensitive, MISSING, allow_sensitive=True)["details"]["batch"]
    found = server.call("write_source", {"batch": batch, "edits": [{"edit": 2, "old_text": "two = 2"}]})
    assert found["status"] == "ok"


def test_error_without_an_edit_stores_nothing(server: Server) -> None:
    error = refused(server, {"path": ".git/config", "content": "x"}, MISSING)
    assert "batch" not in error.get("details", {})


def test_nothing_is_stored_for_a_single_call(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    error = error_of(call_tool(root, "write_source", {"edits": [GOOD, MISSING]}), ErrorCode.EDIT_NOT_FOUND)
    assert "batch" not in error["details"]


def test_the_text_form_names_every_wrong_edit(server: Server) -> None:
    shown = server.text("write_source", {"edits": [GOOD, MISSING, AMBIGUOUS]})
    assert re.fullmatch(
        r"error EDIT_NOT_FOUND: edit 2: a\.py: old_text 'two = 3' is not there; nothing was changed\n"
        r"nearest: line 2 \(- old_text, \+ file\)\n"
        r"-\ttwo = 3\n"
        r"\+2\ttwo = 2\n"
        r"edit 3: EDIT_AMBIGUOUS: b\.py: '= 1' occurs 2 times \(lines 1, 2\)\n"
        r"hint: Send old_text as it is in the file\. The batch is kept: send batch=b_[\w-]{12} with only edits 2 and 3 "
        r"corrected\.",
        shown,
    )
