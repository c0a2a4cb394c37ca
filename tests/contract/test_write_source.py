"""write_source: every parameter, every refusal, and the rows in the index and the ledger."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.ledger.chain import verify_chain
from codeplane.tools.surface import Surface
from support.edits import stored_in, tree_of
from support.ledgers import calls_of
from support.repositories import git, make_repository, write
from support.tooling import Envelope, Server, call_tool, codes_of, error_of, serving

APP = "import os\n\n\nclass Cart:\n    def total(self):\n        return 1\n\n    def clear(self):\n        return 2\n"
FILES: dict[str, str | bytes] = {
    "app/cart.py": APP,
    "app/__init__.py": "",
    "tests/test_cart.py": "from app.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 1\n",
    "dos.txt": b"one\r\ntwo\r\nthree",
    "marked.txt": "\ufeffone\ntwo\n".encode(),
    "wide.txt": "one\ntwo\n".encode("utf-16"),
    "latin.txt": "caf\xe9\ntwo\n".encode("latin-1"),
    "image.bin": bytes(range(256)),
    "run.sh": "#!/bin/sh\necho one\n",
    ".gitignore": "*.log\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as opened:
        yield opened


def sha(server: Server, path: str) -> str:
    return hashlib.sha256((server.root / path).read_bytes()).hexdigest()


def edit(server: Server, *edits: dict[str, Any], **more: object) -> Envelope:
    return server.call("write_source", {"edits": list(edits), **more})


def result(envelope: Envelope) -> dict[str, Any]:
    assert envelope["status"] == "ok", envelope
    found: dict[str, Any] = envelope["result"]
    return found


def operations(server: Server) -> list[Any]:
    ledger = server.pipeline._ledger
    assert ledger is not None
    return [row for row in calls_of(ledger, 1000) if row.tool in ("write_source", "rollback")]


def test_batch_of_all_actions_reports_its_delta(server: Server) -> None:
    before = server.call("search", {"query": "Cart", "mode": "definitions"})["meta"]["epoch"]
    old = sha(server, "app/cart.py")
    envelope = edit(
        server,
        {"path": "app/cart.py", "expected_content": "        return 1\n", "new_content": "        return 3\n"},
        {"path": "app/new/part.py", "content": "def made():\n    return 0\n"},
        {"path": "run.sh", "action": "delete"},
        {"path": "dos.txt", "new_path": "docs/dos.txt"},
    )
    delta = result(envelope)["delta"]
    assert (delta["files_changed"], delta["insertions"], delta["deletions"]) == (4, 3, 3)
    rows = {row["path"]: row for row in delta["files"]}
    assert rows["app/cart.py"]["action"] == "updated"
    assert rows["app/cart.py"]["old_hash"] == old
    assert rows["app/cart.py"]["file_sha256"] == sha(server, "app/cart.py")
    assert rows["app/cart.py"]["edits"] == [{"lines": "6", "new_lines": "6"}]
    assert rows["docs/dos.txt"]["action"] == "moved"
    assert rows["docs/dos.txt"]["from"] == "dos.txt"
    assert rows["run.sh"]["action"] == "deleted"
    assert delta["symbols_changed"] == {
        "modified": ["app/cart.py#Cart.total@5"],
        "added": ["app/new/part.py#made@1"],
    }
    assert delta["tests_affected"] == ["tests/test_cart.py"]
    assert len(delta["repo_fingerprint"]) == len(delta["mutation_fingerprint"]) == 16
    assert envelope["meta"]["epoch"] > before
    assert envelope["meta"]["freshness"]["status"] == "fresh"
    found = server.call("search", {"query": "made", "mode": "definitions", "freshness_policy": "best_effort"})
    assert [row["path"] for row in found["result"]["results"]] == ["app/new/part.py"], "the index knows it already"
    row = operations(server)[0]
    assert (row.tool, row.status, row.success, row.intent_seq is not None) == ("write_source", "ok", 1, True)
    assert row.mutation_id == result(envelope)["mutation_id"]
    assert json.loads(row.diff_stats) == {"deletions": 3, "files_changed": 4, "insertions": 3}
    assert json.loads(row.changed_paths) == ["app/cart.py", "app/new/part.py", "docs/dos.txt", "dos.txt", "run.sh"]
    assert row.short_diff == "~ app/cart.py\n+ app/new/part.py\n> docs/dos.txt\n- run.sh"
    assert row.tokens_given and row.mutation_fingerprint


@pytest.mark.parametrize(
    ("path", "old", "new", "data"),
    [
        ("dos.txt", "two\n", "2\nzwei\n", b"one\r\n2\r\nzwei\r\nthree"),
        ("dos.txt", "three", "3", b"one\r\ntwo\r\n3"),
        ("marked.txt", "one", "1", "\ufeff1\ntwo\n".encode()),
        ("wide.txt", "two", "zwölf", "one\nzwölf\n".encode("utf-16")),
        ("latin.txt", "two", "ä", "caf\xe9\nä\n".encode("latin-1")),
    ],
)
def test_encoding_bom_and_line_endings_are_kept(server: Server, path: str, old: str, new: str, data: bytes) -> None:
    found = result(edit(server, {"path": path, "expected_content": old, "new_content": new}))
    assert (server.root / path).read_bytes() == data
    row = found["delta"]["files"][0]
    assert row.get("line_ending") == ("crlf" if path == "dos.txt" else None)
    assert row.get("encoding") == {"wide.txt": "utf-16-le", "latin.txt": "latin-1"}.get(path)


def test_unencodable_text_is_rejected(server: Server) -> None:
    found = edit(server, {"path": "latin.txt", "expected_content": "two", "new_content": "日本"})
    error_of(found, ErrorCode.EDIT_UNENCODABLE)
    error_of(edit(server, {"path": "image.bin", "expected_content": "a", "new_content": "b"}), ErrorCode.NOT_TEXT)
    assert result(edit(server, {"path": "image.bin", "action": "move", "new_path": "img/i.bin"}))["applied"]
    assert (server.root / "img/i.bin").read_bytes() == FILES["image.bin"]


def test_line_edits_need_a_digest_or_old_text(server: Server) -> None:
    blind = {"path": "app/cart.py", "start_line": 6, "end_line": 6, "new_content": "        return 9"}
    error = error_of(edit(server, blind), ErrorCode.ARGUMENT_INVALID)
    assert "expected_file_sha256" in error["expected"]
    done = result(edit(server, blind | {"expected_file_sha256": "SHA256:" + sha(server, "app/cart.py").upper()}))
    assert done["delta"]["files"][0]["edits"] == [{"lines": "6", "new_lines": "6"}]
    assert "return 9" in (server.root / "app/cart.py").read_text()


def test_whole_file_replacement_needs_its_digest(server: Server) -> None:
    error_of(edit(server, {"path": "dos.txt", "content": "x\n"}), ErrorCode.FILE_EXISTS)
    error_of(edit(server, {"path": "dos.txt", "action": "update", "content": "x\n"}), ErrorCode.ARGUMENT_INVALID)
    result(edit(server, {"path": "dos.txt", "content": "x\ny\n", "sha256": sha(server, "dos.txt")}))
    assert (server.root / "dos.txt").read_bytes() == b"x\r\ny\r\n"


def test_stale_digest_is_rejected_with_the_change(server: Server) -> None:
    old = sha(server, "app/cart.py")
    first = {"path": "app/cart.py", "expected_content": "return 1", "new_content": "return 5"}
    winner = result(edit(server, first | {"expected_file_sha256": old}))
    loser = edit(server, {"path": "app/cart.py", "start_line": 1, "new_content": "x", "expected_file_sha256": old})
    error = error_of(loser, ErrorCode.HASH_MISMATCH)
    assert error["details"]["current_sha256"] == sha(server, "app/cart.py")
    assert error["details"]["mutation_id"] == winner["mutation_id"]
    assert error["details"]["changed_lines"] == ["6-6"]


def test_moved_lines_are_found_and_ambiguous_ones_rejected(server: Server) -> None:
    moved = {
        "path": "app/cart.py",
        "start_line": 2,
        "expected_content": "        return 2",
        "new_content": "        return 4",
    }
    row = result(edit(server, moved))["delta"]["files"][0]
    assert row["line_corrections"] == [{"original": "2", "corrected": "9"}]
    twice = {"path": "app/cart.py", "expected_content": "def ", "new_content": "x"}
    error = error_of(edit(server, twice), ErrorCode.EDIT_AMBIGUOUS)
    assert error["details"]["lines"] == [5, 8]


def test_one_failing_edit_fails_the_batch(server: Server) -> None:
    before = tree_of(server.root)
    found = edit(
        server,
        {"path": "new.txt", "content": "x"},
        {"path": "run.sh", "action": "delete"},
        {"path": "app/cart.py", "expected_content": "not there", "new_content": "x"},
    )
    error_of(found, ErrorCode.EDIT_NOT_FOUND)
    assert tree_of(server.root) == before
    assert stored_in(server.root) == []
    assert operations(server)[0].intent_seq is None, "nothing was begun"


def test_dry_run_diff_applies_with_git(server: Server, tmp_path: Path) -> None:
    before = tree_of(server.root)
    edits = (
        {"path": "app/cart.py", "expected_content": "return 2", "new_content": "return 4"},
        {"path": "made/x.txt", "content": "a\nb"},
        {"path": "made/empty \xe9.txt", "content": ""},
        {"path": "app/__init__.py", "action": "delete"},
        {"path": "tests/test_cart.py", "new_path": "tests/test_basket.py"},
        {"path": "tests/test_cart.py", "expected_content": "test_total", "new_content": "test_sum"},
        {"path": "image.bin", "new_path": "made/image.bin"},
        {"path": "run.sh", "action": "delete"},
    )
    found = result(edit(server, *edits, dry_run=True))
    assert found["applied"] is False
    assert tree_of(server.root) == before
    assert operations(server)[0].intent_seq is None
    (tmp_path / "x.patch").write_text(found["diff"])
    git(server.root, "apply", str(tmp_path / "x.patch"))
    by_git = tree_of(server.root)
    git(server.root, "checkout", "-q", ".")
    git(server.root, "clean", "-fdq")
    result(edit(server, *edits))
    assert tree_of(server.root) == by_git


def test_too_many_edits_report_the_maximum(server: Server) -> None:
    found = edit(server, *({"path": f"n{number}.txt", "content": "x"} for number in range(1001)))
    error = error_of(found, ErrorCode.ARGUMENT_INVALID)
    assert "1000" in error["expected"] and error["received"] == "1001 values"


def test_byte_order_mark_is_not_duplicated(server: Server) -> None:
    whole = {"path": "marked.txt", "content": "\ufeffone\nzwei\n", "expected_file_sha256": sha(server, "marked.txt")}
    result(edit(server, whole))
    assert (server.root / "marked.txt").read_bytes() == "\ufeffone\nzwei\n".encode()
    result(edit(server, {"path": "marked.txt", "expected_content": "\ufeffone", "new_content": "\ufeffeins"}))
    assert (server.root / "marked.txt").read_bytes() == "\ufeffeins\nzwei\n".encode()


def test_moves_keep_file_modes(server: Server) -> None:
    write(server.root, "one.txt", "same\n")
    write(server.root, "two.txt", "same\n")
    (server.root / "one.txt").chmod(0o755)
    found = result(
        edit(server, {"path": "one.txt", "new_path": "two.txt"}, {"path": "two.txt", "new_path": "three.txt"})
    )
    delta = found["delta"]
    assert [(row["from"], row["path"]) for row in delta["files"]] == [("two.txt", "three.txt"), ("one.txt", "two.txt")]
    assert (delta["files_changed"], delta["insertions"], delta["deletions"]) == (2, 0, 0)
    assert (server.root / "two.txt").stat().st_mode & 0o777 == 0o755
    assert (server.root / "three.txt").stat().st_mode & 0o777 == 0o644
    result(server.call("rollback", {"mutation_id": found["mutation_id"]}))
    assert (server.root / "one.txt").stat().st_mode & 0o777 == 0o755
    assert (server.root / "two.txt").stat().st_mode & 0o777 == 0o644


def test_long_diff_is_truncated(server: Server) -> None:
    found = result(edit(server, {"path": "long.txt", "content": "line of text\n" * 5000}, dry_run=True))
    assert found["diff_lines_left_out"] > 1000
    assert len(found["diff"]) < 15_000


def test_oversized_answer_is_shortened(server: Server) -> None:
    deep = "/".join(["d" * 200] * 15)
    edits = [{"path": f"{deep}/f{number}.log", "content": "x\n"} for number in range(12)]
    found = edit(server, *edits)
    assert result(found)["applied"]
    assert result(found)["delta"] == {"files_changed": 12, "insertions": 12, "deletions": 0, "files_left_out": 12}
    assert codes_of(found) == ["FILES_IGNORED"]
    many = edit(server, *({"path": f"m/{number}.txt", "content": "x\n"} for number in range(300)))
    delta = result(many)["delta"]
    assert delta["files_changed"] == len(delta["files"]) + delta["files_left_out"] == 300


def test_edits_without_changes(server: Server) -> None:
    found = edit(server, {"path": "run.sh", "expected_content": "one", "new_content": "one"})
    assert result(found) == {"applied": False, "unchanged": ["run.sh"]}
    assert stored_in(server.root) == []


def test_idempotency_key_applies_once(server: Server) -> None:
    arguments = {"path": "run.sh", "expected_content": "one", "new_content": "two"}
    first = edit(server, arguments, idempotency_key="k-1")
    again = edit(server, arguments, idempotency_key="k-1")
    assert again["result"] == first["result"]
    assert (server.root / "run.sh").read_text() == "#!/bin/sh\necho two\n"
    assert len([row for row in operations(server) if row.intent_seq is not None]) == 1
    other = edit(server, {"path": "run.sh", "action": "delete"}, idempotency_key="k-1")
    error_of(other, ErrorCode.KEY_REUSED)
    (server.root / ".codeplane/txn" / result(first)["mutation_id"] / "result.json").unlink()
    rebuilt = result(edit(server, arguments, idempotency_key="k-1"))
    assert rebuilt["mutation_id"] == result(first)["mutation_id"]
    assert rebuilt["delta"]["files"] == result(first)["delta"]["files"]


def test_idempotency_key_of_a_rolled_back_change_says_so(server: Server) -> None:
    arguments = {"path": "run.sh", "expected_content": "one", "new_content": "two"}
    first = result(edit(server, arguments, idempotency_key="k"))
    undone = result(server.call("rollback", {"mutation_id": first["mutation_id"]}))
    again = edit(server, arguments, idempotency_key="k")
    assert (result(again)["applied"], result(again)["rolled_back_by"]) == (False, undone["mutation_id"])
    assert f"Rolled back since by {undone['mutation_id']}" in again["message"]
    text = server.text("write_source", {"edits": [arguments], "idempotency_key": "k"})
    assert "Rolled back since" in text
    assert (server.root / "run.sh").read_text() == "#!/bin/sh\necho one\n"
    result(server.call("rollback", {"mutation_id": undone["mutation_id"]}))
    assert result(edit(server, arguments, idempotency_key="k"))["applied"], "the rollback was rolled back"


def test_repeated_change_is_reported(server: Server) -> None:
    there = {"path": "run.sh", "expected_content": "one", "new_content": "two"}
    back = {"path": "run.sh", "expected_content": "two", "new_content": "one"}
    assert [codes_of(edit(server, step)) for step in (there, back, there, back)] == [
        [],
        [],
        ["REPEATED_MUTATION"],
        ["REPEATED_MUTATION"],
    ]


def test_same_edit_in_another_place_is_not_repeated(server: Server) -> None:
    write(server.root, "list.txt", "x\nx\nx\n")
    for line in (1, 2, 3):
        step = {"path": "list.txt", "old_text": "x", "new_text": "y", "start_line": line}
        assert codes_of(edit(server, step)) == []


def test_idempotency_key_survives_a_restart(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    arguments = {"edits": [{"path": "n.txt", "content": "x\n"}], "idempotency_key": "k"}
    with serving(root) as one:
        first = one.call("write_source", arguments)
    with serving(root) as two:
        assert two.call("write_source", arguments)["result"] == first["result"]


def test_concurrent_calls_with_one_idempotency_key(server: Server) -> None:
    found: list[Envelope] = []

    def call() -> None:
        found.append(edit(server, {"path": "n.txt", "content": "x\n"}, idempotency_key="k"))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({result(envelope)["mutation_id"] for envelope in found}) == 1


def test_concurrent_edits_with_one_digest_apply_once(server: Server) -> None:
    digest = sha(server, "run.sh")
    found: list[Envelope] = []

    def call(number: int) -> None:
        change = {"path": "run.sh", "content": f"echo {number}\n", "expected_file_sha256": digest}
        found.append(edit(server, change, {"path": f"side/{number}.txt", "content": "x"}))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(envelope["status"] for envelope in found) == ["error"] * 7 + ["ok"]
    for envelope in found:
        if "error" in envelope:
            assert error_of(envelope, ErrorCode.HASH_MISMATCH)["details"]["current_sha256"] == sha(server, "run.sh")
    assert len(list((server.root / "side").iterdir())) == 1, "a batch that loses leaves nothing"


REFUSED = [
    (".git/config", ErrorCode.PROTECTED_PATH),
    ("a/.GIT/x", ErrorCode.PROTECTED_PATH),
    (".codeplane/x", ErrorCode.PROTECTED_PATH),
    (".env", ErrorCode.SECRET_PATH),
    ("keys/server.pem", ErrorCode.SECRET_PATH),
    ("../x", ErrorCode.PATH_ESCAPE),
    ("a//b", ErrorCode.PATH_INVALID),
    ("a/b/", ErrorCode.PATH_INVALID),
    ("a\\b\\", ErrorCode.PATH_INVALID),
    ("/etc/passwd", ErrorCode.PATH_ESCAPE),
    ("~/x", ErrorCode.PATH_ESCAPE),
    ("C:\\x", ErrorCode.PATH_ESCAPE),
    ("a/..\\..\\x", ErrorCode.PATH_ESCAPE),
    ("", ErrorCode.PATH_INVALID),
    (".", ErrorCode.PATH_INVALID),
    ("%2e%2e/x", ErrorCode.PATH_INVALID),
    ("x" * 300, ErrorCode.PATH_INVALID),
    ("a/" * 3000 + "b", ErrorCode.PATH_INVALID),
    ("nul.txt", ErrorCode.PATH_UNPORTABLE),
    ("ab:c", ErrorCode.PATH_UNPORTABLE),
    ("file:///x", ErrorCode.PATH_INVALID),
    ("RUN.SH", ErrorCode.PATH_UNPORTABLE),
    ("App/x.py", ErrorCode.PATH_UNPORTABLE),
    ("run.sh/x", ErrorCode.PATH_INVALID),
    ("app", ErrorCode.NOT_REGULAR),
    ("pipe", ErrorCode.NOT_REGULAR),
    ("link.txt", ErrorCode.PATH_SYMLINK),
    ("dangling", ErrorCode.PATH_SYMLINK),
    ("out/x.txt", ErrorCode.PATH_SYMLINK),
    (".mcp.json", ErrorCode.CONFIRMATION_REQUIRED),
    ("CLAUDE.md", ErrorCode.CONFIRMATION_REQUIRED),
    (".gitea/workflows/ci.yml", ErrorCode.CONFIRMATION_REQUIRED),
    (".unknown-tool/start.toml", ErrorCode.CONFIRMATION_REQUIRED),
    (".jj/repo/x", ErrorCode.PROTECTED_PATH),
    ("key.pem.bak", ErrorCode.SECRET_PATH),
]


@pytest.mark.parametrize(("path", "code"), REFUSED, ids=[path[:20] for path, _ in REFUSED])
def test_invalid_paths_are_refused(server: Server, path: str, code: ErrorCode) -> None:
    outside = server.root.parent / "outside"
    outside.mkdir()
    (outside / "file.txt").write_text("outside\n")
    os.mkfifo(server.root / "pipe")
    (server.root / "link.txt").symlink_to(outside / "file.txt")
    (server.root / "dangling").symlink_to(outside / "nothing")
    (server.root / "out").symlink_to(outside)
    before = tree_of(server.root)
    error_of(edit(server, {"path": path, "action": "create", "content": "x"}), code)
    moved = edit(server, {"path": "dos.txt", "action": "move", "new_path": path})
    if path:
        error_of(moved, code)
    if code not in (ErrorCode.PATH_UNPORTABLE,):
        found = edit(server, {"path": path, "action": "delete"})
        assert found["error"]["error"] in (code.name, "FILE_NOT_FOUND")
    assert tree_of(server.root) == before
    assert sorted(entry.name for entry in outside.iterdir()) == ["file.txt"]
    assert (outside / "file.txt").read_text() == "outside\n"


def test_files_of_a_nested_repository_are_flagged(server: Server) -> None:
    make_repository(server.root / "parts" / "lib", {"deep/a.py": "a = 1\n"})
    found = edit(
        server,
        {"path": "parts/lib/deep/a.py", "expected_content": "1", "new_content": "2"},
        {"path": "parts/b.py", "content": "b = 1\n"},
    )
    assert found["warnings"][0]["paths"] == ["parts/lib/deep/a.py"]
    assert codes_of(found) == ["IN_OTHER_REPOSITORY"]


def test_sensitive_ignored_and_linked_files_are_flagged(server: Server) -> None:
    os.link(server.root / "run.sh", server.root.parent / "other-name")
    found = edit(
        server,
        {"path": ".mcp.json", "content": "{}\n"},
        {"path": "x.log", "content": "x\n"},
        {"path": "run.sh", "expected_content": "one", "new_content": "two"},
        allow_sensitive=True,
    )
    assert codes_of(found) == ["SENSITIVE_PATH", "FILES_IGNORED", "HARD_LINK_BROKEN"]
    assert [warning["paths"] for warning in found["warnings"]] == [[".mcp.json"], ["x.log"], ["run.sh"]]
    assert (server.root.parent / "other-name").read_text() == "#!/bin/sh\necho one\n"


def test_file_mode_is_preserved_and_can_be_set(server: Server) -> None:
    (server.root / "run.sh").chmod(0o755)
    edits = (
        {"path": "run.sh", "expected_content": "one", "new_content": "two", "final_newline": False},
        {"path": "new.sh", "content": "#!/bin/sh\n", "executable": True},
    )
    result(edit(server, *edits))
    assert (server.root / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (server.root / "run.sh").read_bytes() == b"#!/bin/sh\necho two"
    assert (server.root / "new.sh").stat().st_mode & 0o100
    result(edit(server, {"path": "run.sh", "action": "move", "new_path": "bin/run.sh"}))
    assert (server.root / "bin/run.sh").stat().st_mode & 0o777 == 0o755


def test_files_can_swap_names(server: Server) -> None:
    run, dos = FILES["run.sh"], FILES["dos.txt"]
    result(
        edit(
            server,
            {"path": "run.sh", "action": "move", "new_path": "dos.txt"},
            {"path": "dos.txt", "action": "move", "new_path": "run.sh"},
        )
    )
    assert isinstance(run, str) and isinstance(dos, bytes)
    assert (server.root / "dos.txt").read_bytes() == run.encode()
    assert (server.root / "run.sh").read_bytes() == dos


@pytest.mark.parametrize(
    "edits",
    [
        [{"path": "run.sh"}],
        [{"path": "run.sh", "action": "create"}],
        [{"path": "n", "action": "create", "content": "x", "new_path": "y"}],
        [{"path": "n", "action": "create", "content": "x", "expected_file_sha256": "0" * 64}],
        [{"path": "run.sh", "action": "delete", "content": "x"}],
        [{"path": "run.sh", "action": "move"}],
        [{"path": "run.sh", "action": "update"}],
        [{"path": "run.sh", "new_content": "x"}],
        [{"path": "run.sh", "new_content": "x", "end_line": 3}],
        [{"path": "run.sh", "content": "x", "new_content": "x", "action": "update"}],
        [{"path": "run.sh", "content": "x", "expected_content": "y", "action": "update"}],
        [{"path": "run.sh", "action": "delete", "expected_file_sha256": "abc"}],
        [{"path": "run.sh", "action": "delete"}, {"path": "run.sh", "action": "delete"}],
        [{"path": "n", "content": "x"}, {"path": "n", "content": "y"}],
        [{"path": "run.sh", "new_path": "n"}, {"path": "dos.txt", "new_path": "n"}],
        [{"path": "run.sh", "new_path": "n"}, {"path": "n", "content": "x"}],
    ],
    ids=lambda edits: json.dumps(edits)[:60],
)
def test_incomplete_or_contradictory_edits_are_rejected(server: Server, edits: list[dict[str, object]]) -> None:
    before = tree_of(server.root)
    error_of(edit(server, *edits), ErrorCode.ARGUMENT_INVALID)
    assert tree_of(server.root) == before


def test_action_synonyms_are_accepted(server: Server) -> None:
    one = {"filePath": "run.sh", "op": "str_replace", "oldString": "one", "newString": "two"}
    result(server.call("write_source", {"edits": one}))
    result(server.call("write_source", {"changes": json.dumps([{"file": "n.txt", "text": "x"}])}))
    result(server.call("write_source", {"edits": [{"path": "n.txt", "action": "rm"}]}))
    result(server.call("write_source", {"edits": [{"path": "run.sh", "action": "rename", "to": "r.sh"}]}))
    assert (server.root / "r.sh").read_text() == "#!/bin/sh\necho two\n"
    error = error_of(
        server.call("write_source", {"edits": [{"path": "r.sh", "acton": "rm"}]}), ErrorCode.UNKNOWN_PARAMETER
    )
    assert error["expected"] == "action"


def test_read_only_surface_allows_only_dry_runs(server: Server) -> None:
    surface = Surface(("core", "files"), read_only=True)
    arguments = {"edits": [{"path": "n.txt", "content": "x"}]}
    error_of(server.call("write_source", arguments, surface=surface), ErrorCode.READ_ONLY)
    assert result(server.call("write_source", arguments | {"dry_run": True}, surface=surface))["dry_run"]
    assert not (server.root / "n.txt").exists()


def test_a_cancelled_call_changes_nothing(server: Server) -> None:
    found = server.call("write_source", {"edits": [{"path": "n.txt", "content": "x"}]}, cancelled=lambda: True)
    error_of(found, ErrorCode.CANCELLED)
    assert not (server.root / "n.txt").exists()
    assert stored_in(server.root) == []


def test_files_can_be_changed_without_an_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    found = call_tool(root, "write_source", {"edits": [{"path": "n.txt", "content": "x"}]})
    assert result(found)["applied"]
    assert codes_of(found) == ["INDEX_NOT_FRESH"]


def test_replaced_root_directory_is_not_written(server: Server) -> None:
    moved = server.root.parent / "moved"
    server.root.rename(moved)
    make_repository(server.root, FILES)
    try:
        error_of(edit(server, {"path": "n.txt", "content": "x"}), ErrorCode.ROOT_CHANGED)
        assert not (server.root / "n.txt").exists()
        assert not (moved / "n.txt").exists()
    finally:
        server.root.rename(server.root.parent / "second")
        moved.rename(server.root)


def test_hash_chain_is_intact_and_git_status_is_clean(server: Server) -> None:
    for number in range(5):
        result(edit(server, {"path": f"n{number}.txt", "content": "x"}))
    status = git(server.root, "status", "--porcelain").split("\n")
    assert sorted(filter(None, status)) == [f"?? n{number}.txt" for number in range(5)]
    assert verify_chain(server.root / ".codeplane").is_intact


def test_task_status_has_the_mutation_fingerprint(server: Server) -> None:
    task = result(server.call("task", {"action": "open", "max_mutations": 5}))["task_id"]
    replaced = {"path": "app/cart.py", "expected_content": "return 2", "new_content": "return 3"}
    delta = result(edit(server, replaced, task_id=task))["delta"]
    status = result(server.call("task", {"action": "status", "task_id": task}))
    assert status["last_mutation_fingerprint"] == delta["mutation_fingerprint"]


def test_missing_file_error_says_how_to_create_it(server: Server) -> None:
    found = edit(server, {"path": "app/crt.py", "expected_content": "a", "new_content": "b"})
    error = error_of(found, ErrorCode.FILE_NOT_FOUND)
    assert (error["received"], error["details"]["edit"]) == ("app/crt.py", 1) and "content" in error["expected"]
