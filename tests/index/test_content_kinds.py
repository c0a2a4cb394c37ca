"""Treatment of a file by its bytes: its row, outline and searchable text, as documented in `docs/content.md`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES, MAX_NESTING
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_scan import MAX_LINE_BYTES
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text
from codeplane.operations.status import status
from codeplane.query.files import get_file
from codeplane.query.snapshot import open_current
from codeplane.store.layout import open_state
from support.repositories import git, make_repository, write
from support.tooling import Server, codes_of, context_for, error_of, serving

LINES = ("def needle():", "    return 1", "", "", "def second():", "    return needle()")
"""A definition in lines 1 and 2, and one in 5 and 6 that uses it."""


def source(end: str = "\n") -> str:
    return "".join(line + end for line in LINES)


class Kind(NamedTuple):
    data: bytes
    encoding: str | None = "utf-8"
    lines: int = 6
    reason: str | None = None
    first: int = 1
    """Line of the first definition."""
    found: bool = True
    """True if its text can be searched."""


KINDS: dict[str, Kind] = {
    "lf": Kind(source().encode()),
    "crlf": Kind(source("\r\n").encode()),
    "mixed": Kind(source().replace(":\n", ":\r\n").encode()),
    "no_final_newline": Kind(source().rstrip().encode()),
    "bom": Kind(b"\xef\xbb\xbf" + source().encode()),
    "bom_crlf": Kind(b"\xef\xbb\xbf" + source("\r\n").encode()),
    "bom_twice": Kind(b"\xef\xbb\xbf# \xef\xbb\xbf\n" + source().encode(), lines=7, first=2),
    "utf16_le": Kind(b"\xff\xfe" + source().encode("utf-16-le"), "utf-16-le"),
    "utf16_be_crlf": Kind(b"\xfe\xff" + source("\r\n").encode("utf-16-be"), "utf-16-be"),
    "utf32_le": Kind(b"\xff\xfe\0\0" + source().encode("utf-32-le"), "utf-32-le"),
    "utf32_be": Kind(b"\0\0\xfe\xff" + source().encode("utf-32-be"), "utf-32-be"),
    "utf16_le_unmarked": Kind(source().encode("utf-16-le"), None, 0, "binary", found=False),
    "utf16_be_unmarked": Kind(source().encode("utf-16-be"), None, 0, "binary", found=False),
    "utf32_unmarked": Kind(source().encode("utf-32-le"), None, 0, "binary", found=False),
    "utf16_cut_short": Kind(b"\xff\xfe" + source().encode("utf-16-le") + b"\n", "utf-16-le", 7),
    "latin_1": Kind(f"# café\n{source()}".encode("latin-1"), "latin-1", 7, first=2),
    "shift_jis": Kind(f"# 日本語の表示\n{source()}".encode("shift-jis"), "latin-1", 7, first=2),
    "euc_jp": Kind(f"# 日本語の表示\n{source()}".encode("euc-jp"), "latin-1", 7, first=2),
    "gb18030": Kind(f"# 中文注释\n{source()}".encode("gb18030"), "latin-1", 7, first=2),
    "koi8_r": Kind(f"# Привет\n{source()}".encode("koi8-r"), "latin-1", 7, first=2),
    "invalid_utf8": Kind(b"# \xc3( \xff \xed\xa0\x80 \xf4\x90\x80\x80\n" + source().encode(), "latin-1", 7, first=2),
    "nul_early": Kind(b"# \0\n" + source().encode(), None, 0, "binary", found=False),
    "nul_late": Kind(source().encode() + b"#" * 8192 + b"\n# \0\n", lines=8),
    "control_bytes": Kind(bytes(range(1, 32)) * 20 + source().encode(), None, 0, "binary", found=False),
    "line_separators": Kind(f"# a\u2028b\u2029c\u0085d\v\f\n{source()}".encode(), lines=7, first=2),
    "form_feed": Kind(f"\f\n{source()}".encode(), lines=7, first=2),
    "bidi_marks": Kind(f"# \u202e\u2066\n{source()}".encode(), lines=7, first=2),
    "too_large_to_parse": Kind(source().encode() + b"#\n" * 524_288, lines=524_294, reason="too_large_to_parse"),
    "too_large": Kind(source().encode() + b"#\n" * (MAX_LEXICAL_BYTES // 2), None, 0, "too_large"),
}  # fmt: skip
QUIET: dict[str, Kind] = {
    "empty": Kind(b"", lines=0),
    "newline": Kind(b"\n", lines=1),
    "white_space": Kind(b" \n\t\n \r\n\f", lines=4),
    "only_bom": Kind(b"\xef\xbb\xbf", lines=0),
    "only_utf16_mark": Kind(b"\xff\xfe", "utf-16-le", 0),
}
"""Nothing is defined in these."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files: dict[str, str | bytes] = {f"{name}/m.py": kind.data for name, kind in (KINDS | QUIET).items()}
    files |= {"cr/m.py": source("\r"), "cr/words.txt": "one\rneedle two\rthree\r"}
    files |= {"deep/m.py": "[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1) + "\nneedle = 1\n"}
    root = make_repository(tmp_path_factory.mktemp("kinds") / "repo", files)
    with serving(root) as server:
        yield server


def row(server: Server, path: str) -> tuple[str, str | None, str | None, int]:
    state = open_state(server.root)
    assert state is not None
    with open_current(state) as snapshot:
        file = get_file(snapshot, path)
    assert file is not None
    return file.state, file.reason, file.encoding, file.lines


def matches(server: Server, text: str, folder: str, *, regex: bool = False) -> list[int]:
    """Lines with a literal in one folder; no file of it may be left unsearched but binary ones."""
    state = open_state(server.root)
    assert state is not None
    with open_current(state) as snapshot, Root.open(server.root) as root:
        query = TextQuery(text, regex, True, lambda row: row.path.startswith(f"{folder}/"), seconds=30)
        found = find_text(SearchSources(snapshot, root, ScanCache()), query)
    assert not found.skipped
    return [located.match.line for located in found.rows]


def symbols(told: dict[str, object]) -> list[tuple[str, int, int]]:
    result = told["result"]
    assert isinstance(result, dict)
    return [(each["name"], each["line_start"], each["line_end"]) for each in result["symbols"]]


@pytest.mark.parametrize("name", KINDS)
def test_content_is_classified(server: Server, name: str) -> None:
    kind, path = KINDS[name], f"{name}/m.py"
    state = {None: "indexed", "too_large_to_parse": "text"}.get(kind.reason, "skipped")
    assert row(server, path) == (state, kind.reason, kind.encoding, kind.lines)
    told = server.call("file_outline", {"file": path})
    if kind.reason is None:
        first = kind.first
        assert symbols(told) == [("needle", first, first + 1), ("second", first + 4, first + 5)]
        assert told["result"]["line_count"] == kind.lines
    else:
        assert error_of(told, ErrorCode.LANGUAGE_UNSUPPORTED)["details"]["reason"] == kind.reason
    expected = [kind.first, kind.first + 5] if kind.found else []
    assert matches(server, "needle", name) == expected


@pytest.mark.parametrize("name", QUIET)
def test_files_without_symbols(server: Server, name: str) -> None:
    path = f"{name}/m.py"
    assert row(server, path) == ("indexed", None, QUIET[name].encoding, QUIET[name].lines)
    told = server.call("file_outline", {"file": path})
    assert (symbols(told), codes_of(told)) == ([], [])


def test_lone_carriage_return_is_not_a_line_ending(server: Server) -> None:
    """As git and ripgrep count; the definitions are found all the same."""
    assert row(server, "cr/m.py") == ("indexed", None, "utf-8", 1)
    assert symbols(server.call("file_outline", {"file": "cr/m.py"})) == [("needle", 1, 1), ("second", 1, 1)]
    assert matches(server, "needle", "cr") == [1, 1]
    assert matches(server, "^needle", "cr", regex=True) == []


def test_facts_ignore_line_endings(server: Server) -> None:
    told = [server.call("file_outline", {"file": f"{name}/m.py"})["result"] for name in ("lf", "crlf", "mixed", "bom")]
    assert all(each["symbols"] == told[0]["symbols"] for each in told)


def test_unknown_encoding_is_read_as_latin_1(server: Server) -> None:
    """The encoding cannot be derived from the bytes; ASCII is the same in nearly all encodings."""
    assert matches(server, "café", "latin_1") == [1]
    for name, meant in (("shift_jis", "日本語"), ("euc_jp", "日本語"), ("gb18030", "中文"), ("koi8_r", "Привет")):
        assert matches(server, meant, name) == []
        assert matches(server, "needle()", name) == [2, 7]
    assert matches(server, "日本語".encode("euc-jp").decode("latin-1"), "euc_jp") == [1]


def test_nesting_beyond_the_limit_is_text_with_a_reason(server: Server) -> None:
    assert row(server, "deep/m.py") == ("indexed", None, "utf-8", 2)
    told = server.call("file_outline", {"file": "deep/m.py"})
    assert (symbols(told), codes_of(told)) == ([], ["FILE_NOT_PARSED_WHOLE"])
    assert matches(server, "needle", "deep") == [2]


def test_skipped_files_are_counted_by_reason(server: Server) -> None:
    told = dict(status(context_for(server.root)).skipped)
    expected = [kind.reason for kind in KINDS.values()]
    assert told == {reason: expected.count(reason) for reason in ("binary", "too_large")}


def test_git_conversions_are_not_applied(tmp_path: Path) -> None:
    """Attributes change what git stores; what is on disk is what an editor and an agent see."""
    root = make_repository(tmp_path / "repo", {".gitattributes": "*.py text eol=crlf working-tree-encoding=UTF-16\n"})
    write(root, "m.py", source().encode("utf-16"))
    git(root, "add", "-A")
    with serving(root) as server:
        assert row(server, "m.py") == ("indexed", None, "utf-16-le", 6)


@pytest.mark.parametrize(
    "size", [MAX_LINE_BYTES + 1024 * 1024, pytest.param(300 * 1024 * 1024, marks=pytest.mark.sweep)]
)
def test_very_long_line(tmp_path: Path, size: int) -> None:
    """Recorded, neither hashed nor held; a search names it as not searched."""
    root = make_repository(tmp_path / "repo", {"a.json": '{"needle": 1}\n'})
    with (root / "line.json").open("wb") as file:
        for _ in range(size // 2**20):
            file.write(b"needle, " * (2**20 // 8))
    with serving(root) as server:
        assert row(server, "line.json") == ("skipped", "too_large", None, 0)
        told = server.call("search", {"query": "needle", "mode": "lexical"})
        assert [hit["path"] for hit in told["result"]["results"]] == ["a.json"]
        assert told["result"]["not_searched"] == {"too_large": 1}
        told = server.call("file_outline", {"file": "line.json"})
        assert error_of(told, ErrorCode.LANGUAGE_UNSUPPORTED)["details"]["reason"] == "too_large"
