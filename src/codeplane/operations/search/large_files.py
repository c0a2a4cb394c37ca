"""A file too large to be held, as texts that can be searched one after another.

Each text ends where a line does. Which encoding a piece has is found piece by piece: a file of
this size is in no index, and nothing else needs to agree on it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from codeplane.disk.bulk_read import ReadFailure
from codeplane.disk.encoding import decode, is_binary
from codeplane.query.contents import BINARY, TOO_LARGE

PIECE_BYTES = 4 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024
"""Of a line, or of a whole file where matches may reach over lines."""


def read_large_file(pieces: Iterator[bytes | ReadFailure], *, whole: bool) -> Iterator[bytes | str]:
    """UTF-8 texts that make up the file, or last of all the reason why there are no more."""
    decoder: codecs.IncrementalDecoder | None = None
    left = b""
    first = True
    for piece in pieces:
        if isinstance(piece, ReadFailure):
            yield str(piece.outcome)
            return
        if first:
            if is_binary(piece):
                yield BINARY
                return
            decoder = _decoder(piece)
            first = False
        left += piece if decoder is None else decoder.decode(piece).encode("utf-8", "replace")
        end = 0 if whole else left.rfind(b"\n") + 1
        if end:
            yield _utf8(left[:end])
            left = left[end:]
        elif len(left) > MAX_LINE_BYTES:
            yield TOO_LARGE
            return
    if left:
        yield _utf8(left)


def _decoder(start: bytes) -> codecs.IncrementalDecoder | None:
    """For a file whose mark says that it is not UTF-8."""
    marked = decode(start[:4])
    if marked is None or not marked.bom or marked.encoding == "utf-8":
        return None
    return codecs.getincrementaldecoder(marked.encoding.rpartition("-")[0])("replace")


def _utf8(data: bytes) -> bytes:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8")
    return data
