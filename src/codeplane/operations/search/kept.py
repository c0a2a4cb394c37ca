"""What one exhaustive search reads and the next would too: the list of files, their texts, where definitions lie.

A text is kept under the digest that its own bytes have, never under that of a file that changed meanwhile: what is
found in it is what the epoch of the digest holds. The list is that of one epoch. Both are bounded. Safe from many
threads.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from codeplane.operations.search.matching import Content, TooCostly, sieve_for
from codeplane.operations.search.patterns import Pattern
from codeplane.query.contents import ContentRow, list_texts
from codeplane.query.enclosing import MAX_KEPT_SPANS, KeptSpans
from codeplane.query.snapshot import Snapshot

MAX_BYTES = 64 * 1024 * 1024
TEXT_BYTES = 300
"""What a text takes besides its own bytes: its digest, its place, the objects around it."""
MAX_FILES = 50_000
BUNDLE_BYTES = 1024 * 1024
TURN_BYTES = 24_000
"""Bytes that are searched in the time that it takes to turn to a text of its own."""


class Kept:
    def __init__(self, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
        self.texts = KeptTexts(max_bytes)
        self.spans = KeptSpans(MAX_KEPT_SPANS if max_bytes else 0)
        self._max_files = max_files
        self._files: tuple[tuple[str, int], Sequence[ContentRow]] | None = None

    def list_files(self, snapshot: Snapshot, file_ids: Collection[int] | None) -> Sequence[ContentRow]:
        """As `list_texts`."""
        key = (snapshot.generation.name, snapshot.epoch.epoch)
        known = self._files
        if known is None or known[0] != key:
            if snapshot.epoch.files > self._max_files:
                return list_texts(snapshot, file_ids)
            known = self._files = (key, list_texts(snapshot))
        if file_ids is None:
            return known[1]
        return [row for row in known[1] if row.file_id in file_ids or not row.lexical]


class _Bundle(NamedTuple):
    """Texts that are kept, searched and given up together."""

    whole: Content
    ends: Sequence[int]
    """Where each of them ends."""
    digests: Sequence[bytes]
    size: int


class KeptTexts:
    """Texts by digest. Those that were put one after another soon lie in one piece, so that a single look at it tells
    which of them a pattern does not match."""

    def __init__(self, limit: int = MAX_BYTES, bundle_bytes: int = BUNDLE_BYTES) -> None:
        self.limit = limit
        self._bundle_bytes = bundle_bytes
        self._places: dict[bytes, tuple[int, int]] = {}
        """Bundle of a text, and which of its texts it is."""
        self._bundles: OrderedDict[int, _Bundle] = OrderedDict()
        """That which was asked for last stands last."""
        self._alone: dict[bool, dict[int, int]] = {True: {}, False: {}}
        """Sizes of texts that wait for others, by bundle: of those that are plain, and of the others."""
        self._next = 0
        self._size = 0
        self._lock = threading.Lock()

    def get(self, digest: bytes | None) -> Content | None:
        with self._lock:
            place = self._places.get(digest) if digest is not None else None
            if place is None:
                return None
            self._bundles.move_to_end(place[0])
            return _content(self._bundles[place[0]], place[1])

    def put(self, digest: bytes, raw: bytes, content: Content) -> None:
        """Keep the text that `raw` reads as, if those are the bytes of that digest."""
        size = len(content.data) + TEXT_BYTES
        if size > self.limit or hashlib.sha256(raw).digest() != digest:
            return
        with self._lock:
            if digest in self._places:
                return
            number = self._add(_Bundle(content, (content.end,), (digest,), size))
            if not content.returns and not content.odd:
                alone = self._alone[content.plain]
                alone[number] = size
                if sum(alone.values()) >= self._bundle_bytes:
                    self._join(tuple(alone), content.plain)
            while self._size > self.limit:
                self._remove(next(iter(self._bundles)))

    def sift(self, pattern: Pattern, digests: Sequence[bytes | None], check: Callable[[], None]) -> Iterator[int]:
        """Numbers, rising, of the texts that must be looked at; the others have no match for certain.

        Each bundle is asked once, when the first of its texts is due.
        """
        places = [self._places.get(digest, _NOWHERE)[0] for digest in digests]  # type: ignore[arg-type]
        asked = Counter(places)
        having: dict[int, Collection[bytes | None] | None] = {_NOWHERE[0]: None}
        for number, bundle in enumerate(places):
            if bundle not in having:
                having[bundle] = self._having(bundle, pattern, asked[bundle], check)
            found = having[bundle]
            if found is None or digests[number] in found:
                yield number

    def _having(
        self, number: int, pattern: Pattern, asked: int, check: Callable[[], None]
    ) -> Collection[bytes | None] | None:
        """Digests of the texts of a bundle that the pattern may match; None where so many are sooner asked each."""
        with self._lock:
            bundle = self._bundles.get(number)
            if bundle is None or pattern.whole or asked * TURN_BYTES < bundle.size:
                return None
            self._bundles.move_to_end(number)
        data, _, end, plain, returns, odd, _ = bundle.whole
        if returns or odd:
            return None
        ends, digests = bundle.ends, bundle.digests
        find = sieve_for(pattern, end, plain, check)
        found: set[bytes | None] = set()
        at = 0
        try:
            while at < end and (span := find(data, at, end)) is not None:
                # An empty match right behind a text is one that the text itself has, if it has any.
                text = min(bisect_left(ends, span[0]), len(ends) - 1)
                found.add(digests[text])
                at = ends[text] + 1
        except TooCostly:
            return None
        return found

    def _add(self, bundle: _Bundle) -> int:
        number = self._next = self._next + 1
        self._bundles[number] = bundle
        self._places |= {digest: (number, at) for at, digest in enumerate(bundle.digests)}
        self._size += bundle.size
        return number

    def _remove(self, number: int) -> _Bundle:
        bundle = self._bundles.pop(number)
        for digest in bundle.digests:
            del self._places[digest]
        self._size -= bundle.size
        self._alone[bundle.whole.plain].pop(number, None)
        return bundle

    def _join(self, numbers: Collection[int], plain: bool) -> None:
        parts = [self._remove(number) for number in numbers]
        data = b"\n".join(part.whole.data for part in parts)
        breaks = array("I", accumulate(map(len, data.split(b"\n")), _next_break))[:-1]
        ends = tuple(accumulate((part.whole.end for part in parts), _next_break))
        digests = tuple(part.digests[0] for part in parts)
        size = sum(part.size for part in parts) + breaks.itemsize * len(breaks)
        self._add(_Bundle(Content(data, 0, len(data), plain, breaks=breaks), ends, digests, size))


def _next_break(at: int, length: int) -> int:
    return at + 1 + length


_NOWHERE = (0, 0)


def _content(bundle: _Bundle, text: int) -> Content:
    start = bundle.ends[text - 1] + 1 if text else 0
    return bundle.whole._replace(start=start, end=bundle.ends[text])
