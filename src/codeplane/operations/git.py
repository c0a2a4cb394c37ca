"""Git read operations: their arguments, their results as values, and the symbols that a difference changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.disk.allowed_secrets import is_blocked_secret
from codeplane.disk.policy import is_protected
from codeplane.git.diffs import WORKTREE
from codeplane.git.model import (
    BlameRange,
    ChangedPath,
    Commit,
    CommitTag,
    Conflict,
    Diff,
    DiffLimits,
    FileDiff,
    Hunk,
    Log,
    Signature,
    WorkTreeStatus,
)
from codeplane.operations.roots import OpenRoot
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import AmbiguousSymbol, SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.resolve import resolve_symbol
from codeplane.query.outline import OutlineRow, list_outline_rows

SHORT_OID = 9
"""Digits of a commit id in text answers"""
MAX_NAMED_FILES = 30
"""Maximum files of a difference that are parsed to name the symbols of their changes."""
_CONTAINERS = frozenset({"module", "namespace", "package"})

Cancelled = Callable[[], bool]


@dataclass(frozen=True)
class DiffRequest:
    base: str | None
    target: str | None
    staged: bool
    paths: tuple[str, ...]
    context: int
    limits: DiffLimits


@dataclass(frozen=True)
class LogRequest:
    revision: str
    limit: int
    since: int | None = None
    until: int | None = None
    paths: tuple[str, ...] = ()
    follow: bool = False
    lines: tuple[int, int] | None = None
    """Lines of the one path whose history is wanted."""
    skip: int = 0


class GitReader:
    """Runs git read operations on one repository. Secrets are listed by name, without their content."""

    def __init__(self, root: OpenRoot, cancelled: Cancelled) -> None:
        self._root = root
        self._cancelled = cancelled

    def status(self, paths: Sequence[str]) -> WorkTreeStatus:
        found = WorkTreeStatus(*self._run("status", paths=clean_paths(paths)))
        return found._replace(
            staged=tuple(ChangedPath(*change) for change in found.staged),
            modified=tuple(ChangedPath(*change) for change in found.modified),
            untracked=tuple(path for path in found.untracked if not is_protected(path)),
            conflicts=tuple(Conflict(*conflict) for conflict in found.conflicts),
        )

    def diff(self, request: DiffRequest) -> Diff:
        found = self._run(
            "diff",
            base=request.base,
            target=request.target,
            staged=request.staged,
            untracked=bool(request.paths),
            paths=clean_paths(request.paths),
            context=request.context,
            limits=request.limits,
        )
        return self._diff(found)

    def show(self, revision: str, paths: Sequence[str], context: int, limits: DiffLimits) -> tuple[Commit, Diff]:
        commit, diff = self._run("show", ref=revision, paths=clean_paths(paths), context=context, limits=limits)
        return _commit(commit), self._diff(diff)

    def log(self, request: LogRequest) -> Log:
        paths = clean_paths(request.paths)
        if request.lines is not None:
            first, last = request.lines
            found = self._run(
                "line_history",
                revision=request.revision,
                path=paths[0],
                first=first,
                last=last,
                limit=request.limit,
                skip=request.skip,
            )
        else:
            found = self._run(
                "log",
                revision=request.revision,
                limit=request.limit,
                skip=request.skip,
                since=request.since,
                until=request.until,
                paths=paths,
                follow=request.follow,
            )
        commits, has_more, start = found
        return Log(tuple(map(_commit, commits)), has_more, start)

    def blame(self, revision: str, path: str, first: int, last: int) -> list[BlameRange]:
        (name,) = clean_paths([path])
        return [BlameRange(*row) for row in self._run("blame", revision=revision, path=name, first=first, last=last)]

    def tags(self) -> list[CommitTag]:
        return [CommitTag(*row) for row in self._run("tags")]

    def symbols(self, diff: Diff) -> dict[RepoPath, list[str]]:
        """Return the symbol around each hunk of the first files of a difference; empty outside of any symbol."""
        shown = [file for file in diff.files if file.hunks and file.status != "deleted"][:MAX_NAMED_FILES]
        return {file.path: hunk_symbols(self._definitions(file.path, diff.target), file.hunks) for file in shown}

    def _definitions(self, path: RepoPath, target: str) -> Sequence[OutlineRow]:
        """Return the definitions of a file at the target of a difference; none if it cannot be parsed."""
        try:
            if target != WORKTREE:
                return self._root.past.find(target, path).outlined.rows
            read = self._root.workspace.read(
                lambda snapshot: list_outline_rows(snapshot, path), file=path, cancelled=self._cancelled
            )
            return read.value
        except CodePlaneError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            return ()

    def _diff(self, fields: Sequence[Any]) -> Diff:
        files, total, base, target = fields
        return Diff(tuple(map(self._without_secret, map(_file_diff, files))), total, base, target)

    def _without_secret(self, file: FileDiff) -> FileDiff:
        paths = (file.path, *((file.old_path,) if file.old_path is not None else ()))
        is_hidden = any(is_blocked_secret(self._root.path, path) for path in paths)
        return file._replace(hunks=()) if is_hidden else file

    def _run(self, operation: str, **arguments: object) -> Any:
        return self._root.git.run(operation, self._root.path, arguments, self._cancelled)


def find_lines_at(
    root: OpenRoot, revision: str, written: str, scope: str, cancelled: Cancelled
) -> tuple[RepoPath, int, int] | AmbiguousSymbol | SymbolNotFound:
    """Return the file of a symbol, and its lines in a revision; the index knows only those of the working tree."""
    read = root.workspace.read(
        lambda snapshot: resolve_symbol(IndexedSymbols(snapshot), written, scope=scope), cancelled=cancelled
    )
    found = read.value
    if isinstance(found, SymbolNotFound):
        return found
    symbols = found.symbols if isinstance(found, SymbolsFound) else found.candidates
    if len({(each.path, each.lexical_path) for each in symbols}) > 1:
        assert isinstance(found, AmbiguousSymbol)
        return found
    # Several are signatures of one overloaded function; the implementation is the last.
    symbol = symbols[-1]
    rows = [
        row
        for row in root.past.find(revision, symbol.path).outlined.rows
        if row.lexical_path == symbol.lexical_path and row.kind == symbol.kind
    ]
    if not rows:
        raise CodePlaneError(
            ErrorCode.EDIT_NOT_FOUND,
            f"'{display(symbol.lexical_path)}' is not in '{display(symbol.path)}' at {revision}",
            remedy="It was added since; there is no history yet.",
        )
    nearest = min(rows, key=lambda row: abs(row.start_line - symbol.start_line))
    return symbol.path, nearest.start_line, nearest.end_line


def clean_paths(paths: Sequence[str]) -> list[str]:
    return [normalize(path.rstrip("/")) for path in paths]


def hunk_symbols(rows: Sequence[OutlineRow], hunks: Sequence[Hunk]) -> list[str]:
    """Return the innermost symbol around the first changed line of each hunk."""
    return [_symbol_at(rows, first_changed_line(hunk)) for hunk in hunks]


def first_changed_line(hunk: Hunk) -> int:
    """Return the line of the new version at which the change starts."""
    line = hunk.new_start if hunk.new_lines else hunk.new_start + 1
    for text in hunk.lines:
        if not text.startswith(" "):
            break
        line += 1
    return line


def _symbol_at(rows: Sequence[OutlineRow], line: int) -> str:
    around = [row for row in rows if row.start_line <= line <= row.end_line and row.kind not in _CONTAINERS]
    innermost = min(around, key=lambda row: (row.end_line - row.start_line, -row.start_line), default=None)
    return innermost.lexical_path if innermost is not None else ""


def _file_diff(fields: Sequence[Any]) -> FileDiff:
    found = FileDiff(*fields)
    return found._replace(hunks=tuple(Hunk(*row)._replace(lines=tuple(row[-1])) for row in found.hunks))


def _commit(fields: Sequence[Any]) -> Commit:
    found = Commit(*fields)
    lines = (found.lines[0], found.lines[1]) if found.lines is not None else None
    return found._replace(
        parents=tuple(found.parents),
        author=Signature(*found.author),
        committer=Signature(*found.committer),
        refs=tuple(found.refs),
        lines=lines,
    )
