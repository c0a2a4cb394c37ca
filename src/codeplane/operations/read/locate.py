"""From what was asked for to lines of a text: which file, which lines, or why there are none.

Bytes are those on disk now. Lines of a symbol come from the index, and are told only of the very bytes that were
indexed: where the file has moved on the index is asked again, and in the end it is said that it is behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.symbols import symbol_ref
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice
from codeplane.disk.policy import refuse_protected, refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.read.comments import comment_above
from codeplane.operations.read.declarations import DefinitionSplit, SymbolText, split_declarations
from codeplane.operations.read.diff_preview import Baseline, Comparison, compare_file
from codeplane.operations.read.documents import Document, TextBody, is_directory, is_file, open_document
from codeplane.operations.read.sources import (
    ReadSources,
    file_not_found,
    ignore_notices,
    open_or_explain,
    parse_document,
    with_nearest_paths,
)
from codeplane.operations.read.symbol_context import imports_of, parents_in, parents_of
from codeplane.operations.read.targets import LineRange, Mode, ReadTarget, is_symbol_only, parse_line_range
from codeplane.operations.symbols.forms import looks_like_path, named_file
from codeplane.operations.symbols.lookup import FileSymbols, IndexedSymbols
from codeplane.operations.symbols.model import AmbiguousSymbol, Resolution, SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.presenter import candidate_fields, unresolved_lines, unresolved_message
from codeplane.operations.symbols.resolve import resolve_symbol
from codeplane.query.files import get_file
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import FreshResult

AROUND_LINES = 10
"""On either side of a line that lies in no symbol."""
MAX_MERGED_LINES = 80
"""Lines of definitions of one name that are read as one."""
_ATTEMPTS = 3
_MAX_IMPORT_CHARS = 2_000


@dataclass(frozen=True)
class ReadOptions:
    """What is wanted of each target, where it can have it."""

    within: str = ""
    include_context: bool = False
    context_lines: int | None = None
    against: Baseline = "HEAD"
    proposed: str | None = None
    merge_namesakes: bool = False
    """Read adjacent definitions of one name, such as a getter and its setter, as one."""


@dataclass(frozen=True)
class LocatedText:
    mode: Mode
    path: RepoPath
    body: TextBody
    first: int
    last: int
    document: Document | None = None
    symbol: Symbol | None = None
    comparison: Comparison | None = None
    context: dict[str, object] = field(default_factory=dict)
    read: FreshResult[Any] | None = None
    """The look at the index, if there was one."""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class NotLocated:
    mode: Mode
    status: str
    message: str
    fields: dict[str, object] = field(default_factory=dict)
    read: FreshResult[Any] | None = None
    lines: tuple[TextLine, ...] | None = None
    """The text form, where it is not made from the fields."""


def locate(sources: ReadSources, target: ReadTarget, wish: ReadOptions) -> LocatedText | NotLocated:
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


def _mode_said(sources: ReadSources, target: ReadTarget) -> Mode | None:
    """The mode that is written or follows from what is there; None where only the index can tell."""
    written = target.written
    if target.symbol is not None:
        return "symbol"
    if target.first is not None or target.last is not None:
        return "snippet"
    if is_symbol_only(written):
        return "symbol"
    if _is_file(sources.root, written):
        return "file"
    place = parse_line_range(written)
    if place is not None:
        return None if place.point else "snippet"
    return "symbol" if "#" in written else None


def _either(sources: ReadSources, target: ReadTarget, wish: ReadOptions) -> LocatedText | NotLocated:
    """A line, which may lie in a symbol; or a word, which may be a symbol or a file that is not there."""
    written = target.written
    place = parse_line_range(written)
    if place is None:
        path = _spelled(written)
        if path is not None and (not path or is_directory(sources.root, path)):
            return _whole(sources, path)
        if path is not None:
            refuse_restricted(path)
        found = _symbol(sources, written, wish)
        if isinstance(found, NotLocated) and found.status == "not_found" and path and looks_like_path(written):
            raise file_not_found(sources, path)
        return found
    path = _path(place.path)
    try:
        found = _symbol(sources, f"{path}:{place.first}", wish)
    except CodePlaneError as error:
        if error.code not in _NO_INDEX:
            raise
        return _snippet(sources, place, wish)
    return found if isinstance(found, LocatedText) else _snippet(sources, place, wish)


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


def _whole(sources: ReadSources, path: RepoPath) -> LocatedText | NotLocated:
    document = open_or_explain(sources, path)
    if document.body is None:
        return _binary("file", document)
    last = document.body.line_count
    notices = ignore_notices(sources, path)
    return LocatedText("file", path, document.body, min(1, last), last, document, notices=notices)


def _snippet(sources: ReadSources, place: LineRange, wish: ReadOptions) -> LocatedText | NotLocated:
    path = _path(place.path)
    document = open_or_explain(sources, path)
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
    return LocatedText(
        "snippet", path, document.body, min(first, last), last, document, notices=ignore_notices(sources, path)
    )


def _compared(sources: ReadSources, path: RepoPath, wish: ReadOptions) -> LocatedText:
    try:
        found = compare_file(sources.root, path, wish.against, wish.proposed)
    except CodePlaneError as error:
        raise with_nearest_paths(sources, path, error) from None
    last = found.body.line_count
    return LocatedText("diff_preview", path, found.body, min(1, last), last, found.document, comparison=found)


class _Asked(NamedTuple):
    resolution: SymbolsFound | AmbiguousSymbol | SymbolNotFound
    declarations: tuple[Symbol, ...] = ()
    document: Document | None = None
    indexed: str | None = None
    context: dict[str, object] | None = None


def _symbol(sources: ReadSources, what: str, wish: ReadOptions) -> LocatedText | NotLocated:
    try:
        return _indexed_symbol(sources, what, wish)
    except CodePlaneError as error:
        if error.code is not ErrorCode.NOT_READY:
            raise
        return _parsed_symbol(sources, what, wish, error)


def _parsed_symbol(
    sources: ReadSources, what: str, wish: ReadOptions, not_ready: CodePlaneError
) -> LocatedText | NotLocated:
    """A symbol of a file that is named, found by parsing that file while the index is being built."""
    file = _file_of(sources.root, what)
    if file is None or sources.parse is None:
        not_ready.expected = "path#name, path:line or path:first-last, which work while the index is being built"
        not_ready.received = display(what[:200])
        not_ready.remedy = "Name the file as well, or ask again in a moment. search with mode 'lexical' finds the file."
        raise not_ready
    known = parse_document(sources, file)
    document, outlined = known if known is not None else (None, None)
    rows = outlined.rows if outlined is not None else ()
    found: Resolution = resolve_symbol(FileSymbols(file, rows), what, scope=file)
    declarations: tuple[Symbol, ...] = ()
    if isinstance(found, AmbiguousSymbol) and document is not None and outlined is not None:
        found, declarations = _defined(found, partial(_parsed_text, document, outlined))
    if document is None or outlined is None or document.body is None or not isinstance(found, SymbolsFound):
        assert not isinstance(found, SymbolsFound)
        return _unlocated(found, None)
    symbol, body = found.symbols[0], document.body
    context: dict[str, object] = {}
    if wish.include_context:
        parents = parents_in(rows, symbol)
        context = _comment(body, symbol, outlined.language) | ({"parents": parents} if parents else {})
    last = min(symbol.end_line, body.line_count)
    context |= _declarations(declarations)
    return LocatedText("symbol", symbol.path, body, symbol.start_line, last, document, symbol, context=context)


def _parsed_text(document: Document, outlined: FileOutlineRows, symbol: Symbol) -> SymbolText | None:
    if document.body is None:
        return None
    return SymbolText(outlined.language, document.body.between(symbol.start_line, symbol.end_line).decode("utf-8"))


def _indexed_symbol(sources: ReadSources, what: str, wish: ReadOptions) -> LocatedText | NotLocated:
    def ask(snapshot: Snapshot) -> _Asked:
        found = resolve_symbol(IndexedSymbols(snapshot), what, scope=wish.within)
        declarations: tuple[Symbol, ...] = ()
        if isinstance(found, AmbiguousSymbol):
            found, declarations = _defined(found, partial(_written, sources, snapshot))
        if isinstance(found, AmbiguousSymbol) and wish.merge_namesakes:
            found = _merged(found)
        if not isinstance(found, SymbolsFound):
            return _Asked(found)
        symbol = found.symbols[0]
        document = open_document(sources.root, symbol.path)
        known = get_file(snapshot, symbol.path)
        indexed = known.digest if known is not None else None
        wanted = wish.include_context and indexed == document.digest
        language = known.language if known is not None else None
        context = _context(snapshot, symbol, document, language) if wanted else None
        return _Asked(found, declarations, document, indexed, context)

    file, policy = _file_of(sources.root, what), sources.policy
    if file is not None:
        refuse_restricted(file)
    for _ in range(_ATTEMPTS):
        read = sources.workspace.read(ask, policy, file=file, cancelled=sources.cancelled)
        asked = read.value
        if not isinstance(asked.resolution, SymbolsFound):
            return _unlocated(asked.resolution, read)
        symbol, document = asked.resolution.symbols[0], asked.document
        if document is not None and document.digest == asked.indexed and document.body is not None:
            return LocatedText(
                "symbol",
                symbol.path,
                document.body,
                symbol.start_line,
                min(symbol.end_line, document.body.line_count),
                document,
                symbol,
                context=(asked.context or {}) | _declarations(asked.declarations),
                read=read,
            )
        # The look came before the file was written: the next one is told to wait for it.
        file, policy = symbol.path, "strict"
    raise CodePlaneError(
        ErrorCode.INDEX_STALE,
        "the file changes faster than it can be indexed, so that the lines of the symbol are not known",
        details={"path": file},
        remedy="Ask again, or read lines of the file.",
    )


def _merged(ambiguous: AmbiguousSymbol) -> SymbolsFound | AmbiguousSymbol:
    """One span around all candidates, if they have the same qualified name and stand close together in one file."""
    candidates = ambiguous.candidates
    first, last = min(each.start_line for each in candidates), max(each.end_line for each in candidates)
    names = {(each.path, each.lexical_path) for each in candidates}
    if len(candidates) < ambiguous.total or len(names) > 1 or last - first >= MAX_MERGED_LINES:
        return ambiguous
    return SymbolsFound((candidates[0]._replace(start_line=first, end_line=last),), 1)


def _defined(
    ambiguous: AmbiguousSymbol, read_text: Callable[[Symbol], SymbolText | None]
) -> tuple[SymbolsFound | AmbiguousSymbol, tuple[Symbol, ...]]:
    """The one definition among the candidates, if the others declare it; and its declarations."""
    left: DefinitionSplit = split_declarations(ambiguous, read_text)
    if not left.declarations:
        return ambiguous, ()
    if len(left.symbols) == 1:
        return SymbolsFound(left.symbols, 1), left.declarations
    return replace(ambiguous, candidates=left.symbols, total=len(left.symbols)), left.declarations


def _written(sources: ReadSources, snapshot: Snapshot, symbol: Symbol) -> SymbolText | None:
    known = get_file(snapshot, symbol.path)
    try:
        body = open_document(sources.root, symbol.path).body
    except CodePlaneError:
        return None
    if known is None or known.language is None or body is None:
        return None
    return SymbolText(known.language, body.between(symbol.start_line, symbol.end_line).decode("utf-8"))


def _declarations(declarations: tuple[Symbol, ...]) -> dict[str, object]:
    return {"declarations": [symbol.reference for symbol in declarations]} if declarations else {}


def _context(snapshot: Snapshot, symbol: Symbol, document: Document, language: str | None) -> dict[str, object]:
    """What stands above a symbol to explain it, what it lies in, and what its file imports."""
    found = _comment(document.body, symbol, language) if document.body is not None else {}
    parents = parents_of(snapshot, symbol)
    if parents:
        found["parents"] = parents
    lines, room = [], _MAX_IMPORT_CHARS
    for line in imports_of(snapshot, symbol.path):
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return found | ({"imports": lines} if lines else {})


def _comment(body: TextBody, symbol: Symbol, language: str | None) -> dict[str, object]:
    first = symbol.start_line
    comment, left = comment_above(lambda line: body.between(line, line).decode("utf-8"), first, language)
    found: dict[str, object] = {"comment": comment} if comment else {}
    return found | ({"comment_lines_left": left} if left else {})


def _unlocated(found: AmbiguousSymbol | SymbolNotFound, read: FreshResult[_Asked] | None) -> NotLocated:
    fields: dict[str, object] = {}
    if isinstance(found, SymbolNotFound):
        fields |= {"similar": list(found.suggestions)} if found.suggestions else {}
    else:
        fields["candidates"] = [candidate_fields(symbol) for symbol in found.candidates]
        left = found.total - len(found.candidates)
        fields |= {"left_out": left} if left else {}
    status = "not_found" if isinstance(found, SymbolNotFound) else "ambiguous"
    lines = tuple(unresolved_lines(found))
    return NotLocated("symbol", status, unresolved_message(found), fields, read, lines)


def _binary(mode: Mode, document: Document) -> NotLocated:
    fields = {"path": document.path, "size": document.size, "file_sha256": document.digest}
    return NotLocated(mode, "unsupported", "The file is binary.", fields)


def _place(target: ReadTarget) -> LineRange:
    if target.first is not None or target.last is not None:
        return LineRange(target.written, target.first or 1, target.last)
    place = parse_line_range(target.written)
    if place is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "mode='snippet' needs lines",
            expected="start_line and end_line, or a target such as path:10-20",
            received=display(target.written[:200]),
            example={"target": "src/app.py:10-20"},
        )
    return place


def _symbol_written(root: Root, target: ReadTarget, wish: ReadOptions) -> tuple[str, ReadOptions]:
    """A name and the file or directory that it is of, as one reference or as a name to look for there."""
    symbol, written = target.symbol, target.written
    if symbol is None or not written or "#" in symbol or parse_line_range(symbol) is not None:
        return symbol or written, wish
    if is_directory(root, _path(written)):
        return symbol, replace(wish, within=_path(written))
    return symbol_ref(written, symbol), wish


def _file_of(root: Root, what: str) -> RepoPath | None:
    """The file that a reference names, so that only that file is checked for changes."""
    return named_file(what, partial(is_file, root))


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
