"""Scan of many files for matching lines, in their order, until all are read or the deadline passes.

A literal is matched in the calling thread. Patterns that may take long run in a thread of their own: RE2 cannot be
interrupted, so the caller must be able to stop waiting. Matches found until then are kept. Files with a line that may
take long are scanned last, so they do not delay the others. A file too large to hold in memory
is read as texts that end at a line end; the encoding is detected per piece, because such a file is not indexed.
"""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode, is_binary
from codeplane.disk.safe_open import Root
from codeplane.operations.search.matching import (
    LINE_STEPS,
    MAX_STEPS,
    LineMatches,
    MatchLimits,
    PatternTooCostly,
    SearchText,
    make_search_text,
    match_text,
)
from codeplane.operations.search.model import Cancelled
from codeplane.operations.search.patterns import SearchPattern
from codeplane.operations.search.scan_cache import TEXT_BYTES, TextCache
from codeplane.query.contents import BINARY, TOO_LARGE, SearchableFile

MAX_LARGE_BYTES = 256 * 1024 * 1024
"""Total size of files too large for the index that one scan reads."""
MAX_THREADS = 2
"""Concurrent scan threads, including those whose caller has given up."""

TIME_LIMIT = "time_limit"
LINE_TOO_LONG = "line_too_long"

Outcome = LineMatches | str
"""Matches of a file, or the reason why it was not searched."""

_SLOTS = threading.BoundedSemaphore(MAX_THREADS)
_GRACE_SECONDS = 0.05


class _Stopped(Exception):
    """The deadline passed, or the caller left."""


