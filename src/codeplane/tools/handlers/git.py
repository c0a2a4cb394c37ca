"""Handlers of the git tools that read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, normalize
from codeplane.git.model import DiffLimits
from codeplane.operations.git import DiffRequest, GitReader, LogRequest, find_lines_at
from codeplane.operations.symbols.presenter import unresolved_lines, unresolved_message
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.git_fields import (
    blame_fields,
    commit_fields,
    diff_fields,
    log_fields,
    status_fields,
    tag_fields,
)
from codeplane.tools.handlers.paging import reject_with_cursor, take_rest
from codeplane.tools.text.git import blame_lines, commit_lines, diff_lines, log_lines, status_lines, tag_lines

DEFAULT_COMMITS = 20
_HEAD = "HEAD"
DEFAULT_CONTEXT = 1
DEFAULT_MAX_LINES = 400
MAX_CHARS = 20_000
"""Characters of a difference with `max_lines`; the whole answer has a limit of its own."""
DEFAULT_TEXT_CHARS, DEFAULT_JSON_CHARS = 16_000, 6_000
"""Characters of a difference without `max_lines`."""
_STATUS_LIMITS = DiffLimits(5_000, 1_000_000, 0, 0)
_TEXT_COSTS = (1, 30)
_JSON_COSTS = (70, 200)
"""Characters besides the text of a line, and besides the name of a file or the header of a hunk."""


@dataclass(frozen=True, kw_only=True)
class GitStatusArguments(Arguments):
    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class GitDiffArguments(Arguments):
    base: str | None = None
    target: str | None = None
    staged: bool = False
    paths: tuple[str, ...] | None = None
    context_lines: int | None = None
    max_lines: int | None = None


@dataclass(frozen=True, kw_only=True)
class GitLogArguments(Arguments):
    ref: str | None = None
    limit: int | None = None
    since: str | None = None
    until: str | None = None
    paths: tuple[str, ...] | None = None
    cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class GitInspectArguments(Arguments):
    action: Literal["show", "blame", "tags"] | None = None
    ref: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    context_lines: int | None = None
    max_lines: int | None = None


@dataclass(frozen=True, kw_only=True)
class GitHistoryArguments(Arguments):
    path: str | None = None
    symbol: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    limit: int | None = None
    cursor: str | None = None


class _LogRest(NamedTuple):
    """Request of the next page, which a cursor continues."""

    request: LogRequest


def git_status(call: Call, args: GitStatusArguments) -> Answer:
    git = _reader(call)
    status = git.status(_files(call, args.paths))
    changed = tuple(change.path for change in status.modified)
    diff = git.diff(DiffRequest(None, None, False, changed, 0, _STATUS_LIMITS)) if changed else None
    symbols = git.symbols(diff) if diff is not None else {}
    named = {path: sorted({name for name in names if name}) for path, names in symbols.items()}
    return Answer(status_fields(status, named), lines=status_lines(status, named))


def git_diff(call: Call, args: GitDiffArguments) -> Answer:
    git = _reader(call)
    paths = _files(call, args.paths)
    request = DiffRequest(args.base, args.target, args.staged, paths, *_shown(call, args))
    diff = git.diff(request)
    symbols = git.symbols(diff)
    return Answer(diff_fields(diff, symbols), lines=diff_lines(diff, symbols))


def git_log(call: Call, args: GitLogArguments) -> Answer:
    if args.cursor is not None:
        reject_with_cursor(args.cursor, _others(args.given), "limit")
        rest = take_rest(call, args.cursor, _LogRest, "git_log")
        return _log(call, replace(rest.request, limit=args.limit or DEFAULT_COMMITS))
    paths = _files(call, args.paths)
    since, until = _timestamp(args.since, "since"), _timestamp(args.until, "until")
    return _log(call, LogRequest(args.ref or _HEAD, args.limit or DEFAULT_COMMITS, since, until, paths))


def git_inspect(call: Call, args: GitInspectArguments) -> Answer:
    git = _reader(call)
    if args.action == "tags":
        tags = git.tags()
        return Answer({"tags": tag_fields(tags)}, lines=tag_lines(tags))
    ref = args.ref or _HEAD
    if args.action != "blame":
        paths = _files(call, (args.path,) if args.path else ())
        commit, diff = git.show(ref, paths, *_shown(call, args))
        symbols = git.symbols(diff)
        lines = [*commit_lines(commit), *diff_lines(diff, symbols)]
        return Answer({**commit_fields(commit), **diff_fields(diff, symbols)}, lines=lines)
    assert args.path is not None
    rows = git.blame(ref, call.file(args.path), args.start_line or 1, args.end_line or 0)
    return Answer({"path": call.file(args.path), "ranges": blame_fields(rows)}, lines=blame_lines(rows))


def git_history(call: Call, args: GitHistoryArguments) -> Answer:
    if args.cursor is not None:
        reject_with_cursor(args.cursor, _others(args.given), "limit")
        rest = take_rest(call, args.cursor, _LogRest, "git_history")
        return _log(call, replace(rest.request, limit=args.limit or DEFAULT_COMMITS))
    lines: tuple[int, int] | None = None
    if args.symbol is not None:
        found = find_lines_at(call.root, _HEAD, args.symbol, call.file(args.path) if args.path else "", call.cancelled)
        if not isinstance(found, tuple):
            message = unresolved_message(found)
            return Answer({"commits": []}, "not_found", message=message, lines=unresolved_lines(found))
        path, *ends = found
        lines = (ends[0], ends[1])
    else:
        assert args.path is not None
        path = normalize(call.file(args.path))
        if args.start_line is not None or args.end_line is not None:
            lines = (args.start_line or 1, args.end_line or args.start_line or 1)
    return _log(call, LogRequest(_HEAD, args.limit or DEFAULT_COMMITS, paths=(path,), follow=True, lines=lines))


def check_inspect(args: GitInspectArguments) -> None:
    if args.action == "blame" and args.path is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "blame needs a file",
            expected="path",
            received="no path",
            example={"action": "blame", "path": "src/app.py"},
        )
    _check_lines(args.start_line, args.end_line)


def check_history(args: GitHistoryArguments) -> None:
    if args.symbol is None and args.path is None and args.cursor is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "git_history needs a file or a symbol",
            expected="path, or symbol",
            received="neither",
            example={"symbol": "Server.start"},
        )
    if args.symbol is not None and (args.start_line is not None or args.end_line is not None):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "start_line and end_line have no effect with a symbol",
            expected="a symbol, or a path with lines",
            received="both",
        )
    _check_lines(args.start_line, args.end_line)


def check_diff(args: GitDiffArguments) -> None:
    if args.staged and args.target is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'target' has no effect with staged, which compares the index",
            expected="staged, or target",
            received="both",
        )


def _log(call: Call, request: LogRequest) -> Answer:
    log = _reader(call).log(request)
    fields = log_fields(log)
    cursor = None
    if log.has_more and not call.once and not (call.wants_text and call.surface.everything):
        # The next page starts at the same commit, also if commits were added since.
        following = replace(request, revision=log.start, skip=request.skip + len(log.commits))
        cursor = call.mint_cursor(_LogRest(following))
        fields |= {"pagination": {"next_cursor": cursor}}
    return Answer(fields, lines=log_lines(log, cursor, request.limit))


def _others(given: Collection[str]) -> list[str]:
    """Return the parameters that a cursor makes meaningless."""
    return [name for name in given if name not in ("cursor", "limit")]


def _reader(call: Call) -> GitReader:
    return GitReader(call.root, call.cancelled)


def _shown(call: Call, args: GitDiffArguments | GitInspectArguments) -> tuple[int, DiffLimits]:
    """Return the unchanged lines around a change, and the limits of the answer."""
    context = DEFAULT_CONTEXT if args.context_lines is None else args.context_lines
    costs, default = (_TEXT_COSTS, DEFAULT_TEXT_CHARS) if call.wants_text else (_JSON_COSTS, DEFAULT_JSON_CHARS)
    chars = default if args.max_lines is None else MAX_CHARS
    return context, DiffLimits(args.max_lines or DEFAULT_MAX_LINES, chars, *costs)


def _files(call: Call, paths: tuple[str, ...] | None) -> tuple[RepoPath, ...]:
    return tuple(normalize(call.file(path).rstrip("/")) for path in paths or () if path not in (".", "./"))


def _timestamp(text: str | None, name: str) -> int | None:
    """Return a date as seconds; without a zone it is UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{name}' is not a date",
            expected="a date such as 2026-01-31 or 2026-01-31T12:00:00+00:00",
            received=shown(text),
            example={name: "2026-01-31"},
        ) from None
    if name == "until" and "T" not in text and len(text) <= 10:
        moment = moment.replace(hour=23, minute=59, second=59)
    return int((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp())


def _check_lines(start: int | None, end: int | None) -> None:
    if start is not None and end is not None and end < start:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line is before start_line",
            expected=f"end_line of at least {start}",
            received=str(end),
        )


HANDLERS = {
    "git_status": Handler(GitStatusArguments, git_status),
    "git_diff": Handler(GitDiffArguments, git_diff, check_diff),
    "git_log": Handler(GitLogArguments, git_log),
    "git_inspect": Handler(GitInspectArguments, git_inspect, check_inspect),
    "git_history": Handler(GitHistoryArguments, git_history, check_history),
}
