"""Handler of read: targets to passages that fit into one answer, and the calls that continue a truncated one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.safe_open import Root
from codeplane.operations.read.cut_text import CutText
from codeplane.operations.read.model import LocatedText, NotLocated
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.operations.read_meta import read_meta
from codeplane.tasks.model import digest_params
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.paging import take_rest
from codeplane.tools.handlers.read_full import (
    ReadFileFullArguments,
    budget_meta,
    find_allowance,
    read_file_full,
    reset_budget,
)
from codeplane.tools.handlers.read_passages import Passages, ReadPassage, next_target
from codeplane.tools.handlers.read_request import DEPRECATED, ReadArguments, ReadCall, check_read, parse_read
from codeplane.tools.text.read import render_read, render_read_file_full, render_reset_budget
from codeplane.workspace.freshness import FreshResult

_CONTAINERS = frozenset({"class", "struct", "trait", "interface", "module", "namespace", "enum", "object"})


@dataclass(frozen=True)
class _RemainingTargets:
    """Targets behind a cursor."""

    request: ReadCall
    root: Path


def read(call: Call, args: ReadArguments) -> Answer:
    if args.cursor is not None:
        rest = take_rest(call, args.cursor, _RemainingTargets, "read")
        place = call.roots.opened(rest.root)
        if place is None:
            raise CodePlaneError(ErrorCode.HANDLE_EXPIRED, "the repository of this cursor is no longer open")
        call = replace(call, root=place)
        request = replace(rest.request, fresh=rest.request.fresh or args.fresh)
    else:
        request = parse_read(call, args)
    allowance = find_allowance(call, digest_params(args.as_dict()), request.fresh)
    with Root.open(call.root.path) as root:
        sources = ReadSources(root, call.root.workspace, request.policy, call.cancelled, call.root.parse)
        passages = Passages(call, request, allowance, sources)
        for number, target in enumerate(request.targets):
            if not passages.add(target):
                return _answer(call, args, passages, request.targets[number:])
    return _answer(call, args, passages, ())


def _answer(call: Call, args: ReadArguments, passages: Passages, left: tuple[ReadTarget, ...]) -> Answer:
    request, shown = passages.request, passages.all
    first = shown[0]
    if first.error is not None and all(passage.error is not None for passage in shown):
        raise first.error
    status, message = first.status, first.message
    result: Mapping[str, object] = first.fields
    hints = {} if request.is_list else _hints(call, args, first)
    if request.is_list:
        result = {"items": [_item(passage) for passage in shown], **_pagination(call, request, left)}
        if any(passage.status == "ok" for passage in shown):
            status, message = "ok", None
    repeated = [passage for passage in shown if passage.given]
    if repeated:
        message = "Unchanged since this session read it; hints.again returns it again."
        if not all(passage.served_by is not None for passage in repeated):
            message = "Lines that this session has read before are left out; hints.again returns them again."
        hints["again"] = call.next_call("read", _again(args, request, repeated), "cpl read")
    read = _least_fresh(shown)
    whole = passages.whole_tokens
    return Answer(
        result,
        status=status,
        message=message,
        warnings=(*(read.notices if read is not None else ()), *passages.notices),
        hints=hints,
        meta=_meta(call, passages, read),
        record=CallRecord(tuple(sorted(whole)), sum(whole.values()) if whole else None),
        shows_secrets=request.shows_secrets,
        lines=first.found.lines if isinstance(first.found, NotLocated) and not request.is_list else None,
    )


def _meta(call: Call, passages: Passages, read: FreshResult[Any] | None) -> dict[str, object]:
    shown = passages.all
    meta: dict[str, object] = dict(read_meta(read)) if read is not None else {}
    if any(passage.located is not None for passage in shown):
        meta["token_estimate"] = sum(passage.tokens for passage in shown)
    if any(passage.truncated for passage in shown):
        meta["truncated"] = True
    if any(passage.degraded for passage in shown):
        meta["preview_degraded"] = True
    return meta | budget_meta(call, passages.allowance, passages.doubts)


def _least_fresh(passages: list[ReadPassage]) -> FreshResult[Any] | None:
    reads = [passage.found.read for passage in passages if passage.found is not None and passage.found.read is not None]
    return next((read for read in reads if read.freshness.status != "fresh"), reads[-1] if reads else None)


def _item(passage: ReadPassage) -> dict[str, object]:
    if passage.status == "ok":
        return passage.fields
    message = {"message": passage.message} if passage.message and "message" not in passage.fields else {}
    return {"status": passage.status, **message, **passage.fields}


def _pagination(call: Call, request: ReadCall, left: tuple[ReadTarget, ...]) -> dict[str, object]:
    if not left:
        return {}
    if call.once:
        return {"left_out": [target.written for target in left]}
    cursor = call.mint_cursor(_RemainingTargets(replace(request, targets=left), call.root.path))
    return {"pagination": {"next_cursor": cursor, "total_estimate": len(left)}}


def _hints(call: Call, args: ReadArguments, passage: ReadPassage) -> dict[str, object]:
    """Calls that continue a truncated target, or search for one that was not found."""
    found, shown = passage.located, passage.shown
    if found is None or shown is None:
        if passage.status != "not_found":
            return {}
        query = passage.target.symbol or passage.target.written[:200]
        arguments = {"query": query, "mode": "symbol"}
        return {"search": call.next_call("search", arguments, f"cpl search {quote(query)} --mode symbol")}
    if not passage.truncated or args.content is not None:
        return {}
    place = path_argument(args.path) if call.root.path != call.roots.home.path else {}
    hints: dict[str, object] = {"next": _next_call(call, args, found, shown, place)}
    if found.symbol is not None and found.symbol.kind in _CONTAINERS:
        window = {"file": found.path, "start_line": found.first, "end_line": found.last}
        command = f"cpl outline {quote(found.path)}"
        hints["members"] = call.next_call("file_outline", {**window, **place}, command)
    return hints


def _next_call(
    call: Call, args: ReadArguments, found: LocatedText, shown: CutText, place: Mapping[str, object]
) -> dict[str, object]:
    command = f"cpl read {quote(f'{found.path}:{shown.last + 1}-{found.last}')}"
    if shown.within_line:
        whole: dict[str, object] = {"file": found.path, "confirm": True, **place}
        return call.next_call("read_file_full", whole, f"cpl read {quote(found.path)}")
    sent = args.as_dict()
    arguments: dict[str, object] = {name: sent[name] for name in ("limit", "max_preview_chars") if name in sent}
    if found.mode == "snippet":
        arguments = {"target": next_target(found, shown), **arguments}
    elif found.comparison is not None:
        against = {"against": args.against} if args.against is not None else {}
        arguments |= {"target": found.path, "mode": "diff_preview", **against, "offset": shown.last}
        command = f"cpl call read {quote('target=' + found.path)} mode=diff_preview offset={shown.last}"
    else:
        target = found.symbol.reference if found.symbol is not None else found.path
        arguments = {"target": target, "offset": shown.last - found.first + 1, **arguments}
    return call.next_call("read", {**arguments, **place}, command)


def _again(args: ReadArguments, request: ReadCall, repeated: list[ReadPassage]) -> dict[str, object]:
    """Arguments that return lines again that were left out."""
    if not request.is_list:
        return {**args.as_dict(), "fresh": True}
    return {"targets": [_as_target(passage) for passage in repeated], "fresh": True}


def _as_target(passage: ReadPassage) -> str:
    found, shown = passage.located, passage.shown
    assert found is not None and shown is not None
    return found.symbol.reference if found.symbol is not None else f"{found.path}:{passage.first}-{shown.last}"


HANDLERS = {
    "read": Handler(ReadArguments, read, check_read, render_read, DEPRECATED),
    "read_file_full": Handler(ReadFileFullArguments, read_file_full, render=render_read_file_full),
    "reset_budget": Handler(Arguments, reset_budget, render=render_reset_budget),
}
