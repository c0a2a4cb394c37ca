"""From the arguments of a read to what is read, and which of them go with which mode."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.read.locate import ReadOptions
from codeplane.operations.read.targets import Mode, ReadTarget
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call
from codeplane.tools.catalog.read import MAX_TARGETS, READ
from codeplane.tools.handlers.paging import require_settled

ONLY: Mapping[str, Mode] = {
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
"""Parameters that mean something in one mode alone."""
_OF_ONE = ("start_line", "end_line", "lines", "symbol")
"""Parameters of a target, which many have each for itself."""
_LINES = re.compile(r"L?([1-9][0-9]{0,8})(?:\s*[-:,]\s*L?([1-9][0-9]{0,8})?)?")


@dataclass(frozen=True)
class Request:
    targets: tuple[ReadTarget, ...]
    many: bool
    """Whether a list was asked for, however long it is."""
    wish: ReadOptions
    given: frozenset[str]
    """Parameters that go with some modes and were given."""
    offset: int = 0
    limit: int | None = None
    max_chars: int | None = None
    text: bool = True
    annotated: bool = False
    fresh: bool = False
    policy: str | None = None


def check_read(args: Mapping[str, Any]) -> None:
    """What is wrong whatever the repository holds."""
    if "cursor" in args:
        require_settled(args, [name for name in args if name not in ("cursor", "fresh")], "cursor, fresh")
        return
    targets = args.get("targets", ())
    if not targets and "target" not in args and "symbol" not in args:
        raise _refused("read needs a target", "target or targets", "neither")
    if len(targets) > MAX_TARGETS:
        raise _refused(
            f"read takes {MAX_TARGETS} targets at a time", f"at most {MAX_TARGETS} targets", str(len(targets))
        )
    if targets:
        for name in _OF_ONE:
            if name in args:
                received = f"targets and {name}"
                raise _refused(f"with targets, {name} belongs into each of them", "targets as objects", received)
    _lines(args)
    for item in targets:
        if isinstance(item, Mapping):
            _lines(item)
            if "target" not in item and "symbol" not in item:
                raise _refused("a target names no file and no symbol", "path or symbol", shown(dict(item)))
    if "mode" in args:
        # Whether a path narrows the search or names a repository is known only with the repository.
        require_mode(_given(args), args["mode"])


def require_mode(given: Iterable[str], mode: Mode) -> None:
    """ARGUMENT_INVALID for a parameter that has no effect in a mode."""
    for name in sorted(given):
        only = ONLY.get(name)
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


def request_of(call: Call, args: Mapping[str, Any]) -> Request:
    items = [*([dict(args)] if "target" in args or "symbol" in args else []), *args.get("targets", ())]
    within = within_of(call, args)
    given = _given(args)
    return Request(
        targets=tuple(_target(call, item, args.get("mode")) for item in items),
        many="targets" in args,
        wish=ReadOptions(
            merge_namesakes=call.wants_text,
            within=within,
            include_context=args.get("include_context", False),
            context_lines=args.get("context_lines"),
            against=args.get("against", "HEAD"),
            proposed=args.get("content"),
        ),
        given=given | {"path"} if within else given,
        offset=args.get("offset", 0),
        limit=args.get("limit"),
        max_chars=args.get("max_preview_chars"),
        text=args.get("preview_mode") != "none",
        annotated=args.get("annotated", False),
        fresh=args.get("fresh", False),
        policy=args.get("freshness_policy"),
    )


def within_of(call: Call, args: Mapping[str, Any]) -> str:
    """The part of its repository that a path names; empty for all of it."""
    if "path" not in args:
        return ""
    place = os.path.realpath(call.roots.home.path / args["path"])
    return "" if place == str(call.root.path) else os.path.relpath(place, call.root.path)


def relative(call: Call, written: str) -> str:
    """A path of the repository; one that is absolute and lies in it is taken too."""
    root = f"{call.root.path}/"
    return written.removeprefix(root).removeprefix("./") or written


def _given(args: Mapping[str, Any]) -> frozenset[str]:
    """Parameters that mean something in some modes only; what is turned off means nothing in any."""
    return frozenset(name for name in (*ONLY, "annotated") if args.get(name, False) is not False) - {"path"}


def _target(call: Call, item: object, mode: Mode | None) -> ReadTarget:
    if not isinstance(item, Mapping):
        return ReadTarget(relative(call, str(item).strip()), mode)
    first, last = _lines(item)
    symbol = item.get("symbol")
    written = relative(call, str(item.get("target", "")).strip())
    chosen = item.get("mode", mode)
    if not written and symbol is not None:
        return ReadTarget(relative(call, symbol), chosen or "symbol", None, first, last)
    return ReadTarget(written, chosen, symbol, first, last)


def _lines(item: Mapping[str, Any]) -> tuple[int | None, int | None]:
    first, last = item.get("start_line"), item.get("end_line")
    if "lines" in item:
        found = _LINES.fullmatch(item["lines"].strip())
        if found is None or first is not None or last is not None:
            raise _refused("lines is one range, as in 10-20", "lines, or start_line and end_line", shown(item["lines"]))
        first, last = int(found[1]), int(found[2] or found[1])
    if last is not None and last < (first or 1):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line lies before start_line",
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


def _refused(message: str, expected: str, received: str) -> CodePlaneError:
    example = dict(READ.examples[0].arguments)
    return CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected=expected, received=received, example=example)
