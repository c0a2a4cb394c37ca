"""Roles of files as the writer of an index keeps them: told of attribute files, asked for every file that is put.

A changed attribute file changes the roles of files that did not change. Most of them need another word in their row;
those that go from one side of the scopes to the other must be put again, since their documents in the text index say on
which side they are. Until that is done they keep the role that the document has.
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
    """Belongs to one writer, from load to load. Made anew when a look failed."""

    def __init__(self) -> None:
        self._stated: dict[RepoPath, tuple[AttributeStatement, ...]] = {}
        self._attributes: Attributes | None = None
        """Made anew when it is asked."""
        self._changed: set[RepoPath] = set()
        """Attribute files that say another thing than the rows of the index follow from."""
        self._crowded = False
        """Whether there are, or were, more statements than count."""
        self.behind = False
        """Whether files have a role that another look must put right."""

    @classmethod
    def load(cls, writer: Writer) -> Roles:
        """As the last publish left it."""
        made = cls()
        for path, statements in writer.read_attributes():
            made._stated[path] = tuple(AttributeStatement(*each) for each in orjson.loads(statements))
        made._known()
        made.behind = writer.read_meta(ROLES_KEY) == _BEHIND
        return made

    def declare(self, path: RepoPath, data: bytes | None) -> None:
        """A file was read, or is gone."""
        if is_attributes_file(path):
            statements = parse_attributes(data)
            if statements != self._stated.get(path, ()):
                self._changed.add(path)
                self._stated[path] = statements
                self._attributes = None

    def judge(self, row: FileRow) -> FileRow:
        """The row with its role."""
        judged = decide_role(row.path, row.header, self._known().find(row.path))
        return row._replace(role=judged.role, evidence=judged.evidence)

    def rejudge(self, writer: Writer) -> list[RepoPath]:
        """Bring the roles of all files to what the attribute files now say; those that must be put again, by path."""
        if not self._changed and not self.behind:
            return []
        known = self._known()
        # Where some statements must be left out, which ones depends on all of them.
        whole = self.behind or self._crowded
        directories = {ROOT} if whole else {parent(path) for path in self._changed}
        judged: dict[RepoPath, RoleDecision] = {}
        again: set[RepoPath] = set()
        for directory in sorted(directories):
            for file in writer.judged_files(directory):
                now = decide_role(file.path, file.header, known.find(file.path))
                if file.lexical and in_scope(now.role, "runtime") != in_scope(file.role, "runtime"):
                    again.add(file.path)
                elif (now.role, storable(now.evidence)) != (file.role, file.evidence):
                    judged[file.path] = now
        if judged:
            writer.put_roles(judged)
        self._write(writer)
        return sorted(again)

    def settle(self, writer: Writer, left: Collection[RepoPath]) -> None:
        """After a look: `left` are those to be put again that were not."""
        # An attribute file that changed while the others were read leaves some of them behind.
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
            writer.put_attributes({path: _as_text(self._stated[path]) for path in sorted(self._changed)})
        self._stated = {path: statements for path, statements in self._stated.items() if statements}
        self._changed = set()


def _as_text(statements: tuple[AttributeStatement, ...]) -> str | None:
    return orjson.dumps([tuple(each) for each in statements]).decode() if statements else None
