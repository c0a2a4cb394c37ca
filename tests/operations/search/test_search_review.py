"""Regression tests of search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.base.warnings import WarningCode
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.must_filter import add_must_places, find_must_files
from codeplane.operations.search.query_features import MAX_PATHS, analyze_query
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from operations.search.bookshop import Shop, opened

FILES: dict[str, str | bytes] = {
    "pkg/one.py": "".join(f"class C{number}:\n    def run(self):\n        pass\n\n\n" for number in range(7)),
    **{f"many/m{number:03}.py": f"def dup_name():\n    return {number}\n" for number in range(130)},
    "pkg/words.py": "def arrow_thing():\n    left = 1\n    return left  # zebrafish\n",
    "tests/test_words.py": "def test_it():\n    assert 'axolotl'\n",
    "deep/er/still/__init__.py": "VALUE = 1\n",
    **{f"pkgs/p{number}/__init__.py": "NUMBER = 2\n" for number in range(250)},
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("many") / "repo", FILES) as shop:
        yield shop


@pytest.mark.parametrize("text", ["@", "+", "a+", "@.", "@a/", "( ", "a.", "::", "\\\\", "http://"])
def test_repetitive_text_is_analyzed(text: str) -> None:
    features = analyze_query(text * (100_000 // len(text)))
    assert len(features.paths) <= MAX_PATHS


def test_every_definition_of_a_name(many: Shop) -> None:
    assert many.find("run", mode="definitions").total == len(many.find("run", mode="definitions").hits) == 7
    found = many.find("dup_name", mode="definitions")
    assert found.total == len(found.hits) == len({hit.path for hit in found.hits}) == 130


def test_must_word_keeps_its_definition(many: Shop) -> None:
    (hit,) = many.find("must:zebrafish nothing like it", kinds=("function",)).hits
    assert (hit.kind, hit.name, hit.line_start) == ("function", "arrow_thing", 1) and hit.def_uid


def test_must_word_outside_scope_is_counted(many: Shop) -> None:
    found = many.find("must:axolotl it")
    assert found.hits == () and found.outside_scope == {"test": 1}
    assert [notice.code for notice in found.notices] == [WarningCode.FILTER_MUST_UNSATISFIED]
    assert many.find("must:axolotl it", scope="mixed").hits


def test_must_places_are_bounded(many: Shop) -> None:
    filters = Filters(must=("number",), exclude=("2",))
    with Root.open(many.root) as root:
        required = find_must_files(SearchSources(many.snapshot, root, ScanCache()), Filters(must=("number",)))
        assert len(required.files) == 250
        rows = add_must_places(many.snapshot, FileLines(root), [], required, Filters(must=("number",)), 3)
        assert [row.path for row in rows] == sorted(file.path for file in required.files.values())[:3]
        rejected = add_must_places(many.snapshot, FileLines(root), [], required, filters, 3)
        assert len(rejected) == 250, "rejected places do not count"
    assert len(many.find("must:number").hits) == 100


def test_traced_path_ranks_before_its_namesakes(many: Shop) -> None:
    trace = 'Traceback:\n  File "/srv/app/deep/er/still/__init__.py", line 1, in <module>\nBoom: no\n'
    assert many.find(trace).hits[0].path == "deep/er/still/__init__.py"


@pytest.mark.parametrize("text", ["= 1", "'axolotl'", "# "])
def test_punctuation_is_searched_literally(many: Shop, text: str) -> None:
    assert many.find(text, scope="mixed").hits


def test_printed_reference_is_accepted_as_query(many: Shop) -> None:
    (hit,) = many.find("pkg/one.py#C3.run@17", mode="definitions").hits
    assert (hit.lexical_path, hit.line_start) == ("C3.run", 17)
    assert many.find("pkg/one.py#C3.run@17", mode="symbol").hits[0].lexical_path == "C3.run"


def test_unknown_qualifier_is_not_ignored(many: Shop) -> None:
    found = many.find("Nope.run", mode="definitions")
    assert found.hits == () and found.similar == tuple(f"pkg/one.py#C{n}.run" for n in range(5))
    assert [hit.lexical_path for hit in many.find("C3.run", mode="definitions").hits] == ["C3.run"]


def test_only_the_exact_name_counts_as_exact(many: Shop) -> None:
    slip = many.find("arrow_thng", mode="symbol").hits[0]
    assert slip.name == "arrow_thing" and slip.factors.exact_match_boost == 0 and slip.factors.others["name_match"] > 0
    assert many.find("arrow_thing", mode="symbol").hits[0].factors.exact_match_boost > 0
