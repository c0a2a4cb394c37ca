"""`cpl map`, `cpl ls` and `cpl outline --ref` as a person and as a script sees them."""

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
    assert shown == [
        "  deep/       1 file",
        "  .gitignore  1 line  config",
        "  b.py        1 line",
        "  logo.png       6 B  binary",
        "",
        "4 files",
    ]
    opened = indexed.run("ls", "lib", "--depth", "2").stdout.splitlines()
    assert opened[0] == "lib/" and "lib/deep/" in opened and "  a.py  2 lines" in opened
    everything = indexed.run("ls", "lib", "--all").stdout
    assert "x.tmp" in everything and "lib/.gitignore:1 *.tmp" in everything and "1 secret not named" in everything
    assert ".env" not in everything
    assert indexed.json("ls", "-p", "*.py", "lib")["result"]["entries"] == {
        "lib/": {"b.py": 1},
        "lib/deep/": {"a.py": 2},
    }
    assert indexed.run("ls", "lib", "-n", "1").stdout.splitlines()[-1] == "4 files; 3 entries not shown"
    write(indexed.root, "node_modules/a.js", "x\n")
    assert "--all shows what is left out" in indexed.run("ls", "node_modules").stdout
    assert indexed.run("ls", "nowhere").returncode == 2
    assert "may hold secrets" in indexed.run("ls", "lib/.env").stderr


def test_the_map_for_people_and_for_programs(indexed: Sandbox) -> None:
    write(indexed.root, "core/__init__.py", "")
    write(indexed.root, "core/model.py", "class Model:\n    pass\n")
    for number in range(3):
        write(indexed.root, f"app/use{number}.py", "from core.model import Model\n\nimport requests\n\nModel()\n")
    write(indexed.root, "tests/test_it.py", "import pytest\n\n\ndef test_it():\n    pass\n")
    shown = indexed.run("map").stdout
    titles = ["Structure", "Languages", "Entry points", "Key files", "Dependencies", "Tests", "Public API"]
    assert [line.partition(",")[0] for line in shown.splitlines() if line and line[0] != " "] == titles
    rows = [line.split() for line in shown.splitlines()]
    for row in (["core/model.py", "3"], ["core/model.py#Model@1", "class", "3"], ["requests", "3"], ["tests/", "1"]):
        assert row in rows
    one = indexed.json("map", "-i", "key_files", "-i", "languages")["result"]
    assert set(one) == {"key_files", "languages"} and one["key_files"] == {"core/model.py": 3}
    assert "core/model.py" not in indexed.json("map", "-i", "structure", "--depth", "1")["result"]["structure"]["tree"]
    assert len(indexed.run("map", "--tokens", "300").stdout) < len(indexed.run("map", "--tokens", "3000").stdout)
    assert indexed.run("map", "-i", "nothing").returncode == 2


def test_an_outline_of_another_revision(indexed: Sandbox) -> None:
    write(indexed.root, "old.py", "def old():\n    pass\n")
    git(indexed.root, "add", "old.py")
    git(indexed.root, "commit", "-qm", "old")
    write(indexed.root, "old.py", "def new():\n    pass\n")
    assert "function new" in indexed.run("outline", "old.py").stdout
    assert "function old" in indexed.run("outline", "old.py", "--ref", "HEAD").stdout
    refused = indexed.run("outline", "old.py", "--ref=--output=x")
    assert refused.returncode == 2 and "HEAD~1" in refused.stderr
