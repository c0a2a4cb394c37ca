"""`cpl map`, `cpl ls` and `cpl outline --ref`: text and JSON."""

from __future__ import annotations

from support.repositories import git, write
from support.sandbox import Sandbox


def test_a_directory_is_listed(indexed: Sandbox) -> None:
    write(indexed.root, "lib/deep/a.py", "x = 1\ny = 2\n")
    write(indexed.root, "lib/b.py", "x = 1\n")
    write(indexed.root, "lib/logo.png", b"\x89PNG\0\0")
    write(indexed.root, "lib/.gitignore", "*.tmp\n")
    write(indexed.root, "lib/x.tmp", "x\n")
    write(indexed.root, "lib/.env", "KEY=1\n")
    shown = indexed.run("ls", "lib").stdout.splitlines()
    assert shown == ["lib/deep/", "lib/.gitignore", "lib/b.py", "lib/logo.png"], "a pipe gets paths"
    _, seen = indexed.terminal("ls", "lib")
    assert [line for line in seen.splitlines() if line[:1] != "\x1b"] == [
        "deep/ 1",
        ".gitignore 1",
        "b.py 1",
        "logo.png 6 B binary",
    ]
    assert "lib/deep/a.py" in indexed.run("ls", "lib", "--depth", "2").stdout.splitlines()
    _, everything = indexed.terminal("ls", "lib", "--all")
    assert "x.tmp ignored by lib/.gitignore:1 *.tmp" in everything and "1 file with secrets not named" in everything
    assert ".env" not in everything
    assert indexed.json("ls", "-p", "*.py", "lib")["result"]["entries"] == {
        "lib/": {"b.py": 1},
        "lib/deep/": {"a.py": 2},
    }
    assert indexed.run("ls", "lib", "-n", "1").stderr.splitlines()[-1] == "more: 3 entries"
    write(indexed.root, "node_modules/a.js", "x\n")
    assert "hint: cpl ls --all node_modules" in indexed.run("ls", "node_modules").stderr
    assert indexed.run("ls", "nowhere").returncode == 2
    assert "may contain secrets" in indexed.run("ls", "lib/.env").stderr


def test_the_map_for_people_and_for_programs(indexed: Sandbox) -> None:
    write(indexed.root, "core/__init__.py", "")
    write(indexed.root, "core/model.py", "class Model:\n    pass\n")
    for number in range(3):
        write(indexed.root, f"app/use{number}.py", "from core.model import Model\n\nimport requests\n\nModel()\n")
    write(indexed.root, "tests/test_it.py", "import pytest\n\n\ndef test_it():\n    pass\n")
    shown = indexed.run("map").stdout.splitlines()
    assert {"tests: tests/ 1; pytest", "dependencies: requests 3, pytest 1", "core/model.py 3: Model"} <= set(shown)
    assert {"directories:", "app/ 3", "core/ 2", "tests/ 1"} <= set(shown)
    one = indexed.json("map", "-i", "key_files", "-i", "languages")["result"]
    assert set(one) == {"key_files", "languages"} and one["key_files"] == {"core/model.py": 3}
    assert "core/model.py" not in indexed.json("map", "-i", "structure", "--depth", "1")["result"]["structure"]["tree"]
    assert indexed.run("map", "-i", "nothing").returncode == 2


def test_an_outline_of_another_revision(indexed: Sandbox) -> None:
    write(indexed.root, "old.py", "def old():\n    pass\n")
    git(indexed.root, "add", "old.py")
    git(indexed.root, "commit", "-qm", "old")
    write(indexed.root, "old.py", "def new():\n    pass\n")
    assert indexed.run("outline", "old.py").stdout == "old.py:1:def new()\n"
    assert indexed.run("outline", "old.py", "--ref", "HEAD").stdout == "old.py:1:def old()\n"
    refused = indexed.run("outline", "old.py", "--ref=--output=x")
    assert refused.returncode == 2 and "a branch, a tag or a commit" in refused.stderr
