"""Arguments of read, and the request that they make: targets, modes, and which parameters go with which mode."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.languages.registry import detect
from codeplane.operations.read.diff_preview import Baseline
from codeplane.operations.read.model import ReadOptions
from codeplane.operations.read.targets import Mode, ReadTarget
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.calls import Call
from codeplane.tools.catalog.read import MAX_TARGETS, READ
from codeplane.tools.handler import DeprecatedForm
from codeplane.tools.handlers.paging import reject_with_cursor

MODE_OF: Mapping[str, Mode] = {
    "start_line": "snippet",
    "end_line": "snippet",
    "lines": "snippet",
    "context_lines": "snippet",
    "include_context": "symbol",
    "symbol": "symbol",
    "path": "symbol",
    "against": "diff_preview",
    "content": "diff_preview",
}
"""Parameters that have an effect in one mode only."""
_PER_TARGET = ("start_line", "end_line", "lines", "symbol")
"""Parameters that belong to a target: in a list, each target has its own."""
_LINES = re.compile(r"L?([1-9][0-9]{0,8})(?:\s*[-:,]\s*L?([1-9][0-9]{0,8})?)?")


@dataclass(frozen=True, kw_only=True)
class TargetArguments(Arguments):
    """One target with its own range or symbol."""

    target: str | None = None
    symbol: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    lines: str | None = None
    mode: Mode | None = None


@dataclass(frozen=True, kw_only=True)
class ReadArguments(TargetArguments):
    targets: tuple[TargetArguments | str, ...] | None = field(default=None, metadata={"items": TargetArguments})
    context_lines: int | None = None
    include_context: bool = False
    against: Baseline | None = None
    offset: int | None = None
    limit: int | None = None
    max_preview_chars: int | None = None
    preview_mode: str | None = None
    annotated: bool = False
    fresh: bool = False
    show_secrets: bool = False
    cursor: str | None = None
    path: str | None = None
    content: str | None = None
    freshness_policy: str | None = None

    @property
    def mode_parameters(self) -> frozenset[str]:
        """Given parameters that have an effect in some modes only, except `path`; `false` counts as not given."""
        given = {name for name in self.given if getattr(self, name) is not False}
        return frozenset(given & {*MODE_OF, "annotated"}) - {"path"}


@dataclass(frozen=True)
class ReadCall:
    """A read with its targets parsed; a cursor keeps it for the targets that are left."""

    targets: tuple[ReadTarget, ...]
    is_list: bool
    """True if a list was requested, even of one target."""
    options: ReadOptions
    mode_parameters: frozenset[str]
    offset: int = 0
    limit: int | None = None
    max_chars: int | None = None
    with_text: bool = True
    annotated: bool = False
    fresh: bool = False
    shows_secrets: bool = False
    policy: str | None = None


def check_read(args: ReadArguments) -> None:
    """Reject arguments that are invalid in every repository."""
    if args.cursor is not None:
        unused = [name for name in args.given if name not in ("cursor", "fresh")]
        reject_with_cursor(args.cursor, unused, "cursor, fresh")
        return
    targets = args.targets or ()
    if not targets and args.target is None and args.symbol is None:
        raise _invalid("read needs a target", "target or targets", "neither")
    if len(targets) > MAX_TARGETS:
        message = f"read takes at most {MAX_TARGETS} targets"
        raise _invalid(message, f"at most {MAX_TARGETS} targets", str(len(targets)))
    if targets:
        for name in _PER_TARGET:
            if name in args.given:
                message = f"with targets, put {name} into each target"
                raise _invalid(message, "targets as objects", f"targets and {name}")
    _line_range(args)
    for item in targets:
        if isinstance(item, TargetArguments):
            _line_range(item)
            if item.target is None and item.symbol is None:
                raise _invalid("a target has neither a file nor a symbol", "path or symbol", shown(item.as_dict()))
    if args.mode is not None:
        # If a path narrows the search or selects a repository is known only with the repository.
        require_mode(args.mode_parameters, args.mode)


def require_mode(names: Iterable[str], mode: Mode) -> None:
    """Raise ARGUMENT_INVALID for a parameter that has no effect in a mode."""
    for name in sorted(names):
        only = MODE_OF.get(name)
        if name == "annotated" and mode == "diff_preview":
            only = "file"
        if only is not None and only != mode:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{name} is only valid for mode='{only}'. Remove it or switch mode.",
                details={"parameter": name, "mode": mode, "valid_for": only},
                expected=f"mode='{only}', or no {name}",
                received=f"{name} with mode='{mode}'",
                example=_EXAMPLES[only],
            )


def parse_read(call: Call, args: ReadArguments) -> ReadCall:
    single = [args] if args.target is not None or args.symbol is not None else []
    within = call.directory(args.path)
    return ReadCall(
        targets=tuple(_target(call, item, args.mode) for item in (*single, *(args.targets or ()))),
        is_list=args.targets is not None,
        options=ReadOptions(
            merge_namesakes=call.wants_text,
            within=within,
            include_context=args.include_context,
            context_lines=args.context_lines,
            against=args.against or "HEAD",
            proposed=args.content,
        ),
        mode_parameters=args.mode_parameters | {"path"} if within else args.mode_parameters,
        offset=args.offset or 0,
        limit=args.limit,
        max_chars=args.max_preview_chars,
        with_text=args.preview_mode != "none",
        annotated=args.annotated,
        fresh=args.fresh or args.show_secrets,
        shows_secrets=args.show_secrets or not call.root.context.config.secrets.redact,
        policy=args.freshness_policy,
    )


def _target(call: Call, item: TargetArguments | str, mode: Mode | None) -> ReadTarget:
    if isinstance(item, str):
        return ReadTarget(call.file(item.strip()), mode)
    first, last = _line_range(item)
    target = call.file((item.target or "").strip())
    mode = item.mode or mode
    if not target and item.symbol is not None:
        return ReadTarget(call.file(item.symbol), mode or "symbol", None, first, last)
    return ReadTarget(target, mode, item.symbol, first, last)


def _line_range(item: TargetArguments) -> tuple[int | None, int | None]:
    first, last = item.start_line, item.end_line
    if item.lines is not None:
        found = _LINES.fullmatch(item.lines.strip())
        if found is None or first is not None or last is not None:
            message = "lines is one range, such as 10-20"
            raise _invalid(message, "lines, or start_line and end_line", shown(item.lines))
        first, last = int(found[1]), int(found[2] or found[1])
    if last is not None and last < (first or 1):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line is before start_line",
            expected=f"end_line of at least {first or 1}",
            received=str(last),
            example=_EXAMPLES["snippet"],
        )
    return first, last


_EXAMPLES: Mapping[str, dict[str, object]] = {
    "file": {"target": "src/app.py"},
    "symbol": {"target": "Server.start", "mode": "symbol"},
    "snippet": {"target": "src/app.py", "mode": "snippet", "start_line": 10, "end_line": 20},
    "diff_preview": {"target": "src/app.py", "mode": "diff_preview", "against": "HEAD"},
}


def _invalid(message: str, expected: str, received: str) -> CodePlaneError:
    example = dict(READ.examples[0].arguments)
    return CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected=expected, received=received, example=example)


_IDENTITIES = ("symbolId", "open_symbol", "symbolLabel")
_OWN = (*_IDENTITIES, "mode")


def read_file_arguments(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Open a symbol with a line at that line; find one without by its id, or else by its name."""
    found = {name: value for name, value in args.items() if name not in _OWN}
    symbol = next((args[name] for name in _IDENTITIES if name in args), None)
    if symbol is not None and "start_line" not in args:
        found["symbol"] = symbol
    return found | ({"annotated": True} if args.get("mode") == "annotated" else {})


