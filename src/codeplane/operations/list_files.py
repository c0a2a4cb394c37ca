"""Directory listing like `ls` and `find`: from the index, and on request with files that are not indexed.

A file shows its lines, a collapsed directory the number of files under it, as in the map; other properties only where
they are unusual. Names of secrets are never shown: the index has none, and on disk they are only counted.
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
UNLIMITED_DEPTH = MAX_PATH_BYTES
MAX_ROWS = 20_000
"""Maximum rows of one listing over all pages; more are only counted."""

_MAX_DISK_ENTRIES = 20_000
"""Maximum disk entries that one listing reads."""
_ROW_CHARS = 8
_NOTED_CHARS = 40
_FOLDER_CHARS = 30


class ListingRow(NamedTuple):
    folder: str
    name: str
    """With a trailing slash for a directory."""
    size: int
    """Lines of a file, or files under a directory; 0 if not indexed."""
    file: ListedFile | None = None
    """The indexed file."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Reason why it is not indexed."""

    @property
    def role(self) -> str:
        return self.file.role if self.file is not None else ""

    def value(self, usual: str) -> object:
        """Return the value of the entry; the role only if it is not `usual`."""
        notes = dict(_notes(self.file)) if self.file is not None else dict(self.left_out)
        notes |= {"role": self.role} if self.role and self.role != usual else {}
        return {**({"lines": self.size} if self.size else {}), **notes} if notes else self.size


@dataclass(frozen=True)
class FileListing:
    rows: tuple[ListingRow, ...]
    """By directory; in each, directories before files."""
    file_count: int
    """Indexed files under the directory that match the pattern, including those in collapsed directories."""
    secrets: int = 0
    beyond: int = 0
    """Rows beyond MAX_ROWS."""
    complete: bool = True


def list_files(
    snapshot: Snapshot, place: RepoPath, depth: int, pattern: str | None
) -> tuple[list[ListedFile], FileListing]:
    """Return all indexed files at or under a path, and a listing of those that match the pattern down to `depth`."""
    found = list_files_under(snapshot, place)
    base = parent(place) if any(file.path == place for file in found) else place
    accepts = _filter(base, pattern)
    matching = [file for file in found if accepts(file.path, False)]
    rows: list[ListingRow] = []
    closed: Counter[str] = Counter()
    for file in matching:
        folder = _collapsed_directory(file.path, base, depth)
        if folder is None:
            at, _, name = file.path.rpartition("/")
            rows.append(ListingRow(at, name, file.lines, file))
        else:
            closed[folder] += 1
    rows += [_directory(folder, count) for folder, count in closed.items()]
    return found, _ordered(rows, len(matching))


def add_left_out(
    context: Context,
    place: RepoPath,
    depth: int,
    pattern: str | None,
    known: Sequence[ListedFile],
    indexed: FileListing,
) -> FileListing:
    """Add entries that are not indexed, each with the reason."""
    options = effective_options(index_options(context))
    with Root.open(context.root) as root:
        base, seen = _list_disk(root, IgnoreRules(options.ignore), place, depth)
    accepts = _filter(base, pattern)
    files = {file.path for file in known}
    folders = {above for file in known for above in _parents(file.path)}
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
    """Return rows from `offset` by directory, within both limits but at least one, and their number."""
    page: list[ListingRow] = []
    folders: set[str] = set()
    for row in files.rows[offset : offset + limit]:
        max_chars -= (
            len(row.name)
            + _ROW_CHARS
            + (_NOTED_CHARS if row.left_out or (row.file is not None and row.file.reason) else 0)
        )
        max_chars -= len(row.folder) + _FOLDER_CHARS if row.folder not in folders else 0
        if max_chars < 0 and page:
            break
        folders.add(row.folder)
        page.append(row)
    usual = _usual_roles(page)
    entries: dict[str, dict[str, object]] = {}
    for row in page:
        entries.setdefault(_directory_label(row.folder), {})[row.name] = row.value(usual.get(row.folder, Role.SOURCE))
    fields: dict[str, object] = {"file_count": files.file_count, "entries": entries}
    roles = _roles_by_directory(usual)
    if roles:
        fields["roles"] = roles
    left_out = len(files.rows) - offset - len(page)
    totals: Mapping[str, object] = {
        "left_out": left_out,
        "not_listed": files.beyond,
        "secrets": files.secrets,
        "incomplete": not files.complete,
    }
    return fields | {name: value for name, value in totals.items() if value}, len(page)


