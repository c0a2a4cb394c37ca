"""Segment files of the text index: their checksums, and the check that they belong to an epoch.

Segment files never change, but Tantivy may merge them after a commit without notice. An epoch records the files at its
publish; files that replaced them in the same commit must hold as many documents and pass Tantivy's own checksum.
"""

from __future__ import annotations

import hashlib
import os
import struct
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from codeplane.store.errors import corrupt

META_NAME = "meta.json"
_EXTENSIONS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_FOOTER_MAGIC = 1337
_MAX_META_BYTES = 16 * 1024 * 1024
_READ_ATTEMPTS = 20


@dataclass(frozen=True)
class Segments:
    """The committed state of a text index, as its meta.json describes it."""

    opstamp: int
    meta_digest: str
    shape_digest: str
    """Digest of everything in meta.json that no commit and no merge may change."""
    documents: int
    count: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class RecordedSegments:
    """Segments with the size and sha256 of each file, as stored with an epoch."""

    opstamp: int
    meta_digest: str
    shape_digest: str
    documents: int
    files: Mapping[str, tuple[int, str]]

    def as_json(self) -> str:
        fields = {
            "meta": self.meta_digest,
            "shape": self.shape_digest,
            "documents": self.documents,
            "files": self.files,
        }
        return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()


def parse_recorded(opstamp: int, text: str | None) -> RecordedSegments:
    try:
        fields = orjson.loads(text or "")
        files = {str(name): (int(size), str(digest)) for name, (size, digest) in fields["files"].items()}
        return RecordedSegments(opstamp, fields["meta"], fields["shape"], int(fields["documents"]), files)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise corrupt("the epoch does not name its text index") from error


def read_segments(directory: Path) -> Segments:
    """Parse meta.json strictly. Raises INDEX_CORRUPT."""
    try:
        data = _read_file(directory / META_NAME, _MAX_META_BYTES)
        meta: dict[str, Any] = orjson.loads(data)
        entries = meta["segments"]
        names: list[str] = []
        documents = 0
        for entry in entries:
            base = str(entry["segment_id"]).replace("-", "")
            if len(base) != 32 or not base.isalnum():
                raise ValueError("segment id")
            deletes = entry["deletes"]
            documents += int(entry["max_doc"]) - (int(deletes["num_deleted_docs"]) if deletes else 0)
            names += [f"{base}.{extension}" for extension in _EXTENSIONS]
            if deletes:
                names.append(f"{base}.{int(deletes['opstamp'])}.del")
        shape = [sorted(meta), meta["index_settings"], meta["schema"]]
        return Segments(
            opstamp=int(meta["opstamp"]),
            meta_digest=hashlib.sha256(data).hexdigest(),
            shape_digest=hashlib.sha256(orjson.dumps(shape, option=orjson.OPT_SORT_KEYS)).hexdigest(),
            documents=documents,
            count=len(entries),
            files=tuple(sorted(names)),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise corrupt(f"the text index has no readable {META_NAME}") from error


def record_segments(directory: Path, known: Mapping[str, tuple[int, str]]) -> RecordedSegments:
    """Return checksums of the committed files; files in `known` are not read again.

    A merge that ends meanwhile removes files: then the new list is read.
    """
    for _ in range(_READ_ATTEMPTS):
        segments = read_segments(directory)
        try:
            found = {name: known.get(name) or _digest_file(directory / name) for name in segments.files}
        except FileNotFoundError:
            time.sleep(0.01)
            continue
        return RecordedSegments(
            segments.opstamp, segments.meta_digest, segments.shape_digest, segments.documents, found
        )
    raise corrupt("the text index lacks a segment file")


def agrees(segments: Segments, recorded: RecordedSegments) -> bool:
    """True if the files on disk are the commit of that epoch, merged since or not."""
    if segments.meta_digest == recorded.meta_digest:
        return True
    return (segments.opstamp, segments.shape_digest, segments.documents) == (
        recorded.opstamp,
        recorded.shape_digest,
        recorded.documents,
    )


def check_files(directory: Path, segments: Segments, recorded: RecordedSegments, verified: set[str]) -> None:
    """Verify every segment file that is not in `verified`. Raises INDEX_CORRUPT with the first damaged file."""
    for name in segments.files:
        if name in verified:
            continue
        expected = recorded.files.get(name)
        try:
            intact = _digest_file(directory / name) == expected if expected else _has_valid_footer(directory / name)
        except OSError as error:
            raise corrupt(f"the text index lacks {name}") from error
        if not intact:
            raise corrupt(f"the text index is damaged in {name}")
        verified.add(name)


def check_footers(directory: Path, segments: Segments) -> None:
    """Verify files of an unrecorded commit by the checksum in each file."""
    check_files(directory, segments, RecordedSegments(0, "", "", 0, {}), set())


def restrict_modes(directory: Path, changed: Callable[[str], bool]) -> None:
    """Remove the permissions of group and others that the umask allowed."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if changed(entry.name) and entry.is_file(follow_symlinks=False):
                try:
                    Path(entry.path).chmod(0o600)
                except FileNotFoundError:
                    continue


def _digest_file(path: Path) -> tuple[int, str]:
    data = _read_file(path, None)
    return len(data), hashlib.sha256(data).hexdigest()


def _has_valid_footer(path: Path) -> bool:
    """True if the CRC in the footer matches: a file ends with JSON that holds it, a length and a magic number."""
    data = _read_file(path, None)
    if len(data) < 8:
        return False
    length, magic = struct.unpack("<II", data[-8:])
    if magic != _FOOTER_MAGIC or length > len(data) - 8:
        return False
    body = len(data) - 8 - length
    try:
        return bool(orjson.loads(data[body : body + length])["crc"] == zlib.crc32(memoryview(data)[:body]))
    except (ValueError, TypeError, KeyError):
        return False


def _read_file(path: Path, limit: int | None) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(handle, "rb", buffering=0) as file:
        return file.read() if limit is None else file.read(limit)
