"""Lines of a symbol, from the index or, while it is being built, by parsing the named file.

The lines are returned only if the bytes on disk are the indexed ones. If the file has changed, the index is read again
with a strict freshness policy, and INDEX_STALE is raised if it does not catch up.

Among candidates of one name, declarations (prototypes in a header, signatures of an overloaded function) are dropped
for a definition of the same function; two definitions stay ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.languages.registry import find
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.read.comments import comment_above
from codeplane.operations.read.documents import Document, TextBody, is_file, open_document
from codeplane.operations.read.model import LocatedText, NotLocated, ReadOptions
from codeplane.operations.read.sources import ReadSources, parse_document
from codeplane.operations.signatures import parameters_of, telling_signature
from codeplane.operations.symbols.forms import named_file
from codeplane.operations.symbols.lookup import FileSymbols, IndexedSymbols
from codeplane.operations.symbols.model import AmbiguousSymbol, Resolution, SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.presenter import candidate_fields, unresolved_lines, unresolved_message
from codeplane.operations.symbols.resolve import resolve_symbol
from codeplane.query.files import get_file
from codeplane.query.imports import list_imports
from codeplane.query.outline import OutlineRow, list_outline_rows
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import FreshResult

MAX_MERGED_LINES = 80
"""Maximum lines of definitions of one name that are read as one."""
_ATTEMPTS = 3


class _IndexAnswer(NamedTuple):
    resolution: SymbolsFound | AmbiguousSymbol | SymbolNotFound
    declarations: tuple[Symbol, ...] = ()
    document: Document | None = None
    indexed_digest: str | None = None
    context: dict[str, object] | None = None


def locate_symbol(sources: ReadSources, written: str, options: ReadOptions) -> LocatedText | NotLocated:
    try:
        return _indexed_symbol(sources, written, options)
    except CodePlaneError as error:
        if error.code is not ErrorCode.NOT_READY:
            raise
        return _parsed_symbol(sources, written, options, error)


def _parsed_symbol(
    sources: ReadSources, written: str, options: ReadOptions, not_ready: CodePlaneError
) -> LocatedText | NotLocated:
    """Locate a symbol of a named file by parsing that file, while the index is being built."""
    file = _file_of(sources.root, written)
    if file is None or sources.parse is None:
        not_ready.expected = "path#name, path:line or path:first-last, which work while the index is being built"
        not_ready.received = display(written[:200])
        not_ready.remedy = "Name the file as well, or retry in a moment. search with mode 'lexical' finds the file."
        raise not_ready
    known = parse_document(sources, file)
    document, outlined = known if known is not None else (None, None)
    rows = outlined.rows if outlined is not None else ()
    resolution: Resolution = resolve_symbol(FileSymbols(file, rows), written, scope=file)
    declarations: tuple[Symbol, ...] = ()
    if isinstance(resolution, AmbiguousSymbol) and document is not None and outlined is not None:
        resolution, declarations = _without_declarations(resolution, partial(_parsed_text, document, outlined))
    if document is None or outlined is None or document.body is None or not isinstance(resolution, SymbolsFound):
        assert not isinstance(resolution, SymbolsFound)
        return _unresolved(resolution, None)
    symbol, body = resolution.symbols[0], document.body
    context = parsed_context(rows, symbol, body, outlined.language) if options.include_context else {}
    last = min(symbol.end_line, body.line_count)
    context |= _declaration_fields(declarations)
    return LocatedText("symbol", symbol.path, body, symbol.start_line, last, document, symbol, context=context)


def _parsed_text(document: Document, outlined: FileOutlineRows, symbol: Symbol) -> SymbolText | None:
    if document.body is None:
        return None
    return SymbolText(outlined.language, document.body.between(symbol.start_line, symbol.end_line).decode("utf-8"))


def _indexed_symbol(sources: ReadSources, written: str, options: ReadOptions) -> LocatedText | NotLocated:
    def ask(snapshot: Snapshot) -> _IndexAnswer:
        resolution = resolve_symbol(IndexedSymbols(snapshot), written, scope=options.within)
        declarations: tuple[Symbol, ...] = ()
        if isinstance(resolution, AmbiguousSymbol):
            resolution, declarations = _without_declarations(resolution, partial(_indexed_text, sources, snapshot))
        if isinstance(resolution, AmbiguousSymbol) and options.merge_namesakes:
            resolution = _merged(resolution)
        if not isinstance(resolution, SymbolsFound):
            return _IndexAnswer(resolution)
        symbol = resolution.symbols[0]
        document = open_document(sources.root, symbol.path)
        known = get_file(snapshot, symbol.path)
        indexed_digest = known.digest if known is not None else None
        context = None
        if options.include_context and indexed_digest == document.digest and document.body is not None:
            context = symbol_context(snapshot, symbol, document.body, known.language if known is not None else None)
        return _IndexAnswer(resolution, declarations, document, indexed_digest, context)

    file, policy = _file_of(sources.root, written), sources.policy
    if file is not None:
        refuse_restricted(sources.root.path, file)
    for _ in range(_ATTEMPTS):
        read = sources.workspace.read(ask, policy, file=file, cancelled=sources.cancelled)
        answer = read.value
        if not isinstance(answer.resolution, SymbolsFound):
            return _unresolved(answer.resolution, read)
        symbol, document = answer.resolution.symbols[0], answer.document
        if document is not None and document.digest == answer.indexed_digest and document.body is not None:
            return LocatedText(
                "symbol",
                symbol.path,
                document.body,
                symbol.start_line,
                min(symbol.end_line, document.body.line_count),
                document,
                symbol,
                context=(answer.context or {}) | _declaration_fields(answer.declarations),
                read=read,
            )
        # The file was written after the sync; the next read waits for it.
        file, policy = symbol.path, "strict"
    raise CodePlaneError(
        ErrorCode.INDEX_STALE,
        "the file changes faster than it can be indexed, so the lines of the symbol are unknown",
        details={"path": file},
        remedy="Retry, or read lines of the file.",
    )


def _merged(ambiguous: AmbiguousSymbol) -> SymbolsFound | AmbiguousSymbol:
    """Merge all candidates into one span, if they have the same qualified name and are close together in one file."""
    candidates = ambiguous.candidates
    first, last = min(each.start_line for each in candidates), max(each.end_line for each in candidates)
    names = {(each.path, each.lexical_path) for each in candidates}
    if len(candidates) < ambiguous.total or len(names) > 1 or last - first >= MAX_MERGED_LINES:
        return ambiguous
    return SymbolsFound((candidates[0]._replace(start_line=first, end_line=last),), 1)


def _without_declarations(
    ambiguous: AmbiguousSymbol, read_text: Callable[[Symbol], SymbolText | None]
) -> tuple[SymbolsFound | AmbiguousSymbol, tuple[Symbol, ...]]:
    """Drop candidates that only declare another candidate; return the rest and the declarations."""
    split = split_declarations(ambiguous, read_text)
    if not split.declarations:
        return ambiguous, ()
    if len(split.symbols) == 1:
        return SymbolsFound(split.symbols, 1), split.declarations
    return replace(ambiguous, candidates=split.symbols, total=len(split.symbols)), split.declarations


def _indexed_text(sources: ReadSources, snapshot: Snapshot, symbol: Symbol) -> SymbolText | None:
    known = get_file(snapshot, symbol.path)
    try:
        body = open_document(sources.root, symbol.path).body
    except CodePlaneError:
        return None
    if known is None or known.language is None or body is None:
        return None
    return SymbolText(known.language, body.between(symbol.start_line, symbol.end_line).decode("utf-8"))


def _declaration_fields(declarations: tuple[Symbol, ...]) -> dict[str, object]:
    return {"declarations": [symbol.reference for symbol in declarations]} if declarations else {}


def _unresolved(resolution: AmbiguousSymbol | SymbolNotFound, read: FreshResult[_IndexAnswer] | None) -> NotLocated:
    fields: dict[str, object] = {}
    if isinstance(resolution, SymbolNotFound):
        fields |= {"similar": list(resolution.suggestions)} if resolution.suggestions else {}
    else:
        fields["candidates"] = [candidate_fields(symbol) for symbol in resolution.candidates]
        left = resolution.total - len(resolution.candidates)
        fields |= {"left_out": left} if left else {}
    status = "not_found" if isinstance(resolution, SymbolNotFound) else "ambiguous"
    lines = tuple(unresolved_lines(resolution))
    return NotLocated("symbol", status, unresolved_message(resolution), fields, read, lines)


def _file_of(root: Root, written: str) -> RepoPath | None:
    """Return the file that a reference names, so that only that file is checked for changes."""
    return named_file(written, partial(is_file, root))


_BRACED = frozenset({"c", "cpp", "typescript", "tsx"})
_OVERLOAD = re.compile(r"\s*@(?:\w+\.)?overload\b")


class SymbolText(NamedTuple):
    """Source text of a symbol, and its language."""

    language: str
    text: str


class DefinitionSplit(NamedTuple):
    symbols: tuple[Symbol, ...]
    declarations: tuple[Symbol, ...]
    """Declarations of those symbols."""


def split_declarations(ambiguous: AmbiguousSymbol, read: Callable[[Symbol], SymbolText | None]) -> DefinitionSplit:
    """Separate candidates that declare another candidate; otherwise all candidates are symbols."""
    candidates = ambiguous.candidates
    if ambiguous.total != len(candidates):
        return DefinitionSplit(candidates, ())
    texts = {symbol: read(symbol) for symbol in candidates}
    declared = [symbol for symbol, text in texts.items() if text is not None and _is_declaration(symbol, text)]
    defined = [symbol for symbol in candidates if symbol not in declared]
    dropped = [symbol for symbol in declared if any(_declares(symbol, other, texts[symbol]) for other in defined)]
    return DefinitionSplit(tuple(symbol for symbol in candidates if symbol not in dropped), tuple(dropped))


def _is_declaration(symbol: Symbol, source: SymbolText) -> bool:
    if source.language == "python":
        return _OVERLOAD.match(source.text) is not None
    # A signature may contain braces; the body comes after it.
    return source.language in _BRACED and "{" not in " ".join(source.text.split())[len(symbol.signature) :]


def _declares(declared: Symbol, defined: Symbol, source: SymbolText | None) -> bool:
    if (declared.lexical_path, declared.kind) != (defined.lexical_path, defined.kind) or source is None:
        return False
    language = find(source.language)
    if language is None or language.announces is None:
        return declared.path == defined.path
    return language.announces(parameters_of(declared.signature), parameters_of(defined.signature))


_MAX_IMPORTS = 200
_MAX_IMPORT_CHARS = 2_000
_MAX_PARENTS = 10


def symbol_context(snapshot: Snapshot, symbol: Symbol, body: TextBody, language: str | None) -> dict[str, object]:
    fields = parsed_context(list_outline_rows(snapshot, symbol.path), symbol, body, language)
    imports: list[str] = []
    chars = 0
    for line in _imports(snapshot, symbol.path):
        chars += len(line)
        if chars > _MAX_IMPORT_CHARS:
            break
        imports.append(line)
    return fields | ({"imports": imports} if imports else {})


def parsed_context(
    outline: Sequence[OutlineRow], symbol: Symbol, body: TextBody, language: str | None
) -> dict[str, object]:
    """Return the context without imports, which are unknown for a file that is not indexed."""
    comment, left = comment_above(lambda line: body.between(line, line).decode("utf-8"), symbol.start_line, language)
    fields: dict[str, object] = {"comment": comment} if comment else {}
    if left:
        fields["comment_lines_left"] = left
    parents = _parents(outline, symbol)
    return fields | ({"parents": parents} if parents else {})


def _parents(outline: Sequence[OutlineRow], symbol: Symbol) -> list[dict[str, object]]:
    """Return the enclosing symbols, outermost first."""
    rows = {row.ordinal: row for row in outline}
    position = symbol.lexical_path, symbol.start_line
    row = next((row for row in outline if (row.lexical_path, row.start_line) == position), None)
    chain: list[dict[str, object]] = []
    while row is not None and row.parent is not None and len(chain) < _MAX_PARENTS:
        row = rows.get(row.parent)
        if row is not None:
            fields: dict[str, object] = {"kind": row.kind, "name": row.name, "line_start": row.start_line}
            signature = telling_signature(row.signature, row.name)
            chain.append(fields | ({"signature": signature} if signature else {}))
    return chain[::-1]


def _imports(snapshot: Snapshot, path: RepoPath) -> list[str]:
    """Return the imports of a file, one line per source: `typing: Any, cast as c`."""
    named: dict[str, list[str]] = {}
    for row in list_imports(snapshot, path, _MAX_IMPORTS).rows:
        names = named.setdefault(row.source_literal or row.imported_name, [])
        alias = f" as {row.alias}" if row.alias and row.alias != row.imported_name else ""
        if row.source_literal and (row.imported_name != row.source_literal or alias):
            names.append(f"{row.imported_name}{alias}")
        elif alias:
            names.append(alias.strip())
    return [f"{source}: {', '.join(dict.fromkeys(names))}" if names else source for source, names in named.items()]
