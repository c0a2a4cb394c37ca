"""Our reading of ignore files against git's own, down to the line that decides."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeplane.base.paths import RepoPath
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root

NAMES = ("a", "b", "foo", "foobar", "x.py", "a.b.c", "[a]", "a b", "é", "-", "]", "a*b", "\\", "#x", "!x", "a ")
FOLDERS = ("a", "b", "foo", "é")
SOURCES = (".gitignore", "a/.gitignore", "foo/a/.gitignore", ".git/info/exclude")

TRICKY: dict[str, dict[str, bytes]] = {
    "names": {".gitignore": b"a\nfoo\n"},
    "directories only": {".gitignore": b"a/\nx.py/\n"},
    "anchored": {".gitignore": b"/a\n/foo/x.py\nb/a\n"},
    "comment, escape, blank": {".gitignore": b"# a\n\\#x\n\\!x\n\n \n\t\n"},
    "trailing spaces": {".gitignore": b"a   \na\\ \nfoo \\ \n"},
    "crlf": {".gitignore": b"a\r\nfoo/\r\n\r\n"},
    "no newline at the end": {".gitignore": b"b\na"},
    "byte order mark": {".gitignore": b"\xef\xbb\xbfa\nfoo\n"},
    "nul": {".gitignore": b"a\0b\nfoo\n"},
    "stars": {".gitignore": b"*.py\nf*r\n*o*\n?\n"},
    "double stars": {".gitignore": b"**/x.py\nfoo/**\nb/**/b\n"},
    "double stars inside": {".gitignore": b"foo**/b\nf**o\n**foo\na/**b\n***/x.py\n"},
    "escaped slash": {".gitignore": b"a**\\/b\n**\\/x.py\n"},
    "brackets": {".gitignore": b"[ab]\n[!a-z]\n[]-]\n[[:alpha:]].b.c\n\\[a\\]\n[^a]\n"},
    "broken brackets": {".gitignore": b"[a\n[[:nope:]]\n[a-\nfoo\\\n"},
    "one byte": {".gitignore": b"?\n??\n[\xc3]\xa9\n"},
    "negated": {".gitignore": b"*\n!*/\n!x.py\n"},
    "child of an excluded directory": {".gitignore": b"foo/\n!foo/x.py\n", "a/.gitignore": b"!foo\n"},
    "deeper file wins": {".gitignore": b"x.py\n", "a/.gitignore": b"!x.py\n", ".git/info/exclude": b"!x.py\nb\n"},
    "anchored in a deeper file": {"a/.gitignore": b"/foo\nfoo/x.py\n/a/b\n", "foo/a/.gitignore": b"*\n!b\n"},
    "last line wins": {".gitignore": b"a\n!a\na\n!a/\nb/\n!b\nfoo\n"},
    "slashes": {".gitignore": b"/\n//\na//\n//b\n!\n!/\n/**\n!/**/\n"},
}

TOKENS = ("a", "b", "foo", "*", "**", "**/", "/**", "/", "?", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "[]a]", "[", "\\")
MORE_TOKENS = ("\\*", "\\ ", " ", ".", "x.py", "!", "#", "é", "-", "***", "**\\/", "\t", "c", "]")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    top = tmp_path_factory.mktemp("like_git")
    git(top, "init", "-q")
    for folder in ("", *(f"{folder}/" for folder in FOLDERS)):
        for name in NAMES:
            path = top / f"{folder}{name}"
            if path.name not in ("a", "foo") and not path.exists() and f"{folder}{name}" not in FOLDERS:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
        for inner in ("a", "foo"):
            (top / f"{folder}{inner}" / "foo").mkdir(parents=True, exist_ok=True)
            for name in ("b", "x.py", "foo/b", "foo/x.py"):
                if not (top / f"{folder}{inner}/{name}").exists():
                    (top / f"{folder}{inner}/{name}").touch()
    with Root.open(top) as root:
        yield root


def git(top: Path, *words: str, given: bytes = b"") -> bytes:
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(["git", *words], cwd=top, input=given, capture_output=True, env=kept | clean).stdout


def check(root: Root, contents: dict[str, bytes]) -> int:
    """Compare all paths; returns how many are ignored, so that a caller can see that something was."""
    for source in SOURCES:
        (root.path / source).write_bytes(contents.get(source, b""))
    paths = sorted(
        path.relative_to(root.path).as_posix()
        for path in root.path.rglob("*")
        if ".git" not in path.parts and path.name != ".gitignore"
    )
    given_paths = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = git(root.path, "check-ignore", "--stdin", "-z", "-v", "-n", "--no-index", given=given_paths).split(b"\0")
    rows = [words[start : start + 4] for start in range(0, len(words) - 1, 4)]
    assert len(rows) == len(paths)
    expected = {
        os.fsdecode(path): f"gitignore: {os.fsdecode(source)}:{int(line)}" if pattern[:1] not in (b"", b"!") else None
        for source, line, pattern, path in rows
    }
    rules = IgnoreRules(block_secrets=False)
    found = {path: why_ignored(root, rules, RepoPath(path)) for path in paths}
    got = {path: why and " ".join(why.split(" ")[:2]) for path, why in found.items()}
    assert got == expected
    return sum(why is not None for why in expected.values())


@pytest.mark.parametrize("case", TRICKY)
def test_selected_patterns_agree_with_git(repo: Root, case: str) -> None:
    ignored = check(repo, TRICKY[case])
    assert (ignored > 0) == (case != "broken brackets")


lines = st.lists(st.lists(st.sampled_from(TOKENS + MORE_TOKENS), min_size=1, max_size=6).map("".join), max_size=4).map(
    lambda texts: "\n".join(texts).encode()
)


@settings(
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.fixed_dictionaries(dict.fromkeys(SOURCES, lines)))
def test_generated_patterns_agree_with_git(repo: Root, contents: dict[str, bytes]) -> None:
    check(repo, contents)
