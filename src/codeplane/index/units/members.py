"""Which packages a workspace lists: patterns, plain paths, and what members bring along.

Manifests are a stranger's, and there may be many: steps are counted, and once there were too
many, workspaces that are left leave nothing out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import basename, display, is_inside, parent, subtree_range
from codeplane.index.units.globs import Meter, Unreadable, is_wild, matches
from codeplane.index.units.model import Manifest, Note

MAX_STEPS = 2_000_000
"""In all workspaces of a family together: a few seconds. Large repositories need a fraction of it."""

Listing = tuple[str, Manifest]
"""A file that lists members, and what it says."""

Workspaces = Mapping[str, tuple[Listing, ...]]
"""Root of each workspace -> what lists its members: a package that one of these files lists is one."""


class MarkedRoot:
    """The markers of one family in one directory."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.package = ""
        self.fence = ""
        self.other = ""
        self.manifests: dict[str, Manifest] = {}

    def add(self, path: str, manifest: Manifest, fence: bool, package: bool) -> None:
        self.manifests[path] = manifest
        if package:
            self.package = self.package or path
        if fence:
            self.fence = self.fence or path
        self.other = self.other or path

    def has(self, *names: str) -> bool:
        return any(basename(path) in names for path in self.manifests)

    @property
    def name(self) -> str | None:
        return next((self.manifests[path].name for path in self._by_weight() if self.manifests[path].name), None)

    def listings(self) -> tuple[Listing, ...]:
        """The files that list members; where pnpm has one of its own, what it does not read does not count."""
        found = [(path, each) for path, each in sorted(self.manifests.items()) if each.members is not None]
        if any(path.endswith("pnpm-workspace.yaml") for path, _ in found):
            found = [(path, each) for path, each in found if not path.endswith(_NOT_OF_PNPM)]
        return tuple(found)

    def _by_weight(self) -> list[str]:
        """Manifests that name a package first, in the order of their family's table."""
        return sorted(self.manifests, key=lambda path: (_WEIGHT.get(basename(path), 9), path))


_NOT_OF_PNPM = ("package.json", "lerna.json")
_WEIGHT = {"pyproject.toml": 0, "setup.cfg": 1, "setup.py": 2, "settings.gradle": 0, "settings.gradle.kts": 0}
_WEIGHT |= {"pom.xml": 1, "build.sbt": 2, "package.json": 0, "deno.json": 1, "deno.jsonc": 2}


def list_members(
    family: str, roots: Mapping[str, MarkedRoot], workspaces: Workspaces, notes: list[Note]
) -> tuple[dict[str, str], frozenset[str]]:
    """Roots that a workspace lists, each with the file that does; and workspaces that were too much to decide."""
    listed: dict[str, str] = {}
    undecided: set[str] = set()
    ordered = sorted(roots)
    meter = Meter(MAX_STEPS)
    for around in sorted(workspaces):
        for path, manifest in workspaces[around]:
            members: list[str] = []
            if meter.left >= 0:
                members += _members(family, around, path, manifest, roots, _beneath(ordered, around), notes, meter)
            if meter.left < 0:
                undecided.add(around)
                notes.append(Note(path, "there are too many members to compare; nothing is left out on its word"))
                continue
            if family == "rust":
                members += _path_dependencies(around, manifest, roots, workspaces, members)
            for root in members:
                listed.setdefault(root, path)
    if family == "jvm":
        for root in ordered:
            for path, manifest in sorted(roots[root].manifests.items()):
                for place in manifest.extra:
                    member = _place(root, place.removesuffix("/pom.xml"))
                    if member is not None and member in roots:
                        listed.setdefault(member, path)
    return listed, frozenset(undecided)


def _beneath(ordered: Sequence[str], around: str) -> Sequence[str]:
    if not around:
        return ordered
    low, high = subtree_range(around)
    return ordered[bisect_left(ordered, low) : bisect_left(ordered, high)]


