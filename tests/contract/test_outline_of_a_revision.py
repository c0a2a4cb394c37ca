"""file_outline with a ref: the file at that revision, by the same rules as the working tree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from support.repositories import git, make_repository, write
from support.tooling import Server, codes_of, error_of, follow, serving

OLD = "class Cart:\n    def total(self) -> int:\n        return 1\n\n    def gone(self):\n        pass\n"
NEW = "class Cart:\n    def total(self) -> int:\n        return 1\n\n\ndef added(n):\n    return n\n"
MANY = "".join(f"def function_{n}(argument: int) -> int:\n    return {n}\n\n\n" for n in range(600))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    files: dict[str, str | bytes] = {
        "shop/cart.py": OLD,
        "shop/moved.go": "package shop\n\nfunc Old() {}\n",
        "many.py": MANY,
        "broken.py": "def fine():\n    return 1\n\n\ndef broken(:\n",
        "notes.rst": "Notes\n",
        "blob.bin": bytes(range(256)),
        "crlf.py": "def first():\r\n    pass\r\n\r\n\r\ndef second():\r\n    pass\r\n",
        "run": "#!/usr/bin/env python3\ndef run():\n    pass\n",
        "server.pem": "secret\n",
    }
    root = make_repository(tmp_path_factory.mktemp("past") / "repo", files)
    git(root, "add", "-f", "server.pem")
    git(root, "branch", "old")
    write(root, "shop/cart.py", NEW)
    write(root, "many.py", "x = 1\n")
    (root / "shop/moved.go").unlink()
    (root / "link.py").symlink_to("run")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "new")
    write(root, "shop/cart.py", NEW + "\n\ndef unstaged():\n    pass\n")
    with serving(root) as server:
        yield server


def names(found: dict[str, Any]) -> list[str]:
    return [symbol["name"] for symbol in found["result"]["symbols"]]


def outline(server: Server, **arguments: object) -> dict[str, Any]:
    found = server.call("file_outline", arguments)
    assert found["status"] == "ok", found
    return found


def test_each_revision_has_its_own_outline(shop: Server) -> None:
    assert names(outline(shop, file="shop/cart.py")) == ["Cart", "added", "unstaged"]
    assert names(outline(shop, file="shop/cart.py", ref="WORKTREE")) == ["Cart", "added", "unstaged"]
    assert names(outline(shop, file="shop/cart.py", ref="INDEX")) == ["Cart", "added"]
    assert names(outline(shop, file="shop/cart.py", ref="HEAD")) == ["Cart", "added"]
    old = outline(shop, file="shop/cart.py", ref="old")
    assert names(old) == ["Cart"]
    assert [child["name"] for child in old["result"]["symbols"][0]["children"]] == ["total", "gone"]


def test_answer_names_its_commit(shop: Server) -> None:
    head, old = (git(shop.root, "rev-parse", name).strip() for name in ("HEAD", "old"))
    assert outline(shop, file="shop/cart.py", ref="HEAD~1")["result"]["commit"] == old
    now = outline(shop, file="shop/cart.py", ref="main")
    assert now["result"]["commit"] == head
    assert not {"epoch", "freshness"} & set(now["meta"]), "a commit does not change"
    staged = outline(shop, file="shop/cart.py", ref="INDEX")["result"]
    assert staged["ref"] == "INDEX" and "commit" not in staged
    assert not {"commit", "ref"} & set(outline(shop, file="shop/cart.py")["result"])


def test_outline_equals_that_of_the_checked_out_file(shop: Server, tmp_path: Path) -> None:
    """Compare every file that both trees have: parsed from git objects, and from the index."""
    root = tmp_path / "repo"
    shutil.copytree(shop.root, root, symlinks=True, ignore=shutil.ignore_patterns(".codeplane"))
    git(root, "checkout", "-qf", "old")
    with serving(root) as there:
        for file in ("shop/cart.py", "shop/moved.go", "broken.py", "crlf.py", "run", "many.py"):
            for more in ({}, {"depth": "top"}, {"limit_symbols": 3}, {"start_line": 2, "end_line": 3}):
                past = shop.call("file_outline", {"file": file, "ref": "old", **more})
                now = there.call("file_outline", {"file": file, **more})
                assert {**past["result"], "commit": ""} == {**now["result"], "commit": ""}, file
                assert past.get("warnings") == now.get("warnings")


def test_a_symbol_is_found_exactly(shop: Server) -> None:
    for given in (
        {"symbol_label": "Cart.gone"},
        {"symbol_id": "shop/cart.py#Cart.gone@5"},
        {"symbol": "shop/cart.py:6"},
    ):
        found = outline(shop, file="shop/cart.py", ref="old", **given)["result"]
        assert [symbol["symbol_ref"] for symbol in found["symbols"]] == ["shop/cart.py#Cart.gone@5"]
    missed = shop.call("file_outline", {"file": "shop/cart.py", "ref": "HEAD", "symbol_label": "Cart.gone"})
    assert missed["status"] == "not_found"


def test_a_large_outline_hints_at_the_rest_of_the_same_revision(shop: Server) -> None:
    found = outline(shop, file="many.py", ref="old")
    hint = found["hints"]["next"]
    assert hint["args"]["ref"] == "old"
    shown = [symbol["name"] for symbol in found["result"]["symbols"]]
    following = follow(shop, hint)["result"]["symbols"][0]
    assert following["name"] not in shown and following["line_start"] == hint["args"]["start_line"]
    assert "FILE_NOT_PARSED_WHOLE" in codes_of(outline(shop, file="broken.py", ref="HEAD"))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"file": "shop/cart.py", "ref": "--output=x"}, ErrorCode.ARGUMENT_INVALID),
        ({"file": "shop/cart.py", "ref": "HEAD:../../etc"}, ErrorCode.ARGUMENT_INVALID),
        ({"file": "shop/cart.py", "ref": "nothing"}, ErrorCode.ARGUMENT_INVALID),
        ({"file": "shop/moved.go", "ref": "HEAD"}, ErrorCode.FILE_NOT_FOUND),
        ({"file": "shop", "ref": "HEAD"}, ErrorCode.FILE_NOT_FOUND),
        ({"file": "", "ref": "HEAD"}, ErrorCode.FILE_NOT_FOUND),
        ({"file": "../x", "ref": "HEAD"}, ErrorCode.PATH_ESCAPE),
        ({"file": "link.py", "ref": "HEAD"}, ErrorCode.PATH_SYMLINK),
        ({"file": "server.pem", "ref": "HEAD"}, ErrorCode.SECRET_PATH),
        ({"file": ".git/config", "ref": "HEAD"}, ErrorCode.PROTECTED_PATH),
        ({"file": "notes.rst", "ref": "HEAD"}, ErrorCode.LANGUAGE_UNSUPPORTED),
        ({"file": "blob.bin", "ref": "HEAD"}, ErrorCode.LANGUAGE_UNSUPPORTED),
        ({"file": "shop/cart.py", "ref": "HEAD", "language": "go"}, ErrorCode.ARGUMENT_INVALID),
    ],
)
def test_files_without_an_outline_are_reported(shop: Server, arguments: dict[str, object], code: ErrorCode) -> None:
    error_of(shop.call("file_outline", arguments), code)


def test_deprecated_name_accepts_a_ref(shop: Server) -> None:
    found = shop.call("get_file_outline", {"path": "shop/cart.py", "ref": "old"})
    assert names(found) == ["Cart"]


def test_concurrent_outlines_of_a_revision(shop: Server) -> None:
    asked = [(file, ref) for file in ("shop/cart.py", "many.py", "crlf.py") for ref in ("old", "HEAD", "INDEX")] * 4
    alone = {pair: outline(shop, file=pair[0], ref=pair[1])["result"] for pair in asked}
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda pair: outline(shop, file=pair[0], ref=pair[1])["result"], asked))
    assert found == [alone[pair] for pair in asked]


def test_outline_of_a_revision_needs_no_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def old():\n    pass\n"})
    with serving(root, once=True, ready=False) as server:
        assert names(outline(server, file="a.py", ref="HEAD")) == ["old"]
