"""Files of a directory, as `ls` and `find` show them: from the index, and on request with what is not in it.

A file tells its lines, a directory that is not opened how many files lie beneath it, as in the map; what else there is
to say of an entry is said only of those that are not as one would expect. Names of secrets are never told: an index
holds none, and where the disk is looked at they are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import MAX_PATH_BYTES, RepoPath, basename, is_inside, parent
from codeplane.disk.ignore import IgnoreReason, IgnoreRules
from codeplane.disk.listing import DirectoryEntry, DirectoryListing, list_directory
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.index.options import effective_options
from codeplane.languages.registry import detect
from codeplane.languages.role_paths import Role
from codeplane.operations.context import Context
from codeplane.operations.search.filters import PathPatterns
from codeplane.operations.settings import index_options
from codeplane.query.overview import ListedFile, list_files_under
from codeplane.query.snapshot import Snapshot

MAX_DEPTH = 20
BOTTOMLESS = MAX_PATH_BYTES
MAX_ROWS = 20_000
"""Rows that one listing holds for its pages; more are only counted."""

_MAX_LOOKED_AT = 20_000
"""Entries of the disk that one listing looks at."""
_ROW_CHARS = 8
_NOTED_CHARS = 40
_FOLDER_CHARS = 30


class ListingRow(NamedTuple):
    folder: str
    name: str
    """With a slash at the end if it is a directory."""
    size: int
    """Lines of a file, or files beneath a directory; of what is not in the index 0."""
    file: ListedFile | None = None
    """Where it is indexed."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Why it is not, where it is none of the index."""

    @property
    def role(self) -> str:
        return self.file.role if self.file is not None else ""

    def value(self, usual: str) -> object:
        """`usual` is the role that goes without saying."""
        notes = dict(_notes(self.file)) if self.file is not None else dict(self.left_out)
        notes |= {"role": self.role} if self.role and self.role != usual else {}
        return {**({"lines": self.size} if self.size else {}), **notes} if notes else self.size


@dataclass(frozen=True)
class FileListing:
    rows: tuple[ListingRow, ...]
    """In order of their directories, the directories of each before its files."""
    file_count: int
    """Indexed files beneath the place that the pattern lets through, also those whose directory is not opened."""
    secrets: int = 0
    beyond: int = 0
    """Rows that no page shows."""
    complete: bool = True


def check_place(place: RepoPath) -> None:
    """Refuse what is never listed, whatever else is asked."""
    refuse_restricted(place)


def list_files(
    snapshot: Snapshot, place: RepoPath, depth: int, pattern: str | None
) -> tuple[list[ListedFile], FileListing]:
    """Every indexed file at or beneath a place, and those that the pattern lets through as rows down to `depth`."""
    found = list_files_under(snapshot, place)
    base = parent(place) if any(file.path == place for file in found) else place
    accepts = _filter(base, pattern)
    kept = [file for file in found if accepts(file.path, False)]
    rows: list[ListingRow] = []
    closed: Counter[str] = Counter()
    for file in kept:
        folder = _closed_folder(file.path, base, depth)
        if folder is None:
            at, _, name = file.path.rpartition("/")
            rows.append(ListingRow(at, name, file.lines, file))
        else:
            closed[folder] += 1
    rows += [_directory(folder, count) for folder, count in closed.items()]
    return found, _ordered(rows, len(kept))


def add_left_out(
    context: Context,
    place: RepoPath,
    depth: int,
    pattern: str | None,
    known: Sequence[ListedFile],
    indexed: FileListing,
) -> FileListing:
    """The same listing with what lies there and is not in the index, each with the reason."""
    options = effective_options(index_options(context))
    with Root.open(context.root) as root:
        base, seen = _look(root, IgnoreRules(options.ignore), place, depth)
    accepts = _filter(base, pattern)
    files = {file.path for file in known}
    folders = {above for file in known for above in _above(file.path)}
    rows = []
    for entry in seen.entries:
        is_directory = entry.kind == "directory"
        if entry.path in files or entry.path in folders or not accepts(entry.path, is_directory):
            continue
        if is_directory and entry.ignored is None and _level(entry.path, base) < depth:
            continue
        name = basename(entry.path) + ("/" if is_directory else "")
        rows.append(ListingRow(parent(entry.path), name, 0, left_out=_reason(entry, options.overlay)))
    merged = _ordered([*indexed.rows, *rows], indexed.file_count)
    return FileListing(merged.rows, merged.file_count, seen.secrets, merged.beyond + indexed.beyond, seen.complete)


