"""A repository at a glance, from the index alone: what an agent asks first, in less than 2,000 tokens.

Each section is bounded by itself; `left_out` counts, by section, what did not fit. Only the structure
is paged: `list_tree_rows` gives all of its rows, in the order in which pages take them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import parent
from codeplane.languages.registry import is_programming
from codeplane.languages.role_paths import find_test_roots
from codeplane.languages.roles import role_among
from codeplane.operations.map_repo.entry_points import EntryPoint, find_entry_points
from codeplane.operations.map_repo.origins import INSIDE, STANDARD, find_judges
from codeplane.operations.map_repo.public_api import PublicName, find_public_api
from codeplane.operations.map_repo.structure import TreeRow, order_rows, take_page
from codeplane.operations.map_repo.tests_layout import find_test_layout
from codeplane.query.overview import FileBrief, ImportBrief, list_file_briefs, list_import_briefs
from codeplane.query.snapshot import Snapshot, check_limit

SECTIONS = ("structure", "languages", "entry_points", "dependencies", "test_layout", "public_api")
DEFAULT_DEPTH = 3
MAX_DEPTH = 20
DEFAULT_LIMIT = 60
"""Rows of the structure in one answer."""

_TREE_CHARS = 2600
_MAX_LANGUAGES = 8
_MAX_ENTRY_POINTS = 12
_MAX_OTHERS = 3
_MAX_MODULES = 20
_MAX_PLACES = 8
_MAX_FRAMEWORKS = 5
_MAX_NAMES = 16
_LIST_CHARS = {"entry_points": 900, "modules": 700, "places": 400, "frameworks": 200, "names": 1500}


def map_repo(
    snapshot: Snapshot,
    include: Collection[str] | None = None,
    depth: int = DEFAULT_DEPTH,
    limit: int = DEFAULT_LIMIT,
    offset: int = 0,
    repo_name: str = "",
) -> dict[str, object]:
    """The sections asked for, all of them by default, ready to be written as JSON.

    `repo_name`, the name of the repository's folder, helps to tell its own modules from others.
    """
    wanted = _check_sections(include)
    check_limit(limit)
    files = list_file_briefs(snapshot)
    roles = _roles(files)
    imports = list_import_briefs(snapshot) if wanted & {"dependencies", "test_layout", "public_api"} else []
    found: dict[str, object] = {}
    left_out: dict[str, int] = {}
    if "structure" in wanted:
        rows = order_rows(files, roles, _check_depth(depth))
        found["structure"] = page_structure(rows, len(files), limit, offset)
    if "languages" in wanted:
        found["languages"] = _languages(files)
    if "entry_points" in wanted:
        points, others = find_entry_points(snapshot, files, roles)
        shown = [*points, *(others[:_MAX_OTHERS] if points else others)]
        found["entry_points"] = taken_points = _fitting(shown, _MAX_ENTRY_POINTS, _LIST_CHARS["entry_points"])
        left_out["entry_points"] = len(points) + len(others) - len(taken_points)
    if "dependencies" in wanted:
        found["dependencies"], left_out["dependencies"] = _dependencies(files, roles, imports, repo_name)
    if "test_layout" in wanted:
        found["test_layout"], left_out["test_layout"] = _test_layout(snapshot, files, roles, imports)
    if "public_api" in wanted:
        names, total = find_public_api(snapshot, files, roles, imports, repo_name)
        found["public_api"] = taken_names = _fitting(names, _MAX_NAMES, _LIST_CHARS["names"])
        left_out["public_api"] = total - len(taken_names)
    missing = {section: count for section, count in left_out.items() if count}
    return found | ({"left_out": missing} if missing else {})


def list_tree_rows(snapshot: Snapshot, depth: int = DEFAULT_DEPTH) -> list[TreeRow]:
    """Every row of the structure in its total order, to be kept and paged."""
    files = list_file_briefs(snapshot)
    return order_rows(files, _roles(files), _check_depth(depth))


def page_structure(rows: Sequence[TreeRow], file_count: int, limit: int, offset: int = 0) -> dict[str, object]:
    """One page of the structure, sorted by path. The next one begins `len(tree)` rows after `offset`."""
    taken = take_page(rows, offset, limit, _TREE_CHARS)
    fields: dict[str, object] = {"file_count": file_count, "tree": dict(sorted(taken))}
    left_out = len(rows) - offset - len(taken)
    return fields | ({"left_out": left_out} if left_out > 0 else {})


def _roles(files: Sequence[FileBrief]) -> Mapping[int, str]:
    """The role of every file by its id; a look at the whole tree shows more folders of tests than paths alone."""
    test_roots = find_test_roots(file.path for file in files)
    return {file.file_id: role_among(file.path, file.role, test_roots) for file in files}


def _languages(files: Sequence[FileBrief]) -> list[dict[str, object]]:
    """Languages of programs by number of files, then documents and data; of those what is rare goes into one row."""
    counts = Counter(file.language or "other" for file in files)
    parsed = {name for name in counts if is_programming(name)}
    ranked = sorted(counts.items(), key=lambda pair: (pair[0] not in parsed, -pair[1], pair[0]))
    shown = [pair for pair in ranked if pair[0] in parsed or pair[1] * 100 >= len(files)][:_MAX_LANGUAGES]
    rest = len(files) - sum(count for _, count in shown)
    return [
        {"language": name, "file_count": count, "percentage": round(100 * count / len(files), 1)}
        for name, count in (*shown, *([("other", rest)] if rest else []))
    ]


def _dependencies(
    files: Sequence[FileBrief], roles: Mapping[int, str], imports: Sequence[ImportBrief], repo_name: str
) -> tuple[dict[str, object], int]:
    """Packages from outside by the number of files that import them."""
    judges = find_judges(files, imports, roles, repo_name)
    by_id = {file.file_id: file for file in files}
    seen: set[tuple[int, str]] = set()
    standard: set[str] = set()
    answers: dict[tuple[str, str, str], str] = {}
    for file_id, source in {(each.file_id, each.source) for each in imports}:
        file = by_id[file_id]
        judge = judges.get(file.language)
        if judge is None:
            continue
        key = (file.language, parent(file.path), source)
        origin = answers.get(key)
        if origin is None:
            origin = answers[key] = judge(key[1], source)
        if origin == STANDARD:
            standard.add(source)
        elif origin != INSIDE:
            seen.add((file_id, origin))
    counts = Counter(origin for _, origin in seen)
    fields: dict[str, object] = {"import_count": len(imports)}
    if standard:
        fields["standard_library_modules"] = len(standard)
    fields["external_modules"] = taken = _largest(counts, _MAX_MODULES, _LIST_CHARS["modules"])
    return fields, len(counts) - len(taken)


def _test_layout(
    snapshot: Snapshot, files: Sequence[FileBrief], roles: Mapping[int, str], imports: Sequence[ImportBrief]
) -> tuple[dict[str, object], int]:
    layout = find_test_layout(snapshot, files, roles, imports)
    fields: dict[str, object] = {"test_count": layout.test_count}
    if layout.inline_count:
        fields["inline_count"] = layout.inline_count
    fields["test_files"] = taken = _largest(layout.places, _MAX_PLACES, _LIST_CHARS["places"])
    if layout.frameworks:
        fields["frameworks"] = _largest(layout.frameworks, _MAX_FRAMEWORKS, _LIST_CHARS["frameworks"])
    return fields, len(layout.places) - len(taken)


def _largest(counts: Mapping[str, int], limit: int, max_chars: int) -> dict[str, int]:
    """The largest counts, the most first."""
    taken: dict[str, int] = {}
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]:
        max_chars -= len(name) + 8
        if max_chars < 0:
            break
        taken[name] = count
    return taken


def _fitting(rows: Sequence[EntryPoint | PublicName], limit: int, max_chars: int) -> list[dict[str, object]]:
    """The first rows, as many as both bounds allow."""
    taken: list[dict[str, object]] = []
    for row in rows[:limit]:
        item = row.as_dict()
        max_chars -= sum(len(name) + len(str(value)) + 6 for name, value in item.items())
        if max_chars < 0:
            break
        taken.append(item)
    return taken


def _check_sections(include: Iterable[str] | None) -> frozenset[str]:
    wanted = frozenset(include or SECTIONS)
    unknown = sorted(wanted.difference(SECTIONS))
    if unknown:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"there is no section '{unknown[0]}'",
            expected=", ".join(SECTIONS),
            received=unknown[0],
            example=["structure", "entry_points"],
        )
    return wanted


def _check_depth(depth: int) -> int:
    if 1 <= depth <= MAX_DEPTH:
        return depth
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"depth {depth} is out of range",
        expected=f"1 to {MAX_DEPTH}",
        received=str(depth),
        example=DEFAULT_DEPTH,
    )
