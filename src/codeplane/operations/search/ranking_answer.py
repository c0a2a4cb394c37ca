"""From ranked passages to results: required words, kinds, caps, and what is told of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.beneath import Root
from codeplane.disk.text import decode
from codeplane.disk.texts import Texts, Unread
from codeplane.facts.words import fold_case, normalize_text, terms_of
from codeplane.languages.roles import role_of
from codeplane.operations.search.changed import Changed
from codeplane.operations.search.diversity import Place, spread, without_twins
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import MAX_RANKED, Factors, Found, Hit, Request
from codeplane.operations.search.operators import Parsed
from codeplane.operations.search.question import read_question
from codeplane.operations.search.ranked import ROWS_PER_FILE, Bounds, Ranking, Row, rank
from codeplane.operations.search.weights import Weights
from codeplane.query.enclosing import enclosing, read_defs
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import DefinitionBrief, FileBrief, list_candidates, list_text_files, read_definitions
from codeplane.store.codec import ORDINAL_BITS
from codeplane.store.lexical import GRAM

MAX_MUST_FILES = 2000
"""Files that are read for a required word."""
MAX_ROWS = 150
"""Rows that are looked up for the results of all pages, where no filter asks for more."""
MAX_SNIPPETS = 40
MAX_SNIPPET_CHARS = 160
MAX_SIMILAR = 5
_ALL_ROWS = 40
_HALFWAY = 25.0
"""The score that is shown as one half."""
_WORTH = ("exact", "style")


def answer_ranked(
    snapshot: Snapshot,
    root: Root,
    request: Request,
    parsed: Parsed,
    filters: Filters,
    changed: Changed,
    weights: Weights,
) -> Found:
    texts = _Lines(root)
    question = read_question(parsed.text if parsed.text.strip() else " ".join(parsed.must))
    narrow = _narrow(snapshot, request, parsed, filters)
    among = _with_words(snapshot, texts, filters, narrow) if filters.must else narrow
    if filters.must:
        more = read_question(" ".join(parsed.must)).terms
        question = replace(question, terms={**more, **question.terms})
    deep = bool(request.kinds or filters.reads_text)
    bounds = Bounds(
        accepts=lambda file: filters.accepts_elsewhere(file.path, file.language),
        in_scope=lambda file: filters.accepts_role(file.path),
        among=None if among is None else list(among),
        changed=frozenset() if changed.too_many else changed.paths,
        rows_per_file=_ALL_ROWS if deep else ROWS_PER_FILE,
    )
    names_only = request.mode in ("symbol", "definitions")
    ranking = rank(snapshot, question, bounds, weights, names_only=names_only)
    # Outside of the scope lies only what was asked for by its very name, and is nowhere else.
    rows: Sequence[Row] = [row for row in ranking.rows if filters.accepts_role(row.path) or row.way in _WORTH]
    similar: tuple[str, ...] = ()
    if request.mode == "definitions":
        exact = _defining(rows, question.last)
        similar = () if exact else tuple(dict.fromkeys(row.name for row in rows))[:MAX_SIMILAR]
        rows = exact
    if filters.must and among is not None:
        rows = _with_places(snapshot, texts, rows, among, filters)
    hits = _hits(snapshot, rows if deep else rows[:MAX_ROWS])
    anywhere = Filters.of(parsed, "mixed", request.languages, request.paths, request.kinds, request.directory)
    kept, summary = anywhere.apply(hits, lambda hit: texts.between(hit.path, hit.line_start, hit.line_end))
    kept, suppressed = without_twins(kept, _place)
    shown, diversity = _arranged(kept, request)
    notices: tuple[Notice, ...] = ()
    if filters.must and not shown:
        notices = (Notice(WarningCode.FILTER_MUST_UNSATISFIED, {"must": list(parsed.must)}),)
    boosted = sum(1 for hit in shown if hit.path in bounds.changed)
    return Found(
        hits=_with_snippets(shown, texts, ranking),
        total=len(shown),
        outside_scope=ranking.outside,
        suppressed=suppressed,
        similar=similar,
        notices=notices,
        debug={
            "shape": question.shape.value,
            "terms": dict(ranking.rarity),
            "candidates": ranking.candidates,
            "filters": summary.as_dict(),
            "must_retry": {"rounds": ranking.rounds, "lane_files": len(among or ()) if filters.must else 0},
            "diversity": diversity,
            "changed_files_boost": changed.as_dict(boosted),
        },
    )


def _defining(rows: Sequence[Row], name: str) -> list[Row]:
    """Definitions of the very name; without one, those of its letters in another case, then in another style."""
    exact = [row for row in rows if row.way in _WORTH]
    very = [row for row in exact if row.name == name]
    return very or [row for row in exact if row.way == "exact"] or exact


def _narrow(snapshot: Snapshot, request: Request, parsed: Parsed, filters: Filters) -> dict[int, FileBrief] | None:
    """The files that filters of path and language leave, where there are such filters: ranking keeps to them."""
    asked = (request.paths, request.languages, request.directory, parsed.paths, parsed.excluded_paths, parsed.languages)
    if not any(asked) and filters.scope != "docs" and not filters.must:
        return None
    return {
        file.file_id: file for file in list_text_files(snapshot) if filters.accepts_elsewhere(file.path, file.language)
    }


def _with_words(
    snapshot: Snapshot, texts: _Lines, filters: Filters, narrow: Mapping[int, FileBrief] | None
) -> dict[int, FileBrief]:
    """Files that have all required words: a lane of its own, so that what exists is found."""
    fragments = [
        fragment
        for word in filters.must
        for fragment in normalize_text(fold_case(word)).split()
        if len(fragment) >= GRAM and fragment.isascii()
    ]
    candidates = set(list_candidates(snapshot, [fragments]))
    files = [file for file in (narrow or {}).values() if file.path in candidates and filters.accepts_role(file.path)]
    found: dict[int, FileBrief] = {}
    for file in sorted(files, key=lambda file: file.path)[:MAX_MUST_FILES]:
        if all(word in texts.lowered(file.path) for word in filters.must):
            found[file.file_id] = file
    return found


def _with_places(
    snapshot: Snapshot, texts: _Lines, rows: Sequence[Row], among: Mapping[int, FileBrief], filters: Filters
) -> list[Row]:
    """The rows, and for each file of which none has all required words the place of the first of them."""
    satisfied = {row.file.file_id for row in rows if filters.accepts_text(texts.between(row.path, row.first, row.last))}
    added: list[Row] = []
    for file in sorted(among.values(), key=lambda file: file.path):
        if file.file_id in satisfied:
            continue
        line = texts.first_with(file.path, filters.must[0])
        around = enclosing(read_defs(snapshot, file.path), [(line, 0)])[0]
        first, last, name = (around.start_line, around.end_line, around.name) if around else (line, line, "")
        row = Row(file, -1, first, last, name)
        if not filters.accepts_text(texts.between(file.path, first, last)):
            row = Row(file, -1, 1, max(1, file.lines), "")
        added.append(row)
    return [*rows, *added]


def _arranged(hits: Sequence[Hit], request: Request) -> tuple[tuple[Hit, ...], dict[str, object]]:
    """Grouped results spread over files on the first page; raw ones as they are."""
    if request.result_mode == "raw":
        return tuple(hits[:MAX_RANKED]), {}
    if request.group_by == "file":
        files: dict[RepoPath, list[Hit]] = {}
        for hit in hits:
            files.setdefault(hit.path, []).append(hit)
        groups = [replace(group[0], collapsed=len(group) - 1) for group in files.values()]
        return tuple(groups[:MAX_RANKED]), {}
    first, summary = spread(hits, request.limit, _place)
    taken = {id(hit) for hit in first}
    rest = [hit for hit in hits if id(hit) not in taken]
    return tuple((first + rest)[:MAX_RANKED]), summary.as_dict()


def _place(hit: Hit) -> Place:
    return Place(hit.path, hit.def_uid or None, hit.line_start, hit.line_end)


def _hits(snapshot: Snapshot, rows: Sequence[Row]) -> list[Hit]:
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
                role=role_of(row.path).value,
                factors=_factors(row.parts),
            )
        )
    return hits


def _undefined(row: Row) -> DefinitionBrief:
    """What is told of lines that no fact knows: a stretch of a file, or all of it."""
    whole = not row.name and row.first <= 1 and row.last >= row.file.lines
    return DefinitionBrief("file" if whole else "text", row.name, "", "", "", "", "", row.first, row.last)


def _factors(parts: Mapping[str, float]) -> Factors:
    def added(*names: str) -> float:
        return sum(parts.get(name, 0.0) for name in names)

    return Factors(
        exact_match_boost=added("exact"),
        qualified_name_boost=added("qualified"),
        path_affinity=added("path", "stem", "abbreviation", "mention"),
        definition_boost=added("definition"),
        kind_match=added("kind"),
        bm25_score=added("bm25_file", "bm25_passage", "second_passage"),
        others={name: parts[name] for name in ("role_factor", "changed_factor") if name in parts},
    )


def _with_snippets(hits: Sequence[Hit], texts: _Lines, ranking: Ranking) -> tuple[Hit, ...]:
    """Results that are no definitions show the line that says most of the query."""
    shown: list[Hit] = []
    for number, hit in enumerate(hits):
        if hit.def_uid or number >= MAX_SNIPPETS:
            shown.append(hit)
            continue
        line, text = texts.best(hit.path, hit.line_start, hit.line_end, ranking.rarity)
        shown.append(replace(hit, snippet=text[:MAX_SNIPPET_CHARS], match_line=line) if text else hit)
    return tuple(shown)


class _Lines:
    """Lines of files of the working tree, each read once in a search."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}
        self._lowered: dict[str, str] = {}

    def of(self, path: str) -> list[str]:
        if path not in self._lines:
            with Texts(self._root) as texts:
                data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, Unread) else decode(data)
            lines = text.data.decode("utf-8", "replace").split("\n") if text is not None else []
            self._lines[path] = [line.rstrip("\r") for line in lines]
        return self._lines[path]

    def lowered(self, path: str) -> str:
        if path not in self._lowered:
            self._lowered[path] = "\n".join(self.of(path)).lower()
        return self._lowered[path]

    def between(self, path: str, first: int, last: int) -> str:
        return "\n".join(self.of(path)[first - 1 : last])

    def first_with(self, path: str, word: str) -> int:
        return next((number for number, line in enumerate(self.of(path), 1) if word in line.lower()), 1)

    def best(self, path: str, first: int, last: int, rarity: Mapping[str, int]) -> tuple[int, str]:
        """The line with the rarest terms, the first of equals."""
        best, chosen = 0, (0, "")
        for number, line in enumerate(self.of(path)[first - 1 : last], first):
            terms = {term for word in normalize_text(line).split() for term in terms_of(word)}
            worth = sum(rarity.get(term, 0) for term in terms)
            if worth > best:
                best, chosen = worth, (number, line.strip())
        return chosen
