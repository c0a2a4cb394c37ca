"""Ranked search: turn ranked passages into hits; apply `must:` words, kinds, caps, snippets and evidence."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.facts.words import name_key
from codeplane.operations.search.diversity import HitPlace, spread, without_twins
from codeplane.operations.search.evidence import add_evidence
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters, Rejection
from codeplane.operations.search.git_changes import GitChanges
from codeplane.operations.search.model import MAX_RANKED, NO_DEFINITION, Factors, Hit, SearchRequest, SearchResult
from codeplane.operations.search.must_filter import MustFiles, add_must_places, find_must_files
from codeplane.operations.search.name_matches import MAX_NAMED, NameMatchKind
from codeplane.operations.search.phrases import find_phrase
from codeplane.operations.search.query_features import QueryFeatures, QueryShape, analyze_query
from codeplane.operations.search.scoring import ROWS_PER_FILE, Ranking, RankingScope, ScoredPassage, rank
from codeplane.operations.search.search_task import SearchTask
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
"""Rows read for the results of all pages, if no filter needs more."""
MAX_SNIPPETS = 40
MAX_SNIPPET_CHARS = 160
MAX_SIMILAR = 5
MAX_ECHO = 60
_ALL_ROWS = 40
_HALF_SCORE = 25.0
"""Raw score that maps to 0.5."""


def search_ranked(task: SearchTask, changes: GitChanges, weights: Weights) -> SearchResult:
    sources, request, parsed, filters = task
    snapshot, texts = sources.snapshot, FileLines(sources.root)
    features = _analyze(task)
    must = find_must_files(sources, filters) if filters.must else MustFiles()
    is_definitions = request.mode == "definitions"
    is_deep = is_definitions or bool(request.kinds or filters.has_text_filters)
    changed = frozenset() if changes.too_many else changes.paths
    rows_per_file = _ALL_ROWS if is_deep else ROWS_PER_FILE
    ranking = _rank(task, features, must, weights, changed, rows_per_file)
    rows, missing = _resolved_rows(task, features, ranking)
    most = MAX_NAMED if is_definitions else MAX_RANKED
    if filters.must:
        # Other kinds are filtered out later.
        rows = add_must_places(snapshot, texts, rows, must, filters, sys.maxsize if request.kinds else most)
    hits = _hits(snapshot, rows if is_deep else rows[:MAX_ROWS])
    # Exact names outside of the scope are kept.
    anywhere = Filters.of(parsed, "mixed", request)
    accepted, rejected = anywhere.apply(hits, lambda hit: texts.between(hit.path, hit.line_start, hit.line_end))
    distinct, suppressed = without_twins(accepted, _place)
    arranged, diversity = _arranged(distinct, request)
    shown = arranged[:most]
    lost = {} if shown else _lost(rejected)
    # Results that have the words, but are rejected by another filter, do not count as unsatisfied.
    is_unsatisfied = bool(filters.must) and not shown and not lost
    boosted = sum(hit.path in changed for hit in shown)
    return SearchResult(
        hits=add_evidence(task, _with_snippets(shown, texts, ranking), texts, ranking.idf, features),
        total=len(arranged) if is_definitions else len(shown),
        outside_scope=must.outside if filters.must else ranking.outside,
        suppressed=suppressed,
        skipped=must.skipped,
        similar=missing.suggestions if missing is not None else (),
        not_found=not_found_message(missing) if missing is not None else "",
        notices=_must_notice(parsed.must) if is_unsatisfied else (),
        hints={**lost, **({"not_searched": dict(must.not_searched)} if must.not_searched else {})},
        debug={
            "shape": features.shape.value,
            "terms": dict(ranking.idf),
            "candidates": ranking.candidates,
            "filters": rejected,
            "must_retry": {"lane_files": len(must.files)},
            "diversity": diversity,
            "changed_files_boost": changes.as_dict(boosted, weights.changed),
        },
    )


def _rank(
    task: SearchTask,
    features: QueryFeatures,
    must: MustFiles,
    weights: Weights,
    changed: frozenset[RepoPath],
    rows_per_file: int,
) -> Ranking:
    sources, request, parsed, filters = task
    names_only = request.mode in ("definitions", "symbol")
    only_files = must.files if filters.must else _filtered_files(task)
    scope = RankingScope(
        accepts=lambda file: filters.accepts_file(file.path, file.language),
        in_scope=lambda file: filters.accepts_role(file.role),
        only_files=None if only_files is None else list(only_files),
        scope=filters.scope,
        changed=changed,
        rows_per_file=rows_per_file,
    )
    phrase = {} if names_only or not weights.phrase else find_phrase(sources, parsed.text)
    return rank(sources.snapshot, features, scope, weights, names_only=names_only, phrase=phrase)


def _lost(rejected: Mapping[str, int]) -> dict[str, int]:
    """Return the candidates that the kind and `exclude:` filters rejected."""
    reasons = (Rejection.KIND.value, Rejection.EXCLUDE.value)
    return {reason: rejected[reason] for reason in reasons if rejected[reason]}


def _must_notice(must: Sequence[str]) -> tuple[Notice, ...]:
    words = [word[:MAX_ECHO] for word in must[:MAX_SIMILAR]]
    return (Notice(WarningCode.FILTER_MUST_UNSATISFIED, {"must": words}),)


def _analyze(task: SearchTask) -> QueryFeatures:
    """Analyze the query; `must:` words are terms too, and the whole query if there is no other text."""
    parsed = task.parsed
    must = " ".join(parsed.must)
    features = analyze_query(parsed.text if parsed.text.strip() else must)
    if task.filters.must:
        features = replace(features, terms={**analyze_query(must).terms, **features.terms})
    return features


def _filtered_files(task: SearchTask) -> dict[int, FileBrief] | None:
    """Return the files that path and language filters leave; None without such filters."""
    filters = task.filters
    if not filters.has_file_filters and filters.scope != "docs":
        return None
    files = list_text_files(task.sources.snapshot)
    return {file.file_id: file for file in files if filters.accepts_file(file.path, file.language)}


def _resolved_rows(
    task: SearchTask, features: QueryFeatures, ranking: Ranking
) -> tuple[Sequence[ScoredPassage], SymbolNotFound | None]:
    """Return the ranked rows, with the symbols that the query resolves to first, and the name that was not found."""
    (snapshot, *_), request, parsed, filters = task
    # Outside of the scope, only exact names that are defined nowhere else are returned.
    rows: Sequence[ScoredPassage] = [row for row in ranking.rows if filters.accepts_role(row.file.role) or row.is_exact]
    resolved = _resolve_query(snapshot, request, parsed.text, features)
    if isinstance(resolved, SymbolsFound) and request.mode in ("symbol", "definitions"):
        named = _rows_of(snapshot, resolved.symbols, rows, filters)
        if request.mode == "definitions" or len(parse_written(parsed.text)) > 1:
            rows = named
        elif not rows or not any(row is rows[0] for row in named):
            known = set(map(id, named))
            rows = [*named, *(row for row in rows if id(row) not in known)]
    elif request.mode == "definitions":
        rows = _other_styles(rows, features)
    if isinstance(resolved, SymbolNotFound) and (resolved.scope or not _is_partial(request, features, rows)):
        return rows, resolved
    return rows, None


def _resolve_query(
    snapshot: Snapshot, request: SearchRequest, text: str, features: QueryFeatures
) -> SymbolsFound | SymbolNotFound | None:
    """Resolve the symbols that a query names; None if it is not a name.

    In mode auto, only a qualified name is; a plain word asks for anything about it.
    """
    if not text.strip():
        return None
    if request.mode == "auto":
        is_qualified = features.shape is QueryShape.NAME and bool(features.qualifiers)
        if not is_qualified or looks_like_path(text.strip()):
            return None
        found = resolve_symbols(IndexedSymbols(snapshot), text)
        # External names are searched too, so only a likely misspelling is reported.
        return None if isinstance(found, SymbolNotFound) and not found.suggestions else found
    limit = MAX_NAMED if request.mode == "definitions" else MAX_SYMBOLS
    return resolve_symbols(IndexedSymbols(snapshot), text, limit=limit)


def _other_styles(rows: Sequence[ScoredPassage], features: QueryFeatures) -> list[ScoredPassage]:
    """Return definitions of the name in another case, or else in another style, such as snake case for camel case."""
    exact = [row for row in rows if row.is_exact and (not features.qualifiers or row.parts.get("qualified"))]
    same_case = [row for row in exact if row.name == features.last]
    return same_case or [row for row in exact if row.name_match is NameMatchKind.EXACT] or exact


def _is_partial(request: SearchRequest, features: QueryFeatures, rows: Sequence[ScoredPassage]) -> bool:
    """True if a symbol search was given words, or found names that contain the query, ignoring case."""
    if request.mode != "symbol":
        return False
    if len(features.text.split()) > 1:
        return bool(rows)
    key = name_key(features.last)
    return any(key in name_key(row.name) and (not features.qualifiers or row.parts.get("qualified")) for row in rows)


def _rows_of(
    snapshot: Snapshot, symbols: Sequence[Symbol], ranked: Sequence[ScoredPassage], filters: Filters
) -> list[ScoredPassage]:
    """Return rows of symbols, ranked ones first; only those in scope, unless all are outside."""
    by_id = {_definition_id(row): row for row in ranked if row.definition >= 0}
    positions = {id_: position for position, id_ in enumerate(by_id)}
    files = read_file_briefs(snapshot, [symbol.file_id for symbol in symbols])
    known: dict[int, ScoredPassage] = {}
    others: list[ScoredPassage] = []
    for symbol in symbols:
        if symbol.file_id not in files:
            continue
        is_attribute = symbol.kind == ATTRIBUTE
        row = None if is_attribute else by_id.get(symbol.row_id)
        if row is not None:
            known[positions[symbol.row_id]] = row
            continue
        ordinal = -1 if is_attribute else symbol.row_id & ORDINAL_MASK
        span = (symbol.start_line, symbol.end_line, symbol.name)
        others.append(ScoredPassage(files[symbol.file_id], ordinal, *span, name_match=NameMatchKind.EXACT))
    found = [*(known[position] for position in sorted(known)), *others]
    inside = [row for row in found if filters.accepts_role(row.file.role)]
    return inside if inside or filters.scope == "docs" else found


def _definition_id(row: ScoredPassage) -> int:
    return row.file.file_id << ORDINAL_BITS | row.definition


def _arranged(hits: Sequence[Hit], request: SearchRequest) -> tuple[tuple[Hit, ...], dict[str, object]]:
    """Group the hits, and spread those of the first page over files."""
    if request.grouping is None:
        return tuple(hits), {}
    if request.grouping == "file":
        files: dict[RepoPath, list[Hit]] = {}
        for hit in hits:
            files.setdefault(hit.path, []).append(hit)
        return tuple(group[0]._replace(collapsed=len(group) - 1) for group in files.values()), {}
    first, summary = spread(hits, request.limit, _place)
    first_ids = {id(hit) for hit in first}
    rest = [hit for hit in hits if id(hit) not in first_ids]
    return tuple(first + rest), summary.as_dict()


def _place(hit: Hit) -> HitPlace:
    return HitPlace(hit.path, hit.def_uid or None, hit.line_start, hit.line_end)


def _hits(snapshot: Snapshot, rows: Sequence[ScoredPassage]) -> list[Hit]:
    known = read_definitions(snapshot, [_definition_id(row) for row in rows if row.definition >= 0])
    hits: list[Hit] = []
    for row in rows:
        definition = known.get(_definition_id(row)) if row.definition >= 0 else None
        found = definition or _undefined(row)
        hits.append(
            Hit(
                path=row.path,
                line_start=found.start_line,
                line_end=found.end_line,
                kind=found.kind,
                name=found.name,
                score=row.score / (row.score + _HALF_SCORE),
                match_type="exact" if row.is_exact else "fuzzy",
                qualified_name=found.qualified_name,
                lexical_path=found.lexical_path,
                signature=found.signature,
                language=row.file.language,
                visibility=found.visibility,
                def_uid=found.def_uid,
                def_line=found.start_line if definition else 0,
                def_end=found.end_line if definition else 0,
                role=row.file.role,
                factors=_factors(row.parts, is_exact=row.is_exact),
            )
        )
    return hits


def _undefined(row: ScoredPassage) -> DefinitionBrief:
    """Describe a passage that is not a definition: a line range, or a whole file."""
    is_file = not row.name and row.first <= 1 and row.last >= row.file.lines
    return DefinitionBrief("file" if is_file else NO_DEFINITION, row.name, "", "", "", "", "", row.first, row.last)


def _factors(parts: Mapping[str, float], *, is_exact: bool) -> Factors:
    def total(*names: str) -> float:
        return sum(parts.get(name, 0.0) for name in names)

    return Factors(
        exact_match_boost=total("exact") if is_exact else 0.0,
        qualified_name_boost=total("qualified"),
        path_affinity=total("path", "stem", "abbreviation", "mention"),
        definition_boost=total("definition", "line", "phrase"),
        kind_match=total("kind"),
        bm25_score=total("bm25_file", "bm25_passage", "second_passage"),
        others=({} if is_exact or "exact" not in parts else {"name_match": parts["exact"]})
        | {name: parts[name] for name in ("role_factor", "changed_factor") if name in parts},
    )


def _with_snippets(hits: Sequence[Hit], texts: FileLines, ranking: Ranking) -> tuple[Hit, ...]:
    """Add the best matching line to hits that are not definitions."""
    shown: list[Hit] = []
    for number, hit in enumerate(hits):
        if hit.def_uid or number >= MAX_SNIPPETS:
            shown.append(hit)
            continue
        line, text = texts.best(hit.path, hit.line_start, hit.line_end, ranking.idf)
        shown.append(hit._replace(snippet=text[:MAX_SNIPPET_CHARS], match_line=line) if text else hit)
    return tuple(shown)
