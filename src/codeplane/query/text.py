"""Files and passages of the text index by their words, best first. The text itself is read elsewhere.

A score is an integer sum of idf (in 32nds) times tf bucket per term. It depends only on the files of the epoch.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.facts.words import name_key, normalize_text, terms_of
from codeplane.languages.roles import Scope
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_BITS, path_from_text, path_to_text, split_row_id
from codeplane.store.database import Row
from codeplane.store.lexical_reader import FileHit, PassageHit

MAX_TERMS = 64
MAX_TERMS_LOOKED_UP = 256
MAX_QUERY_CHARS = 20_000
MAX_NAMES = 1000
MAX_PREFIX_NAMES = 60
MIN_KEY_FOR_EDITS = 4
MIN_KEY_FOR_TWO_EDITS = 6
MAX_KEY_FOR_EDITS = 120
"""Longest pattern that the text index accepts"""
_NEAR_PASSAGES = 200
IDF_STEPS = 32
"""Idf weights are integers in units of 1/IDF_STEPS."""


_FILTERS: Mapping[Scope, tuple[tuple[str, int], ...]] = {
    "mixed": (),
    "runtime": (("beside", 0),),
    "docs": (("beside", 1),),
}


class FileBrief(NamedTuple):
    file_id: int
    path: RepoPath
    language: str
    lines: int
    role: str


class FileMatch(NamedTuple):
    file: FileBrief
    score: int


class PassageMatch(NamedTuple):
    file: FileBrief
    definition: int
    """Ordinal of the definition, or -1"""
    first: int
    last: int
    name: str
    aside: bool
    """True inside of a test module in a runtime file"""
    score: int


def terms_of_text(text: str) -> dict[str, int]:
    """Count the terms of a query, in order of first occurrence."""
    found: dict[str, int] = {}
    for identifier in normalize_text(text[:MAX_QUERY_CHARS]).split():
        for term in terms_of(identifier):
            found[term] = found.get(term, 0) + 1
    return found


def weigh_terms(snapshot: Snapshot, terms: Iterable[str]) -> dict[str, int]:
    """Return the idf of each term that occurs in a file; of more than MAX_TERMS the rarest, in their order."""
    files = snapshot.epoch.files
    weights: dict[str, int] = {}
    for term in list(dict.fromkeys(terms))[:MAX_TERMS_LOOKED_UP]:
        having = snapshot.reader.lexical.count_files(term)
        if having:
            weights[term] = max(1, round(math.log(1 + files / (having + 0.5)) * IDF_STEPS))
    if len(weights) <= MAX_TERMS:
        return weights
    rarest = set(sorted(weights, key=lambda term: (-weights[term], term))[:MAX_TERMS])
    return {term: weight for term, weight in weights.items() if term in rarest}


def rank_files(
    snapshot: Snapshot,
    weights: Mapping[str, int],
    limit: int,
    *,
    path_weights: Mapping[str, int] | None = None,
    among: Collection[int] | None = None,
    scope: Scope = "mixed",
) -> list[FileMatch]:
    """Rank files by score, then by path."""
    filters = _FILTERS[scope]
    found = snapshot.reader.lexical.rank_files(weights, limit, path_weights=path_weights, among=among, filters=filters)
    return _files(snapshot, found)[:limit]


def rank_passages(
    snapshot: Snapshot,
    weights: Mapping[str, int],
    limit: int,
    *,
    per_file: int,
    among: Collection[int] | None = None,
    scope: Scope = "mixed",
) -> list[PassageMatch]:
    """Rank passages by score, then by path and place; at most `per_file` of each file."""
    filters = _FILTERS[scope]
    found = snapshot.reader.lexical.rank_passages(weights, limit, per_file=per_file, among=among, filters=filters)
    return _passages(snapshot, found)[:limit]


def list_passages_named(snapshot: Snapshot, keys: Mapping[str, int], limit: int) -> list[PassageMatch]:
    """List definitions by the key of their name; the weight of the key is the score."""
    return _passages(snapshot, snapshot.reader.lexical.passages_named(keys, limit))[:limit]


def list_passages_named_like(snapshot: Snapshot, key: str, edits: int, limit: int) -> list[PassageMatch]:
    """List definitions whose name is within an edit distance; a transposition is one edit."""
    return _passages(snapshot, snapshot.reader.lexical.passages_named_like(key, limit, edits=edits))[:limit]


def list_similar_names(snapshot: Snapshot, name: str, limit: int) -> list[str]:
    """List distinct names of definitions at most two edits from `name`, ignoring case, underscores and short names.

    Shorter names accept fewer edits. Empty while the text index belongs to another epoch.
    """
    key = name_key(name)
    if not MIN_KEY_FOR_EDITS <= len(key) <= MAX_KEY_FOR_EDITS or not snapshot.reader.load_lexical():
        return []
    edits = 2 if len(key) >= MIN_KEY_FOR_TWO_EDITS else 1
    matches = list_passages_named_like(snapshot, key, edits, _NEAR_PASSAGES)
    return list(dict.fromkeys(match.name for match in matches))[:limit]


def list_passages_with_prefix(snapshot: Snapshot, key: str, limit: int) -> list[PassageMatch]:
    """List definitions whose name starts with the key and is longer, shorter names first."""
    names = [name for name in snapshot.reader.lexical.names_with_prefix(key, MAX_NAMES) if name != key]
    nearest = sorted(names, key=lambda name: (len(name), name))[:MAX_PREFIX_NAMES]
    return list_passages_named(snapshot, dict.fromkeys(nearest, 1), limit) if nearest else []


def list_passages_with_name_part(snapshot: Snapshot, key: str, limit: int) -> list[PassageMatch]:
    """List definitions whose name contains the key, which consists of letters and digits."""
    found = snapshot.reader.lexical.passages_named_like(key, limit, pattern=f".*{key}.*")
    return _passages(snapshot, found)[:limit]


def rank_names(snapshot: Snapshot, weights: Mapping[str, int], limit: int, least: float = 0.0) -> list[PassageMatch]:
    """Rank definitions by the words of their names, if their weights sum to at least `least`."""
    return _passages(snapshot, snapshot.reader.lexical.passages_named_by_words(weights, limit, least))[:limit]


def _files(snapshot: Snapshot, found: Sequence[FileHit]) -> list[FileMatch]:
    briefs = read_file_briefs(snapshot, [hit.file_id for hit in found])
    matches = [FileMatch(briefs[hit.file_id], hit.score) for hit in found if hit.file_id in briefs]
    return sorted(matches, key=lambda match: (-match.score, match.file.path))


def _passages(snapshot: Snapshot, found: Sequence[PassageHit]) -> list[PassageMatch]:
    briefs = read_file_briefs(snapshot, [hit.file_id for hit in found])
    matches = [PassageMatch(briefs[hit.file_id], *hit[1:]) for hit in found if hit.file_id in briefs]
    return sorted(matches, key=lambda match: (-match.score, match.file.path, *match[1:5]))


def list_candidate_files(snapshot: Snapshot, alternatives: Sequence[Collection[str]]) -> frozenset[int] | None:
    """Return the ids of files that may contain all fragments of one of the alternatives; None for all files.

    A fragment is a run of at least three lower-case letters, digits, `_` or `$` inside of an identifier. Any file may
    satisfy an alternative without fragments.
    """
    if all(any(alternative) for alternative in alternatives) and alternatives:
        return frozenset(snapshot.reader.lexical.files_with_grams(alternatives))
    return None


def read_file_briefs(snapshot: Snapshot, file_ids: Collection[int]) -> dict[int, FileBrief]:
    """Read files by id."""
    found: dict[int, FileBrief] = {}
    ids = sorted(set(file_ids))
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        marks = ",".join("?" * len(part))
        briefs = map(_brief, snapshot.reader.rows(f"{_BRIEFS} WHERE file_id IN ({marks})", part))
        found.update((brief.file_id, brief) for brief in briefs)
    return found


_CHUNK = 500


def read_kinds(snapshot: Snapshot, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, str]]:
    """Read kinds and qualified names of definitions by file and ordinal."""
    ids = sorted({file_id << ORDINAL_BITS | definition for file_id, definition in places if definition >= 0})
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        sql = f"SELECT def_id, kind, qualified_name FROM defs WHERE def_id IN ({','.join('?' * len(part))})"
        found.update((split_row_id(row[0]), (row[1], row[2])) for row in snapshot.reader.rows(sql, part))
    return found


def find_mentioned_files(snapshot: Snapshot, mentions: Sequence[str]) -> list[tuple[FileBrief, float]]:
    """Find files that a text mentions by a path or the end of one, by path, with a confidence from 0 to 1.

    The path in a stack trace may have more or fewer directories than in the repository.
    """
    found: dict[FileBrief, float] = {}
    for mention in mentions:
        parts = mention.split("/")
        ends = ["/".join(parts[at:]) for at in range(max(0, len(parts) - _MAX_ENDS), len(parts))]
        within = mention.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        sql = f"{_BRIEFS} WHERE lexical AND (path IN (SELECT value FROM json_each(?)) OR path LIKE ? ESCAPE '\\')"
        values = (orjson.dumps([path_to_text(end) for end in ends]).decode(), f"%/{path_to_text(within)}")
        briefs = [_brief(row) for row in snapshot.reader.rows(sql, values)]
        exact = [brief for brief in briefs if brief.path == mention or brief.path.endswith(f"/{mention}")]
        longest = max((len(brief.path) for brief in briefs), default=0)
        chosen = exact or [brief for brief in briefs if len(brief.path) == longest]
        for brief in chosen:
            found[brief] = max(found.get(brief, 0.0), 1 / len(chosen))
    return sorted(found.items(), key=lambda item: item[0].path)


def find_file_brief(snapshot: Snapshot, path: str) -> FileBrief | None:
    row = snapshot.reader.row(f"{_BRIEFS} WHERE path = ?", (path_to_text(path),))
    return None if row is None else _brief(row)


_MAX_ENDS = 16
_BRIEFS = "SELECT file_id, path, coalesce(language, ''), lines, role FROM files"


def _brief(row: Row) -> FileBrief:
    return FileBrief(row[0], path_from_text(row[1]), row[2], row[3], row[4])


def list_text_files(snapshot: Snapshot) -> list[FileBrief]:
    """List the files of the text index, by path."""
    rows = map(_brief, snapshot.reader.rows(f"{_BRIEFS} WHERE lexical"))
    return sorted(rows, key=lambda file: file.path)


class DefinitionBrief(NamedTuple):
    kind: str
    name: str
    qualified_name: str
    lexical_path: str
    signature: str
    visibility: str
    def_uid: str
    start_line: int
    end_line: int


def read_definitions(snapshot: Snapshot, def_ids: Iterable[int]) -> dict[int, DefinitionBrief]:
    """Read definitions by id."""
    ids = sorted(set(def_ids))
    found: dict[int, DefinitionBrief] = {}
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        sql = (
            "SELECT def_id, kind, name, qualified_name, lexical_path, signature, visibility, def_uid, start_line,"
            f" end_line FROM defs WHERE def_id IN ({','.join('?' * len(part))})"
        )
        found.update((row[0], DefinitionBrief(*row[1:])) for row in snapshot.reader.rows(sql, part))
    return found
