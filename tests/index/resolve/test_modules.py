"""Dotted names of Python modules resolve to files."""

from __future__ import annotations

import pytest

from codeplane.languages.python.resolver_modules import PythonModules

TREE = (
    "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "pkg-x/c.py", "pkg/sub/no-name.py",
    "src/lib1/d.py", "plain/deep/e.py", "plain/deep/e.pyi", "one/f.py", "two/f.py", "alone/__init__.py",
    "odd/no-name.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("pkg", "pkg/__init__.py"),
        ("pkg.sub.b", "pkg/sub/b.py"),
        ("sub.b", None),
        ("lib1.d", "src/lib1/d.py"),
        ("src.lib1.d", None),
        ("plain.deep.e", "plain/deep/e.py"),
        ("deep.e", "plain/deep/e.py"),
        ("f", None),
        ("one.f", "one/f.py"),
        ("no-name", None),
    ],
)
def test_module_file(name: str, path: str | None) -> None:
    assert PythonModules(TREE).find(name, "main.py") == path


def test_nearest_module_wins() -> None:
    assert PythonModules(TREE).find("f", "two/g.py") == "two/f.py"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pkg", True),
        ("pkg.sub", True),
        ("sub", False),
        ("plain", True),
        ("plain.deep", True),
        ("deep", True),
        ("alone", False),
        ("odd", False),
        ("lib1", True),
        ("a", False),
    ],
)
def test_module_prefixes(name: str, expected: bool) -> None:
    assert PythonModules(TREE).is_directory(name) is expected
