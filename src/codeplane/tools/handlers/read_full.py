"""Handlers of read_file_full, which reports the size of a file before it sends it, and of reset_budget."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.paths import RepoPath, display
from codeplane.disk.safe_open import Root
from codeplane.operations.read.content_notices import content_notices
from codeplane.operations.read.cut_text import CutLimits, piece_of
from codeplane.operations.read.locate import locate
from codeplane.operations.read.model import LocatedText, NotLocated, ReadOptions
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.tasks.model import digest_params
from codeplane.tasks.read_history import BudgetState
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.paging import reject_with_cursor, take_rest
from codeplane.tools.handlers.read_budget import budget_meta, find_allowance

PAGE_CHARS = 20_000
PAGE_ROOM = 23_000
_UNBOUNDED = 1 << 40


@dataclass(frozen=True, kw_only=True)
class ReadFileFullArguments(Arguments):
    file: str | None = None
    confirm: bool = False
    cursor: str | None = None
    path: str | None = None


def read_file_full(call: Call, args: ReadFileFullArguments) -> Answer:
    if args.cursor is not None:
        return _next_page(call, args, args.cursor)
    if args.file is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "read_file_full needs 'file'",
            expected="the path of a file",
            received=", ".join(args.given) or "no arguments",
            example={"file": "src/app.py"},
        )
    found = _locate(call, call.root.path, call.file(args.file))
    if isinstance(found, NotLocated):
        return Answer(found.fields, status=found.status, message=found.message)
    if args.confirm:
        return _page(call, args, found, _FileRest(found.path, "", 0, call.root.path))
    return _size(call, args, found)


@dataclass(frozen=True)
class _FileRest:
    """Rest of a file behind a cursor: the byte offset in one version of the text."""

    file: RepoPath
    digest: str
    offset: int
    root: Path


def _locate(call: Call, place: Path, written: str) -> LocatedText | NotLocated:
    with Root.open(place) as root:
        return locate(ReadSources(root, call.root.workspace), ReadTarget(written, "file"), ReadOptions())


def _size(call: Call, args: ReadFileFullArguments, found: LocatedText) -> Answer:
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
    place = path_argument(args.path) if call.root.path != call.roots.home.path else {}
    hints = {
        "confirm": call.next_call(
            "read_file_full", {"file": found.path, "confirm": True, **place}, f"cpl read {quote(found.path)}"
        ),
        "outline": call.next_call("file_outline", {"file": found.path, **place}, f"cpl outline {quote(found.path)}"),
    }
    message = "confirm=true returns the text; an outline or single symbols cost less."
    return Answer(fields, message=message, warnings=found.notices, hints=hints)


def _next_page(call: Call, args: ReadFileFullArguments, cursor: str) -> Answer:
    rest = take_rest(call, cursor, _FileRest, "read_file_full")
    reject_with_cursor(cursor, [name for name in args.given if name not in ("cursor", "confirm")], "cursor")
    found = _locate(call, rest.root, rest.file)
    if isinstance(found, NotLocated) or found.document is None or found.document.digest != rest.digest:
        raise CodePlaneError(
            ErrorCode.FILE_CHANGED,
            f"'{display(rest.file)}' changed since the first page",
            remedy="Read it from the beginning.",
        )
    return _page(call, args, found, rest)


def _page(call: Call, args: ReadFileFullArguments, found: LocatedText, rest: _FileRest) -> Answer:
    allowance = find_allowance(call, digest_params(args.as_dict()), True)
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
        # End at a line break, if there is one.
        content = content[: content.rindex("\n") + 1]
        end = rest.offset + len(content.encode("utf-8"))
    first = data.count(b"\n", 0, rest.offset) + 1
    last = first + content.count("\n") - content.endswith("\n")
    fields: dict[str, object] = {"path": found.path}
    if content:
        fields |= {"line_start": first, "line_end": last}
    fields |= {"line_count": found.body.line_count, "content": content}
    fields |= {**document.unusual(), "file_sha256": document.digest}
    if end < len(data) and not call.once:
        following = _FileRest(found.path, document.digest, end, rest.root)
        cursor = call.mint_cursor(following)
        fields["pagination"] = {"next_cursor": cursor, "total_estimate": len(data) - end}
    if allowance.observed:
        call.read_history.record_read(call.session, found.path, last - first + 1, len(content), degraded=False)
        call.read_history.record_shown(call.session, found.path, document.digest, first, last, call.request_id)
    meta: dict[str, object] = {"token_estimate": len(content) // CHARS_PER_TOKEN}
    meta |= {"truncated": True} if end < len(data) else {}
    notices = (*(found.notices if not rest.offset else ()), *content_notices(found.path, content, first))
    record = CallRecord((found.path,), found.body.tokens)
    return Answer(fields, warnings=notices, meta=meta | budget_meta(call, allowance, ()), record=record)


def reset_budget(call: Call, args: Arguments) -> Answer:
    call.read_history.reset(call.session)
    return Answer({"budget_state": BudgetState.OK.value}, message="The read budget was reset.")