@dataclass
class FileScan:
    root: Root
    pattern: SearchPattern
    deadline: float
    cancelled: Cancelled | None
    texts: TextCache
    inside: Sequence[SearchableFile]
    """Files whose matches are returned as rows, up to the limits."""
    outside: Sequence[SearchableFile]
    """Files whose matches are only counted; they are scanned last."""
    limits: MatchLimits

    def __post_init__(self) -> None:
        self._files = [*self.inside, *self.outside]
        self._large_left = MAX_LARGE_BYTES
        self._outcomes: dict[int, Outcome] = {}
        """Results by file number, for scanned files with something to report."""
        self._done = 0
        self._failure: Exception | None = None
        self._reading = threading.Lock()
        """Held while a file is opened; no file is opened after the caller has left and may close the root."""
        self._left = False

    def execute(self) -> list[tuple[SearchableFile, Outcome]]:
        """Return the files that match or were not searched.

        Rows come from the first files first. There may be more than the limit, for files that were scanned last.
        """
        seconds = max(0.0, self.deadline - time.monotonic())
        if self.pattern.cost == 0:
            self.run()
        elif self._files and _SLOTS.acquire(timeout=seconds):
            self._start_thread().join(max(0.0, self.deadline - time.monotonic()) + _GRACE_SECONDS)
        return self._finish()

    def _start_thread(self) -> threading.Thread:
        """Start a thread in an acquired slot; it releases the slot when it ends, however long that takes."""

        def run() -> None:
            try:
                self.run()
            finally:
                _SLOTS.release()

        thread = threading.Thread(target=run, name="scan", daemon=True)
        try:
            thread.start()
        except BaseException:
            _SLOTS.release()
            raise
        return thread

    def run(self) -> None:
        with BulkReader(self.root) as texts:
            try:
                late = self._search_each(texts)
                self._search_late(texts, late)
            except _Stopped:
                pass
            except Exception as error:
                self._failure = error

    def _finish(self) -> list[tuple[SearchableFile, Outcome]]:
        with self._reading:
            self._left = True
        if self._failure is not None:
            raise self._failure
        done = self._done
        outcomes = dict(self._outcomes)
        outcomes |= dict.fromkeys(range(done, len(self._files)), TIME_LIMIT)
        return [(self._files[number], outcome) for number, outcome in sorted(outcomes.items())]

    def _search_each(self, texts: BulkReader) -> list[int]:
        """Search all files, except those with a very expensive line, which are returned."""
        late: list[int] = []
        room = self.limits.rows
        digests = [file.digest for file in self._files]
        for number, known in self.texts.search(self.pattern, digests, len(self.inside), self.limits, self._check):
            self._done = number
            try:
                found = self._cut(known, number, room) or self._search(texts, number, room, LINE_STEPS)
            except PatternTooCostly as error:
                found = LINE_TOO_LONG
                if error.steps <= MAX_STEPS:
                    late.append(number)
                    found = TIME_LIMIT
            if isinstance(found, str) or found.lines:
                self._outcomes[number] = found
            room -= 0 if isinstance(found, str) else len(found.rows)
        self._done = len(self._files)
        return late

    def _search_late(self, texts: BulkReader, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._check()
            before = (
                found.rows for at, found in self._outcomes.items() if at < number and isinstance(found, LineMatches)
            )
            try:
                self._outcomes[number] = self._search(
                    texts, number, self.limits.rows - sum(map(len, before)), MAX_STEPS
                )
            except PatternTooCostly:
                self._outcomes[number] = LINE_TOO_LONG

    def _room(self, number: int, room: int) -> int:
        """Return the number of rows that a file may have, out of those left."""
        return max(0, min(room, self.limits.per_file)) if number < len(self.inside) else 0

    def _cut(self, known: LineMatches | None, number: int, room: int) -> LineMatches | None:
        """Return known matches truncated to the allowed rows; None if some of those rows are not known."""
        if known is None:
            return None
        own = self._room(number, room)
        if len(known.rows) < min(own, known.lines):
            return None
        return known if len(known.rows) <= own else LineMatches(known.rows[:own], known.lines)

    def _search(self, texts: BulkReader, number: int, room: int, max_steps: int) -> Outcome:
        self._check()
        file = self._files[number]
        own = self._room(number, room)
        if file.reason != TOO_LARGE:
            return self._search_one(texts, file, own, max_steps)
        large_left = self._large_left
        try:
            return self._search_large(texts, file, own, max_steps)
        except PatternTooCostly:
            self._large_left = large_left
            raise

    @cached_property
    def _fits_cache(self) -> bool:
        """True if all files fit into the cache; otherwise they would evict each other."""
        sizes = (file.size + TEXT_BYTES for file in self._files if file.reason != TOO_LARGE)
        return sum(sizes) <= self.texts.limit

    def _check(self) -> None:
        if self._left or time.monotonic() > self.deadline:
            raise _Stopped
        if self.cancelled is not None and self.cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")

    def _search_one(self, texts: BulkReader, file: SearchableFile, room: int, max_steps: int) -> Outcome:
        content = self.texts.get(file.digest)
        if content is None:
            found = self._read(texts, file)
            if isinstance(found, str):
                return found
            content = found
        return match_text(
            self.pattern, content, room, self._check, first_only=self.limits.first_only, max_steps=max_steps
        )

    def _read(self, texts: BulkReader, file: SearchableFile) -> SearchText | str:
        """Return the text of a file, or the reason why it has none."""
        with self._reading:
            self._check()
            data = texts.read(file.path, MAX_LEXICAL_BYTES)
        if isinstance(data, ReadFailure):
            return str(data.outcome)
        text = data
        # With an unchanged size, it is still the text that was indexed.
        if len(data) != file.size or file.encoding != "utf-8":
            decoded = decode(data)
            if decoded is None:
                return BINARY
            text = decoded.data
        elif data.startswith(codecs.BOM_UTF8):
            text = data[len(codecs.BOM_UTF8) :]
        content = make_search_text(text)
        if self._fits_cache and file.digest is not None:
            self.texts.put(file.digest, data, content)
        return content

    def _search_large(self, texts: BulkReader, file: SearchableFile, room: int, max_steps: int) -> Outcome:
        if file.size > self._large_left:
            return TOO_LARGE
        self._large_left -= file.size
        with self._reading:
            self._check()
            pieces = texts.read_chunks(file.path, PIECE_BYTES)
        found = LineMatches()
        line = 1
        first_only = self.limits.first_only
        for text in read_large_file(pieces, whole=self.pattern.whole):
            if isinstance(text, str):
                return text
            self._check()
            own = room - len(found.rows)
            here = match_text(
                self.pattern, make_search_text(text), own, self._check, line, first_only=first_only, max_steps=max_steps
            )
            found = LineMatches((*found.rows, *here.rows), found.lines + here.lines)
            if first_only and found.lines:
                break
            line += text.count(b"\n")
        return found


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
