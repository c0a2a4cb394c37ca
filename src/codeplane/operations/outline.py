"""The outline of one file: its symbols as a tree, or the one symbol that a caller names exactly.

A node says only what cannot be read off the others: its reference is the file, the names
from the top of the tree down joined by dots, and its first line. Members that are declared
apart from their type (Rust's `impl`, Go's receivers) stand beneath it all the same; where the
type is in another file, a node that is no symbol itself gathers them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeGuard

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.base.symbols import symbol_ref
from codeplane.disk.policy import refuse_restricted
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
Resolve = Literal["outline", "exact"]
Window = tuple[int, int]

DEFAULT_LIMIT = 500
MAX_NEAREST = 3
MAX_CHARS = 22_000
"""Of one outline as JSON, roughly; larger ones are cut and say how many symbols are left out."""
MAX_LEVELS = 40
"""Deeper symbols stand beneath the last level: readers of JSON have their own limits."""

_GATHERED = {"rust": "impl", "go": "receiver"}
"""What gathers members of a type that is in another file, by language."""


@dataclass(frozen=True)
class OutlineNode:
    name: str
    kind: str
    line_start: int
    line_end: int
    signature: str = ""
    symbol_ref: str = ""
    """Only where the tree does not say it."""
    children: tuple[OutlineNode, ...] = ()
    child_count: int = 0
    """Symbols directly beneath that are not shown."""

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "name": self.name,
            "kind": self.kind,
            "line_start": self.line_start,
            "line_end": self.line_end,
        }
        if self.signature:
            fields["signature"] = self.signature
        if self.symbol_ref:
            fields["symbol_ref"] = self.symbol_ref
        if self.children:
            fields["children"] = [child.as_dict() for child in self.children]
        if self.child_count:
            fields["child_count"] = self.child_count
        return fields


@dataclass(frozen=True)
class Outline:
    """`status` is ok, ambiguous or not_found; the last two only when a symbol was asked for exactly."""

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
    """References of symbols that a name which was not found may mean."""
    unresolved: AmbiguousSymbol | SymbolNotFound | None = None
    """Why a symbol that was asked for exactly is not shown alone."""
    others: tuple[str, ...] = ()
    """Symbols for which there is no room but for this: `name@line`, which behind the file and `#` is a reference."""
    next_line: int = 0
    """Where the first symbol begins that is named nowhere, if that is known."""

    @property
    def has_more(self) -> bool:
        return self.left_out > 0

    def as_dict(self) -> dict[str, object]:
        """The result as it is answered; what warnings tell is not repeated."""
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
    """What is known of a file that has an outline."""

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


def file_outline(
    snapshot: Snapshot,
    file: RepoPath,
    *,
    depth: Depth = "all",
    limit: int = DEFAULT_LIMIT,
    resolve: Resolve = "outline",
    symbol_id: str | None = None,
    symbol_label: str | None = None,
    window: Window | None = None,
    max_chars: int = MAX_CHARS,
) -> Outline:
    """The outline of an indexed file; `show_outline` says what the parameters mean."""
    return show_outline(
        find_outlined(snapshot, file, symbol_id or symbol_label if resolve == "exact" else None),
        depth=depth,
        limit=limit,
        resolve=resolve,
        symbol_id=symbol_id,
        symbol_label=symbol_label,
        window=window,
        max_chars=max_chars,
    )


def find_outlined(snapshot: Snapshot, file: RepoPath, symbol: str | None = None) -> FileOutlineRows:
    """The symbols of an indexed file; with `symbol`, also what that name means in it."""
    known = _get_indexed(snapshot, file)
    problems = list_problems(snapshot, 1, file)
    first = problems.rows[0].line if problems.rows else 0
    rows = list_outline_rows(snapshot, file)
    resolution = resolve_symbol(IndexedSymbols(snapshot), symbol, scope=file) if _is_written(symbol) else None
    about = (known.path, known.language or "", known.lines, known.size, rows, problems.total, first)
    return FileOutlineRows(*about, known.digest or "", resolution)


def show_outline(
    known: FileOutlineRows,
    *,
    depth: Depth = "all",
    limit: int = DEFAULT_LIMIT,
    resolve: Resolve = "outline",
    symbol_id: str | None = None,
    symbol_label: str | None = None,
    window: Window | None = None,
    max_chars: int = MAX_CHARS,
    full_signatures: bool = False,
) -> Outline:
    """Symbols of a file, nested; with `resolve="exact"` those that `symbol_id` or `symbol_label` names.

    `depth="top"` shows the outermost alone, `window` those that lie at least partly in a range of lines. A signature
    that says no more than kind and name is left out, unless `full_signatures` is set.
    """
    check_limit(limit)
    rows = known.rows
    whole = [row for row in rows if row.name and 0 < row.start_line <= row.end_line]
    if resolve == "exact":
        return _resolved(known, whole, len(rows) - len(whole), symbol_id, symbol_label, limit, full_signatures)
    roots = _in_window(_nest(whole, rows, known.language), window)
    budget = _Budget(limit, max_chars)
    symbols = tuple(_shown(roots, depth, known.path, "", budget, full_signatures))
    return Outline(
        "ok",
        known.path,
        known.language,
        known.lines,
        symbols,
        left_out=(len(roots) if depth == "top" else _size(roots)) - budget.used,
        next_line=budget.refused,
        missing_metadata=len(rows) - len(whole),
        syntax_errors=known.syntax_errors,
        first_error_line=known.first_error_line,
    )


def unsupported(file: RepoPath, reason: str | None) -> CodePlaneError:
    """A file that is there and has no outline."""
    return CodePlaneError(
        ErrorCode.LANGUAGE_UNSUPPORTED,
        f"'{display(file)}' has no outline",
        details={"reason": reason or "no_grammar"},
        remedy="Read the file itself.",
    )


@dataclass
class _Item:
    """A symbol while the tree is put together; `row` is None for what only gathers others."""

    row: OutlineRow | None
    name: str
    kind: str
    children: list[_Item] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.row.start_line if self.row else min(child.first for child in self.children)

    @property
    def last(self) -> int:
        return self.row.end_line if self.row else max(child.last for child in self.children)


@dataclass
class _Budget:
    limit: int
    chars: int
    used: int = 0
    refused: int = 0
    """Line of the first item that came too late."""

    @property
    def spent(self) -> bool:
        return self.used >= self.limit or self.chars <= 0

    def take(self, item: _Item) -> None:
        self.used += 1
        self.chars -= _NODE_CHARS + len(item.name) + (len(item.row.signature) if item.row else 0)


def _nest(whole: list[OutlineRow], rows: Iterable[OutlineRow], language: str) -> list[_Item]:
    """The forest of all symbols, in order of their spans and never deeper than MAX_LEVELS."""
    parents = {row.ordinal: row.parent for row in rows}
    items = {row.ordinal: _Item(row, row.name, row.kind) for row in whole}
    types: dict[str, _Item] = {}
    for row in whole:
        if row.kind not in _MEMBERS:
            types.setdefault(row.lexical_path, items[row.ordinal])
    roots: list[_Item] = []
    gathered: dict[str, _Item] = {}
    for row in whole:
        item = items[row.ordinal]
        above = _shown_parent(row, parents, items)
        owner = row.lexical_path[: -len(row.name) - 1] if row.lexical_path.endswith(f".{row.name}") else ""
        if above is not None:
            above.children.append(item)
        elif not owner or row.parent is not None:
            roots.append(item)
        elif owner in types:
            types[owner].children.append(item)
        else:
            if owner not in gathered:
                gathered[owner] = _Item(None, owner, _GATHERED.get(language, "container"))
                roots.append(gathered[owner])
            gathered[owner].children.append(item)
    return roots


def _shown_parent(row: OutlineRow, parents: dict[int, int | None], items: dict[int, _Item]) -> _Item | None:
    """The symbol above this one. One that cannot be shown, or lies too deep, is passed over for the one above it."""
    chain: list[int] = []
    above = row.parent
    # Bounded, because a damaged index could name a symbol as its own parent.
    for _ in range(len(parents)):
        if above is None:
            break
        if above in items:
            chain.append(above)
        above = parents.get(above)
    return items[chain[max(0, len(chain) - MAX_LEVELS)]] if chain else None


_ALL_CHARS = 1 << 40
_NODE_CHARS = 80
"""What a node costs beside its name and signature."""

_MEMBERS = frozenset({"method", "field", "property", "enum_member", "constructor"})


def _in_window(roots: list[_Item], window: Window | None) -> list[_Item]:
    """Items that touch the window, and those above them."""
    if window is None:
        return roots
    first, last = window
    kept: list[_Item] = []
    for item in roots:
        beneath = _in_window(item.children, window)
        touches = item.row is not None and item.row.start_line <= last and item.row.end_line >= first
        if beneath or touches:
            kept.append(_Item(item.row, item.name, item.kind, beneath))
    return kept


def _shown(
    items: list[_Item], depth: Depth, path: RepoPath, above: str, budget: _Budget, full: bool
) -> Iterable[OutlineNode]:
    """Nodes from the top, as many as the budget allows. What gathers others is free."""
    for item in items:
        if budget.spent:
            budget.refused = budget.refused or item.first
            return
        at = f"{above}.{item.name}" if above else item.name
        if item.row is not None or depth == "top":
            budget.take(item)
        beneath = () if depth == "top" else tuple(_shown(item.children, depth, path, at, budget, full))
        yield _node(item.row, item, beneath, path if item.row and item.row.lexical_path != at else None, full)


def _node(
    row: OutlineRow | None, item: _Item, children: tuple[OutlineNode, ...], path: RepoPath | None, full: bool
) -> OutlineNode:
    reference = symbol_ref(path, row.lexical_path, row.start_line) if path is not None and row is not None else ""
    signature = _signature(row, full) if row is not None else ""
    hidden = len(item.children) - len(children)
    return OutlineNode(item.name, item.kind, item.first, item.last, signature, reference, children, hidden)


def _signature(row: OutlineRow, full: bool) -> str:
    return row.signature if full else telling_signature(row.signature, row.name)


def _size(items: list[_Item]) -> int:
    return sum((item.row is not None) + _size(item.children) for item in items)


def _flat(items: list[_Item]) -> Iterable[_Item]:
    for item in items:
        yield item
        yield from _flat(item.children)


def _child_counts(items: list[_Item]) -> Iterable[tuple[int, int]]:
    for item in items:
        if item.row is not None:
            yield item.row.ordinal, len(item.children)
        yield from _child_counts(item.children)


def _resolved(
    known: FileOutlineRows,
    rows: list[OutlineRow],
    missing: int,
    symbol_id: str | None,
    label: str | None,
    limit: int,
    full: bool,
) -> Outline:
    written = symbol_id or label
    if not _is_written(written):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "an exact outline needs the symbol",
            expected="symbol_id or symbol_label",
            received="neither",
            example={"resolve_mode": "exact", "symbol_label": "Cart.total"},
        )
    resolution = known.resolution or resolve_symbol(FileSymbols(known.path, known.rows), written, scope=known.path)
    found = _rows_of(known.path, rows, resolution)
    nested = _nest(rows, rows, known.language) if found else []
    items = {item.row.ordinal: item for item in _flat(nested) if item.row is not None} if full else {}
    if full and all(row.ordinal in items for row in found[:limit]):
        budget = _Budget(limit, _ALL_CHARS)
        named = [items[row.ordinal] for row in found[:limit]]
        symbols = tuple(_shown(named, "all", known.path, "", budget, full))
    else:
        counts = dict(_child_counts(nested))
        symbols = tuple(
            OutlineNode(
                row.name,
                row.kind,
                row.start_line,
                row.end_line,
                _signature(row, full),
                symbol_ref(known.path, row.lexical_path, row.start_line),
                child_count=counts.get(row.ordinal, 0),
            )
            for row in found[:limit]
        )
    unresolved = resolution if not isinstance(resolution, SymbolsFound) else None
    status = "ok" if unresolved is None else "ambiguous" if found else "not_found"
    similar = resolution.suggestions if isinstance(resolution, SymbolNotFound) else ()
    about = (known.path, known.language, known.lines)
    left_out = max(0, getattr(resolution, "total", 0) - len(symbols))
    return Outline(status, *about, symbols, left_out, missing, similar=similar, unresolved=unresolved)


def _is_written(symbol: str | None) -> TypeGuard[str]:
    return bool(symbol and symbol.strip(" .:/#"))


def _rows_of(path: RepoPath, rows: list[OutlineRow], resolution: Resolution) -> list[OutlineRow]:
    """Rows of the symbols that were found, in the order of the file. An attribute has no row of its own."""
    match resolution:
        case SymbolNotFound():
            return []
        case AmbiguousSymbol(candidates=symbols) | SymbolsFound(symbols=symbols):
            pass
    elsewhere = next((symbol for symbol in symbols if symbol.path != path), None)
    if elsewhere is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the symbol is of '{display(elsewhere.path)}' and not of '{display(path)}'",
            expected=f"a symbol of '{display(path)}'",
            received=display(elsewhere.reference),
            example={"file": elsewhere.path, "symbol_id": elsewhere.reference},
        )
    ordinals = {symbol.row_id & ORDINAL_MASK for symbol in symbols if symbol.kind != ATTRIBUTE}
    found = [row for row in rows if row.ordinal in ordinals]
    return found + [_attribute_row(symbol) for symbol in symbols if symbol.kind == ATTRIBUTE]


def _attribute_row(symbol: Symbol) -> OutlineRow:
    names = (symbol.kind, symbol.name, symbol.lexical_path, symbol.lexical_path)
    place = (symbol.start_line, symbol.column, symbol.end_line, symbol.column + len(symbol.name))
    return OutlineRow(-1, symbol.parent, symbol.def_uid, *names, *place, "")


def _get_indexed(snapshot: Snapshot, file: RepoPath) -> FileInfo:
    """The file, if it is one that has an outline; otherwise the error says what would help."""
    shown = display(file)
    refuse_restricted(file)
    known = get_file(snapshot, file) if file else None
    if known is None:
        beneath = list_directory_files(snapshot, file, MAX_NEAREST) if file else ()
        nearest = beneath or (nearest_paths(snapshot, file, MAX_NEAREST) if file else ())
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"'{shown}' is a directory" if beneath else f"'{shown}' is not an indexed file",
            details={"nearest": list(nearest)} if nearest else None,
            expected="the path of one file",
            received=shown,
            example=nearest[0] if nearest else "src/app.py",
        )
    if known.state is not FileState.INDEXED:
        raise unsupported(file, known.reason)
    return known
