"""Whole indexes put by for later, in the user's own directory: of trees as they were, on this machine.

A new worktree, another clone, a branch that is come back to: most of what such a tree holds was indexed before. The
nearest index that was put by is copied, and only what differs is indexed. It is a head start and no more: the copy is
verified as any index is, and each of its files is read and compared by digest before the copy is used. Nothing is ever
taken from a repository; what lies here is bounded, and may be deleted at any time.
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
from codeplane.store.layout import Generation, copy_generation, maker_lives, tree_bytes
from codeplane.store.writer import Writer

MAX_ENTRIES = 16
MIN_FILES = 100
"""Of fewer files an index is built as soon."""

_SKETCH = 256
_TEMPORARY = ".tmp-"
_NOTE = "entry.json"
_MAX_NOTE_BYTES = 64 * 1024

TreeSignature = tuple[int, ...]
"""The smallest hashes of a set: of two sets they tell, within a few percent, how much the sets have in common."""


class CachedIndex(NamedTuple):
    generation: Generation
    signature: TreeSignature


def tree_signature(files: Iterable[tuple[RepoPath, int]]) -> TreeSignature:
    """Of files by path and size: both are known without reading any."""
    return tuple(heapq.nsmallest(_SKETCH, {_hash(path, size) for path, size in files}))


def similarity(one: TreeSignature, other: TreeSignature) -> float:
    """Files that two trees have in common, as a share of all files of both."""
    union = heapq.nsmallest(_SKETCH, {*one, *other})
    common = {*one} & {*other}
    return sum(1 for value in union if value in common) / len(union) if union else 0.0


class IndexCache:
    """Only under the lock of some repository; several processes may use it at once."""

    def __init__(self, user_state: Path, max_bytes: int) -> None:
        self._path = user_state / "index-cache"
        self._max_bytes = max_bytes

    def find(self, fingerprint: Fingerprint, wanted: TreeSignature, above: float) -> CachedIndex | None:
        """The index most like the tree, if it is more than so much like it."""
        found = [entry for entry in self._entries(fingerprint) if similarity(entry.signature, wanted) > above]
        return max(found, key=lambda entry: (similarity(entry.signature, wanted), entry.generation.name), default=None)

    def store(self, writer: Writer, fingerprint: Fingerprint, content: str, own: TreeSignature) -> None:
        """Keep a copy of a published index whose files have the digest `content`. What hinders it does not matter."""
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
                (temporary / _NOTE).write_bytes(orjson.dumps({"signature": own}))
                temporary.rename(self._path / name)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
            self._make_room()

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

    def _make_room(self) -> None:
        """The oldest go; those of other versions of this program were not used for longest."""
        room, places = self._max_bytes, MAX_ENTRIES
        for path in sorted(self._directories(), key=_age, reverse=True):
            room -= tree_bytes(path)
            places -= 1
            if room < 0 or places < 0:
                shutil.rmtree(path, ignore_errors=True)

    def _directories(self) -> list[Path]:
        """What lies here, once what others left unfinished is gone."""
        found: list[Path] = []
        try:
            names = sorted(os.listdir(self._path))
        except OSError:
            return found
        for name in names:
            if not name.startswith(_TEMPORARY):
                found.append(self._path / name)
            elif not maker_lives(name):
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
