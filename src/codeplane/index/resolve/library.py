"""Read access of resolvers to the files of a repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from codeplane.index.resolve.file_scope import FileScope


class Library(Protocol):
    def paths(self) -> Iterable[str]:
        """Paths of all files, in no order."""

    def file(self, path: str) -> FileScope | None:
        """A file in a language that can be resolved."""

    def file_key(self, path: str) -> int:
        """Key of a file among the dependencies of links."""

    def definitions_named(self, name: str) -> Sequence[tuple[str, int]]:
        """Path and number of every definition of a name, by path and position."""

    def definitions_at(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        """Path and number of every definition with this dotted nesting."""

    def files_extending(self, owner: str) -> Sequence[str]:
        """Files that define members of a type of this name outside of it."""

    def directory(self, path: str) -> Sequence[str]:
        """Paths of the files directly in a directory."""

    def configuration(self, path: str) -> Mapping[str, object] | None:
        """Content of a build configuration file."""
