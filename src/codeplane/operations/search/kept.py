"""What one exhaustive search reads and the next would read again: the list of files, and their texts.

A text is kept under the digest that its own bytes have, never under that of a file that changed meanwhile: what is
found in it is what the epoch of the digest holds. The list is that of one epoch. Both are bounded. Safe from many
threads.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence

from codeplane.operations.search.matching import Content
from codeplane.query.contents import ContentRow, list_texts
from codeplane.query.snapshot import Snapshot

MAX_BYTES = 64 * 1024 * 1024
TEXT_BYTES = 300
"""What a text takes besides its own bytes: its digest, its place, the objects around it."""
MAX_FILES = 50_000


class Kept:
    def __init__(self, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
        self.texts = KeptTexts(max_bytes)
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


class KeptTexts:
    def __init__(self, limit: int = MAX_BYTES) -> None:
        self.limit = limit
        self._texts: OrderedDict[bytes, Content] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, digest: bytes | None) -> Content | None:
        with self._lock:
            content = self._texts.get(digest) if digest is not None else None
            if content is not None and digest is not None:
                self._texts.move_to_end(digest)
            return content

    def put(self, digest: bytes, raw: bytes, content: Content) -> None:
        """Keep the text that `raw` reads as, if those are the bytes of that digest."""
        if _size(content) > self.limit or hashlib.sha256(raw).digest() != digest:
            return
        with self._lock:
            if digest not in self._texts:
                self._size += _size(content)
            self._texts[digest] = content
            while self._size > self.limit:
                self._size -= _size(self._texts.popitem(last=False)[1])


def _size(content: Content) -> int:
    return len(content.data) + TEXT_BYTES
