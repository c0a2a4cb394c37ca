"""Text form of write_source and rollback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.repositories import git, make_repository, write
from support.tooling import Server, serving

FILES: dict[str, str | bytes] = {
    "shop/cart.py": "LIMIT = 1\n\n\ndef total(items):\n    return sum(items)\n",
    "shop/__init__.py": "",
    "docs/cart.md": "# Cart\n\nLIMIT is 1.\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
    ".gitignore": "*.log\n",
}
SHA = r"sha [0-9a-f]{12}"
ID = r"m_[\w-]{8}"
LIMIT = {"path": "shop/cart.py", "old_text": "LIMIT = 1", "new_text": "LIMIT = 2"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as opened:
        yield opened


def shown(server: Server, pattern: str, /, **arguments: object) -> str:
    found = server.text("write_source", arguments)
    assert re.fullmatch(pattern, found), found
    return found


def test_one_file_is_one_line(server: Server) -> None:
    found = shown(server, rf"shop/cart\.py \+1 -1 {SHA} {ID}", **LIMIT)
    assert len(found) < 120


def test_several_files_have_a_line_each(server: Server) -> None:
    edits = [
        LIMIT,
        {"path": "docs/cart.md", "new_path": "docs/shop.md"},
        {"path": "new.py", "content": "n = 1\n"},
        {"path": "shop/__init__.py", "action": "delete"},
    ]
    shown(
        server,
        rf"{ID} 4 files\n"
        rf"docs/cart\.md -> docs/shop\.md\n"
        rf"new\.py created \+1 {SHA}\n"
        rf"shop/__init__\.py deleted\n"
        rf"shop/cart\.py \+1 -1",
        edits=edits,
    )


def test_affected_tests_are_one_line(server: Server) -> None:
    edit = {"path": "shop/cart.py", "old_text": "sum(items)", "new_text": "sum(items, 0)"}
    shown(server, rf"shop/cart\.py \+1 -1 {SHA} {ID}\ntests: tests/test_cart\.py", **edit)


def test_many_affected_tests_are_counted(server: Server) -> None:
    for number in range(8):
        write(server.root, f"tests/test_{number}.py", str(FILES["tests/test_cart.py"]))
    server.call("manage_index", {"action": "sync"})
    edit = {"path": "shop/cart.py", "old_text": "sum(items)", "new_text": "sum(items, 0)"}
    found = server.text("write_source", edit)
    assert found.splitlines()[1].startswith("tests: tests/test_0.py, ") and found.endswith(" and 7 more")


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (
            {
                "path": "shop/cart.py",
                "old_text": "    return sum(items)\n",
                "new_text": "    return 1\n",
                "start_line": 1,
            },
            rf"shop/cart\.py \+1 -1 {SHA} found at line 5 {ID}\ntests: .*",
        ),
        (
            {
                "path": "shop/cart.py",
                "old_text": "  def total(items):\n      return sum(items)",
                "new_text": "  def total(items):\n      return 1",
            },
            rf"shop/cart\.py \+1 -1 {SHA} re-indented 4-5 {ID}\ntests: .*",
        ),
        (
            {"path": "docs/cart.md", "old_text": "a", "new_text": "o", "replace_all": True},
            rf"docs/cart\.md \+1 -1 {SHA} {ID}",
        ),
        (
            {"path": "docs/cart.md", "old_text": "1", "new_text": "1", "start_line": 3},
            r"no changes: docs/cart\.md already as requested",
        ),
        (
            {
                "edits": [
                    {**LIMIT, "new_text": "LIMIT = 1"},
                    {"path": "docs/cart.md", "old_text": "Cart", "new_text": "C"},
                ]
            },
            rf"docs/cart\.md \+1 -1 {SHA} {ID}\nunchanged: shop/cart\.py",
        ),
        (
            {"path": "out.log", "content": "x\n"},
            rf"out\.log created \+1 {SHA} {ID}\nwarning FILES_IGNORED: .* \(out\.log\)",
        ),
    ],
    ids=["hint", "re-indented", "replace_all", "no changes", "unchanged", "warning"],
)
def test_deviations_are_reported(server: Server, arguments: dict[str, object], pattern: str) -> None:
    shown(server, pattern, **arguments)


def test_replacements_are_counted(server: Server) -> None:
    write(server.root, "many.txt", "a a\na\n")
    shown(server, rf"many\.txt \+2 -2 \(3 places\) {SHA} {ID}", pattern="a", new_text="b", paths=["many.txt"])


def test_dry_run_diff_applies_with_git(server: Server, tmp_path: Path) -> None:
    found = server.text("write_source", {**LIMIT, "dry_run": True})
    assert found.startswith("diff --git a/shop/cart.py b/shop/cart.py\n--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ ")
    diff, _, summary = found.rpartition("\n")
    assert summary == "dry run: 1 file +1 -1; nothing was changed"
    (tmp_path / "x.patch").write_text(diff + "\n")
    git(server.root, "apply", "--check", str(tmp_path / "x.patch"))


def test_a_long_diff_is_cut_and_counted(server: Server) -> None:
    found = server.text("write_source", {"path": "long.txt", "content": "line of text\n" * 5000, "dry_run": True})
    assert re.search(r"\nmore: [\d,]+ lines of the diff\ndry run: 1 file \+5000 -0; nothing was changed$", found)


def test_many_files_are_cut_and_counted(server: Server) -> None:
    found = server.text("write_source", {"edits": [{"path": f"m/{n}.txt", "content": "x\n"} for n in range(300)]})
    lines = found.splitlines()
    assert re.fullmatch(rf"{ID} 300 files \+300 -0", lines[0])
    assert re.fullmatch(r"more: \d+ files", lines[-1])


def test_repeated_idempotency_key_is_reported(server: Server) -> None:
    first = server.text("write_source", {**LIMIT, "idempotency_key": "k"})
    again = server.text("write_source", {**LIMIT, "idempotency_key": "k"})
    assert again == f"{first}\nalready applied under this idempotency_key; nothing was changed now"


def test_rollback_prints_the_files_that_it_restored(server: Server) -> None:
    mutation_id = server.text("write_source", LIMIT).split()[-1]
    undone = server.text("rollback", {"mutation_id": mutation_id})
    assert re.fullmatch(rf"shop/cart\.py \+1 -1 {SHA} {ID}", undone) and not undone.endswith(mutation_id)
    again = server.text("rollback", {"mutation_id": mutation_id})
    assert again == "error UNDO_REFUSED: the mutation is rolled back already"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"path": "docs/cart.md", "old_text": "C", "new_text": "c", "start_line": 99},
            None,
        ),
        (
            {"path": "shop/cart.py", "old_text": "s", "new_text": "x"},
            "error EDIT_AMBIGUOUS: shop/cart.py: 's' occurs 3 times (lines 4, 5); nothing was changed\n"
            "hint: Add start_line=4 or another of them, replace_all=true, or more of the text around it.",
        ),
        (
            {"path": "shop/cart.py", "old_text": "LIMIT = 3", "new_text": "x"},
            "error EDIT_NOT_FOUND: shop/cart.py: old_text 'LIMIT = 3' is not there; nothing was changed\n"
            "nearest: line 1 (- old_text, + file)\n"
            "-\tLIMIT = 3\n"
            "+1\tLIMIT = 1\n"
            "hint: Send old_text as it is in the file.",
        ),
        (
            {"path": "shop/cart.py", "old_text": "nothing like it", "new_text": "x"},
            "error EDIT_NOT_FOUND: shop/cart.py: old_text 'nothing like it' is not there; nothing was changed\n"
            "hint: Read the file again: no similar text was found in it.",
        ),
    ],
    ids=["hint beyond the end", "ambiguous", "miss", "nothing similar"],
)
def test_refusals_are_short_and_say_what_to_do(server: Server, arguments: dict[str, object], text: str | None) -> None:
    found = server.text("write_source", arguments)
    assert found == text if text is not None else found.startswith("docs/cart.md")
