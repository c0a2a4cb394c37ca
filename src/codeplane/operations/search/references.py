"""References of a symbol or a name, each with the tier of its link.

Occurrences linked to something else (another definition, a local variable) are counted and excluded; unresolved
occurrences are included with tier unknown. Code files without facts are searched for the name as a word. Nothing is
inferred here: the link of an import says nothing about what was imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import groupby
from typing import NamedTuple

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.facts.model import ReferenceRole, Target, Tier
from codeplane.operations.search.matching import cut_around
from codeplane.operations.search.model import MAX_MATCHES, NO_DEFINITION, Hit, SearchResult
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import RowFilter, with_enclosing
from codeplane.operations.search.word_matches import WordMatches, find_word_matches
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.presenter import not_found_message
from codeplane.operations.symbols.resolve import resolve_symbols, with_suggestions
from codeplane.query.contents import SearchableFile, list_files_by_id, list_files_with_name
from codeplane.query.defs import list_defs_ignoring_case
from codeplane.query.enclosing import EnclosingDef, find_enclosing
from codeplane.query.files import get_file
from codeplane.query.occurrences import Occurrence, list_linked_places, list_occurrences_by_file
from codeplane.query.relations import find_symbols, list_attributes_named
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import storable

MAX_TARGETS = 100
MAX_SIMILAR = 5
MAX_ROUTED = 20
"""Definitions whose indirect uses are searched; a name with more definitions is too ambiguous."""

LineFilter = Callable[[str], bool]


class ReferenceQuery(NamedTuple):
    name: str
    targets: frozenset[int] | None
    """Numbers of the target symbols; None for everything of the name."""
    symbols: tuple[str, ...]
    """References of the first target symbols."""
    missing: SymbolNotFound | None = None
    """Set if no symbol has the name; it may still be used, for example an external name."""


@dataclass(frozen=True)
class ReferenceOptions:
    file_filter: RowFilter | None = None
    """Files to search; None for all."""
    in_scope: RowFilter | None = None
    """Files whose uses are returned; in other files they are only counted, by role."""
    kinds: Collection[str] = ()
    """Only uses inside a definition of these kinds count."""
    line_filter: LineFilter | None = None
    """Only uses on an accepted line count."""
    limit: int = MAX_MATCHES
    one_per_file: bool = False
    """Return the first use of each file, with the number of the others."""


def find_references(sources: SearchSources, query: str, options: ReferenceOptions) -> SearchResult:
    """Return uses of the symbol that a query names, or of an undefined name: by tier, then path and position."""
    snapshot = sources.snapshot
    require_links(snapshot)
    index = IndexedSymbols(snapshot)
    target = _resolve_query(index, snapshot, query)
    if isinstance(target, SymbolNotFound):
        return _not_found(index, target)
    uses = _Uses(sources, options)
    _add_linked(uses, target)
    words = _add_word_matches(uses, target.name)
    uses.rows.sort()
    rows = uses.rows
    if options.one_per_file:
        rows = sorted({row.path: row for row in reversed(rows)}.values())
    del rows[options.limit :]
    hits = _with_lines(sources.root, _hits(snapshot, rows, uses.roles), rows)
    if options.one_per_file:
        hits = [hit._replace(collapsed=uses.per_file[hit.path] - 1) for hit in hits]
    hints = _hints(uses, target, query, words)
    if target.missing is not None and not rows and not any(uses.excluded.values()) and not uses.outside:
        return replace(_not_found(index, target.missing), hints=hints, skipped=words.skipped)
    return SearchResult(
        hits=tuple(hits),
        total=uses.tiers.total(),
        outside_scope=dict(sorted(uses.outside.items())),
        files=len(uses.per_file),
        skipped=words.skipped,
        hints=hints,
        debug={"removed_by_kind": uses.excluded[_Excluded.KIND]},
    )


def _not_found(index: IndexedSymbols, missing: SymbolNotFound) -> SearchResult:
    missing = with_suggestions(index, missing)
    return SearchResult((), 0, similar=missing.suggestions, not_found=not_found_message(missing))


def _resolve_query(index: IndexedSymbols, snapshot: Snapshot, query: str) -> ReferenceQuery | SymbolNotFound:
    """Resolve a query to certain symbols, or to everything of a name, defined or not.

    An undefined qualified name is searched by its last part (`builtins.print`), unless something else has that name:
    its references would answer another question.
    """
    found = resolve_symbols(index, query, limit=MAX_TARGETS, suggest=False)
    if isinstance(found, SymbolNotFound):
        is_name = found.line is None and not found.scope
        name = found.parts[-1] if found.parts else found.name
        if not is_name or (len(found.parts) > 1 and _is_defined(snapshot, name)):
            return found
        return ReferenceQuery(name if len(found.parts) > 1 else query.strip(), None, (), found)
    symbols = tuple(symbol.reference for symbol in found.symbols[:MAX_SIMILAR])
    # A plain name means all symbols of that name; so does a name with too many definitions.
    is_certain = found.total == 1 if found.is_bare_name else found.total <= MAX_TARGETS
    targets = frozenset(symbol.number for symbol in found.symbols) if is_certain else None
    return ReferenceQuery(found.symbols[0].name, targets, symbols)


def _is_defined(snapshot: Snapshot, name: str) -> bool:
    name = storable(name)
    return bool(list_defs_ignoring_case(snapshot, [name], None, 1) or list_attributes_named(snapshot, name))


class _Use(NamedTuple):
    """A use; the field order is the result order, with the best tier first."""

    rank: int
    path: RepoPath
    line: int
    column: int
    name: str
    text: str = ""
    """The line, if the use was found by text search."""
    via: str = ""
    """Reference of another symbol that is named there and reaches the target."""
    is_import: bool = False
    is_declaration: bool = False
    """True if it declares the target once more: an overload, or the property in a related type."""


class _Excluded(Enum):
    """Reason why an occurrence is not a use; the value is its name in hints."""

    KIND = "kind"
    DEFINITION = "definitions"
    ELSEWHERE = "elsewhere"
    RENAMED = "under_another_name"


_TIERS = tuple(tier.name.lower() for tier in sorted(Tier, reverse=True))
_NAMES_BY_RANK = {-tier: tier.name.lower() for tier in Tier}
_Position = tuple[int, int]


@dataclass
class _Uses:
    """Uses found so far, with counts."""

    sources: SearchSources
    options: ReferenceOptions
    rows: list[_Use] = field(default_factory=list)
    roles: dict[RepoPath, str] = field(default_factory=dict)
    tiers: Counter[str] = field(default_factory=Counter)
    per_file: Counter[RepoPath] = field(default_factory=Counter)
    """Uses in scope, by path."""
    outside: Counter[str] = field(default_factory=Counter)
    """Uses outside of the scope, by role."""
    excluded: Counter[_Excluded] = field(default_factory=Counter)

    def filtered(self, uses: list[_Use]) -> list[_Use]:
        """Drop uses of other kinds and on rejected lines."""
        kinds, accepts = self.options.kinds, self.options.line_filter
        if kinds and uses:
            total = len(uses)
            uses = [use for use, kind in zip(uses, _kinds(self.sources.snapshot, uses), strict=True) if kind in kinds]
            self.excluded[_Excluded.KIND] += total - len(uses)
        if accepts is None or not uses:
            return uses
        lines = _read_lines(self.sources.root, uses)
        return [use for use in uses if accepts(use.text or lines.get((use.path, use.line), ""))]


def _add_linked(uses: _Uses, target: ReferenceQuery) -> None:
    """Add uses known from facts: direct occurrences of the name, and uses through other symbols."""
    options, snapshot = uses.options, uses.sources.snapshot
    routed = _routed_uses(snapshot, target, uses.excluded)
    for file, occurrences in _by_file(snapshot, target, routed):
        if options.file_filter is not None and not options.file_filter(file):
            continue
        in_file: list[_Use] = []
        indirect = dict(routed.get(file.path, {}))
        for occurrence in occurrences:
            tier = _tier(occurrence, target)
            other = indirect.pop(_position(occurrence), None)
            if other is not None and (other.is_declaration or tier is not _Excluded.DEFINITION):
                in_file.append(other._replace(name=occurrence.name))
            elif isinstance(tier, _Excluded):
                uses.excluded[tier] += 1
            else:
                use = _Use(-tier, file.path, occurrence.line, occurrence.column, occurrence.name)
                in_file.append(use._replace(is_import=occurrence.role is ReferenceRole.IMPORT))
        in_file = uses.filtered(sorted([*in_file, *indirect.values()], key=lambda use: (use.line, use.column)))
        uses.roles[file.path] = file.role
        if options.in_scope is None or options.in_scope(file):
            uses.rows += in_file
            uses.tiers.update(_NAMES_BY_RANK[use.rank] for use in in_file)
            if in_file:
                uses.per_file[file.path] += len(in_file)
        elif in_file:
            uses.outside[file.role] += len(in_file)


def _add_word_matches(uses: _Uses, name: str) -> WordMatches:
    """Add occurrences of the name in code files without facts, with tier unknown."""
    options = uses.options
    if options.kinds and NO_DEFINITION not in options.kinds:
        return WordMatches()
    limit = options.limit if options.line_filter is None else None
    per_file = 1 if options.one_per_file else options.limit
    words = find_word_matches(uses.sources, name, options.file_filter, options.in_scope, limit, per_file)
    uses.roles |= words.roles
    rows = uses.filtered([_Use(-Tier.UNKNOWN, *row) for row in words.rows])
    counts = words.counts if options.line_filter is None else Counter(use.path for use in rows)
    for path, count in counts.items():
        if path in words.outside:
            uses.outside[uses.roles[path]] += count
        else:
            uses.per_file[path] += count
            uses.tiers[_TIERS[-1]] += count
    uses.rows += (use for use in rows if use.path not in words.outside)
    inside = {path: count for path, count in counts.items() if path not in words.outside}
    return words._replace(counts=inside)


def _hints(uses: _Uses, target: ReferenceQuery, query: str, words: WordMatches) -> dict[str, object]:
    hints: dict[str, object] = {"tiers": {name: uses.tiers[name] for name in _TIERS if uses.tiers[name]}}
    reported = (_Excluded.DEFINITION, _Excluded.ELSEWHERE, _Excluded.RENAMED)
    hints |= {reason.value: uses.excluded[reason] for reason in reported if uses.excluded[reason]}
    as_text = sum(words.counts.values())
    if as_text:
        hints["found_as_text"] = as_text
    if target.symbols:
        hints["symbols"] = list(target.symbols)
    elif target.name != query.strip():
        hints["searched_as"] = target.name
    if words.not_searched:
        hints["not_searched"] = dict(words.not_searched)
    return hints


def _routed_uses(
    snapshot: Snapshot, target: ReferenceQuery, excluded: Counter[_Excluded]
) -> dict[RepoPath, dict[_Position, _Use]]:
    """Return uses that name another symbol (a base member), further declarations, and calls written without a name.

    They come from the same query as the call graph, so both list the same calls. Constructions that do not name the
    class are only counted.
    """
    found: dict[RepoPath, dict[_Position, _Use]] = {}
    targets = target.targets or frozenset()
    symbols = find_symbols(snapshot, targets) if len(targets) <= MAX_ROUTED else {}
    for symbol in symbols.values():
        defined_at = (symbol.path, symbol.line, symbol.column)
        for use in list_routed_uses(snapshot, find_routes(snapshot, symbol)):
            is_declaration = use.role is ReferenceRole.DEFINITION and use[:3] != defined_at
            is_named = use.via is None and (use.names or use.renames) and not is_declaration
            if is_named or (use.via is not None and use.via.number in targets):
                continue
            if use.via is not None and use.renames:
                excluded[_Excluded.RENAMED] += 1
                continue
            via = use.via.reference if use.via is not None else ""
            position = (use.start_line, use.start_col)
            row = _Use(-use.tier, use.path, *position, "", "", via, is_declaration=is_declaration)
            in_file = found.setdefault(use.path, {})
            if position not in in_file or row < in_file[position]:
                in_file[position] = row
    return found


def _by_file(
    snapshot: Snapshot, target: ReferenceQuery, routed: Mapping[RepoPath, Mapping[_Position, _Use]]
) -> Iterable[tuple[SearchableFile, list[Occurrence]]]:
    files = {row.file_id: row for row in list_files_with_name(snapshot, target.name)}
    # A file may link to the target under another name, an alias.
    linked = list_linked_places(snapshot, target.targets or ())
    for path, uses in routed.items():
        file = get_file(snapshot, path)
        if file is not None:
            linked.setdefault(file.file_id, set()).update(uses)
    files |= {row.file_id: row for row in list_files_by_id(snapshot, linked.keys() - files.keys())}
    ids = {row.file_id: row for row in files.values()}
    for file_id, found in list_occurrences_by_file(snapshot, list(ids), target.name, linked):
        yield ids[file_id], found


def _position(occurrence: Occurrence) -> _Position:
    return occurrence.line, occurrence.column


def _tier(occurrence: Occurrence, target: ReferenceQuery) -> Tier | _Excluded:
    """Return the tier of an occurrence, or why it is not a use of the target."""
    if occurrence.role is ReferenceRole.DEFINITION and occurrence.bound is Target.DEF:
        return _Excluded.DEFINITION
    if occurrence.targets:
        is_target = target.targets is None or not target.targets.isdisjoint(occurrence.targets)
        return occurrence.tier if is_target else _Excluded.ELSEWHERE
    if target.symbols and (
        occurrence.outside or (occurrence.tier is Tier.PROVEN and occurrence.bound is Target.UNKNOWN)
    ):
        return _Excluded.ELSEWHERE
    return Tier.UNKNOWN if occurrence.bound is Target.IMPORT else occurrence.tier


def _kinds(snapshot: Snapshot, uses: list[_Use]) -> Iterator[str]:
    """Yield the kind of the definition around each use; `uses` are sorted by path and position."""
    for _, _, definition in _enclosed(snapshot, uses):
        yield NO_DEFINITION if definition is None else definition.kind


def _hits(snapshot: Snapshot, rows: list[_Use], roles: Mapping[RepoPath, str]) -> list[Hit]:
    hits: dict[_Use, Hit] = {}
    by_position = sorted(rows, key=lambda row: (row.path, row.line, row.column))
    for use, language, definition in _enclosed(snapshot, by_position):
        hit = Hit(
            use.path,
            use.line,
            use.line,
            NO_DEFINITION,
            "",
            column=use.column + 1,
            match_line=use.line,
            language=language,
            role=roles[use.path],
            tier=Tier(-use.rank).name.lower(),
            is_import=use.is_import,
            via=use.via,
        )
        hits[use] = with_enclosing(hit, definition)
    return [hits[row] for row in rows]


def _enclosed(snapshot: Snapshot, uses: list[_Use]) -> Iterator[tuple[_Use, str, EnclosingDef | None]]:
    """Yield each use with its language and enclosing definition; `uses` are sorted by path and position."""
    files = {path: list(in_file) for path, in_file in groupby(uses, key=lambda use: use.path)}
    positions = {path: [(use.line, use.column) for use in in_file] for path, in_file in files.items()}
    for path, language, definitions in find_enclosing(snapshot, positions):
        yield from ((use, language, outer) for use, outer in zip(files[path], definitions, strict=True))


def _with_lines(root: Root, hits: list[Hit], rows: list[_Use]) -> list[Hit]:
    """Add the source line to each hit, unless the file has changed and the name is no longer there."""
    lines = _read_lines(root, rows)
    shown: list[Hit] = []
    for hit, row in zip(hits, rows, strict=True):
        if row.text:
            shown.append(hit._replace(snippet=row.text))
            continue
        line = lines.get((hit.path, hit.match_line), "")
        is_there = line.startswith(row.name, row.column)
        shown.append(hit._replace(snippet=cut_around(line, hit.column)) if is_there else hit)
    return shown


def _read_lines(root: Root, uses: Iterable[_Use]) -> dict[tuple[RepoPath, int], str]:
    """Read the lines of uses that do not have them yet."""
    positions = sorted({(use.path, use.line) for use in uses if not use.text})
    found: dict[tuple[RepoPath, int], str] = {}
    with BulkReader(root) as texts:
        for path, numbers in groupby(positions, key=lambda position: position[0]):
            data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, ReadFailure) else decode(data)
            lines = [] if text is None else text.data.split(b"\n")
            for _, number in numbers:
                if number <= len(lines):
                    found[path, number] = lines[number - 1].decode("utf-8", "replace").rstrip("\r")
    return found
