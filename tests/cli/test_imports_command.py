"""`cpl imports` and `cpl unused`: text and JSON."""

from __future__ import annotations

from support.repositories import write
from support.sandbox import Sandbox


def _tree(sandbox: Sandbox) -> None:
    write(sandbox.root, "lib/__init__.py", "")
    write(
        sandbox.root,
        "lib/a.py",
        "from lib.b import used\n"
        "__all__ = ['offered']\n"
        "class Base:\n"
        "    def run(self): ...\n"
        "class Kind(Base):\n"
        "    def run(self): ...\n"
        "    def _left(self): return self._left()\n"
        "def offered(): return used()\n"
        "def _private(): ...\n"
        "def _found(): ...\n"
        "_found()\n"
        "Kind().go()\n",
    )
    write(sandbox.root, "lib/b.py", "from lib import a, c\ndef used(): return a\ndef _named(): ...\n")
    write(sandbox.root, "lib/c.py", "import register\n@register\ndef _hooked(): ...\ndef far(x): return x._named\n")
    write(sandbox.root, "tests/test_a.py", "from lib.a import Kind\ndef test_it(): Kind()\n")


def test_files_that_import_and_are_imported(indexed: Sandbox) -> None:
    _tree(indexed)
    found = indexed.json("imports", "lib/a.py")["result"]
    assert found == {"path": "lib/a.py", "imports": ["lib/b.py"], "imported_by": ["lib/b.py", "tests/test_a.py"]}
    text = indexed.run("imports", "lib/c.py").stdout
    assert "lib/c.py imports  none" in text and "  lib/b.py" in text
    missing = indexed.json("imports", "lib/nowhere.py", exit_code=1)
    assert missing["error"]["error"] == "FILE_NOT_FOUND"
    assert indexed.json("imports", exit_code=2)["error"]["error"] == "ARGUMENT_INVALID"


def test_import_cycles(indexed: Sandbox) -> None:
    _tree(indexed)
    assert indexed.json("imports", "--circles")["result"] == {"circles": [["lib/a.py", "lib/b.py"]]}
    write(indexed.root, "lib/b.py", "def used(): ...\n")
    assert indexed.json("imports", "--circles")["result"] == {"circles": []}


def test_unused_definitions_with_reasons(indexed: Sandbox) -> None:
    _tree(indexed)
    found = indexed.json("unused")["result"]
    reasons = {row["symbol_ref"].partition("#")[2].partition("@")[0]: row["reasons"] for row in found["candidates"]}
    assert reasons["_private"] == []
    assert reasons["Kind._left"] == [], "calling itself is no use"
    assert reasons["Kind.run"] == ["public", "overrides"]
    assert reasons["offered"] == ["public", "exported"]
    assert reasons["_named"] == ["unresolved", "named"]
    assert reasons["_hooked"] == ["decorated"]
    assert reasons["test_it"] == ["convention"]
    assert not reasons.keys() & {"used", "Kind", "_found", "Base"}
    assert set(found["reasons"]) >= {reason for row in reasons.values() for reason in row}
    assert [row["path"] for row in found["candidates"][:2]] == ["lib/a.py", "lib/a.py"]


def test_unused_definitions_under_a_directory(indexed: Sandbox) -> None:
    _tree(indexed)
    only = indexed.json("unused", "tests", "-n", "1")["result"]
    assert (only["total"], [row["path"] for row in only["candidates"]]) == (1, ["tests/test_a.py"])
    assert indexed.json("unused", "nowhere", exit_code=1)["error"]["error"] == "FILE_NOT_FOUND"
    text = indexed.run("unused", "lib", "-n", "2").stdout
    assert "no other use of this name in the repository" in text and "in all" in text
