"""read_file_full, which tells what a whole file costs before it gives it; reset_budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.paths import RepoPath, display
from codeplane.disk.safe_open import Root
from codeplane.operations.read.content_notices import content_notices
from codeplane.operations.read.cut_text import CutLimits, piece_of
from codeplane.operations.read.documents import Document
from codeplane.operations.read.locate import LocatedText, NotLocated, ReadOptions, locate
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.tasks.model import digest_params
from codeplane.tasks.reading import Standing
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.paging import require_settled, take_rest
from codeplane.tools.handlers.read_budget import allowance_of, budget_meta
from codeplane.tools.handlers.read_request import relative

PAGE_CHARS = 20_000
PAGE_ROOM = 23_000
_UNBOUNDED = 1 << 40


def read_file_full(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        return _next_page(call, args)
    if "file" not in args:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "read_file_full needs 'file'",
            expected="the path of a file",
            received=", ".join(args) or "no arguments",
            example={"file": "src/app.py"},
        )
    found = _located(call, call.root.path, relative(call, args["file"]))
    if isinstance(found, NotLocated):
        return Answer(found.fields, status=found.status, message=found.message)
    if args.get("confirm"):
        return _page(call, args, found, _Rest(found.path, "", 0, call.root.path))
    return _costs(call, args, found)


@dataclass(frozen=True)
class _Rest:
    """What a cursor names: from which byte of which text."""

    file: RepoPath
    digest: str
    offset: int
    root: Path


def _located(call: Call, place: Path, written: str) -> LocatedText | NotLocated:
    with Root.open(place) as root:
        return locate(ReadSources(root, call.root.workspace), ReadTarget(written, "file"), ReadOptions())


def _costs(call: Call, args: Mapping[str, Any], found: LocatedText) -> Answer:
    document = found.document
    assert document is not None
    tokens = found.body.tokens
    fields: dict[str, object] = {
        "path": found.path,
        "size": document.size,
        "line_count": found.body.line_count,
        "token_estimate": tokens,
        "pages": max(1, -(-tokens * CHARS_PER_TOKEN // PAGE_CHARS)),
        "file_sha256": document.digest,
    }
    place = path_argument(args) if call.root.path != call.roots.home.path else {}
    hints = {
        "confirm": call.next_call(
            "read_file_full", {"file": found.path, "confirm": True, **place}, f"cpl read {quote(found.path)}"
        ),
        "outline": call.next_call("file_outline", {"file": found.path, **place}, f"cpl outline {quote(found.path)}"),
    }
    message = "confirm=true gives the text; an outline and single symbols cost less."
    return Answer(fields, message=message, warnings=found.notices, hints=hints)


def _next_page(call: Call, args: Mapping[str, Any]) -> Answer:
    rest = take_rest(call, args, _Rest, "read_file_full")
    require_settled(args, [name for name in args if name not in ("cursor", "confirm")], "cursor")
    found = _located(call, rest.root, rest.file)
    if isinstance(found, NotLocated) or found.document is None or found.document.digest != rest.digest:
        raise CodePlaneError(
            ErrorCode.FILE_CHANGED,
            f"'{display(rest.file)}' changed since its first page",
            remedy="Read it from the beginning.",
        )
    return _page(call, args, found, rest)


def _page(call: Call, args: Mapping[str, Any], found: LocatedText, rest: _Rest) -> Answer:
    allowance = allowance_of(call, digest_params(dict(args)), True)
    document = found.document
    assert document is not None
    data = found.body.data
    if not allowance.observed:
        bounds = CutLimits(_UNBOUNDED, _UNBOUNDED, _UNBOUNDED)
    else:
        bounds = CutLimits(_UNBOUNDED, PAGE_CHARS, PAGE_ROOM - len(found.path))
    content = piece_of(data, rest.offset, bounds)
    end = rest.offset + len(content.encode("utf-8"))
    if end < len(data) and "\n" in content:
        # Whole lines, where there are any.
        content = content[: content.rindex("\n") + 1]
        end = rest.offset + len(content.encode("utf-8"))
    first = data.count(b"\n", 0, rest.offset) + 1
    last = first + content.count("\n") - content.endswith("\n")
    fields: dict[str, object] = {"path": found.path}
    if content:
        fields |= {"line_start": first, "line_end": last}
    fields |= {"line_count": found.body.line_count, "content": content}
    fields |= _of_file(document)
    if end < len(data) and not call.once:
        following = _Rest(found.path, document.digest, end, rest.root)
        cursor = call.handles.mint("cursor", call.session.id, following)
        fields["pagination"] = {"next_cursor": cursor, "total_estimate": len(data) - end}
    if allowance.observed:
        call.readings.note_read(call.session, found.path, last - first + 1, len(content), degraded=False)
        call.readings.note_served(call.session, found.path, document.digest, first, last, call.request_id)
    meta: dict[str, object] = {"token_estimate": len(content) // CHARS_PER_TOKEN}
    meta |= {"truncated": True} if end < len(data) else {}
    notices = (*(found.notices if not rest.offset else ()), *content_notices(found.path, content, first))
    record = CallRecord((found.path,), found.body.tokens)
    return Answer(fields, warnings=notices, meta=meta | budget_meta(call, allowance, ()), record=record)


def _of_file(document: Document) -> dict[str, object]:
    return {**document.unusual(), "file_sha256": document.digest}


def reset_budget(call: Call, args: Mapping[str, Any]) -> Answer:
    call.readings.reset(call.session)
    return Answer({"budget_state": Standing.OK.value}, message="Reads are counted anew.")
