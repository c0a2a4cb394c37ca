"""Overrides in `.codeplane/contexts.yaml`, and notes on mistakes in it."""

from __future__ import annotations

import pytest

from codeplane.base.paths import RepoPath
from codeplane.index.units.discovery import discover
from codeplane.index.units.manifests import read_manifest
from codeplane.index.units.model import MarkerTier
from codeplane.index.units.overrides import UnitOverride, read_overrides

GOOD = b"""
version: 1
contexts:
  - id: core-java
    language: java
    workspace_roots: [./core, tools/gen/]
  - id: web
    language: javascript
    workspace_roots: [web]
  - id: old
    language: python
    workspace_roots: [legacy]
    enabled: false
"""


def test_units_are_added_renamed_and_disabled() -> None:
    stated = read_overrides(GOOD)
    assert stated.notes == ()
    assert stated.statements == (
        UnitOverride("javascript", RepoPath("web"), "web"),
        UnitOverride("jvm", RepoPath("core"), "core-java"),
        UnitOverride("jvm", RepoPath("tools/gen"), "core-java"),
        UnitOverride("python", RepoPath("legacy"), "old", False),
    )
    files = {
        "package.json": b'{"workspaces": []}',
        "web/package.json": b'{"name": "@acme/web"}',
        "core/pom.xml": b"<project><artifactId>c</artifactId></project>",
        "setup.py": b"",
    }
    manifests = {RepoPath(path): read_manifest(path, data) for path, data in files.items()}
    found = {(each.family, each.root): each for each in discover(manifests, stated).candidates}
    web = found["javascript", RepoPath("web")]
    assert (web.name, web.detached, web.tier) == ("web", False, MarkerTier.PACKAGE)
    core = found["jvm", RepoPath("core")]
    assert (core.name, core.evidence) == ("core-java", "marked by core/pom.xml; named by .codeplane/contexts.yaml")
    added = found["jvm", RepoPath("tools/gen")]
    assert (added.tier, added.marker, added.detached) == (MarkerTier.STATED, ".codeplane/contexts.yaml", False)
    assert found["python", RepoPath("legacy")].detached


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("contexts: []\n", "'version' must be 1; it says none"),
        ("version: 2\n", "'version' must be 1; it says '2'"),
        ("version: true\n", "'version' must be 1; it says 'True'"),
        ("version: 1\ncontexts: {}\n", "'contexts' must be a list"),
        ("version: 1\ncontext: []\n", "'context' is not known; known are version, contexts"),
        ("version: 1\ncontexts: [7]\n", "contexts[1] must be a mapping"),
        ("version: 1\ncontexts: [{id: x, language: klingon, workspace_roots: [a]}]\n", "contexts[1].language must be"),
        ("version: 1\ncontexts: [{id: '', language: go, workspace_roots: [a]}]\n", "contexts[1].id must be a text"),
        ("version: 1\ncontexts: [{id: x, language: go, workspace_roots: a}]\n", "workspace_roots must be a list"),
        ("version: 1\ncontexts: [{id: x, language: go, workspace_roots: []}]\n", "workspace_roots must be a list"),
        ("version: 1\ncontexts: [{id: x, language: go, workspace_roots: [../a]}]\n", "contains '..'"),
        ("version: 1\ncontexts: [{id: x, language: go, workspace_roots: [/etc]}]\n", "not relative"),
        ("version: 1\ncontexts: [{id: x, language: go, roots: [a], workspace_roots: [a]}]\n", "'contexts[1].roots'"),
        ("version: 1\ncontexts: [{id: x, language: go, workspace_roots: [a], enabled: maybe}]\n", "true or false"),
        ("version: 1\nversion: 1\n", "duplicated"),
        ("[", "cannot be read"),
        ("- a\n", "is not a mapping"),
    ],
)
def test_invalid_entries_are_ignored_with_a_note(text: str, said: str) -> None:
    stated = read_overrides(text.encode())
    assert stated.statements == ()
    assert [note.path for note in stated.notes] == [".codeplane/contexts.yaml"]
    assert said in stated.notes[0].text


def test_valid_entries_count_beside_invalid_ones() -> None:
    text = (
        "version: 1\ndefaults: {max_parallel_contexts: 4}\ncontexts:\n"
        "  - {id: a, language: go, workspace_roots: [a], env: {build_root: a}}\n"
        "  - {id: b, language: nothing, workspace_roots: [b]}\n"
        "  - {id: c, language: go, workspace_roots: [a, c]}\n"
    )
    stated = read_overrides(text.encode())
    assert [(each.root, each.name) for each in stated.statements] == [("a", "a"), ("c", "c")]
    assert [note.text.split(" ")[0] for note in stated.notes] == [
        *("contexts[1].env", "contexts[2].language", "contexts[3]")
    ]