def _usual_roles(rows: Sequence[ListingRow]) -> dict[str, str]:
    """Return the most common role of each directory."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.role:
            counts.setdefault(row.folder, Counter())[row.role] += 1
    return {folder: min(found, key=lambda role: (-found[role], role)) for folder, found in counts.items()}


def _roles_by_directory(usual: Mapping[str, str]) -> dict[str, str]:
    """Return roles other than source, each once for the outermost directory that has only that role."""
    roles_under: dict[str, list[str]] = {}
    for folder, role in usual.items():
        for above in (folder, *_parents(folder)):
            roles_under.setdefault(above, []).append(role)
    covering: dict[str, str] = {}
    for folder, role in usual.items():
        if role != Role.SOURCE:
            uniform = [above for above in (folder, *_parents(folder)) if {*roles_under[above]} == {role}]
            covering[_directory_label(max(uniform, key=lambda above: (len(roles_under[above]), len(above))))] = role
    return covering


def _directory_label(folder: str) -> str:
    return f"{folder}/" if folder else "./"


def _filter(base: str, pattern: str | None) -> Callable[[str, bool], bool]:
    """Return a filter for a pattern relative to the listed directory; the pattern may repeat the directory's path."""
    if pattern is None:
        return lambda path, is_directory: True
    mark = "!" if pattern.startswith("!") else ""
    body = pattern.removeprefix("!").removeprefix("./")
    if base and is_inside(body.removeprefix("/"), base):
        body = "/" + (body.removeprefix("/")[len(base) :].lstrip("/") or "**")
    patterns = PathPatterns([mark + body])
    skip = len(base) + 1 if base else 0
    return lambda path, is_directory: patterns.match(path[skip:] + ("/" if is_directory else ""))


def _collapsed_directory(path: str, base: str, depth: int) -> str | None:
    """Return the directory that represents a file below `depth`; None if the file is shown."""
    if _level(path, base) <= depth:
        return None
    skip = len(base) + 1 if base else 0
    end = -1
    for _ in range(depth):
        end = path.index("/", max(skip, end + 1))
    return path[:end]


def _level(path: str, base: str) -> int:
    return path.count("/") - (base.count("/") + 1 if base else 0) + 1


def _parents(path: str) -> Iterable[str]:
    """Yield the parent directories of a path, innermost first, without the root."""
    folder = parent(path)
    while folder:
        yield folder
        folder = parent(folder)


def _directory(folder: str, count: int) -> ListingRow:
    at, _, name = folder.rpartition("/")
    return ListingRow(at, f"{name}/", count)


def _notes(file: ListedFile) -> Iterable[tuple[str, object]]:
    """Yield properties that name and lines do not show."""
    if file.language is not None:
        named = detect(file.path)
        if named is None or named.name != file.language:
            yield "language", file.language
    if file.reason is not None:
        yield "bytes", file.size
        yield "skipped", file.reason


def _list_disk(root: Root, rules: IgnoreRules, place: RepoPath, depth: int) -> tuple[str, DirectoryListing]:
    """List the disk at a path; return the directory that names are relative to, and the entries."""
    try:
        return place, list_directory(root, rules, place, depth, _MAX_DISK_ENTRIES)
    except CodePlaneError as error:
        if error.code is not ErrorCode.FILE_NOT_FOUND or not place:
            raise
    beside = list_directory(root, rules, parent(place), 1, _MAX_DISK_ENTRIES)
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
    """Return the rule that ignores an entry, or its kind."""
    return reason.where if ":" in reason.where else reason.kind


def _ordered(rows: Iterable[ListingRow], file_count: int) -> FileListing:
    ordered = sorted(rows, key=lambda row: (row.folder.split("/"), not row.name.endswith("/"), row.name))
    return FileListing(tuple(ordered[:MAX_ROWS]), file_count, beyond=max(0, len(ordered) - MAX_ROWS))