def read_file_result(sent: Mapping[str, Any], result: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**result, "mode": sent["mode"], **({"matches": result["candidates"]} if "candidates" in result else {})}


def read_source_result(sent: Mapping[str, Any], result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Files with their texts and digests; two parts of one file both have the digest."""
    digests: dict[str, str] = {}
    files: list[dict[str, object]] = []
    for item in result["items"]:
        path = item.get("path")
        if "content" not in item:
            files.append(dict(item))
            continue
        digests[path] = item.get("file_sha256") or digests[path]
        file: dict[str, object] = {"path": path, "content": item["content"]}
        language = detect(path, item["content"].encode("utf-8"))
        file |= {"language": language.name} if language is not None else {}
        file |= {"line_count": item["line_count"]} if "line_count" in item else {}
        file["range"] = [item.get("line_start", 0), item.get("line_end", 0)]
        files.append(file | {"file_sha256": digests[path]})
    fields: dict[str, object] = {"resource_kind": "source", "delivery": "inline", "files": files}
    cursor = result.get("pagination", {}).get("next_cursor")
    fields |= {"cursor": cursor} if cursor is not None else {}
    return fields | {"has_more": cursor is not None or any("lines_left" in item for item in result["items"])}


DEPRECATED = {
    "read_file": DeprecatedForm(read_file_arguments, read_file_result),
    "read_source": DeprecatedForm(result=read_source_result),
}
