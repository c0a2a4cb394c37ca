"""Owner of a file: at most one unit, the closest one above it, and always the same."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.paths import RepoPath, is_inside
from codeplane.index.units.discovery import discover
from codeplane.index.units.manifests import read_manifest
from codeplane.index.units.markers import find_marker, may_own
from codeplane.index.units.model import Candidate, MarkerTier, State
from codeplane.index.units.routing import UnitRoots, UnitRouter
from codeplane.index.units.validation import ParseResult, Sampled, best_samples, sample_file, unit_state, update_sample
from codeplane.languages.registry import families

NAMES = st.sampled_from(["a", "ab", "b", "lib", "build", "vendor"])
DIRECTORIES = st.lists(NAMES, max_size=4).map("/".join)
FILES = st.builds(
    lambda directory, name: f"{directory}/{name}".lstrip("/"), DIRECTORIES, st.sampled_from(["x.py", "y.go"])
)
FAMILY = st.sampled_from(["python", "go"])
ROOTS = st.dictionaries(st.tuples(FAMILY, DIRECTORIES), st.sampled_from(list(State)), max_size=8)


def candidate(family: str, root: str, state: State = State.VALID) -> Candidate:
    return Candidate(family, RepoPath(root), MarkerTier.PACKAGE, "", root or family, "", state is State.DETACHED)


def owner_by_definition(path: str, family: str, roots: dict[tuple[str, str], State]) -> str | None:
    """Naive model of the rule: deepest first, excluded directories and holes checked one by one."""
    for root in sorted((root for each, root in roots if each == family), key=len, reverse=True):
        if roots[family, root] is not State.VALID or not is_inside(path, root):
            continue
        inner = path[len(root) + 1 if root else 0 :]
        holes = [other for each, other in roots if each == family and other != root and is_inside(other, root)]
        excluded = {"build", "vendor"} & set(inner.split("/")[:-1])
        if not excluded and not any(is_inside(path, hole) for hole in holes) and may_own(family, path):
            return root
    return None


@settings(max_examples=400)
@given(roots=ROOTS, path=FILES, family=FAMILY, seed=st.integers(0, 99))
def test_routing_matches_the_naive_model(
    roots: dict[tuple[str, str], State], path: str, family: str, seed: int
) -> None:
    candidates = [candidate(*key, state) for key, state in roots.items()]
    random.Random(seed).shuffle(candidates)
    states = {each.unit_id: roots[each.family, each.root] for each in candidates}
    found = UnitRouter(UnitRoots(candidates), states).unit_of_file(path, family)
    assert (found.root if found is not None else None) == owner_by_definition(path, family, roots)
    assert found is None or (found.family == family and is_inside(path, found.root))


MARKERS = ("package.json", "pnpm-workspace.yaml", "go.mod", "go.work", "Cargo.toml", "settings.gradle", "pom.xml")
CONTENTS = (
    b"",
    b'{"workspaces": ["a/*", "!a/b"]}',
    b"packages: ['**', '!**/b']\n",
    b"use ./a\nuse ../b\n",
    b'[workspace]\nmembers = ["a/*"]\n',
    b'[package]\nname = "x"\n[dependencies]\ny = {path = "../ab"}\n',
    b"include ':a', ':b:lib'\n",
    b"<project><modules><module>a</module></modules></project>",
)


@settings(max_examples=150)
@given(
    files=st.dictionaries(st.tuples(DIRECTORIES, st.sampled_from(MARKERS)), st.sampled_from(CONTENTS), max_size=12),
    seed=st.integers(0, 99),
)
def test_discovery_does_not_depend_on_order(files: dict[tuple[str, str], bytes], seed: int) -> None:
    manifests = {}
    for (directory, name), data in files.items():
        path = RepoPath(f"{directory}/{name}".lstrip("/"))
        manifests[path] = read_manifest(path, data)
    found = discover(manifests)
    shuffled = list(manifests.items())
    random.Random(seed).shuffle(shuffled)
    assert discover(dict(shuffled)) == found
    keys = [(each.family, each.root) for each in found.candidates]
    assert keys == sorted(set(keys))
    assert {each.family for each in found.candidates} == set(families())
    assert len({each.unit_id for each in found.candidates}) == len(keys)


def test_common_name_prefix_is_not_a_subdirectory() -> None:
    unit_roots = UnitRoots([candidate("python", "lib"), candidate("python", "lib/core")])
    assert unit_roots.closest_root("lib-extra/x.py", "python") is None
    assert unit_roots.closest_root("lib/core2/x.py", "python") == candidate("python", "lib")
    assert unit_roots.holes_of(candidate("python", "lib")) == ("core/**",)


def test_families_own_only_their_files() -> None:
    unit_roots = UnitRoots(
        [candidate("python", ""), candidate("javascript", ""), candidate("rust", ""), candidate("json_yaml", "")]
    )
    assert unit_roots.closest_root("README.md", "python") is None
    assert unit_roots.closest_root("bin/run", "python") == candidate("python", "")
    assert unit_roots.closest_root("x.py", "javascript") is None
    assert unit_roots.closest_root("Cargo.toml", "rust") == candidate("rust", "")
    assert unit_roots.closest_root("Cargo.toml", "json_yaml") == candidate("json_yaml", "")
    assert unit_roots.closest_root("x.py", None) is None


def test_unit_ids_are_stable() -> None:
    assert candidate("python", "").unit_id == 477073797361583
    assert candidate("python", "services/api").unit_id == 306335652896819
    assert candidate("go", "services/api").unit_id != candidate("python", "services/api").unit_id


def parsed(facts: int = 5, problems: int = 0, state: str = "indexed", lines: int = 9) -> ParseResult:
    return ParseResult(state, lines, facts, problems)


def test_sampling() -> None:
    python, docs = candidate("python", ""), candidate("markdown", "")
    broken = sample_file("a.py", "python", parsed(9, 3))
    assert broken == Sampled(4, "a.py", False)
    assert sample_file("b.py", "python", parsed(50, 4)) == Sampled(4, "b.py", True)
    assert sample_file("c.md", "markdown", parsed(50, 1)) == Sampled(4, "c.md", False)
    assert sample_file("empty.py", "python", parsed(0)) is None
    assert sample_file("plain.md", "markdown", parsed(0)) == Sampled(8, "plain.md", True)
    assert sample_file("x.rb", "ruby", parsed(0, state="text")) == Sampled(4, "x.rb", True)
    assert sample_file("x.py", "python", parsed(0, state="failed")) == Sampled(4, "x.py", False)
    assert unit_state(python, ()) is State.EMPTY
    assert unit_state(python, (broken,)) is State.FAILED
    assert unit_state(docs, (broken, Sampled(9, "good.rst", True))) is State.VALID
    assert unit_state(candidate("python", "", State.DETACHED), (Sampled(1, "x", True),)) is State.DETACHED


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from("abcdefghij"), st.sampled_from([True, False, None])), max_size=30))
def test_incremental_sample_equals_full_sample(steps: list[tuple[str, bool | None]]) -> None:
    files: dict[str, Sampled] = {}
    sample = best_samples(())
    for name, passed in steps:
        path = name * (ord(name) % 3 + 1)
        sampled = Sampled(len(path), path, passed) if passed is not None else None
        files.pop(path, None)
        if sampled is not None:
            files[path] = sampled
        kept = update_sample(sample, sampled, path)
        assert kept is None or kept == best_samples(files.values())
        sample = best_samples(files.values())


def test_a_hundred_thousand_paths() -> None:
    paths = [
        f"packages/p{number % 2000}/src/d{number % 7}/f{number}.{'ts' if number % 2 else 'py'}"
        for number in range(98_000)
    ]
    markers = [f"packages/p{number}/package.json" for number in range(2000)]
    contents = dict.fromkeys(markers, b'{"name": "x"}')
    contents["package.json"] = b'{"workspaces": ["packages/*", "!packages/p1?"]}'
    manifests = {
        RepoPath(path): read_manifest(path, contents[path]) for path in (*paths, *contents) if find_marker(path)
    }
    candidates = discover(manifests).candidates
    router = UnitRouter(UnitRoots(candidates), {each.unit_id: State.VALID for each in candidates if not each.detached})
    owners = [router.unit_of_file(path, "javascript" if path.endswith(".ts") else "python") for path in paths]
    assert sum(owner is None for owner in owners) == sum(
        path.endswith(".ts") and "/p1" in path and path[11] != "/" and path[12] == "/" for path in paths
    )
