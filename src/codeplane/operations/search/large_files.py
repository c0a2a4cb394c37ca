"""Reader of files too large to hold in memory, as texts that are searched one after another.

Each text ends at a line end. The encoding is detected per piece: such a file is not indexed, so nothing else needs to
agree on it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from codeplane.disk.bulk_read import ReadFailure
from codeplane.disk.encoding import decode, is_binary
from codeplane.query.contents import BINARY, TOO_LARGE

PIECE_BYTES = 4 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024
"""Maximum size of a line, or of a whole file if matches may span lines."""


def read_large_file(pieces: Iterator[bytes | ReadFailure], *, whole: bool) -> Iterator[bytes | str]:
    """Yield UTF-8 texts that make up the file; the last item is the reason if reading stops early."""
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
    """Return a decoder if a byte order mark says that the file is not UTF-8."""
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
