"""Every matching line of many files, in their order, until all are read or the time is up.

A literal is looked for where it was asked. A regular expression runs in a thread of its own: RE2 cannot be
interrupted, so whoever waits for it must be able to leave. What was found until then stands.
"""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.beneath import Root
from codeplane.disk.text import decode
from codeplane.disk.texts import Texts, Unread
from codeplane.operations.search.kept import KeptTexts
from codeplane.operations.search.large import BINARY, PIECE_BYTES, TOO_LARGE, texts_of_large_file
from codeplane.operations.search.matching import Content, Counted, TooCostly, content_of, match_text
from codeplane.operations.search.patterns import Pattern

MAX_LARGE_BYTES = 256 * 1024 * 1024
"""Of files that are too large for the index, all together."""

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


def scan(
    root: Root,
    targets: Sequence[Target],
    pattern: Pattern,
    limit: int,
    seconds: float,
    cancelled: Cancelled | None,
    texts: KeptTexts,
) -> list[Outcome]:
    """An outcome for each target, in their order; of the first `limit` matching lines that are wanted, a row each."""
    work = _Scan(root, targets, pattern, limit, time.monotonic() + seconds, cancelled, texts)
    if pattern.cost == 0:
        work.run()
    else:
        thread = threading.Thread(target=work.run, name="scan", daemon=True)
        thread.start()
        thread.join(seconds + _GRACE_SECONDS)
    return work.finish()


_GRACE_SECONDS = 0.05


class _Stopped(Exception):
    """The time is up, or nobody waits any more."""


class _Scan:
    def __init__(
        self,
        root: Root,
        targets: Sequence[Target],
        pattern: Pattern,
        limit: int,
        deadline: float,
        cancelled: Cancelled | None,
        texts: KeptTexts,
    ) -> None:
        self._root = root
        self._targets = targets
        self._pattern = pattern
        self._room = limit
        self._deadline = deadline
        self._cancelled = cancelled
        self._texts = texts
        # More than can be kept would drive out one another, and all that is there.
        self._keeps = sum(target.size for target in targets if not target.large) <= texts.limit
        self._large_left = MAX_LARGE_BYTES
        self._outcomes: list[Outcome] = []
        self._failure: Exception | None = None
        self._reading = threading.Lock()
        """Held while a file is opened, so that none is once the caller has left and may close the root."""
        self._left = False

    def run(self) -> None:
        with Texts(self._root) as texts:
            try:
                for target in self._targets:
                    self._check()
                    found = self._search(texts, target)
                    if target.kept and isinstance(found, Counted):
                        self._room -= len(found.rows)
                    self._outcomes.append(found)
            except _Stopped:
                pass
            except Exception as error:
                self._failure = error

    def finish(self) -> list[Outcome]:
        with self._reading:
            self._left = True
        if self._failure is not None:
            raise self._failure
        done = self._outcomes[:]
        return done + [TIME_LIMIT] * (len(self._targets) - len(done))

    def _check(self) -> None:
        if self._left or time.monotonic() > self._deadline:
            raise _Stopped
        if self._cancelled is not None and self._cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")

    def _search(self, texts: Texts, target: Target) -> Outcome:
        room = self._room if target.kept else 0
        try:
            return self._search_large(texts, target, room) if target.large else self._search_one(texts, target, room)
        except TooCostly:
            return LINE_TOO_LONG

    def _search_one(self, texts: Texts, target: Target, room: int) -> Outcome:
        content = self._texts.get(target.digest)
        if content is None:
            found = self._read(texts, target)
            if isinstance(found, str):
                return found
            content = found
        return match_text(self._pattern, content, room, self._check)

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

    def _search_large(self, texts: Texts, target: Target, room: int) -> Outcome:
        if target.size > self._large_left:
            return TOO_LARGE
        self._large_left -= target.size
        with self._reading:
            self._check()
            pieces = texts.read_pieces(target.path, PIECE_BYTES)
        found = Counted()
        line = 1
        for text in texts_of_large_file(pieces, whole=self._pattern.across):
            if isinstance(text, str):
                return text
            self._check()
            here = match_text(self._pattern, content_of(text), room - len(found.rows), self._check, line)
            found = Counted(found.rows + here.rows, found.lines + here.lines)
            line += text.count(b"\n")
        return found
