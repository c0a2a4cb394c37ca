"""Search filters: predicates, rejection order, pattern cost."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.languages.roles import Scope, decide_role_of_text
from codeplane.operations.search.filters import Filters, PathPatterns, count_rejections
from codeplane.operations.search.model import SearchRequest
from codeplane.operations.search.operators import parse_query


def accepts(filters: Filters, path: str, language: str) -> bool:
    return filters.accepts_role(decide_role_of_text(path, b"").role) and filters.accepts_file(path, language)


class Item(NamedTuple):
    path: str
    language: str = "python"
    kind: str = "function"
    text: str = ""

    @property
    def role(self) -> str:
        return decide_role_of_text(self.path, b"").role


def apply(filters: Filters, *items: Item) -> tuple[list[str], dict[str, int]]:
    kept, summary = filters.apply(items, lambda item: item.text)
    return [item.path for item in kept], {name: count for name, count in summary.items() if count}


ITEMS = (Item("src/a.py"), Item("tests/test_a.py"), Item("docs/a.rst"), Item("testdata/a.py"), Item("setup.py"))


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        ("runtime", ["src/a.py", "setup.py"]),
        ("docs", ["tests/test_a.py", "docs/a.rst", "testdata/a.py"]),
        ("mixed", [item.path for item in ITEMS]),
    ],
)
def test_scopes(scope: Scope, kept: list[str]) -> None:
    found, counts = apply(Filters(scope), *ITEMS)
    assert found == kept
    assert counts.get("removed_by_scope", 0) == len(ITEMS) - len(kept)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Item("tests/test_x.go", "go", "class", "bad"), "removed_by_scope"),
        (Item("lib/x.go", "go", "class", "bad"), "removed_by_language"),
        (Item("lib/gen/x.py", "python", "class", "bad"), "removed_by_path_include"),
        (Item("src/gen/x.py", "python", "class", "bad"), "removed_by_path_exclude"),
        (Item("src/x.py", "python", "class", "bad"), "removed_by_kind"),
        (Item("src/x.py", "python", "function", "bad"), "removed_by_must"),
        (Item("src/x.py", "python", "function", "bad good"), "removed_by_exclude"),
        (Item("src/x.py", "python", "function", "good"), None),
    ],
)
def test_candidate_is_counted_at_the_first_rejecting_filter(item: Item, reason: str | None) -> None:
    filters = Filters(
        "runtime",
        languages=["py"],
        paths=["src/"],
        excluded_paths=["gen"],
        must=["GOOD"],
        exclude=["Bad"],
        kinds=["Function"],
    )
    kept, counts = apply(filters, item)
    assert counts == ({reason: 1} if reason else {})
    assert kept == ([] if reason else [item.path])


def test_scope_rejections_are_counted_first() -> None:
    items = [Item("tests/test_a.py", text="x"), Item("tests/test_b.py"), Item("docs/a.md", "markdown", text="x")]
    items += [Item("tests/a.go", "go", text="x"), Item("a.py", text="x")]
    kept, summary = Filters("runtime", must=["x"], excluded_paths=["*.go"]).apply(items, lambda item: item.text)
    assert [item.path for item in kept] == ["a.py"]
    assert summary == count_rejections(removed_by_scope=4)


def test_must_and_exclude_words() -> None:
    items = [Item("a", text="One TWO"), Item("b", text="one"), Item("c", text="one two three")]
    assert apply(Filters(must=["ONE", "two"]), *items)[0] == ["a", "c"]
    assert apply(Filters(exclude=["TWO", "three"]), *items)[0] == ["b"]
    assert apply(Filters(must=["one two"]), *items)[0] == ["a", "c"]


def test_text_is_only_read_if_needed() -> None:
    def refuse(item: Item) -> str:
        raise AssertionError(item)

    filters = Filters("runtime", languages=["go"], must=["x"])
    assert filters.apply([Item("a.py"), Item("b.py")], refuse)[0] == []
    assert Filters().apply([Item("a.py")], refuse)[0] == [Item("a.py")]


@pytest.mark.parametrize(
    ("languages", "kept"),
    [
        (["python"], ["a.py", "run"]),
        (["ts"], ["a.ts", "b.tsx"]),
        (["c#"], ["A.cs"]),
        (["ruby"], ["a.rb", "Gemfile"]),
        (["py", "c#"], ["a.py", "run", "A.cs"]),
        (["shell"], []),
    ],
)
def test_language_matches_by_index_or_suffix(languages: list[str], kept: list[str]) -> None:
    items = [Item("a.py"), Item("run"), Item("a.ts", "typescript"), Item("b.tsx", "tsx"), Item("A.cs", "dotnet")]
    items += [Item("a.rb", "ruby"), Item("Gemfile", "ruby"), Item(".sh", "config"), Item("x.sh/a", "config")]
    assert apply(Filters(languages=languages), *items)[0] == kept


@pytest.mark.parametrize(
    ("patterns", "path", "matches"),
    [
        (["src"], "src/a/b.py", True),
        (["src/"], "src/a/b.py", True),
        (["src/"], "src", False),
        (["./src/a"], "src/a/b.py", True),
        (["/src"], "lib/src/b.py", False),
        (["src"], "lib/src/b.py", True),
        (["src/a"], "lib/src/a/b.py", False),
        (["b.py"], "src/a/b.py", True),
        (["*.py"], "src/a/b.py", True),
        (["src/*.py"], "src/a/b.py", False),
        (["src/**/*.py"], "src/a/b.py", True),
        (["src/**"], "src/a/b.py", True),
        (["**/a"], "src/a/b.py", True),
        (["src/a/b.py"], "src/a/b.py", True),
        (["app/[id]/page.tsx"], "app/[id]/page.tsx", True),
        (["app/[id]"], "app/[id]/page.tsx", True),
        (["#notes"], "#notes/a.md", True),
        (["src", "!src/a"], "src/a/b.py", False),
        (["src", "!src/a"], "src/c.py", True),
        (["!tests"], "src/c.py", True),
        (["!tests"], "tests/c.py", False),
        (["!tests"], "src/tests/c.py", False),
        (["SRC"], "src/a.py", False),
        (["é*"], "été/a.py", True),
        (["\udcff*"], "\udcffx/a.py", True),
    ],
)
def test_path_patterns_use_gitignore_syntax(patterns: list[str], path: str, matches: bool) -> None:
    assert PathPatterns(patterns).match(path) is matches


@pytest.mark.parametrize("pattern", ["", "  ", "!", "/", "a\0b", "\ud800", "x" * 5000])
def test_invalid_path_patterns_are_rejected(pattern: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        Filters(paths=[pattern])
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID


def test_too_many_patterns_are_rejected() -> None:
    with pytest.raises(CodePlaneError):
        Filters(paths=[f"*{number}*" for number in range(2000)])


@pytest.mark.parametrize("pattern", ["**/*a*a*a*a*a*a*a*b", "*a*a*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/a/**/b"])
def test_pathological_patterns_do_not_backtrack(pattern: str) -> None:
    filters = Filters(paths=[pattern], excluded_paths=[pattern])
    paths = [f"{'a' * 200}{number}/{'/'.join('a' * 300)}/{'a' * 250}{number}" for number in range(5)]
    for path in paths:
        assert not accepts(filters, path, "")


def test_deep_path_is_matched() -> None:
    assert PathPatterns(["a/**/z"]).match("/".join("a" * 2000) + "/z")


def test_directory_restricts_results() -> None:
    filters = Filters(directory="src/a")
    assert accepts(filters, "src/a/b.py", "python")
    assert not accepts(filters, "src/ab/b.py", "python")
    assert apply(filters, Item("src/ab/b.py"))[1] == {"removed_by_path_include": 1}


def test_operators_and_arguments_combine() -> None:
    parsed = parse_query("lang:go path:src -path:gen must:x exclude:y find")
    filters = Filters.of(parsed, "mixed", SearchRequest("", languages=("py",), paths=("lib",), kinds=("class",)))
    assert accepts(filters, "lib/a.py", "python") and accepts(filters, "src/a.go", "go")
    assert not accepts(filters, "src/gen/a.go", "go")
    assert not accepts(filters, "other/a.go", "go")
    assert filters.accepts_text("X") and not filters.accepts_text("xy") and not filters.accepts_text("z")
    assert apply(filters, Item("lib/a.py", kind="function", text="x"))[1] == {"removed_by_kind": 1}


_NAMES = st.sampled_from(["src", "tests", "docs", "a.py", "b.go", "gen", "[x]"])
_ITEMS = st.builds(
    Item,
    st.lists(_NAMES, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["python", "go", "markdown", ""]),
    st.sampled_from(["class", "function"]),
    st.text("xyz ", max_size=4),
)


@settings(max_examples=150)
@given(
    st.lists(_ITEMS, max_size=20),
    st.sampled_from(["runtime", "docs", "mixed"]),
    st.lists(_NAMES, max_size=2),
    st.lists(_NAMES, max_size=2),
)
def test_every_candidate_is_accepted_or_counted_once(
    items: list[Item], scope: Scope, paths: list[str], excluded: list[str]
) -> None:
    filters = Filters(scope, ["go", "python"], paths, excluded, ["x"], ["y"])
    kept, summary = filters.apply(items, lambda item: item.text)
    assert len(kept) + sum(summary.values()) == len(items)
    assert kept == [
        item
        for item in items
        if accepts(filters, item.path, item.language) and "x" in item.text and "y" not in item.text
    ]
