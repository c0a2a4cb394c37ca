"""Context of a hit: the start of its body, its parent, and related symbols.

Only for hits that are shown. The body is read from the working tree, and only if it is still the indexed text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.operations.search.model import Hit
from codeplane.query.files import FileInfo, get_file
from codeplane.query.outline import OutlineRow, list_outline_rows
from codeplane.query.snapshot import Snapshot

MAX_LINES = 24
MAX_CHARS = 1_200
MAX_RELATED = 5

_MAX_SIGNATURE_LINES = 12
_LINES_BEFORE = 3


@dataclass(frozen=True)
class HitContext:
    body: str = ""
    parent: dict[str, object] | None = None
    related: tuple[dict[str, object], ...] = ()


NO_CONTEXT = HitContext()


def read_contexts(
    snapshot: Snapshot, root: Path, hits: Sequence[Hit], as_of: int | None = None
) -> tuple[HitContext, ...]:
    """Return the context of each hit; with `as_of`, files indexed in a later epoch get none."""
    files: dict[str, _File | None] = {}
    found = []
    with Root.open(root) as opened:
        for hit in hits:
            if hit.path not in files:
                files[hit.path] = _read_file(snapshot, opened, hit.path, as_of)
            file = files[hit.path]
            found.append(_context(hit, file) if file is not None else NO_CONTEXT)
    return tuple(found)


def read_lines(snapshot: Snapshot, root: Path, path: str) -> tuple[str, ...]:
    """Return the lines of an indexed file; none if it has changed."""
    info = get_file(snapshot, path)
    if info is None:
        return ()
    with Root.open(root) as opened:
        return _indexed_lines(opened, info)


@dataclass(frozen=True)
class _File:
    symbols: tuple[OutlineRow, ...]
    lines: tuple[str, ...]


def _read_file(snapshot: Snapshot, root: Root, path: str, as_of: int | None) -> _File | None:
    info = get_file(snapshot, path)
    if info is None or (as_of is not None and info.epoch > as_of):
        return None
    return _File(list_outline_rows(snapshot, path), _indexed_lines(root, info))


def _indexed_lines(root: Root, info: FileInfo) -> tuple[str, ...]:
    """Return the lines of a file, or none if it is no longer the indexed text."""
    try:
        data = root.read_file(info.path, MAX_LEXICAL_BYTES).data
    except CodePlaneError:
        return ()
    text = decode(data) if digest_bytes(data) == info.digest else None
    if text is None:
        return ()
    return tuple(line.rstrip("\r") for line in text.data.decode("utf-8").split("\n"))


def _context(hit: Hit, file: _File) -> HitContext:
    own = _find_symbol(hit, file.symbols)
    body = _preview(_body_lines(hit, file.lines))
    if own is None:
        return HitContext(body)
    by_ordinal = {symbol.ordinal: symbol for symbol in file.symbols}
    holder = by_ordinal.get(own.parent) if own.parent is not None else None
    if holder is None:
        # Members declared outside of their type are nested in nothing, but named after it.
        container = own.lexical_path.rpartition(".")[0]
        holder = next((symbol for symbol in file.symbols if container and symbol.lexical_path == container), None)
    parent: dict[str, object] | None = None
    if holder is not None:
        parent = {"kind": holder.kind, "name": holder.name, "path": hit.path, "line": holder.start_line}
    return HitContext(body, parent, _related(own, file.symbols))


def _find_symbol(hit: Hit, symbols: Iterable[OutlineRow]) -> OutlineRow | None:
    if hit.def_uid:
        return next((symbol for symbol in symbols if symbol.def_uid == hit.def_uid), None)
    place = (hit.lexical_path, hit.def_line or hit.line_start)
    return next((symbol for symbol in symbols if (symbol.lexical_path, symbol.start_line) == place), None)


def _related(own: OutlineRow, symbols: Sequence[OutlineRow]) -> tuple[dict[str, object], ...]:
    """Return the nested symbols, or else the nearest siblings."""
    inner = [symbol for symbol in symbols if symbol.parent == own.ordinal][:MAX_RELATED]
    beside = [symbol for symbol in symbols if symbol.parent == own.parent and symbol.ordinal != own.ordinal]
    near = sorted(beside, key=lambda symbol: (abs(symbol.start_line - own.start_line), symbol.ordinal))[:MAX_RELATED]
    chosen = inner or sorted(near, key=lambda symbol: (symbol.start_line, symbol.ordinal))
    return tuple({"name": symbol.name, "kind": symbol.kind, "line": symbol.start_line} for symbol in chosen)


def _body_lines(hit: Hit, lines: Sequence[str]) -> Sequence[str]:
    first, last = hit.def_line or hit.line_start, hit.def_end or hit.line_end
    if hit.column or not hit.lexical_path:
        # A match: the lines around it, within its definition.
        begin = max(first if hit.lexical_path else 1, hit.line_start - _LINES_BEFORE)
        return lines[begin - 1 : max(hit.line_end, last) if hit.lexical_path else begin - 1 + MAX_LINES]
    whole = lines[first - 1 : last]
    body = whole[_signature_lines(whole, hit.signature) :]
    return body if any(line.strip() for line in body) else whole


def _signature_lines(lines: Sequence[str], signature: str) -> int:
    """Return the number of lines with decorators and signature, which the row shows already; 0 if unknown."""
    wanted = "".join(signature.split())
    seen = ""
    for count, line in enumerate(lines[:_MAX_SIGNATURE_LINES], 1):
        seen += "".join(line.split())
        if wanted and wanted in seen:
            return count
    return 0


def _preview(lines: Sequence[str]) -> str:
    lines_shown: list[str] = []
    room = MAX_CHARS
    for line in lines[:MAX_LINES]:
        if lines_shown and len(line) >= room:
            break
        lines_shown.append(line[:room].rstrip())
        room -= len(line) + 1
        if room <= 0:
            break
    while lines_shown and not lines_shown[-1]:
        lines_shown.pop()
    return "\n".join(lines_shown)
