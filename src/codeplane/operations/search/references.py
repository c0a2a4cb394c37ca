"""References of a symbol or a name, each with the tier of its link.

Occurrences that are linked to something else (another definition, a local variable) are counted and left out;
occurrences that are not resolved stay in, with tier unknown. Code files without facts are searched for the name as a
word. Nothing is inferred here: the link of an import says nothing about what was imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.facts.model import Role, Target, Tier
from codeplane.operations.search.file_scan import Cancelled
from codeplane.operations.search.matching import cut_around
from codeplane.operations.search.model import MAX_MATCHES, Hit, SearchResult
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.text_search import NO_DEFINITION, RowFilter, with_enclosing
from codeplane.operations.search.word_matches import WordMatches, find_word_matches
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.presenter import not_found_message
from codeplane.operations.symbols.resolve import resolve_symbols, with_suggestions
from codeplane.query.contents import SearchableFile, list_files_by_id, list_files_with_name
from codeplane.query.defs import list_defs_ignoring_case
from codeplane.query.enclosing import EnclosingDef, find_enclosing
from codeplane.query.files import get_file
from codeplane.query.occurrences import Occurrence, list_linked_places, list_occurrences, list_occurrences_at
from codeplane.query.relations import find_symbols, list_attributes_named
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import storable

MAX_TARGETS = 100
MAX_SIMILAR = 5
MAX_ROUTED = 20
"""Definitions of which uses through other symbols are looked for; a name that means more means anything."""

Keeps = Callable[[str], bool]


class ReferenceQuery(NamedTuple):
    name: str
    targets: frozenset[int] | None
    """Numbers of the symbols that are meant; None for everything of the name."""
    symbols: tuple[str, ...]
    """References of those symbols, the first few."""
    missing: SymbolNotFound | None = None
    """Set if no symbol here has the name; it may still be used here."""


def find_references(
    snapshot: Snapshot,
    root: Root,
    query: str,
    accepts: RowFilter | None,
    *,
    wanted: RowFilter | None = None,
    kinds: Collection[str] = (),
    keeps: Keeps | None = None,
    cancelled: Cancelled | None = None,
    limit: int = MAX_MATCHES,
    one_per_file: bool = False,
    keeping: ScanCache | None = None,
) -> SearchResult:
    """Uses of the symbol that a query names, or of a name that nothing here defines: by tier, then path and place.

    Those of files that are not `wanted` are only counted, by role. What lies in no definition of the `kinds`, if there
    are some, or on a line that `keeps` turns down counts nowhere. With `one_per_file` the first use of a file stands
    for all of them.
    """
    require_links(snapshot)
    index = IndexedSymbols(snapshot)
    asked = _resolve_query(index, snapshot, query)
    if isinstance(asked, SymbolNotFound):
        return _not_found(index, asked)
    rows: list[_Use] = []
    roles: dict[RepoPath, str] = {}
    outside: Counter[str] = Counter()
    left_out: Counter[str] = Counter()

    def kept(uses: list[_Use]) -> list[_Use]:
        if kinds and uses:
            before = len(uses)
            uses = [use for use, kind in zip(uses, _kinds(snapshot, uses), strict=True) if kind in kinds]
            left_out[_KIND] += before - len(uses)
        if keeps is None or not uses:
            return uses
        lines = _read_lines(root, uses)
        return [use for use in uses if keeps(use.text or lines.get((use.path, use.line), ""))]

    routed = _routed_uses(snapshot, asked)
    for file, occurrences in _by_file(snapshot, asked, routed):
        if accepts is not None and not accepts(file.path, file):
            continue
        uses: list[_Use] = []
        through = dict(routed.get(file.path, {}))
        for occurrence in occurrences:
            tier = _tier(occurrence, asked)
            other = through.pop(_place(occurrence), None)
            if other is not None and tier != _DEFINITION:
                uses.append(other._replace(name=occurrence.name))
            elif isinstance(tier, str):
                left_out[tier] += 1
            else:
                use = _Use(-tier, file.path, occurrence.line, occurrence.column, occurrence.name)
                uses.append(use._replace(is_import=occurrence.role is Role.IMPORT))
        uses = kept(sorted([*uses, *through.values()], key=lambda use: (use.line, use.column)))
        roles[file.path] = file.role
        if wanted is None or wanted(file.path, file):
            rows += uses
        elif uses:
            outside[file.role] += len(uses)
    tiers = Counter(Tier(-row.rank).name.lower() for row in rows)
    mentions = WordMatches()
    if not kinds or NO_DEFINITION in kinds:
        mentions = find_word_matches(
            snapshot,
            root,
            asked.name,
            accepts,
            wanted,
            limit=limit if keeps is None else None,
            per_file=1 if one_per_file else limit,
            cancelled=cancelled,
            kept=keeping,
        )
    roles |= mentions.roles
    found = kept([_Use(-Tier.UNKNOWN, *place) for place in mentions.places])
    counts = mentions.counts if keeps is None else Counter(use.path for use in found)
    as_text = sum(count for path, count in counts.items() if path not in mentions.aside)
    for path in mentions.aside & counts.keys():
        outside[roles[path]] += counts[path]
    tiers[_TIERS[-1]] += as_text
    files = {row.path for row in rows} | (counts.keys() - mentions.aside)
    in_file = Counter(row.path for row in rows) + Counter(counts)
    rows += (use for use in found if use.path not in mentions.aside)
    rows.sort()
    if one_per_file:
        rows = sorted({row.path: row for row in reversed(rows)}.values())
    del rows[limit:]
    hits = _with_lines(root, _hits(snapshot, rows, roles), rows)
    if one_per_file:
        hits = [hit._replace(collapsed=in_file[hit.path] - 1) for hit in hits]
    hints: dict[str, object] = {"tiers": {name: tiers[name] for name in _TIERS if tiers[name]}}
    hints |= {name: left_out[name] for name in (_DEFINITION, _ELSEWHERE) if left_out[name]}
    if as_text:
        hints["found_as_text"] = as_text
    if asked.symbols:
        hints["symbols"] = list(asked.symbols)
    elif asked.name != query.strip():
        hints["searched_as"] = asked.name
    if mentions.not_searched:
        hints["not_searched"] = dict(mentions.not_searched)
    if asked.missing is not None and not rows and not any(left_out.values()) and not outside:
        return replace(_not_found(index, asked.missing), hints=hints, skipped=mentions.skipped)
    return SearchResult(
        hits=tuple(hits),
        total=tiers.total(),
        outside_scope=dict(sorted(outside.items())),
        files=len(files),
        skipped=mentions.skipped,
        hints=hints,
        debug={"removed_by_kind": left_out[_KIND]},
    )


def _not_found(index: IndexedSymbols, missing: SymbolNotFound) -> SearchResult:
    missing = with_suggestions(index, missing)
    return SearchResult((), 0, similar=missing.suggestions, not_found=not_found_message(missing))


def _resolve_query(index: IndexedSymbols, snapshot: Snapshot, query: str) -> ReferenceQuery | SymbolNotFound:
    """What a query means: certain symbols, or everything of a name, whether or not something here defines it.

    A qualified name that nothing here defines is searched for by its last part (`builtins.print`), unless something
    else here has that name: its references would be an answer to another question.
    """
    found = resolve_symbols(index, query, limit=MAX_TARGETS, suggest=False)
    if isinstance(found, SymbolNotFound):
        is_name = found.line is None and not found.scope
        name = found.parts[-1] if found.parts else found.name
        if not is_name or (len(found.parts) > 1 and _is_defined(snapshot, name)):
            return found
        return ReferenceQuery(name if len(found.parts) > 1 else query.strip(), None, (), found)
    symbols = tuple(symbol.reference for symbol in found.symbols[:MAX_SIMILAR])
    # A plain name means all symbols of that name; so does a name with more definitions than can be told apart.
    is_certain = found.total == 1 if found.is_bare_name else found.total <= MAX_TARGETS
    targets = frozenset(symbol.number for symbol in found.symbols) if is_certain else None
    return ReferenceQuery(found.symbols[0].name, targets, symbols)


def _is_defined(snapshot: Snapshot, name: str) -> bool:
    name = storable(name)
    return bool(list_defs_ignoring_case(snapshot, [name], None, 1) or list_attributes_named(snapshot, name))


class _Use(NamedTuple):
    """In the order of results: what is known best comes first."""

    rank: int
    path: RepoPath
    line: int
    column: int
    name: str
    text: str = ""
    """The line, where that is how it was found."""
    via: str = ""
    """Written form of another symbol that is named there, through which it is a use."""
    is_import: bool = False


_KIND = "kind"
_DEFINITION = "definitions"
_ELSEWHERE = "elsewhere"
_TIERS = tuple(tier.name.lower() for tier in sorted(Tier, reverse=True))


def _routed_uses(snapshot: Snapshot, asked: ReferenceQuery) -> dict[RepoPath, dict[tuple[int, int], _Use]]:
    """Uses that name another symbol (a base member, a constructor), and calls that are written without a name.

    They come from where the call graph reads them, so that both list the same calls.
    """
    found: dict[RepoPath, dict[tuple[int, int], _Use]] = {}
    targets = asked.targets or frozenset()
    symbols = find_symbols(snapshot, targets) if len(targets) <= MAX_ROUTED else {}
    for symbol in symbols.values():
        for use in list_routed_uses(snapshot, find_routes(snapshot, symbol)):
            is_named = use.via is None and (use.names or use.renames)
            if is_named or (use.via is not None and use.via.number in targets):
                continue
            via = use.via.reference if use.via is not None else ""
            place = (use.start_line, use.start_col)
            row = _Use(-use.tier, use.path, *place, "", "", via)
            held = found.setdefault(use.path, {})
            if place not in held or row < held[place]:
                held[place] = row
    return found


def _by_file(
    snapshot: Snapshot, asked: ReferenceQuery, routed: Mapping[RepoPath, Mapping[tuple[int, int], _Use]]
) -> Iterable[tuple[SearchableFile, list[Occurrence]]]:
    files = {row.file_id: row for row in list_files_with_name(snapshot, asked.name)}
    # A link may have been found for a name that the definition has only there, an alias.
    linked = list_linked_places(snapshot, asked.targets or ())
    for path, uses in routed.items():
        file = get_file(snapshot, path)
        if file is not None:
            linked.setdefault(file.file_id, set()).update(uses)
    files |= {row.file_id: row for row in list_files_by_id(snapshot, linked.keys() - files.keys())}
    for row in files.values():
        found = list_occurrences(snapshot, row.file_id, asked.name)
        if row.file_id in linked:
            found = sorted({*found, *list_occurrences_at(snapshot, row.file_id, linked[row.file_id])}, key=_place)
        yield row, found


def _place(occurrence: Occurrence) -> tuple[int, int]:
    return occurrence.line, occurrence.column


def _tier(occurrence: Occurrence, asked: ReferenceQuery) -> Tier | str:
    """How well it is known that the occurrence is a use of what is asked for, or why it is none."""
    if occurrence.role is Role.DEFINITION and occurrence.bound is Target.DEF:
        return _DEFINITION
    if occurrence.targets:
        meant = asked.targets is None or not asked.targets.isdisjoint(occurrence.targets)
        return occurrence.tier if meant else _ELSEWHERE
    if asked.symbols and (
        occurrence.outside or (occurrence.tier is Tier.PROVEN and occurrence.bound is Target.UNKNOWN)
    ):
        return _ELSEWHERE
    return Tier.UNKNOWN if occurrence.bound is Target.IMPORT else occurrence.tier


def _kinds(snapshot: Snapshot, uses: list[_Use]) -> Iterator[str]:
    """Of the definition that each use lies in; they stand by path and place."""
    for _, _, outer in _enclosed(snapshot, uses):
        yield NO_DEFINITION if outer is None else outer.kind


def _hits(snapshot: Snapshot, rows: list[_Use], roles: Mapping[RepoPath, str]) -> list[Hit]:
    found: dict[_Use, Hit] = {}
    for use, language, outer in _enclosed(snapshot, sorted(rows, key=lambda row: (row.path, row.line, row.column))):
        hit = Hit(use.path, use.line, use.line, "text", "", column=use.column + 1, match_line=use.line)
        hit = hit._replace(
            language=language,
            role=roles[use.path],
            tier=Tier(-use.rank).name.lower(),
            is_import=use.is_import,
            via=use.via,
        )
        found[use] = hit if outer is None else with_enclosing(hit, outer)
    return [found[row] for row in rows]


def _enclosed(snapshot: Snapshot, uses: list[_Use]) -> Iterator[tuple[_Use, str, EnclosingDef | None]]:
    """Each use, which stand by path and place, with the language of its file and the definition that it lies in."""
    files = {path: list(here) for path, here in groupby(uses, key=lambda use: use.path)}
    places = {path: [(use.line, use.column) for use in here] for path, here in files.items()}
    for path, language, around in find_enclosing(snapshot, places):
        yield from ((use, language, outer) for use, outer in zip(files[path], around, strict=True))


def _with_lines(root: Root, hits: list[Hit], rows: list[_Use]) -> list[Hit]:
    """Each with its line, unless the file has changed so much that the name is no longer there."""
    lines = _read_lines(root, rows)
    shown: list[Hit] = []
    for hit, row in zip(hits, rows, strict=True):
        if row.text:
            shown.append(hit._replace(snippet=row.text))
            continue
        line = lines.get((hit.path, hit.match_line), "")
        there = line.startswith(row.name, row.column)
        shown.append(hit._replace(snippet=cut_around(line, hit.column)) if there else hit)
    return shown


def _read_lines(root: Root, uses: Iterable[_Use]) -> dict[tuple[RepoPath, int], str]:
    """Lines of those that were not found by them."""
    places = sorted({(use.path, use.line) for use in uses if not use.text})
    found: dict[tuple[RepoPath, int], str] = {}
    with BulkReader(root) as texts:
        for path, numbers in groupby(places, key=lambda place: place[0]):
            data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, ReadFailure) else decode(data)
            lines = [] if text is None else text.data.split(b"\n")
            for _, number in numbers:
                if number <= len(lines):
                    found[path, number] = lines[number - 1].decode("utf-8", "replace").rstrip("\r")
    return found
