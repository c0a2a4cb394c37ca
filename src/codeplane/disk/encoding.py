"""Detection of encoding, line endings and binary content.

Decoded text is UTF-8 without a byte order mark; the mark and the encoding are recorded so that a writer can restore
them. Invalid sequences in UTF-16 or UTF-32 text are replaced and cannot be restored. Never raises on any input.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

SNIFF_BYTES = 8192
MAX_CONTROL_SHARE = 0.1
"""More control bytes than this, other than whitespace and escape, mean binary."""
MIN_ALLOWED_INVALID = 4
MAX_INVALID_SHARE = 0.02
"""Maximum share of invalid characters. In random bytes one in thirty UTF-16 units is a lone surrogate."""

_REPLACEMENT = "\ufffd"
_MARKS = (
    # The UTF-32 LE mark starts with the UTF-16 LE mark, so it comes first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"


class DecodedText(NamedTuple):
    data: bytes
    """UTF-8, no byte order mark."""
    encoding: str
    bom: bool
    line_ending: str
    """lf, crlf, cr, mixed or none."""


def decode(data: bytes) -> DecodedText | None:
    """Decode `data`, or return None if it is binary."""
    mark, encoding = _find_mark(data)
    if encoding is not None and encoding != "utf-8":
        text = _decode_marked(data[len(mark) :], encoding)
        return None if text is None else DecodedText(text, encoding, True, find_line_ending(text))
    if is_binary(data):
        return None
    body = data[len(mark) :]
    if _is_utf8(body):
        return DecodedText(body, "utf-8", bool(mark), find_line_ending(body))
    if mark:
        body = data
    return DecodedText(body.decode("latin-1").encode("utf-8"), "latin-1", False, find_line_ending(body))


def encode(text: str, like: DecodedText) -> bytes | None:
    """Encode `text` like a decoded text, with its byte order mark; None if the encoding cannot represent it."""
    mark = next(mark for mark, encoding in _MARKS if encoding == like.encoding) if like.bom else b""
    try:
        return mark + text.encode(like.encoding)
    except UnicodeEncodeError:
        return None


def _decode_marked(data: bytes, encoding: str) -> bytes | None:
    """Decode with replacement; None if so much is invalid that the mark is accidental."""
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError:
        text = data.decode(encoding, "replace")
    invalid = text.count(_REPLACEMENT)
    return text.encode("utf-8") if invalid <= max(MIN_ALLOWED_INVALID, len(text) * MAX_INVALID_SHARE) else None


def is_binary(data: bytes) -> bool:
    """True for an early NUL or too many control bytes; files with a UTF-16 or UTF-32 mark are text."""
    _, encoding = _find_mark(data)
    if encoding is not None and encoding != "utf-8":
        return False
    head = data[:SNIFF_BYTES]
    if b"\0" in head:
        return True
    return len(head) - len(head.translate(None, _CONTROL)) > len(head) * MAX_CONTROL_SHARE


def find_line_ending(data: bytes) -> str:
    carriage_returns = data.count(b"\r")
    newlines = data.count(b"\n")
    if not carriage_returns:
        return "lf" if newlines else "none"
    pairs = data.count(b"\r\n")
    if pairs == newlines == carriage_returns:
        return "crlf"
    return "cr" if not newlines else "mixed"


def _find_mark(data: bytes) -> tuple[bytes, str | None]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return mark, encoding
    return b"", None


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
