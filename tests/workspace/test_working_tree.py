"""The files that a listing without an index has are those that the index takes in, with the same kinds."""

from __future__ import annotations

import os
from pathlib import Path

from codeplane.query.contents import list_searchable_files
from codeplane.query.files import list_files
from codeplane.query.snapshot import open_current
from codeplane.store.layout import open_state
from codeplane.workspace.working_tree import TreeFile, WorkingTree
from support.repositories import git, make_repository, options_for, sync, write

FILES: dict[str, str | bytes] = {
    ".gitignore": "*.log\nout/\n",
    ".cplignore": "private/\n",
    ".gitattributes": "gen/* linguist-generated\nmanual/* linguist-documentation\n",
    "shop/cart.py": "def total():\n    return 1\n",
    "shop/.env": "TOKEN=never\n",
    "deploy/id_rsa": "never\n",
    "tests/test_cart.py": "def test_total():\n    pass\n",
    "docs/guide.md": "# Guide\n",
    "gen/api.py": "x = 1\n",
    "manual/page.txt": "words\n",
    "private/notes.md": "never\n",
    "web/app.ts": "export const a = 1;\n",
    "data.bin": b"\0\1\2" * 100,
}


def make(tmp_path: Path) -> Path:
    root = make_repository(tmp_path / "repo", FILES)
    write(root, "debug.log", "never\n")
    write(root, "out/built.js", "never\n")
    write(root, "untracked.py", "y = 1\n")
    os.symlink("shop/cart.py", root / "link.py")
    return root


def test_files_languages_and_roles_are_those_of_the_index(tmp_path: Path) -> None:
    root = make(tmp_path)
    for overlay in (True, False):
        listed = WorkingTree(options_for(root, overlay=overlay)).list_files()
        sync(root, overlay=overlay)
        state = open_state(root)
        assert state is not None
        with open_current(state) as snapshot:
            indexed = {file.path for file in list_files(snapshot, 1000).rows}
            texts = {(row.path, row.language, row.role) for row in list_searchable_files(snapshot)}
        assert {file.path for file in listed.files} == indexed
        assert ("untracked.py" in indexed) is overlay
        assert {(file.path, file.language, file.role) for file in listed.files if file.path != "data.bin"} == texts
        assert listed.unscanned == ()
        assert [file.path for file in listed.files] == sorted(indexed)


def files_of(tree: WorkingTree) -> dict[str, TreeFile]:
    return {file.path: file for file in tree.list_files().files}


def test_changes_are_seen_by_the_next_listing(tmp_path: Path) -> None:
    root = make(tmp_path)
    tree = WorkingTree(options_for(root))
    before = files_of(tree)
    write(root, "shop/more.py", "z = 1\n")
    write(root, "shop/cart.py", "longer than before\n" * 9)
    write(root, ".gitattributes", "shop/* linguist-vendored\n")
    write(root, ".gitignore", "docs/\n")
    git(root, "rm", "-q", "--cached", "web/app.ts")
    (root / "web/app.ts").unlink()
    after = files_of(tree)
    assert after.keys() - before.keys() == {"shop/more.py", "out/built.js"}
    assert before.keys() - after.keys() == {"docs/guide.md", "web/app.ts"}
    assert after["shop/cart.py"].size > before["shop/cart.py"].size
    assert (before["shop/cart.py"].role, after["shop/cart.py"].role) == ("source", "vendored")
    assert after["gen/api.py"].role != "generated"
    tree.forget()
    assert files_of(tree) == after
