"""Cache of whole indexes in the user's state directory.

Most files of a new worktree, another clone or a revisited branch were indexed before. The most similar cached index is
copied, and only the differences are indexed. The cache only saves time: a copy is verified like any index, and each of
its files is read and compared by digest before the copy is used. Nothing is ever taken from a repository. The cache is
bounded, and may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import heapq
import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath
from codeplane.store.fingerprint import Fingerprint
from codeplane.store.layout import Generation, copy_generation
from codeplane.store.state_files import is_owner_alive, tree_bytes
from codeplane.store.writer import Writer

MAX_ENTRIES = 16
MIN_FILES = 100
"""Indexes of fewer files are built just as fast."""

_SIGNATURE_SIZE = 256
_TEMPORARY = ".tmp-"
_NOTE = "entry.json"
_MAX_NOTE_BYTES = 64 * 1024

TreeSignature = tuple[int, ...]
"""MinHash (bottom-k sketch) of a tree: estimates the Jaccard similarity of two trees within a few percent."""


class CachedIndex(NamedTuple):
    generation: Generation
    signature: TreeSignature


def tree_signature(files: Iterable[tuple[RepoPath, int]]) -> TreeSignature:
    """Return the signature of files by path and size, which are known without reading them."""
    return tuple(heapq.nsmallest(_SIGNATURE_SIZE, {_hash(path, size) for path, size in files}))


def similarity(one: TreeSignature, other: TreeSignature) -> float:
    """Return the estimated Jaccard similarity: shared files as a fraction of all files of both trees."""
    union = heapq.nsmallest(_SIGNATURE_SIZE, {*one, *other})
    common = {*one} & {*other}
    return sum(1 for value in union if value in common) / len(union) if union else 0.0


class IndexCache:
    """Used under the lock of a repository; several processes may use it at once."""

    def __init__(self, user_state: Path, max_bytes: int) -> None:
        self._path = user_state / "index-cache"
        self._max_bytes = max_bytes

    def find(self, fingerprint: Fingerprint, wanted: TreeSignature, minimum: float) -> CachedIndex | None:
        """Return the most similar index, if its similarity exceeds a minimum."""
        found = [entry for entry in self._entries(fingerprint) if similarity(entry.signature, wanted) > minimum]
        return max(found, key=lambda entry: (similarity(entry.signature, wanted), entry.generation.name), default=None)

    def store(self, writer: Writer, fingerprint: Fingerprint, content: str, signature: TreeSignature) -> None:
        """Store a copy of a published index whose files have the digest `content`. Failures are ignored."""
        size = tree_bytes(writer.generation.path)
        if size > self._max_bytes // 2:
            return
        name = f"{_kind(fingerprint)}-{content[:32]}"
        with suppress(OSError, CodePlaneError):
            os.makedirs(self._path, mode=0o700, exist_ok=True)
            if (self._path / name).is_dir():
                os.utime(self._path / name)
                return
            temporary = self._path / f"{_TEMPORARY}{secrets.token_hex(8)}-{os.getpid()}"
            try:
                made = Generation(name, temporary)
                os.makedirs(made.lexical, mode=0o700)
                writer.copy_to(made)
                (temporary / _NOTE).write_bytes(orjson.dumps({"signature": signature}))
                temporary.rename(self._path / name)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
            self._evict()

    def copy_to(self, entry: CachedIndex, generation: Generation) -> None:
        """Copy an entry into a new, empty generation."""
        os.utime(entry.generation.path)
        copy_generation(entry.generation, generation)

    def _entries(self, fingerprint: Fingerprint) -> list[CachedIndex]:
        kind = f"{_kind(fingerprint)}-"
        found: list[CachedIndex] = []
        for path in self._directories():
            generation = Generation(path.name, path)
            if not path.name.startswith(kind) or not generation.is_plain():
                continue
            with suppress(OSError, ValueError, TypeError, KeyError):
                with open(path / _NOTE, "rb") as file:
                    values = orjson.loads(file.read(_MAX_NOTE_BYTES))["signature"]
                found.append(CachedIndex(generation, tuple(map(int, values))))
        return found

    def _evict(self) -> None:
        """Remove the least recently used entries. Those of other versions age like all others."""
        bytes_left, entries_left = self._max_bytes, MAX_ENTRIES
        for path in sorted(self._directories(), key=_age, reverse=True):
            bytes_left -= tree_bytes(path)
            entries_left -= 1
            if bytes_left < 0 or entries_left < 0:
                shutil.rmtree(path, ignore_errors=True)

    def _directories(self) -> list[Path]:
        """Return all entries, after removing what killed processes left unfinished."""
        found: list[Path] = []
        try:
            names = sorted(os.listdir(self._path))
        except OSError:
            return found
        for name in names:
            if not name.startswith(_TEMPORARY):
                found.append(self._path / name)
            elif not is_owner_alive(name):
                shutil.rmtree(self._path / name, ignore_errors=True)
        return found


def _hash(path: RepoPath, size: int) -> int:
    data = os.fsencode(path) + b"\0%d" % size
    return int.from_bytes(hashlib.blake2b(data, digest_size=6).digest())


def _kind(fingerprint: Fingerprint) -> str:
    return hashlib.sha256(fingerprint.as_json().encode()).hexdigest()[:16]


def _age(path: Path) -> tuple[int, str]:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns, path.name
    except OSError:
        return 0, path.name
