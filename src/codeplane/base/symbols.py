"""The one written form of a symbol: `<path>#<lexical path>@<line>`, as in `app/checkout.py#Cart.total@12`.

The line is the first of the definition. `path#Cart.total` without a line and `path:12`, the
place alone, are understood too. A `#` of the path is written `%23` and a `%` `%25`, so that
the first `#` always ends the path; names may hold one (`Counter.#value`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize


class SymbolRef(NamedTuple):
    path: RepoPath
    lexical_path: str | None
    """None where a place is named and not a symbol."""
    line: int | None
    """None where the symbol alone is named."""


def symbol_ref(path: str, lexical_path: str, line: int | None = None) -> str:
    """The reference of a symbol; without a line it names every symbol of that name in the file."""
    reference = f"{_escaped(path)}#{lexical_path}"
    return reference if line is None else f"{reference}@{line}"


def unescape_path(path: str) -> str:
    """Path named by the part of a reference before `#`."""
    return path.replace("%23", "#").replace("%25", "%") if "%" in path else path


def short_name(lexical_path: str) -> str:
    """The last two parts of a nested name: namespaces around a class do not tell its members apart."""
    return display(".".join(lexical_path.split(".")[-2:]))


def short_name_in(reference: str) -> str:
    """The short name of the symbol that a reference with a line names."""
    return short_name(reference.partition("#")[2].rpartition("@")[0])


def parse_symbol_ref(text: str) -> SymbolRef:
    """What a reference names; ARGUMENT_INVALID when it has none of the three forms."""
    head, mark, tail = text.strip().partition("#")
    if mark and tail:
        # The last `@` begins the line; what stands before it may hold one too.
        found = _LINE.search(tail)
        name = tail[: found.start()] if found else tail
        if head and name:
            return SymbolRef(normalize(unescape_path(head)), name, int(found[1]) if found else None)
    place = _PLACE.fullmatch(head) if not mark else None
    if place is not None:
        return SymbolRef(normalize(unescape_path(place[1])), None, int(place[2]))
    shown = display(text[:80])
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"'{shown}' is no symbol reference",
        expected="path#name@line, path#name or path:line",
        received=shown,
        example="app/checkout.py#Cart.total@12",
    )


def _escaped(path: str) -> str:
    return path.replace("%", "%25").replace("#", "%23") if "%" in path or "#" in path else path


_LINE = re.compile(r"@([1-9][0-9]{0,8})\Z")
_PLACE = re.compile(r"(.+?):([1-9][0-9]{0,8})(?::[0-9]+)?")
