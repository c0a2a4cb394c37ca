"""Context of a symbol that is read: the comment above it, its enclosing symbols, and the imports of its file."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.base.paths import RepoPath
from codeplane.operations.read.comments import comment_above
from codeplane.operations.read.documents import TextBody
from codeplane.operations.signatures import telling_signature
from codeplane.query.imports import list_imports
from codeplane.query.outline import OutlineRow, list_outline_rows
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Snapshot

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
