"""From what was asked for to lines of a text: which file, which lines, or why there are none.

Bytes are those on disk now. Lines of a symbol come from the index, and are told only of the very bytes that were
indexed: where the file has moved on the index is asked again, and in the end it is said that it is behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.symbols import parse_symbol_ref
from codeplane.base.warnings import Notice
from codeplane.disk.beneath import Root
from codeplane.disk.policy import refuse_closed, refuse_protected
from codeplane.operations.outline import Outlined
from codeplane.operations.reading.comments import comment_above
from codeplane.operations.reading.comparing import Baseline, Comparison, compare_file
from codeplane.operations.reading.declared import Text, without_declarations
from codeplane.operations.reading.documents import Body, Document, is_directory, is_file, open_document
from codeplane.operations.reading.parsed_symbols import find_spans_in_file, parents_in_file
from codeplane.operations.reading.sources import Sources, explained, ignored, missing, opened, parsed
from codeplane.operations.reading.symbols import Matches, Span, find_spans, imports_of, parents_of
from codeplane.operations.reading.targets import (
    Mode,
    Place,
    Target,
    find_place,
    looks_like_path,
    names_member,
    names_symbol,
)
from codeplane.query.files import get_file
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import Read

AROUND_LINES = 10
"""On either side of a line that lies in no symbol."""
_ATTEMPTS = 3
_MAX_IMPORT_CHARS = 2_000


@dataclass(frozen=True)
class Wish:
    """What is wanted of each target, where it can have it."""

    within: str = ""
    include_context: bool = False
    context_lines: int | None = None
    against: Baseline = "HEAD"
    proposed: str | None = None


@dataclass(frozen=True)
class Located:
    mode: Mode
    path: RepoPath
    body: Body
    first: int
    last: int
    document: Document | None = None
    symbol: Span | None = None
    comparison: Comparison | None = None
    context: dict[str, object] = field(default_factory=dict)
    read: Read[Any] | None = None
    """The look at the index, if there was one."""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Unlocated:
    mode: Mode
    status: str
    message: str
    fields: dict[str, object] = field(default_factory=dict)
    read: Read[Any] | None = None


def locate(sources: Sources, target: Target, wish: Wish) -> Located | Unlocated:
    mode = target.mode or _mode_said(sources, target)
    if mode == "diff_preview":
        return _compared(sources, _path(target.written), wish)
    if mode == "snippet":
        return _snippet(sources, _place(target), wish)
    if mode == "file":
        return _whole(sources, _path(target.written))
    if mode == "symbol":
        return _symbol(sources, *_symbol_written(sources.root, target, wish))
    return _either(sources, target, wish)


def _mode_said(sources: Sources, target: Target) -> Mode | None:
    """The mode that is written or follows from what is there; None where only the index can tell."""
    written = target.written
    if target.symbol is not None:
        return "symbol"
    if target.first is not None or target.last is not None:
        return "snippet"
    if names_symbol(written):
        return "symbol"
    if _is_file(sources.root, written):
        return "file"
    place = find_place(written)
    if place is not None:
        return None if place.point else "snippet"
    return "symbol" if "#" in written else None


def _either(sources: Sources, target: Target, wish: Wish) -> Located | Unlocated:
    """A line, which may lie in a symbol; or a word, which may be a symbol or a file that is not there."""
    written = target.written
    place = find_place(written)
    if place is None:
        path = _spelled(written)
        if path is not None and (not path or is_directory(sources.root, path)):
            return _whole(sources, path)
        if path is not None:
            refuse_closed(path)
        found = _symbol(sources, written, wish)
        if isinstance(found, Unlocated) and found.status == "not_found" and path and looks_like_path(written):
            raise missing(sources, path)
        return found
    path = _path(place.path)
    try:
        found = _symbol(sources, f"{path}:{place.first}", wish)
    except CodePlaneError as error:
        if error.code not in _NO_INDEX:
            raise
        return _snippet(sources, place, wish)
    return found if isinstance(found, Located) else _snippet(sources, place, wish)


_NO_INDEX = frozenset(
    {
        ErrorCode.NOT_READY,
        ErrorCode.NOT_INDEXED,
        ErrorCode.REQUIRES_REINDEX,
        ErrorCode.INDEX_NEWER,
        ErrorCode.INDEX_LOCKED,
        ErrorCode.INDEX_STALE,
        ErrorCode.FILE_NOT_FOUND,
    }
)


def _whole(sources: Sources, path: RepoPath) -> Located | Unlocated:
    document = opened(sources, path)
    if document.body is None:
        return _binary("file", document)
    last = document.body.line_count
    notices = ignored(sources, path)
    return Located("file", path, document.body, min(1, last), last, document, notices=notices)


def _snippet(sources: Sources, place: Place, wish: Wish) -> Located | Unlocated:
    path = _path(place.path)
    document = opened(sources, path)
    if document.body is None:
        return _binary("snippet", document)
    count = document.body.line_count
    if place.last is not None and place.last < place.first:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the last line lies before the first",
            expected=f"a last line of at least {place.first}",
            received=str(place.last),
            example={"target": f"{path}:{place.last}-{place.first}"},
        )
    if place.first > max(1, count):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(path)}' has {count} lines",
            expected=f"start_line of at most {count}",
            received=str(place.first),
            example={"target": path, "start_line": max(1, count - 20), "end_line": max(1, count)},
        )
    around = wish.context_lines if wish.context_lines is not None else AROUND_LINES if place.point else 0
    first = max(1, place.first - around)
    last = min(count, (place.last if place.last is not None else count) + around)
    return Located("snippet", path, document.body, min(first, last), last, document, notices=ignored(sources, path))


def _compared(sources: Sources, path: RepoPath, wish: Wish) -> Located:
    try:
        found = compare_file(sources.root, path, wish.against, wish.proposed)
    except CodePlaneError as error:
        raise explained(sources, path, error) from None
    last = found.body.line_count
    return Located("diff_preview", path, found.body, min(1, last), last, found.document, comparison=found)


class _Asked(NamedTuple):
    matches: Matches
    document: Document | None = None
    indexed: str | None = None
    context: dict[str, object] | None = None


def _symbol(sources: Sources, what: str, wish: Wish) -> Located | Unlocated:
    try:
        return _indexed_symbol(sources, what, wish)
    except CodePlaneError as error:
        if error.code is not ErrorCode.NOT_READY:
            raise
        return _parsed_symbol(sources, what, wish, error)


def _parsed_symbol(sources: Sources, what: str, wish: Wish, not_ready: CodePlaneError) -> Located | Unlocated:
    """A symbol of a file that is named, found by parsing that file while the index is being built."""
    file = _file_of(sources.root, what)
    if file is None or sources.parse is None:
        not_ready.expected = "path#name, path:line or path:first-last, which work while the index is being built"
        not_ready.received = display(what[:200])
        not_ready.remedy = "Name the file as well, or ask again in a moment. search with mode 'lexical' finds the file."
        raise not_ready
    found = parsed(sources, file)
    if found is None:
        return Unlocated("symbol", "not_found", "No symbol is called so.")
    document, outlined = found
    matches = without_declarations(find_spans_in_file(outlined, what), partial(_parsed_text, document, outlined))
    span, body = matches.only, document.body
    if span is None or body is None:
        return _unlocated(matches, None)
    context: dict[str, object] = {}
    if wish.include_context:
        parents = parents_in_file(outlined, span)
        context = _comment(body, span, outlined.language) | ({"parents": parents} if parents else {})
    last = min(span.last, body.line_count)
    return Located(
        "symbol", span.path, body, span.first, last, document, span, context=context | _declarations(matches)
    )


def _parsed_text(document: Document, outlined: Outlined, span: Span) -> Text | None:
    body = document.body
    return Text(outlined.language, body.between(span.first, span.last).decode("utf-8")) if body is not None else None


def _indexed_symbol(sources: Sources, what: str, wish: Wish) -> Located | Unlocated:
    def ask(snapshot: Snapshot) -> _Asked:
        matches = without_declarations(find_spans(snapshot, what, wish.within), partial(_written, sources, snapshot))
        if matches.only is None:
            return _Asked(matches)
        document = open_document(sources.root, matches.only.path)
        known = get_file(snapshot, matches.only.path)
        indexed = known.digest if known is not None else None
        wanted = wish.include_context and indexed == document.digest
        language = known.language if known is not None else None
        context = _context(snapshot, matches.only, document, language) if wanted else None
        return _Asked(matches, document, indexed, context)

    file, policy = _file_of(sources.root, what), sources.policy
    if file is not None:
        refuse_closed(file)
    for _ in range(_ATTEMPTS):
        read = sources.workspace.read(ask, policy, file=file, cancelled=sources.cancelled)
        asked = read.value
        span, document = asked.matches.only, asked.document
        if span is None:
            if not asked.matches.total and file is not None and "#" in what and not is_file(sources.root, file):
                raise missing(sources, file)
            return _unlocated(asked.matches, read)
        if document is not None and document.digest == asked.indexed and document.body is not None:
            return Located(
                "symbol",
                span.path,
                document.body,
                span.first,
                min(span.last, document.body.line_count),
                document,
                span,
                context=(asked.context or {}) | _declarations(asked.matches),
                read=read,
            )
        # The look came before the file was written: the next one is told to wait for it.
        file, policy = span.path, "strict"
    raise CodePlaneError(
        ErrorCode.INDEX_STALE,
        "the file changes faster than it can be indexed, so that the lines of the symbol are not known",
        details={"path": file},
        remedy="Ask again, or read lines of the file.",
    )


def _written(sources: Sources, snapshot: Snapshot, span: Span) -> Text | None:
    known = get_file(snapshot, span.path)
    try:
        body = open_document(sources.root, span.path).body
    except CodePlaneError:
        return None
    if known is None or known.language is None or body is None:
        return None
    return Text(known.language, body.between(span.first, span.last).decode("utf-8"))


def _declarations(matches: Matches) -> dict[str, object]:
    return {"declarations": list(matches.declarations)} if matches.declarations else {}


def _context(snapshot: Snapshot, span: Span, document: Document, language: str | None) -> dict[str, object]:
    """What stands above a symbol to explain it, what it lies in, and what its file imports."""
    found = _comment(document.body, span, language) if document.body is not None else {}
    parents = parents_of(snapshot, span)
    if parents:
        found["parents"] = parents
    lines, room = [], _MAX_IMPORT_CHARS
    for line in imports_of(snapshot, span.path):
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return found | ({"imports": lines} if lines else {})


def _comment(body: Body, span: Span, language: str | None) -> dict[str, object]:
    comment, left = comment_above(lambda line: body.between(line, line).decode("utf-8"), span.first, language)
    found: dict[str, object] = {"comment": comment} if comment else {}
    return found | ({"comment_lines_left": left} if left else {})


def _unlocated(matches: Matches, read: Read[_Asked] | None) -> Unlocated:
    if matches.total:
        fields: dict[str, object] = {"candidates": [span.as_candidate() for span in matches.spans]}
        if matches.total > len(matches.spans):
            fields["left_out"] = matches.total - len(matches.spans)
        message = "Several symbols are called so: pass one symbol_ref as target, or a file as path."
        return Unlocated("symbol", "ambiguous", message, fields, read)
    similar: dict[str, object] = {"similar": list(matches.similar)} if matches.similar else {}
    return Unlocated("symbol", "not_found", "No symbol is called so.", similar, read)


def _binary(mode: Mode, document: Document) -> Unlocated:
    fields = {"path": document.path, "size": document.size, "file_sha256": document.digest}
    return Unlocated(mode, "unsupported", "The file is binary.", fields)


def _place(target: Target) -> Place:
    if target.first is not None or target.last is not None:
        return Place(target.written, target.first or 1, target.last)
    place = find_place(target.written)
    if place is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "mode='snippet' needs lines",
            expected="start_line and end_line, or a target such as path:10-20",
            received=display(target.written[:200]),
            example={"target": "src/app.py:10-20"},
        )
    return place


def _symbol_written(root: Root, target: Target, wish: Wish) -> tuple[str, Wish]:
    """A name and the file or directory that it is of, as one reference or as a name to look for there."""
    symbol, written = target.symbol, target.written
    if symbol is None or not written or "#" in symbol or find_place(symbol) is not None:
        return symbol or written, wish
    if is_directory(root, _path(written)):
        return symbol, replace(wish, within=_path(written))
    return f"{written.replace('%', '%25').replace('#', '%23')}#{symbol}", wish


def _file_of(root: Root, what: str) -> RepoPath | None:
    """The file that a reference names, so that only that one need be looked at."""
    if names_member(what) and not _is_file(root, what.partition("#")[0]):
        return None
    if "#" in what:
        return parse_symbol_ref(what).path
    place = find_place(what)
    return _spelled(place.path) if place is not None else None


def _path(written: str) -> RepoPath:
    path = normalize(written)
    refuse_protected(path)
    return path


def _spelled(written: str) -> RepoPath | None:
    try:
        return normalize(written)
    except CodePlaneError:
        if "/" in written or "\\" in written:
            raise
        return None


def _is_file(root: Root, written: str) -> bool:
    path = _spelled(written)
    return bool(path) and is_file(root, path or "")
