"""Build manifests: the facts that units need from a marker file, and helpers for the readers in language folders.

A manifest is untrusted input. Readers raise `InvalidManifest` or ValueError for anything they cannot use; the caller
turns that into a note and treats the file as a bare marker.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")
_JSONC_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*|"|,(?=\s{0,1000}[}\]])')


class Manifest(NamedTuple):
    """Declarations of one marker file. Plain data, since it is stored with the index."""

    name: str | None = None
    members: tuple[str, ...] | None = None
    """Patterns or paths of workspace members, as written; None when the file declares no workspace."""
    exclude: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Further roots of the build that are not patterns: path dependencies, modules, included builds."""
    package: bool = True
    """True if the root is a package itself (a virtual Cargo workspace is not)."""
    open: bool = False
    """True if the members cannot be known from the text alone, so that nothing is detached."""
    moved: tuple[tuple[str, str], ...] = ()
    """Members with a directory other than their name says (Gradle's `projectDir`)."""
    note: str | None = None
    """A problem with the file, which still counts as a marker."""


ManifestReader = Callable[[bytes], Manifest]
YamlManifestReader = Callable[[Mapping[object, object]], Manifest]


class InvalidManifest(Exception):
    """The manifest cannot be used; the message says why."""


def parse_json(data: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise InvalidManifest("it is not valid JSON") from None
    if not isinstance(document, dict):
        raise InvalidManifest("it is not a JSON object")
    return document


def parse_jsonc(data: bytes) -> dict[str, Any]:
    """Parse JSON with comments and trailing commas."""
    made = bytearray(data)
    position = 0
    while (found := _JSONC_TOKEN.search(data, position)) is not None:
        start, end = found.span()
        if found[0] == b'"':
            # Unterminated string: not JSON, whatever follows.
            break
        if data.startswith(b"/*", start):
            close = data.find(b"*/", end)
            end = close + 2 if close >= 0 else len(data)
        if data[start : start + 1] != b'"':
            made[start:end] = b" " * (end - start)
        position = end
    return parse_json(bytes(made))


def parse_toml(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        if _LONG_KEY.search(text) is not None:
            # tomllib takes quadratic time in the number of parts.
            raise InvalidManifest("it holds a key of more than 64 parts")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise InvalidManifest("it is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError):
        raise InvalidManifest("it is not valid TOML") from None


def text_reader(read: Callable[[str], Manifest]) -> ManifestReader:
    """Return a reader of bytes for a reader of text."""
    return lambda data: read(data.decode("utf-8-sig", "replace"))


def name_reader(pattern: str, flags: int = 0) -> ManifestReader:
    """Return a reader that takes the package name from the first group of a pattern."""
    compiled = re.compile(pattern, flags)

    def read(text: str) -> Manifest:
        found = compiled.search(text)
        return Manifest(found[1] if found is not None else None)

    return text_reader(read)


def string_list(value: object) -> tuple[str, ...]:
    """Return the strings of a list; other items and other values are dropped."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def nonempty_string(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def subtable(value: object, *keys: str) -> dict[str, Any]:
    """Return the nested table at `keys`, or an empty one."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
