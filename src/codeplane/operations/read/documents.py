"""Working tree files as they are now: bytes with their digest, and decoded text.

Lines end at LF only, as in git and the index: a lone CR, a form feed and U+2028 are characters of a line. The text of
lines includes their line ends, so joined lines give the text, and the text with `encoding` and `bom` gives back the
bytes, unless it is `lossy`.
"""

from __future__ import annotations

import codecs
import os
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN, MAX_READ_BYTES
from codeplane.base.paths import RepoPath, basename, display, join, normalize, parent
from codeplane.disk.allowed_secrets import is_blocked_secret
from codeplane.disk.encoding import decode
from codeplane.disk.policy import is_protected, refuse_restricted
from codeplane.disk.safe_open import Root

_ATTEMPTS = 3
_BLOCK = 4096
_DEFAULT_LINE_ENDINGS = ("lf", "none")
_BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


class TextBody:
    """Text addressed by lines, with a small line index."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def line_count(self) -> int:
        return self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))

    @property
    def tokens(self) -> int:
        chars = len(self.data) if self.data.isascii() else len(self.data.decode("utf-8"))
        return chars // CHARS_PER_TOKEN

    def between(self, first: int, last: int) -> bytes:
        """Return lines from `first` to `last` with their line ends."""
        return self.data[self._start(first) : self._start(last + 1)]

    def _start(self, line: int) -> int:
        """Return the offset of a line, or the end of the text if there is no such line."""
        if line <= 1:
            return 0
        if line > self.line_count:
            return len(self.data)
        block = bisect_left(self._ends, line - 1)
        ends = self._ends[block - 1] if block else 0
        at = block * _BLOCK
        for _ in range(line - 1 - ends):
            at = self.data.index(b"\n", at) + 1
        return at

    @cached_property
    def _ends(self) -> list[int]:
        """Number of line ends up to the end of each block."""
        blocks = range(0, len(self.data), _BLOCK)
        return list(accumulate(self.data.count(b"\n", at, at + _BLOCK) for at in blocks))


@dataclass(frozen=True)
class Document:
    path: RepoPath
    digest: Digest
    size: int
    body: TextBody | None
    encoding: str = "utf-8"
    bom: bool = False
    line_ending: str = "lf"
    lossy: bool = False
    """True if invalid characters were replaced, so the bytes cannot be restored from the text."""

    def unusual(self) -> dict[str, object]:
        """Return encoding properties that differ from plain UTF-8 with LF, which a writer must preserve."""
        fields: dict[str, object] = {}
        if self.encoding != "utf-8":
            fields["encoding"] = self.encoding
        if self.bom:
            fields["bom"] = True
        if self.line_ending not in _DEFAULT_LINE_ENDINGS:
            fields["line_ending"] = self.line_ending
        if self.lossy:
            fields["lossy"] = True
        return fields


def open_document(root: Root, path: RepoPath) -> Document:
    """Read a file that a caller named; retry if it changes while it is read."""
    refuse_restricted(root.path, path)
    if not path:
        raise _not_a_file(path)
    for attempt in range(_ATTEMPTS):
        try:
            return _decode_document(path, root.read_file(path, MAX_READ_BYTES).data)
        except CodePlaneError as error:
            if error.code is ErrorCode.NOT_REGULAR and is_directory(root, path):
                raise _not_a_file(path) from None
            if error.code is ErrorCode.PATH_SYMLINK:
                raise _linked(root, path, error) from None
            if error.code is not ErrorCode.FILE_CHANGED or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError


def is_file(root: Root, path: str) -> bool:
    """True if there is a file, or something in its place that reads reject."""
    try:
        os.close(root.open_file(path))
    except CodePlaneError as error:
        if error.code is ErrorCode.NOT_REGULAR:
            return not is_directory(root, path)
        return error.code in (ErrorCode.FILE_UNREADABLE, ErrorCode.PATH_SYMLINK)
    return True


def is_directory(root: Root, path: str) -> bool:
    try:
        os.close(root.open_directory(path))
    except CodePlaneError:
        return False
    return True


def encode_text(text: str, encoding: str, bom: bool) -> bytes:
    """Encode a text back to the bytes that it was read from."""
    return (_BOMS[encoding] if bom else b"") + text.encode(encoding)


def _decode_document(path: RepoPath, data: bytes) -> Document:
    digest = digest_bytes(data)
    text = decode(data)
    if text is None:
        return Document(path, digest, len(data), None)
    lossy = text.encoding.startswith("utf-") and text.encoding != "utf-8"
    if lossy:
        lossy = encode_text(text.data.decode("utf-8"), text.encoding, text.bom) != data
    return Document(path, digest, len(data), TextBody(text.data), text.encoding, text.bom, text.line_ending, lossy)


def _not_a_file(path: RepoPath) -> CodePlaneError:
    shown = display(path) or "."
    return CodePlaneError(
        ErrorCode.NOT_REGULAR,
        f"'{shown}' is a directory",
        expected="the path of a file",
        received=shown,
    )


def _linked(root: Root, path: RepoPath, error: CodePlaneError) -> CodePlaneError:
    """Add the destination to a symlink error, if it is a readable file of the repository."""
    leads_to = _link_destination(root, path)
    if leads_to is None:
        return error
    return CodePlaneError(
        error.code, error.message, details={"leads_to": leads_to}, remedy="Read the file in details.leads_to."
    )


def _link_destination(root: Root, path: RepoPath) -> RepoPath | None:
    try:
        folder = root.open_directory(parent(path))
    except CodePlaneError:
        return None
    try:
        link = os.readlink(basename(path), dir_fd=folder)
        found = normalize(os.path.normpath(join(parent(path), link)))
    except (OSError, CodePlaneError):
        return None
    finally:
        os.close(folder)
    if is_protected(found) or is_blocked_secret(root.path, found):
        return None
    try:
        os.close(root.open_file(found))
    except CodePlaneError:
        return None
    return found
