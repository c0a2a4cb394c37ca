"""Bytes to text and back to what a writer must know."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.disk.encoding import DecodedText, decode, is_binary

WORD = "naïve 中文 🎉\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", DecodedText(b"", "utf-8", False, "none")),
        (b"a\n", DecodedText(b"a\n", "utf-8", False, "lf")),
        (b"a\r\nb\r\n", DecodedText(b"a\r\nb\r\n", "utf-8", False, "crlf")),
        (b"a\rb\r", DecodedText(b"a\rb\r", "utf-8", False, "cr")),
        (b"a\r\nb\n", DecodedText(b"a\r\nb\n", "utf-8", False, "mixed")),
        (b"a\r\nb\r", DecodedText(b"a\r\nb\r", "utf-8", False, "mixed")),
        (b"a\n\rb", DecodedText(b"a\n\rb", "utf-8", False, "mixed")),
        (WORD.encode(), DecodedText(WORD.encode(), "utf-8", False, "lf")),
        (codecs.BOM_UTF8 + b"a", DecodedText(b"a", "utf-8", True, "none")),
        (codecs.BOM_UTF16_LE + WORD.encode("utf-16-le"), DecodedText(WORD.encode(), "utf-16-le", True, "lf")),
        (codecs.BOM_UTF16_BE + WORD.encode("utf-16-be"), DecodedText(WORD.encode(), "utf-16-be", True, "lf")),
        (codecs.BOM_UTF32_LE + WORD.encode("utf-32-le"), DecodedText(WORD.encode(), "utf-32-le", True, "lf")),
        (codecs.BOM_UTF32_BE + WORD.encode("utf-32-be"), DecodedText(WORD.encode(), "utf-32-be", True, "lf")),
        (b"caf\xe9\n", DecodedText("café\n".encode(), "latin-1", False, "lf")),
        (b"\x1b[31mred\x1b[0m\n", DecodedText(b"\x1b[31mred\x1b[0m\n", "utf-8", False, "lf")),
        (b"a\x00b", None),
        (bytes(range(1, 32)) * 10, None),
        (codecs.BOM_UTF16_LE + b"a\0b", DecodedText("a\ufffd".encode(), "utf-16-le", True, "none")),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\n\0", DecodedText("\ufffd\n".encode(), "utf-16-le", True, "lf")),
        (codecs.BOM_UTF32_BE + b"\0\0\0a\0", DecodedText("a\ufffd".encode(), "utf-32-be", True, "none")),
        (codecs.BOM_UTF16_LE + random.Random(1).randbytes(5000), None),
        (codecs.BOM_UTF32_LE + random.Random(1).randbytes(5000), None),
    ],
)
def test_text_is_decoded(data: bytes, expected: DecodedText | None) -> None:
    assert decode(data) == expected


def test_nul_after_the_sniffed_prefix_is_text() -> None:
    assert not is_binary(b"a" * 9000 + b"\0")


@settings(derandomize=True, database=None)
@given(st.binary(max_size=200))
def test_any_bytes_decode_to_valid_utf8(data: bytes) -> None:
    text = decode(data)
    if text is not None:
        body = text.data.decode("utf-8")
        if text.encoding.startswith("utf") and "\ufffd" not in body:
            assert body.encode(text.encoding) in data
        else:
            assert body.encode("latin-1") == data
