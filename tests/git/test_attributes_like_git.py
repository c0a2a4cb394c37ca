"""Our reading of attribute files against git's own, and that nothing in them is too much."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from codeplane.base.paths import RepoPath
from codeplane.git.attributes import (
    DOCUMENTATION,
    GENERATED,
    MAX_ATTRIBUTES_BYTES,
    MAX_STATEMENTS,
    VENDORED,
    Attributes,
    AttributeStatement,
    parse_attributes,
)
from support.repositories import git, write

_PATHS = """
a.js #x lib/a.js lib/b.min.js lib/deep/a.js lib/deep/er/c.css web/a.js web/lib/a.js docs/a.md docs/api/a.md vendor/a.go
vendor/b/a.go é.js x y.js
"""
PATHS = [*_PATHS.split()[:-2], "x y.js"]
NAMES = (GENERATED, VENDORED, DOCUMENTATION)

ROOT_FILES: dict[str, bytes] = {
    "set, unset, value": b"*.js linguist-generated\n*.md -linguist-documentation\n*.go linguist-vendored=true\n"
    b"*.css linguist-vendored=false\n",
    "last line wins": b"*.js linguist-generated\na.js -linguist-generated\n*.min.js linguist-vendored\n",
    "taken back": b"*.js linguist-generated\nlib/** !linguist-generated\n",
    "directories say nothing": b"vendor linguist-vendored\nlib/ linguist-vendored\ndocs/* linguist-generated\n",
    "double stars": b"vendor/** linguist-vendored\n**/lib/*.js linguist-generated\n/web/**/a.js -linguist-generated\n",
    "comments, blank lines, tabs, crlf": b"# *.js linguist-vendored\n\n  *.js\tlinguist-vendored\t text\r\n",
    "quoted": b'"x y.js" linguist-generated\n"\\"" linguist-generated\n"#x" linguist-vendored\n',
    "several words": b"*.js text=auto linguist-vendored eol=lf -diff linguist-generated=false\n",
    "byte order mark": b"\xef\xbb\xbf*.js linguist-generated\n",
    "negative patterns are refused": b"!*.js linguist-generated\n*.md linguist-generated\n",
    "other bytes": b"\xc3\xa9.js linguist-generated\n\xff.js linguist-generated\n",
}
FILES = {name: {".gitattributes": data} for name, data in ROOT_FILES.items()} | {
    "deeper file wins": {
        ".gitattributes": b"*.js linguist-generated linguist-vendored\n",
        "lib/.gitattributes": b"deep/** -linguist-generated\n/a.js !linguist-vendored\n",
        "lib/deep/.gitattributes": b"*.css linguist-generated\n",
    },
}


def found(files: dict[str, bytes], path: str) -> dict[str, bool]:
    attributes = Attributes({RepoPath(name): parse_attributes(data) for name, data in files.items()})
    return {name: said.holds for name, said in attributes.find(RepoPath(path)).items()}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES.keys())
def test_attributes_agree_with_git(tmp_path: Path, files: dict[str, bytes]) -> None:
    git(tmp_path, "init", "-q")
    for name, data in files.items():
        write(tmp_path, name, data)
    words = git(tmp_path, "check-attr", "-z", *NAMES, "--", *PATHS).split("\0")[:-1]
    said: dict[str, dict[str, bool]] = {path: {} for path in PATHS}
    for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        if value != "unspecified":
            said[path][name] = value not in ("unset", "false")
    assert {path: found(files, path) for path in PATHS} == said


def test_the_evidence_names_the_file_and_the_attribute() -> None:
    attributes = Attributes({RepoPath("web/.gitattributes"): parse_attributes(b"*.js -linguist-vendored\n")})
    assert attributes.find(RepoPath("web/lib/a.js"))[VENDORED].evidence == "web/.gitattributes -linguist-vendored"
    assert attributes.find(RepoPath("a.js")) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"linguist-generated",
        b" linguist-generated\n",
        b'"a linguist-generated\n',
        b'"a\\101" linguist-generated\n',
        b"[attr]mine linguist-generated\n",
        b"* --linguist-generated -!linguist-generated linguist-generatedx -linguist-generated=true\n",
        b"x" * 3000 + b" linguist-generated\n",
        b"* linguist-generated\n" + b"#" * MAX_ATTRIBUTES_BYTES,
        b"\0\xff linguist-\n",
    ],
)
def test_irrelevant_attribute_lines_are_ignored(data: bytes) -> None:
    assert parse_attributes(data) == ()


def test_excess_rules_are_dropped_from_the_end() -> None:
    many = tuple(AttributeStatement(f"f{number}.js", GENERATED, True) for number in range(MAX_STATEMENTS - 1))
    one = (AttributeStatement("*.go", VENDORED, True), AttributeStatement("*.rs", VENDORED, True))
    attributes = Attributes({RepoPath("b/.gitattributes"): one, RepoPath(".gitattributes"): many})
    assert not attributes.complete
    assert VENDORED in attributes.find(RepoPath("b/a.go")) and attributes.find(RepoPath("b/a.rs")) == {}


def test_patterns_match_in_linear_time() -> None:
    data = b"**/*a*a*a*a*a*a*a*b linguist-generated\n" + b"**/a/**/a/**/a/**/a/**/b linguist-vendored\n"
    attributes = Attributes({RepoPath(".gitattributes"): parse_attributes(data)})

    def cpu_seconds(size: int) -> float:
        begun = time.process_time()
        attributes.find(RepoPath("/".join("a" * size) + "/" + "a" * (size // 4)))
        return time.process_time() - begun

    assert cpu_seconds(4000) < 10 * min(cpu_seconds(1000) for _ in range(3)) + 0.2


def test_non_utf8_names_are_supported() -> None:
    attributes = Attributes({RepoPath(".gitattributes"): parse_attributes(b"\xff.js linguist-generated\n")})
    assert attributes.find(RepoPath(os.fsdecode(b"\xff.js")))[GENERATED].holds
