"""Rules beyond git's: re-inclusion, prunable directories, caps, explanations, patterns that try to be slow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.paths import RepoPath
from codeplane.disk.ignore import PRUNABLE, IgnoreRules, why_ignored
from codeplane.disk.ignore_patterns import MAX_WILDCARD_PATTERNS, PatternList
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    with Root.open(tmp_path) as opened:
        yield opened


def write(root: Root, *paths: str, **texts: str) -> None:
    for path in paths:
        target = root.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")
    for name, text in texts.items():
        target = root.path / name.replace("__", "/").replace("_", ".")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def seen(root: Root, rules: IgnoreRules | None = None) -> set[str]:
    files = set(walk(root, rules or IgnoreRules()).files)
    return {path for path in files if not path.endswith("ignore")}


def test_cplignore_overrides_gitignore_both_ways(root: Root) -> None:
    write(root, "gen/a.py", "gen/b.py", "kept/c.py", _gitignore="gen/\n", _cplignore="!gen/\ngen/b.py\nkept\n")
    assert seen(root) == {"gen/a.py"}


def test_satoriignore_is_read_and_is_weaker(root: Root) -> None:
    write(root, "a.py", "b.py", "c.py", _satoriignore="a.py\nb.py\n", _cplignore="!b.py\n")
    assert seen(root) == {"b.py", "c.py"}


def test_nested_cplignore_wins_over_outer(root: Root) -> None:
    write(root, "a/x.sql", "b/x.sql", _cplignore="*.sql\n", a___cplignore="!x.sql\n")
    assert seen(root) == {"a/x.sql"}


def test_prunable_directories_come_back_only_by_cplignore(root: Root) -> None:
    write(root, "node_modules/m/i.js", "vendor/v.go", "build/b.py", _gitignore="!node_modules/\n!vendor\n!build/\n")
    assert seen(root) == set()
    write(root, _cplignore="!vendor/\n")
    assert seen(root) == {"vendor/v.go"}


def test_protected_directories_never_come_back(root: Root) -> None:
    write(
        root, ".git/config", ".codeplane/config.yaml", ".hg/x", "sub/.git/x", "sub/a.py", "linked/.git", "linked/a.py"
    )
    write(root, _cplignore="!.git\n!.git/**\n!.codeplane/\n!.hg/\n!*\n")
    assert seen(root) == {"sub/a.py", "linked/a.py"}


def test_ordinary_directory_names_are_not_prunable(root: Root) -> None:
    ordinary = ("env", "out", "bin", "lib", "src", "pkg", "packages", "internal", "test", "docs")
    write(root, *(f"{name}/a.py" for name in ordinary))
    assert seen(root) == {f"{name}/a.py" for name in ordinary}
    assert PRUNABLE.isdisjoint(ordinary)


def test_built_in_file_patterns(root: Root) -> None:
    write(root, "a.pyc", "b.log", "c.min.js", "d~", ".DS_Store", "lib.so", "e.py", "keep.log", _cplignore="!keep.log\n")
    assert seen(root) == {"c.min.js", "e.py", "keep.log"}


def test_configured_patterns_have_the_lowest_precedence(root: Root) -> None:
    write(root, "a.sql", "b.sql", "gen/c.py", _gitignore="gen/\n", _cplignore="!b.sql\n")
    assert seen(root) == {"a.sql", "b.sql"}
    assert seen(root, IgnoreRules(patterns=("*.sql", "!gen/"))) == {"b.sql", "gen/c.py"}


def test_secrets_cannot_be_re_included_by_the_tree(root: Root) -> None:
    write(root, ".env", "id_rsa", ".aws/credentials", "a.py", _cplignore="!.env\n!id_rsa\n!.aws/\n")
    scan = walk(root, IgnoreRules())
    assert set(scan.files) == {"a.py", ".cplignore"}
    assert scan.secrets == (".aws", ".env", "id_rsa")
    assert ".env" in walk(root, IgnoreRules(block_secrets=False)).files


def test_explanation_names_the_rule(root: Root) -> None:
    write(root, "web/dist/x.js", "web/a.tmp", "b.py", "c.py", ".env", "d.pyc", "gen/e.py")
    write(root, web___gitignore="# tmp\n\n*.tmp\n", _cplignore="/b.py\n")
    rules = IgnoreRules(patterns=("gen",))
    expected = {
        "web/a.tmp": "gitignore: web/.gitignore:3 *.tmp",
        "web/dist/x.js": "prunable directory: dist",
        "b.py": "cplignore: .cplignore:1 /b.py",
        "c.py": None,
        ".env": "secret",
        "d.pyc": "built-in pattern: d.pyc",
        "gen/e.py": "operator pattern: configuration:1 gen",
        ".git/config": "protected: .git",
        "web": None,
        "": None,
    }
    assert {path: why_ignored(root, rules, RepoPath(path)) for path in expected} == expected


def test_linked_ignore_file_is_not_followed(root: Root, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "rules"
    outside.write_text("*\n")
    (root.path / ".gitignore").symlink_to(outside)
    (root.path / ".cplignore").symlink_to(outside)
    write(root, "a.py")
    assert seen(root) == {"a.py"}


def test_signature_depends_only_on_the_rules(root: Root) -> None:
    write(root, "a.py", "d/b.py", _gitignore="x\n")
    first = walk(root, IgnoreRules()).ignore_signature
    write(root, "c.py")
    assert walk(root, IgnoreRules()).ignore_signature == first
    signatures = {first, walk(root, IgnoreRules(patterns=("y",))).ignore_signature}
    write(root, d___cplignore="z\n")
    signatures.add(walk(root, IgnoreRules()).ignore_signature)
    write(root, _gitignore="xx\n")
    signatures.add(walk(root, IgnoreRules()).ignore_signature)
    assert len(signatures) == 4


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (b"**/*a*a*a*a*a*a*a*b", b"a" * 250),
        (b"*a*" * 300, b"a" * 255),
        (b"/**/a/**/a/**/a/**/a/**/b", b"/".join([b"a"] * 2000)),
        (b"x/**/*a*a*a*a*a/**/*a*a*a*b", b"x/" + b"/".join([b"a" * 50] * 70)),
        (b"**\\/**\\/**\\/**\\/**\\/**\\/z", b"/".join([b"a"] * 2000)),
        (b"x/" + b"[a-z]*" * 40 + b"0", b"x/" + b"a" * 250),
        (b"x/" + b"**/?*?*?/" * 40 + b"z", b"x/" + b"/".join([b"aaaaaa"] * 500)),
    ],
)
def test_patterns_match_in_linear_time(pattern: bytes, path: bytes) -> None:
    patterns = PatternList([pattern])
    started = time.process_time()
    for _ in range(20):
        assert patterns.find_last(path, path.rpartition(b"/")[2], is_directory=False) is None
    assert (time.process_time() - started) / 20 < 0.02


def test_long_ignore_file_is_linear(root: Root) -> None:
    lines = [f"name{number}\n!name{number}\n/dir/name{number}\n*.e{number}\n" for number in range(25_000)]
    patterns = PatternList("".join(lines).encode().split(b"\n"))
    started = time.process_time()
    for number in range(1000):
        patterns.find_last(b"src/app/file%d.py" % number, b"file%d.py" % number, is_directory=False)
    assert (time.process_time() - started) / 1000 < 0.001
    found = patterns.find_last(b"dir/name7", b"name7", is_directory=False)
    assert found is not None
    assert found.text == "/dir/name7"


def test_caps_are_reported(root: Root) -> None:
    write(root, "a.py", _gitignore="".join(f"x*{number}*y\n" for number in range(MAX_WILDCARD_PATTERNS + 1)))
    write(root, d___gitignore="*.sql\n" + "#" * (1024 * 1024) + "\na.py\n")
    write(root, "d/a.py", "d/b.sql")
    scan = walk(root, IgnoreRules())
    assert {file.path: file.complete for file in scan.ignore_files} == {".gitignore": False, "d/.gitignore": False}
    assert seen(root) == {"a.py", "d/a.py"}
