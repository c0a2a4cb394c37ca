"""What one exhaustive search reads and the next would too: the list of files, their texts, where definitions lie.

A text is kept under the digest that its own bytes have, never under that of a file that changed meanwhile: what is
found in it is what the epoch of the digest holds. The list is that of one epoch. Both are bounded. Safe from many
threads.
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
"""What a text takes besides its own bytes: its digest, its place, the objects around it."""
MAX_FILES = 50_000
BUNDLE_BYTES = 1024 * 1024


class ScanCache:
    def __init__(self, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
        self.texts = TextCache(max_bytes)
        self.spans = SpanCache(MAX_CACHED_SPANS if max_bytes else 0)
        self._max_files = max_files
        self._files: _Listed | None = None

    def list_files(self, snapshot: Snapshot, file_ids: Collection[int] | None = None) -> Sequence[SearchableFile]:
        """As `list_searchable_files`."""
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


class _Listed(NamedTuple):
    """The files of one epoch."""

    key: tuple[str, int]
    rows: Sequence[SearchableFile]
    """By path."""
    numbers: Mapping[int, int]
    """Where those of the text index stand among them, by id."""
    others: Sequence[int]
    """Where the others do."""


def _list_all(snapshot: Snapshot, key: tuple[str, int]) -> _Listed:
    rows = list_searchable_files(snapshot)
    numbers = {row.file_id: number for number, row in enumerate(rows) if row.lexical}
    return _Listed(key, rows, numbers, [number for number, row in enumerate(rows) if not row.lexical])


class TextCache:
    """Texts by digest. Those that were put one after another soon lie in one piece, so that a single look at it tells
    which of them a pattern does not match."""

    def __init__(self, limit: int = MAX_BYTES, bundle_bytes: int = BUNDLE_BYTES) -> None:
        self.limit = limit
        self._bundle_bytes = bundle_bytes
        self._places: dict[bytes, tuple[int, int]] = {}
        """Bundle of a text, and which of its texts it is."""
        self._bundles: OrderedDict[int, TextBundle] = OrderedDict()
        """That which was asked for last stands last."""
        self._alone: dict[bool, dict[int, int]] = {True: {}, False: {}}
        """Sizes of texts that wait for others, by bundle: of those that are plain, and of the others."""
        self._next = 0
        self._size = 0
        self._lock = threading.Lock()

    def get(self, digest: bytes | None) -> SearchText | None:
        with self._lock:
            place = self._places.get(digest) if digest is not None else None
            if place is None:
                return None
            self._bundles.move_to_end(place[0])
            return _content(self._bundles[place[0]], place[1])

    def put(self, digest: bytes, raw: bytes, content: SearchText) -> None:
        """Keep the text that `raw` reads as, if those are the bytes of that digest."""
        size = len(content.data) + TEXT_BYTES
        if size > self.limit or hashlib.sha256(raw).digest() != digest:
            return
        with self._lock:
            if digest in self._places:
                return
            number = self._add(TextBundle(content, (content.end,), (digest,), size))
            if not content.returns and not content.odd:
                alone = self._alone[content.plain]
                alone[number] = size
                if sum(alone.values()) >= self._bundle_bytes:
                    self._join(tuple(alone), content.plain)
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
        """Numbers, rising, of the texts that match, with what was found; None for those that must be asked themselves.

        Of the first, which are `wanted`, it has rows, though never all of them for certain. Each bundle is looked at
        once, when the first of its texts is due.
        """
        places = [self._places.get(digest, _NOWHERE) for digest in digests]  # type: ignore[arg-type]
        asked: dict[int, dict[int, bool]] = {}
        for number, (bundle, text) in enumerate(places):
            asked.setdefault(bundle, {}).setdefault(text, number < wanted)
        found: dict[int, Mapping[int, LineMatches] | None] = {_NOWHERE[0]: None}
        room = _HELD * limits.rows
        for number, (bundle, text) in enumerate(places):
            if bundle not in found:
                spots = found[bundle] = self._spot(bundle, asked[bundle], pattern, limits, room, check)
                room -= sum(len(one.rows) for one in (spots or {}).values())
            here = found[bundle]
            if here is None:
                yield number, None
            elif text in here:
                yield number, here[text]

    def _spot(
        self,
        number: int,
        asked: Mapping[int, bool],
        pattern: SearchPattern,
        limits: MatchLimits,
        room: int,
        check: Callable[[], None],
    ) -> Mapping[int, LineMatches] | None:
        """What the texts of a bundle have, by number in it; None where each must be asked itself."""
        with self._lock:
            bundle = self._bundles.get(number)
            if bundle is None or bundle.whole.breaks is None or pattern.whole:
                return None
            self._bundles.move_to_end(number)
        try:
            return match_bundle(bundle, asked, pattern, limits, room, check)
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
        self._alone[bundle.whole.plain].pop(number, None)
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
_HELD = 2
"""So many times the rows that are told are held at once, while texts of earlier files are still to be looked at."""


def _content(bundle: TextBundle, text: int) -> SearchText:
    return bundle.whole._replace(start=bundle.start(text), end=bundle.ends[text])
