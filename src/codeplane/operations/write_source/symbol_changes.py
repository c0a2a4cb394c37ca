"""Effect of a mutation on the index: symbols added, removed or modified, and tests that may be affected.

Compares the definitions before and after. Users of a symbol are read before the change, because references of
changed files are resolved only some time after the files are indexed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeplane.base.paths import RepoPath
from codeplane.base.symbols import symbol_ref
from codeplane.edits.diff import DiffBlock, split_lines
from codeplane.edits.model import EditPlan, FileChange
from codeplane.facts.links import uid_number
from codeplane.languages.role_paths import Role
from codeplane.query.defs import DefRow, list_defs_in_file
from codeplane.query.files import get_file
from codeplane.query.refs import list_files_using
from codeplane.query.snapshot import Snapshot

MAX_SYMBOLS = 40
MAX_TESTS = 20
_MAX_DEFS = 1000


@dataclass(frozen=True)
class IndexBefore:
    """Index state of the files before they were changed."""

    definitions: Mapping[RepoPath, tuple[DefRow, ...]]
    stale: tuple[RepoPath, ...]
    """Files whose indexed content was not the content on disk."""
    tests: tuple[RepoPath, ...]
    tests_total: int


@dataclass(frozen=True)
class SymbolChanges:
    """Symbol references by kind of change."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {}
        remaining = MAX_SYMBOLS
        for name in ("modified", "added", "removed"):
            refs = getattr(self, name)
            if refs:
                fields[name] = list(refs[:remaining])
                remaining -= min(remaining, len(refs))
        total = len(self.added) + len(self.removed) + len(self.modified)
        if total > MAX_SYMBOLS:
            fields["total"] = total
        return {name: value for name, value in fields.items() if value}


def read_index_before(snapshot: Snapshot, plan: EditPlan) -> IndexBefore:
    """Read the definitions of the files, and the tests that use the definitions to be changed."""
    definitions: dict[RepoPath, tuple[DefRow, ...]] = {}
    stale: list[RepoPath] = []
    touched: set[int] = set()
    tests: set[RepoPath] = set()
    for change in plan.changes:
        known = get_file(snapshot, change.path)
        if change.old is None:
            continue
        if known is None or known.digest != change.old_digest:
            # A file that is not indexed has no symbols.
            if known is not None:
                stale.append(change.path)
            continue
        if known.role == Role.TEST.value and change.new is not None:
            tests.add(change.path)
        rows = list_defs_in_file(snapshot, change.path, _MAX_DEFS).rows
        definitions[change.path] = rows
        touched |= _touched(rows, plan.blocks[change.path])
    users = list_files_using(snapshot, touched, Role.TEST.value, MAX_TESTS)
    found = sorted(tests | set(users.rows))
    total = max(len(found), users.total + len(tests - set(users.rows)))
    return IndexBefore(definitions, tuple(stale), tuple(found[:MAX_TESTS]), total)


def compare_symbols(snapshot: Snapshot, plan: EditPlan, before: IndexBefore) -> SymbolChanges:
    """Compare the definitions of the changed files with those before."""
    added: list[str] = []
    removed: list[str] = []
    modified: list[str] = []
    for change in plan.changes:
        if change.path in before.stale:
            continue
        old = before.definitions.get(change.path, ())
        new = list_defs_in_file(snapshot, change.path, _MAX_DEFS).rows if change.new is not None else ()
        _compare(change, old, new, added, removed, modified)
    return SymbolChanges(tuple(added), tuple(removed), tuple(modified))


def _touched(rows: Sequence[DefRow], blocks: Sequence[DiffBlock] | None) -> set[int]:
    """Return the innermost definitions around the changed lines; all definitions of a binary file."""
    if blocks is None:
        return {uid_number(row.def_uid) for row in rows}
    found: set[int] = set()
    for block in blocks:
        # Lines inserted between two others change the definitions around both.
        first, last = block.old_start + 1, max(block.old_end, block.old_start + 1)
        around = [row for row in rows if row.start_line <= last and first <= row.end_line]
        ordinals = {row.parent for row in around}
        found |= {uid_number(row.def_uid) for row in around if row.ordinal not in ordinals}
    return found


def _compare(
    change: FileChange,
    old: Sequence[DefRow],
    new: Sequence[DefRow],
    added: list[str],
    removed: list[str],
    modified: list[str],
) -> None:
    before = {(row.kind, row.lexical_path, position): row for row, position in _numbered(old)}
    after = {(row.kind, row.lexical_path, position): row for row, position in _numbered(new)}
    old_text = _DefinitionLines(old, split_lines(change.old) or [])
    new_text = _DefinitionLines(new, split_lines(change.new) or [])
    for key, row in after.items():
        was = before.get(key)
        written = symbol_ref(change.path, row.lexical_path, row.start_line)
        if was is None:
            added.append(written)
        elif was.signature_hash != row.signature_hash or old_text.own(was) != new_text.own(row):
            modified.append(written)
    gone = [row for key, row in before.items() if key not in after]
    removed += [symbol_ref(change.path, row.lexical_path, row.start_line) for row in gone]


class _DefinitionLines:
    """Lines of a file by definition."""

    def __init__(self, rows: Sequence[DefRow], lines: Sequence[str]) -> None:
        self._lines = lines
        self._within: dict[int, list[tuple[int, int]]] = {}
        for row in rows:
            if row.parent is not None:
                self._within.setdefault(row.parent, []).append((row.start_line, row.end_line))

    def own(self, row: DefRow) -> list[str]:
        """Return the lines of a definition without those of nested definitions."""
        own: list[str] = []
        position = row.start_line
        for start, end in sorted(self._within.get(row.ordinal, ())):
            own += self._lines[position - 1 : max(position - 1, start - 1)]
            position = max(position, end + 1)
        return [*own, *self._lines[position - 1 : row.end_line]]


def _numbered(rows: Sequence[DefRow]) -> list[tuple[DefRow, int]]:
    """Number definitions of the same name and kind by their order."""
    counts: dict[tuple[str, str], int] = {}
    found = []
    for row in rows:
        key = (row.kind, row.lexical_path)
        counts[key] = counts.get(key, 0) + 1
        found.append((row, counts[key]))
    return found
