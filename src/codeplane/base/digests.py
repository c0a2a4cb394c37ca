"""Digests are sha256 of raw bytes, in lowercase hexadecimal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NewType

Digest = NewType("Digest", str)


def digest_bytes(data: bytes) -> Digest:
    return Digest(hashlib.sha256(data).hexdigest())


def digest_text_lines(data: bytes) -> Digest:
    """Return the digest of the text with CRLF as LF: equal if only these line endings differ."""
    return digest_bytes(data.replace(b"\r\n", b"\n"))


def merkle_root(entries: Iterable[tuple[str, str]]) -> Digest:
    """Return the root over (path, digest) pairs sorted by path."""
    root = hashlib.sha256()
    for path, digest in entries:
        root.update(path.encode("utf-8", "surrogateescape") + b"\0" + digest.encode("ascii") + b"\n")
    return Digest(root.hexdigest())
