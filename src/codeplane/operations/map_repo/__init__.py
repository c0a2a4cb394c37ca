"""Overview of a repository, from the index alone, within a token budget.

Central files come first; `left_out` counts omitted items by section. Only the structure is paged: the rows of a map are
all of it, in page order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import is_inside, parent
from codeplane.languages.imports import INSIDE, STANDARD
from codeplane.languages.registry import is_programming
from codeplane.languages.role_paths import find_test_roots
from codeplane.languages.roles import role_beside
from codeplane.languages.text_only import name_of as text_language
from codeplane.operations.map_repo.centrality import Centrality, find_centrality, key_files
from codeplane.operations.map_repo.entry_points import EntryPoint, find_entry_points
from codeplane.operations.map_repo.origins import origin_finders
from codeplane.operations.map_repo.public_api import PublicName, find_public_api
from codeplane.operations.map_repo.structure import TreeRow, order_rows, take_page
from codeplane.operations.map_repo.test_layout import find_test_layout
from codeplane.operations.map_repo.token_budget import TokenBudget, largest, take_fitting
from codeplane.query.overview import FileOverview, ImportBrief, list_file_overviews, list_import_briefs
from codeplane.query.snapshot import Snapshot, check_limit

SECTIONS = ("structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api")
DEFAULT_DEPTH = 3
MAX_DEPTH = 20
DEFAULT_LIMIT = 60
"""Structure rows in one answer."""
DEFAULT_TOKENS = 1_500
MIN_TOKENS, MAX_TOKENS = 200, 5_000
PAGE_CHARS = 5_000
"""Size of a further page of rows."""

_MAX_LANGUAGES = 8
_MAX_ENTRY_POINTS = 12
_MAX_OTHERS = 3
_MAX_FILES = 40
_MAX_MODULES = 30
_MAX_PLACES = 12
_MAX_FRAMEWORKS = 5
_FRAMEWORK_CHARS = 100
_MAX_NAMES = 40


class RepoMap(NamedTuple):
    fields: dict[str, object]
    """JSON fields."""
    rows: list[TreeRow]
    """All structure rows, if requested."""


@dataclass(frozen=True)
class _MapData:
    """Data shared by several sections."""

    snapshot: Snapshot
    everything: Sequence[FileOverview]
    files: Sequence[FileOverview]
    """Files in the mapped directory."""
    roles: Mapping[int, str]
    imports: Sequence[ImportBrief]
    centrality: Centrality
    repo_name: str


def map_repo(
    snapshot: Snapshot,
    include: Collection[str] | None = None,
    depth: int = DEFAULT_DEPTH,
    limit: int = DEFAULT_LIMIT,
    repo_name: str = "",
    max_tokens: int = DEFAULT_TOKENS,
    directory: str = "",
) -> RepoMap:
    """Return the requested sections, by default all; of one directory, if given.

    `repo_name`, the name of the repository's directory, helps to recognize its own modules.
    """
    sections = _check_sections(include)
    check_limit(limit)
    _check_range("depth", depth, 1, MAX_DEPTH, DEFAULT_DEPTH)
    _check_range("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS)
    data = _read_map_data(snapshot, sections, repo_name, directory)
    rows = order_rows(data.files, data.roles, depth, data.centrality.weights) if "structure" in sections else []
    room = TokenBudget(max_tokens, sections)
    found: dict[str, object] = {}
    left_out: dict[str, int] = {}
    for section in room.sections:
        chars = room.take(section)
        if section == "structure":
            found[section] = page_structure(rows, len(data.files), limit, 0, chars)
        else:
            found[section], left_out[section] = _SECTION_BUILDERS[section](data, chars)
        room.spend(found[section])
    shown = {section: found[section] for section in SECTIONS if section in found}
    missing = {section: left_out[section] for section in SECTIONS if left_out.get(section)}
    return RepoMap(shown | ({"left_out": missing} if missing else {}), rows)


def page_structure(
    rows: Sequence[TreeRow], file_count: int, limit: int, offset: int = 0, max_chars: int = PAGE_CHARS
) -> dict[str, object]:
    """Return one page of the structure, by path. The next one starts `len(tree)` rows after `offset`."""
    shown_items = take_page(rows, offset, limit, max_chars)
    fields: dict[str, object] = {"file_count": file_count, "tree": dict(sorted(shown_items))}
    left_out = len(rows) - offset - len(shown_items)
    return fields | ({"left_out": left_out} if left_out > 0 else {})


def _read_map_data(snapshot: Snapshot, sections: frozenset[str], repo_name: str, directory: str) -> _MapData:
    everything = list_file_overviews(snapshot)
    roles = _roles(everything)
    files = [file for file in everything if is_inside(file.path, directory)] if directory else everything
    imports = list_import_briefs(snapshot) if sections & {"dependencies", "test_layout"} else []
    ranked = sections & {"structure", "key_files", "public_api"}
    centrality = find_centrality(snapshot, everything, roles) if ranked else Centrality()
    if directory:
        own = {file.file_id for file in files}
        imports = [brief for brief in imports if brief.file_id in own]
    return _MapData(snapshot, everything, files, roles, imports, centrality, repo_name)


def _roles(files: Sequence[FileOverview]) -> Mapping[int, str]:
    """Return file roles by id; the whole tree reveals more test directories than single paths."""
    test_roots = find_test_roots(file.path for file in files)
    return {file.file_id: role_beside(file.path, file.role, test_roots) for file in files}


def _languages(data: _MapData, chars: int) -> tuple[object, int]:
    """Return programming languages by number of files, then documents and data; rare ones are combined."""
    files = data.files
    counts = Counter(file.language or text_language(file.path) or "other" for file in files)
    parsed = {name for name in counts if is_programming(name)}
    ranked = sorted(counts.items(), key=lambda pair: (pair[0] not in parsed, -pair[1], pair[0]))
    common = [pair for pair in ranked if pair[0] in parsed or pair[1] * 100 >= len(files)]
    shown = take_fitting(common, _MAX_LANGUAGES, chars - _LANGUAGE_CHARS, lambda pair: len(pair[0]) + _LANGUAGE_CHARS)
    rest = len(files) - sum(count for _, count in shown)
    rows = [
        {"language": name, "file_count": count, "percentage": round(100 * count / len(files), 1)}
        for name, count in (*shown, *([("other", rest)] if rest else []))
    ]
    return rows, 0


_LANGUAGE_CHARS = 50


def _entry_points(data: _MapData, chars: int) -> tuple[object, int]:
    points, others = find_entry_points(data.snapshot, data.files, data.roles)
    candidates = [*points, *(others[:_MAX_OTHERS] if points else others)]
    shown_items = take_fitting(candidates, _MAX_ENTRY_POINTS, chars, _cost)
    return [point.as_dict() for point in shown_items], len(points) + len(others) - len(shown_items)


def _key_files(data: _MapData, chars: int) -> tuple[object, int]:
    """Return the most central files, ordered by the number of files that use them."""
    ranked = key_files(data.files, data.roles, data.centrality)
    shown_items = take_fitting(ranked, _MAX_FILES, chars, lambda pair: len(pair[0]) + len(str(pair[1])) + 4)
    return dict(sorted(shown_items, key=lambda pair: -pair[1])), len(ranked) - len(shown_items)


def _dependencies(data: _MapData, chars: int) -> tuple[object, int]:
    """Return external packages by the number of files that import them."""
    finders = origin_finders(data.everything, data.imports, data.roles, data.repo_name)
    by_id = {file.file_id: file for file in data.files}
    seen: set[tuple[int, str]] = set()
    standard: set[str] = set()
    answers: dict[tuple[str, str, str], str] = {}
    for file_id, source, _ in data.imports:
        file = by_id[file_id]
        find_origin = finders.get(file.language)
        if find_origin is None:
            continue
        key = (file.language, parent(file.path), source)
        origin = answers.get(key)
        if origin is None:
            origin = answers[key] = find_origin(key[1], source)
        if origin == STANDARD:
            standard.add(source)
        elif origin != INSIDE:
            seen.add((file_id, origin))
    counts = Counter(origin for _, origin in seen)
    fields: dict[str, object] = {"import_count": sum(each.names for each in data.imports)}
    if standard:
        fields["standard_library_modules"] = len(standard)
    fields["external_modules"] = shown_items = largest(counts, _MAX_MODULES, chars - _COUNTS_CHARS)
    return fields, len(counts) - len(shown_items)


_COUNTS_CHARS = 70


def _test_layout(data: _MapData, chars: int) -> tuple[object, int]:
    layout = find_test_layout(data.snapshot, data.files, data.roles, data.imports)
    fields: dict[str, object] = {"test_count": layout.test_count}
    if layout.inline_count:
        fields["inline_count"] = layout.inline_count
    fields["test_files"] = shown_items = largest(layout.places, _MAX_PLACES, chars - _FRAMEWORK_CHARS)
    if layout.frameworks:
        fields["frameworks"] = largest(layout.frameworks, _MAX_FRAMEWORKS, _FRAMEWORK_CHARS)
    return fields, len(layout.places) - len(shown_items)


def _public_api(data: _MapData, chars: int) -> tuple[object, int]:
    names, total = find_public_api(data.snapshot, data.files, data.everything, data.roles, data.centrality)
    shown_items = take_fitting(names, _MAX_NAMES, chars, _cost)
    return [name.as_dict() for name in shown_items], total - len(shown_items)


_SECTION_BUILDERS = {
    "languages": _languages,
    "entry_points": _entry_points,
    "key_files": _key_files,
    "dependencies": _dependencies,
    "test_layout": _test_layout,
    "public_api": _public_api,
}


def _cost(row: EntryPoint | PublicName) -> int:
    return sum(len(name) + len(str(value)) + 6 for name, value in row.as_dict().items())


def _check_sections(include: Iterable[str] | None) -> frozenset[str]:
    sections = frozenset(include or SECTIONS)
    unknown = sorted(sections.difference(SECTIONS))
    if unknown:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"unknown section '{unknown[0]}'",
            expected=", ".join(SECTIONS),
            received=unknown[0],
            example=["structure", "entry_points"],
        )
    return sections


def _check_range(name: str, value: int, least: int, most: int, example: int) -> None:
    if not least <= value <= most:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"{name} {value} is out of range",
            expected=f"{least} to {most}",
            received=str(value),
            example=example,
        )
