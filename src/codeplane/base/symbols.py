"""Symbol references: `<path>#<lexical path>@<line>`, as in `app/checkout.py#Cart.total@12`.

The line is the first line of the definition. `path#Cart.total` without a line and the location `path:12` also work.
In the path, `#` is written `%23` and `%` is written `%25`, so the first `#` always ends the path; names may contain
one (`Counter.#value`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize


class SymbolRef(NamedTuple):
    path: RepoPath
    lexical_path: str | None
    """None for a location without a symbol."""
    line: int | None
    """None for a symbol without a line."""


def symbol_ref(path: str, lexical_path: str, line: int | None = None) -> str:
    """Return the reference of a symbol; without a line it matches every symbol of that name in the file."""
    reference = f"{_escaped(path)}#{lexical_path}"
    return reference if line is None else f"{reference}@{line}"


def unescape_path(path: str) -> str:
    """Return the path that the part of a reference before `#` names."""
    return path.replace("%23", "#").replace("%25", "%") if "%" in path else path


def short_name(lexical_path: str) -> str:
    """Return the last two parts of a nested name; outer namespaces do not distinguish members."""
    return display(".".join(lexical_path.split(".")[-2:]))


def short_name_in(reference: str) -> str:
    """Return the short name of the symbol in a reference with a line."""
    return short_name(reference.partition("#")[2].rpartition("@")[0])


def parse_symbol_ref(text: str) -> SymbolRef:
    """Parse a reference, or raise ARGUMENT_INVALID if it has none of the three forms."""
    head, mark, tail = text.strip().partition("#")
    if mark and tail:
        # The line follows the last `@`; the name may contain one too.
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
        f"'{shown}' is not a symbol reference",
        expected="path#name@line, path#name or path:line",
        received=shown,
        example="app/checkout.py#Cart.total@12",
    )


def _escaped(path: str) -> str:
    return path.replace("%", "%25").replace("#", "%23") if "%" in path or "#" in path else path


_LINE = re.compile(r"@([1-9][0-9]{0,8})\Z")
_PLACE = re.compile(r"(.+?):([1-9][0-9]{0,8})(?::[0-9]+)?")
