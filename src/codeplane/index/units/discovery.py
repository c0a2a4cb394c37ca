"""Find unit candidates from markers: the roots of each family, and which of them a workspace detaches.

A workspace that lists its members is a fence: packages under it that it does not list are detached. Of nested fences
the closest one decides. A member that a workspace names outright counts wherever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

from codeplane.base.paths import RepoPath, basename, parent
from codeplane.index.units.markers import EXCLUDED_DIRECTORIES, find_marker
from codeplane.index.units.members import Listing, MarkedRoot, Workspaces, list_members
from codeplane.index.units.model import Candidate, MarkerTier, Note
from codeplane.index.units.overrides import NO_OVERRIDES, Overrides
from codeplane.languages.family import Family, WorkspaceRules
from codeplane.languages.manifest import Manifest
from codeplane.languages.registry import families

MAX_CANDIDATES = 20_000

_EXCLUDED = frozenset(EXCLUDED_DIRECTORIES)


@dataclass(frozen=True)
class Discovery:
    candidates: tuple[Candidate, ...]
    """Sorted by family and root; one for each pair."""
    notes: tuple[Note, ...]


def discover(manifests: Mapping[RepoPath, Manifest], overrides: Overrides = NO_OVERRIDES) -> Discovery:
    """Return the candidates of all families, independent of the order of `manifests`."""
    notes = [Note(path, manifest.note) for path, manifest in manifests.items() if manifest.note is not None]
    found: dict[str, dict[str, MarkedRoot]] = {family: {} for family in families()}
    for path in sorted(manifests):
        marked = find_marker(path)
        if marked is not None:
            roots = found[marked.family.name]
            roots.setdefault(marked.root, MarkedRoot(marked.root)).add(path, manifests[path], marked.marker)
    candidates: list[Candidate] = []
    for name, family in families().items():
        made = _family_candidates(family, found[name], notes)
        if family.is_ambient or not made:
            made.setdefault("", _ambient_candidate(family))
        candidates += (made[root] for root in sorted(made))
    if len(candidates) > MAX_CANDIDATES:
        notes.append(
            Note("", f"there are {len(candidates)} build roots; the deepest beyond {MAX_CANDIDATES} are left out")
        )
        candidates.sort(key=lambda each: (each.root.count("/"), each.family, each.root))
        del candidates[MAX_CANDIDATES:]
    candidates = overrides.apply(candidates)
    notes += overrides.notes
    ordered = sorted(candidates, key=lambda each: (each.family, each.root))
    return Discovery(tuple(ordered), tuple(sorted(set(notes))))


def _family_candidates(family: Family, roots: dict[str, MarkedRoot], notes: list[Note]) -> dict[str, Candidate]:
    rules = family.workspace
    workspaces: dict[str, tuple[Listing, ...]] = {}
    listed: dict[str, str] = {}
    undecided: Container[str] = ()
    if rules is not None:
        workspaces = {root: lists for root, each in roots.items() if (lists := each.listings(rules))}
        listed, undecided = list_members(rules, roots, workspaces, notes)
    made: dict[str, Candidate] = {}
    for root, found in roots.items():
        if root in listed or not (_is_excluded(root) or _adds_nothing(rules, root, roots, workspaces)):
            made[root] = _make_candidate(family, found, listed, workspaces, undecided)
    if rules is not None and rules.projects:
        for root, by in listed.items():
            if root not in made:
                name = basename(root) or root
                made[root] = Candidate(family.name, RepoPath(root), MarkerTier.PACKAGE, by, name, f"listed by {by}")
    return made


def _adds_nothing(
    rules: WorkspaceRules | None, root: str, roots: Mapping[str, MarkedRoot], workspaces: Workspaces
) -> bool:
    """True if no marker here makes a package, and a package above owns the files."""
    if roots[root].package or rules is None or not rules.detaches:
        return False
    if rules.root_must_be_listed:
        return True
    around = _closest(root, lambda above: above in workspaces or (above in roots and bool(roots[above].package)))
    return root not in workspaces and around is not None


def _make_candidate(
    family: Family,
    found: MarkedRoot,
    listed: Mapping[str, str],
    workspaces: Workspaces,
    undecided: Container[str],
) -> Candidate:
    root, rules = found.root, family.workspace
    own = workspaces.get(root)
    tier = MarkerTier.FENCE if own is not None or found.fence else MarkerTier.PACKAGE
    marker = own[0][0] if own is not None else found.package or found.fence or found.first
    stem = basename(marker).rpartition(".")[0] if family.named_by_marker else ""
    name = found.name or stem or basename(root) or family.name
    candidate = Candidate(family.name, RepoPath(root), tier, marker, name, f"marked by {marker}")
    if root in listed:
        return replace(candidate, evidence=f"marked by {marker}, listed by {listed[root]}")
    if rules is None or not rules.detaches or (own is not None and not rules.root_must_be_listed):
        return candidate
    around = root if own is not None else _closest(root, workspaces.__contains__)
    if around is None or (rules.detachable and not found.has(rules.detachable)):
        return candidate
    return _fenced_candidate(candidate, rules, around, workspaces, undecided)


def _fenced_candidate(
    candidate: Candidate, rules: WorkspaceRules, around: str, workspaces: Workspaces, undecided: Container[str]
) -> Candidate:
    """Detach a package that the workspace around it does not list, if the list is complete."""
    marker = candidate.marker
    fences = [path for path, _ in workspaces[around]]
    fence, do = " and ".join(fences), "do" if len(fences) > 1 else "does"
    implied = {f"{around}/{each}" if around else each for each in rules.implied_members}
    if any(each.open for _, each in workspaces[around]) or around in undecided or candidate.root in implied:
        return replace(candidate, evidence=f"marked by {marker}; {fence} {do} not tell all of the members")
    return replace(candidate, evidence=f"marked by {marker}, but {fence} {do} not list it", detached=True)


def _closest(root: str, wanted: Callable[[str], bool]) -> str | None:
    """Return the nearest directory above a root that is wanted."""
    while root:
        root = parent(root)
        if wanted(root):
            return root
    return None


def _is_excluded(root: str) -> bool:
    return not _EXCLUDED.isdisjoint(root.split("/"))


def _ambient_candidate(family: Family) -> Candidate:
    why = "one for the whole repository" if family.is_ambient else "no marker of the family was found"
    return Candidate(family.name, RepoPath(""), MarkerTier.AMBIENT, "", family.name, why)
