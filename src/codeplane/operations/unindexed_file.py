"""Definitions of one working tree file, parsed while there is no index."""

from __future__ import annotations

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.index.options import effective_options
from codeplane.operations.context import Context
from codeplane.operations.file_parser import FileParser
from codeplane.operations.missing_paths import explain_missing
from codeplane.operations.outline import FileOutlineRows, unsupported
from codeplane.operations.settings import index_options


def parse_file(context: Context, parser: FileParser, path: RepoPath) -> FileOutlineRows:
    """Return the definitions of a file that would be indexed; errors are those of the index."""
    refuse_restricted(path)
    options = effective_options(index_options(context))
    with Root.open(context.root) as root:
        try:
            data = root.read_file(path, options.max_lexical_bytes).data
        except CodePlaneError as error:
            if error.code is ErrorCode.FILE_TOO_LARGE:
                raise unsupported(path, "too_large") from None
            if error.code is ErrorCode.FILE_CHANGED:
                raise
            raise _not_indexed(context, path, error.message) from None
        if why_ignored(root, IgnoreRules(options.ignore), path) is not None:
            raise _not_indexed(context, path, f"'{display(path)}' is not indexed")
    return parser.parse(path, data, options)


def _not_indexed(context: Context, path: RepoPath, message: str) -> CodePlaneError:
    expected, shown = "the path of a file of the repository", display(path)
    error = CodePlaneError(ErrorCode.FILE_NOT_FOUND, message, expected=expected, received=shown)
    return explain_missing(context, path, error)
