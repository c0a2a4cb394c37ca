"""Marker files are untrusted: any content becomes plain data, quickly."""

from __future__ import annotations

import time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.paths import RepoPath
from codeplane.index.units.discovery import discover
from codeplane.index.units.globs import Meter, Unreadable, check, matches
from codeplane.index.units.manifests import MAX_MARKER_BYTES, MAX_MEMBERS, read_manifest
from codeplane.languages.manifest import Manifest

READ = (
    *("package.json", "deno.jsonc", "pnpm-workspace.yaml", "go.work", "go.mod", "Cargo.toml", "settings.gradle"),
    *("settings.gradle.kts", "pom.xml", "build.sbt", "pyproject.toml", "setup.cfg", "setup.py", "composer.json"),
    *("buf.yaml", "mix.exs", "Package.swift", "x.cabal"),
)


@pytest.mark.parametrize(
    ("path", "data", "note"),
    [
        ("package.json", b"{not json", "not valid JSON"),
        ("package.json", b"[1]", "not a JSON object"),
        ("package.json", b"[" * 100_000, "not valid JSON"),
        ("package.json", b'{"workspaces": "packages/*"}', "neither a list nor an object"),
        ("package.json", b'{"workspaces": ["a/@(b|c)"]}', "extended pattern"),
        ("package.json", b'{"workspaces": ["' + b"{a,b}" * 20 + b'"]}', "more than 64 alternatives"),
        ("package.json", b" " * (MAX_MARKER_BYTES + 1), "larger than"),
        ("Cargo.toml", b"[workspace\n", "not valid TOML"),
        ("Cargo.toml", b"x = " + b"[" * 50_000, "not valid TOML"),
        ("Cargo.toml", b"\xff\xfe", "not UTF-8"),
        ("Cargo.toml", b"a." * 99 + b"a = 1\n", "more than 64 parts"),
        ("pyproject.toml", b"['a' . " + b"'a' . " * 99 + b"b]\n", "more than 64 parts"),
        ("pnpm-workspace.yaml", b"packages: [*a]\n", "alias"),
        ("pnpm-workspace.yaml", b"a: {" * 200, "nested deeper"),
        ("pnpm-workspace.yaml", b"- a\n", "not a mapping"),
        ("pyproject.toml", None, "larger than"),
    ],
)
def test_invalid_manifests_become_notes(path: str, data: bytes | None, note: str) -> None:
    found = read_manifest(path, data)
    assert found.note is not None and note in found.note
    assert found.open or found.members is None


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("package.json", b'{"name": 7, "workspaces": [1, null, {"a": 1}, "p"]}'),
        ("package.json", b'{"name": "", "workspaces": {"packages": ["p"]}}'),
        ("pnpm-workspace.yaml", b"packages: [1, [2], p, 2024-01-01]\n"),
        ("Cargo.toml", b'[workspace]\nmembers = [1, "p"]\nexclude = 3\n[dependencies]\na = 1\nb = {path = 2}\n'),
    ],
)
def test_unexpected_types_are_ignored(path: str, data: bytes) -> None:
    assert read_manifest(path, data)._replace(note=None) == Manifest(None, ("p",), package=path != "Cargo.toml")


def test_adversarial_workspace_patterns_hit_the_step_limit() -> None:
    patterns = [f"{'*a' * 100}{number}/**" for number in range(1000)]
    members = read_manifest("package.json", orjson.dumps({"workspaces": patterns}))
    chain = ["/".join("a" * depth) for depth in range(1, 100)]
    roots = [*chain, *(f"{chain[-1]}/{'a' * 200}{number}" for number in range(400))]
    found = discover({RepoPath(f"{root}/package.json"): members for root in roots})
    assert any("too many members" in note.text for note in found.notes)
    assert not any(each.detached for each in found.candidates)


def test_lists_are_bounded() -> None:
    found = read_manifest(
        "package.json", orjson.dumps({"workspaces": [f"p{number}" for number in range(MAX_MEMBERS + 5)]})
    )
    assert found.members is not None and len(found.members) == MAX_MEMBERS
    assert found.note is not None


@pytest.mark.parametrize("path", READ)
@pytest.mark.parametrize(
    "unit",
    [
        '"\\',
        "'\\",
        "<a",
        "<!--",
        "</a>",
        "<a>",
        "include ",
        "include(",
        "/*",
        "use ( ",
        "[[",
        "{ ",
        "a.",
        ", ",
        "*a",
        "- ",
    ],
)
def test_adversarial_markers_take_linear_time(path: str, unit: str) -> None:
    data = (unit * (MAX_MARKER_BYTES // len(unit))).encode()
    started = time.process_time()
    read_manifest(path, data)
    assert time.process_time() - started < 5.0


@settings(max_examples=300)
@given(path=st.sampled_from(READ), data=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_arbitrary_bytes_yield_storable_manifests(path: str, data: bytes) -> None:
    found = read_manifest(path, data)
    stored = orjson.loads(orjson.dumps(tuple(found)))
    assert stored[0] == found.name
    discover({path: found})  # type: ignore[dict-item]


@settings(max_examples=200)
@given(pattern=st.text(alphabet="ab/*?[]{},!-^(.\\", max_size=20), path=st.text(alphabet="ab/.", max_size=12))
def test_arbitrary_patterns_are_matched_or_rejected(pattern: str, path: str) -> None:
    try:
        assert matches(pattern, path, Meter(0)) in (True, False)
    except Unreadable:
        assert check([pattern])


@pytest.mark.parametrize(
    ("pattern", "takes", "leaves"),
    [
        ("packages/*", ("packages/a", "packages/.x"), ("packages", "packages/a/b", "other/packages/a")),
        ("packages/**", ("packages", "packages/a", "packages/a/b"), ("packagesx",)),
        ("**/test/**", ("test", "a/test", "a/test/b"), ("a/tests",)),
        ("**", ("a", "a/b"), ()),
        ("a/**/z", ("a/z", "a/b/c/z"), ("az",)),
        ("a?[!c-e]", ("abx",), ("abd", "ab/")),
        ("{a,b/{c,d}}", ("a", "b/c", "b/d"), ("b",)),
        ("a.b+", ("a.b+",), ("axb+",)),
        ("größe-*", ("größe-1",), ("grosse-1",)),
    ],
)
def test_patterns(pattern: str, takes: tuple[str, ...], leaves: tuple[str, ...]) -> None:
    assert [path for path in takes if not matches(pattern, path, Meter(0))] == []
    assert [path for path in leaves if matches(pattern, path, Meter(0))] == []
