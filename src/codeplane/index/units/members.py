"""Resolve workspace members: patterns, plain paths, and the roots that members bring along.

Manifests are untrusted and there may be many, so steps are counted; workspaces after the limit detach nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import basename, display, is_inside, parent, subtree_range
from codeplane.index.units.globs import Meter, Unreadable, is_wild, matches
from codeplane.index.units.model import Note
from codeplane.languages.family import Marker, WorkspaceRules
from codeplane.languages.manifest import Manifest

MAX_STEPS = 2_000_000
"""Limit for all workspaces of a family: a few seconds. Large repositories need a fraction of it."""

Listing = tuple[str, Manifest]
"""A file that lists members, and its content."""

Workspaces = Mapping[str, tuple[Listing, ...]]
"""Root of each workspace -> the files that list its members."""


class MarkedRoot:
    """The markers of one family in one directory."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.package = ""
        self.fence = ""
        self.first = ""
        self.manifests: dict[str, Manifest] = {}
        self._ranks: dict[str, int] = {}

    def add(self, path: str, manifest: Manifest, marker: Marker) -> None:
        self.manifests[path] = manifest
        self._ranks[path] = marker.rank
        if marker.package:
            self.package = self.package or path
        if marker.fence:
            self.fence = self.fence or path
        self.first = self.first or path

    def has(self, names: Iterable[str]) -> bool:
        return not {basename(path) for path in self.manifests}.isdisjoint(names)

    @property
    def name(self) -> str | None:
        ranked = sorted(self.manifests, key=lambda path: (self._ranks[path], path))
        return next((self.manifests[path].name for path in ranked if self.manifests[path].name), None)

    def listings(self, workspace: WorkspaceRules) -> tuple[Listing, ...]:
        """Return the files that list members, without those that another one supersedes."""
        found = [(path, each) for path, each in sorted(self.manifests.items()) if each.members is not None]
        ignored = {name for path, _ in found for name in workspace.superseded.get(basename(path), ())}
        return tuple((path, each) for path, each in found if basename(path) not in ignored)


def list_members(
    rules: WorkspaceRules, roots: Mapping[str, MarkedRoot], workspaces: Workspaces, notes: list[Note]
) -> tuple[dict[str, str], frozenset[str]]:
    """Return the listed roots, each with the file that lists it, and the workspaces that exceeded the step limit."""
    listed: dict[str, str] = {}
    undecided: set[str] = set()
    ordered = sorted(roots)
    meter = Meter(MAX_STEPS)
    for around in sorted(workspaces):
        for path, manifest in workspaces[around]:
            members: list[str] = []
            if meter.left >= 0:
                members += _members(rules, around, path, manifest, roots, _under(ordered, around), notes, meter)
            if meter.left < 0:
                undecided.add(around)
                notes.append(Note(path, "there are too many members to compare; nothing is left out on its word"))
                continue
            if rules.path_dependencies:
                members += _path_dependencies(around, manifest, roots, workspaces, members)
            for root in members:
                listed.setdefault(root, path)
    if rules.module_file:
        for root in ordered:
            for path, manifest in sorted(roots[root].manifests.items()):
                for place in manifest.extra:
                    member = _join(root, place.removesuffix(f"/{rules.module_file}"))
                    if member is not None and member in roots:
                        listed.setdefault(member, path)
    return listed, frozenset(undecided)


def _under(ordered: Sequence[str], around: str) -> Sequence[str]:
    if not around:
        return ordered
    low, high = subtree_range(around)
    return ordered[bisect_left(ordered, low) : bisect_left(ordered, high)]


