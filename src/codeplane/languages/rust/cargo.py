"""Cargo packages and workspaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codeplane.languages.family import Family, Marker, WorkspaceRules, markers
from codeplane.languages.manifest import Manifest, nonempty_string, parse_toml, string_list, subtable

_DEPENDENCY_TABLES = (
    "dependencies",
    "dev-dependencies",
    "build-dependencies",
    "dev_dependencies",
    "build_dependencies",
)


def read_cargo(data: bytes) -> Manifest:
    document = parse_toml(data)
    workspace = document.get("workspace")
    package = document.get("package")
    name = nonempty_string(subtable(document, "package").get("name"))
    shared = {key: _path_of(value) for key, value in subtable(document, "workspace", "dependencies").items()}
    dependencies = sorted(set(_path_dependencies(document)))
    if not isinstance(workspace, dict):
        return Manifest(name, extra=tuple(dependencies), package=isinstance(package, dict))
    # A dependency that members inherit from the workspace is declared here; it becomes a member once one inherits it.
    moved = tuple(sorted((key, path) for key, path in shared.items() if path is not None))
    members, exclude = string_list(workspace.get("members")), string_list(workspace.get("exclude"))
    return Manifest(name, members, exclude, tuple(dependencies), isinstance(package, dict), moved=moved)


def _path_dependencies(document: dict[str, Any]) -> Iterable[str]:
    """Yield paths; for a dependency inherited from the workspace, `=` and its key (no path starts with `=`)."""
    tables = [document, *(table for table in subtable(document, "target").values() if isinstance(table, dict))]
    for table in tables:
        for kind in _DEPENDENCY_TABLES:
            for key, value in subtable(table, kind).items():
                path = _path_of(value)
                if path is not None:
                    yield path
                elif isinstance(value, dict) and value.get("workspace") is True:
                    yield f"={key}"


def _path_of(value: object) -> str | None:
    return nonempty_string(value.get("path")) if isinstance(value, dict) else None


FAMILY = Family(
    name="rust",
    unit_files=("*.rs",),
    text_filenames=("Cargo.lock",),
    markers=(Marker("Cargo.toml", read_cargo), *markers("Cargo.lock", fence=True, package=False)),
    workspace=WorkspaceRules(path_dependencies=True),
)
