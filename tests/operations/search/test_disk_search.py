"""Search without an index: same matches as with the index, same restrictions, skipped files reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.safe_open import Root
from codeplane.operations.search import operators
from codeplane.operations.search.disk_ranking import rank_files
from codeplane.operations.search.disk_search import WORK_LIMIT, WORK_LIMITS, WorkLimits, find_lines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import Scope, SearchRequest, SearchResult
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text
from codeplane.query.snapshot import open_current
from codeplane.store.layout import open_state
from codeplane.workspace.working_tree import TreeListing, WorkingTree
from operations.search.test_ripgrep_parity import FILES as ODD_TEXTS
from support.repositories import make_repository, options_for, sync, write

SHOP: dict[str, str | bytes] = {
    "shop/http/limits.py": (
        "MAX_BODY_BYTES = 2 * 1024\n\n\nclass BodyLimiter:\n    def limit_body(self, request):\n"
        '        """Refuse a request whose body is too large."""\n        length = request.content_length\n'
        "        if length > MAX_BODY_BYTES:\n            raise TooLarge('the body of the request is too large')\n"
    ),
    "shop/http/form.py": (
        "from shop.http.limits import BodyLimiter\n\n\ndef read_form(request):\n    limit_body(request)\n"
    ),
    "shop/cart.py": (
        "class Cart:\n    def total(self):\n        return sum(self.prices)\n\n    def retry_later(self): ...\n"
    ),
    "shop/tasks.py": "def retries_left(task):\n    return task.retries\n",
    "tests/test_limits.py": "def test_limit_body():\n    assert limit_body(None)\n",
    "docs/limits.md": "# Limits\n\nThe body limit is two KiB: limit_body.\n",
    ".env": "SECRET=limit_body\n",
    "server.pem": "limit_body\n",
}


@contextmanager
def tree_of(root: Path) -> Iterator[tuple[Root, TreeListing]]:
    with Root.open(root) as opened:
        yield opened, WorkingTree(options_for(root)).list_files()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("shop") / "repo", SHOP)


def lines(root: Path, request: SearchRequest, scope: Scope = "mixed", limits: WorkLimits = WORK_LIMITS) -> SearchResult:
    with tree_of(root) as (opened, tree):
        filters = Filters(scope, request.languages, request.paths, directory=request.directory)
        return find_lines(opened, tree, request, filters, limits=limits)


def ranked(root: Path, query: str, scope: Scope = "runtime", limits: WorkLimits = WORK_LIMITS) -> SearchResult:
    with tree_of(root) as (opened, tree):
        parsed = operators.parse_query(query)
        return rank_files(opened, tree, parsed, Filters.of(parsed, scope), limits=limits)


def places(found: SearchResult) -> list[tuple[str, int]]:
    return [(hit.path, hit.match_line) for hit in found.hits]


QUERIES = ["foo", "FOO", "needle", "straße", "日本語", "kelvin", "a.b", "foo\n", "\t", "naïve", "é", "nothing has this"]
PATTERNS = [r"fo+\b", r"^\s*$", r"(?i)STRASSE", r"\w+ foo", r"total.*total", r"\d{4}-\d\d", r"foo\r?\nlast", r"foo$"]


def test_disk_search_finds_the_same_lines_as_the_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", ODD_TEXTS)
    write(root, "binary.dat", b"foo\0\1" * 50)
    sync(root)
    state = open_state(root)
    assert state is not None
    with tree_of(root) as (opened, tree), open_current(state) as snapshot:
        sources = SearchSources(snapshot, opened, ScanCache())
        for query, mode in [*((query, "lexical") for query in QUERIES), *((query, "regex") for query in PATTERNS)]:
            for sensitive in (None, True, False):
                known = find_text(sources, TextQuery(query, mode == "regex", sensitive))
                request = SearchRequest(query, mode, case_sensitive=sensitive)  # type: ignore[arg-type]
                found = find_lines(opened, tree, request, Filters())
                rows = sorted((hit.path, hit.match_line, hit.column, hit.snippet) for hit in found.hits)
                assert rows == [(row.path, row.match.line, row.match.column, row.match.text) for row in known.rows], (
                    query
                )
                assert (found.total, found.files) == (known.lines, len(known.found))


def test_secrets_and_ignored_files_are_not_searched(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {**SHOP, ".gitignore": "ignored.py\n", ".cplignore": "hidden/\n"})
    for path in ("ignored.py", "hidden/a.py", "config/.env.local", ".aws/credentials", "id_ed25519"):
        write(root, path, "limit_body\n")
    (root / "link.py").symlink_to(root / ".env")
    expected = {
        path for path, text in SHOP.items() if b"limit_body" in (text if isinstance(text, bytes) else text.encode())
    }
    expected -= {".env", "server.pem"}
    assert {hit.path for hit in lines(root, SearchRequest("limit_body", "lexical")).hits} == expected
    assert {hit.path for hit in lines(root, SearchRequest("SECRET|limit_body", "regex")).hits} == expected
    assert {hit.path for hit in ranked(root, "limit_body", "mixed").hits} == expected


def test_scope_path_and_language_filters_apply(shop: Path) -> None:
    runtime = lines(shop, SearchRequest("limit_body", "lexical"), "runtime")
    assert {hit.path for hit in runtime.hits} == {"shop/http/limits.py", "shop/http/form.py"}
    assert dict(runtime.outside_scope) == {"docs": 1, "test": 2}
    docs = lines(shop, SearchRequest("limit_body", "lexical"), "docs")
    assert {hit.path for hit in docs.hits} == {"tests/test_limits.py", "docs/limits.md"}
    assert {hit.path for hit in lines(shop, SearchRequest("limit_body", "lexical", paths=("tests/",))).hits} == {
        "tests/test_limits.py"
    }
    only = lines(shop, SearchRequest("limit_body", "lexical", languages=("markdown",)))
    assert {hit.path for hit in only.hits} == {"docs/limits.md"}
    inside = lines(shop, SearchRequest("limit_body", "lexical", directory="shop/http"))
    assert {hit.path for hit in inside.hits} == {"shop/http/limits.py", "shop/http/form.py"}


def test_matches_have_no_symbols_and_are_not_grouped(shop: Path) -> None:
    found = lines(shop, SearchRequest("request", "lexical"))
    assert len(found.hits) == found.total == 6 and found.exhaustive
    assert {(hit.kind, hit.name, hit.lexical_path) for hit in found.hits} == {("text", "", "")}
    by_file = lines(shop, SearchRequest("request", "lexical", group_by="file"))
    assert [(hit.path, hit.collapsed) for hit in by_file.hits] == [("shop/http/form.py", 1), ("shop/http/limits.py", 3)]


def test_source_ranks_before_tests_and_docs(shop: Path) -> None:
    roles = [hit.role for hit in lines(shop, SearchRequest("limit_body", "lexical")).hits]
    assert roles == ["source", "source", "docs", "test", "test"]


def test_work_limits_apply_and_skipped_files_are_counted(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {f"m{number:02}.py": "needle = 1\n" * 10 for number in range(20)}
    root = make_repository(tmp_path / "repo", texts)
    few = lines(root, SearchRequest("needle", "lexical"), limits=WorkLimits(files=5))
    assert (few.files, few.total) == (5, 50)
    assert few.hints["not_searched"] == {WORK_LIMIT: 15}
    assert [skipped.reason for skipped in few.skipped] == [WORK_LIMIT] * 15
    size = 11 * 10
    small = lines(root, SearchRequest("needle", "lexical"), limits=WorkLimits(bytes=7 * size + 1))
    assert small.files == 7 and small.hints["not_searched"] == {WORK_LIMIT: 13}
    late = lines(root, SearchRequest("needle", "lexical"), limits=WorkLimits(seconds=0.0))
    assert late.hints["not_searched"] == {"time_limit": 20}
    best = ranked(root, "needle", limits=WorkLimits(files=3))
    assert len(best.hits) == 3 and best.hints["not_searched"] == {WORK_LIMIT: 17}
    slow = ranked(root, "needle", limits=WorkLimits(seconds=-1.0))
    assert not slow.hits and slow.hints["not_searched"] == {"time_limit": 20}


def test_a_search_can_be_cancelled(shop: Path) -> None:
    with tree_of(shop) as (opened, tree):
        with pytest.raises(CodePlaneError) as caught:
            find_lines(opened, tree, SearchRequest("body", "lexical"), Filters(), lambda: True)
        assert caught.value.code is ErrorCode.CANCELLED
        with pytest.raises(CodePlaneError) as caught:
            rank_files(opened, tree, operators.parse_query("body"), Filters(), lambda: True)
        assert caught.value.code is ErrorCode.CANCELLED


RANKED = {
    "limit_body": ("shop/http/limits.py", 5),
    "BodyLimiter": ("shop/http/limits.py", 4),
    "where is the size of a request body limited": ("shop/http/limits.py", 5),
    "the body of the request is too large": ("shop/http/limits.py", 9),
    "shopping cart total": ("shop/cart.py", 1),
    "retrying": ("shop/tasks.py", 1),
    "retry later": ("shop/cart.py", 5),
    "cart.py": ("shop/cart.py", 1),
    "shop/tasks.py": ("shop/tasks.py", 1),
    "lang:python path:shop/http/ form": ("shop/http/form.py", 4),
    "must:sum prices": ("shop/cart.py", 3),
}


@pytest.mark.parametrize("query", RANKED)
def test_best_file_ranks_first_with_its_best_line(shop: Path, query: str) -> None:
    assert places(ranked(shop, query))[0] == RANKED[query]


def test_names_are_searched_verbatim(shop: Path) -> None:
    assert {hit.path for hit in ranked(shop, "limit_body").hits} == {"shop/http/limits.py", "shop/http/form.py"}


def test_must_and_exclude_words_apply(shop: Path) -> None:
    assert [hit.path for hit in ranked(shop, "must:sum class").hits] == ["shop/cart.py"]
    assert "shop/cart.py" not in {hit.path for hit in ranked(shop, "exclude:prices class").hits}
    assert [hit.path for hit in ranked(shop, "must:prices").hits] == ["shop/cart.py"]


def test_matches_in_other_scopes_are_counted(shop: Path) -> None:
    found = ranked(shop, "KiB")
    assert not found.hits and dict(found.outside_scope) == {"docs": 1}


def test_scores_decrease_in_a_total_order(shop: Path) -> None:
    first, second = ranked(shop, "body request cart"), ranked(shop, "body request cart")
    assert first == second
    scores = [hit.score for hit in first.hits]
    assert scores == sorted(scores, reverse=True) and scores[0] == 1.0 and scores[-1] > 0
