"""Targets of edits by symbol or pattern: found by the index, checked against the current files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.symbols import symbol_ref
from codeplane.disk import encoding as texts
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.edits.model import MAX_FILE_BYTES, Edit
from codeplane.edits.text_edit import Pattern, Replacement
from codeplane.operations.read.documents import is_directory, is_file
from codeplane.operations.read.locate import locate
from codeplane.operations.read.model import LocatedText, NotLocated, ReadOptions
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.operations.search.filters import PathPatterns
from codeplane.operations.write_source.symbol_edits import SymbolSite, symbol_replacement
from codeplane.query.files import get_file
from codeplane.query.outline import OutlineRow, list_outline_rows, nearest_paths
from codeplane.query.overview import list_files_under
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.workspace import Workspace

MAX_SEARCHED_FILES = 50_000
MAX_CHANGED_FILES = 1_000
MAX_SECONDS = 60.0
"""Time limit for locating the edits of one call."""
_ATTEMPTS = 3
_MAX_SHOWN = 5
_MAX_SUGGESTED = 2
_UNREADABLE = frozenset(
    {
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.FILE_TOO_LARGE,
        ErrorCode.FILE_UNREADABLE,
        ErrorCode.NOT_REGULAR,
        ErrorCode.PATH_SYMLINK,
        ErrorCode.FILE_CHANGED,
    }
)


class TargetFinder(NamedTuple):
    root: Root
    workspace: Workspace
    cancelled: Callable[[], bool]

    def resolve(self, edit: Edit) -> Edit:
        """Return the edit with the paths of its files, which are needed for locking."""
        if edit.globs:
            assert edit.pattern is not None
            return replace(edit, files=self.list_matching(edit.globs, edit.pattern))
        if edit.symbol is not None and (not edit.path or is_directory(self.root, edit.path)):
            site = self.find_symbol(edit.symbol, edit.path or None)
            return replace(edit, path=site.path, symbol=symbol_ref(site.path, site.lexical_path, site.first))
        return edit

    def find_symbol(self, symbol: str, path: RepoPath | None) -> SymbolSite:
        """Find one symbol in the current file. EDIT_NOT_FOUND or EDIT_AMBIGUOUS if that is not possible."""
        for _ in range(_ATTEMPTS):
            located = self._locate(symbol, path)
            assert located.document is not None and located.symbol is not None
            digest, span = located.document.digest, located.symbol

            def read_rows(
                snapshot: Snapshot, path: RepoPath = located.path
            ) -> tuple[str | None, str | None, tuple[OutlineRow, ...]]:
                known = get_file(snapshot, path)
                rows = list_outline_rows(snapshot, path)
                return (known.digest, known.language, rows) if known is not None else (None, None, rows)

            read = self.workspace.read(read_rows, "strict", file=located.path, cancelled=self.cancelled)
            indexed, language, rows = read.value
            if indexed == digest:
                shares = _symbol_sharing_line(rows, span.lexical_path, span.start_line, span.end_line)
                return SymbolSite(
                    located.path, digest, span.lexical_path, located.first, located.last, language, shares
                )
        raise CodePlaneError(ErrorCode.FILE_CHANGED, f"'{display(symbol)}' cannot be located: its file keeps changing")

    def locate_symbol_edit(self, edit: Edit, path: RepoPath, data: bytes, text: str, new: str) -> Replacement:
        """Return the line replacement of a symbol edit in this content of a file."""
        assert edit.symbol is not None
        site = self._find_symbol_in(edit.symbol, path, data)
        return symbol_replacement(edit.action, new, text.replace("\r\n", "\n").split("\n"), site)

    def _find_symbol_in(self, symbol: str, path: RepoPath, data: bytes) -> SymbolSite:
        """Find a symbol in this content of a file."""
        digest = digest_bytes(data)
        for _ in range(_ATTEMPTS):
            site = self.find_symbol(symbol, path)
            if site.path != path:
                raise CodePlaneError(
                    ErrorCode.ARGUMENT_INVALID,
                    f"'{display(symbol)}' is in {display(site.path)}",
                    expected=f"path={display(site.path)}, or no path",
                    received=display(path),
                )
            if site.shares:
                place = f"line {site.first} of {display(site.path)}"
                raise CodePlaneError(
                    ErrorCode.EDIT_AMBIGUOUS,
                    f"'{display(symbol)}' shares {place} with '{display(site.shares)}'",
                    details={"path": site.path, "lines": [site.first]},
                    remedy="Edit the line by old_text and new_text.",
                )
            if site.digest == digest:
                return site
        raise CodePlaneError(
            ErrorCode.FILE_CHANGED, f"'{display(path)}' keeps changing, so '{display(symbol)}' cannot be located"
        )

    def _locate(self, symbol: str, path: RepoPath | None) -> LocatedText:
        """Look a symbol up as `read` does. The only place where edits depend on how symbols are resolved."""
        sources = ReadSources(self.root, self.workspace, "strict", self.cancelled)
        target = ReadTarget(symbol, "symbol") if path is None else ReadTarget(path, "symbol", symbol)
        found = locate(sources, target, ReadOptions())
        if isinstance(found, NotLocated):
            raise _unlocated(found)
        return found

    def list_matching(self, paths: Sequence[str], pattern: Pattern) -> tuple[RepoPath, ...]:
        """List the files at these paths and globs in which a pattern matches. EDIT_NOT_FOUND if there are none."""
        check = self.checker()
        candidates = self._candidates(paths)
        matching: list[RepoPath] = []
        for path in candidates:
            check()
            if self._matches(path, pattern):
                matching.append(path)
        if len(matching) > MAX_CHANGED_FILES:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"the pattern matches in {len(matching):,} files",
                expected=f"at most {MAX_CHANGED_FILES:,} files in one call",
                remedy="Give narrower paths.",
            )
        if not candidates:
            raise CodePlaneError(
                ErrorCode.EDIT_NOT_FOUND,
                f"no file matches paths {', '.join(map(display, paths[:_MAX_SHOWN]))}",
                remedy="Paths are files, directories, or globs as in .gitignore.",
            )
        if not matching:
            raise CodePlaneError(
                ErrorCode.EDIT_NOT_FOUND,
                f"the pattern {pattern.quoted} matches nothing in {len(candidates):,} files",
            )
        return tuple(matching)

    def suggest(self, path: RepoPath) -> tuple[RepoPath, ...]:
        """Return indexed files with a path similar to one that does not exist, without waiting for the index."""
        if self.workspace.state().phase != "ready":
            return ()
        try:
            read = self.workspace.read(lambda snapshot: nearest_paths(snapshot, path, _MAX_SUGGESTED), "best_effort")
        except CodePlaneError:
            return ()
        return read.value

    def checker(self) -> Callable[[], None]:
        """Return a check that raises CANCELLED if the call was cancelled, and TOO_BUSY after a time limit from now."""
        deadline = time.monotonic() + MAX_SECONDS

        def check() -> None:
            if self.cancelled():
                raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled; nothing was changed")
            if time.monotonic() > deadline:
                raise CodePlaneError(
                    ErrorCode.TOO_BUSY,
                    f"the edits were not located within {MAX_SECONDS:.0f} seconds; nothing was changed",
                    remedy="Send fewer edits, narrower paths or a simpler pattern.",
                )

        return check

    def _candidates(self, paths: Sequence[str]) -> list[RepoPath]:
        """List the named files, and the indexed files that match a glob or directory."""
        named = [path for path in map(_plain_path, paths) if path is not None and is_file(self.root, path)]
        for path in named:
            refuse_restricted(self.root.path, path)
        if len(named) == len(paths):
            return sorted(set(named))
        patterns = PathPatterns("*" if _plain_path(path) == "" else path for path in paths)

        found = sorted({*named, *filter(patterns.match, self._list_files())})
        if len(found) > MAX_SEARCHED_FILES:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"paths cover {len(found):,} files",
                expected=f"at most {MAX_SEARCHED_FILES:,} files in one call",
                remedy="Give narrower paths.",
            )
        return found

    def _list_files(self) -> Sequence[RepoPath]:
        """List the indexed files, up to date; without an index, those that it would contain."""
        if self.workspace.wait_until_open(cancelled=self.cancelled) or self.workspace.settings.once:
            try:
                read = self.workspace.read(
                    lambda snapshot: list_files_under(snapshot, ""), "strict", cancelled=self.cancelled
                )
                return [file.path for file in read.value]
            except CodePlaneError as error:
                if error.code not in (ErrorCode.NOT_INDEXED, ErrorCode.NOT_READY):
                    raise
        return [file.path for file in self.workspace.tree.list_files().files]

    def _matches(self, path: RepoPath, pattern: Pattern) -> bool:
        try:
            decoded = texts.decode(self.root.read_file(path, MAX_FILE_BYTES).data)
        except CodePlaneError as error:
            if error.code in _UNREADABLE:
                return False
            raise
        return decoded is not None and pattern.is_in(decoded.data.replace(b"\r\n", b"\n"))


def _plain_path(written: str) -> RepoPath | None:
    try:
        return normalize(written)
    except CodePlaneError:
        return None


def _symbol_sharing_line(rows: Sequence[OutlineRow], lexical_path: str, first: int, last: int) -> str:
    """Return another symbol, not nested in this one, on its first or last line: both would be replaced."""
    own = next((row for row in rows if row.lexical_path == lexical_path and row.start_line == first), None)
    if own is None:
        return ""
    nested = {own.ordinal}
    for row in rows:
        if row.parent in nested:
            nested.add(row.ordinal)
    start, end = (own.start_line, own.start_col), (own.end_line, own.end_col)
    for row in rows:
        begins = (row.start_line, row.start_col)
        before = row.start_line == first and begins <= start
        after = row.start_line == last and begins >= end
        if row.name and row.ordinal not in nested and (before or after):
            return row.lexical_path
    return ""


def _unlocated(found: NotLocated) -> CodePlaneError:
    if found.status == "ambiguous":
        candidates = found.fields.get("candidates")
        names = [str(row["symbol_ref"]) for row in candidates] if isinstance(candidates, list) else []
        left_out = found.fields.get("left_out")
        total = len(names) + (left_out if isinstance(left_out, int) else 0)
        return CodePlaneError(
            ErrorCode.EDIT_AMBIGUOUS,
            found.message,
            details={"candidates": names[:_MAX_SHOWN], "total": total},
            remedy=f"Send one of them as symbol, for instance symbol={display(names[0])}." if names else None,
        )
    similar = found.fields.get("similar")
    names = list(map(str, similar)) if isinstance(similar, list) else []
    return CodePlaneError(
        ErrorCode.EDIT_NOT_FOUND, found.message, details={"similar": names[:_MAX_SHOWN]} if names else {}
    )