def _members(
    family: str,
    around: str,
    path: str,
    manifest: Manifest,
    roots: Mapping[str, MarkedRoot],
    beneath: Sequence[str],
    notes: list[Note],
    meter: Meter,
) -> Iterator[str]:
    meter.left -= len(manifest.members or ()) + len(beneath)
    moved = dict(manifest.moved) if family == "jvm" else {}
    patterns = [_pattern(moved.get(each, each), each) for each in manifest.members or ()]
    plain: set[str] = set()
    for each in patterns:
        place = _place(around, each.text) if not each.wild and not each.negative else None
        if place is not None:
            plain.add(place)
        elif not each.wild and not each.negative:
            notes.append(Note(path, f"the member '{display(each.text[:80])}' lies outside of the repository"))
    if family == "jvm":
        yield from sorted(plain)
        # `:a:b` makes `:a` a project too.
        yield from sorted({above for place in plain for above in _above(place, around) if above in roots})
        return
    places = {place for place in plain if place in roots and roots[place].package}
    has_negative = any(each.negative for each in patterns)
    if not has_negative:
        yield from sorted(places)
    wild = [each for each in patterns if each.wild or has_negative]
    excluded = [place for place in (_place(around, each) for each in manifest.exclude) if place is not None]
    skip = len(around) + 1 if around else 0
    any_negative = path.endswith(_ANY_NEGATIVE)
    for root in beneath:
        meter.left -= len(excluded)
        if meter.left < 0:
            return
        if root in ("", around) or not roots[root].package or (root in places and not has_negative):
            continue
        if not _is_beneath(root, excluded) and _is_taken(root[skip:], wild, any_negative, meter):
            yield root


def _above(place: str, around: str) -> Iterator[str]:
    while (place := parent(place)) and place != around:
        yield place


_ANY_NEGATIVE = ("pnpm-workspace.yaml", "pyproject.toml")
"""What these leave out they leave out wherever it is written."""


class _Pattern(NamedTuple):
    text: str
    negative: bool
    wild: bool


def _pattern(text: str, written: str) -> _Pattern:
    body = text.removeprefix("!").strip()
    while body.startswith("./"):
        body = body[2:]
    body = body.rstrip("/").removesuffix("/package.json")
    return _Pattern(body, written.startswith("!"), is_wild(body))


def _is_taken(path: str, patterns: Iterable[_Pattern], any_negative: bool, meter: Meter) -> bool:
    """The last pattern that fits decides, or a negative one wherever it stands."""
    taken = False
    for pattern in patterns:
        try:
            fits = matches(pattern.text, path, meter)
        except Unreadable:
            continue
        if fits and pattern.negative and any_negative:
            return False
        taken = not pattern.negative if fits else taken
    return taken


def _path_dependencies(
    around: str,
    workspace: Manifest,
    roots: Mapping[str, MarkedRoot],
    workspaces: Workspaces,
    members: Iterable[str],
) -> list[str]:
    """Cargo takes what members depend on by path, as long as it lies beneath the workspace."""
    shared = dict(workspace.moved)
    excluded = [place for place in (_place(around, each) for each in workspace.exclude) if place is not None]
    todo = [around, *members]
    seen = set(todo)
    more: list[str] = []
    while todo:
        root = todo.pop()
        for need in _needs(roots.get(root)):
            place = shared.get(need[1:]) if need.startswith("=") else need
            member = _place(around if need.startswith("=") else root, place) if place is not None else None
            if member is None or member in seen or member in workspaces or not is_inside(member, around):
                continue
            if member in roots and roots[member].package and not _is_beneath(member, excluded):
                seen.add(member)
                todo.append(member)
                more.append(member)
    return more


def _needs(found: MarkedRoot | None) -> Iterator[str]:
    for manifest in found.manifests.values() if found is not None else ():
        yield from manifest.extra


def _place(root: str, relative: str) -> str | None:
    """A path as written in a manifest at `root`, seen from the repository; None where it leads out of it."""
    if relative.startswith("/") or "\0" in relative:
        return None
    parts = root.split("/") if root else []
    for part in relative.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _is_beneath(root: str, places: Iterable[str]) -> bool:
    return any(is_inside(root, place) for place in places)
