"""Roles of files while an index is written.

A changed attribute file changes the roles of files that did not change. Most of these need an update of their row;
those that move between the runtime and docs scopes must be written again, since their documents in the text index
carry the scope. Until then they keep the role of their document.
"""

from __future__ import annotations

from collections.abc import Collection

import orjson

from codeplane.base.paths import ROOT, RepoPath, parent
from codeplane.git.attributes import Attributes, AttributeStatement, is_attributes_file, parse_attributes
from codeplane.languages.role_paths import RoleDecision
from codeplane.languages.roles import decide_role, in_scope
from codeplane.store.codec import storable
from codeplane.store.records import FileRow
from codeplane.store.writer import Writer

ROLES_KEY = "roles"
_BEHIND = "behind"


class Roles:
    """State of one writer, from load to load. Created again after a failed sync."""

    def __init__(self) -> None:
        self._stated: dict[RepoPath, tuple[AttributeStatement, ...]] = {}
        self._attributes: Attributes | None = None
        """Computed on first use."""
        self._changed: set[RepoPath] = set()
        """Attribute files that differ from the ones that the stored roles were made with."""
        self._crowded = False
        """True if there are, or were, more statements than the limit."""
        self.behind = False
        """True if files have a stale role that the next sync must correct."""

    @classmethod
    def load(cls, writer: Writer) -> Roles:
        """Return the state of the last publish."""
        made = cls()
        for path, statements in writer.attributes.read():
            made._stated[path] = tuple(AttributeStatement(*each) for each in orjson.loads(statements))
        made._known()
        made.behind = writer.read_meta(ROLES_KEY) == _BEHIND
        return made

    def declare(self, path: RepoPath, data: bytes | None) -> None:
        """Record an attribute file that was read, or removed."""
        if is_attributes_file(path):
            statements = parse_attributes(data)
            if statements != self._stated.get(path, ()):
                self._changed.add(path)
                self._stated[path] = statements
                self._attributes = None

    def judge(self, row: FileRow) -> FileRow:
        """Return the row with its role."""
        decision = decide_role(row.path, row.header, self._known().find(row.path))
        return row._replace(role=decision.role, evidence=decision.evidence)

    def rejudge(self, writer: Writer) -> list[RepoPath]:
        """Decide roles again where their inputs changed; return the paths whose documents must be rewritten."""
        if not self._changed and not self.behind:
            return []
        known = self._known()
        # If statements exceed the limit, the ones to drop depend on all of them.
        whole = self.behind or self._crowded
        directories = {ROOT} if whole else {parent(path) for path in self._changed}
        decision: dict[RepoPath, RoleDecision] = {}
        again: set[RepoPath] = set()
        for directory in sorted(directories):
            for file in writer.roles.list_files(directory):
                now = decide_role(file.path, file.header, known.find(file.path))
                if file.lexical and in_scope(now.role, "runtime") != in_scope(file.role, "runtime"):
                    again.add(file.path)
                elif (now.role, storable(now.evidence)) != (file.role, file.evidence):
                    decision[file.path] = now
        if decision:
            writer.roles.write(decision)
        self._write(writer)
        return sorted(again)

    def settle(self, writer: Writer, left: Collection[RepoPath]) -> None:
        """Finish a sync: `left` are files that were not written again although they must be."""
        # An attribute file that changed while the others were read leaves some of them stale.
        self.behind = bool(left or self._changed)
        self._write(writer)
        state = _BEHIND if self.behind else ""
        if (writer.read_meta(ROLES_KEY) or "") != state:
            writer.put_meta({ROLES_KEY: state})

    def _known(self) -> Attributes:
        if self._attributes is None:
            self._attributes = Attributes(self._stated)
            self._crowded = self._crowded or not self._attributes.complete
        return self._attributes

    def _write(self, writer: Writer) -> None:
        if self._changed:
            writer.attributes.write({path: _as_text(self._stated[path]) for path in sorted(self._changed)})
        self._stated = {path: statements for path, statements in self._stated.items() if statements}
        self._changed = set()


def _as_text(statements: tuple[AttributeStatement, ...]) -> str | None:
    return orjson.dumps([tuple(each) for each in statements]).decode() if statements else None
