"""Who uses a name, each with how well that is known.

Occurrences that are known to stand for something else (another definition, a variable of their function) are
counted and left out; whatever is not resolved stays in, and says so. Files of code without facts are searched for the
name as a word, of which nothing is known. Nothing is resolved here, and nothing that is known of an import is taken
for knowledge of what was imported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath, display
from codeplane.base.symbols import parse_symbol_ref, symbol_ref
from codeplane.disk.beneath import Root
from codeplane.disk.text import decode
from codeplane.disk.texts import Texts, Unread
from codeplane.facts.links import uid_number
from codeplane.facts.model import Role, Target, Tier
from codeplane.operations.reading.targets import names_member
from codeplane.operations.search.kept import Kept
from codeplane.operations.search.matching import cut_around
from codeplane.operations.search.mentions import Mentions, find_mentions
from codeplane.operations.search.model import MAX_MATCHES, Found, Hit
from codeplane.operations.search.scanning import Cancelled
from codeplane.operations.search.textual import NO_DEFINITION, Accepts, within
from codeplane.query.contents import ContentRow, list_files_by_id, list_files_with_name
from codeplane.query.defs import get_def_uid, list_defs_by_prefix, list_defs_called, name_parts
from codeplane.query.enclosing import Enclosing, enclose_all
from codeplane.query.files import get_file
from codeplane.query.occurrences import Occurrence, list_linked, list_occurrences, list_occurrences_at
from codeplane.query.outline import list_outline_rows
from codeplane.query.relations import find_symbols
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import row_id

MAX_TARGETS = 100
MAX_SIMILAR = 5
MAX_ROUTED = 20
"""Definitions of which uses through other symbols are looked for; a name that means more means anything."""

Keeps = Callable[[str], bool]


class Sought(NamedTuple):
    name: str
    targets: frozenset[int] | None
    """Numbers of the definitions that are meant; None for whatever has the name."""
    symbols: tuple[str, ...]
    """Those definitions in their written form, the first of them."""


def find_references(
    snapshot: Snapshot,
    root: Root,
    query: str,
    accepts: Accepts | None,
    *,
    wanted: Accepts | None = None,
    kinds: Collection[str] = (),
    keeps: Keeps | None = None,
    cancelled: Cancelled | None = None,
    limit: int = MAX_MATCHES,
    one_per_file: bool = False,
    keeping: Kept | None = None,
) -> Found:
    """Uses of a name, of the end of a qualified name, or of a symbol reference: by tier, then path and place.

    Those of files that are not `wanted` are only counted, by role. What lies in no definition of the `kinds`, if there
    are some, or on a line that `keeps` turns down counts nowhere. With `one_per_file` the first use of a file stands
    for all of them.
    """
    require_links(snapshot)
    sought = resolve(snapshot, query)
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

    routed = _routed_uses(snapshot, sought)
    for file, occurrences in _by_file(snapshot, sought, routed):
        if accepts is not None and not accepts(file.path, file):
            continue
        uses: list[_Use] = []
        through = dict(routed.get(file.path, {}))
        for occurrence in occurrences:
            tier = _tier(occurrence, sought)
            other = through.pop(_place(occurrence), None)
            if other is not None and tier != _DEFINITION:
                uses.append(other._replace(name=occurrence.name))
            elif isinstance(tier, str):
                left_out[tier] += 1
            else:
                uses.append(_Use(-tier, file.path, occurrence.line, occurrence.column, occurrence.name))
        uses = kept(sorted([*uses, *through.values()], key=lambda use: (use.line, use.column)))
        roles[file.path] = file.role
        if wanted is None or wanted(file.path, file):
            rows += uses
        elif uses:
            outside[file.role] += len(uses)
    tiers = Counter(Tier(-row.rank).name.lower() for row in rows)
    mentions = Mentions()
    if not kinds or NO_DEFINITION in kinds:
        mentions = find_mentions(
            snapshot,
            root,
            sought.name,
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
    if sought.symbols:
        hints["symbols"] = list(sought.symbols)
    elif sought.name != query.strip():
        hints["searched_as"] = sought.name
    if mentions.not_searched:
        hints["not_searched"] = dict(mentions.not_searched)
    return Found(
        hits=tuple(hits),
        total=tiers.total(),
        outside_scope=dict(sorted(outside.items())),
        files=len(files),
        skipped=mentions.skipped,
        similar=() if rows or any(left_out.values()) else _similar(snapshot, sought.name),
        hints=hints,
        debug={"removed_by_kind": left_out[_KIND]},
    )


def resolve(snapshot: Snapshot, query: str) -> Sought:
    """What a query means: a symbol reference, a qualified name that is defined, or plainly a name."""
    text = query.strip()
    if not text:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, "the name is empty", expected="a name", received="''", example="finish_checkout"
        )
    if _SYMBOL_REF.fullmatch(text) and not _names_member(snapshot, text):
        return _by_symbol_ref(snapshot, text)
    parts = name_parts(text)
    qualified = len(parts) > 1
    found = list_defs_called(snapshot, text, MAX_TARGETS)
    # Some languages give names of signs to what they define.
    if not _IN_NAMES.search(text) and not found.total and not list_files_with_name(snapshot, text):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(text[:40])}' is no name",
            expected="a name of letters, digits, '_' or '$', also Class.method, or a symbol_ref of an earlier answer",
            received=display(text[:40]),
            example={"mode": "references", "query": "finish_checkout"},
            remedy="To find signs as they are written use mode 'lexical'.",
        )
    name = parts[-1] if parts and (qualified or found.total) else text
    symbols = tuple(symbol_ref(row.path, row.lexical_path, row.start_line) for row in found.rows[:MAX_SIMILAR])
    # A plain name means all that is called so; more definitions than can be told apart are not told apart.
    single = found.total == 1 or (qualified and 0 < found.total <= MAX_TARGETS)
    return Sought(name, frozenset(uid_number(row.def_uid) for row in found.rows) if single else None, symbols)


def _names_member(snapshot: Snapshot, text: str) -> bool:
    return names_member(text) and get_file(snapshot, text.partition("#")[0]) is None


def _by_symbol_ref(snapshot: Snapshot, text: str) -> Sought:
    named = parse_symbol_ref(text)
    file = get_file(snapshot, named.path)
    if file is None:
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"'{display(named.path)}' is not an indexed file",
            expected="a symbol reference of an indexed file, or a name",
            received=display(text),
            example="app/checkout.py#Cart.total@12",
        )
    rows = [row for row in list_outline_rows(snapshot, named.path) if row.name]
    if named.lexical_path is None:
        line = named.line or 0
        found = [row for row in rows if row.start_line <= line <= row.end_line]
        # Of nested symbols the innermost begins last, and of those that begin together it ends first.
        found = sorted(found, key=lambda row: (-row.start_line, -row.start_col, row.end_line))[:1]
    else:
        alike = [row for row in rows if row.lexical_path == named.lexical_path]
        found = [row for row in alike if row.start_line == named.line] or alike
    if not found:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(named.path)}' has no such symbol",
            expected="a symbol of the file, or a name",
            received=display(text),
            example=symbol_ref(named.path, rows[0].lexical_path, rows[0].start_line) if rows else None,
        )
    symbols = tuple(symbol_ref(named.path, row.lexical_path, row.start_line) for row in found[:MAX_SIMILAR])
    targets = (get_def_uid(snapshot, row_id(file.file_id, row.ordinal)) for row in found)
    return Sought(found[0].name, frozenset(uid_number(uid) for uid in targets if uid), symbols)


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


_KIND = "kind"
_DEFINITION = "definitions"
_ELSEWHERE = "elsewhere"
_TIERS = tuple(tier.name.lower() for tier in sorted(Tier, reverse=True))
_IN_NAMES = re.compile(r"[\w$]")
_SYMBOL_REF = re.compile(r"[^#\s]+#.+|.+:[1-9][0-9]{0,8}(?::[0-9]+)?", re.DOTALL)


def _routed_uses(snapshot: Snapshot, sought: Sought) -> dict[RepoPath, dict[tuple[int, int], _Use]]:
    """Uses that name another symbol (a base member, a constructor), and calls that are written without a name.

    They come from where the call graph reads them, so that both list the same calls.
    """
    found: dict[RepoPath, dict[tuple[int, int], _Use]] = {}
    targets = sought.targets or frozenset()
    symbols = find_symbols(snapshot, targets) if len(targets) <= MAX_ROUTED else {}
    for symbol in symbols.values():
        for use in list_routed_uses(snapshot, find_routes(snapshot, symbol)):
            is_named = use.via is None and (use.names or use.renames)
            if is_named or (use.via is not None and use.via.number in targets):
                continue
            via = symbol_ref(use.via.path, use.via.lexical_path, use.via.start_line) if use.via is not None else ""
            place = (use.start_line, use.start_col)
            row = _Use(-use.tier, use.path, *place, "", "", via)
            held = found.setdefault(use.path, {})
            if place not in held or row < held[place]:
                held[place] = row
    return found


def _by_file(
    snapshot: Snapshot, sought: Sought, routed: Mapping[RepoPath, Mapping[tuple[int, int], _Use]]
) -> Iterable[tuple[ContentRow, list[Occurrence]]]:
    files = {row.file_id: row for row in list_files_with_name(snapshot, sought.name)}
    # A link may have been found for a name that the definition has only there, an alias.
    linked = list_linked(snapshot, sought.targets or ())
    for path, uses in routed.items():
        file = get_file(snapshot, path)
        if file is not None:
            linked.setdefault(file.file_id, set()).update(uses)
    files |= {row.file_id: row for row in list_files_by_id(snapshot, linked.keys() - files.keys())}
    for row in files.values():
        found = list_occurrences(snapshot, row.file_id, sought.name)
        if row.file_id in linked:
            found = sorted({*found, *list_occurrences_at(snapshot, row.file_id, linked[row.file_id])}, key=_place)
        yield row, found


def _place(occurrence: Occurrence) -> tuple[int, int]:
    return occurrence.line, occurrence.column


def _tier(occurrence: Occurrence, sought: Sought) -> Tier | str:
    """How well it is known that the occurrence is one of what is sought, or why it is none."""
    if occurrence.role is Role.DEFINITION and occurrence.bound is Target.DEF:
        return _DEFINITION
    if occurrence.targets:
        meant = sought.targets is None or not sought.targets.isdisjoint(occurrence.targets)
        return occurrence.tier if meant else _ELSEWHERE
    if sought.symbols and (
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
        hit = hit._replace(language=language, role=roles[use.path], tier=Tier(-use.rank).name.lower(), via=use.via)
        found[use] = hit if outer is None else within(hit, outer)
    return [found[row] for row in rows]


def _enclosed(snapshot: Snapshot, uses: list[_Use]) -> Iterator[tuple[_Use, str, Enclosing | None]]:
    """Each use, which stand by path and place, with the language of its file and the definition that it lies in."""
    files = {path: list(here) for path, here in groupby(uses, key=lambda use: use.path)}
    places = {path: [(use.line, use.column) for use in here] for path, here in files.items()}
    for path, language, around in enclose_all(snapshot, places):
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
    with Texts(root) as texts:
        for path, numbers in groupby(places, key=lambda place: place[0]):
            data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, Unread) else decode(data)
            lines = [] if text is None else text.data.split(b"\n")
            for _, number in numbers:
                if number <= len(lines):
                    found[path, number] = lines[number - 1].decode("utf-8", "replace").rstrip("\r")
    return found


def _similar(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    near = list_defs_by_prefix(snapshot, name, 100).rows
    return tuple(dict.fromkeys(row.name for row in near))[:MAX_SIMILAR]
