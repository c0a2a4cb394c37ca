"""Written forms of a symbol, parsed without an index.

Accepted forms: `path#name`, `path#name@line`, `path:line`, `path:line:column`, `path:10-20`, `path#L10`, a def_uid, and
names as people write them: `total`, `Cart.total`, `pkg.Type.Method`, `(*T).M`, `A\\B::c`, `A::b`, `Class#member`,
`$cart->total`. Some texts can be read in several ways (`Filters#where` is a member, or a symbol of a file called
`Filters`), so `parse_written` returns every reading and the resolver takes the first that applies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, normalize
from codeplane.base.symbols import parse_symbol_ref, unescape_path
from codeplane.languages.registry import detect


@dataclass(frozen=True)
class DefinitionUid:
    """A def_uid of the index."""

    uid: str


@dataclass(frozen=True)
class FileMember:
    """A name in a file, with an optional line hint."""

    path: RepoPath
    name: str
    line: int | None


@dataclass(frozen=True)
class FilePosition:
    """A line of a file, or a character of it. Lines and columns count from 1."""

    path: RepoPath
    line: int
    column: int | None


@dataclass(frozen=True)
class SymbolName:
    """A name, plain or qualified, in the notation of any language."""

    text: str


FileForm = FileMember | FilePosition
WrittenForm = DefinitionUid | FileMember | FilePosition | SymbolName


def parse_written(text: str) -> tuple[WrittenForm, ...]:
    """Return every reading of a text, in the order in which they are tried; the last is a name.

    Raises PATH_ESCAPE or PATH_INVALID if the text can only name a file, and the path is not acceptable.
    """
    text = text.strip()
    forms: list[WrittenForm] = [DefinitionUid(text)] if _IDENTITY.fullmatch(text) else []
    forms += _file_forms(text)
    return (*forms, SymbolName(_QUOTED.sub(r"\2", text)))


def _file_forms(text: str) -> Iterator[FileForm]:
    head, mark, tail = text.partition("#")
    if mark and head and tail and _path(unescape_path(head)) is not None:
        reference = parse_symbol_ref(text)
        if reference.lexical_path is not None:
            yield FileMember(reference.path, reference.lexical_path, reference.line)
    place = _POSITION.fullmatch(text)
    if place is None:
        return
    column = int(place[3]) if place[3] else None
    # A position is usually written by hand, so the path may be escaped or not.
    for written in dict.fromkeys((place[1], unescape_path(place[1]))):
        if path := _path(written):
            yield FilePosition(path, int(place[2]), column)


def named_file(text: str, is_file: Callable[[RepoPath], bool]) -> RepoPath | None:
    """Return the file that a text names a symbol or a position of, if it exists or was clearly meant."""
    paths = [form.path for form in parse_written(text) if isinstance(form, FileMember | FilePosition)]
    existing = next((path for path in paths if is_file(path)), None)
    return existing or next((path for path in paths if looks_like_path(path)), None)


def looks_like_path(text: str) -> bool:
    """True if a text that is neither a file nor a symbol looks like a path."""
    return "/" in text or text.startswith(".") or detect(text) is not None or _ENDING.search(text) is not None


def _path(written: str) -> RepoPath | None:
    try:
        return normalize(written) or None
    except CodePlaneError:
        # `::Cart` is not a path, although it looks like one with a drive letter.
        if looks_like_path(written):
            raise
        return None


_QUOTED = re.compile(r"""\A([`'"])(.+)\1\Z""", re.DOTALL)
_IDENTITY = re.compile(r"[0-9a-f]{16,64}")
_POSITION = re.compile(r"(.+?)(?::|#L)([1-9][0-9]{0,8})(?:-L?[0-9]{1,9}|:([0-9]{1,8}))?", re.DOTALL)
_ENDING = re.compile(
    r"\.(?:txt|log|csv|lock|cfg|ini|conf|xml|rst|adoc|svg|gradle|tmpl|j2|in|out|po|mk|bat|ps1|cmake)\Z"
)
