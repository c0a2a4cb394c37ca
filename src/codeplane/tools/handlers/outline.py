"""Handler of file_outline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Literal

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN, MAX_LIMIT
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations import outline
from codeplane.operations.missing_paths import explain_missing
from codeplane.operations.outline import FileOutlineRows, Outline
from codeplane.operations.read_meta import read_meta
from codeplane.operations.symbols.presenter import unresolved_lines, unresolved_message
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.outline_size import fit_outline
from codeplane.tools.text.outline import (
    DEFAULT_TOKENS,
    MAX_TOKENS,
    NAMED_TOKENS,
    UNLIMITED,
    outline_lines,
    symbol_lines,
    version_words,
)

_WORKTREE = "WORKTREE"
_UNLIMITED_CHARS = 1 << 40


@dataclass(frozen=True, kw_only=True)
class FileOutlineArguments(Arguments):
    file: str
    path: str | None = None
    symbol: str | None = None
    depth: Literal["all", "top"] = "all"
    resolve_mode: str = "outline"
    symbol_id: str | None = None
    symbol_label: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    ref: str | None = None
    limit_symbols: int | None = None
    language: str | None = None
    freshness_policy: str | None = None

    @property
    def name(self) -> str | None:
        """The symbol, by any of the parameters that can name it."""
        return self.symbol_id or self.symbol or self.symbol_label


@dataclass(frozen=True)
class _FileVersion:
    """Definitions of one version of a file, and their freshness."""

    outlined: FileOutlineRows
    version: Mapping[str, object]
    notices: tuple[Notice, ...]
    meta: Mapping[str, object]


def file_outline(call: Call, args: FileOutlineArguments) -> Answer:
    file = normalize(call.file(args.file))
    is_exact = args.resolve_mode == "exact" or args.name is not None
    window = _window(args, file, is_exact=is_exact)
    found = _find_version(call, args, file)
    result, is_reduced = _show(call, found.outlined, args, window, is_exact=is_exact)
    if args.language is not None and args.language.lower() != result.language:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the file is not in {shown(args.language)}",
            expected=result.language,
            received=shown(args.language),
            example={"file": file, "language": result.language},
        )
    return Answer(
        {**found.version, **result.as_dict()},
        status=result.status,
        message=unresolved_message(result.unresolved) if result.unresolved is not None else None,
        warnings=(*found.notices, *_notices(result)),
        hints={} if is_exact or call.wants_text else _hints(call, args, result, is_reduced=is_reduced),
        meta=found.meta,
        record=CallRecord((file,), found.outlined.size // CHARS_PER_TOKEN),
        lines=_lines(call, args, result, found, is_exact=is_exact) if call.wants_text else None,
    )


def _window(args: FileOutlineArguments, file: RepoPath, *, is_exact: bool) -> tuple[int, int] | None:
    """Return the range of lines. Reject arguments that contradict each other."""
    example = {"file": file, "symbol": "Server.start"}
    if is_exact and args.name is None:
        message = "an exact outline needs a symbol"
        raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected="symbol", received="none", example=example)
    if args.start_line is None and args.end_line is None:
        return None
    first, last = args.start_line or 1, args.end_line or 2**31
    if last < first:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line is before start_line",
            expected=f"end_line of at least {first}",
            received=str(last),
        )
    if is_exact:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "start_line and end_line have no effect with a symbol",
            expected="a symbol, or lines",
            received="both",
            example=example,
        )
    return first, last


def _find_version(call: Call, args: FileOutlineArguments, file: RepoPath) -> _FileVersion:
    ref = args.ref or _WORKTREE
    if ref != _WORKTREE:
        past = call.root.past.find(ref, file)
        return _FileVersion(past.outlined, {"commit": past.commit} if past.commit else {"ref": ref}, (), {})
    try:
        read = call.root.workspace.read(
            lambda snapshot: outline.find_outlined(snapshot, file, args.name),
            args.freshness_policy,
            file=file,
            cancelled=call.cancelled,
        )
    except CodePlaneError as error:
        if error.code is ErrorCode.NOT_READY:
            return _FileVersion(call.root.parse(file), {}, (), {"source": "disk"})
        # A symbol reference may name another file, which is missing.
        if error.code is not ErrorCode.FILE_NOT_FOUND or error.received != display(file):
            raise
        raise explain_missing(call.root.context, file, error) from None
    return _FileVersion(read.value, {}, read.notices, read_meta(read))


def _show(
    call: Call, outlined: FileOutlineRows, args: FileOutlineArguments, window: tuple[int, int] | None, *, is_exact: bool
) -> tuple[Outline, bool]:
    """Return the outline, and True if it was reduced to the size of a default answer. Text is truncated later."""
    options = outline.OutlineOptions(
        depth=args.depth,
        limit=args.limit_symbols or MAX_LIMIT,
        symbol=args.name if is_exact else None,
        window=window,
    )
    if call.wants_text:
        options = replace(options, max_chars=_UNLIMITED_CHARS, full_signatures=True)
        return outline.show_outline(outlined, options), False
    if args.limit_symbols is not None or is_exact:
        return outline.show_outline(outlined, options), False
    options = replace(options, max_chars=_UNLIMITED_CHARS)
    found = outline.show_outline(outlined, options)
    reduced = fit_outline(found, lambda: outline.show_outline(outlined, replace(options, depth="top")))
    return reduced, reduced is not found


def _lines(
    call: Call, args: FileOutlineArguments, result: Outline, found: _FileVersion, *, is_exact: bool
) -> list[TextLine]:
    if result.unresolved is not None and not result.symbols:
        return unresolved_lines(result.unresolved)
    commit, ref = str(found.version.get("commit", "")), str(found.version.get("ref", ""))
    version = version_words(found.outlined.digest, commit, ref)
    tokens = MAX_TOKENS if args.limit_symbols is not None else DEFAULT_TOKENS
    # Answers for people go to a terminal, not into the context of a model.
    tokens = UNLIMITED if call.surface.everything else tokens
    if is_exact:
        return symbol_lines(result, version, max(tokens, NAMED_TOKENS))
    return outline_lines(result, version, tokens)


def _hints(call: Call, args: FileOutlineArguments, result: Outline, *, is_reduced: bool) -> dict[str, object]:
    """Calls for more of the same version: the same lines in full, or the lines that follow."""
    calls: dict[str, dict[str, object]] = {}
    if args.depth == "all" and is_reduced:
        calls["whole"] = {"start_line": args.start_line, "limit_symbols": MAX_LIMIT}
    if result.next_line > (args.start_line or 1):
        depth = args.depth if args.depth != "all" else None
        calls["next"] = {"start_line": result.next_line, "depth": depth, "limit_symbols": args.limit_symbols}
    hints: dict[str, object] = {}
    for name, changed in calls.items():
        arguments = {"file": result.file, "ref": args.ref, **changed, "end_line": args.end_line}
        arguments = {key: value for key, value in arguments.items() if value is not None}
        words = " ".join(quote(f"{key}={value}") for key, value in arguments.items())
        hints[name] = call.next_call(
            "file_outline", {**arguments, **path_argument(args.path)}, f"cpl call file_outline {words}"
        )
    return hints


def _notices(result: Outline) -> tuple[Notice, ...]:
    notices = []
    if result.missing_metadata:
        notices.append(Notice(WarningCode.OUTLINE_MISSING_SYMBOL_METADATA, {"count": result.missing_metadata}))
    if result.syntax_errors:
        about = {"errors": result.syntax_errors, "first_line": result.first_error_line}
        notices.append(Notice(WarningCode.FILE_NOT_PARSED_WHOLE, about))
    return tuple(notices)


HANDLERS = {"file_outline": Handler(FileOutlineArguments, file_outline)}
