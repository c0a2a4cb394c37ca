"""Outline of one file: its symbols as a tree, or the one symbol that a caller names.

A node contains only what the others do not imply: its reference is the file, the names from the top of the tree joined
by dots, and its first line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.base.symbols import symbol_ref
from codeplane.operations.outline_tree import TreeItem, Window, build_tree, count_symbols, flatten, in_window
from codeplane.operations.signatures import telling_signature
from codeplane.operations.symbols.lookup import FileSymbols, IndexedSymbols
from codeplane.operations.symbols.model import AmbiguousSymbol, Resolution, SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.resolve import resolve_symbol
from codeplane.query.files import FileInfo, get_file, list_problems
from codeplane.query.outline import OutlineRow, list_directory_files, list_outline_rows, nearest_paths
from codeplane.query.relations import ATTRIBUTE, Symbol
from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.store.codec import ORDINAL_MASK
from codeplane.store.records import FileState

Depth = Literal["all", "top"]

CALLABLES = frozenset({"function", "method", "constructor"})
DEFAULT_LIMIT = 500
MAX_NEAREST = 3
MAX_CHARS = 22_000
"""Approximate size of one outline as JSON; larger ones are truncated and count the omitted symbols."""

_UNLIMITED_CHARS = 1 << 40
_NODE_CHARS = 80
"""Size of a node besides its name and signature."""


@dataclass(frozen=True)
class OutlineOptions:
    depth: Depth = "all"
    """`top` shows the outermost symbols only."""
    limit: int = DEFAULT_LIMIT
    symbol: str | None = None
    """Show only the symbol that this written form names."""
    window: Window | None = None
    """Show only symbols that overlap a line range."""
    max_chars: int = MAX_CHARS
    full_signatures: bool = False
    """Also show signatures that add nothing to kind and name."""


@dataclass(frozen=True)
class OutlineNode:
    name: str
    kind: str
    line_start: int
    line_end: int
    signature: str = ""
    symbol_ref: str = ""
    """Only if the tree does not imply it."""
    children: tuple[OutlineNode, ...] = ()
    child_count: int = 0
    """Direct children that are not shown."""

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "name": self.name,
            "kind": self.kind,
            "line_start": self.line_start,
            "line_end": self.line_end,
            "signature": self.signature,
            "symbol_ref": self.symbol_ref,
            "children": [child.as_dict() for child in self.children],
            "child_count": self.child_count,
        }
        required = ("name", "kind", "line_start", "line_end")
        return {name: value for name, value in fields.items() if value or name in required}


@dataclass(frozen=True)
class Outline:
    """`status` is ok, ambiguous or not_found; the last two only with a requested symbol."""

    status: str
    file: RepoPath
    language: str
    line_count: int
    symbols: tuple[OutlineNode, ...]
    left_out: int = 0
    missing_metadata: int = 0
    """Symbols without a name or a position, which are not listed."""
    syntax_errors: int = 0
    first_error_line: int = 0
    similar: tuple[str, ...] = ()
    """References of symbols with a name similar to one that was not found."""
    unresolved: AmbiguousSymbol | SymbolNotFound | None = None
    """Why the requested symbol is not shown alone."""
    others: tuple[str, ...] = ()
    """Symbols that are only named, as `name@line`, which after the file and `#` is a reference."""
    next_line: int = 0
    """Start of the first symbol that is not named at all, if known."""

    @property
    def has_more(self) -> bool:
        return self.left_out > 0

    def as_dict(self) -> dict[str, object]:
        """Return the JSON fields, without those that warnings contain."""
        fields: dict[str, object] = {"file": self.file, "language": self.language, "line_count": self.line_count}
        fields["symbols"] = [node.as_dict() for node in self.symbols]
        if self.others:
            fields["others"] = list(self.others)
        fields["has_more"] = self.has_more
        if self.left_out:
            fields["left_out"] = self.left_out
        if self.similar:
            fields["similar"] = list(self.similar)
        return fields


@dataclass(frozen=True)
class FileOutlineRows:
    """Definitions of a file that has an outline."""

    path: RepoPath
    language: str
    lines: int
    size: int
    """Bytes of the file."""
    rows: tuple[OutlineRow, ...]
    syntax_errors: int = 0
    first_error_line: int = 0
    digest: str = ""
    """Digest of the raw bytes; empty for a file of another revision."""
    resolution: Resolution | None = None
    """Resolution of the requested symbol in the whole index; None for a file of another revision."""


def file_outline(snapshot: Snapshot, file: RepoPath, options: OutlineOptions | None = None) -> Outline:
    """Return the outline of an indexed file."""
    options = options or OutlineOptions()
    return show_outline(find_outlined(snapshot, file, options.symbol), options)


def find_outlined(snapshot: Snapshot, file: RepoPath, symbol: str | None = None) -> FileOutlineRows:
    """Return the symbols of an indexed file; with `symbol`, also the resolution of that name in it."""
    known = _get_indexed(snapshot, file)
    problems = list_problems(snapshot, 1, file)
    first = problems.rows[0].line if problems.rows else 0
    rows = list_outline_rows(snapshot, file)
    resolution = None
    if symbol is not None and _is_symbol_text(symbol):
        resolution = resolve_symbol(IndexedSymbols(snapshot), symbol, scope=file)
    about = (known.path, known.language or "", known.lines, known.size, rows, problems.total, first)
    return FileOutlineRows(*about, known.digest or "", resolution)


def show_outline(known: FileOutlineRows, options: OutlineOptions) -> Outline:
    check_limit(options.limit)
    rows = known.rows
    valid = [row for row in rows if row.name and 0 < row.start_line <= row.end_line]
    if options.symbol is not None:
        return _exact_outline(known, valid, options.symbol, options)
    roots = in_window(build_tree(valid, rows, known.language), options.window)
    budget = _Budget(options.limit, options.max_chars)
    symbols = tuple(_shown(roots, known.path, "", budget, options))
    return Outline(
        "ok",
        known.path,
        known.language,
        known.lines,
        symbols,
        left_out=(len(roots) if options.depth == "top" else count_symbols(roots)) - budget.used,
        next_line=budget.refused,
        missing_metadata=len(rows) - len(valid),
        syntax_errors=known.syntax_errors,
        first_error_line=known.first_error_line,
    )


def main_type(nodes: Sequence[OutlineNode]) -> OutlineNode | None:
    """Return the class, or other type, with the most members; None if no symbol has members."""
    types = [node for node in nodes if node.children and node.kind not in CALLABLES]
    return max(types, key=lambda node: len(node.children), default=None)


def unsupported(file: RepoPath, reason: str | None) -> CodePlaneError:
    """Return the error for an existing file without an outline."""
    failed = reason in ("timeout", "worker_died")
    return CodePlaneError(
        ErrorCode.LANGUAGE_UNSUPPORTED,
        f"'{display(file)}' {'could not be parsed yet' if failed else 'has no outline'}",
        details={"reason": reason or "no_grammar"},
        remedy="Read the file itself.",
    )


@dataclass
class _Budget:
    limit: int
    chars: int
    used: int = 0
    refused: int = 0
    """Line of the first item that did not fit."""

    @property
    def spent(self) -> bool:
        return self.used >= self.limit or self.chars <= 0

    def take(self, item: TreeItem) -> None:
        self.used += 1
        self.chars -= _NODE_CHARS + len(item.name) + (len(item.row.signature) if item.row else 0)


def _shown(
    items: list[TreeItem], path: RepoPath, parent: str, budget: _Budget, options: OutlineOptions
) -> Iterable[OutlineNode]:
    """Yield nodes from the top, within the budget. Groups are free."""
    for item in items:
        if budget.spent:
            budget.refused = budget.refused or item.first
            return
        name = f"{parent}.{item.name}" if parent else item.name
        if item.row is not None or options.depth == "top":
            budget.take(item)
        children = () if options.depth == "top" else tuple(_shown(item.children, path, name, budget, options))
        reference = signature = ""
        if item.row is not None:
            signature = _signature(item.row, options)
            if item.row.lexical_path != name:
                reference = symbol_ref(path, item.row.lexical_path, item.row.start_line)
        hidden = len(item.children) - len(children)
        yield OutlineNode(item.name, item.kind, item.first, item.last, signature, reference, children, hidden)


def _signature(row: OutlineRow, options: OutlineOptions) -> str:
    return row.signature if options.full_signatures else telling_signature(row.signature, row.name)


def _exact_outline(known: FileOutlineRows, rows: list[OutlineRow], symbol: str, options: OutlineOptions) -> Outline:
    if not _is_symbol_text(symbol):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "an exact outline needs a symbol",
            expected="symbol_id or symbol_label",
            received="neither",
            example={"resolve_mode": "exact", "symbol_label": "Cart.total"},
        )
    resolution = known.resolution or resolve_symbol(FileSymbols(known.path, known.rows), symbol, scope=known.path)
    found = _rows_of(known.path, rows, resolution)
    tree = build_tree(rows, rows, known.language) if found else []
    items = {item.row.ordinal: item for item in flatten(tree) if item.row is not None}
    shown = found[: options.limit]
    if options.full_signatures and all(row.ordinal in items for row in shown):
        budget = _Budget(options.limit, _UNLIMITED_CHARS)
        all_levels = OutlineOptions(full_signatures=True)
        symbols = tuple(_shown([items[row.ordinal] for row in shown], known.path, "", budget, all_levels))
    else:
        symbols = tuple(
            OutlineNode(
                row.name,
                row.kind,
                row.start_line,
                row.end_line,
                _signature(row, options),
                symbol_ref(known.path, row.lexical_path, row.start_line),
                child_count=len(items[row.ordinal].children) if row.ordinal in items else 0,
            )
            for row in shown
        )
    unresolved = resolution if not isinstance(resolution, SymbolsFound) else None
    total = 0 if isinstance(resolution, SymbolNotFound) else resolution.total
    return Outline(
        "ok" if unresolved is None else "ambiguous" if found else "not_found",
        known.path,
        known.language,
        known.lines,
        symbols,
        max(0, total - len(symbols)),
        len(known.rows) - len(rows),
        similar=resolution.suggestions if isinstance(resolution, SymbolNotFound) else (),
        unresolved=unresolved,
    )


def _is_symbol_text(symbol: str) -> bool:
    return bool(symbol.strip(" .:/#"))


def _rows_of(path: RepoPath, rows: list[OutlineRow], resolution: Resolution) -> list[OutlineRow]:
    """Return the rows of resolved symbols, in file order. An attribute has no row of its own."""
    match resolution:
        case SymbolNotFound():
            return []
        case AmbiguousSymbol(candidates=symbols) | SymbolsFound(symbols=symbols):
            pass
    elsewhere = next((symbol for symbol in symbols if symbol.path != path), None)
    if elsewhere is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the symbol is in '{display(elsewhere.path)}', not in '{display(path)}'",
            expected=f"a symbol of '{display(path)}'",
            received=display(elsewhere.reference),
            example={"file": elsewhere.path, "symbol_id": elsewhere.reference},
        )
    ordinals = {symbol.row_id & ORDINAL_MASK for symbol in symbols if symbol.kind != ATTRIBUTE}
    found = [row for row in rows if row.ordinal in ordinals]
    return found + [_attribute_row(symbol) for symbol in symbols if symbol.kind == ATTRIBUTE]


def _attribute_row(symbol: Symbol) -> OutlineRow:
    names = (symbol.kind, symbol.name, symbol.lexical_path, symbol.lexical_path)
    span = (symbol.start_line, symbol.column, symbol.end_line, symbol.column + len(symbol.name))
    return OutlineRow(-1, symbol.parent, symbol.def_uid, *names, *span, "")


def _get_indexed(snapshot: Snapshot, file: RepoPath) -> FileInfo:
    """Return an indexed file with an outline, or raise an error with the nearest paths."""
    shown = display(file)
    known = get_file(snapshot, file) if file else None
    if known is None:
        in_directory = list_directory_files(snapshot, file, MAX_NEAREST) if file else ()
        nearest = in_directory or (nearest_paths(snapshot, file, MAX_NEAREST) if file else ())
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"'{shown}' is a directory" if in_directory else f"'{shown}' is not an indexed file",
            details={"nearest": list(nearest)} if nearest else None,
            expected="the path of one file",
            received=shown,
            example=nearest[0] if nearest else "src/app.py",
        )
    if known.state is not FileState.INDEXED:
        raise unsupported(file, known.reason)
    return known
