"""Definitions of files in revisions other than the working tree.

They are not indexed: the text is read from git objects and parsed.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.paths import RepoPath
from codeplane.disk.policy import refuse_restricted
from codeplane.git.revisions import read_file_at
from codeplane.index.options import effective_options
from codeplane.operations.context import Context
from codeplane.operations.file_parser import FileParser
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.settings import index_options


@dataclass(frozen=True)
class RevisionOutline:
    commit: str
    """Commit that the revision resolves to; empty for the staged content."""
    outlined: FileOutlineRows


class RevisionReader:
    """Thread-safe."""

    def __init__(self, context: Context, parser: FileParser) -> None:
        self._context = context
        self._parser = parser

    def find(self, revision: str, path: RepoPath) -> RevisionOutline:
        """Return the definitions of a file in a revision."""
        refuse_restricted(path)
        options = effective_options(index_options(self._context))
        version = read_file_at(options.root, revision, path, options.max_lexical_bytes)
        return RevisionOutline(version.commit, self._parser.parse(path, version.data, options))
