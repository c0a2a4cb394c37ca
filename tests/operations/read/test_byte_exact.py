"""Reads are byte-exact: consecutive line ranges, joined and encoded, equal the file.

`READ_EXAMPLES=100000 pytest tests/operations/read/test_byte_exact.py` looks longer.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.operations.read.cut_text import CutLimits, cut, json_chars, piece_of
from codeplane.operations.read.documents import Document, encode_text, open_document
from support.repositories import git, make_repository, write

EXAMPLES = int(os.environ.get("READ_EXAMPLES", "400"))

_TEXT = "def f():\r\n\treturn 'ä語\U0001f600'\n\x0cform\u2028feed\rcr only\n\nlast"
FILES: dict[str, bytes] = {
    "utf8": _TEXT.encode(),
    "utf8_bom": b"\xef\xbb\xbf" + _TEXT.encode(),
    "utf16le": b"\xff\xfe" + _TEXT.encode("utf-16-le"),
    "utf16be": b"\xfe\xff" + _TEXT.encode("utf-16-be"),
    "utf32le": b"\xff\xfe\0\0" + _TEXT.encode("utf-32-le"),
    "utf32be": b"\0\0\xfe\xff" + _TEXT.encode("utf-32-be"),
    "utf16le_bare": _TEXT.encode("utf-16-le"),
    "latin1": "grün = 1\nmaß\n".encode("latin-1"),
    "latin1_bom": b"\xef\xbb\xbfgr\xfcn\n",
    "shift_jis": "変数 = 1\n".encode("shift_jis"),
    "invalid_utf8": b"a\xff\xfeb\n\xc3(\n",
    "surrogate_utf8": b"\xed\xa0\x80\n",
    "nul_early": b"a\0b\n",
    "nul_late": b"x" * 9000 + b"\n\0\n",
    "cr_only": b"a\rb\rc\r",
    "crlf": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\nc\rd\n",
    "separators": "a\u2028b\u2029c\x0bd\x0ce\x85f\n".encode(),
    "no_final_newline": b"a\nb",
    "empty": b"",
    "newline": b"\n",
    "blank": b" \n\t\n  ",
    "one_line": b"x" * 100_000,
    "damaged_utf16": b"\xff\xfea\0b\0\n\0\x00\xd8c\0\n\0",
    "half_utf16": b"\xff\xfea\0b",
}
BINARY = {"utf16le_bare", "nul_early"}
LOSSY = {"damaged_utf16", "half_utf16"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", dict(FILES))


def read(place: Path, name: str) -> Document:
    with Root.open(place) as root:
        return open_document(root, RepoPath(name))


def whole(document: Document, lines: int, chars: int) -> str:
    """Return all of a text, read in pages."""
    assert document.body is not None
    pages: list[str] = []
    first, last = 1, document.body.line_count
    while first <= last:
        found = cut(document.body, first, last, CutLimits(lines, chars, chars * 6))
        if found.within_line:
            data, at = document.body.between(first, first), 0
            while at < len(data):
                piece = piece_of(data, at, CutLimits(lines, chars, chars * 6))
                pages.append(piece)
                at += len(piece.encode())
        else:
            assert len(found.content) <= chars and found.last < first + lines
            pages.append(found.content)
        first = found.last + 1
    return "".join(pages)


@pytest.mark.parametrize("name", FILES)
def test_pages_restore_the_bytes(root: Path, name: str) -> None:
    found = read(root, name)
    assert (found.digest, found.size) == (hashlib.sha256(FILES[name]).hexdigest(), len(FILES[name]))
    assert (found.body is None) == (name in BINARY)
    assert found.lossy == (name in LOSSY)
    if found.body is None:
        return
    for lines, chars in ((1, 10), (2, 50), (1000, 1_000_000)):
        text = whole(found, lines, chars)
        if name in LOSSY:
            assert "\ufffd" in text
        else:
            assert encode_text(text, found.encoding, found.bom) == FILES[name]


@pytest.mark.parametrize("name", sorted(set(FILES) - BINARY - {"empty"}))
def test_lines_match_git(root: Path, name: str) -> None:
    """Return the line numbers of `git grep`, for the text as UTF-8."""
    found = read(root, name)
    assert found.body is not None
    write(root, "plain", found.body.data)
    git(root, "add", "plain")
    told = git(root, "grep", "-c", "-a", "", "--", "plain").strip()
    assert told == f"plain:{found.body.line_count}"


@settings(
    max_examples=EXAMPLES,
    derandomize="READ_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    pieces=st.lists(
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(["\r\n", "\n", "\r", "\x0c", "\u2028", "\x85", "\0", "\ufeff", "\x1b[0m", "x" * 300]),
        ),
        max_size=30,
    ),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "shift_jis", "bytes"]),
    bom=st.booleans(),
    raw=st.binary(max_size=200),
    lines=st.integers(1, 40),
    chars=st.integers(1, 400),
)
def test_read_text_round_trips(
    tmp_path: Path, pieces: list[str], encoding: str, bom: bool, raw: bytes, lines: int, chars: int
) -> None:
    text = "".join(pieces)
    marks = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "utf-32-le": b"\xff\xfe\0\0"}
    data = raw if encoding == "bytes" else text.encode(encoding, "replace")
    data = (marks.get(encoding, b"") if bom else b"") + data
    write(tmp_path, "file", data)
    found = read(tmp_path, "file")
    assert found.digest == hashlib.sha256(data).hexdigest()
    if found.body is None:
        return
    told = whole(found, lines, chars)
    assert (encode_text(told, found.encoding, found.bom) == data) != found.lossy


@pytest.mark.parametrize("text", ["a", '"', "\\", "\n", "\x01", "ä", "語", "\U0001f600", "\u2028", "\x7f", 'a"\n\x00ä'])
def test_limits_count_json_characters(text: str) -> None:
    for times in (1, 7, 1000):
        data = (text * times).encode()
        for room in (0, 1, 6, 100, 3000):
            piece = piece_of(data, 0, CutLimits(1, 1 << 20, room))
            assert json_chars(piece) <= room
            assert data.decode().startswith(piece)
            more = data.decode()[: len(piece) + 1]
            assert len(more) == len(piece) or json_chars(more) > room - 6
