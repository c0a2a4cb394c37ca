"""From a query to something that finds: a literal by its bytes, a regular expression by RE2.

RE2 takes time linear in the text whatever the pattern, and refuses what cannot be had so. Texts
are UTF-8. A pattern is asked line by line, as grep and its kin do: `.`, `\\s` and `[^x]` stay
within a line, `^` and `$` are those of lines. One that asks for a line feed (`\\n`) or lets the dot
match it (`(?s)`) is asked of the text as a whole. Unlike in ripgrep `\\b` knows ASCII letters alone,
`[a&&b]` and `[a[b]]` are plain classes, and properties go by their short names (`\\pL`, `\\p{Greek}`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from re2 import _re2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.operations.search.fragments import Alternatives, fragments_of_pattern, fragments_of_text
from codeplane.operations.search.syntax import invalid, read_pattern, unsupported

MAX_QUERY_CHARS = 10_000
MAX_MEMORY = 8 * 1024 * 1024
"""Of one compiled pattern, its program and what it remembers while it runs."""

Span = tuple[int, int]
Find = Callable[[bytes, int, int], Span | None]
"""The first match in a text between two offsets; what lies around them still counts for anchors."""


class Pattern(NamedTuple):
    narrow: Find
    """Asked of ASCII text."""
    wide: Find
    """Asked of any other text."""
    fragments: Alternatives
    probe: Find | None = None
    """Whether a text has any match is told sooner by this; it takes the text as it is."""
    lowers: bool = False
    """ASCII text is to be put into lower case first."""
    across: bool = False
    """A match may reach over the end of a line."""
    keeps_returns: bool = False
    """It asks for carriage returns, so those before a line feed must stay."""
    tally: Callable[[bytes, int, int], int] | None = None
    """How many matches `narrow` would find, one after another, where that can be told at once."""
    cost: int = 0
    """Steps that `narrow` may take at worst for a byte of text; 0 for a literal, whose time is as good as none."""
    wide_cost: int = 0


def compile_query(query: str, *, regex: bool, case_sensitive: bool | None) -> Pattern:
    """`case_sensitive=None` is sensitive if the query spells out a capital letter."""
    if not query or len(query) > MAX_QUERY_CHARS:
        raise _bad_length(query)
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"character {error.start + 1} of the query is half of a surrogate pair",
            expected="text",
            received=display(query[error.start : error.end]),
        ) from error
    return _regex(query, case_sensitive) if regex else _literal(query, case_sensitive)


def _literal(query: str, case_sensitive: bool | None) -> Pattern:
    sensitive = any(map(str.isupper, query)) if case_sensitive is None else case_sensitive
    # Text is searched with line feeds alone, unless the query itself asks for a return that is not part of a line end.
    plain = query.replace("\r\n", "\n")
    needle = plain.encode("utf-8")
    options = _options(sensitive)
    options.literal = True
    probe = _finder(_compiled(plain, plain, options))
    lowers = needle.isascii() and not sensitive
    sought = needle.lower() if lowers else needle
    by_bytes = _literal_finder(sought)
    return Pattern(
        narrow=by_bytes if lowers or sensitive else probe,
        wide=by_bytes if sensitive else probe,
        fragments=fragments_of_text(plain),
        probe=probe,
        lowers=lowers,
        across="\n" in plain,
        keeps_returns="\r" in plain,
        tally=(lambda text, start, end: text.count(sought, start, end)) if lowers or sensitive else None,
    )


def _regex(query: str, case_sensitive: bool | None) -> Pattern:
    tokens = read_pattern(query)
    # A pattern that spells out no letter at all says what it means, `\p{Lu}` for one.
    spelled = [token.capital for token in tokens if token.capital is not None]
    sensitive = any(spelled) or not spelled if case_sensitive is None else case_sensitive
    across = any(token.newline for token in tokens)
    options = _options(sensitive)
    options.never_nl = not across
    narrow = "".join(token.narrow for token in tokens)
    wide = "".join(token.wide for token in tokens)
    for_ascii = _compiled(query, f"(?m){narrow}", options)
    for_any = for_ascii if narrow == wide else _compiled(query, f"(?m){wide}", options)
    return Pattern(
        narrow=_finder(for_ascii),
        wide=_finder(for_any),
        fragments=fragments_of_pattern(tokens),
        across=across,
        keeps_returns=any("\r" in token.members for token in tokens if token.members),
        cost=for_ascii.ProgramSize(),
        wide_cost=for_any.ProgramSize(),
    )


def _literal_finder(needle: bytes) -> Find:
    length = len(needle)

    def find(text: bytes, start: int, end: int) -> Span | None:
        at = text.find(needle, start, end)
        return None if at < 0 else (at, at + length)

    return find


def _finder(compiled: _Compiled) -> Find:
    match = compiled.Match

    def find(text: bytes, start: int, end: int) -> Span | None:
        span: Span = match(_ANYWHERE, text, start, end)[0]
        return None if span == _NOWHERE else span

    return find


def _options(sensitive: bool) -> _Options:
    options = _re2.RE2.Options()
    options.max_mem = MAX_MEMORY
    options.case_sensitive = sensitive
    options.never_capture = True
    options.log_errors = False
    return options


def _compiled(query: str, pattern: str, options: _Options) -> _Compiled:
    # The binding itself: the module over it keeps the last patterns with all their memory, and its matches are
    # objects, which takes twice as long.
    compiled = _re2.RE2(pattern.encode("utf-8"), options)
    if not compiled.ok():
        raise _refused(query, compiled.error().decode("utf-8", "replace"))
    return compiled


_Compiled = Any
_Options = Any
_ANYWHERE = _re2.RE2.Anchor.UNANCHORED
_NOWHERE = (-1, -1)


def _refused(query: str, said: str) -> CodePlaneError:
    """What RE2 says, in words of ours; its own quote the pattern after a colon."""
    kind, _, about = said.partition(": ")
    at = max(query.find(about), 0) if about else 0
    if kind.startswith("pattern too large"):
        return CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the pattern is too large to be compiled: its repetitions multiply",
            expected=f"a pattern that compiles into {MAX_MEMORY // 1024 // 1024} MiB",
            received=display(query[:40]),
            example={"mode": "regex", "query": r"\pL{1,20}"},
            remedy="Repeat fewer times: '+' and '*' cost nothing.",
        )
    if "\\p" in about.lower():
        return unsupported(query, at, f"the property '{display(about)}'", r"\pL\p{Nd}\p{Greek}")
    return invalid(query, at, display(kind))


def _bad_length(query: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "the query is empty" if not query else f"the query has {len(query)} characters",
        expected=f"1 to {MAX_QUERY_CHARS} characters",
        received=str(len(query)),
        example={"mode": "lexical", "query": "finish_checkout("},
    )
