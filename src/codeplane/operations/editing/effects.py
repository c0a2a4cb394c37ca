"""What a change of files means to the index: symbols that came, went or changed, and tests that may be concerned.

Read from the facts before the change and after it. Who uses a symbol is asked before: what
references stand for is known again only a while after the files are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeplane.base.paths import RepoPath
from codeplane.base.symbols import symbol_ref
from codeplane.facts.links import uid_number
from codeplane.languages.role_paths import Role
from codeplane.operations.editing.diffing import Block, lines_of
from codeplane.operations.editing.model import FileChange
from codeplane.query.defs import DefRow, list_defs_in_file
from codeplane.query.files import get_file
from codeplane.query.refs import list_files_using
from codeplane.query.snapshot import Snapshot

MAX_SYMBOLS = 40
MAX_TESTS = 20
_MAX_DEFS = 1000


@dataclass(frozen=True)
class Before:
    """What the index knew of the files when they were still as they had been."""

    fingerprint: str
    definitions: Mapping[RepoPath, tuple[DefRow, ...]]
    stale: tuple[RepoPath, ...]
    """Files that it knew otherwise than they were."""
    tests: tuple[RepoPath, ...]
    tests_total: int


@dataclass(frozen=True)
class Symbols:
    """Symbols by what happened to them, as references."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {}
        room = MAX_SYMBOLS
        for name in ("modified", "added", "removed"):
            refs = getattr(self, name)
            if refs:
                fields[name] = list(refs[:room])
                room -= min(room, len(refs))
        total = len(self.added) + len(self.removed) + len(self.modified)
        if total > MAX_SYMBOLS:
            fields["total"] = total
        return {name: value for name, value in fields.items() if value}


def look_before(
    snapshot: Snapshot, changes: Sequence[FileChange], blocks: Mapping[RepoPath, Sequence[Block] | None]
) -> Before:
    definitions: dict[RepoPath, tuple[DefRow, ...]] = {}
    stale: list[RepoPath] = []
    touched: set[int] = set()
    tests: set[RepoPath] = set()
    for change in changes:
        known = get_file(snapshot, change.path)
        if change.old is None:
            continue
        if known is None or known.digest != change.old_digest:
            # A file that is not indexed has no symbols; another content of it has others.
            if known is not None:
                stale.append(change.path)
            continue
        if known.role == Role.TEST.value and change.new is not None:
            tests.add(change.path)
        rows = list_defs_in_file(snapshot, change.path, _MAX_DEFS).rows
        definitions[change.path] = rows
        touched |= _touched(rows, blocks.get(change.path))
    users = list_files_using(snapshot, touched, Role.TEST.value, MAX_TESTS)
    found = sorted(tests | set(users.rows))
    total = max(len(found), users.total + len(tests - set(users.rows)))
    return Before(snapshot.epoch.merkle_root, definitions, tuple(stale), tuple(found[:MAX_TESTS]), total)


def look_after(snapshot: Snapshot, changes: Sequence[FileChange], before: Before) -> tuple[Symbols, str]:
    """The symbols that changed, and the fingerprint of the repository as it is now."""
    added: list[str] = []
    removed: list[str] = []
    modified: list[str] = []
    for change in changes:
        if change.path in before.stale:
            continue
        old = before.definitions.get(change.path, ())
        new = list_defs_in_file(snapshot, change.path, _MAX_DEFS).rows if change.new is not None else ()
        _compare(change, old, new, added, removed, modified)
    return Symbols(tuple(added), tuple(removed), tuple(modified)), snapshot.epoch.merkle_root


def _touched(rows: Sequence[DefRow], blocks: Sequence[Block] | None) -> set[int]:
    """The innermost definitions around what differs; all of them where that is not known."""
    if blocks is None:
        return {uid_number(row.def_uid) for row in rows}
    found: set[int] = set()
    for block in blocks:
        # Lines that are put between two others change what is around both of them.
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
    old_text = _Text(old, lines_of(change.old) or [])
    new_text = _Text(new, lines_of(change.new) or [])
    for key, row in after.items():
        was = before.get(key)
        written = symbol_ref(change.path, row.lexical_path, row.start_line)
        if was is None:
            added.append(written)
        elif was.signature_hash != row.signature_hash or old_text.own(was) != new_text.own(row):
            modified.append(written)
    gone = [row for key, row in before.items() if key not in after]
    removed += [symbol_ref(change.path, row.lexical_path, row.start_line) for row in gone]


class _Text:
    """The lines of a file by the definitions that they belong to."""

    def __init__(self, rows: Sequence[DefRow], lines: Sequence[str]) -> None:
        self._lines = lines
        self._within: dict[int, list[tuple[int, int]]] = {}
        for row in rows:
            if row.parent is not None:
                self._within.setdefault(row.parent, []).append((row.start_line, row.end_line))

    def own(self, row: DefRow) -> list[str]:
        """The lines of a definition without those of what is nested in it."""
        own: list[str] = []
        position = row.start_line
        for start, end in sorted(self._within.get(row.ordinal, ())):
            own += self._lines[position - 1 : max(position - 1, start - 1)]
            position = max(position, end + 1)
        return [*own, *self._lines[position - 1 : row.end_line]]


def _numbered(rows: Sequence[DefRow]) -> list[tuple[DefRow, int]]:
    """Definitions of the same name and kind in one place are told apart by their order."""
    counts: dict[tuple[str, str], int] = {}
    found = []
    for row in rows:
        key = (row.kind, row.lexical_path)
        counts[key] = counts.get(key, 0) + 1
        found.append((row, counts[key]))
    return found