def _members(
    rules: WorkspaceRules,
    around: str,
    path: str,
    manifest: Manifest,
    roots: Mapping[str, MarkedRoot],
    candidates: Sequence[str],
    notes: list[Note],
    meter: Meter,
) -> Iterator[str]:
    meter.left -= len(manifest.members or ()) + len(candidates)
    moved = dict(manifest.moved) if rules.projects else {}
    patterns = [_parse_pattern(moved.get(each, each), each, rules) for each in manifest.members or ()]
    plain = _plain_places(around, path, patterns, notes)
    if rules.projects:
        yield from sorted(plain)
        # `:a:b` makes `:a` a project too.
        yield from sorted({above for place in plain for above in _between(place, around) if above in roots})
        return
    places = {place for place in plain if place in roots and roots[place].package}
    if not any(each.negated for each in patterns):
        yield from sorted(places)
        patterns = [each for each in patterns if each.wild]
        candidates = [root for root in candidates if root not in places]
    excluded = [place for place in (_join(around, each) for each in manifest.exclude) if place is not None]
    unordered = basename(path) in rules.unordered_negations
    skip = len(around) + 1 if around else 0
    for root in candidates:
        meter.left -= len(excluded)
        if meter.left < 0:
            return
        if root in ("", around) or not roots[root].package or _is_inside_any(root, excluded):
            continue
        if _is_member(root[skip:], patterns, unordered, meter):
            yield root


def _plain_places(around: str, path: str, patterns: Iterable[_Pattern], notes: list[Note]) -> set[str]:
    """Return the members that are plain paths, and note those outside of the repository."""
    found: set[str] = set()
    for each in patterns:
        if each.wild or each.negated:
            continue
        place = _join(around, each.text)
        if place is not None:
            found.add(place)
        else:
            notes.append(Note(path, f"the member '{display(each.text[:80])}' lies outside of the repository"))
    return found


def _between(place: str, around: str) -> Iterator[str]:
    """Yield the directories above a place, up to a workspace root."""
    while (place := parent(place)) and place != around:
        yield place


class _Pattern(NamedTuple):
    text: str
    negated: bool
    wild: bool


def _parse_pattern(text: str, written: str, rules: WorkspaceRules) -> _Pattern:
    body = text.removeprefix("!").strip()
    while body.startswith("./"):
        body = body[2:]
    body = body.rstrip("/")
    if rules.member_file:
        body = body.removesuffix(f"/{rules.member_file}")
    return _Pattern(body, written.startswith("!"), is_wild(body))


def _is_member(path: str, patterns: Iterable[_Pattern], unordered: bool, meter: Meter) -> bool:
    """Apply patterns in order: the last match decides, or with `unordered` any negated one."""
    member = False
    for pattern in patterns:
        try:
            fits = matches(pattern.text, path, meter)
        except Unreadable:
            continue
        if fits and pattern.negated and unordered:
            return False
        member = not pattern.negated if fits else member
    return member


def _path_dependencies(
    around: str,
    workspace: Manifest,
    roots: Mapping[str, MarkedRoot],
    workspaces: Workspaces,
    members: Iterable[str],
) -> list[str]:
    """Return the path dependencies of members that are under the workspace; they are members too."""
    shared = dict(workspace.moved)
    excluded = [place for place in (_join(around, each) for each in workspace.exclude) if place is not None]
    queue = [around, *members]
    seen = set(queue)
    found: list[str] = []
    while queue:
        root = queue.pop()
        marked = roots.get(root)
        dependencies = [each for manifest in marked.manifests.values() for each in manifest.extra] if marked else []
        for written in dependencies:
            inherited = written.startswith("=")
            place = shared.get(written[1:]) if inherited else written
            member = _join(around if inherited else root, place) if place is not None else None
            if member is None or member in seen or member in workspaces or not is_inside(member, around):
                continue
            if member in roots and roots[member].package and not _is_inside_any(member, excluded):
                seen.add(member)
                queue.append(member)
                found.append(member)
    return found


def _join(root: str, relative: str) -> str | None:
    """Resolve a path written in a manifest at `root`; None if it leaves the repository."""
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


def _is_inside_any(root: str, places: Iterable[str]) -> bool:
    return any(is_inside(root, place) for place in places)
