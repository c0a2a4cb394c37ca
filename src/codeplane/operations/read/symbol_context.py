"""Context of a symbol that is read: the symbols around it, and the imports of its file."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.base.paths import RepoPath
from codeplane.operations.signatures import telling_signature
from codeplane.query.imports import list_imports
from codeplane.query.outline import OutlineRow, list_outline_rows
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Snapshot

_MAX_IMPORTS = 200
_MAX_PARENTS = 10


def parents_of(snapshot: Snapshot, symbol: Symbol) -> list[dict[str, object]]:
    """Symbols that enclose a symbol, the outermost first."""
    return parents_in(list_outline_rows(snapshot, symbol.path), symbol)


def parents_in(outline: Sequence[OutlineRow], symbol: Symbol) -> list[dict[str, object]]:
    """The same of a file that is not indexed."""
    rows = {row.ordinal: row for row in outline}
    place = symbol.lexical_path, symbol.start_line
    own = next((row for row in outline if (row.lexical_path, row.start_line) == place), None)
    chain: list[dict[str, object]] = []
    while own is not None and own.parent is not None and len(chain) < _MAX_PARENTS:
        own = rows.get(own.parent)
        if own is not None:
            fields: dict[str, object] = {"kind": own.kind, "name": own.name, "line_start": own.start_line}
            signature = telling_signature(own.signature, own.name)
            chain.append(fields | ({"signature": signature} if signature else {}))
    return chain[::-1]


def imports_of(snapshot: Snapshot, path: RepoPath) -> list[str]:
    """Imports of a file, one line for each source: `typing: Any, cast as c`."""
    named: dict[str, list[str]] = {}
    for row in list_imports(snapshot, path, _MAX_IMPORTS).rows:
        names = named.setdefault(row.source_literal or row.imported_name, [])
        alias = f" as {row.alias}" if row.alias and row.alias != row.imported_name else ""
        if row.source_literal and (row.imported_name != row.source_literal or alias):
            names.append(f"{row.imported_name}{alias}")
        elif alias:
            names.append(alias.strip())
    return [f"{source}: {', '.join(dict.fromkeys(names))}" if names else source for source, names in named.items()]
