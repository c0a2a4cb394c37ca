"""Look up marker files and file owners in the family declarations. Nothing is read here."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from codeplane.base.paths import basename
from codeplane.languages.family import Family, Marker
from codeplane.languages.registry import families, family_of

EXCLUDED_DIRECTORIES: tuple[str, ...] = (
    "node_modules",
    "venv",
    "__pycache__",
    ".git",
    "target",
    "dist",
    "build",
    "vendor",
)
"""Files under one of these, below the root of a unit, belong to no unit."""

EXCLUDES: tuple[str, ...] = tuple(f"**/{name}/**" for name in EXCLUDED_DIRECTORIES)


class MarkerFile(NamedTuple):
    family: Family
    marker: Marker
    root: str


def find_marker(path: str) -> MarkerFile | None:
    """Return the marker that a path is, and the root that it marks."""
    directory, _, name = path.rpartition("/")
    table = _marker_table()
    found = table.get(name)
    if found is None:
        dot = name.rfind(".")
        found = table.get(f"*{name[dot:]}") if dot > 0 else None
    if found is not None:
        return MarkerFile(*found, directory)
    found = table.get(f"{basename(directory)}/")
    return MarkerFile(*found, directory.rpartition("/")[0]) if found is not None else None


def may_own(family: str, path: str) -> bool:
    """True if units of a family may own a file of this name: its own names, and those that no family claims."""
    name = basename(path)
    owners = _owner_table()
    claimed = owners.get(name) or owners.get(name[name.rfind(".") :].lower() if "." in name else "")
    if claimed is None or family in claimed or name in _marker_table():
        return True
    return family == family_of(path)


def includes(family: str) -> tuple[str, ...]:
    """Return the file names that a family's units own, as globs from the root of a unit."""
    return tuple(f"**/{name}" for name in families()[family].unit_files)


@cache
def _marker_table() -> dict[str, tuple[Family, Marker]]:
    return {marker.name: (family, marker) for family in families().values() for marker in family.markers}


@cache
def _owner_table() -> dict[str, frozenset[str]]:
    """Families by whole name, and by extension in lower case."""
    found: dict[str, set[str]] = {}
    for family in families().values():
        for glob in family.unit_files:
            name = glob.removeprefix("*")
            found.setdefault(name.lower() if name.startswith(".") else name, set()).add(family.name)
    return {name: frozenset(owners) for name, owners in found.items()}
