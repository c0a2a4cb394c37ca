"""Compiled queries: RE2 for regular expressions and for case-insensitive text.

RE2 runs in time linear in the text whatever the pattern, and rejects patterns for which that is impossible. Texts are
UTF-8. A pattern is matched line by line, as in grep: `.`, `\\s` and `[^x]` stay within a line, `^` and `$` match at
lines. A pattern with a line feed (`\
`) or with `(?s)` is matched against the whole text. Unlike in ripgrep, `\\b` is ASCII-only, `[a&&b]` and `[a[b]]` are
plain classes, and properties have short names (`\\pL`, `\\p{Greek}`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from re2 import _re2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.operations.search.fragments import Alternatives, fragments_of_pattern, fragments_of_text
from codeplane.operations.search.regex_syntax import invalid, tokenize_regex, unsupported

MAX_QUERY_CHARS = 10_000
MAX_FOLDED_CHARS = 200
"""A longer text is case-sensitive by default: it is not typed by hand, and case-insensitive search takes time that
depends on its length."""
MAX_MEMORY = 8 * 1024 * 1024
"""Maximum memory of one compiled pattern: program and caches."""

Span = tuple[int, int]
Find = Callable[[bytes, int, int], Span | None]
"""Returns the first match between two offsets; text outside of them still counts for anchors."""


class SearchPattern(NamedTuple):
    narrow: Find
    """Finder for ASCII text."""
    wide: Find
    """Finder for other text."""
    fragments: Alternatives
    across: bool = False
    """True if a match may span lines."""
    whole: bool = False
    """True if the start or end of the text matters, or the next line: each text is matched separately."""
    keeps_returns: bool = False
    """True if it matches carriage returns, so those before a line feed are kept."""
    cost: int = 0
    """Worst-case steps per byte of `narrow`; 0 if negligible."""
    wide_cost: int = 0
    folded: Find | None = None
    """Finder of a case-insensitive literal for text that is not `odd`; replaces the others."""


def compile_query(query: str, *, regex: bool, case_sensitive: bool | None) -> SearchPattern:
    """Compile a query. `case_sensitive=None` is sensitive if the query has an upper-case letter, or is a long text."""
    if not query or len(query) > MAX_QUERY_CHARS:
        raise _bad_length(query)
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the query contains a lone surrogate at character {error.start + 1}",
            expected="text",
            received=display(query[error.start : error.end]),
        ) from error
    return _regex(query, case_sensitive) if regex else _literal(query, case_sensitive)


def _literal(query: str, case_sensitive: bool | None) -> SearchPattern:
    long = len(query) > MAX_FOLDED_CHARS
    sensitive = long or any(map(str.isupper, query)) if case_sensitive is None else case_sensitive
    # Text is searched with LF line ends, unless the query contains a return that is not part of a line end.
    plain = query.replace("\r\n", "\n")
    options = _options(sensitive)
    options.literal = True
    part = _rarest_part(plain)
    compiled = _for_ascii(part, options)
    by_part = None if compiled is None else _finder_by_part(_finder(compiled), part, plain, folds=not sensitive)
    exact = by_part or _literal_finder(plain)
    pattern = SearchPattern(
        narrow=exact,
        wide=exact,
        fragments=fragments_of_text(plain),
        across="\n" in plain,
        whole="\n" in plain,
        keeps_returns="\r" in plain,
    )
    if sensitive:
        return pattern
    wide = _compiled(plain, plain, options)
    cost = wide.ProgramSize() if long else 0
    pattern = pattern._replace(narrow=_finder(wide), wide=_finder(wide), cost=cost, wide_cost=cost)
    if by_part is not None and plain.isascii():
        return pattern._replace(cost=0, folded=by_part)
    if compiled is not None and not cost and not pattern.across:
        return pattern._replace(folded=_finder_by_line(_finder(compiled), pattern.wide))
    return pattern


def _regex(query: str, case_sensitive: bool | None) -> SearchPattern:
    tokens = tokenize_regex(query)
    # A pattern without letters, such as `\p{Lu}`, is case-sensitive.
    spelled = [token.capital for token in tokens if token.capital is not None]
    sensitive = any(spelled) or not spelled if case_sensitive is None else case_sensitive
    across = any(token.newline for token in tokens)
    options = _options(sensitive)
    options.never_nl = not across
    narrow = "".join(token.narrow for token in tokens)
    wide = "".join(token.wide for token in tokens)
    for_any = _compiled(query, f"(?m){wide}", options)
    for_ascii = _for_ascii(f"(?m){narrow}", options) or (
        for_any if narrow == wide else _compiled(query, f"(?m){narrow}", options)
    )
    return SearchPattern(
        narrow=_finder(for_ascii),
        wide=_finder(for_any),
        fragments=fragments_of_pattern(tokens),
        across=across,
        whole=across or any(token.whole for token in tokens),
        keeps_returns=any("\r" in token.members for token in tokens if token.members),
        cost=for_ascii.ProgramSize(),
        wide_cost=for_any.ProgramSize(),
    )


def _finder_by_part(find_part: Find, part: str, text: str, *, folds: bool) -> Find:
    """Return a finder that searches for a rare part of the text first. If it folds, case does not matter.

    This is faster than RE2 for longer texts, and than `bytes.find` for short ones.
    """
    encoded = (text.lower() if folds else text).encode("utf-8")
    offset, size = len(text[: text.index(part)].encode("utf-8")), len(encoded)
    if len(part) == len(text):
        return find_part

    def find(text: bytes, start: int, end: int) -> Span | None:
        at = start + offset
        for _ in range(_MAX_MISSES):
            near = find_part(text, at, end)
            if near is None:
                return None
            begin = near[0] - offset
            here = text[begin : begin + size]
            if (here.lower() if folds else here) == encoded and begin + size <= end:
                return begin, begin + size
            at = near[0] + 1
        # If the part is too common, search for the whole text.
        for begin in range(at - offset, end, _CHUNK_BYTES):
            here = text[begin : min(end, begin + _CHUNK_BYTES + size - 1)]
            found = (here.lower() if folds else here).find(encoded)
            if found >= 0:
                return begin + found, begin + found + size
        return None

    return find


def _finder_by_line(find_part: Find, find_whole: Find) -> Find:
    """Return a finder that matches the lines that contain the part."""

    def find(text: bytes, start: int, end: int) -> Span | None:
        while start <= end and (near := find_part(text, start, end)) is not None:
            line = max(start, text.rfind(b"\n", start, near[0]) + 1)
            stop = text.find(b"\n", near[1], end)
            stop = end if stop < 0 else stop
            found = find_whole(text, line, stop)
            if found is not None:
                return found
            start = stop + 1
        return None

    return find


def _rarest_part(text: str) -> str:
    """Return the most distinctive part of a length that RE2 finds quickly."""
    starts = range(max(1, len(text) - _QUICK_CHARS + 1))
    parts = (text[start : start + _QUICK_CHARS] for start in starts)
    return max(parts, key=lambda part: sum(0 if sign in _BLANK else 1 if sign in _COMMON else 2 for sign in part))


_QUICK_CHARS = 9
_MAX_MISSES = 32
_CHUNK_BYTES = 64 * 1024
_BLANK = " \t\n"
_COMMON = "etaoinsrlcd_.-=*#/"


def _finder(compiled: _Compiled) -> Find:
    match = compiled.Match

    def find(text: bytes, start: int, end: int) -> Span | None:
        span: Span = match(_ANYWHERE, text, start, end)[0]
        return None if span == _NOWHERE else span

    return find


def _literal_finder(text: str) -> Find:
    """Return a finder without RE2, which takes quadratic time on repetitive text."""
    encoded = text.encode("utf-8")

    def find(text: bytes, start: int, end: int) -> Span | None:
        at = text.find(encoded, start, end)
        return None if at < 0 else (at, at + len(encoded))

    return find


def _options(sensitive: bool) -> _Options:
    options = _re2.RE2.Options()
    options.max_mem = MAX_MEMORY
    options.case_sensitive = sensitive
    options.never_capture = True
    options.log_errors = False
    return options


def _for_ascii(pattern: str, options: _Options) -> _Compiled | None:
    """Compile for ASCII text, which is faster; None if the pattern has other characters."""
    if not pattern.isascii():
        return None
    options.encoding = _BYTES
    compiled = _re2.RE2(pattern.encode("ascii"), options)
    options.encoding = _UTF8
    return compiled if compiled.ok() else None


def _compiled(query: str, pattern: str, options: _Options) -> _Compiled:
    # Use the binding itself: its wrapper module caches patterns with all their memory, and creates match objects, which
    # doubles the time.
    compiled = _re2.RE2(pattern.encode("utf-8"), options)
    if not compiled.ok():
        raise _compile_error(query, compiled.error().decode("utf-8", "replace"))
    return compiled


_Compiled = Any
_Options = Any
_BYTES, _UTF8 = _re2.RE2.Options.Encoding.LATIN1, _re2.RE2.Options.Encoding.UTF8
_ANYWHERE = _re2.RE2.Anchor.UNANCHORED
_NOWHERE = (-1, -1)


def _compile_error(query: str, message: str) -> CodePlaneError:
    """Translate an RE2 error, whose message quotes the pattern after a colon."""
    kind, _, about = message.partition(": ")
    at = max(query.find(about), 0) if about else 0
    if kind.startswith("pattern too large"):
        return CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the pattern is too large: its repetitions multiply",
            expected=f"a pattern that compiles into {MAX_MEMORY // 1024 // 1024} MiB",
            received=display(query[:40]),
            example={"mode": "regex", "query": r"\pL{1,20}"},
            remedy="Use smaller repetition counts; '+' and '*' are free.",
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
