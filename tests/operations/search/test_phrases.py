"""Literal phrases, file names, and mentioned lines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.disk.safe_open import Root
from codeplane.operations.search import phrases
from codeplane.operations.search.phrases import find_phrase
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from operations.search.bookshop import Shop, opened

MESSAGE = "refusing to join two carts of unrelated customers"
AGAIN = "this is said again and again"
FILES: dict[str, str | bytes] = {
    "shop/carts.py": (
        "LIMIT = 3\n\n\n"
        "def unrelated_customers(carts):\n    return [cart for cart in carts if cart.join]\n\n\n"
        f"def merge(one, other):\n    raise ValueError(f'{MESSAGE}: {{one}}')\n\n\n"
        "def last():\n    return 1\n"
    ),
    "shop/customers.py": "class Customers:\n    def join(self, carts, two):\n        return carts.of(two, customers)\n",
    "shop/fetch.py": (
        "def fetch(url):\n    if url.startswith(\"http\"):\n        return url\n\n\nHINT = 'please call us later'\n"
    ),
    "shop/py.py": "class Py:\n    pass\n\n\ndef json():\n    pass\n",
    "shop/js.py": "def py():\n    pass\n",
    "package.json": '{"name": "shop"}\n',
    "lint.d/.shoplint.yml": "rules: []\n",
    "po/el.po": f'msgid "{MESSAGE}"\nmsgstr ""\n',
    "tests/test_carts.py": "class MockServer:\n    pass\n",
    **{f"many/m{number}.py": f"def f{number}():\n    raise ValueError('{AGAIN}')\n" for number in range(9)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("phrases") / "repo", FILES) as made:
        yield made


@pytest.mark.parametrize(
    ("query", "path", "name"),
    [
        (MESSAGE, "shop/carts.py", "merge"),
        (MESSAGE.upper(), "shop/carts.py", "merge"),
        (f"fatal: {MESSAGE}: 'cart 17'", "shop/carts.py", "merge"),
        ('url.startswith("http', "shop/fetch.py", "fetch"),
        ("please call us later", "shop/fetch.py", None),
        ("package.json", "package.json", None),
        ("js.py", "shop/js.py", None),
        (".shoplint.yml", "lint.d/.shoplint.yml", None),
        ("shop/carts.py:9", "shop/carts.py", "merge"),
        ("carts.py:13", "shop/carts.py", "last"),
        ("  at Shop.Carts.Last() in C:\\src\\shop\\carts.py:line 13", "shop/carts.py", "last"),
        ("#3 shop/carts.py(13): last()", "shop/carts.py", "last"),
    ],
)
def test_literal_phrase_ranks_first(shop: Shop, query: str, path: str, name: str | None) -> None:
    hit = shop.find(query).hits[0]
    assert hit.path == path
    assert name is None or hit.name == name


def test_phrase_boost_is_explained(shop: Shop) -> None:
    first, *others = shop.find(MESSAGE).hits
    assert first.factors.definition_boost > 2 * max(hit.factors.definition_boost for hit in others)


def test_common_phrases_are_not_boosted(shop: Shop) -> None:
    found = shop.find(AGAIN).hits
    assert len(found) == 9 and not any(hit.factors.definition_boost for hit in found)


def test_docs_scope_returns_only_docs(shop: Shop) -> None:
    assert [hit.path for hit in shop.find("MockServer").hits] == ["tests/test_carts.py"], "it is defined nowhere else"
    assert [hit.role for hit in shop.find("merge", scope="docs").hits] == []


def test_phrase_search_is_bounded_by_candidates_not_time(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with Root.open(shop.root) as root:
        uncached, cached = (
            SearchSources(shop.snapshot, root, cache) for cache in (ScanCache(max_bytes=0), ScanCache())
        )
        cold, warm = (find_phrase(sources, MESSAGE) for sources in (uncached, cached))
        assert cold == warm and cold == {"po/el.po": [1], "shop/carts.py": [9]}
        monkeypatch.setattr(phrases, "MAX_CANDIDATES", 1)
        assert find_phrase(uncached, MESSAGE) == {}
        assert find_phrase(uncached, "a b c d e f g") == {}, "the trigram index has none of its words"
