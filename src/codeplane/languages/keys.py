"""Keys of data files as definitions: selection, and helpers for their readers.

Data is long and repetitive; people look for the names near the top. Keys are kept to a depth, upper levels first; of a
generated file (a lock file) only the top level.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from codeplane.languages.role_paths import is_generated
from codeplane.languages.spec import DefinitionHead, DefinitionSite, Reading

MAX_DEPTH = 3
MAX_KEYS = 400
MAX_CANDIDATES = 10_000
"""Limit of keys to choose from."""
MAX_VALUE_BYTES = 80
"""A longer value is left out of the signature."""

_HASHES = re.compile(r"^#+\s?")


class Key(NamedTuple):
    depth: int
    site: DefinitionSite


def depth_of(path: str) -> int:
    return 1 if is_generated(path) else MAX_DEPTH


def keep(found: list[Key]) -> Reading:
    """Return the selected keys in document order; a nested key is never kept without its parent."""
    if len(found) > MAX_KEYS:
        ranked = sorted(range(len(found)), key=lambda number: (found[number].depth, number))
        found = [found[number] for number in sorted(ranked[:MAX_KEYS])]
    return Reading([key.site for key in found])


def key_site(name: bytes, start: int, end: int, at: tuple[int, int], value: tuple[int, int] | None) -> DefinitionSite:
    """Make a definition of a key; `value` is the span of a scalar, which a short signature includes."""
    short = value is not None and value[1] - value[0] <= MAX_VALUE_BYTES
    return DefinitionSite("key", name.decode("utf-8", "replace"), start, end, *at, None if short else at[1])


def join_owner(parts: Sequence[bytes]) -> str | None:
    """Return the owner of a dotted name: everything before its last part."""
    return b".".join(parts).decode("utf-8", "replace") or None


def module_name(path: str) -> str:
    return path


def visibility(head: DefinitionHead) -> str:
    return "public"


def without_hashes(lines: list[str]) -> list[str]:
    return [_HASHES.sub("", line) for line in lines]
