"""Every matching line of many files, in their order, until all are read or the time is up.

A literal is looked for where it was asked. Whatever may take long runs in a thread of its own: RE2 cannot be
interrupted, so whoever waits for it must be able to leave. What was found until then stands. Files with a line that
may take long come last, so that it costs no other file its turn.
"""

from __future__ import annotations

import codecs
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.beneath import Root
from codeplane.disk.text import decode
from codeplane.disk.texts import Texts, Unread
from codeplane.operations.search.kept import TEXT_BYTES, KeptTexts
from codeplane.operations.search.large import BINARY, PIECE_BYTES, TOO_LARGE, texts_of_large_file
from codeplane.operations.search.matching import (
    LINE_STEPS,
    MAX_STEPS,
    Content,
    Counted,
    TooCostly,
    content_of,
    match_text,
)
from codeplane.operations.search.patterns import Pattern

MAX_LARGE_BYTES = 256 * 1024 * 1024
"""Of files that are too large for the index, all together."""
MAX_THREADS = 2
"""Scans that run apart from their callers, those among them that nobody waits for any more."""

TIME_LIMIT = "time_limit"
LINE_TOO_LONG = "line_too_long"

Cancelled = Callable[[], bool]


class Target(NamedTuple):
    path: RepoPath
    size: int
    large: bool
    """Too large for the index; read piece by piece."""
    encoding: str | None
    """As the index knows it."""
    kept: bool
    """Its matches are wanted, and not only their number."""
    digest: bytes | None = None
    """Of its bytes, as the index knows them."""


Outcome = Counted | str
"""What was found in a file, or why it was not searched."""


class Limits(NamedTuple):
    rows: int
    """Matching lines that are told, in all targets together."""
    per_file: int = sys.maxsize
    once: bool = False
    """Of each file nothing matters but the first matching line; the others are not counted."""


def scan(
    root: Root,
    targets: Sequence[Target],
    pattern: Pattern,
    limits: Limits,
    seconds: float,
    cancelled: Cancelled | None,
    texts: KeptTexts,
) -> list[Outcome]:
    """An outcome for each target, in their order; of matching lines that are wanted a row each, up to the limits.

    The first rows are those of the first targets; there may be more than the limit, for targets that came last.
    """
    deadline = time.monotonic() + seconds
    work = _Scan(root, targets, pattern, limits, deadline, cancelled, texts)
    if pattern.cost == 0:
        work.run()
    elif targets and _SLOTS.acquire(timeout=max(0.0, seconds)):
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
        targets: Sequence[Target],
        pattern: Pattern,
        limits: Limits,
        deadline: float,
        cancelled: Cancelled | None,
        texts: KeptTexts,
    ) -> None:
        self._root = root
        self._targets = targets
        self._pattern = pattern
        self._limits = limits
        self._deadline = deadline
        self._cancelled = cancelled
        self._texts = texts
        # More than can be kept would drive out one another, and all that is there.
        self._keeps = sum(target.size + TEXT_BYTES for target in targets if not target.large) <= texts.limit
        self._large_left = MAX_LARGE_BYTES
        self._outcomes: list[Outcome] = [TIME_LIMIT] * len(targets)
        self._failure: Exception | None = None
        self._reading = threading.Lock()
        """Held while a file is opened, so that none is once the caller has left and may close the root."""
        self._left = False

    def run(self) -> None:
        with Texts(self._root) as texts:
            try:
                late = self._search_each(texts, range(len(self._targets)), LINE_STEPS)
                self._search_each(texts, late, MAX_STEPS)
            except _Stopped:
                pass
            except Exception as error:
                self._failure = error

    def finish(self) -> list[Outcome]:
        with self._reading:
            self._left = True
        if self._failure is not None:
            raise self._failure
        return self._outcomes[:]

    def _search_each(self, texts: Texts, numbers: Iterable[int], max_steps: int) -> list[int]:
        """Search the targets of these numbers, which rise; those that have a line of more steps are left for later."""
        late: list[int] = []
        room, behind = self._limits.rows, 0
        for number in numbers:
            self._check()
            room -= sum(len(found.rows) for found in self._outcomes[behind:number] if isinstance(found, Counted))
            behind = number
            target = self._targets[number]
            own = max(0, min(room, self._limits.per_file)) if target.kept else 0
            try:
                search = self._search_large if target.large else self._search_one
                self._outcomes[number] = search(texts, target, own, max_steps)
            except TooCostly as error:
                if error.steps > MAX_STEPS:
                    self._outcomes[number] = LINE_TOO_LONG
                    continue
                self._large_left += target.size if target.large else 0
                late.append(number)
        return late

    def _check(self) -> None:
        if self._left or time.monotonic() > self._deadline:
            raise _Stopped
        if self._cancelled is not None and self._cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")

    def _search_one(self, texts: Texts, target: Target, room: int, max_steps: int) -> Outcome:
        content = self._texts.get(target.digest)
        if content is None:
            found = self._read(texts, target)
            if isinstance(found, str):
                return found
            content = found
        return match_text(self._pattern, content, room, self._check, once=self._limits.once, max_steps=max_steps)

    def _read(self, texts: Texts, target: Target) -> Content | str:
        """The text of a file, or why there is none."""
        with self._reading:
            self._check()
            data = texts.read(target.path, MAX_LEXICAL_BYTES)
        if isinstance(data, Unread):
            return str(data.outcome)
        text = data
        # As long as it was, it is the text that the index took it for.
        if len(data) != target.size or target.encoding != "utf-8":
            decoded = decode(data)
            if decoded is None:
                return BINARY
            text = decoded.data
        elif data.startswith(codecs.BOM_UTF8):
            text = data[len(codecs.BOM_UTF8) :]
        content = content_of(text)
        if self._keeps and target.digest is not None:
            self._texts.put(target.digest, data, content)
        return content

    def _search_large(self, texts: Texts, target: Target, room: int, max_steps: int) -> Outcome:
        if target.size > self._large_left:
            return TOO_LARGE
        self._large_left -= target.size
        with self._reading:
            self._check()
            pieces = texts.read_pieces(target.path, PIECE_BYTES)
        found = Counted()
        line = 1
        once = self._limits.once
        for text in texts_of_large_file(pieces, whole=self._pattern.across):
            if isinstance(text, str):
                return text
            self._check()
            own = room - len(found.rows)
            here = match_text(self._pattern, content_of(text), own, self._check, line, once=once, max_steps=max_steps)
            found = Counted(found.rows + here.rows, found.lines + here.lines)
            if once and found.lines:
                break
            line += text.count(b"\n")
        return found
