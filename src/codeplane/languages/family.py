"""Language families: languages that share build tools, and therefore units.

A family is declared as `FAMILY` in the folder of its main language. `index/units` reads the declarations and knows no
family by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from codeplane.languages.manifest import ManifestReader, YamlManifestReader


class Marker(NamedTuple):
    """A file that marks a build root."""

    name: str
    """A file name, `*.ext` for any file with that extension, or `dir/` for any file in a directory of the root."""
    read: ManifestReader | None = None
    rank: int = 9
    """If several manifests of a root name the package, the lowest rank wins."""
    fence: bool = False
    """True if it may say which packages under it count (a workspace or a lock file)."""
    package: bool = True
    """True if it makes the root a package. Otherwise it makes a unit only if no package is at or above the root."""
    read_yaml: YamlManifestReader | None = None
    """Reader of a parsed YAML document. The caller parses it: importing the YAML library here would slow the start."""


def markers(names: str, *, fence: bool = False, package: bool = True) -> tuple[Marker, ...]:
    """Return markers whose content is not read, from names separated by spaces."""
    return tuple(Marker(name, fence=fence, package=package) for name in names.split())


@dataclass(frozen=True, kw_only=True)
class WorkspaceRules:
    """Rules of a family whose workspaces list their members."""

    detaches: bool = True
    """Packages under a workspace that it does not list are detached."""
    root_must_be_listed: bool = False
    """The workspace file lists its own root too, and owns nothing except its members (`go.work`)."""
    projects: bool = False
    """Members are projects: they need no marker, and the directories above them are projects too (Gradle)."""
    implied_members: tuple[str, ...] = ()
    """Directories under a workspace that belong to it without being listed."""
    detachable: tuple[str, ...] = ()
    """Only roots with one of these markers can be detached; empty for all."""
    module_file: str = ""
    """`Manifest.extra` holds modules, each written as a directory or as this file in it (Maven)."""
    path_dependencies: bool = False
    """`Manifest.extra` holds path dependencies, which are members if they are under the workspace (Cargo)."""
    member_file: str = ""
    """A member may be written as this file in its directory."""
    superseded: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Marker -> markers whose lists do not count beside it (pnpm does not read `package.json`)."""
    unordered_negations: tuple[str, ...] = ()
    """Markers in which a negated pattern counts wherever it is written; elsewhere the last match decides."""


@dataclass(frozen=True, kw_only=True)
class Family:
    name: str
    aliases: tuple[str, ...] = ()
    """Other names of the family in a search filter."""
    unit_files: tuple[str, ...] = ()
    """File names that only units of this family own, as globs. Other names go by the family of the file."""
    text_extensions: tuple[str, ...] = ()
    """Extensions of the family's files that no grammar parses."""
    text_filenames: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = ()
    is_ambient: bool = False
    """True if the family always has a unit of the whole repository; others only where they have no marker."""
    named_by_marker: bool = False
    """A package without a declared name is called like its marker file (`Shop.csproj`)."""
    workspace: WorkspaceRules | None = None
