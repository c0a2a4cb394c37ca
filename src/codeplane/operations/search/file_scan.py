"""Every matching line of many files, in their order, until all are read or the time is up.

A literal is looked for where it was asked. Whatever may take long runs in a thread of its own: RE2 cannot be
interrupted, so whoever waits for it must be able to leave. What was found until then stands. Files with a line that
may take long come last, so that it costs no other file its turn.
"""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.operations.search.large_files import PIECE_BYTES, read_large_file
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
from codeplane.operations.search.patterns import SearchPattern
from codeplane.operations.search.scan_cache import TEXT_BYTES, TextCache
from codeplane.query.contents import BINARY, TOO_LARGE, SearchableFile

MAX_LARGE_BYTES = 256 * 1024 * 1024
"""Of files that are too large for the index, all together."""
MAX_THREADS = 2
"""Scans that run apart from their callers, those among them that nobody waits for any more."""

TIME_LIMIT = "time_limit"
LINE_TOO_LONG = "line_too_long"

Cancelled = Callable[[], bool]


Outcome = LineMatches | str
"""What was found in a file, or why it was not searched."""


def scan(
    root: Root,
    wanted: Sequence[SearchableFile],
    counted: Sequence[SearchableFile],
    pattern: SearchPattern,
    limits: MatchLimits,
    seconds: float,
    cancelled: Cancelled | None,
    texts: TextCache,
) -> list[tuple[SearchableFile, Outcome]]:
    """Files in which something was found, or that were not searched; of lines in those that are wanted a row each, up
    to the limits.

    What is only counted waits: the time may not be enough for all. The first rows are those of the first files; there
    may be more than the limit, for files that came last.
    """
    deadline = time.monotonic() + seconds
    work = _Scan(root, wanted, counted, pattern, limits, deadline, cancelled, texts)
    if pattern.cost == 0:
        work.run()
    elif (wanted or counted) and _SLOTS.acquire(timeout=max(0.0, seconds)):
        _start(work).join(max(0.0, deadline - time.monotonic()) + _GRACE_SECONDS)
    return work.finish()


def _start(work: _Scan) -> threading.Thread:
    """In a slot that was taken for it, and that it gives back when it ends, however long that takes."""

    def run() -> None:
        try:
            work.run()
        finally:
            _SLOTS.release()

    thread = threading.Thread(target=run, name="scan", daemon=True)
    try:
        thread.start()
    except BaseException:
        _SLOTS.release()
        raise
    return thread


_SLOTS = threading.BoundedSemaphore(MAX_THREADS)
_GRACE_SECONDS = 0.05


class _Stopped(Exception):
    """The time is up, or nobody waits any more."""


class _Scan:
    def __init__(
        self,
        root: Root,
        wanted: Sequence[SearchableFile],
        counted: Sequence[SearchableFile],
        pattern: SearchPattern,
        limits: MatchLimits,
        deadline: float,
        cancelled: Cancelled | None,
        texts: TextCache,
    ) -> None:
        self._root = root
        self._files = [*wanted, *counted]
        self._wanted = len(wanted)
        self._pattern = pattern
        self._limits = limits
        self._deadline = deadline
        self._cancelled = cancelled
        self._texts = texts
        self._large_left = MAX_LARGE_BYTES
        self._outcomes: dict[int, Outcome] = {}
        """By number of the file; of those that are done, where there is something to tell."""
        self._done = 0
        self._failure: Exception | None = None
        self._reading = threading.Lock()
        """Held while a file is opened, so that none is once the caller has left and may close the root."""
        self._left = False

    def run(self) -> None:
        with BulkReader(self._root) as texts:
            try:
                late = self._search_each(texts)
                self._search_late(texts, late)
            except _Stopped:
                pass
            except Exception as error:
                self._failure = error

    def finish(self) -> list[tuple[SearchableFile, Outcome]]:
        with self._reading:
            self._left = True
        if self._failure is not None:
            raise self._failure
        done = self._done
        outcomes = dict(self._outcomes)
        outcomes |= dict.fromkeys(range(done, len(self._files)), TIME_LIMIT)
        return [(self._files[number], outcome) for number, outcome in sorted(outcomes.items())]

    def _search_each(self, texts: BulkReader) -> list[int]:
        """Search the files; those that have a line of many steps are left for later."""
        late: list[int] = []
        room = self._limits.rows
        digests = [file.digest for file in self._files]
        for number, known in self._texts.search(self._pattern, digests, self._wanted, self._limits, self._check):
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
                    texts, number, self._limits.rows - sum(map(len, before)), MAX_STEPS
                )
            except PatternTooCostly:
                self._outcomes[number] = LINE_TOO_LONG

    def _room(self, number: int, room: int) -> int:
        """Rows that a file may have, of those that are left to all."""
        return max(0, min(room, self._limits.per_file)) if number < self._wanted else 0

    def _cut(self, known: LineMatches | None, number: int, room: int) -> LineMatches | None:
        """What is known of a file, with as many rows as it may have; None if some of them are not known."""
        if known is None:
            return None
        own, held = self._room(number, room), len(known.rows)
        if held < min(own, known.lines):
            return None
        return known if held <= own else LineMatches(known.rows[:own], known.lines)

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
    def _keeps(self) -> bool:
        """More than can be kept would drive out one another, and all that is there."""
        sizes = (file.size + TEXT_BYTES for file in self._files if file.reason != TOO_LARGE)
        return sum(sizes) <= self._texts.limit

    def _check(self) -> None:
        if self._left or time.monotonic() > self._deadline:
            raise _Stopped
        if self._cancelled is not None and self._cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")

    def _search_one(self, texts: BulkReader, file: SearchableFile, room: int, max_steps: int) -> Outcome:
        content = self._texts.get(file.digest)
        if content is None:
            found = self._read(texts, file)
            if isinstance(found, str):
                return found
            content = found
        return match_text(self._pattern, content, room, self._check, once=self._limits.once, max_steps=max_steps)

    def _read(self, texts: BulkReader, file: SearchableFile) -> SearchText | str:
        """The text of a file, or why there is none."""
        with self._reading:
            self._check()
            data = texts.read(file.path, MAX_LEXICAL_BYTES)
        if isinstance(data, ReadFailure):
            return str(data.outcome)
        text = data
        # As long as it was, it is the text that the index took it for.
        if len(data) != file.size or file.encoding != "utf-8":
            decoded = decode(data)
            if decoded is None:
                return BINARY
            text = decoded.data
        elif data.startswith(codecs.BOM_UTF8):
            text = data[len(codecs.BOM_UTF8) :]
        content = make_search_text(text)
        if self._keeps and file.digest is not None:
            self._texts.put(file.digest, data, content)
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
        once = self._limits.once
        for text in read_large_file(pieces, whole=self._pattern.whole):
            if isinstance(text, str):
                return text
            self._check()
            own = room - len(found.rows)
            here = match_text(
                self._pattern, make_search_text(text), own, self._check, line, once=once, max_steps=max_steps
            )
            found = LineMatches((*found.rows, *here.rows), found.lines + here.lines)
            if once and found.lines:
                break
            line += text.count(b"\n")
        return found
