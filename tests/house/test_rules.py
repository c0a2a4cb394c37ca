"""Rules of the house that import-linter cannot say: which package may know which library."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "codeplane"

NOWHERE: tuple[str, ...] = ()
LIBRARY_PACKAGES: dict[str, tuple[str, ...]] = {
    "pickle": NOWHERE,
    "shelve": NOWHERE,
    "marshal": NOWHERE,
    "sqlite3": NOWHERE,
    "subprocess": ("processes",),
    # The ledger is a database of its own: it must read a damaged file without page checksums, and sort out errors.
    "apsw": ("store", "ledger"),
    "tantivy": ("store",),
    "tree_sitter": ("facts",),
    "pygit2": ("git",),
    "re2": ("operations",),
    "click": ("cli",),
    "yaml": ("config",),
}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
SHELLS = {"system", "popen"}
MODULES = sorted(SOURCE.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def os_names(tree: ast.AST) -> Iterator[str]:
    """Names taken from the module os, by attribute or by import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from (alias.name for alias in node.names)


def uses_shell(tree: ast.AST) -> bool:
    return any(
        keyword.arg == "shell" and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    )


def findings(package: str, tree: ast.AST) -> list[str]:
    found = [
        f"imports {name}"
        for name in imported(tree)
        if name in LIBRARY_PACKAGES and package not in LIBRARY_PACKAGES[name]
    ]
    names = set(os_names(tree))
    if package != "cli" and names & ENVIRONMENT:
        found.append("reads the environment")
    if names & SHELLS or uses_shell(tree):
        found.append("uses a shell")
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_keeps_the_rules(module: Path) -> None:
    package = module.relative_to(SOURCE).parts[0]
    assert findings(package, ast.parse(module.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_opens_with_what_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("package", "source", "finding"),
    [
        ("store", "import pickle", "imports pickle"),
        ("cli", "from shelve import open", "imports shelve"),
        ("disk", "import subprocess", "imports subprocess"),
        ("index", "import apsw.ext", "imports apsw"),
        ("query", "def f():\n    import tantivy", "imports tantivy"),
        ("languages", "from tree_sitter import Node", "imports tree_sitter"),
        ("disk", "import os\nos.environ['A']", "reads the environment"),
        ("store", "from os import getenv", "reads the environment"),
        ("processes", "run('ls', shell=True)", "uses a shell"),
        ("cli", "import os\nos.system('ls')", "uses a shell"),
    ],
)
def test_the_rules_bite(package: str, source: str, finding: str) -> None:
    assert finding in findings(package, ast.parse(source))


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("processes", "import subprocess\nsubprocess.run(['ls'], shell=False)"),
        ("cli", "import os, click\nos.environ.get('A')"),
        ("store", "import apsw, tantivy"),
        ("languages", "import tree_sitter_python"),
    ],
)
def test_the_rules_allow(package: str, source: str) -> None:
    assert findings(package, ast.parse(source)) == []