def page_files(files: FileListing, limit: int, max_chars: int, offset: int = 0) -> tuple[dict[str, object], int]:
    """Rows from `offset` on by directory, as many as both bounds allow but at least one, and how many those are."""
    taken: list[ListingRow] = []
    folders: set[str] = set()
    for row in files.rows[offset : offset + limit]:
        max_chars -= (
            len(row.name)
            + _ROW_CHARS
            + (_NOTED_CHARS if row.left_out or (row.file is not None and row.file.reason) else 0)
        )
        max_chars -= len(row.folder) + _FOLDER_CHARS if row.folder not in folders else 0
        if max_chars < 0 and taken:
            break
        folders.add(row.folder)
        taken.append(row)
    usual = _usual_roles(taken)
    entries: dict[str, dict[str, object]] = {}
    for row in taken:
        entries.setdefault(_shown(row.folder), {})[row.name] = row.value(usual.get(row.folder, Role.SOURCE))
    fields: dict[str, object] = {"file_count": files.file_count, "entries": entries}
    roles = _covered(usual)
    if roles:
        fields["roles"] = roles
    left_out = len(files.rows) - offset - len(taken)
    told: Mapping[str, object] = {
        "left_out": left_out,
        "not_listed": files.beyond,
        "secrets": files.secrets,
        "incomplete": not files.complete,
    }
    return fields | {name: value for name, value in told.items() if value}, len(taken)


def _usual_roles(rows: Sequence[ListingRow]) -> dict[str, str]:
    """The role that most files of each directory have."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.role:
            counts.setdefault(row.folder, Counter())[row.role] += 1
    return {folder: min(found, key=lambda role: (-found[role], role)) for folder, found in counts.items()}


def _covered(usual: Mapping[str, str]) -> dict[str, str]:
    """Roles other than the most usual one, each said once of the innermost directory that holds all of its like."""
    beneath: dict[str, list[str]] = {}
    for folder, role in usual.items():
        for above in (folder, *_above(folder)):
            beneath.setdefault(above, []).append(role)
    told: dict[str, str] = {}
    for folder, role in usual.items():
        if role != Role.SOURCE:
            alike = [above for above in (folder, *_above(folder)) if {*beneath[above]} == {role}]
            told[_shown(max(alike, key=lambda above: (len(beneath[above]), len(above))))] = role
    return told


def _shown(folder: str) -> str:
    return f"{folder}/" if folder else "./"


def _filter(base: str, pattern: str | None) -> Callable[[str, bool], bool]:
    """Patterns are relative to the directory that is listed, as those of an ignore file in it; one that repeats the
    directory's own path is taken too."""
    if pattern is None:
        return lambda path, is_directory: True
    mark = "!" if pattern.startswith("!") else ""
    body = pattern.removeprefix("!").removeprefix("./")
    if base and is_inside(body.removeprefix("/"), base):
        body = "/" + (body.removeprefix("/")[len(base) :].lstrip("/") or "**")
    patterns = PathPatterns([mark + body])
    skip = len(base) + 1 if base else 0
    return lambda path, is_directory: patterns.match(path[skip:] + ("/" if is_directory else ""))


def _closed_folder(path: str, base: str, depth: int) -> str | None:
    """The directory that stands for a file which lies too deep to be shown itself."""
    if _level(path, base) <= depth:
        return None
    skip = len(base) + 1 if base else 0
    end = -1
    for _ in range(depth):
        end = path.index("/", max(skip, end + 1))
    return path[:end]


def _level(path: str, base: str) -> int:
    return path.count("/") - (base.count("/") + 1 if base else 0) + 1


def _above(path: str) -> Iterable[str]:
    """The directories that a path lies in, the innermost first; not the root."""
    folder = parent(path)
    while folder:
        yield folder
        folder = parent(folder)


def _directory(folder: str, count: int) -> ListingRow:
    at, _, name = folder.rpartition("/")
    return ListingRow(at, f"{name}/", count)


def _notes(file: ListedFile) -> Iterable[tuple[str, object]]:
    """What neither name nor lines tell."""
    if file.language is not None:
        named = detect(file.path)
        if named is None or named.name != file.language:
            yield "language", file.language
    if file.reason is not None:
        yield "bytes", file.size
        yield "skipped", file.reason


def _look(root: Root, rules: IgnoreRules, place: RepoPath, depth: int) -> tuple[str, DirectoryListing]:
    """What lies at a place, and the directory that names are relative to."""
    try:
        return place, list_directory(root, rules, place, depth, _MAX_LOOKED_AT)
    except CodePlaneError as error:
        if error.code is not ErrorCode.FILE_NOT_FOUND or not place:
            raise
    beside = list_directory(root, rules, parent(place), 1, _MAX_LOOKED_AT)
    return parent(place), DirectoryListing(tuple(entry for entry in beside.entries if entry.path == place), 0, True)


def _reason(entry: DirectoryEntry, overlay: bool) -> tuple[tuple[str, str], ...]:
    if entry.ignored is not None:
        return (("ignored", _rule(entry.ignored)),)
    if entry.kind == "directory":
        return ()
    if entry.kind == "file":
        return (("not_indexed", "pending" if overlay else "untracked"),)
    return (("not_indexed", entry.kind),)


def _rule(reason: IgnoreReason) -> str:
    """The line of a file that says so, or the kind of rule."""
    return reason.where if ":" in reason.where else reason.kind


def _ordered(rows: Iterable[ListingRow], file_count: int) -> FileListing:
    ordered = sorted(rows, key=lambda row: (row.folder.split("/"), not row.name.endswith("/"), row.name))
    return FileListing(tuple(ordered[:MAX_ROWS]), file_count, beyond=max(0, len(ordered) - MAX_ROWS))
