"""From ranked passages to results: required words, kinds, caps, and what is told of each."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.safe_open import Root
from codeplane.facts.words import name_key
from codeplane.operations.search.diversity import HitPlace, spread, without_twins
from codeplane.operations.search.evidence import add_evidence
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.git_changes import GitChanges
from codeplane.operations.search.model import MAX_RANKED, Factors, Hit, SearchRequest, SearchResult
from codeplane.operations.search.must_filter import MustFiles, add_must_places, find_must_files
from codeplane.operations.search.name_matches import MAX_NAMED
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.phrases import find_phrase
from codeplane.operations.search.query_features import QueryFeatures, QueryShape, analyze_query
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.scoring import ROWS_PER_FILE, Ranking, RankingScope, ScoredPassage, rank
from codeplane.operations.search.weights import Weights
from codeplane.operations.symbols.forms import looks_like_path, parse_written
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.presenter import not_found_message
from codeplane.operations.symbols.resolve import MAX_SYMBOLS, resolve_symbols
from codeplane.query.relations import ATTRIBUTE, Symbol
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import DefinitionBrief, FileBrief, list_text_files, read_definitions, read_file_briefs
from codeplane.store.codec import ORDINAL_BITS, ORDINAL_MASK

MAX_ROWS = 110
"""Rows that are looked up for the results of all pages, where no filter asks for more."""
MAX_SNIPPETS = 40
MAX_SNIPPET_CHARS = 160
MAX_SIMILAR = 5
MAX_ECHO = 60
_ALL_ROWS = 40
_HALFWAY = 25.0
"""The score that is shown as one half."""
_WORTH = ("exact", "style")
_LOST = ("removed_by_kind", "removed_by_exclude")


def search_ranked(
    snapshot: Snapshot,
    root: Root,
    request: SearchRequest,
    parsed: ParsedQuery,
    filters: Filters,
    changed: GitChanges,
    weights: Weights,
    keeping: ScanCache | None = None,
) -> SearchResult:
    texts = FileLines(root)
    question = analyze_query(parsed.text if parsed.text.strip() else " ".join(parsed.must))
    among: Mapping[int, FileBrief] | None = _narrow(snapshot, request, parsed, filters)
    required = find_must_files(snapshot, root, filters, keeping) if filters.must else MustFiles()
    if filters.must:
        among = required.files
        more = analyze_query(" ".join(parsed.must)).terms
        question = replace(question, terms={**more, **question.terms})
    names_only = request.mode in ("symbol", "definitions")
    deep = bool(request.kinds or filters.reads_text)
    bounds = RankingScope(
        accepts=lambda file: filters.accepts_elsewhere(file.path, file.language),
        in_scope=lambda file: filters.accepts_role(file.role),
        among=None if among is None else list(among),
        scope=filters.scope,
        changed=frozenset() if changed.too_many else changed.paths,
        rows_per_file=_ALL_ROWS if deep or request.mode == "definitions" else ROWS_PER_FILE,
    )
    phrase = {} if names_only or not weights.phrase else find_phrase(snapshot, root, parsed.text, keeping)
    ranking = rank(snapshot, question, bounds, weights, names_only=names_only, phrase=phrase)
    # Outside of the scope lies only what was asked for by its very name, and is nowhere else.
    rows: Sequence[ScoredPassage] = [
        row for row in ranking.rows if filters.accepts_role(row.file.role) or row.way in _WORTH
    ]
    resolved = _resolve_query(snapshot, request, parsed.text, question)
    if isinstance(resolved, SymbolsFound) and names_only:
        named = _rows_of(snapshot, resolved.symbols, rows, filters)
        if request.mode == "definitions" or not _is_name(parsed.text):
            rows = named
        elif not rows or not any(row is rows[0] for row in named):
            known = set(map(id, named))
            rows = [*named, *(row for row in rows if id(row) not in known)]
    elif request.mode == "definitions":
        rows = _other_styles(rows, question)
    missing = resolved if isinstance(resolved, SymbolNotFound) else None
    if missing is not None and not missing.scope and _is_partial(request, question, rows):
        missing = None
    most = MAX_NAMED if request.mode == "definitions" else MAX_RANKED
    if filters.must:
        # What has another kind is left out later on.
        rows = add_must_places(snapshot, texts, rows, required, filters, sys.maxsize if request.kinds else most)
    hits = _hits(snapshot, rows if deep or request.mode == "definitions" else rows[:MAX_ROWS])
    anywhere = Filters.of(parsed, "mixed", request.languages, request.paths, request.kinds, request.directory)
    kept, summary = anywhere.apply(hits, lambda hit: texts.between(hit.path, hit.line_start, hit.line_end))
    kept, suppressed = without_twins(kept, _place)
    arranged, diversity = _arranged(kept, request)
    shown = arranged[:most]
    notices: tuple[Notice, ...] = ()
    # What has the required words, and still cannot be shown, is not missing for want of them.
    lost = {name: count for name, count in summary.as_dict().items() if name in _LOST and count and not shown}
    if filters.must and not shown and not lost:
        notices = (
            Notice(
                WarningCode.FILTER_MUST_UNSATISFIED, {"must": [word[:MAX_ECHO] for word in parsed.must[:MAX_SIMILAR]]}
            ),
        )
    boosted = sum(1 for hit in shown if hit.path in bounds.changed)
    return SearchResult(
        hits=add_evidence(
            snapshot,
            root,
            _with_snippets(shown, texts, ranking),
            texts,
            ranking.rarity,
            request,
            question,
            filters,
            keeping,
        ),
        total=len(arranged) if request.mode == "definitions" else len(shown),
        outside_scope=required.outside if filters.must else ranking.outside,
        suppressed=suppressed,
        skipped=required.skipped,
        similar=missing.suggestions if missing is not None else (),
        not_found=not_found_message(missing) if missing is not None else "",
        notices=notices,
        hints=lost | ({"not_searched": dict(required.not_searched)} if required.not_searched else {}),
        debug={
            "shape": question.shape.value,
            "terms": dict(ranking.rarity),
            "candidates": ranking.candidates,
            "filters": summary.as_dict(),
            "must_retry": {"lane_files": len(required.files)},
            "diversity": diversity,
            "changed_files_boost": changed.as_dict(boosted, weights.changed),
        },
    )


def _resolve_query(
    snapshot: Snapshot, request: SearchRequest, text: str, question: QueryFeatures
) -> SymbolsFound | SymbolNotFound | None:
    """The symbols that a query names; None where it is not read as the name of one.

    In mode auto only a qualified name is: a plain word asks for whatever is about it.
    """
    if not text.strip():
        return None
    if request.mode == "auto":
        is_qualified = (
            question.shape is QueryShape.NAME and bool(question.qualifiers) and not looks_like_path(text.strip())
        )
        if not is_qualified:
            return None
        found = resolve_symbols(IndexedSymbols(snapshot), text)
        # Names of other libraries are asked for too: only what looks like a misspelling is told.
        return None if isinstance(found, SymbolNotFound) and not found.suggestions else found
    limit = MAX_NAMED if request.mode == "definitions" else MAX_SYMBOLS
    return resolve_symbols(IndexedSymbols(snapshot), text, limit=limit)


def _other_styles(rows: Sequence[ScoredPassage], question: QueryFeatures) -> list[ScoredPassage]:
    """Definitions of the name in another case, or else in another style, such as snake case for camel case.

    Of a qualified name those that lie in what it says.
    """
    exact = [row for row in rows if row.way in _WORTH and (not question.qualifiers or row.parts.get("qualified"))]
    very = [row for row in exact if row.name == question.last]
    return very or [row for row in exact if row.way == "exact"] or exact


def _is_name(text: str) -> bool:
    """Return true if the query can only be a name."""
    return len(parse_written(text)) == 1


def _is_partial(request: SearchRequest, question: QueryFeatures, rows: Sequence[ScoredPassage]) -> bool:
    """Whether a search for symbols was asked in words, or found names that contain the query, ignoring case."""
    if request.mode != "symbol":
        return False
    if len(question.text.split()) > 1:
        return bool(rows)
    key = name_key(question.last)
    return any(key in name_key(row.name) and (not question.qualifiers or row.parts.get("qualified")) for row in rows)


def _rows_of(
    snapshot: Snapshot, symbols: Sequence[Symbol], ranked: Sequence[ScoredPassage], filters: Filters
) -> list[ScoredPassage]:
    """Rows of symbols: those that were ranked in their order, then the others. In the scope, unless all are outside."""
    by_id = {row.file.file_id << ORDINAL_BITS | row.definition: row for row in ranked if row.definition >= 0}
    places = {id_: position for position, id_ in enumerate(by_id)}
    files = read_file_briefs(snapshot, [symbol.file_id for symbol in symbols])
    rows: dict[int, ScoredPassage] = {}
    others: list[ScoredPassage] = []
    for symbol in symbols:
        if symbol.file_id not in files:
            continue
        is_attribute = symbol.kind == ATTRIBUTE
        known = None if is_attribute else by_id.get(symbol.row_id)
        if known is not None:
            rows[places[symbol.row_id]] = known
            continue
        ordinal = -1 if is_attribute else symbol.row_id & ORDINAL_MASK
        place = (symbol.start_line, symbol.end_line, symbol.name)
        others.append(ScoredPassage(files[symbol.file_id], ordinal, *place, way="exact"))
    found = [*(rows[position] for position in sorted(rows)), *others]
    inside = [row for row in found if filters.accepts_role(row.file.role)]
    return inside if inside or filters.scope == "docs" else found


def _narrow(
    snapshot: Snapshot, request: SearchRequest, parsed: ParsedQuery, filters: Filters
) -> dict[int, FileBrief] | None:
    """The files that filters of path and language leave, where there are such filters: ranking keeps to them."""
    asked = (request.paths, request.languages, request.directory, parsed.paths, parsed.excluded_paths, parsed.languages)
    if not any(asked) and filters.scope != "docs":
        return None
    return {
        file.file_id: file for file in list_text_files(snapshot) if filters.accepts_elsewhere(file.path, file.language)
    }


def _arranged(hits: Sequence[Hit], request: SearchRequest) -> tuple[tuple[Hit, ...], dict[str, object]]:
    """Grouped results spread over files on the first page; raw ones as they are."""
    if request.result_mode == "raw":
        return tuple(hits), {}
    if request.group_by == "file":
        files: dict[RepoPath, list[Hit]] = {}
        for hit in hits:
            files.setdefault(hit.path, []).append(hit)
        groups = [group[0]._replace(collapsed=len(group) - 1) for group in files.values()]
        return tuple(groups), {}
    first, summary = spread(hits, request.limit, _place)
    taken = {id(hit) for hit in first}
    rest = [hit for hit in hits if id(hit) not in taken]
    return tuple(first + rest), summary.as_dict()


def _place(hit: Hit) -> HitPlace:
    return HitPlace(hit.path, hit.def_uid or None, hit.line_start, hit.line_end)


def _hits(snapshot: Snapshot, rows: Sequence[ScoredPassage]) -> list[Hit]:
    ids = [row.file.file_id << ORDINAL_BITS | row.definition for row in rows if row.definition >= 0]
    known = read_definitions(snapshot, ids)
    hits: list[Hit] = []
    for row in rows:
        definition = known.get(row.file.file_id << ORDINAL_BITS | row.definition) if row.definition >= 0 else None
        found = definition or _undefined(row)
        hits.append(
            Hit(
                path=row.path,
                line_start=found.start_line,
                line_end=found.end_line,
                kind=found.kind,
                name=found.name,
                score=row.score / (row.score + _HALFWAY),
                match_type="exact" if row.way in _WORTH else "fuzzy",
                qualified_name=found.qualified_name,
                lexical_path=found.lexical_path,
                signature=found.signature,
                language=row.file.language,
                visibility=found.visibility,
                def_uid=found.def_uid,
                def_line=found.start_line if definition else 0,
                def_end=found.end_line if definition else 0,
                role=row.file.role,
                factors=_factors(row.parts, is_exact=row.way in _WORTH),
            )
        )
    return hits


def _undefined(row: ScoredPassage) -> DefinitionBrief:
    """What is told of lines that no fact knows: a stretch of a file, or all of it."""
    whole = not row.name and row.first <= 1 and row.last >= row.file.lines
    return DefinitionBrief("file" if whole else "text", row.name, "", "", "", "", "", row.first, row.last)


def _factors(parts: Mapping[str, float], *, is_exact: bool) -> Factors:
    def added(*names: str) -> float:
        return sum(parts.get(name, 0.0) for name in names)

    return Factors(
        exact_match_boost=added("exact") if is_exact else 0.0,
        qualified_name_boost=added("qualified"),
        path_affinity=added("path", "stem", "abbreviation", "mention"),
        definition_boost=added("definition", "line", "phrase"),
        kind_match=added("kind"),
        bm25_score=added("bm25_file", "bm25_passage", "second_passage"),
        others=({} if is_exact or "exact" not in parts else {"name_match": parts["exact"]})
        | {name: parts[name] for name in ("role_factor", "changed_factor") if name in parts},
    )


def _with_snippets(hits: Sequence[Hit], texts: FileLines, ranking: Ranking) -> tuple[Hit, ...]:
    """Results that are no definitions show the line that says most of the query."""
    shown: list[Hit] = []
    for number, hit in enumerate(hits):
        if hit.def_uid or number >= MAX_SNIPPETS:
            shown.append(hit)
            continue
        line, text = texts.best(hit.path, hit.line_start, hit.line_end, ranking.rarity)
        shown.append(hit._replace(snippet=text[:MAX_SNIPPET_CHARS], match_line=line) if text else hit)
    return tuple(shown)
