from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.base.edit_distance import edit_distance
from codeplane.operations.search.name_matches import NameMatch, NameMatchKind, find_name_matches
from codeplane.operations.search.query_features import analyze_query
from codeplane.operations.search.weights import WEIGHTS
from codeplane.query.text import weigh_terms
from operations.search.bookshop import Shop, opened

MORE: dict[str, str | bytes] = {
    "a.py": "def load_user_list():\n    pass\n\n\n"
    "class UserLoader:\n    load = 1\n\n    def load_all(self):\n        pass\n",
    "b.py": "def loadUserList():\n    pass\n\n\ndef load_users():\n    pass\n\n\ndef reload_config():\n    pass\n",
    "deep/store.py": "class Store:\n    def open(self):\n        pass\n\n\n"
    "class Shelf:\n    def open(self):\n        pass\n",
    "c.go": "package c\n\ntype Store struct {\n\tload int\n}\n\nfunc (s *Store) Load() int {\n\treturn s.load\n}\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("names") / "repo", MORE) as shop:
        yield shop


def named(shop: Shop, query: str) -> list[NameMatch]:
    features = analyze_query(query)
    idf = weigh_terms(shop.snapshot, features.terms)
    found = find_name_matches(shop.snapshot, features, idf, WEIGHTS, lambda file: True)
    return sorted(found.values(), key=lambda one: (-one.total, one.match.file.path, one.match.first))


def kinds_by_name(shop: Shop, query: str) -> dict[str, str]:
    return {one.match.name: one.kind.value for one in reversed(named(shop, query))}


@pytest.mark.parametrize(
    "query", ["load_user_list", "loadUserList", "LoadUserList", "LOAD_USER_LIST", "load user list"]
)
def test_naming_styles_are_equivalent(shop: Shop, query: str) -> None:
    found = named(shop, query)
    assert {one.match.name for one in found if one.kind.is_exact} == {"load_user_list", "loadUserList"}
    assert len(found) >= 2 and all(one.kind.is_exact for one in found[:2])


def test_exact_case_ranks_first(shop: Shop) -> None:
    assert named(shop, "loadUserList")[0].match.name == "loadUserList"
    assert named(shop, "load_user_list")[0].match.name == "load_user_list"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("load_user_lsit", "load_user_list"),
        ("laod_user_list", "load_user_list"),
        ("reload_confg", "reload_config"),
        ("reloadd_configg", "reload_config"),
        ("UserLaoder", "UserLoader"),
    ],
)
def test_typos_match(shop: Shop, query: str, name: str) -> None:
    assert named(shop, query)[0].match.name == name
    assert named(shop, query)[0].kind is NameMatchKind.TYPO


def test_prefixes_words_and_substrings_match(shop: Shop) -> None:
    assert kinds_by_name(shop, "reload_conf")["reload_config"] == "prefix"
    assert kinds_by_name(shop, "config")["reload_config"] == "part"
    assert kinds_by_name(shop, "loadconf") == {"reload_config": "inside"}


def test_texts_are_not_matched_fuzzily(shop: Shop) -> None:
    assert kinds_by_name(shop, "why is the list of the user so very long and slow") == {}
    assert kinds_by_name(shop, "why does reload_config fail again and again here") == {"reload_config": "identifier"}


def test_identifier_in_another_style_counts_half(shop: Shop) -> None:
    for name, other in (("load_user_list", "loadUserList"), ("loadUserList", "load_user_list")):
        boosts = {one.match.name: one.boost for one in named(shop, f"why does {name} fail again and again here")}
        assert boosts[name] == 2 * boosts[other]


def test_code_ranks_before_fields(shop: Shop) -> None:
    found = [one for one in named(shop, "load") if one.kind.is_exact]
    by_kind = {one.match.name: one.kind_boost for one in found if one.match.file.path == "c.go"}
    assert by_kind["Load"] > 0 == by_kind["load"]


@pytest.mark.parametrize(
    ("query", "line"), [("Store.open", 2), ("Shelf.open", 7), ("Shelf::open", 7), ("shelf->open()", 7)]
)
def test_qualifier_decides_between_equal_names(shop: Shop, query: str, line: int) -> None:
    first, second, *_ = named(shop, query)
    assert (first.match.file.path, first.match.first) == ("deep/store.py", line)
    assert first.qualified_boost > second.qualified_boost


def test_path_can_match_the_qualifier(shop: Shop) -> None:
    exact = [match for match in named(shop, "store.open") if match.kind.is_exact]
    assert exact and all(match.qualified_boost > 0 for match in exact)


def test_unknown_name_has_no_match(shop: Shop) -> None:
    assert named(shop, "qwertzuiopasdf") == []
    assert named(shop, "") == []


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_edit_distance(one: str, other: str) -> None:
    distance = edit_distance(one, other)
    assert distance == edit_distance(other, one)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))


def test_transposition_is_one_edit() -> None:
    assert edit_distance("abcd", "abdc") == 1
    assert edit_distance("abcd", "badc") == 2
    assert edit_distance("", "abc") == 3
