"""The read tool: targets to passages that fit into one answer, and the calls that go on where one was cut."""

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
from codeplane.operations.read.locate import LocatedText, NotLocated
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.operations.read_meta import read_meta
from codeplane.tasks.model import digest_params
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.paging import take_rest
from codeplane.tools.handlers.read_budget import allowance_of, budget_meta
from codeplane.tools.handlers.read_passages import Passage, Passages, next_target
from codeplane.tools.handlers.read_request import Request, request_of
from codeplane.workspace.freshness import FreshResult

_CONTAINERS = frozenset({"class", "struct", "trait", "interface", "module", "namespace", "enum", "object"})


def read(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        rest = take_rest(call, args, _Rest, "read")
        place = call.roots.opened(rest.root)
        if place is None:
            raise CodePlaneError(ErrorCode.HANDLE_EXPIRED, "the repository of this cursor is not open any more")
        call = replace(call, root=place)
        request = replace(rest.request, fresh=rest.request.fresh or args.get("fresh", False))
    else:
        request = request_of(call, args)
    allowance = allowance_of(call, digest_params(dict(args)), request.fresh)
    with Root.open(call.root.path) as root:
        sources = ReadSources(root, call.root.workspace, request.policy, call.cancelled, call.root.parse)
        reading = Passages(call, request, allowance, sources)
        for number, target in enumerate(request.targets):
            if not reading.take(target):
                return _answer(call, args, reading, request.targets[number:])
    return _answer(call, args, reading, ())


@dataclass(frozen=True)
class _Rest:
    """What a cursor names: targets that are still to be read."""

    request: Request
    root: Path


def _answer(call: Call, args: Mapping[str, Any], reading: Passages, left: tuple[ReadTarget, ...]) -> Answer:
    request, passages = reading.request, reading.all
    first = passages[0]
    if first.error is not None and all(passage.error is not None for passage in passages):
        raise first.error
    result: dict[str, object]
    status, message = first.status, first.message
    hints: dict[str, object] = {}
    if request.many:
        result = {"items": [_item(passage) for passage in passages]}
        if any(passage.status == "ok" for passage in passages):
            status, message = "ok", None
        result |= _pagination(call, request, left)
    else:
        result = first.fields
        hints = _hints(call, args, first)
    given = [passage for passage in passages if passage.given]
    if given:
        message = "Unchanged, and given before in this session; hints.again gives it once more."
        if not all(passage.served_by is not None for passage in given):
            message = "Lines that were given before in this session are left out; hints.again gives them once more."
        hints["again"] = call.next_call("read", _again(args, request, given), "cpl read")
    read = _least_fresh(passages)
    notices = (*(read.notices if read is not None else ()), *reading.notices)
    meta: dict[str, object] = dict(read_meta(read)) if read is not None else {}
    if any(passage.located is not None for passage in passages):
        meta["token_estimate"] = sum(passage.tokens for passage in passages)
    for name, holds in (("truncated", "truncated"), ("preview_degraded", "degraded")):
        if any(getattr(passage, holds) for passage in passages):
            meta[name] = True
    meta |= budget_meta(call, reading.allowance, reading.doubts)
    record = CallRecord(tuple(sorted(reading.whole)), sum(reading.whole.values()) if reading.whole else None)
    lines = first.found.lines if isinstance(first.found, NotLocated) and not request.many else None
    return Answer(
        result, status=status, message=message, warnings=notices, hints=hints, meta=meta, record=record, lines=lines
    )


def _least_fresh(passages: list[Passage]) -> FreshResult[Any] | None:
    reads = [passage.found.read for passage in passages if passage.found is not None and passage.found.read is not None]
    return next((read for read in reads if read.freshness.status != "fresh"), reads[-1] if reads else None)


def _item(passage: Passage) -> dict[str, object]:
    if passage.status == "ok":
        return passage.fields
    said = {"message": passage.message} if passage.message and "message" not in passage.fields else {}
    return {"status": passage.status, **said, **passage.fields}


def _pagination(call: Call, request: Request, left: tuple[ReadTarget, ...]) -> dict[str, object]:
    if not left:
        return {}
    if call.once:
        return {"left_out": [target.written for target in left]}
    cursor = call.handles.mint("cursor", call.session.id, _Rest(replace(request, targets=left), call.root.path))
    return {"pagination": {"next_cursor": cursor, "total_estimate": len(left)}}


def _hints(call: Call, args: Mapping[str, Any], passage: Passage) -> dict[str, object]:
    """Where one target was cut or not found: the call that goes on."""
    found, shown = passage.located, passage.shown
    if found is None or shown is None:
        if passage.status != "not_found":
            return {}
        query = passage.target.symbol or passage.target.written[:200]
        arguments = {"query": query, "mode": "symbol"}
        return {"search": call.next_call("search", arguments, f"cpl search {quote(query)} --mode symbol")}
    if not passage.truncated or "content" in args:
        return {}
    place = path_argument(args) if call.root.path != call.roots.home.path else {}
    hints: dict[str, object] = {"next": _next_call(call, args, found, shown, place)}
    if found.symbol is not None and found.symbol.kind in _CONTAINERS:
        window = {"file": found.path, "start_line": found.first, "end_line": found.last}
        command = f"cpl outline {quote(found.path)}"
        hints["members"] = call.next_call("file_outline", {**window, **place}, command)
    return hints


def _next_call(
    call: Call, args: Mapping[str, Any], found: LocatedText, shown: CutText, place: Mapping[str, object]
) -> dict[str, object]:
    following = f"cpl read {quote(f'{found.path}:{shown.last + 1}-{found.last}')}"
    if shown.within_line:
        arguments: dict[str, object] = {"file": found.path, "confirm": True, **place}
        return call.next_call("read_file_full", arguments, f"cpl read {quote(found.path)}")
    arguments = {name: args[name] for name in ("limit", "max_preview_chars") if name in args}
    if found.mode == "snippet":
        arguments = {"target": next_target(found, shown), **arguments}
    elif found.comparison is not None:
        against = {"against": args["against"]} if "against" in args else {}
        arguments |= {"target": found.path, "mode": "diff_preview", **against, "offset": shown.last}
        following = f"cpl call read {quote('target=' + found.path)} mode=diff_preview offset={shown.last}"
    else:
        target = found.symbol.reference if found.symbol is not None else found.path
        arguments = {"target": target, "offset": shown.last - found.first + 1, **arguments}
    return call.next_call("read", {**arguments, **place}, following)


def _again(args: Mapping[str, Any], request: Request, given: list[Passage]) -> dict[str, object]:
    if not request.many:
        return {**args, "fresh": True}
    return {"targets": [_named(passage) for passage in given], "fresh": True}


def _named(passage: Passage) -> str:
    """What was shown, as a target."""
    found, shown = passage.located, passage.shown
    assert found is not None and shown is not None
    return found.symbol.reference if found.symbol is not None else f"{found.path}:{passage.first}-{shown.last}"
