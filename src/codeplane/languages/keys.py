"""Keys of data files as definitions: which of them are kept, and what their readers share.

Data is long and alike; what people look for are the names near the top. So keys are kept to a depth, those of the
upper levels first, and of a file that a program wrote (a lock file) only the upmost.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from codeplane.languages.role_paths import is_generated
from codeplane.languages.spec import Head, Reading, Site

MAX_DEPTH = 3
MAX_KEYS = 400
MAX_CANDIDATES = 10_000
"""Keys that are looked at to choose from."""
MAX_VALUE_BYTES = 80
"""A longer value is left out of the signature."""

_HASHES = re.compile(r"^#+\s?")


class Key(NamedTuple):
    depth: int
    site: Site


def depth_of(path: str) -> int:
    return 1 if is_generated(path) else MAX_DEPTH


def keep(found: list[Key]) -> Reading:
    """The keys that are kept, in their order; a key never goes before the one that it stands in."""
    if len(found) > MAX_KEYS:
        ranked = sorted(range(len(found)), key=lambda number: (found[number].depth, number))
        found = [found[number] for number in sorted(ranked[:MAX_KEYS])]
    return Reading([key.site for key in found])


def key_site(name: bytes, start: int, end: int, at: tuple[int, int], value: tuple[int, int] | None) -> Site:
    """`value` where it is a plain one; the signature of a longer one, and of what holds keys, is the key alone."""
    short = value is not None and value[1] - value[0] <= MAX_VALUE_BYTES
    return Site("key", name.decode("utf-8", "replace"), start, end, *at, None if short else at[1])


def module_name(path: str) -> str:
    return path


def visibility(head: Head) -> str:
    return "public"


def without_hashes(lines: list[str]) -> list[str]:
    return [_HASHES.sub("", line) for line in lines]
