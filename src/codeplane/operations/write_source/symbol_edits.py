"""Edits at a symbol: replace its lines, or insert before or after it. Pure.

The lines of a symbol are those that `read` shows, with decorators, attributes and modifiers. The comment right above
belongs to it too: text is inserted before the comment, and a new text that starts with a comment replaces it.
New text gets the indentation of the symbol, and inserted text the blank lines that separate the symbol from its
neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.paths import RepoPath
from codeplane.edits.indentation import find_unit, indent_of, reindent
from codeplane.edits.text_edit import Replacement
from codeplane.operations.read.comments import comment_above


class SymbolSite(NamedTuple):
    """Lines of a symbol in one version of a file."""

    path: RepoPath
    digest: Digest
    lexical_path: str
    first: int
    last: int
    language: str | None = None
    shares: str = ""
    """Another symbol that starts or ends on the same line, if any."""


def symbol_replacement(action: str, new_text: str, lines: Sequence[str], site: SymbolSite) -> Replacement:
    """Return the line replacement for a symbol edit; `lines` are those of the file, without endings."""
    first, last = site.first, min(site.last, len(lines))
    plain = new_text.replace("\r\n", "\n")
    body = reindent(plain.strip("\n"), indent_of(lines[first - 1]), find_unit(lines))
    comment = _comment_height(lines, first, site.language)
    if action == "replace_symbol":
        replaces_comment = comment and _starts_with_comment(body, site.language)
        return Replacement(body, None, first - comment if replaces_comment else first, last)
    gap = _blank_lines_between(lines, first - comment, last)
    if action == "insert_before":
        gap = max(gap, len(plain) - len(plain.rstrip("\n")) - 1)
        return Replacement(body + "\n" * (gap + 1), None, first - comment, first - comment - 1)
    gap = max(gap, len(plain) - len(plain.lstrip("\n")))
    return Replacement("\n" * gap + body, None, last + 1, last)


def _comment_height(lines: Sequence[str], first: int, language: str | None) -> int:
    """Return the number of comment lines right above a symbol."""
    text, left_out = comment_above(lambda line: lines[line - 1] + "\n", first, language)
    height = text.count("\n") + left_out
    if height == first - 1 and lines and lines[0].startswith("#!"):
        height -= 1
    indent = indent_of(lines[first - 1])
    return height if all(line.startswith(indent) for line in lines[first - 1 - height : first - 1]) else 0


def _starts_with_comment(body: str, language: str | None) -> bool:
    lines = body.split("\n")
    height = next((at for at, line in enumerate(lines) if not _is_comment(lines, at, language)), len(lines))
    return 0 < height < len(lines)


def _is_comment(lines: Sequence[str], at: int, language: str | None) -> bool:
    """True if all lines up to this one are comments."""
    text, left_out = comment_above(lambda line: lines[line - 1] + "\n", at + 2, language)
    return text.count("\n") + left_out == at + 1


def _blank_lines_between(lines: Sequence[str], first: int, last: int) -> int:
    """Return the number of blank lines between a symbol and its neighbours, to separate inserted text alike."""
    indent = indent_of(lines[first - 1])
    below = next((at for at in range(last, len(lines)) if lines[at].strip()), None)
    if below is not None and indent_of(lines[below]) == indent and lines[below].strip()[:1] not in _CLOSING:
        return below - last
    above = next((at for at in range(first - 2, -1, -1) if lines[at].strip()), None)
    if (
        above is not None
        and indent_of(lines[above]).startswith(indent)
        and not lines[above].rstrip().endswith(_OPENING)
    ):
        return first - 2 - above
    return 1 if last > first else 0


_CLOSING = ("}", ")", "]")
_OPENING = ("{", "(", "[", ":")
