"""From markers to candidates: roots of each family, what workspaces say of them, and which are left out.

A workspace that lists its members is a fence: packages beneath it that it does not list are
detached. Where fences are nested, the closest one around a package decides. A member that
a workspace names outright counts wherever it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

from codeplane.base.paths import RepoPath, basename, parent
from codeplane.index.units.markers import AMBIENT, EXCLUDED_DIRECTORIES, FENCED, LISTED, find_marker
from codeplane.index.units.members import Listing, MarkedRoot, Workspaces, list_members
from codeplane.index.units.model import Candidate, Manifest, Note, Tier
from codeplane.index.units.overrides import NO_OVERRIDES, Overrides
from codeplane.languages.families import FAMILIES

MAX_CANDIDATES = 20_000


@dataclass(frozen=True)
class Discovery:
    candidates: tuple[Candidate, ...]
    """By family and root; one for each pair."""
    notes: tuple[Note, ...]


def discover(manifests: Mapping[RepoPath, Manifest], stated: Overrides = NO_OVERRIDES) -> Discovery:
    """Candidates of all families. The order of `manifests` leaves no trace."""
    notes = [Note(path, manifest.note) for path, manifest in manifests.items() if manifest.note is not None]
    found: dict[str, dict[str, MarkedRoot]] = {family: {} for family in FAMILIES}
    for path in sorted(manifests):
        marked = find_marker(path)
        if marked is not None:
            marker, root = marked
            roots = found[marker.family]
            roots.setdefault(root, MarkedRoot(root)).add(path, manifests[path], marker.fence, marker.package)
    candidates: list[Candidate] = []
    for family in FAMILIES:
        made = _of_family(family, found[family], notes)
        if family in AMBIENT or not made:
            made.setdefault("", _ambient(family))
        candidates += (made[root] for root in sorted(made))
    if len(candidates) > MAX_CANDIDATES:
        notes.append(
            Note("", f"there are {len(candidates)} build roots; the deepest beyond {MAX_CANDIDATES} are left out")
        )
        candidates = sorted(candidates, key=lambda each: (each.root.count("/"), each.family, each.root))[
            :MAX_CANDIDATES
        ]
    candidates = stated.apply(candidates)
    notes += stated.notes
    ordered = sorted(candidates, key=lambda each: (each.family, each.root))
    return Discovery(tuple(ordered), tuple(sorted(set(notes))))


_GRADLE = ("build.gradle", "build.gradle.kts")


def _of_family(family: str, roots: dict[str, MarkedRoot], notes: list[Note]) -> dict[str, Candidate]:
    workspaces = _workspaces(family, roots)
    listed, undecided = list_members(family, roots, workspaces, notes)
    made: dict[str, Candidate] = {}
    for root, found in roots.items():
        if root not in listed and (_is_excluded(root) or _adds_nothing(family, root, roots, workspaces)):
            continue
        made[root] = _candidate(family, found, listed, workspaces, undecided)
    if family == "jvm":
        # A project of Gradle needs no build file of its own.
        for root, by in listed.items():
            if root not in made:
                name = basename(root) or root
                made[root] = Candidate(family, RepoPath(root), Tier.PACKAGE, by, name, f"listed by {by}")
    return made


def _adds_nothing(family: str, root: str, roots: Mapping[str, MarkedRoot], workspaces: Workspaces) -> bool:
    """Whether no marker here makes a package, and a package around takes the files."""
    if roots[root].package or family not in FENCED:
        return False
    if family == "go":
        # Beside its modules a `go.work` owns nothing.
        return True
    around = _closest(root, lambda above: above in workspaces or _has_package(roots.get(above)))
    return root not in workspaces and around is not None


def _candidate(
    family: str,
    found: MarkedRoot,
    listed: Mapping[str, str],
    workspaces: Workspaces,
    undecided: Container[str],
) -> Candidate:
    root = found.root
    own = workspaces.get(root)
    tier = Tier.FENCE if own is not None or found.fence else Tier.PACKAGE
    marker = own[0][0] if own is not None else found.package or found.fence or found.other
    stem = basename(marker).rpartition(".")[0] if family == "dotnet" else ""
    name = found.name or stem or basename(root) or family
    candidate = Candidate(family, RepoPath(root), tier, marker, name, f"marked by {marker}")
    if root in listed:
        return replace(candidate, evidence=f"marked by {marker}, listed by {listed[root]}")
    if own is not None and family != "go":
        return candidate
    around = root if own is not None else _closest(root, workspaces.__contains__)
    if around is None or family not in FENCED or (family == "jvm" and not found.has(*_GRADLE)):
        # A build of Gradle says nothing about builds of others.
        return candidate
    fences = [path for path, _ in workspaces[around]]
    fence, do = " and ".join(fences), "do" if len(fences) > 1 else "does"
    if (
        any(each.open for _, each in workspaces[around])
        or around in undecided
        or (family == "jvm" and _is_implied(root, around))
    ):
        return replace(candidate, evidence=f"marked by {marker}; {fence} {do} not tell all of the members")
    return replace(candidate, evidence=f"marked by {marker}, but {fence} {do} not list it", detached=True)


def _workspaces(family: str, roots: Mapping[str, MarkedRoot]) -> dict[str, tuple[Listing, ...]]:
    if family not in LISTED:
        return {}
    found = {root: each.listings() for root, each in roots.items()}
    return {root: listings for root, listings in found.items() if listings}


def _is_implied(root: str, around: str) -> bool:
    """Gradle builds `buildSrc` without being told."""
    return root == (f"{around}/buildSrc" if around else "buildSrc")


def _has_package(found: MarkedRoot | None) -> bool:
    return found is not None and bool(found.package)


def _closest(root: str, wanted: Callable[[str], bool]) -> str | None:
    """The nearest directory above a root that is wanted."""
    while root:
        root = parent(root)
        if wanted(root):
            return root
    return None


def _is_excluded(root: str) -> bool:
    return not _EXCLUDED.isdisjoint(root.split("/"))


_EXCLUDED = frozenset(EXCLUDED_DIRECTORIES)


def _ambient(family: str) -> Candidate:
    why = "one for the whole repository" if family in AMBIENT else "no marker of the family was found"
    return Candidate(family, RepoPath(""), Tier.AMBIENT, "", family, why)
