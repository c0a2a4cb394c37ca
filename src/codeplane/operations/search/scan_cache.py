"""Cache between exhaustive searches: the file list, file texts, and spans of definitions.

A text is cached under the digest of its own bytes, never under that of a file that has changed meanwhile, so matches
belong to the epoch with that digest. The file list belongs to one epoch. Both are bounded. Thread-safe.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from codeplane.operations.search.bulk_match import TextBundle, match_bundle
from codeplane.operations.search.matching import LineMatches, MatchLimits, PatternTooCostly, SearchText
from codeplane.operations.search.patterns import SearchPattern
from codeplane.query.contents import SearchableFile, list_searchable_files
from codeplane.query.enclosing import MAX_CACHED_SPANS, SpanCache
from codeplane.query.snapshot import Snapshot

MAX_BYTES = 64 * 1024 * 1024
TEXT_BYTES = 300
"""Overhead of a cached text: digest, position, objects."""
MAX_FILES = 50_000
BUNDLE_BYTES = 1024 * 1024


class ScanCache:
    def __init__(self, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
        self.texts = TextCache(max_bytes)
        self.spans = SpanCache(MAX_CACHED_SPANS if max_bytes else 0)
        self._max_files = max_files
        self._files: _FileList | None = None

    def list_files(self, snapshot: Snapshot, file_ids: Collection[int] | None = None) -> Sequence[SearchableFile]:
        key = (snapshot.generation.name, snapshot.epoch.epoch)
        known = self._files
        if known is None or known.key != key:
            if snapshot.epoch.files > self._max_files:
                return list_searchable_files(snapshot, file_ids)
            known = self._files = _list_all(snapshot, key)
        if file_ids is None:
            return known.rows
        numbers = known.numbers
        wanted = [numbers[file_id] for file_id in file_ids if file_id in numbers]
        return [known.rows[number] for number in sorted([*wanted, *known.others])]


class _FileList(NamedTuple):
    """File list of one epoch."""

    key: tuple[str, int]
    rows: Sequence[SearchableFile]
    """By path."""
    numbers: Mapping[int, int]
    """Positions of the files in the text index, by file id."""
    others: Sequence[int]
    """Positions of the other files."""


def _list_all(snapshot: Snapshot, key: tuple[str, int]) -> _FileList:
    rows = list_searchable_files(snapshot)
    numbers = {row.file_id: number for number, row in enumerate(rows) if row.lexical}
    return _FileList(key, rows, numbers, [number for number, row in enumerate(rows) if not row.lexical])


class TextCache:
    """Texts by digest, joined into bundles, so that one pass over a bundle finds the texts that match."""

    def __init__(self, limit: int = MAX_BYTES, bundle_bytes: int = BUNDLE_BYTES) -> None:
        self.limit = limit
        self._bundle_bytes = bundle_bytes
        self._places: dict[bytes, tuple[int, int]] = {}
        """Bundle of a text, and its number in the bundle."""
        self._bundles: OrderedDict[int, TextBundle] = OrderedDict()
        """Least recently used first."""
        self._unbundled: dict[bool, dict[int, int]] = {True: {}, False: {}}
        """Sizes of single texts to be bundled, by bundle: ASCII texts and others."""
        self._next = 0
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        return self._size

    def get(self, digest: bytes | None) -> SearchText | None:
        with self._lock:
            place = self._places.get(digest) if digest is not None else None
            if place is None:
                return None
            self._bundles.move_to_end(place[0])
            return _content(self._bundles[place[0]], place[1])

    def put(self, digest: bytes, raw: bytes, content: SearchText) -> None:
        """Cache the decoded text of `raw`, if the digest is that of `raw`."""
        size = len(content.data) + TEXT_BYTES
        if size > self.limit or hashlib.sha256(raw).digest() != digest:
            return
        with self._lock:
            if digest in self._places:
                return
            number = self._add(TextBundle(content, (content.end,), (digest,), size))
            if not content.returns and not content.odd:
                unbundled = self._unbundled[content.plain]
                unbundled[number] = size
                if sum(unbundled.values()) >= self._bundle_bytes:
                    self._join(tuple(unbundled), content.plain)
            while self._size > self.limit:
                self._remove(next(iter(self._bundles)))

    def search(
        self,
        pattern: SearchPattern,
        digests: Sequence[bytes | None],
        wanted: int,
        limits: MatchLimits,
        check: Callable[[], None],
    ) -> Iterator[tuple[int, LineMatches | None]]:
        """Yield the numbers of matching texts in order, with their matches; None if a text must be searched separately.

        The first `wanted` texts get rows, possibly not all of them. Each bundle is searched once, when its first text
        is due.
        """
        places = [self._places.get(digest, _NOWHERE) for digest in digests]  # type: ignore[arg-type]
        requested: dict[int, dict[int, bool]] = {}
        for number, (bundle, text) in enumerate(places):
            requested.setdefault(bundle, {}).setdefault(text, number < wanted)
        found: dict[int, Mapping[int, LineMatches] | None] = {_NOWHERE[0]: None}
        room = _PREFETCH * limits.rows
        for number, (bundle, text) in enumerate(places):
            if bundle not in found:
                spots = found[bundle] = self._search_bundle(bundle, requested[bundle], pattern, limits, room, check)
                room -= sum(len(one.rows) for one in (spots or {}).values())
            here = found[bundle]
            if here is None:
                yield number, None
            elif text in here:
                yield number, here[text]

    def _search_bundle(
        self,
        number: int,
        requested: Mapping[int, bool],
        pattern: SearchPattern,
        limits: MatchLimits,
        room: int,
        check: Callable[[], None],
    ) -> Mapping[int, LineMatches] | None:
        """Return the matches of the texts of a bundle, by number; None if each must be searched separately."""
        with self._lock:
            bundle = self._bundles.get(number)
            if bundle is None or bundle.whole.breaks is None or pattern.whole:
                return None
            self._bundles.move_to_end(number)
        try:
            return match_bundle(bundle, requested, pattern, limits, room, check)
        except PatternTooCostly:
            return None

    def _add(self, bundle: TextBundle) -> int:
        number = self._next = self._next + 1
        self._bundles[number] = bundle
        self._places |= {digest: (number, at) for at, digest in enumerate(bundle.digests)}
        self._size += bundle.size
        return number

    def _remove(self, number: int) -> TextBundle:
        bundle = self._bundles.pop(number)
        for digest in bundle.digests:
            del self._places[digest]
        self._size -= bundle.size
        self._unbundled[bundle.whole.plain].pop(number, None)
        return bundle

    def _join(self, numbers: Collection[int], plain: bool) -> None:
        parts = [self._remove(number) for number in numbers]
        data = b"\n".join(part.whole.data for part in parts)
        breaks = array("I", accumulate(map(len, data.split(b"\n")), _next_break))[:-1]
        ends = tuple(accumulate((part.whole.end for part in parts), _next_break))
        digests = tuple(part.digests[0] for part in parts)
        size = sum(part.size for part in parts) + breaks.itemsize * len(breaks)
        self._add(TextBundle(SearchText(data, 0, len(data), plain, breaks=breaks), ends, digests, size))


def _next_break(at: int, length: int) -> int:
    return at + 1 + length


_NOWHERE = (0, 0)
_PREFETCH = 2
"""Factor on the row limit: rows found ahead, while texts of earlier files are still to be searched."""


def _content(bundle: TextBundle, text: int) -> SearchText:
    return bundle.whole._replace(start=bundle.start(text), end=bundle.ends[text])
