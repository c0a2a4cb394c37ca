"""Resolve a read target to lines of a text, as it is on disk now."""

from __future__ import annotations

from dataclasses import replace

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.symbols import symbol_ref
from codeplane.disk.policy import refuse_protected, refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.operations.read.diff_preview import compare_file
from codeplane.operations.read.documents import Document, is_directory, is_file
from codeplane.operations.read.locate_symbol import locate_symbol
from codeplane.operations.read.model import LocatedText, NotLocated, ReadOptions
from codeplane.operations.read.sources import (
    ReadSources,
    file_not_found,
    ignore_notices,
    open_or_explain,
    with_nearest_paths,
)
from codeplane.operations.read.targets import Mode, ReadTarget, TargetLines, is_symbol_only, parse_line_range
from codeplane.operations.symbols.forms import looks_like_path

CONTEXT_LINES = 10
"""Lines shown before and after a single line outside of symbols."""

_INDEX_UNAVAILABLE = frozenset(
    {
        ErrorCode.NOT_READY,
        ErrorCode.NOT_INDEXED,
        ErrorCode.REQUIRES_REINDEX,
        ErrorCode.INDEX_NEWER,
        ErrorCode.INDEX_LOCKED,
        ErrorCode.INDEX_STALE,
        ErrorCode.FILE_NOT_FOUND,
    }
)


def locate(sources: ReadSources, target: ReadTarget, options: ReadOptions) -> LocatedText | NotLocated:
    mode = target.mode or _infer_mode(sources, target)
    if mode == "diff_preview":
        return _diff(sources, _path(target.written), options)
    if mode == "snippet":
        return _snippet(sources, _line_range(target), options)
    if mode == "file":
        return _whole_file(sources, _path(target.written))
    if mode == "symbol":
        return locate_symbol(sources, *_symbol_target(sources.root, target, options))
    return _line_or_name(sources, target, options)


def _infer_mode(sources: ReadSources, target: ReadTarget) -> Mode | None:
    """Return the mode that the target or the disk implies; None if only the index can decide."""
    written = target.written
    if target.symbol is not None:
        return "symbol"
    if target.first is not None or target.last is not None:
        return "snippet"
    if is_symbol_only(written):
        return "symbol"
    if _is_file(sources.root, written):
        return "file"
    lines = parse_line_range(written)
    if lines is not None:
        return None if lines.is_single else "snippet"
    return "symbol" if "#" in written else None


def _line_or_name(sources: ReadSources, target: ReadTarget, options: ReadOptions) -> LocatedText | NotLocated:
    """Locate a single line, which may lie in a symbol, or a word, which may be a symbol or a missing file."""
    written = target.written
    lines = parse_line_range(written)
    if lines is None:
        path = _try_path(written)
        if path is not None and (not path or is_directory(sources.root, path)):
            return _whole_file(sources, path)
        if path is not None:
            refuse_restricted(sources.root.path, path)
        found = locate_symbol(sources, written, options)
        if isinstance(found, NotLocated) and found.status == "not_found" and path and looks_like_path(written):
            raise file_not_found(sources, path)
        return found
    try:
        found = locate_symbol(sources, f"{_path(lines.path)}:{lines.first}", options)
    except CodePlaneError as error:
        if error.code not in _INDEX_UNAVAILABLE:
            raise
        return _snippet(sources, lines, options)
    return found if isinstance(found, LocatedText) else _snippet(sources, lines, options)


def _whole_file(sources: ReadSources, path: RepoPath) -> LocatedText | NotLocated:
    document = open_or_explain(sources, path)
    if document.body is None:
        return _binary("file", document)
    last = document.body.line_count
    notices = ignore_notices(sources, path)
    return LocatedText("file", path, document.body, min(1, last), last, document, notices=notices)


def _snippet(sources: ReadSources, lines: TargetLines, options: ReadOptions) -> LocatedText | NotLocated:
    path = _path(lines.path)
    document = open_or_explain(sources, path)
    if document.body is None:
        return _binary("snippet", document)
    count = document.body.line_count
    if lines.last is not None and lines.last < lines.first:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the last line is before the first",
            expected=f"a last line of at least {lines.first}",
            received=str(lines.last),
            example={"target": f"{path}:{lines.last}-{lines.first}"},
        )
    if lines.first > max(1, count):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(path)}' has {count} lines",
            expected=f"start_line of at most {count}",
            received=str(lines.first),
            example={"target": path, "start_line": max(1, count - 20), "end_line": max(1, count)},
        )
    context_lines = options.context_lines
    if context_lines is None:
        context_lines = CONTEXT_LINES if lines.is_single else 0
    first = max(1, lines.first - context_lines)
    last = min(count, (lines.last if lines.last is not None else count) + context_lines)
    notices = ignore_notices(sources, path)
    return LocatedText("snippet", path, document.body, min(first, last), last, document, notices=notices)


def _diff(sources: ReadSources, path: RepoPath, options: ReadOptions) -> LocatedText:
    try:
        comparison = compare_file(sources.root, path, options.against, options.proposed)
    except CodePlaneError as error:
        raise with_nearest_paths(sources, path, error) from None
    body, last = comparison.body, comparison.body.line_count
    return LocatedText("diff_preview", path, body, min(1, last), last, comparison.document, comparison=comparison)


def _binary(mode: Mode, document: Document) -> NotLocated:
    fields = {"path": document.path, "size": document.size, "file_sha256": document.digest}
    return NotLocated(mode, "unsupported", "The file is binary.", fields)


def _line_range(target: ReadTarget) -> TargetLines:
    if target.first is not None or target.last is not None:
        return TargetLines(target.written, target.first or 1, target.last)
    lines = parse_line_range(target.written)
    if lines is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "mode='snippet' needs lines",
            expected="start_line and end_line, or a target such as path:10-20",
            received=display(target.written[:200]),
            example={"target": "src/app.py:10-20"},
        )
    return lines


def _symbol_target(root: Root, target: ReadTarget, options: ReadOptions) -> tuple[str, ReadOptions]:
    """Combine a symbol name with its file into a reference, or with its directory into the options."""
    symbol, written = target.symbol, target.written
    if symbol is None or not written or "#" in symbol or parse_line_range(symbol) is not None:
        return symbol or written, options
    if is_directory(root, _path(written)):
        return symbol, replace(options, within=_path(written))
    return symbol_ref(written, symbol), options


def _path(written: str) -> RepoPath:
    path = normalize(written)
    refuse_protected(path)
    return path


def _try_path(written: str) -> RepoPath | None:
    try:
        return normalize(written)
    except CodePlaneError:
        if "/" in written or "\\" in written:
            raise
        return None


def _is_file(root: Root, written: str) -> bool:
    path = _try_path(written)
    return bool(path) and is_file(root, path or "")
